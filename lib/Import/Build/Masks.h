// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writing to where a mask is true.
#ifndef MPC_LIB_IMPORT_BUILD_MASKS_H
#define MPC_LIB_IMPORT_BUILD_MASKS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// What `data`'s elements become where `mask`, which broadcasts to them, is
/// true: those of `source` in order, or with `repeats`, where it fits, one row
/// of it for all. Beside the mask the elements mean nothing.
Operand writtenToMask(TensorBuilder &b, const Operand &data,
                      const Operand &mask, const Operand &source, bool repeats);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_MASKS_H
