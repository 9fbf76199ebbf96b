// SPDX-License-Identifier: Apache-2.0
#include "engine/model/kernels.h"

#include <initializer_list>

namespace sunloco::model {

namespace generic {
extern const Kernels kernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}
#endif

const Kernels* kernelsFor(Isa isa) {
    switch (isa) {
    case Isa::Generic: return &generic::kernels;
#if defined(__x86_64__)
    case Isa::Avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2::kernels : nullptr;
    case Isa::Avx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512vl")
                   ? &avx512::kernels
                   : nullptr;
#else
    case Isa::Avx2:
    case Isa::Avx512: return nullptr;
#endif
    }
    return nullptr;
}

const Kernels& bestKernels() {
    for (const Isa isa : {Isa::Avx512, Isa::Avx2})
        if (const Kernels* found = kernelsFor(isa)) return *found;
    return generic::kernels;
}

const char* isaName(Isa isa) {
    switch (isa) {
    case Isa::Generic: return "generic";
    case Isa::Avx2: return "avx2";
    case Isa::Avx512: return "avx512";
    }
    return "generic";
}

}  // namespace sunloco::model
