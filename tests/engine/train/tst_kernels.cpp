// SPDX-License-Identifier: Apache-2.0
// Each kernel of each instruction set against plain double precision, with row lengths that do not fill a register.
#include "engine/model/adamw_element.h"
#include "engine/model/compute.h"
#include "engine/model/parallel.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <random>

using namespace sunloco;
using model::Isa;

namespace {

std::vector<float> noise(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(generator() % 20001) / 5000.0f - 2.0f;
    return values;
}

double worst(const std::vector<float>& got, const std::vector<double>& wanted) {
    double result = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) result = std::max(result, std::abs(static_cast<double>(got[i]) - wanted[i]) / (1 + std::abs(wanted[i])));
    return result;
}

/// Causal attention and its gradient by definition.
struct PlainAttention {
    std::vector<double> out, dq, dk, dv;
    PlainAttention(std::int64_t T, std::int64_t H, std::int64_t G, std::int64_t h, const std::vector<float>& q, const std::vector<float>& k,
                   const std::vector<float>& v, const std::vector<float>& dout)
        : out(static_cast<std::size_t>(T * H * h)), dq(out.size()), dk(static_cast<std::size_t>(T * G * h)), dv(dk.size()) {
        const auto at = [](std::int64_t row, std::int64_t heads, std::int64_t head, std::int64_t size, std::int64_t j) {
            return static_cast<std::size_t>((row * heads + head) * size + j);
        };
        for (std::int64_t head = 0; head < H; ++head)
            for (std::int64_t t = 0; t < T; ++t) {
                const std::int64_t g = head / (H / G);
                std::vector<double> p(static_cast<std::size_t>(t + 1)), dp(p.size());
                double sum = 0, dot = 0;
                for (std::int64_t u = 0; u <= t; ++u) {
                    double s = 0;
                    for (std::int64_t j = 0; j < h; ++j) s += static_cast<double>(q[at(t, H, head, h, j)]) * static_cast<double>(k[at(u, G, g, h, j)]);
                    sum += p[static_cast<std::size_t>(u)] = std::exp(s / std::sqrt(static_cast<double>(h)));
                }
                for (std::int64_t u = 0; u <= t; ++u) {
                    double& pu = p[static_cast<std::size_t>(u)];
                    pu /= sum;
                    for (std::int64_t j = 0; j < h; ++j) {
                        out[at(t, H, head, h, j)] += pu * static_cast<double>(v[at(u, G, g, h, j)]);
                        const double d = static_cast<double>(dout[at(t, H, head, h, j)]);
                        dv[at(u, G, g, h, j)] += pu * d;
                        dp[static_cast<std::size_t>(u)] += d * static_cast<double>(v[at(u, G, g, h, j)]);
                    }
                    dot += pu * dp[static_cast<std::size_t>(u)];
                }
                for (std::int64_t u = 0; u <= t; ++u) {
                    const double ds = p[static_cast<std::size_t>(u)] * (dp[static_cast<std::size_t>(u)] - dot) / std::sqrt(static_cast<double>(h));
                    for (std::int64_t j = 0; j < h; ++j) {
                        dq[at(t, H, head, h, j)] += ds * static_cast<double>(k[at(u, G, g, h, j)]);
                        dk[at(u, G, g, h, j)] += ds * static_cast<double>(q[at(t, H, head, h, j)]);
                    }
                }
            }
    }
};

}  // namespace

class TestKernels : public QObject {
    Q_OBJECT
private:
    static void forEachSet() {
        QTest::addColumn<int>("isa");
        for (const Isa isa : {Isa::Generic, Isa::Avx2, Isa::Avx512})
            if (model::kernelsFor(isa) != nullptr) QTest::newRow(model::isaName(isa)) << static_cast<int>(isa);
    }
private Q_SLOTS:
    /// Products of every shape class, layout and instruction set against double precision; neighbours of the result stay untouched, and the bits do not
    /// depend on the number of threads.
    void products_data() { forEachSet(); }
    void products() {
        QFETCH(int, isa);
        struct Case { std::int64_t rows, columns, depth; };
        for (const Case& c : {Case{1, 40, 40}, Case{4, 1, 1}, Case{5, 7, 3}, Case{6, 16, 8}, Case{12, 32, 384}, Case{47, 33, 385}, Case{48, 64, 100}, Case{49, 31, 769},
                              Case{97, 17, 64}, Case{130, 100, 12}, Case{64, 1030, 20}, Case{33, 2049, 5}, Case{700, 48, 40}})
            for (const bool turnedA : {false, true})
                for (const bool turnedB : {false, true})
                    for (const bool add : {false, true}) {
                        const std::int64_t aStride = (turnedA ? c.rows : c.depth) + 3, bStride = (turnedB ? c.depth : c.columns) + 5, stride = c.columns + 2;
                        const auto a = noise(static_cast<std::size_t>((turnedA ? c.depth : c.rows) * aStride), 1);
                        const auto b = noise(static_cast<std::size_t>((turnedB ? c.columns : c.depth) * bStride), 2);
                        const auto before = noise(static_cast<std::size_t>(c.rows * stride), 3);
                        std::vector<double> wanted(before.begin(), before.end());
                        for (std::int64_t i = 0; i < c.rows; ++i)
                            for (std::int64_t j = 0; j < c.columns; ++j) {
                                double sum = add ? wanted[static_cast<std::size_t>(i * stride + j)] : 0;
                                for (std::int64_t k = 0; k < c.depth; ++k)
                                    sum += static_cast<double>(a[static_cast<std::size_t>(turnedA ? k * aStride + i : i * aStride + k)]) *
                                           static_cast<double>(b[static_cast<std::size_t>(turnedB ? j * bStride + k : k * bStride + j)]);
                                wanted[static_cast<std::size_t>(i * stride + j)] = sum;
                            }
                        std::vector<float> first;
                        for (const int threads : {1, 2, 3}) {
                            model::setThreadCount(threads);
                            model::OpenGate gate;
                            model::Compute compute(*model::kernelsFor(static_cast<Isa>(isa)), gate);
                            compute.setProducts(model::Compute::Products::Own);
                            std::vector<float> got = before;
                            compute.multiply(model::Work::Gemm, c.rows, c.columns, c.depth, {a.data(), aStride, turnedA ? model::Layout::Transposed : model::Layout::Plain},
                                             {b.data(), bStride, turnedB ? model::Layout::Transposed : model::Layout::Plain},
                                             add ? model::Accumulate::Yes : model::Accumulate::No, got.data(), stride);
                            const QString what = QStringLiteral("%1 x %2 x %3, %4%5%6, %7 threads").arg(c.rows).arg(c.columns).arg(c.depth).arg(turnedA).arg(turnedB).arg(add).arg(threads);
                            QVERIFY2(worst(got, wanted) < 3e-6 * (1 + std::sqrt(static_cast<double>(c.depth))), qPrintable(what));
                            for (std::int64_t i = 0; i < c.rows; ++i)
                                QVERIFY2(std::equal(got.begin() + i * stride + c.columns, got.begin() + (i + 1) * stride, before.begin() + i * stride + c.columns), qPrintable(what));
                            if (c.rows < 4) continue;   // by the library
                            if (first.empty()) first = got;
                            QVERIFY2(std::memcmp(first.data(), got.data(), got.size() * sizeof(float)) == 0, qPrintable(what));
                        }
                        model::setThreadCount(1);
                    }
    }

    void attention_data() { forEachSet(); }
    void attention() {
        QFETCH(int, isa);
        const model::Kernels& kernels = *model::kernelsFor(static_cast<Isa>(isa));
        struct Case { std::int64_t T, H, G, h; };
        for (const Case& c : {Case{1, 1, 1, 8}, Case{7, 2, 1, 12}, Case{48, 3, 3, 16}, Case{49, 4, 2, 40}, Case{65, 2, 2, 5}, Case{130, 6, 1, 64}}) {
            const auto n = [](std::int64_t x) { return static_cast<std::size_t>(x); };
            const auto q = noise(n(c.T * c.H * c.h), 1), k = noise(n(c.T * c.G * c.h), 2), v = noise(n(c.T * c.G * c.h), 3), dout = noise(n(c.T * c.H * c.h), 4);
            const PlainAttention plain(c.T, c.H, c.G, c.h, q, k, v, dout);
            // One buffer per token row, as the model has it: q, k, v side by side.
            const std::int64_t stride = (c.H + 2 * c.G) * c.h;
            std::vector<float> qkv(n(c.T * stride)), dqkv(n(c.T * stride));
            for (std::int64_t t = 0; t < c.T; ++t) {
                std::memcpy(&qkv[n(t * stride)], &q[n(t * c.H * c.h)], n(c.H * c.h) * 4);
                std::memcpy(&qkv[n(t * stride + c.H * c.h)], &k[n(t * c.G * c.h)], n(c.G * c.h) * 4);
                std::memcpy(&qkv[n(t * stride + (c.H + c.G) * c.h)], &v[n(t * c.G * c.h)], n(c.G * c.h) * 4);
            }
            const model::AttentionShape shape{c.T, c.H, c.G, c.h, stride, c.H * c.h};
            std::vector<float> out(n(c.T * c.H * c.h)), logSum(n(c.T * c.H)), scratch(n(kernels.attentionScratch(shape)));
            const float *qp = qkv.data(), *kp = qp + c.H * c.h, *vp = kp + c.G * c.h;
            float *dqp = dqkv.data(), *dkp = dqp + c.H * c.h, *dvp = dkp + c.G * c.h;
            for (std::int64_t g = 0; g < c.G; ++g) kernels.attention(shape, g, qp, kp, vp, out.data(), logSum.data(), scratch.data());
            for (std::int64_t g = 0; g < c.G; ++g)
                kernels.attentionBackward(shape, g, qp, kp, vp, out.data(), logSum.data(), dout.data(), dqp, dkp, dvp, scratch.data());
            QVERIFY2(worst(out, plain.out) < 2e-6, qPrintable(QString::number(worst(out, plain.out))));
            std::vector<float> dq, dk, dv;
            for (std::int64_t t = 0; t < c.T; ++t) {
                const float* row = dqkv.data() + t * stride;
                dq.insert(dq.end(), row, row + c.H * c.h);
                dk.insert(dk.end(), row + c.H * c.h, row + (c.H + c.G) * c.h);
                dv.insert(dv.end(), row + (c.H + c.G) * c.h, row + stride);
            }
            QVERIFY2(worst(dq, plain.dq) < 1e-5, qPrintable(QString::number(worst(dq, plain.dq))));
            QVERIFY2(worst(dk, plain.dk) < 1e-5, qPrintable(QString::number(worst(dk, plain.dk))));
            QVERIFY2(worst(dv, plain.dv) < 1e-5, qPrintable(QString::number(worst(dv, plain.dv))));
            // The last row of the sequence through the decoder's kernel.
            std::vector<float> one(n(c.h)), scores(n(c.T));
            kernels.attentionStep(qp + (c.T - 1) * stride, kp, vp, stride, c.T, c.h, one.data(), scores.data());
            for (std::int64_t j = 0; j < c.h; ++j)
                QVERIFY(std::abs(static_cast<double>(one[n(j)]) - plain.out[n((c.T - 1) * c.H * c.h + j)]) < 1e-5);
        }
    }

    void activations_data() { forEachSet(); }
    void activations() {
        QFETCH(int, isa);
        const model::Kernels& kernels = *model::kernelsFor(static_cast<Isa>(isa));
        const std::int64_t rows = 3, width = 37;
        std::vector<float> x = noise(static_cast<std::size_t>(rows * 2 * width), 5), d = noise(static_cast<std::size_t>(rows * width), 6);
        for (std::size_t i = 0; i < x.size(); i += 5) x[i] *= 20;  // far out, where exp() saturates
        std::vector<float> y(d.size()), gradient = x;
        kernels.swiglu(x.data(), y.data(), rows, width);
        kernels.swigluBackward(gradient.data(), d.data(), rows, width);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t j = 0; j < width; ++j) {
                const auto g = static_cast<double>(x[static_cast<std::size_t>(r * 2 * width + j)]), u = static_cast<double>(x[static_cast<std::size_t>((r * 2 + 1) * width + j)]);
                const auto at = static_cast<std::size_t>(r * width + j);
                const double s = 1 / (1 + std::exp(-g)), dd = static_cast<double>(d[at]);
                const auto near = [](float got, double wanted) { return std::abs(static_cast<double>(got) - wanted) <= 2e-6 * (1 + std::abs(wanted)); };
                QVERIFY(near(y[at], g * s * u));
                QVERIFY(near(gradient[static_cast<std::size_t>((r * 2 + 1) * width + j)], dd * g * s));
                QVERIFY(near(gradient[static_cast<std::size_t>(r * 2 * width + j)], dd * u * (s + g * s * (1 - s))));
            }
        std::vector<float> gelu(d.size()), slope(d.size(), 1.0f);
        const auto count = static_cast<std::int64_t>(d.size());
        kernels.gelu(x.data(), gelu.data(), count);
        kernels.geluBackward(x.data(), slope.data(), count);
        const auto plain = [](double a) { return 0.5 * a * (1 + std::tanh(std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a))); };
        for (std::size_t i = 0; i < gelu.size(); ++i) {
            const auto a = static_cast<double>(x[i]);
            QVERIFY(std::abs(static_cast<double>(gelu[i]) - plain(a)) <= 2e-6 * (1 + std::abs(a)));
            QVERIFY(std::abs(static_cast<double>(slope[i]) - (plain(a + 1e-5) - plain(a - 1e-5)) / 2e-5) <= 1e-5);
        }
    }

    void crossEntropy_data() { forEachSet(); }
    void crossEntropy() {
        QFETCH(int, isa);
        const model::Kernels& kernels = *model::kernelsFor(static_cast<Isa>(isa));
        const std::int64_t rows = 4, vocab = 51;
        std::vector<float> logits = noise(static_cast<std::size_t>(rows * vocab), 7);
        for (float& x : logits) x *= 10;
        const std::vector<std::int32_t> targets{0, 50, 17, 3};
        const float alone = static_cast<float>(kernels.crossEntropyLoss(logits.data(), targets.data(), rows, vocab));
        std::vector<float> gradient = logits;
        const double loss = kernels.crossEntropy(gradient.data(), targets.data(), rows, vocab, 0.25f);
        double wanted = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
            double sum = 0;
            for (std::int64_t j = 0; j < vocab; ++j) sum += std::exp(static_cast<double>(logits[static_cast<std::size_t>(r * vocab + j)]));
            wanted += std::log(sum) - static_cast<double>(logits[static_cast<std::size_t>(r * vocab + targets[static_cast<std::size_t>(r)])]);
            for (std::int64_t j = 0; j < vocab; ++j) {
                const auto at = static_cast<std::size_t>(r * vocab + j);
                const double p = std::exp(static_cast<double>(logits[at])) / sum - (j == targets[static_cast<std::size_t>(r)] ? 1 : 0);
                QVERIFY(std::abs(static_cast<double>(gradient[at]) - 0.25 * p) < 1e-6);
            }
        }
        QVERIFY(std::abs(loss - wanted) < 1e-5 * wanted);
        QVERIFY(std::abs(static_cast<double>(alone) - wanted) < 1e-5 * wanted);
    }

    void adamw_data() { forEachSet(); }
    /// torch.optim.AdamW by definition, element by element in double precision.
    void adamw() {
        QFETCH(int, isa);
        const model::Kernels& kernels = *model::kernelsFor(static_cast<Isa>(isa));
        const std::size_t n = 1003;
        std::vector<float> w = noise(n, 8), g = noise(n, 9), m = noise(n, 10), v = noise(n, 11);
        for (float& x : v) x = std::abs(x);
        model::AdamwStep step;
        step.gradScale = 0.5f;
        step.decay = 0.99f;
        step.stepSize = 0.01f;
        step.invSqrtCorrection2 = 1.3f;
        const std::vector<float> w0 = w, m0 = m, v0 = v;
        kernels.adamw(w.data(), g.data(), m.data(), v.data(), static_cast<std::int64_t>(n), step);
        for (std::size_t i = 0; i < n; ++i) {
            const double gi = 0.5 * static_cast<double>(g[i]), mi = 0.9 * static_cast<double>(m0[i]) + 0.1 * gi, vi = 0.95 * static_cast<double>(v0[i]) + 0.05 * gi * gi;
            const double wi = static_cast<double>(w0[i]) * 0.99 - 0.01 * mi / (std::sqrt(vi) * 1.3 + 1e-8);
            QVERIFY(std::abs(static_cast<double>(w[i]) - wi) < 1e-5);
            QVERIFY(std::abs(static_cast<double>(m[i]) - mi) < 1e-6);
            QVERIFY(std::abs(static_cast<double>(v[i]) - vi) < 1e-6);
            // One element at a time, as the CUDA kernel calls the same function.
            float w1 = w0[i], m1 = m0[i], v1 = v0[i];
            model::adamwElement(w1, g[i], m1, v1, step, [](float x) { return std::sqrt(x); });
            QVERIFY(std::abs(static_cast<double>(w1) - wi) < 1e-5 && std::abs(static_cast<double>(m1) - mi) < 1e-6 && std::abs(static_cast<double>(v1) - vi) < 1e-6);
        }
        QVERIFY(std::abs(kernels.sumOfSquares(g.data(), static_cast<std::int64_t>(n)) -
                         [&] { double s = 0; for (const float x : g) s += static_cast<double>(x) * static_cast<double>(x); return s; }()) < 1e-2);
    }

    /// Products that are cut into segments along any side equal plain ones.
    void segmentedProduct() {
        model::setThreadCount(1);  // a segment is larger with more threads
        model::OpenGate gate;
        model::Compute compute(model::bestKernels(), gate);
        struct Case { std::int64_t rows, columns, depth; };
        for (const Case& c : {Case{900, 700, 1100}, Case{20, 30, 1'000'000}, Case{3, 5, 7}}) {
            const auto a = noise(static_cast<std::size_t>(c.rows * c.depth), 12), b = noise(static_cast<std::size_t>(c.depth * c.columns), 13);
            std::vector<float> cut(static_cast<std::size_t>(c.rows * c.columns), 1.0f), whole(cut.size());
            compute.multiply(model::Work::Gemm, c.rows, c.columns, c.depth, {a.data(), c.depth, model::Layout::Plain}, {b.data(), c.columns, model::Layout::Plain},
                             model::Accumulate::Yes, cut.data(), c.columns);
            model::multiply(c.rows, c.columns, c.depth, {a.data(), c.depth, model::Layout::Plain}, {b.data(), c.columns, model::Layout::Plain},
                            model::Accumulate::No, whole.data(), c.columns);
            for (std::size_t i = 0; i < cut.size(); ++i)
                QVERIFY(std::abs(cut[i] - 1.0f - whole[i]) <= 2e-5f * static_cast<float>(c.depth));
        }
        QVERIFY(compute.segments() > 3);
    }
};

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
