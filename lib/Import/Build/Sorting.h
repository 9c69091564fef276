// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Elements in the order of their values.
#ifndef MPC_LIB_IMPORT_BUILD_SORTING_H
#define MPC_LIB_IMPORT_BUILD_SORTING_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// Elements along an axis, and where they were, as int64.
struct Ordered {
  Operand values, places;
};

/// The first `count` along `axis` of numbers that are put in order, the
/// greatest first or the least; of equal ones the first stays in front.
Ordered firstInOrder(TensorBuilder &b, const Operand &input, int64_t axis,
                     int64_t count, bool greatestFirst);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_SORTING_H
