// SPDX-License-Identifier: Apache-2.0
#include "engine/core/frame.h"
#include "engine/core/job.h"
#include "engine/core/json.h"
#include "engine/core/model_config.h"
#include "engine/core/recipe.h"
#include "engine/core/safetensors.h"
#include "engine/core/worker_messages.h"
#include "tests/fuzz/fuzz_target.h"

#include <nlohmann/json.hpp>

namespace sunloco::fuzz {

namespace {

using core::Bytes;
using core::ByteView;
using core::Json;

Outcome runJson(ByteView input) {
    const core::JsonLimits limits{.maxBytes = 32 * 1024, .maxDepth = 16, .maxElements = 2'000};
    const auto json = core::parseJson(textOf(input), limits);
    if (!json) { return Outcome::Refused; }
    require(input.size() <= limits.maxBytes, "JSON above its size is refused");
    const auto again = core::parseJson(json->dump());
    require(again.has_value() && *again == *json, "accepted JSON is written and read again as the same");
    return Outcome::Accepted;
}

/// The first byte says in how small pieces the stream arrives; the outcome must not depend on it.
Outcome runFrames(ByteView input) {
    if (input.empty()) { return Outcome::Refused; }
    const std::size_t step = 1 + input[0] % 7;
    const ByteView stream = input.subspan(1);
    core::FrameReader pieces;
    core::FrameReader whole;
    whole.feed(stream);
    bool failed = false;
    std::size_t consumed = 0;
    for (std::size_t at = 0; at < stream.size() && !failed; at += step) {
        pieces.feed(stream.subspan(at, std::min(step, stream.size() - at)));
        while (true) {
            auto frame = pieces.next();
            failed = !frame;
            if (!frame || !frame->has_value()) { break; }
            const auto same = whole.next();
            require(same && *same == *frame, "a stream gives the same frames however it is cut");
            const auto encoded = core::encodeFrame(**frame);
            require(encoded.has_value(), "a frame that was read can be written");
            require(consumed + encoded->size() <= stream.size() && std::equal(encoded->begin(), encoded->end(), stream.begin() + static_cast<std::ptrdiff_t>(consumed)),
                    "a frame is written as the bytes it was read from");
            consumed += encoded->size();
        }
    }
    if (failed) { return Outcome::Refused; }
    require(pieces.pending() == stream.size() - consumed, "pending() counts what is left of an unfinished frame");
    return pieces.pending() == 0 ? Outcome::Accepted : Outcome::Refused;
}

template <typename Message>
Outcome sameAgain(const core::Frame& frame, core::Result<Message> (*parse)(const core::Frame&), core::Frame (*write)(const Message&)) {
    const auto message = parse(frame);
    if (!message) { return Outcome::Refused; }
    const core::Frame written = write(*message);
    const auto again = parse(written);
    require(again.has_value(), "a worker message that was accepted can be read again after writing");
    require(write(*again) == written, "a worker message is written twice as the same");
    return Outcome::Accepted;
}

Outcome runWorkerMessage(ByteView input) {
    if (input.size() < 2) { return Outcome::Refused; }
    const core::Frame frame{core::readU16(input.data()), std::string(textOf(input.subspan(2)))};
    using core::WorkerMessage;
    switch (static_cast<WorkerMessage>(frame.type)) {
    case WorkerMessage::Hello: return sameAgain<core::HelloMessage>(frame, core::parseHello, [](const core::HelloMessage& m) { return core::toFrame(WorkerMessage::Hello, m); });
    case WorkerMessage::HelloReply: return sameAgain<core::HelloReplyMessage>(frame, core::parseHelloReply, [](const core::HelloReplyMessage& m) { return core::toFrame(m); });
    case WorkerMessage::Start: return sameAgain<core::StartMessage>(frame, core::parseStart, [](const core::StartMessage& m) { return core::toFrame(m); });
    case WorkerMessage::Stop: return sameAgain<core::StopMessage>(frame, core::parseStop, [](const core::StopMessage& m) { return core::toFrame(WorkerMessage::Stop, m); });
    case WorkerMessage::Throttle: return sameAgain<core::ThrottleMessage>(frame, core::parseThrottle, [](const core::ThrottleMessage& m) { return core::toFrame(m); });
    case WorkerMessage::Progress: return sameAgain<core::ProgressMessage>(frame, core::parseProgress, [](const core::ProgressMessage& m) { return core::toFrame(m); });
    case WorkerMessage::Finished: return sameAgain<core::FinishedMessage>(frame, core::parseFinished, [](const core::FinishedMessage& m) { return core::toFrame(m); });
    case WorkerMessage::Failed: return sameAgain<core::FailedMessage>(frame, core::parseFailed, [](const core::FailedMessage& m) { return core::toFrame(m); });
    case WorkerMessage::Resume:
    case WorkerMessage::Stopped: return Outcome::Refused;
    }
    return Outcome::Refused;
}

Outcome runSafetensors(ByteView input) {
    const auto header = core::parseSafetensorsHeader(input, input.size());
    if (!header) { return Outcome::Refused; }
    std::uint64_t next = header->dataStart;
    for (const auto& tensor : header->tensors) {
        require(tensor.begin == next, "tensors follow one another without holes");
        std::uint64_t elements = 1;
        for (const std::int64_t side : tensor.shape) {
            require(side > 0 && static_cast<std::uint64_t>(side) <= input.size(), "no side is empty or longer than the file");
            elements *= static_cast<std::uint64_t>(side);
        }
        require(tensor.bytes == elements * core::dtypeSize(tensor.dtype), "a tensor has the bytes its shape needs");
        require(header->find(tensor.name) == &tensor, "a name names one tensor");
        next += tensor.bytes;
    }
    require(next == input.size(), "the last tensor ends with the file");
    return Outcome::Accepted;
}

Outcome runRecipe(ByteView input) {
    const auto json = core::parseJson(textOf(input));
    const auto recipe = json ? core::parseRecipe(*json) : core::Result<core::Recipe>(json.error());
    if (!recipe) { return Outcome::Refused; }
    const Json written = core::toJson(*recipe);
    const auto again = core::parseRecipe(written);
    require(again.has_value() && core::toJson(*again) == written, "a recipe is written and read again as the same");
    return Outcome::Accepted;
}

Outcome runModelConfig(ByteView input) {
    const auto model = core::parseModelConfig(textOf(input));
    if (!model) { return Outcome::Refused; }
    require(core::parameterCount(*model) > 0, "the parameters of an accepted model can be counted");
    require(model->heads > 0 && model->hiddenSize > 0 && model->kvHeads > 0 && model->heads % model->kvHeads == 0, "an accepted model has a shape");
    return Outcome::Accepted;
}

Outcome runJob(ByteView input) {
    const auto job = core::parseJob(textOf(input));
    if (!job) { return Outcome::Refused; }
    const std::string written = core::toJsonText(*job);
    const auto again = core::parseJob(written);
    require(again.has_value() && core::toJsonText(*again) == written, "a job is written and read again as the same");
    return Outcome::Accepted;
}

Outcome runJobResult(ByteView input) {
    const auto result = core::parseJobResult(textOf(input));
    if (!result) { return Outcome::Refused; }
    const std::string written = core::toJsonText(*result);
    const auto again = core::parseJobResult(written);
    require(again.has_value() && core::toJsonText(*again) == written, "a job result is written and read again as the same");
    return Outcome::Accepted;
}

Bytes framesSeed(std::initializer_list<core::Frame> frames) {
    Bytes stream{3};
    for (const auto& frame : frames) {
        const Bytes bytes = std::move(core::encodeFrame(frame)).value();
        stream.insert(stream.end(), bytes.begin(), bytes.end());
    }
    return stream;
}

Bytes messageSeed(const core::Frame& frame) {
    Bytes out(2);
    core::writeU16(out.data(), frame.type);
    const Bytes body = core::toBytes(frame.body);
    out.insert(out.end(), body.begin(), body.end());
    return out;
}

Bytes safetensorsSeed(std::string header, std::size_t dataBytes) {
    while (header.size() % 8 != 0) { header += ' '; }
    Bytes out(8);
    core::writeU64(out.data(), header.size());
    out.insert(out.end(), header.begin(), header.end());
    out.resize(out.size() + dataBytes, 7);
    return out;
}

core::Job sampleJob() {
    core::Job job;
    job.modelConfigJson = R"({"model_type":"llama"})";
    job.basePath = "base.safetensors";
    job.baseHash = core::sha256(core::asBytes("base"));
    job.shards = {{"shard-0", core::sha256(core::asBytes("shard")), 1000}};
    job.examples = {10, 200};
    job.steps = 10;
    return job;
}

}  // namespace

std::vector<Target> coreTargets() {
    const std::string llama = R"({"model_type":"llama","vocab_size":256,"hidden_size":64,"intermediate_size":176,"num_hidden_layers":2,"num_attention_heads":4,)"
                              R"("num_key_value_heads":2,"max_position_embeddings":64,"rms_norm_eps":1e-06,"rope_parameters":{"rope_theta":10000.0,"rope_type":"default"},)"
                              R"("tie_word_embeddings":true,"hidden_act":"silu"})";
    const std::string gpt2 = R"({"model_type":"gpt2","vocab_size":256,"n_embd":64,"n_layer":2,"n_head":4,"n_positions":64,"layer_norm_epsilon":1e-05,)"
                             R"("resid_pdrop":0.0,"embd_pdrop":0.0,"attn_pdrop":0.0,"activation_function":"gelu_new"})";
    core::HelloReplyMessage hello;
    hello.build = "0.1.0";
    hello.devices = {{"cpu", "A processor", 1u << 30}};
    core::ProgressMessage progress;
    progress.step = 3;
    progress.steps = 100;
    progress.tokens = 2304;
    progress.loss = 4.25;
    progress.watts = 31.5;
    progress.rollBacks = 1;
    progress.rollBackStep = 2;
    core::JobResult result;
    result.stepsDone = 10;
    result.tokens = 7680;
    result.entryLoss = 4.5;
    result.exitLoss = 4.25;
    result.parts = {{"part-0000.slcd", 1000, core::sha256(core::asBytes("part")), 0, 900}};
    return {
        {"json", {core::toBytes(R"({"a":[1,2.5,-3,true,null,"text \u00fc"],"b":{"c":{}}})"), core::toBytes("[[[[]]]]"), core::toBytes("12"), core::toBytes("\"x\"")}, runJson},
        {"frames", {framesSeed({{1, "{}"}, {2, "{\"a\":1}"}, {103, ""}}), framesSeed({{65535, std::string(300, 'x')}})}, runFrames},
        {"worker_messages",
         {messageSeed(core::toFrame(core::WorkerMessage::Hello, core::HelloMessage{})), messageSeed(core::toFrame(hello)),
          messageSeed(core::toFrame(core::StartMessage{"/tmp/job", "cpu", 2, 50})), messageSeed(core::toFrame(core::WorkerMessage::Stop, core::StopMessage{core::StopLevel::Release})),
          messageSeed(core::toFrame(core::ThrottleMessage{50})), messageSeed(core::toFrame(progress)), messageSeed(core::toFrame(core::FinishedMessage{core::toJsonText(result)})),
          messageSeed(core::toFrame(core::FailedMessage{"out-of-memory", "No memory", 3}))},
         runWorkerMessage},
        {"safetensors",
         {safetensorsSeed(R"({"__metadata__":{"format":"pt"},"a.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"F16","shape":[4],"data_offsets":[24,32]}})", 32),
          safetensorsSeed(R"({"t":{"dtype":"U8","shape":[1,1,1,5],"data_offsets":[0,5]}})", 5)},
         runSafetensors},
        {"recipe", {core::toBytes(core::toJson(core::Recipe{}).dump())}, runRecipe},
        {"model_config", {core::toBytes(llama), core::toBytes(gpt2)}, runModelConfig},
        {"job", {core::toBytes(core::toJsonText(sampleJob()))}, runJob},
        {"job_result", {core::toBytes(core::toJsonText(result))}, runJobResult},
    };
}

}  // namespace sunloco::fuzz
