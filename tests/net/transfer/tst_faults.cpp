// SPDX-License-Identifier: Apache-2.0
// Each file and network step may fail: nothing half-written is left at the final place, and the next try succeeds.
#include "net/transfer/retry_policy.h"
#include "tests/net/transfer/https_server.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QTest>

#include <atomic>

#include <csignal>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace sunloco;
using namespace sunloco::transfer;
using core::ErrorCode;
namespace fs = std::filesystem;

namespace {

/// Lets the i-th step of one name (or of any) fail, once. Asked on the transfer thread.
class FailOnce final : public core::FaultPolicy {
public:
    core::Result<void> before(std::string_view step) override {
        const std::lock_guard lock(m_mutex);
        if (!m_step.empty() && step != m_step) { return {}; }
        ++m_seen;
        if (m_seen != m_failAt) { return {}; }
        m_fired = true;
        return core::Error{m_code, "this step was made to fail", std::string(step)};
    }
    void arm(std::string step, int failAt, ErrorCode code = ErrorCode::Io) {
        const std::lock_guard lock(m_mutex);
        m_step = std::move(step);
        m_failAt = failAt;
        m_code = code;
        m_seen = 0;
        m_fired = false;
    }
    bool fired() {
        const std::lock_guard lock(m_mutex);
        return m_fired;
    }

private:
    std::mutex m_mutex;
    std::string m_step;
    ErrorCode m_code = ErrorCode::Io;
    int m_failAt = 0;
    int m_seen = 0;
    bool m_fired = false;
};

Request fetch(const HttpsServer& server, const fs::path& path, const QByteArray& content) {
    Request request;
    request.url = server.url("/object");
    request.trust.pinBase64 = server.pin();
    request.target = FileTarget{path, digestOf(content), static_cast<std::uint64_t>(content.size())};
    return request;
}

HttpsServer::Handler serving(const QByteArray& content) { return serveFile(content, QByteArray::fromStdString(digestOf(content).hex())); }

}  // namespace

class TstFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void downloadSteps_data() {
        QTest::addColumn<QByteArray>("step");
        for (const char* step : {"net.request", "file.open", "file.write", "file.rename", "file.sync", ""}) { QTest::newRow(*step ? step : "any") << QByteArray(step); }
    }
    void downloadSteps() {
        QFETCH(QByteArray, step);
        const QByteArray content = noise(120'000);
        FailOnce faults;
        TransferOptions options = Rig::quick();
        options.faults = &faults;
        HttpsServer server(serving(content));
        int failAt = 1;
        for (;; ++failAt) {
            QVERIFY2(failAt < 500, "the steps never end");
            Rig rig(options);
            writeFile(rig.path("object"), "older");
            faults.arm(step.toStdString(), failAt);
            const Outcome first = rig.run(fetch(server, rig.path("object"), content));
            if (!faults.fired()) {
                QCOMPARE(failureText(first), std::string("none"));
                break;
            }
            QVERIFY2(failedWith(first, ErrorCode::Io), failureText(first).c_str());
            QVERIFY(QByteArray::fromStdString(failureText(first)).contains("made to fail"));
            QCOMPARE(contentOf(rig.path("object")), QByteArray("older"));
            QVERIFY(content.startsWith(contentOf(rig.path("object.part"))));
            const qsizetype asked = server.requests().size();
            const bool whole = contentOf(rig.path("object.part")) == content;
            const Outcome second = rig.run(fetch(server, rig.path("object"), content));
            QCOMPARE(failureText(second), std::string("none"));
            QVERIFY(contentOf(rig.path("object")) == content);
            QVERIFY(!fs::exists(rig.path("object.part")));
            // What was whole already is not fetched a second time.
            QCOMPARE(server.requests().size() - asked, whole ? 0 : 1);
        }
        QVERIFY2(failAt > 1, "the step was never asked");
    }

    /// The rename fails several times: the bytes stay, and nothing is fetched again.
    void renameFailsAgainAndAgain() {
        const QByteArray content = noise(120'000);
        HttpsServer server(serving(content));
        Rig rig;
        fs::create_directories(rig.path("object") / "in-the-way");
        for (int i = 0; i < 3; ++i) {
            const Outcome outcome = rig.run(fetch(server, rig.path("object"), content));
            QVERIFY2(outcome.failure.has_value(), "a folder was replaced by a file");
            QVERIFY(contentOf(rig.path("object.part")) == content);
        }
        QCOMPARE(server.requests().size(), 1);
        fs::remove_all(rig.path("object"));
        QCOMPARE(failureText(rig.run(fetch(server, rig.path("object"), content))), std::string("none"));
        QCOMPARE(server.requests().size(), 1);
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    void uploadSteps() {
        const QByteArray content = noise(120'000);
        FailOnce faults;
        TransferOptions options = Rig::quick();
        options.faults = &faults;
        HttpsServer server([](const HttpRequest&, const HttpReply& reply) { reply.respond(201, "application/json", "{}"); });
        int failAt = 1;
        for (;; ++failAt) {
            QVERIFY2(failAt < 100, "the steps never end");
            Rig rig(options);
            writeFile(rig.path("delta"), content);
            Request request;
            request.method = "PUT";
            request.url = server.url("/part");
            request.trust.pinBase64 = server.pin();
            request.file = FileRange{rig.path("delta"), 0, 120'000};
            faults.arm("", failAt);
            const qsizetype before = server.requests().size();
            const Outcome first = rig.run(request);
            if (!faults.fired()) { break; }
            QVERIFY2(failedWith(first, ErrorCode::Io), failureText(first).c_str());
            QCOMPARE(server.requests().size(), before);
            QCOMPARE(failureText(rig.run(request)), std::string("none"));
            QVERIFY(server.requests().last().body == content);
        }
        QVERIFY(failAt > 2);
    }

    /// The code of the failing step reaches the caller, whatever it is.
    void codesArePassedOn() {
        const QByteArray content = noise(120'000);
        FailOnce faults;
        TransferOptions options = Rig::quick();
        options.faults = &faults;
        HttpsServer server(serving(content));
        Rig rig(options);
        for (const ErrorCode code : {ErrorCode::DiskFull, ErrorCode::PermissionDenied, ErrorCode::LimitExceeded, ErrorCode::Network, ErrorCode::Timeout}) {
            faults.arm("file.write", 2, code);
            const Outcome outcome = rig.run(fetch(server, rig.path("object"), content));
            QVERIFY2(failedWith(outcome, code), failureText(outcome).c_str());
            fs::remove(rig.path("object.part"));
        }
    }

    void placesThatDoNotWork() {
        const QByteArray content = noise(1000);
        HttpsServer server(serving(content));
        Rig rig;
        Outcome outcome = rig.run(fetch(server, rig.path("missing") / "object", content));
        QVERIFY2(failedWith(outcome, ErrorCode::NotFound), failureText(outcome).c_str());
        fs::create_directories(rig.path("object.part"));
        outcome = rig.run(fetch(server, rig.path("object"), content));
        QVERIFY(outcome.failure.has_value());
        QVERIFY(server.requests().isEmpty());
    }

    void diskFull() {
        if (::geteuid() != 0) { QSKIP("mounting a small tmpfs needs root"); }
        const QByteArray content = noise(1'000'000);
        HttpsServer server(serving(content));
        Rig rig;
        const fs::path small = rig.path("small");
        fs::create_directories(small);
        if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=300k,mode=0700") != 0) { QSKIP("this system forbids mounting a tmpfs"); }
        struct Unmount {
            fs::path path;
            ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
        } unmount{small};
        for (int i = 0; i < 2; ++i) {
            const Outcome outcome = rig.run(fetch(server, small / "object", content));
            QVERIFY2(failedWith(outcome, ErrorCode::DiskFull), failureText(outcome).c_str());
            QVERIFY(classify(outcome) == Verdict::Retry);
            QVERIFY(!fs::exists(small / "object"));
            QVERIFY(content.startsWith(contentOf(small / "object.part")));
        }
        QVERIFY(::mount("tmpfs", small.c_str(), "tmpfs", MS_REMOUNT, "size=4m,mode=0700") == 0);
        const Outcome outcome = rig.run(fetch(server, small / "object", content));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(outcome.response->status, 206);
        QVERIFY(contentOf(small / "object") == content);
    }

    /// A limit on file sizes works everywhere: the write fails, with the partial write before it kept.
    void fileSizeLimit() {
        const QByteArray content = noise(1'000'000);
        HttpsServer server(serving(content));
        Rig rig;
        rlimit old{};
        QVERIFY(::getrlimit(RLIMIT_FSIZE, &old) == 0);
        const auto before = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{123'457, old.rlim_max};
        QVERIFY(::setrlimit(RLIMIT_FSIZE, &small) == 0);
        const Outcome first = rig.run(fetch(server, rig.path("object"), content));
        QVERIFY(::setrlimit(RLIMIT_FSIZE, &old) == 0);
        std::signal(SIGXFSZ, before);
        QVERIFY2(failedWith(first, ErrorCode::Io) || failedWith(first, ErrorCode::DiskFull), failureText(first).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(contentOf(rig.path("object.part")) == content.left(123'457));
        const Outcome second = rig.run(fetch(server, rig.path("object"), content));
        QCOMPARE(failureText(second), std::string("none"));
        QCOMPARE(second.response->status, 206);
        QVERIFY(contentOf(rig.path("object")) == content);
    }
};

QTEST_GUILESS_MAIN(TstFaults)
#include "tst_faults.moc"
