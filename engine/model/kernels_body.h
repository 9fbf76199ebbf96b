// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The elementwise kernels for one instruction set; see vec.h for how it is included. kernels.h says what each one does.
#include "engine/model/adamw_element.h"
#include "engine/model/kernels.h"
#include "engine/model/vec.h"

namespace sunloco::model::SUNLOCO_ISA {
namespace {

/// sum = x + delta when there is a delta; returns the row that the norm is taken of.
inline const float* joinResidual(const float* x, const float* delta, float* sum, std::int64_t width) {
    if (delta == nullptr) return x;
    sweep(width, [&](auto part, std::int64_t j) { part.put(sum + j, part.get(x + j) + part.get(delta + j)); });
    return sum;
}

void rmsNorm(const float* x, const float* delta, float* sum, const float* w, float* y, float* rstd, std::int64_t rows, std::int64_t width, float epsilon) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = row * width;
        const float* h = joinResidual(x + at, delta == nullptr ? nullptr : delta + at, sum + at, width);
        Vec squares{};
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec a = part.get(h + j);
            squares += a * a;
        });
        const float r = 1.0f / squareRoot(sumLanes(squares) / static_cast<float>(width) + epsilon);
        rstd[row] = r;
        sweep(width, [&](auto part, std::int64_t j) { part.put(y + at + j, part.get(h + j) * r * part.get(w + j)); });
    }
}

// y_j = w_j h_j r with r = (mean h^2 + eps)^(-1/2):  dh_j = r (dy_j w_j - n_j mean(dy w n)),  dw_j = sum of dy_j n_j,  n = h r.
void rmsNormBackward(const float* dy, const float* x, const float* w, const float* rstd, float* dx, bool add, float* dw, std::int64_t rows,
                     std::int64_t width) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = row * width;
        const float r = rstd[row];
        Vec dots{};
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec t = part.get(dy + at + j) * (part.get(x + at + j) * r);
            dots += t * part.get(w + j);
            part.put(dw + j, part.get(dw + j) + t);
        });
        const float mean = sumLanes(dots) / static_cast<float>(width);
        sweep(width, [&](auto part, std::int64_t j) {
            Vec d = r * (part.get(dy + at + j) * part.get(w + j) - (part.get(x + at + j) * r) * mean);
            if (add) d += part.get(dx + at + j);
            part.put(dx + at + j, d);
        });
    }
}

void layerNorm(const float* x, const float* delta, float* sum, const float* w, const float* b, float* y, float* stats, std::int64_t rows,
               std::int64_t width, float epsilon) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = row * width;
        const float* h = joinResidual(x + at, delta == nullptr ? nullptr : delta + at, sum + at, width);
        Vec total{};
        sweep(width, [&](auto part, std::int64_t j) { total += part.get(h + j); });
        const float mean = sumLanes(total) / static_cast<float>(width);
        Vec squares{};
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec a = part.get(h + j, mean) - mean;
            squares += a * a;
        });
        const float r = 1.0f / squareRoot(sumLanes(squares) / static_cast<float>(width) + epsilon);
        stats[2 * row] = mean;
        stats[2 * row + 1] = r;
        sweep(width, [&](auto part, std::int64_t j) { part.put(y + at + j, (part.get(h + j) - mean) * r * part.get(w + j) + part.get(b + j)); });
    }
}

// n = (h - mean) r:  dh = r (dn - mean(dn) - n mean(dn n)),  dn = dy w.
void layerNormBackward(const float* dy, const float* x, const float* w, const float* stats, float* dx, bool add, float* dw, float* db,
                       std::int64_t rows, std::int64_t width) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = row * width;
        const float mean = stats[2 * row], r = stats[2 * row + 1];
        Vec plain{}, dots{};
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec g = part.get(dy + at + j), n = (part.get(x + at + j, mean) - mean) * r, dn = g * part.get(w + j);
            plain += dn;
            dots += dn * n;
            part.put(dw + j, part.get(dw + j) + g * n);
            part.put(db + j, part.get(db + j) + g);
        });
        const float meanPlain = sumLanes(plain) / static_cast<float>(width), meanDots = sumLanes(dots) / static_cast<float>(width);
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec n = (part.get(x + at + j, mean) - mean) * r;
            Vec d = r * (part.get(dy + at + j) * part.get(w + j) - meanPlain - n * meanDots);
            if (add) d += part.get(dx + at + j);
            part.put(dx + at + j, d);
        });
    }
}

void rope(float* x, std::int64_t stride, std::int64_t heads, std::int64_t headDim, const float* cosines, const float* sines, float direction,
          std::int64_t rows) {
    const std::int64_t half = headDim / 2;
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* c = cosines + row * half;
        const float* s = sines + row * half;
        for (std::int64_t head = 0; head < heads; ++head) {
            float* low = x + row * stride + head * headDim;
            float* high = low + half;
            sweep(half, [&](auto part, std::int64_t j) {
                const Vec a = part.get(low + j), b = part.get(high + j), cs = part.get(c + j), sn = part.get(s + j) * direction;
                part.put(low + j, a * cs - b * sn);
                part.put(high + j, b * cs + a * sn);
            });
        }
    }
}

void swiglu(const float* gateUp, float* out, std::int64_t rows, std::int64_t width) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* gate = gateUp + row * 2 * width;
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec g = part.get(gate + j);
            part.put(out + row * width + j, g / (1.0f + exponential(-g)) * part.get(gate + width + j));
        });
    }
}

// silu(g) = g s(g), silu' = s + silu (1 - s).
void swigluBackward(float* gateUp, const float* dout, std::int64_t rows, std::int64_t width) {
    for (std::int64_t row = 0; row < rows; ++row) {
        float* gate = gateUp + row * 2 * width;
        float* up = gate + width;
        sweep(width, [&](auto part, std::int64_t j) {
            const Vec g = part.get(gate + j), u = part.get(up + j), d = part.get(dout + row * width + j);
            const Vec sigmoid = 1.0f / (1.0f + exponential(-g)), silu = g * sigmoid;
            part.put(up + j, d * silu);
            part.put(gate + j, d * u * (sigmoid + silu * (1.0f - sigmoid)));
        });
    }
}

// gelu_new(x) = x/2 (1 + tanh(c (x + a x^3))), c = sqrt(2/pi), a = 0.044715; with z = 2 c (x + a x^3): (1 + tanh)/2 = 1 / (1 + exp(-z)).
constexpr float kGeluTwiceC = 1.5957691216057308f, kGeluCubic = 0.044715f;

void gelu(const float* x, float* y, std::int64_t count) {
    sweep(count, [&](auto part, std::int64_t j) {
        const Vec a = part.get(x + j), z = kGeluTwiceC * (a + kGeluCubic * a * a * a);
        part.put(y + j, a / (1.0f + exponential(-z)));
    });
}

void geluBackward(const float* x, float* d, std::int64_t count) {
    sweep(count, [&](auto part, std::int64_t j) {
        const Vec a = part.get(x + j), z = kGeluTwiceC * (a + kGeluCubic * a * a * a), s = 1.0f / (1.0f + exponential(-z));
        const Vec slope = s + a * s * (1.0f - s) * (kGeluTwiceC * (1.0f + 3.0f * kGeluCubic * a * a));
        part.put(d + j, part.get(d + j) * slope);
    });
}

constexpr float kLowest = -3.4e38f;

double crossEntropy(float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab, float scale) {
    double total = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        float* p = logits + row * vocab;
        Vec top = splat(kLowest);
        sweep(vocab, [&](auto part, std::int64_t j) { top = maximum(top, part.get(p + j, kLowest)); });
        const float highest = maxLane(top), wanted = p[targets[row]];
        Vec sums{};
        sweep(vocab, [&](auto part, std::int64_t j) {
            const Vec e = exponential(part.get(p + j, kLowest) - highest);
            part.put(p + j, e);
            sums += e;
        });
        const float sum = sumLanes(sums), factor = scale / sum;
        total += __builtin_log(static_cast<double>(sum)) + (static_cast<double>(highest) - static_cast<double>(wanted));
        sweep(vocab, [&](auto part, std::int64_t j) { part.put(p + j, part.get(p + j) * factor); });
        p[targets[row]] -= scale;
    }
    return total;
}

double crossEntropyLoss(const float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab) {
    double total = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* p = logits + row * vocab;
        Vec top = splat(kLowest);
        sweep(vocab, [&](auto part, std::int64_t j) { top = maximum(top, part.get(p + j, kLowest)); });
        const float highest = maxLane(top);
        Vec sums{};
        sweep(vocab, [&](auto part, std::int64_t j) { sums += exponential(part.get(p + j, kLowest) - highest); });
        total += __builtin_log(static_cast<double>(sumLanes(sums))) + (static_cast<double>(highest) - static_cast<double>(p[targets[row]]));
    }
    return total;
}

void addRows(float* y, std::int64_t stride, const float* bias, std::int64_t rows, std::int64_t width) {
    for (std::int64_t row = 0; row < rows; ++row)
        sweep(width, [&](auto part, std::int64_t j) { part.put(y + row * stride + j, part.get(y + row * stride + j) + part.get(bias + j)); });
}

void addColumnSums(const float* x, std::int64_t stride, float* sums, std::int64_t rows, std::int64_t width) {
    for (std::int64_t row = 0; row < rows; ++row)
        sweep(width, [&](auto part, std::int64_t j) { part.put(sums + j, part.get(sums + j) + part.get(x + row * stride + j)); });
}

void add(float* y, const float* x, std::int64_t count) {
    sweep(count, [&](auto part, std::int64_t j) { part.put(y + j, part.get(y + j) + part.get(x + j)); });
}

/// fp32 within blocks of 4096, double above, so that a large arena loses nothing.
double sumOfSquares(const float* x, std::int64_t count) {
    constexpr std::int64_t block = 4096;
    double total = 0;
    for (std::int64_t begin = 0; begin < count; begin += block) {
        Vec squares{};
        sweep(count - begin < block ? count - begin : block, [&](auto part, std::int64_t j) {
            const Vec a = part.get(x + begin + j);
            squares += a * a;
        });
        total += static_cast<double>(sumLanes(squares));
    }
    return total;
}

void adamw(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamwStep& step) {
    sweep(count, [&](auto part, std::int64_t j) {
        Vec weight = part.get(w + j), first = part.get(m + j), second = part.get(v + j);
        adamwElement(weight, part.get(g + j), first, second, step, [](Vec a) { return squareRoot(a); });
        part.put(w + j, weight);
        part.put(m + j, first);
        part.put(v + j, second);
    });
}

}  // namespace
}  // namespace sunloco::model::SUNLOCO_ISA

#include "engine/model/attention_body.h"
#include "engine/model/gemm_body.h"

namespace sunloco::model::SUNLOCO_ISA {

extern const Kernels kernels;
const Kernels kernels{SUNLOCO_ISA_ENUM, rmsNorm, rmsNormBackward, layerNorm, layerNormBackward, rope, swiglu, swigluBackward, gelu, geluBackward,
                      crossEntropy, kPanel, gemmPack, gemmRows, gemmScratch, crossEntropyLoss, addRows, addColumnSums, add, sumOfSquares, adamw, attention, attentionBackward,
                      attentionScratch, attentionStep};

}  // namespace sunloco::model::SUNLOCO_ISA
