// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a model does to scores before their softmax, as one mask of
/// nn.attention.
#ifndef MPC_PASSES_NN_ATTENTIONMASK_H
#define MPC_PASSES_NN_ATTENTIONMASK_H

#include "passes/NN/AttentionBand.h"

#include <string>

namespace mpc::nn {

/// The operand and attributes of nn.attention that do what terms do.
struct AttentionMask {
  Band band;
  mlir::Value mask; ///< Null where the band is all.
};

/// Makes a mask of `terms` for scores of this type, which has four axes. Builds
/// nothing where it fails, and says why.
std::optional<AttentionMask> buildMask(GradientBuilder &g,
                                       llvm::ArrayRef<MaskTerm> terms,
                                       mlir::RankedTensorType scores,
                                       std::string &reason);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_ATTENTIONMASK_H
