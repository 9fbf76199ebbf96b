// SPDX-License-Identifier: Apache-2.0
// The kernels for one instruction set; engine/train/CMakeLists.txt gives this file its compiler switches.
#define SUNLOCO_ISA generic
#define SUNLOCO_ISA_ENUM Isa::Generic
#define SUNLOCO_LANES 4
#define SUNLOCO_ROWS 4
#include "engine/model/kernels_body.h"
