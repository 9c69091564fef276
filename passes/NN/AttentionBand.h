// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a model does to scores before their softmax, and where that leaves a
/// query the keys up to its own.
#ifndef MPC_PASSES_NN_ATTENTIONBAND_H
#define MPC_PASSES_NN_ATTENTIONBAND_H

#include "dialects/NN/Gradient.h"

#include <optional>

namespace mpc::nn {

/// A score that becomes this has the weight 0 beside any that stays.
inline constexpr double kHidesScore = -1e4;

/// What is added to a score and is no greater than this is the sum: whatever
/// the score was, it has no digit beside it.
inline constexpr double kSwallowsScore = -1e30;

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
  /// i1, true (false where `inverted`) where a score stays, while `fill` is
  /// added to the others or (`replaces`) takes their place; or numbers that are
  /// added.
  PlacedTensor tensor;
  bool chooses = false, inverted = false;
  double fill = 0.0;
  bool replaces = false;
  /// The band that is all that it leaves, as findBand says.
  std::optional<Band> band = {};

  bool operator==(const MaskTerm &other) const = default;
};

/// The band that is all that `term` leaves; none where it is no band.
std::optional<Band> findBand(const MaskTerm &term);

/// The elements of a constant; null of any other value.
mlir::DenseElementsAttr constantOf(mlir::Value value);

/// Where an axis of the scores lies in `tensor`; kNowhere where it is repeated.
int64_t placeOf(const PlacedTensor &tensor, int64_t axis);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_ATTENTIONBAND_H
