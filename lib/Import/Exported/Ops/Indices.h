// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What indices name, for ops that read and ops that write there.
#ifndef MPC_LIB_IMPORT_EXPORTED_OPS_INDICES_H
#define MPC_LIB_IMPORT_EXPORTED_OPS_INDICES_H

#include "lib/Import/Exported/Call.h"

namespace mpc::exported {

/// Indices of an axis of `size`, counted from its front. What is known is
/// checked; what comes at run time the runtime checks.
llvm::Expected<Operand> indicesOf(Call &call, const Operand &indices,
                                  int64_t size);

/// The tensors of x[i, j], which follow each other, the first one's axis, and
/// the shape to which they broadcast.
struct IndexList {
  std::vector<Operand> indices;
  int64_t first = 0;
  Shape shape;
};

/// The argument `indices`.
llvm::Expected<IndexList> readIndices(Call &call, const Operand &x);

/// The places among the axes of `x` that are indexed, taken as one axis.
llvm::Expected<Operand> placesOf(Call &call, const Operand &x,
                                 const IndexList &list);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_OPS_INDICES_H
