// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/serve.h"
#include "project_fixture.h"
#include "qtest_text.h"
#include "volunteer.h"

#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace sunloco::test {

/// A tiny project in a temporary folder, served in this process on a free port.
class ServedProject {
public:
    /// Makes the project; empty on success, else what went wrong.
    std::string make(const std::vector<std::string>& settings = {});
    std::string start(std::uint16_t port = 0);
    void stop() { m_server.reset(); }

    [[nodiscard]] std::filesystem::path folder() const { return m_folder; }
    [[nodiscard]] std::uint16_t port() const { return m_ready.port; }
    [[nodiscard]] const std::string& link() const { return m_ready.link; }
    [[nodiscard]] std::int64_t elements() const { return m_elements; }
    [[nodiscard]] PushedClock& clock() { return m_clock; }
    [[nodiscard]] const server::InitReport& report() const { return m_report; }
    /// An enrolled volunteer.
    std::unique_ptr<Volunteer> volunteer();
    /// Waits until this many rounds are closed.
    bool waitForRounds(std::size_t count);
    protocol::StatusAnswer status();

private:
    QTemporaryDir m_temporary;
    std::filesystem::path m_folder;
    PushedClock m_clock;
    server::InitReport m_report;
    server::ServeReady m_ready;
    std::int64_t m_elements = 0;
    std::unique_ptr<server::ProjectServer> m_server;
};

}  // namespace sunloco::test
