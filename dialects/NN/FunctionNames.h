// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions of a module that passes know by their names.
#ifndef MPC_DIALECTS_NN_FUNCTIONNAMES_H
#define MPC_DIALECTS_NN_FUNCTIONNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace mpc::nn {

/// What a file is imported as, or writes: inputs to outputs.
inline constexpr llvm::StringLiteral kModelFunction = "model";
/// What nn-add-loss makes of it: inputs and a target to the loss.
inline constexpr llvm::StringLiteral kLossFunction = "loss";
/// And for an evaluation over a file: inputs, a target and how many rows count
/// to what the batches of a metric add up to.
inline constexpr llvm::StringLiteral kMeasureFunction = "measure";

/// What is said of a module that has a symbol which a pass is to make.
inline std::string takenSymbol(llvm::StringRef name) {
  return ("already has a symbol @" + name +
          ", a name that a training gives: rename that parameter or function")
      .str();
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_FUNCTIONNAMES_H
