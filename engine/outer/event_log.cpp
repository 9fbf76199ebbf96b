// SPDX-License-Identifier: Apache-2.0
#include "engine/outer/event_log.h"

#include "engine/core/files.h"

#include <cerrno>
#include <fstream>

namespace sunloco::outer {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<EventLog> EventLog::open(std::filesystem::path path, core::FaultPolicy* faults) {
    if (auto ok = core::checkFault(faults, "file.read"); !ok) { return ok.error(); }
    EventLog log(std::move(path), faults);
    std::error_code ec;
    if (!std::filesystem::exists(log.m_path, ec)) {
        if (ec) { return core::fileError(ec.value(), "look for the event log", log.m_path); }
        return log;
    }
    std::ifstream file(log.m_path, std::ios::binary);
    if (!file) { return core::fileError(errno, "open the event log", log.m_path); }
    std::string line;
    while (std::getline(file, line)) {
        if (file.eof()) { break; }   // no line end: torn while it was appended, never acknowledged; the next append drops it
        auto event = parseEvent(line, log.m_last);
        const std::string where = log.m_path.string() + ", line " + std::to_string(log.m_events.size() + 1);
        if (!event) {
            Error error = std::move(event).error();
            error.context = where;
            return error;
        }
        if (std::holds_alternative<InitEvent>(*event) != log.m_events.empty()) { return Error{ErrorCode::InvalidData, "The event log must begin with the project's making, and have it once", where}; }
        log.m_events.push_back(std::move(*event));
        log.m_last = core::sha256(core::asBytes(line));
        log.m_size += line.size() + 1;
    }
    if (file.bad()) { return Error{ErrorCode::Io, "The event log could not be read to its end", log.m_path.string()}; }
    return log;
}

Result<void> EventLog::append(const Event& event) {
    const std::string line = serialiseEvent(event, m_last);
    if (auto readable = parseEvent(line, m_last); !readable) {
        Error error = std::move(readable).error();
        error.message = "This event cannot be logged: " + error.message;
        return error;
    }
    if (auto done = core::appendToFile(m_path, m_size, core::asBytes(line + "\n"), m_faults); !done) { return done; }
    m_last = core::sha256(core::asBytes(line));
    m_size += line.size() + 1;
    m_events.push_back(event);
    return {};
}

}  // namespace sunloco::outer
