// SPDX-License-Identifier: Apache-2.0
// Where this engine runs the operations of PyTorch eager with the same library, it gets the same bits: every product of a linear layer, forward and backward
// (with the library's products), the embedding and its gradient, and the residual sum. What is not the same, and why: engine/model/README.md.
#include "engine/core/initial_weights.h"
#include "engine/model/compute.h"
#include "engine/model/parallel.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

// After the library's headers: Qt's macros are off (QT_NO_KEYWORDS), but its own names come last to be safe.
#include <QTest>

#include <cmath>
#include <cstring>

using namespace sunloco;
using model::Accumulate;
using model::Layout;

namespace {

std::vector<float> numbers(std::int64_t count, std::uint64_t seed) {
    std::vector<float> out(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto words = core::philox(i, 5, seed);
        out[i] = static_cast<float>(static_cast<double>(words[0]) * 0x1p-31 - 1.0) * (words[1] % 16 == 0 ? 8.0f : 1.0f);
    }
    return out;
}

at::Tensor tensor(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
    return at::from_blob(const_cast<float*>(values.data()), {rows, columns}, at::kFloat).clone();
}

bool sameBits(const std::vector<float>& mine, const at::Tensor& theirs) {
    const at::Tensor dense = theirs.contiguous();
    return static_cast<std::int64_t>(mine.size()) == dense.numel() && std::memcmp(mine.data(), dense.const_data_ptr<float>(), mine.size() * sizeof(float)) == 0;
}

}  // namespace

class TestEagerBits : public QObject {
    Q_OBJECT
private:
    model::OpenGate m_gate;
    model::Compute m_compute{model::bestKernels(), m_gate};

private Q_SLOTS:
    void initTestCase() {
        model::setThreadCount(1);
        m_compute.setProducts(model::Compute::Products::Library);
    }

    void linear_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("in");
        QTest::addColumn<int>("out");
        QTest::addColumn<bool>("inputMajor");
        const int shapes[][3] = {{1, 5, 7}, {64, 64, 172}, {192, 64, 257}, {37, 33, 96}, {384, 96, 320}, {130, 172, 64}, {256, 128, 512}};
        for (const auto& s : shapes)
            for (const bool inputMajor : {false, true})
                QTest::addRow("%d x %d x %d%s", s[0], s[1], s[2], inputMajor ? ", GPT-2's layout" : "") << s[0] << s[1] << s[2] << inputMajor;
    }
    /// y = x W^T (Llama) or x W (GPT-2's Conv1D), and what autograd makes of it.
    void linear() {
        QFETCH(int, rows);
        QFETCH(int, in);
        QFETCH(int, out);
        QFETCH(bool, inputMajor);
        const auto x = numbers(rows * in, 1), w = numbers(out * in, 2), dy = numbers(rows * out, 3);
        at::Tensor X = tensor(x, rows, in).requires_grad_(true), W = (inputMajor ? tensor(w, in, out) : tensor(w, out, in)).requires_grad_(true);
        const at::Tensor Y = inputMajor ? at::mm(X, W) : at::linear(X, W);
        const auto gradients = torch::autograd::grad({Y}, {X, W}, {tensor(dy, rows, out)});

        std::vector<float> y(dy.size()), dx(x.size()), dw(w.size());
        const std::int64_t wStride = inputMajor ? out : in;
        m_compute.multiply(model::Work::Gemm, rows, out, in, {x.data(), in, Layout::Plain}, {w.data(), wStride, inputMajor ? Layout::Plain : Layout::Transposed},
                           Accumulate::No, y.data(), out);
        m_compute.multiply(model::Work::Gemm, rows, in, out, {dy.data(), out, Layout::Plain}, {w.data(), wStride, inputMajor ? Layout::Transposed : Layout::Plain},
                           Accumulate::No, dx.data(), in);
        const model::Operand turnedX{x.data(), in, Layout::Transposed}, turnedDy{dy.data(), out, Layout::Transposed};
        if (inputMajor) m_compute.multiply(model::Work::Gemm, in, out, rows, turnedX, {dy.data(), out, Layout::Plain}, Accumulate::No, dw.data(), out);
        else m_compute.multiply(model::Work::Gemm, out, in, rows, turnedDy, {x.data(), in, Layout::Plain}, Accumulate::No, dw.data(), in);
        QVERIFY2(sameBits(y, Y), "the output");
        QVERIFY2(sameBits(dx, gradients[0]), "the gradient of the input");
        QVERIFY2(sameBits(dw, gradients[1]), "the gradient of the weight");
    }

    void embedding() {
        constexpr std::int64_t V = 61, d = 40, N = 96;
        const auto table = numbers(V * d, 4), dx = numbers(N * d, 5);
        std::vector<std::int32_t> ids;
        for (std::int64_t i = 0; i < N; ++i) ids.push_back(static_cast<std::int32_t>(i * i * 7 % V));
        at::Tensor indices = at::empty({N}, at::kLong);
        for (std::int64_t i = 0; i < N; ++i) indices.data_ptr<std::int64_t>()[i] = ids[static_cast<std::size_t>(i)];
        at::Tensor T = tensor(table, V, d).requires_grad_(true);
        const at::Tensor E = at::embedding(T, indices);
        const auto gradients = torch::autograd::grad({E}, {T}, {tensor(dx, N, d)});
        std::vector<float> x(dx.size()), grad(table.size());
        m_compute.embed(table.data(), ids.data(), nullptr, N, x.data(), N, d);
        m_compute.embedBackward(dx.data(), ids.data(), grad.data(), nullptr, N, N, d);
        QVERIFY(sameBits(x, E));
        QVERIFY(sameBits(grad, gradients[0]));
    }

    void residualSum() {
        constexpr std::int64_t N = 30, d = 41;
        const auto x = numbers(N * d, 6), delta = numbers(N * d, 7), weight = numbers(d, 8);
        std::vector<float> sum(x.size()), y(x.size()), rstd(N);
        m_compute.rmsNorm(x.data(), delta.data(), sum.data(), weight.data(), y.data(), rstd.data(), N, d, 1e-6f);
        QVERIFY(sameBits(sum, tensor(x, N, d) + tensor(delta, N, d)));
        // The norm itself is summed over registers: close, and not asked to be equal.
        const at::Tensor h = tensor(x, N, d) + tensor(delta, N, d);
        const at::Tensor theirs = h * at::rsqrt(h.pow(2).mean(-1, true) + 1e-6) * tensor(weight, 1, d);
        QVERIFY((tensor(y, N, d) - theirs).abs().max().item<float>() < 1e-5f);
    }
};

QTEST_GUILESS_MAIN(TestEagerBits)
#include "tst_eager_bits.moc"
