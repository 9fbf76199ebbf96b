// SPDX-License-Identifier: Apache-2.0
// usage: fuzz_driver TARGET [ITERATIONS [FIRST]]      mutates the target's seeds, the same way each time
//        fuzz_driver --list                           names of all targets
//        fuzz_driver --replay TARGET FILE             one input
//        fuzz_driver --write-corpus TARGET FOLDER     the seeds as files, to start libFuzzer from
#include "engine/core/sha256.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using namespace sunloco;
using fuzz::Outcome;
using fuzz::Target;

/// What was being tried when the process died. Fixed memory, since a signal handler reads it.
struct Attempt {
    char target[64];
    long iteration;
    std::size_t size;
    std::uint8_t bytes[64 * 1024];
};
Attempt& attempt() {
    static Attempt current{};
    return current;
}

void printAttempt() {
    const Attempt& now = attempt();
    std::fprintf(stderr, "\nfuzz target %s failed at iteration %ld; the input in hexadecimal (for --replay, after xxd -r -p):\n", now.target, now.iteration);
    for (std::size_t i = 0; i < now.size; ++i) { std::fprintf(stderr, "%02x", now.bytes[i]); }
    std::fputc('\n', stderr);
}

void onDeath(int signal) {
    printAttempt();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

Outcome runOne(const Target& target, long iteration, const core::Bytes& input) {
    Attempt& now = attempt();
    now.iteration = iteration;
    now.size = std::min(input.size(), sizeof now.bytes);
    std::copy_n(input.begin(), now.size, now.bytes);
    // A copy of exactly this size, so that a sanitizer sees one byte read too many.
    const core::Bytes exact(input.begin(), input.end());
    return target.run(exact);
}

int fuzzTarget(const Target& target, long iterations, long first) {
    for (std::size_t i = 0; i < target.seeds.size(); ++i) {
        if (runOne(target, -1 - static_cast<long>(i), target.seeds[i]) != Outcome::Accepted) {
            std::fprintf(stderr, "%s: seed %zu is refused, so the target tests nothing behind it\n", target.name.c_str(), i);
            return 1;
        }
    }
    // Inputs that passed the decoder are mutated further; they reach deeper than the seeds alone.
    std::vector<core::Bytes> corpus = target.seeds;
    constexpr std::size_t kMaxCorpus = 400;
    const auto nameHash = core::sha256(core::asBytes(target.name));
    long accepted = 0;
    for (long i = 0; i < iterations; ++i) {
        fuzz::Mutator mutator(core::readU64(nameHash.bytes.data()) + static_cast<std::uint64_t>(first + i));
        const core::Bytes input = mutator.mutate(corpus);
        if (runOne(target, first + i, input) != Outcome::Accepted) { continue; }
        ++accepted;
        if (corpus.size() < kMaxCorpus) { corpus.push_back(input); }
    }
    std::printf("%s: %zu seeds, %ld inputs, %ld accepted, %ld refused\n", target.name.c_str(), target.seeds.size(), iterations, accepted, iterations - accepted);
    if (accepted == iterations && iterations > 0) {
        std::fprintf(stderr, "%s: nothing was refused; does the decoder look at its input?\n", target.name.c_str());
        return 1;
    }
    return 0;
}

const Target* find(const std::vector<Target>& targets, std::string_view name) {
    for (const Target& target : targets) {
        if (target.name == name) { return &target; }
    }
    std::fprintf(stderr, "there is no target \"%.*s\"; --list names them\n", static_cast<int>(name.size()), name.data());
    return nullptr;
}

int replay(const Target& target, const char* file) {
    std::ifstream in(file, std::ios::binary);
    const core::Bytes input{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::puts(runOne(target, 0, input) == Outcome::Accepted ? "accepted" : "refused");
    return 0;
}

int writeCorpus(const Target& target, const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    for (std::size_t i = 0; i < target.seeds.size(); ++i) {
        std::ofstream out(folder / (target.name + "-" + std::to_string(i)), std::ios::binary);
        out.write(reinterpret_cast<const char*>(target.seeds[i].data()), static_cast<std::streamsize>(target.seeds[i].size()));
    }
    return 0;
}

/// Proves that the driver notices: a decoder that breaks its promise as soon as a bit of its input was changed.
Target brokenOnPurpose() {
    const auto run = [](core::ByteView input) {
        fuzz::require(input.size() != 16 || std::all_of(input.begin(), input.end(), [](std::uint8_t b) { return b == 'a'; }), "this decoder is broken on purpose");
        return Outcome::Accepted;
    };
    return {"broken_on_purpose", {core::Bytes(16, 'a')}, run};
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Target> targets = fuzz::allTargets();
    const std::string_view first = argc > 1 ? argv[1] : "--help";
    if (first == "--list") {
        for (const Target& target : targets) { std::puts(target.name.c_str()); }
        return 0;
    }
    targets.push_back(brokenOnPurpose());
    const bool isCommand = first.substr(0, 2) == "--";
    if (isCommand && argc != 4) {
        std::fputs("usage: fuzz_driver TARGET [ITERATIONS [FIRST]] | --list | --replay TARGET FILE | --write-corpus TARGET FOLDER\n", stderr);
        return 2;
    }
    const Target* target = find(targets, isCommand ? argv[2] : argv[1]);
    if (target == nullptr) { return 2; }
    std::strncpy(attempt().target, target->name.c_str(), sizeof attempt().target - 1);
    if (&__sanitizer_set_death_callback != nullptr) { __sanitizer_set_death_callback(printAttempt); }
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
        if (signal == SIGABRT || &__sanitizer_set_death_callback == nullptr) { std::signal(signal, onDeath); }
    }
    if (first == "--replay") { return replay(*target, argv[3]); }
    if (first == "--write-corpus") { return writeCorpus(*target, argv[3]); }
    if (isCommand) { return 2; }
    return fuzzTarget(*target, argc > 2 ? std::atol(argv[2]) : target->iterations, argc > 3 ? std::atol(argv[3]) : 0);
}
