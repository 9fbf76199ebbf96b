// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sunloco::model {

enum class Pass {
    Go,
    Abandon,  ///< give up the step in hand; nothing of it has been applied
};

/// Asked before each segment of work (a bounded piece of tens of milliseconds at most). It may block: to stay quiet, or to keep a duty cycle.
class Gate {
public:
    virtual ~Gate() = default;
    virtual Pass pass() = 0;
};

/// Never stops anything.
class OpenGate final : public Gate {
public:
    Pass pass() override { return Pass::Go; }
};

}  // namespace sunloco::model
