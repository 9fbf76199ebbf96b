// SPDX-License-Identifier: Apache-2.0
#include "engine/core/worker_messages.h"

#include <QtTest>

#include <rapidcheck.h>

using namespace sunloco::core;

class TestFrames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theBytesOfAFrame();
    void anyCutGivesTheSameFrames();
    void oversizedFramesAreRefused();
    void aCutFrameIsPending();
    void workerMessages();
    void badWorkerMessages_data();
    void badWorkerMessages();
};

void TestFrames::theBytesOfAFrame() {
    const Bytes bytes = encodeFrame({258, "{}"}).value();
    QCOMPARE(bytes, (Bytes{2, 0, 0, 0, 2, 1, '{', '}'}));
}

void TestFrames::anyCutGivesTheSameFrames() {
    QVERIFY(rc::check("frames come back however the stream is cut", [](const std::vector<std::pair<std::uint16_t, std::string>>& sent) {
        Bytes stream;
        for (const auto& [type, body] : sent) {
            const Bytes one = encodeFrame({type, body}).value();
            stream.insert(stream.end(), one.begin(), one.end());
        }
        FrameReader reader;
        std::vector<Frame> got;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t n = std::min<std::size_t>(*rc::gen::inRange<std::size_t>(1, 20), stream.size() - at);
            reader.feed(ByteView(stream).subspan(at, n));
            at += n;
            while (true) {
                const auto frame = reader.next();
                RC_ASSERT(frame.has_value());
                if (!*frame) { break; }
                got.push_back(**frame);
            }
        }
        RC_ASSERT(reader.pending() == 0u);
        RC_ASSERT(got.size() == sent.size());
        for (std::size_t i = 0; i < got.size(); ++i) { RC_ASSERT(got[i].type == sent[i].first && got[i].body == sent[i].second); }
    }));
}

void TestFrames::oversizedFramesAreRefused() {
    QVERIFY(encodeFrame({1, std::string(kMaxFrameBody, 'x')}));
    QCOMPARE(encodeFrame({1, std::string(kMaxFrameBody + 1, 'x')}).error().code, ErrorCode::LimitExceeded);
    FrameReader reader;
    // The announced length alone is enough: nothing is collected for it.
    reader.feed(Bytes{1, 0, 16, 0, 1, 0});
    const auto frame = reader.next();
    QVERIFY(!frame);
    QCOMPARE(frame.error().code, ErrorCode::LimitExceeded);
}

void TestFrames::aCutFrameIsPending() {
    FrameReader reader;
    reader.feed(Bytes{5, 0, 0, 0, 1, 0, '{', '}'});
    const auto frame = reader.next();
    QVERIFY(frame && !*frame);
    QCOMPARE(reader.pending(), std::size_t{8});
}

void TestFrames::workerMessages() {
    QCOMPARE(parseHello(toFrame(WorkerMessage::Hello, HelloMessage{3}))->version, 3);
    const auto reply = parseHelloReply(toFrame(HelloReplyMessage{1, "0.1.0", {{"cpu", "Some \"CPU\" \xc3\xa4", 1ull << 34}, {"cuda:0", "Some GPU", 5}}}));
    QVERIFY(reply);
    QCOMPARE(reply->devices.size(), std::size_t{2});
    QCOMPARE(reply->devices[0].name, std::string("Some \"CPU\" \xc3\xa4"));
    QCOMPARE(reply->devices[0].memoryBytes, std::uint64_t{1} << 34);
    const auto start = parseStart(toFrame(StartMessage{"/a folder", "cuda:0", 4, 25}));
    QVERIFY(start && start->folder == "/a folder" && start->device == "cuda:0" && start->threads == 4 && start->throttlePercent == 25);
    for (const StopLevel level : {StopLevel::Quiet, StopLevel::Release, StopLevel::Exit}) {
        QCOMPARE(parseStop(toFrame(WorkerMessage::Stop, StopMessage{level}))->level, level);
        QCOMPARE(parseStop(toFrame(WorkerMessage::Stopped, StopMessage{level}))->level, level);
    }
    QCOMPARE(parseThrottle(toFrame(ThrottleMessage{40}))->percent, 40);
    ProgressMessage progress{7, 100, 7 * 768, 3.25, 12345.5, 61.25, true, {}, 0, -1};
    auto back = parseProgress(toFrame(progress));
    QVERIFY(back && back->step == 7 && back->steps == 100 && back->tokens == 5376 && back->loss == 3.25 && back->tokensPerSecond == 12345.5 && back->activeSeconds == 61.25 && back->quiet && !back->watts);
    progress.watts = 211.5;
    QCOMPARE(*parseProgress(toFrame(progress))->watts, 211.5);
    QVERIFY(back->rollBacks == 0 && back->rollBackStep == -1);
    progress.rollBacks = 2;
    progress.rollBackStep = 6;
    back = parseProgress(toFrame(progress));
    QVERIFY(back && back->rollBacks == 2 && back->rollBackStep == 6);
    QCOMPARE(parseFinished(toFrame(FinishedMessage{"{\"a\": 1}"}))->result, std::string("{\"a\": 1}"));
    const auto failed = parseFailed(toFrame(FailedMessage{"numeric", "the loss is NaN", 12}));
    QVERIFY(failed && failed->code == "numeric" && failed->message == "the loss is NaN" && failed->step == 12);
    QCOMPARE(resumeFrame().type, static_cast<std::uint16_t>(WorkerMessage::Resume));
}

void TestFrames::badWorkerMessages_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* name, WorkerMessage type, const char* body) { QTest::newRow(name) << static_cast<int>(type) << QByteArray(body); };
    row("not JSON", WorkerMessage::Start, "x");
    row("not an object", WorkerMessage::Start, "[]");
    row("key missing", WorkerMessage::Start, R"({"folder":"/a","device":"cpu","threads":1})");
    row("no threads", WorkerMessage::Start, R"({"folder":"/a","device":"cpu","threads":0,"throttle_percent":100})");
    row("throttle below 25", WorkerMessage::Start, R"({"folder":"/a","device":"cpu","threads":1,"throttle_percent":24})");
    row("another type", WorkerMessage::Stop, R"({"folder":"/a","device":"cpu","threads":1,"throttle_percent":100})");
    row("deep", WorkerMessage::Start, R"({"folder":[[[[[[[[[[]]]]]]]]]]})");
}
void TestFrames::badWorkerMessages() {
    QFETCH(int, type);
    QFETCH(QByteArray, body);
    QVERIFY(!parseStart({static_cast<std::uint16_t>(type), body.toStdString()}));
}

QTEST_GUILESS_MAIN(TestFrames)
#include "tst_frames.moc"
