// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What sums of products count of themselves.
#ifndef MPC_DIALECTS_NN_OPS_CONTRACTION_H
#define MPC_DIALECTS_NN_OPS_CONTRACTION_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mpc::nn {

/// The product of `shape` and `product`, INT64_MAX where it is larger.
int64_t saturatedProduct(llvm::ArrayRef<int64_t> shape, int64_t product = 1);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_OPS_CONTRACTION_H
