// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rows of other systems' autocast lists: AutocastOps.csv.
#ifndef MPC_PASSES_NN_REFERENCERULES_H
#define MPC_PASSES_NN_REFERENCERULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mpc::nn {

/// One row of the table. A cell is the entry in that system's words
/// ("lower_precision_fp", "deny"), "unlisted", or empty where the system has no
/// such op.
struct ReferenceRow {
  llvm::StringRef aten; ///< The key; empty for ops that only TensorFlow has.
  llvm::StringRef torchCuda;    ///< PyTorch's lists for CUDA.
  llvm::StringRef torchCpu;     ///< PyTorch's lists for the CPU.
  llvm::StringRef tfOp;         ///< TensorFlow's name of the op.
  llvm::StringRef grapplerF16;  ///< grappler's lists for CUDA, fp16.
  llvm::StringRef grapplerBF16; ///< grappler's lists for oneDNN, bf16.
};

/// The rows, in the file's order.
llvm::ArrayRef<ReferenceRow> referenceRows();

/// The row of an op, by its name in aten. Null where there is none.
const ReferenceRow *findReferenceRow(llvm::StringRef aten);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_REFERENCERULES_H
