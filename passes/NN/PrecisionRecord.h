// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Why an op has its precision, kept in its location: nothing that computes
/// depends on it, and it lasts while the op does.
#ifndef MPC_PASSES_NN_PRECISIONRECORD_H
#define MPC_PASSES_NN_PRECISIONRECORD_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace mpc::nn {

struct PrecisionRecord {
  llvm::StringRef rule;   ///< "lower", "keep-f32", ... or "as-written".
  llvm::StringRef source; ///< "policy mpc", "--keep-fp32", "FILE:LINE", ...
  llvm::StringRef type;   ///< What autocast chose: "f16".
  llvm::StringRef why;    ///< For people.
};

void setPrecisionRecord(mlir::Operation *op, const PrecisionRecord &record);
std::optional<PrecisionRecord> getPrecisionRecord(mlir::Operation *op);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_PRECISIONRECORD_H
