// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reason of an op's precision, kept in its location. No computation
/// depends on it, and it lasts as long as the op.
#ifndef MPC_PASSES_NN_PRECISIONRECORD_H
#define MPC_PASSES_NN_PRECISIONRECORD_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace mpc::nn {

struct PrecisionRecord {
  llvm::StringRef rule;   ///< "lower", "keep-f32", ... or "as-written".
  llvm::StringRef source; ///< "policy mpc", "--keep-fp32", "FILE:LINE", ...
  llvm::StringRef type;   ///< The type by autocast: "f16".
  llvm::StringRef why;    ///< The reason, for people.
};

void setPrecisionRecord(mlir::Operation *op, const PrecisionRecord &record);
std::optional<PrecisionRecord> getPrecisionRecord(mlir::Operation *op);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_PRECISIONRECORD_H
