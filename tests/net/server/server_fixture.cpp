// SPDX-License-Identifier: Apache-2.0
#include "server_fixture.h"

#include <QTest>

#include <chrono>
#include <thread>

namespace sunloco::test {

std::string ServedProject::make(const std::vector<std::string>& settings) {
    if (!m_temporary.isValid()) { return "no temporary folder"; }
    const auto options = tinyProject(m_temporary.path().toStdString(), settings);
    m_folder = options.folder;
    auto report = server::initProject(options, m_clock);
    if (!report) { return report.error().text(); }
    m_report = *report;
    m_elements = report->claims.parameters;
    return {};
}

std::string ServedProject::start(std::uint16_t port) {
    server::ServeOptions options;
    options.folder = m_folder;
    options.listen = "127.0.0.1:" + std::to_string(port);
    m_server = std::make_unique<server::ProjectServer>(options, m_clock);
    auto ready = m_server->start();
    if (!ready) {
        m_server.reset();
        return ready.error().text();
    }
    m_ready = *ready;
    return {};
}

std::unique_ptr<Volunteer> ServedProject::volunteer() {
    auto volunteer = std::make_unique<Volunteer>(port(), "127.0.0.1:" + std::to_string(port()), m_clock);
    const int status = statusOf(volunteer->enrol());
    if (status != 201) { qWarning("enrolment answered %d", status); }
    return volunteer;
}

protocol::StatusAnswer ServedProject::status() {
    const auto answer = request(port(), "GET", "/v1/status");
    if (!answer) { return {}; }
    const auto parsed = protocol::StatusAnswer::parse(answer->body);
    return parsed ? *parsed : protocol::StatusAnswer{};
}

bool ServedProject::waitForRounds(std::size_t count) {
    return QTest::qWaitFor([&] { return status().history.size() >= count; }, 120'000);
}

}  // namespace sunloco::test
