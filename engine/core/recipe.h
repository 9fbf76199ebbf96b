// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"

namespace sunloco::core {

enum class OuterMethod { DiLoCo, FedAvg };
enum class Codec { Fp32, Int8 };
enum class InnerState {
    Keep,   ///< AdamW's moments live on between rounds (DiLoCo, arXiv 2311.08105)
    Reset,  ///< fresh moments each round, so that a contribution can be replayed
};

/// What numbers the weights of the inner steps are. Between rounds, in bases and in deltas, they are fp32 always; moments and gradients too.
enum class WeightFormat {
    Fp32,
    Bf16,            ///< the model computes with weights rounded to bf16 (nearest); AdamW updates fp32 master weights
    Bf16Stochastic,  ///< no master: AdamW's result is rounded to bf16 stochastically, keyed by (seed, step, index)
};

/// How a project trains: the closed vocabulary of the signed manifest ("recipe"). Unknown keys are refused.
struct Recipe {
    // inner optimizer (exact meaning: the references' make_reference.py)
    std::int64_t batchSequences = 12;    ///< sequences per inner step and volunteer
    std::int64_t sequenceLength = 64;    ///< tokens T; an example is T + 1 tokens
    std::int64_t innerSteps = 100;       ///< H
    std::int64_t minInnerSteps = 10;     ///< h_min: a partial round counts from here
    double learningRate = 3e-3;
    double minLrRatio = 0.1;
    std::int64_t warmupSteps = 50;
    std::int64_t totalSteps = 2000;      ///< of the cosine; global steps, that is rounds * H
    double beta1 = 0.9;
    double beta2 = 0.95;
    double adamEpsilon = 1e-8;
    double weightDecay = 0.1;
    double gradClip = 1.0;
    InnerState innerState = InnerState::Keep;
    WeightFormat weights = WeightFormat::Fp32;
    // outer optimizer
    OuterMethod method = OuterMethod::DiLoCo;
    double outerLearningRate = 0.7;
    double outerMomentum = 0.9;          ///< Nesterov; unused by FedAvg
    Codec uploadCodec = Codec::Int8;
    Codec updateCodec = Codec::Int8;     ///< of the published base update
    std::int64_t codecBlock = 64;
    // rounds (schedule "sync")
    std::int64_t quorum = 2;             ///< contributions that close a round
    std::int64_t roundDeadlineSeconds = 900;
    std::int64_t minContributions = 1;   ///< below it a deadline extends the round instead of closing it
    std::int64_t leasesPerDevice = 1;    ///< of one round; 2 or more let the next task start while the first uploads
    std::int64_t leaseSeconds = 900;
    std::int64_t checkpointEvery = 20;   ///< a full base every so many rounds
    std::uint64_t seed = 1;
};

Result<Recipe> parseRecipe(const Json& json, std::string_view where = "recipe");
Json toJson(const Recipe& recipe);

/// lr(t), t from 0: t < warmup: lr*(t+1)/warmup; else min + (lr-min)*(1+cos(pi*(t-warmup)/(total-warmup)))/2 with min = lr*min_lr_ratio.
double learningRateAt(const Recipe& recipe, std::int64_t globalStep);

std::string_view name(Codec codec);          // "fp32", "int8"
std::string_view name(OuterMethod method);   // "diloco", "fedavg"
Result<Codec> parseCodec(std::string_view text);

}  // namespace sunloco::core
