// SPDX-License-Identifier: Apache-2.0
#include "engine/codec/codec.h"
#include "tests/engine/outer/made_up_project.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <functional>

using namespace sunloco;
using core::ErrorCode;
using outer::Event;
using outer::MadeUpProject;

class TestReplay : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equal_data();
    void equal();
    void rollBacks();
    void largeModelsWindowByWindow();
    void aForgedContributionIsFound();
    void aForgedBaseIsFound();
    void aForgedUpdateIsFound();
    void anotherInitialBaseIsFound();
    void missingAndDamagedObjects();
    void impossibleLogs();
};

void TestReplay::equal_data() {
    QTest::addColumn<QByteArray>("recipe");
    QTest::newRow("diloco int8") << QByteArray("{}");
    QTest::newRow("diloco fp32") << QByteArray(R"({"upload_codec":"fp32","update_codec":"fp32"})");
    QTest::newRow("fedavg") << QByteArray(R"({"method":"fedavg"})");
}
void TestReplay::equal() {
    QFETCH(QByteArray, recipe);
    MadeUpProject project(core::parseRecipe(*core::parseJson(recipe.toStdString())).value(), 1000);
    std::vector<Event> events = {project.initEvent()};
    for (std::size_t round = 0; round < 4; ++round) { events.push_back(project.closeRound(1 + round, 300).value()); }
    const auto result = outer::replay(events, project.source());
    QVERIFY2(result, result ? "" : result.error().text().c_str());
    QVERIFY2(result->equal, result->difference.c_str());
    QCOMPARE(result->bases.size(), std::size_t{5});
    for (std::size_t i = 0; i < 5; ++i) { QVERIFY(result->bases[i].derived == result->bases[i].logged && result->bases[i].round == static_cast<std::int64_t>(i)); }
    QVERIFY(result->bases[4].derived != result->bases[3].derived);
}

void TestReplay::rollBacks() {
    MadeUpProject project({}, 200);
    std::vector<Event> events = {project.initEvent()};
    const auto round = [&] { events.push_back(project.closeRound(2, 200).value()); };
    round();                                     // 1
    round();                                     // 2
    events.push_back(project.rollBackTo(1));     // 3
    round();                                     // 4
    events.push_back(project.rollBackTo(3));     // 5: back to a roll-back
    events.push_back(project.rollBackTo(0));     // 6: to the beginning
    round();                                     // 7
    const auto result = outer::replay(events, project.source());
    QVERIFY2(result, result ? "" : result.error().text().c_str());
    QVERIFY2(result->equal, result->difference.c_str());
    QCOMPARE(result->bases.size(), std::size_t{8});
    QVERIFY(result->bases[3].derived == result->bases[1].derived && result->bases[5].derived == result->bases[1].derived && result->bases[6].derived == result->bases[0].derived);
}

void TestReplay::largeModelsWindowByWindow() {
    core::Recipe recipe;
    recipe.uploadCodec = recipe.updateCodec = core::Codec::Fp32;
    const auto full = static_cast<std::size_t>(codec::fragmentElements(core::Codec::Fp32));
    MadeUpProject project(recipe, full + 100);
    const std::vector<Event> events = {project.initEvent(), project.closeRound(2, full).value()};
    const auto result = outer::replay(events, project.source());
    QVERIFY2(result && result->equal, result ? result->difference.c_str() : result.error().text().c_str());
}

void TestReplay::aForgedContributionIsFound() {
    MadeUpProject project({}, 100);
    std::vector<Event> events = {project.initEvent(), project.closeRound(2, 100).value(), project.closeRound(2, 100).value()};
    std::get<outer::RoundClosedEvent>(events[1]).contributions[0].tokens += 1;
    const auto result = outer::replay(events, project.source());
    QVERIFY(result && !result->equal);
    QVERIFY2(result->difference.find("after round 1 ") != std::string::npos, result->difference.c_str());
}

void TestReplay::aForgedBaseIsFound() {
    MadeUpProject project({}, 100);
    std::vector<Event> events = {project.initEvent(), project.closeRound(2, 100).value(), project.closeRound(2, 100).value()};
    auto& last = std::get<outer::RoundClosedEvent>(events[2]);
    last.baseHash.bytes[31] ^= 1;
    const auto result = outer::replay(events, project.source());
    QVERIFY(result && !result->equal);
    QVERIFY(result->difference.starts_with("The base after round 2"));
    QVERIFY(result->difference.find(last.baseHash.hex()) != std::string::npos);
}

void TestReplay::aForgedUpdateIsFound() {
    MadeUpProject project({}, 100);
    std::vector<Event> events = {project.initEvent(), project.closeRound(2, 100).value()};
    std::get<outer::RoundClosedEvent>(events[1]).updateObject.bytes[0] ^= 1;
    auto result = outer::replay(events, project.source());
    QVERIFY(result && !result->equal && result->difference.find("update") != std::string::npos);
    std::get<outer::RoundClosedEvent>(events[1]).updateObject.bytes[0] ^= 1;
    std::get<outer::RoundClosedEvent>(events[1]).momentumHash.bytes[0] ^= 1;
    result = outer::replay(events, project.source());
    QVERIFY(result && !result->equal && result->difference.find("memory") != std::string::npos);
}

void TestReplay::anotherInitialBaseIsFound() {
    MadeUpProject project({}, 100);
    outer::ReplaySource source = project.source();
    source.initial = [](const outer::InitEvent&) -> core::Result<std::vector<float>> { return std::vector<float>(100, 0.5F); };
    const auto result = outer::replay({project.initEvent(), project.closeRound(1, 100).value()}, source);
    QVERIFY(result && !result->equal);
    QCOMPARE(result->bases.size(), std::size_t{1});   // all after the first difference would differ too
}

void TestReplay::missingAndDamagedObjects() {
    MadeUpProject project({}, 100);
    const std::vector<Event> events = {project.initEvent(), project.closeRound(2, 60).value()};
    const core::Digest part = std::get<outer::RoundClosedEvent>(events[1]).contributions[1].parts[1].sha256;
    core::Bytes& bytes = project.objects.at(part);
    bytes.back() ^= 1;
    QCOMPARE(outer::replay(events, project.source()).error().code, ErrorCode::HashMismatch);
    project.objects.erase(part);
    QCOMPARE(outer::replay(events, project.source()).error().code, ErrorCode::NotFound);
}

void TestReplay::impossibleLogs() {
    MadeUpProject project({}, 100);
    const Event init = project.initEvent();
    const Event round = project.closeRound(2, 60).value();
    const auto code = [&](const std::vector<Event>& events) {
        const auto result = outer::replay(events, project.source());
        return result ? ErrorCode::Internal : result.error().code;
    };
    QCOMPARE(code({init, round}), ErrorCode::Internal);   // sound
    QCOMPARE(code({}), ErrorCode::InvalidData);
    QCOMPARE(code({round}), ErrorCode::InvalidData);
    QCOMPARE(code({init, init}), ErrorCode::InvalidData);
    QCOMPARE(code({init, round, round}), ErrorCode::InvalidData);
    QCOMPARE(code({init, outer::RolledBackEvent{2, 1, {}}}), ErrorCode::InvalidData);
    const auto changed = [&](const std::function<void(outer::LoggedContribution&)>& change) {
        outer::RoundClosedEvent event = std::get<outer::RoundClosedEvent>(round);
        change(event.contributions[0]);
        return Event(event);
    };
    QCOMPARE(code({init, changed([](auto& c) { c.parts.pop_back(); })}), ErrorCode::InvalidData);
    QCOMPARE(code({init, changed([](auto& c) { c.parts.erase(c.parts.begin()); })}), ErrorCode::InvalidData);
    QCOMPARE(code({init, changed([](auto& c) { c.parts[1].first = 59; })}), ErrorCode::InvalidData);
    QCOMPARE(code({init, changed([](auto& c) { c.parts[1].elements = 41; })}), ErrorCode::InvalidData);
    outer::RoundClosedEvent empty = std::get<outer::RoundClosedEvent>(round);
    empty.contributions.clear();
    QCOMPARE(code({init, empty}), ErrorCode::InvalidArgument);
}

QTEST_GUILESS_MAIN(TestReplay)
#include "tst_replay.moc"
