// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/bug_report.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QSysInfo>

#include <nlohmann/json.hpp>
#include <zip.h>

#include <memory>

namespace sunloco::ctl {
namespace {

using core::Error;
using core::ErrorCode;
using core::Json;

constexpr int kSelftestMs = 120'000;
constexpr int kLogLines = 2000;
constexpr int kContributions = 200;

std::string readable(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json versions() {
    return {{"sunloco", "0.1.0"},
            {"qt", qVersion()},
            {"system", QSysInfo::prettyProductName().toStdString()},
            {"kernel", QSysInfo::kernelType().toStdString() + " " + QSysInfo::kernelVersion().toStdString()},
            {"processor", QSysInfo::currentCpuArchitecture().toStdString()},
            {"desktop", qEnvironmentVariable("XDG_CURRENT_DESKTOP").toStdString()},
            {"session", qEnvironmentVariable("XDG_SESSION_TYPE").toStdString()},
            {"made_at", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()}};
}

/// The worker of this installation looks at the machine; what it says, or why it could not.
std::string selftest() {
    QString program = qEnvironmentVariable("SUNLOCO_WORKER");
    if (program.isEmpty()) program = QCoreApplication::applicationDirPath() + QStringLiteral("/sunloco-worker");
    QProcess worker;
    worker.setProcessChannelMode(QProcess::MergedChannels);
    worker.start(program, {QStringLiteral("selftest"), QStringLiteral("--json")});
    if (!worker.waitForFinished(kSelftestMs)) {
        worker.kill();
        worker.waitForFinished();
        return program.toStdString() + ": " + worker.errorString().toStdString() + "\n";
    }
    return worker.readAll().toStdString();
}

}  // namespace

std::string hidePrivate(std::string text, const std::string& home) {
    QString out = QString::fromStdString(text);
    if (home.size() > 1) out.replace(QString::fromStdString(home), QStringLiteral("~"));
    // In settings and answers ("invite": "code"), in links and in command lines (invite=code, --invite code).
    static const QRegularExpression invite(QStringLiteral(R"re((invite"?\s*[:= ]\s*"?)[^\s"&#,}]+)re"), QRegularExpression::CaseInsensitiveOption);
    out.replace(invite, QStringLiteral("\\1…"));
    return out.toStdString();
}

std::vector<ReportFile> collectReport(const AskAgent& ask) {
    struct Part {
        const char* name;
        const char* method;
        Json params;
    };
    const Part parts[] = {{"status.json", "status", Json::object()},         {"rules.json", "why", Json::object()},
                          {"sensors.json", "test", {{"sensor", ""}}},        {"settings.json", "config.list", Json::object()},
                          {"history.json", "history", {{"limit", kContributions}}}, {"energy.json", "energy", Json::object()}};
    std::vector<ReportFile> files{{"versions.json", readable(versions())}};
    std::string missing;
    for (const Part& part : parts) {
        const auto answer = ask(part.method, part.params);
        if (answer) files.push_back({part.name, readable(*answer)});
        else missing += std::string(part.name) + ": " + answer.error().text() + "\n";
    }
    if (const auto log = ask("log", {{"lines", kLogLines}})) {
        std::string lines;
        for (const Json& line : log->value("lines", Json::array())) lines += line.get<std::string>() + "\n";
        files.push_back({"agent.log", lines});
    } else {
        missing += "agent.log: " + log.error().text() + "\n";
    }
    files.push_back({"selftest.json", selftest()});
    if (!missing.empty()) files.push_back({"missing.txt", missing});
    const std::string home = QDir::homePath().toStdString();
    for (ReportFile& file : files) file.content = hidePrivate(std::move(file.content), home);
    return files;
}

core::Result<void> writeZip(const std::filesystem::path& path, const std::vector<ReportFile>& files) {
    const auto failed = [&](const std::string& why) { return Error{ErrorCode::Io, "the report could not be written: " + why, path.string()}; };
    int code = 0;
    std::unique_ptr<zip_t, decltype(&zip_discard)> archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_EXCL, &code), &zip_discard);
    if (!archive) {
        if (code == ZIP_ER_EXISTS) return Error{ErrorCode::InvalidArgument, "there is such a file already; name another", path.string()};
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        return failed(why);
    }
    for (const ReportFile& file : files) {
        zip_source_t* source = zip_source_buffer(archive.get(), file.content.data(), file.content.size(), 0);
        if (source == nullptr) return failed(zip_strerror(archive.get()));
        if (zip_file_add(archive.get(), file.name.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
            zip_source_free(source);
            return failed(zip_strerror(archive.get()));
        }
    }
    // zip_close writes a temporary file and renames it; when it fails the archive is still ours.
    if (zip_close(archive.get()) != 0) return failed(zip_strerror(archive.get()));
    (void)archive.release();
    return {};
}

}  // namespace sunloco::ctl
