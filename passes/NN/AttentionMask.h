// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a model does to scores before their softmax, as one mask of
/// nn.attention.
#ifndef MPC_PASSES_NN_ATTENTIONMASK_H
#define MPC_PASSES_NN_ATTENTIONMASK_H

#include "dialects/NN/Gradient.h"

#include <optional>
#include <string>

namespace mpc::nn {

/// A tensor, and where its axes lie in the tensor that it is repeated to. An
/// axis of size 1 may lie nowhere, at kNowhere.
struct PlacedTensor {
  static constexpr int64_t kNowhere = -1;

  /// `value` of all axes of a tensor of its shape.
  static PlacedTensor whole(mlir::Value value);

  bool operator==(const PlacedTensor &other) const = default;

  /// The tensor behind broadcasts, transposes and reshapes that add or remove
  /// axes of size 1.
  [[nodiscard]] PlacedTensor origin() const;
  /// Another tensor of the same shape.
  [[nodiscard]] PlacedTensor with(mlir::Value other) const;

  mlir::Value value;
  llvm::SmallVector<int64_t> axes;
};

/// Keys j that query i sees: j <= i where `causal`, and i - j < window.
struct Band {
  bool causal = false;
  std::optional<int64_t> window = {};

  bool operator==(const Band &other) const = default;
  void intersect(const Band &other);
};

/// One thing that is done to scores.
struct MaskTerm {
  /// The shape of the scores to which it is done.
  llvm::SmallVector<int64_t> scores;
  /// i1, true (false where `inverted`) where a score stays and false where it
  /// becomes `fill`; or numbers that are added.
  PlacedTensor tensor;
  bool chooses = false, inverted = false;
  double fill = 0.0;
  /// The band that is all that it leaves, once buildMask has found one.
  std::optional<Band> band = {};

  bool operator==(const MaskTerm &other) const = default;
};

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
