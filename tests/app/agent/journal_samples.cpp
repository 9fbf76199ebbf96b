// SPDX-License-Identifier: Apache-2.0
#include "journal_samples.h"

#include "unit_samples.h"

#include <QtGlobal>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <nlohmann/json.hpp>

#include <optional>

namespace sunloco::agent::test {

namespace fs = std::filesystem;

ProjectRow project(const std::string& id, core::UtcMs joinedAt) {
    ProjectRow row;
    row.id = id;
    row.link = "https://h:1/#root=" + id;
    row.url = "https://h:1";
    row.pin = "pin-of-" + id;
    row.name = "Wiesen & Wälder 'of' \"" + id + "\"; DROP TABLE projects";
    row.description = "line 1\nline 2";
    row.deviceId = "device-" + id;
    row.invite = "invite-" + id;
    row.joinedAt = joinedAt;
    row.sequence = 9'000'000'000'000;
    row.baseRound = 12;
    row.baseHash = digestOf(id).hex();
    row.leaving = true;
    return row;
}

std::string textOf(const ProjectRow& p) {
    return core::Json{p.id, p.link, p.url, p.pin, p.name, p.description, p.deviceId, p.invite, p.joinedAt, p.sequence, p.baseRound, p.baseHash, p.leaving}.dump();
}
std::string textOf(const RoundRow& r) { return core::Json{r.round, r.heldOutLoss ? core::Json(*r.heldOutLoss) : core::Json(nullptr), r.closedAt, r.contributors, r.tokens}.dump(); }

std::string contentOf(const fs::path& path) {
    SQLite::Database db(path.string(), SQLite::OPEN_READONLY, 2000);
    std::string out = "version " + std::to_string(db.execAndGet("PRAGMA user_version").getInt()) + "\n";
    SQLite::Statement tables(db, "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name");
    while (tables.executeStep()) {
        const std::string name = tables.getColumn(0).getString();
        SQLite::Statement rows(db, "SELECT * FROM " + name + " ORDER BY 1, 2");
        while (rows.executeStep()) {
            out += name;
            for (int i = 0; i < rows.getColumnCount(); ++i) out += "|" + (rows.getColumn(i).isNull() ? std::string("NULL") : rows.getColumn(i).getString());
            out += "\n";
        }
    }
    return out;
}

std::unique_ptr<Journal> opened(const fs::path& path, core::FaultPolicy* faults) {
    auto journal = Journal::open(path, faults);
    if (!journal) {
        qWarning("%s", journal.error().text().c_str());
        return nullptr;
    }
    return std::move(*journal);
}

std::vector<std::function<core::Result<void>(Journal&)>> writes() {
    std::vector<std::function<core::Result<void>(Journal&)>> all;
    all.push_back([](Journal& j) { return j.saveProject(project("aa")); });
    all.push_back([](Journal& j) { return j.saveProject(project("bb")); });
    all.push_back([](Journal& j) { return j.saveMetadata("aa", "targets", 3, "{envelope 3}"); });
    all.push_back([](Journal& j) { return j.saveMetadata("aa", "targets", 4, "{envelope 4}"); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Leased, "l1", "aa")); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Uploading, "l1", "aa")); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Merged, "l1", "aa")); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Committed, "l2", "bb")); });
    all.push_back([](Journal& j) { return j.saveRounds("aa", {{1, 3.5, 100, 2, 1000}, {2, std::nullopt, 200, 3, 2000}}); });
    all.push_back([](Journal& j) { return j.addEnergy(900'000, 1.5, false); });
    all.push_back([](Journal& j) { return j.addEnergy(900'000, 0.5, true); });
    all.push_back([](Journal& j) { return j.setValue("override", "{}"); });
    all.push_back([](Journal& j) { return j.setValue("override", "{\"kind\":\"pause\"}"); });
    all.push_back([](Journal& j) { return j.addEvent(5, "joined", "text"); });
    all.push_back([](Journal& j) { return j.removeProject("aa"); });
    return all;
}

}  // namespace sunloco::agent::test
