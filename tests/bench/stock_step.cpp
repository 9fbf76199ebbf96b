// SPDX-License-Identifier: Apache-2.0
// The yardstick of bench_worker.sh: the same Llama training step as plain LibTorch operations with autograd and the library's fused AdamW.
// Prints the same JSON keys as `sunloco-worker bench --json`. No part of the product.
#include "engine/core/files.h"
#include "engine/core/initial_weights.h"
#include "engine/model/rope_table.h"
#include "engine/train/courtesy.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>

namespace {

using namespace sunloco;
using at::Tensor;

double seconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

class StockModel {
public:
    StockModel(const core::ModelConfig& config, std::int64_t length) : m_config(config), m_layout(core::makeLayout(config)) {
        const std::vector<float> start = core::initialWeights(config, m_layout, 1);
        for (const core::TensorSlot& slot : m_layout.slots) {
            Tensor weight = at::empty(slot.shape, at::kFloat);
            std::memcpy(weight.data_ptr<float>(), start.data() + slot.offset, static_cast<std::size_t>(slot.count) * sizeof(float));
            weight.set_requires_grad(true);
            m_weights.push_back(weight);
            (slot.decay ? m_decay : m_plain).push_back(weight);
        }
        const model::RopeTable table = model::makeRopeTable(config, length);
        const auto wide = [&](const std::vector<float>& half) {
            Tensor t = at::empty({1, 1, length, config.headDim / 2}, at::kFloat);
            std::memcpy(t.data_ptr<float>(), half.data(), half.size() * sizeof(float));
            return at::cat({t, t}, -1);
        };
        m_cos = wide(table.cosines);
        m_sin = wide(table.sines);
        for (auto* group : {&m_decay, &m_plain})
            for (const Tensor& weight : *group) {
                auto& state = group == &m_decay ? m_decayState : m_plainState;
                state.first.push_back(at::zeros_like(weight, at::TensorOptions(at::kFloat)).detach());
                state.second.push_back(at::zeros_like(weight, at::TensorOptions(at::kFloat)).detach());
                state.steps.push_back(at::zeros({}, at::kFloat));
            }
    }

    double step(const Tensor& tokens_BT) {
        const std::int64_t B = tokens_BT.size(0), T = tokens_BT.size(1) - 1, d = m_config.hiddenSize, h = m_config.headDim;
        std::size_t next = 0;
        const auto take = [&] { return m_weights[next++]; };
        const Tensor embedding = take();
        Tensor x = at::embedding(embedding, tokens_BT.slice(1, 0, T));
        const auto norm = [&](const Tensor& input) { return at::rms_norm(input, {d}, take(), m_config.normEpsilon); };
        const auto heads = [&](const Tensor& input, std::int64_t count) { return input.view({B, T, count, h}).transpose(1, 2); };
        const auto turn = [&](const Tensor& input) {
            const auto halves = input.chunk(2, -1);
            return input * m_cos + at::cat({-halves[1], halves[0]}, -1) * m_sin;
        };
        for (std::int64_t i = 0; i < m_config.layers; ++i) {
            const Tensor n = norm(x);
            const Tensor q = turn(heads(at::linear(n, take()), m_config.heads));
            const Tensor k = turn(heads(at::linear(n, take()), m_config.kvHeads));
            const Tensor v = heads(at::linear(n, take()), m_config.kvHeads);
            const Tensor mixed = at::scaled_dot_product_attention(q, k, v, {}, 0.0, true, std::nullopt, m_config.heads != m_config.kvHeads);
            x = x + at::linear(mixed.transpose(1, 2).reshape({B, T, m_config.heads * h}), take());
            const Tensor m = norm(x);
            const Tensor gate = at::silu(at::linear(m, take()));
            const Tensor up = at::linear(m, take());
            x = x + at::linear(gate * up, take());
        }
        const Tensor last = norm(x);
        const Tensor logits = at::linear(last, m_config.tieEmbeddings ? embedding : take());
        const Tensor loss = at::cross_entropy_loss(logits.reshape({B * T, m_config.vocabSize}), tokens_BT.slice(1, 1, T + 1).reshape({B * T}));
        for (Tensor& weight : m_weights) weight.mutable_grad().reset();
        loss.backward();
        const at::NoGradGuard guard;
        std::vector<Tensor> gradients;
        for (const Tensor& weight : m_weights) gradients.push_back(weight.grad());
        const auto norms = at::_foreach_norm(gradients, 2);
        const Tensor factor = (1.0 / (at::linalg_vector_norm(at::stack(norms)) + 1e-6)).clamp_max(1.0);
        at::_foreach_mul_(gradients, factor);
        update(m_decay, m_decayState, 0.1);
        update(m_plain, m_plainState, 0.0);
        return loss.item<double>();
    }

private:
    struct State {
        std::vector<Tensor> first, second, steps;
    };
    void update(std::vector<Tensor>& weights, State& state, double decay) {
        std::vector<Tensor> gradients;
        for (const Tensor& weight : weights) gradients.push_back(weight.grad());
        at::_foreach_add_(state.steps, 1);
        at::_fused_adamw_(weights, gradients, state.first, state.second, {}, state.steps, 1e-3, 0.9, 0.95, decay, 1e-8, false, false);
    }

    core::ModelConfig m_config;
    core::TensorLayout m_layout;
    std::vector<Tensor> m_weights, m_decay, m_plain;
    State m_decayState, m_plainState;
    Tensor m_cos, m_sin;
};

}  // namespace

int main(int argc, char** argv) {
    train::preferPassiveWaiting(argv);
    if (argc != 6) {
        std::fprintf(stderr, "usage: stock_step CONFIG.json BATCH SEQ STEPS THREADS\n");
        return 2;
    }
    const auto text = core::readTextFile(argv[1], 1 << 20);
    const auto config = text ? core::parseModelConfig(*text) : core::Result<core::ModelConfig>(text.error());
    if (!config || config->family != core::ModelFamily::Llama) {
        std::fprintf(stderr, "stock_step: needs the config.json of a Llama model\n");
        return 3;
    }
    const std::int64_t B = std::atoll(argv[2]), T = std::atoll(argv[3]), steps = std::atoll(argv[4]);
    at::set_num_threads(std::atoi(argv[5]));
    StockModel model(*config, T);
    std::vector<double> wall, cpu;
    double loss = 0;
    for (std::int64_t i = 0; i < steps + 2; ++i) {
        Tensor tokens = at::empty({B, T + 1}, at::kLong);
        for (std::int64_t j = 0; j < B * (T + 1); ++j) {
            const std::uint64_t counter = static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j);
            tokens.data_ptr<std::int64_t>()[j] = static_cast<std::int64_t>(core::philox(counter, 0x746f6b656e73, 1)[0] % static_cast<std::uint64_t>(config->vocabSize));
        }
        const double wallStart = seconds(CLOCK_MONOTONIC), cpuStart = seconds(CLOCK_PROCESS_CPUTIME_ID);
        loss = model.step(tokens);
        if (i < 2) continue;
        wall.push_back(seconds(CLOCK_MONOTONIC) - wallStart);
        cpu.push_back(seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart);
    }
    const nlohmann::json report = {{"tokens_per_s", static_cast<double>(B * T) / median(wall)}, {"cpu_ms_per_step", 1e3 * median(cpu)},
                                   {"wall_ms_per_step", 1e3 * median(wall)}, {"peak_rss_mb", train::peakResidentMegabytes()}, {"loss", loss}};
    std::cout << report.dump(2) << '\n';
    return 0;
}
