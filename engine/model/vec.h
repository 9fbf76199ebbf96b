// SPDX-License-Identifier: Apache-2.0
#pragma once
/// One vector register of floats, spelled with the compiler's vector extension so that the same kernel text serves every instruction set.
/// Included once per kernels_<set>.cpp, which defines SUNLOCO_ISA (a namespace) and SUNLOCO_LANES (floats per register). Nothing here may be
/// an inline function outside that namespace: the linker would then be free to keep the copy that an older processor cannot run.
#include <cstdint>

namespace sunloco::model::SUNLOCO_ISA {
namespace {

constexpr std::int64_t kLanes = SUNLOCO_LANES;
typedef float Vec __attribute__((vector_size(4 * SUNLOCO_LANES)));
typedef std::int32_t IntVec __attribute__((vector_size(4 * SUNLOCO_LANES)));
typedef float LooseVec __attribute__((vector_size(4 * SUNLOCO_LANES), aligned(4), may_alias));

inline Vec load(const float* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
inline Vec splat(float x) { return x - Vec{}; }  // not 0 + x: that would lose the sign of -0
inline Vec maximum(Vec a, Vec b) { return a > b ? a : b; }
inline Vec minimum(Vec a, Vec b) { return a < b ? a : b; }

inline Vec squareRoot(Vec v) {
    for (int i = 0; i < SUNLOCO_LANES; ++i) v[i] = __builtin_sqrtf(v[i]);
    return v;
}
inline float squareRoot(float v) { return __builtin_sqrtf(v); }

/// Sum of the lanes in a fixed order.
inline float sumLanes(Vec v) {
    float part[SUNLOCO_LANES];
    __builtin_memcpy(part, &v, sizeof part);
    for (int width = SUNLOCO_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i) part[i] += part[i + width];
    return part[0];
}
inline float maxLane(Vec v) {
    float best = v[0];
    for (int i = 1; i < SUNLOCO_LANES; ++i) best = v[i] > best ? v[i] : best;
    return best;
}

/// exp(x) to about 1 ulp: x = n ln2 + r with |r| <= ln2 / 2, then the Taylor polynomial of degree 7 (remainder below 6e-9) times 2^n.
/// Arguments below -87.3 give about 1e-38 rather than a denormal.
inline Vec exponential(Vec x) {
    x = minimum(maximum(x, splat(-87.3f)), splat(88.3f));
    const Vec magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer that sits in the low bits
    const Vec shifted = x * splat(1.44269504088896341f) + magic;
    const Vec n = shifted - magic;
    Vec r = x - n * splat(0.693145751953125f);  // ln2 in two parts; the first has few bits, so n times it is exact
    r = r - n * splat(1.42860682030941723e-6f);
    Vec p = splat(1.0f / 5040);
    p = p * r + splat(1.0f / 720);
    p = p * r + splat(1.0f / 120);
    p = p * r + splat(1.0f / 24);
    p = p * r + splat(1.0f / 6);
    p = p * r + splat(0.5f);
    p = p * r + splat(1.0f);
    p = p * r + splat(1.0f);
    const IntVec exponent = (reinterpret_cast<IntVec>(shifted) - reinterpret_cast<IntVec>(magic) + 127) << 23;
    return p * reinterpret_cast<Vec>(exponent);
}

/// Access to a whole register or to the last, shorter piece of a row; `fill` stands in the missing lanes.
struct Whole {
    static Vec get(const float* p, float = 0) { return load(p); }
    static void put(float* p, Vec v) { store(p, v); }
};
struct Piece {
    std::int64_t count;
    Vec get(const float* p, float fill = 0) const {
        Vec v = splat(fill);
        for (std::int64_t i = 0; i < count; ++i) v[i] = p[i];
        return v;
    }
    void put(float* p, Vec v) const {
        for (std::int64_t i = 0; i < count; ++i) p[i] = v[i];
    }
};

/// Calls body(access, j) for j = 0, lanes, 2 lanes, ... up to n.
template <typename Body>
inline void sweep(std::int64_t n, Body body) {
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes) body(Whole{}, j);
    if (j < n) body(Piece{n - j}, j);
}

}  // namespace
}  // namespace sunloco::model::SUNLOCO_ISA
