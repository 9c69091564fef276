// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The activation functions of gates and states in recurrent layers.
#ifndef MPC_LIB_IMPORT_BUILD_RECURRENTACTIVATIONS_H
#define MPC_LIB_IMPORT_BUILD_RECURRENTACTIVATIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// A setting that a function may have.
struct RecurrentSetting {
  bool exists = false;
  /// The default; empty for none.
  std::optional<double> otherwise = {};
};

struct RecurrentFunction {
  llvm::StringLiteral name;
  Operand (*apply)(TensorBuilder &b, const Operand &x, double alpha,
                   double beta);
  RecurrentSetting alpha = {}, beta = {};
};

/// All functions.
llvm::ArrayRef<RecurrentFunction> recurrentFunctions();

/// A function with its settings, and the bound of its argument.
struct RecurrentActivation {
  const RecurrentFunction *function;
  double alpha = 0.0, beta = 0.0;
  /// The bound that keeps arguments within [-clip, clip]; empty for none.
  std::optional<double> clip;

  Operand apply(TensorBuilder &b, Operand x) const;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RECURRENTACTIVATIONS_H
