// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes to the places where a mask is true.
#ifndef MPC_LIB_IMPORT_BUILD_MASKS_H
#define MPC_LIB_IMPORT_BUILD_MASKS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The new elements of `data` where `mask`, which broadcasts to it, is true:
/// elements of `source` in order, or, with `repeats` where it fits, one row of
/// it for all rows. Elements elsewhere have no meaning.
Operand writtenToMask(TensorBuilder &b, const Operand &data,
                      const Operand &mask, const Operand &source, bool repeats);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_MASKS_H
