// SPDX-License-Identifier: Apache-2.0
// The messages of the local socket: what goes in comes out, and what is not a message is refused.
#include "net/ipc/ipc_message.h"

#include <QTest>

using namespace sunloco;
using namespace sunloco::ipc;
using core::Json;

namespace {

core::Frame frameOf(const core::Result<core::Bytes>& bytes) {
    core::FrameReader reader;
    if (bytes) { reader.feed(core::ByteView(*bytes)); }
    auto frame = reader.next();
    return frame && *frame && reader.pending() == 0 ? std::move(**frame) : core::Frame{};
}

}  // namespace

class TstIpcMessages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void requestsSurvive() {
        const RequestMessage request{std::int64_t{1} << 53, "config.set", Json{{"key", "a"}, {"value", Json::array({1, nullptr, "x"})}}};
        const auto back = parseRequest(frameOf(encode(request)));
        QVERIFY(back.has_value());
        QCOMPARE(back->id, request.id);
        QVERIFY(back->method == request.method);
        QVERIFY(back->params == request.params);
        // Missing params are none.
        const auto bare = parseRequest({1, "{\"id\":0,\"method\":\"\"}"});
        QVERIFY(bare.has_value());
        QVERIFY(bare->params == Json::object());
    }

    void responsesSurvive() {
        for (const Json& result : {Json(), Json(1.5), Json("text"), Json::array(), Json{{"a", 1}}}) {
            const auto back = parseResponse(frameOf(encode(ResponseMessage{7, result, std::nullopt})));
            QVERIFY(back.has_value());
            QCOMPARE(back->id, 7);
            QVERIFY(back->result == result);
            QVERIFY(!back->error);
        }
        const auto refused = parseResponse(frameOf(encode(ResponseMessage{7, "ignored", Refusal{"not-found", "There is no such project"}})));
        QVERIFY(refused.has_value());
        QVERIFY(refused->error.has_value());
        QVERIFY(refused->error->code == "not-found");
        QVERIFY(refused->error->message == "There is no such project");
        QVERIFY(refused->result.is_null());
    }

    void eventsSurvive() {
        const auto back = parseEvent(frameOf(encode(EventMessage{"state", Json{{"a", 1}}})));
        QVERIFY(back.has_value());
        QVERIFY(back->name == "state");
        QVERIFY(back->data == Json({{"a", 1}}));
    }

    void tooLongMessagesAreNotSent() {
        const std::string text(core::kMaxFrameBody, 'x');
        QVERIFY(!encode(RequestMessage{1, text, Json::object()}));
        QVERIFY(!encode(ResponseMessage{1, text, std::nullopt}));
        QVERIFY(!encode(EventMessage{text, Json()}));
    }

    void typesAreNotMixedUp() {
        const core::Frame request = frameOf(encode(RequestMessage{1, "x", Json::object()}));
        const core::Frame response = frameOf(encode(ResponseMessage{1, Json(), std::nullopt}));
        const core::Frame event = frameOf(encode(EventMessage{"x", Json()}));
        QVERIFY(parseRequest(request) && !parseRequest(response) && !parseRequest(event));
        QVERIFY(!parseResponse(request) && parseResponse(response) && !parseResponse(event));
        QVERIFY(!parseEvent(request) && !parseEvent(response) && parseEvent(event));
    }

    void badResponses() {
        for (const char* body : {"", "[]", "null", "{}", "{\"id\":\"1\"}", "{\"id\":-1}", "{\"id\":9007199254740993}", "{\"id\":1,\"error\":\"text\"}", "{\"id\":1,\"error\":null}",
                                 "{\"id\":1,\"error\":[]}", "{\"id\":1,\"error\":{}}", "{\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}", "{\"id\":1,\"error\":{\"code\":\"x\"}}"}) {
            QVERIFY2(!parseResponse({2, body}), body);
        }
    }

    void badEvents() {
        for (const char* body : {"", "[]", "{}", "{\"name\":1}", "{\"name\":\"a\",\"name\":\"b\"}"}) { QVERIFY2(!parseEvent({3, body}), body); }
    }
};

QTEST_GUILESS_MAIN(TstIpcMessages)
#include "tst_ipc_messages.moc"
