// SPDX-License-Identifier: Apache-2.0
// The kernels for one instruction set; engine/train/CMakeLists.txt gives this file its compiler switches.
#define SUNLOCO_ISA avx512
#define SUNLOCO_ISA_ENUM Isa::Avx512
#define SUNLOCO_LANES 16
#define SUNLOCO_ROWS 12
#include "engine/model/kernels_body.h"
