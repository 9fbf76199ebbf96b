// SPDX-License-Identifier: Apache-2.0
#include "tests/net/protocol/samples.h"

#include <fstream>
#include <iterator>

namespace sunloco::protocol::samples {

namespace {

constexpr const char* kModel =
    R"({"architectures":["LlamaForCausalLM"],"attention_bias":false,"attention_dropout":0.0,"bos_token_id":1,"dtype":"float32","eos_token_id":2,)"
    R"("head_dim":32,"hidden_act":"silu","hidden_size":128,"initializer_range":0.02,"intermediate_size":352,"max_position_embeddings":64,)"
    R"("mlp_bias":false,"model_type":"llama","num_attention_heads":4,"num_hidden_layers":4,"num_key_value_heads":4,"rms_norm_eps":1e-06,)"
    R"("rope_parameters":{"rope_theta":10000.0,"rope_type":"default"},"tie_word_embeddings":false,"use_cache":true,"vocab_size":1024})";
constexpr const char* kLeaseId = "mfrggzdfmztwq2lknnwg23tpob";
constexpr const char* kContributionId = "ovzxk4tfmzsxe3tbnrwg64tjpb";
constexpr const char* kBearer = "n5xgk5dxn52gq4tfmvtg65lsmztwq2lknnwg23tpobzhg5dvovrwy2lk";
constexpr const char* kProjectName = "King James \xe2\x80\x93 a small test";

constexpr std::int64_t kParameters = 2 * 1024 * 128 + 4 * (4 * 128 * 128 + 3 * 128 * 352 + 2 * 128) + 128;
constexpr std::int64_t kInitialBytes = 4 * kParameters + 4'096;

std::string deviceIdOf(Who who) { return deviceId(keyOf(who).publicKey()); }
std::int64_t updateBytes() { return encodedBytes(core::Codec::Int8, 64, kParameters); }

}  // namespace

KeyPair keyOf(Who who) {
    const core::Bytes seed(32, static_cast<std::uint8_t>(who));
    return std::move(KeyPair::fromSeed(seed)).value();
}

core::Digest hashOf(std::string_view word) { return core::sha256(core::asBytes(word)); }

Root root() {
    Root root;
    root.version = 1;
    root.expires = kNow + 365 * kDay;
    root.project = {"king-james", kProjectName, "A model of 1 M parameters.\nIt reads one book.", "https://example.org/king-james"};
    for (const Who who : {Who::Root, Who::Root2, Who::Targets, Who::Rounds, Who::Timestamp}) {
        const PublicKey key = keyOf(who).publicKey();
        root.keys.emplace(keyId(key), key);
    }
    const auto id = [](Who who) { return keyId(keyOf(who).publicKey()); };
    root.roles[Role::Root] = {{id(Who::Root), id(Who::Root2)}, 2};
    root.roles[Role::Targets] = {{id(Who::Targets)}, 1};
    root.roles[Role::Rounds] = {{id(Who::Rounds)}, 1};
    root.roles[Role::Timestamp] = {{id(Who::Timestamp)}, 1};
    return root;
}

Targets targets() {
    Targets targets;
    targets.version = 3;
    targets.expires = kNow + 90 * kDay;
    Manifest& m = targets.manifest;
    m.modelJson = kModel;
    m.model = std::move(core::parseModelConfig(kModel)).value();
    m.tokenizer = {hashOf("tokenizer"), 252'345};
    m.tokenBytes = 2;
    m.shards = {{{hashOf("shard 0"), 2'000'000}, 1'000'000}, {{hashOf("shard 1"), 650'000}, 325'000}};
    m.heldOut = {{{hashOf("held out 0"), 50'000}, 25'000}};
    m.initial = {{hashOf("initial"), kInitialBytes}, hashOf("base 4")};
    m.source = {"The King James Bible", "Public domain outside the United Kingdom"};
    m.claims = computeClaims(m.model, m.recipe, m.sizes());
    return targets;
}

Rounds rounds() {
    Rounds rounds;
    rounds.version = 17;
    rounds.expires = kNow + 7 * kDay;
    rounds.round = 7;
    rounds.openedAt = kNow - 60'000;
    rounds.deadline = kNow + 840'000;
    rounds.baseHash = hashOf("base 6");
    rounds.checkpoint = {4, {hashOf("checkpoint 4"), kInitialBytes}, hashOf("base 4")};
    rounds.updates = {{5, {hashOf("update 5"), updateBytes()}, hashOf("base 5")}, {6, {hashOf("update 6"), updateBytes()}, hashOf("base 6")}};
    rounds.firstGlobalStep = 600;
    return rounds;
}

std::string rootFile(const Root& value) {
    const KeyPair first = keyOf(Who::Root);
    const KeyPair second = keyOf(Who::Root2);
    return signMetadata(Role::Root, value.serialise(), {&first, &second});
}
std::string targetsFile(const Targets& value) {
    const KeyPair key = keyOf(Who::Targets);
    return signMetadata(Role::Targets, value.serialise(), {&key});
}
std::string roundsFile(const Rounds& value) {
    const KeyPair key = keyOf(Who::Rounds);
    return signMetadata(Role::Rounds, value.serialise(), {&key});
}
std::string timestampFile(const Timestamp& value) {
    const KeyPair key = keyOf(Who::Timestamp);
    return signMetadata(Role::Timestamp, value.serialise(), {&key});
}

Timestamp timestampFor(std::string_view targetsBytes, std::int64_t targetsVersion, std::string_view roundsBytes, std::int64_t roundsVersion) {
    Timestamp timestamp;
    timestamp.version = 41;
    timestamp.expires = kNow + kDay;
    timestamp.rootVersion = 1;
    timestamp.targets = {targetsVersion, core::sha256(core::asBytes(targetsBytes)), static_cast<std::int64_t>(targetsBytes.size())};
    timestamp.rounds = {roundsVersion, core::sha256(core::asBytes(roundsBytes)), static_cast<std::int64_t>(roundsBytes.size())};
    return timestamp;
}

Timestamp timestamp() { return timestampFor(targetsFile(targets()), 3, roundsFile(rounds()), 17); }

EnrolRequest enrolRequest() { return {keyOf(Who::Device).publicKey(), "k3-sun-rise", "K\xc3\xbc" "che", "sunloco/0.1.0 linux-x86_64"}; }
EnrolAnswer enrolAnswer() { return {deviceIdOf(Who::Device), Trust::Invited}; }
LeaseRequest leaseRequest() { return {7, 12, "sunloco/0.1.0 linux-x86_64", 5211.5}; }

Lease lease() {
    Lease lease;
    lease.leaseId = kLeaseId;
    lease.round = 7;
    lease.baseHash = hashOf("base 6");
    lease.examples = {14'400, 1'200};
    lease.steps = 100;
    lease.minSteps = 10;
    lease.firstGlobalStep = 600;
    lease.seed = 18'446'744'073'709'551'557ull;
    lease.expiresAt = kNow + 840'000;
    return lease;
}

HeartbeatRequest heartbeatRequest() { return {42}; }
HeartbeatAnswer heartbeatAnswer() { return {true, kNow + 900'000}; }
ReleaseRequest releaseRequest() { return {"user-left"}; }

ContributionRequest contributionRequest() {
    ContributionRequest request;
    request.leaseId = kLeaseId;
    request.baseHash = hashOf("base 6");
    request.steps = 100;
    request.tokens = 76'800;
    request.entryLoss = 4.75;
    request.exitLoss = 4.5;
    request.deltaNorm = 0.8125;
    request.parts = {{0, updateBytes(), hashOf("part 0"), 0, kParameters}};
    return request;
}

ContributionCreated contributionCreated() { return {kContributionId, kBearer, kNow + 900'000}; }
BearerAnswer bearerAnswer() { return {kBearer, kNow + 1'800'000}; }
ContributionStatus contributionStatus() { return {ContributionState::Open, {0}, {}, {}}; }
ContributionStatus contributionStatusRejected() {
    const KeyPair key = keyOf(Who::Rounds);
    return {ContributionState::Rejected, {}, signReceipt(receipt(), key), "norm-too-large"};
}
CommitAnswer commitAnswer() {
    const KeyPair key = keyOf(Who::Rounds);
    return {ContributionState::Committed, signReceipt(receipt(), key)};
}
ReceiptPayload receipt() { return {kContributionId, deviceIdOf(Who::Device), kLeaseId, 7, 100, 76'800, partsDigest(contributionRequest().parts), kNow + 400'000}; }

OwnContributions ownContributions() {
    return {{{kContributionId, kLeaseId, 7, ContributionState::Committed, 76'800, 0.0}, {"earlier-1", "earlier-lease", 6, ContributionState::Merged, 76'800, 0.5}}};
}

StatusAnswer status() {
    StatusAnswer status;
    status.projectId = "king-james";
    status.projectName = kProjectName;
    status.round = 7;
    status.state = RoundState::Open;
    status.openedAt = kNow - 60'000;
    status.deadline = kNow + 840'000;
    status.contributors = 1;
    status.tokensTotal = 921'600;
    status.initialHeldOutLoss = 6.9375;
    status.energy = EnergyTotal{12.25, true};
    status.history = {{5, 2, 153'600, 4.875, 2 * updateBytes(), 2 * updateBytes(), 61.5, kNow - 130'000, 110.25},
                      {6, 2, 153'600, {}, 2 * updateBytes(), 2 * updateBytes(), 60.0, kNow - 60'000, 108.0}};
    return status;
}

Problem problem() { return makeProblem(ProblemCode::NoDataLeft, "Round 7 has given out all its examples.", 30'000); }

std::string golden(std::string_view file) {
    std::ifstream in(std::string(SUNLOCO_GOLDEN_DIR "/") + std::string(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace sunloco::protocol::samples
