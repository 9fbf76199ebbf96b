// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The arithmetic of one AdamW element, written once: the CPU kernels call it with a register of floats, the CUDA kernel with one float.
#ifdef __CUDACC__
#define SUNLOCO_HOST_DEVICE __host__ __device__
#else
#define SUNLOCO_HOST_DEVICE
#endif

namespace sunloco::model {

/// Loshchilov & Hutter, arXiv 1711.05101, as torch.optim.AdamW computes it:
///   w *= 1 - lr * decay;  m += (1 - b1)(g - m);  v = b2 v + (1 - b2) g^2;  w -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps)
/// `Step` has AdamwStep's members (as floats, or spread to registers); `root` is the square root for this kind of value.
template <typename Value, typename Step, typename Root>
SUNLOCO_HOST_DEVICE inline void adamwElement(Value& w, Value g, Value& m, Value& v, const Step& s, Root root) {
    g = g * s.gradScale;
    m = m + s.oneMinusBeta1 * (g - m);
    v = v * s.beta2 + s.oneMinusBeta2 * (g * g);
    const Value denominator = root(v) * s.invSqrtCorrection2 + s.epsilon;
    w = w * s.decay - s.stepSize * (m / denominator);
}

}  // namespace sunloco::model
