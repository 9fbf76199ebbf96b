// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent.h"
#include "net/ipc/ipc_server.h"

#include <QPointer>

namespace sunloco::agent {

/// Answers sunloco-ctl: each method of the local socket is one line of the table in agent_ipc.cpp. Thread: the main thread.
class AgentIpc : public QObject {
    Q_OBJECT
public:
    AgentIpc(Agent& agent, QObject* parent);
    core::Result<void> listen(const std::string& path) { return m_server.listen(path); }

private:
    using Reply = std::function<void(core::Result<core::Json>)>;
    using Method = void (AgentIpc::*)(const core::Json& params, const Reply& reply);
    static Method methodFor(const std::string& name);
    void handle(const ipc::RequestMessage& request, const ipc::IpcServer::Reply& reply);

    void status(const core::Json& params, const Reply& reply);
    void why(const core::Json& params, const Reply& reply);
    void projects(const core::Json& params, const Reply& reply);
    void inspect(const core::Json& params, const Reply& reply);
    void join(const core::Json& params, const Reply& reply);
    void leave(const core::Json& params, const Reply& reply);
    void devices(const core::Json& params, const Reply& reply);
    void pause(const core::Json& params, const Reply& reply);
    void resume(const core::Json& params, const Reply& reply);
    void runNow(const core::Json& params, const Reply& reply);
    void mode(const core::Json& params, const Reply& reply);
    void configList(const core::Json& params, const Reply& reply);
    void configGet(const core::Json& params, const Reply& reply);
    void configSet(const core::Json& params, const Reply& reply);
    void configReset(const core::Json& params, const Reply& reply);
    void energy(const core::Json& params, const Reply& reply);
    void history(const core::Json& params, const Reply& reply);
    void receipt(const core::Json& params, const Reply& reply);
    void log(const core::Json& params, const Reply& reply);
    void test(const core::Json& params, const Reply& reply);
    void quit(const core::Json& params, const Reply& reply);

    Agent& m_agent;
    ipc::IpcServer m_server;
};

}  // namespace sunloco::agent
