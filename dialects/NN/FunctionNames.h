// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The names of the functions of a module that passes know.
#ifndef MPC_DIALECTS_NN_FUNCTIONNAMES_H
#define MPC_DIALECTS_NN_FUNCTIONNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace mpc::nn {

/// The function that a file writes or is imported as, from inputs to outputs.
inline constexpr llvm::StringLiteral kModelFunction = "model";
/// The function that nn-add-loss makes of the model, from inputs and a target
/// to the loss.
inline constexpr llvm::StringLiteral kLossFunction = "loss";
/// The function that nn-add-loss makes for an evaluation over a file. It takes
/// inputs, a target and the number of rows that count, and yields numbers that
/// are summed over batches for a metric.
inline constexpr llvm::StringLiteral kMeasureFunction = "measure";

/// The error for a module that already has a symbol which a pass is to make.
inline std::string takenSymbol(llvm::StringRef name) {
  return ("already has a symbol @" + name +
          ", a name that a training gives: rename that parameter or function")
      .str();
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_FUNCTIONNAMES_H
