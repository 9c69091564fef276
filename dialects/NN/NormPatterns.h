// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recognizes nn.rms_norm in the ops that models write for it.
#ifndef MPC_DIALECTS_NN_NORMPATTERNS_H
#define MPC_DIALECTS_NN_NORMPATTERNS_H

#include "dialects/NN/NNDialect.h"
#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace mpc::nn {

/// Whether the normalized value is squared in f32. nn.rms_norm does so; any
/// other square has to stay as it is written.
using IsWideSquare = std::function<bool(MulOp square)>;

/// Adds the patterns that turn `x * rsqrt(mean(x * x) + e)` into an
/// nn.rms_norm, and likewise a quotient by the root, and a scale after either.
void populateNormPatterns(mlir::RewritePatternSet &patterns,
                          IsWideSquare isWideSquare);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_NORMPATTERNS_H
