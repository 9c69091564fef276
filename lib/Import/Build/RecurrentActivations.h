// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions that recurrent layers apply to their gates and states.
#ifndef MPC_LIB_IMPORT_BUILD_RECURRENTACTIVATIONS_H
#define MPC_LIB_IMPORT_BUILD_RECURRENTACTIVATIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// A setting that a function may have.
struct RecurrentSetting {
  bool exists = false;
  /// Where none is given.
  std::optional<double> otherwise = {};
};

struct RecurrentFunction {
  llvm::StringLiteral name;
  Operand (*apply)(TensorBuilder &b, const Operand &x, double alpha,
                   double beta);
  RecurrentSetting alpha = {}, beta = {};
};

/// All of them.
llvm::ArrayRef<RecurrentFunction> recurrentFunctions();

/// A function with its settings, and what its argument is clipped to.
struct RecurrentActivation {
  const RecurrentFunction *function;
  double alpha = 0.0, beta = 0.0;
  /// Arguments are within [-clip, clip].
  std::optional<double> clip;

  Operand apply(TensorBuilder &b, Operand x) const;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RECURRENTACTIVATIONS_H
