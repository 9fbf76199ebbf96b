// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

/// Decoders of foreign bytes under test. A target feeds one input to a decoder and checks what must hold when the decoder accepts it
/// (mostly: written again and read again it is the same). A broken promise ends the process, as a crash or a sanitizer's report does.
namespace sunloco::fuzz {

enum class Outcome { Accepted, Refused };

struct Target {
    std::string name;
    std::vector<core::Bytes> seeds;            ///< valid inputs; each must be accepted
    Outcome (*run)(core::ByteView input) = nullptr;
    int iterations = 20'000;                   ///< of the short run in the tests
};

std::vector<Target> coreTargets();       ///< JSON, frames, worker messages, safetensors, recipe, model config, jobs
std::vector<Target> protocolTargets();   ///< envelopes, metadata, messages, link, headers, paths
std::vector<Target> trustTargets();      ///< forged metadata files, signed requests and receipts
std::vector<Target> codecTargets();      ///< fragments
std::vector<Target> allTargets();

/// Ends the process with the broken promise.
[[noreturn]] void broken(const char* promise);
inline void require(bool holds, const char* promise) {
    if (!holds) { broken(promise); }
}

inline std::string_view textOf(core::ByteView input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

/// For a type with parse(text) and serialise(): what was accepted is written and read again as the same bytes.
template <typename T>
Outcome roundTrip(std::string_view text) {
    const auto first = T::parse(text);
    if (!first) { return Outcome::Refused; }
    const std::string written = first->serialise();
    const auto second = T::parse(written);
    require(second.has_value(), "what was accepted can be read again after writing");
    require(second->serialise() == written, "reading and writing again changes nothing");
    return Outcome::Accepted;
}

}  // namespace sunloco::fuzz
