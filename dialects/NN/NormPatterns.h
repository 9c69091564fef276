// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a model writes for nn.rms_norm, as that op.
#ifndef MPC_DIALECTS_NN_NORMPATTERNS_H
#define MPC_DIALECTS_NN_NORMPATTERNS_H

#include "dialects/NN/NNDialect.h"
#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace mpc::nn {

/// Whether the square of what is normalized would be computed in f32. The op
/// does, so that any other square has to stay as it is written.
using IsWideSquare = std::function<bool(MulOp square)>;

/// Adds the patterns that make an nn.rms_norm of `x * rsqrt(mean(x * x) + e)`,
/// of a quotient by the root, and of a scale behind either.
void populateNormPatterns(mlir::RewritePatternSet &patterns,
                          IsWideSquare isWideSquare);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_NORMPATTERNS_H
