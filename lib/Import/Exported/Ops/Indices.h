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

/// The tensors of x[i, j], which are of neighbouring axes, the first one's
/// axis, and the shape to which they broadcast.
struct IndexList {
  std::vector<Operand> indices;
  int64_t first = 0;
  Shape shape;
  /// The axes of the operand in the order in which `first` counts them; empty
  /// where that is their own.
  llvm::SmallVector<int64_t> order = {};
};

/// The argument `indices`. Where their axes are apart, as in x[i, :, j], these
/// become the first of `x`, as they are in the result.
llvm::Expected<IndexList> readIndices(Call &call, Operand &x);

/// The places among the axes of `x` that are indexed, taken as one axis.
llvm::Expected<Operand> placesOf(Call &call, const Operand &x,
                                 const IndexList &list);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_OPS_INDICES_H
