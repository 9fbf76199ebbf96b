// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/ipc/ipc_message.h"

#include <functional>
#include <memory>

namespace sunloco::ipc {

/// sunloco-ctl's end of the local socket; blocking, for a command-line program. Needs a QCoreApplication.
class IpcClient {
public:
    IpcClient();
    ~IpcClient();

    /// NotFound: nobody listens there. PermissionDenied: it belongs to another user.
    core::Result<void> connect(const std::string& path, int timeoutMs);
    /// Sends and waits. The agent's refusal comes back as an Error with the agent's message; its code text in `context`.
    core::Result<core::Json> call(const std::string& method, const core::Json& params, int timeoutMs);
    /// Asks for events and hands them on until `keepGoing` (asked at least every 200 ms) says no or the agent goes away.
    core::Result<void> follow(const std::function<void(const EventMessage&)>& onEvent, const std::function<bool()>& keepGoing);

private:
    core::Result<core::Frame> readFrame(int timeoutMs);
    struct Private;
    std::unique_ptr<Private> m;
};

}  // namespace sunloco::ipc
