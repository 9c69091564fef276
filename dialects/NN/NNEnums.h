// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The enums of nn, for headers that need none of its ops. The ops change
/// often.
#ifndef MPC_DIALECTS_NN_NNENUMS_H
#define MPC_DIALECTS_NN_NNENUMS_H

#include "mlir/IR/BuiltinAttributes.h"

#include "dialects/NN/NNEnums.h.inc"

#endif // MPC_DIALECTS_NN_NNENUMS_H
