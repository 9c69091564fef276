// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The discardable attributes of the nn dialect by which passes tell each other
/// and the driver facts. The dialect verifies all its attributes, and refuses
/// one that it does not know.
#ifndef MPC_DIALECTS_NN_ANNOTATIONS_H
#define MPC_DIALECTS_NN_ANNOTATIONS_H

#include "llvm/ADT/StringRef.h"

namespace mpc::nn {

/// On the result of @loss: the name of the model's output that equals it, if
/// one does.
inline constexpr llvm::StringLiteral kLossOutput = "nn.output";

/// On the ops that nn-add-loss adds after the model's outputs. Autocast removes
/// it.
inline constexpr llvm::StringLiteral kLossAttr = "nn.loss";

/// On an argument whose integers index memory: an array of `#nn.range`.
inline constexpr llvm::StringLiteral kRanges = "nn.ranges";

/// On @model and on an evaluation's entry, where the model has ops that compute
/// differently in training: "training" or "inference".
inline constexpr llvm::StringLiteral kMode = "nn.mode";
inline constexpr llvm::StringLiteral kTrainingMode = "training";
inline constexpr llvm::StringLiteral kInferenceMode = "inference";

/// What nn-autocast leaves open: an op with `nn.free = T` (rules `infer` and
/// `clear`) may run in T or in f32. An op without a mark is decided.
inline constexpr llvm::StringLiteral kFreeAttr = "nn.free";

/// On an op of a loop whose gradient is being made: it is of the forward pass,
/// and the loop keeps its results. Ops without the mark are repeated by the
/// backward pass.
inline constexpr llvm::StringLiteral kForwardAttr = "nn.forward";
/// `nn.refusable = T` on an op of rule `lower`, and on the casts that were
/// made for it alone: it may run in f32 where T costs more than it saves.
inline constexpr llvm::StringLiteral kRefusableAttr = "nn.refusable";

/// On an op of an imported file that is a part of its call: the call's name in
/// aten, as "pow.Tensor_Scalar". PyTorch's policies go by that name. Autocast
/// removes it.
inline constexpr llvm::StringLiteral kCallAttr = "nn.call";
/// On a cast that changes no type but was written in the model: the value is
/// f32 from there on. Autocast removes it.
inline constexpr llvm::StringLiteral kWrittenAttr = "nn.written";
/// On an op whose result may be infinite in 16 bits but not in f32: a text for
/// people that names the op that makes it finite again.
inline constexpr llvm::StringLiteral kHiddenInfinity = "nn.hidden_infinity";
/// On a cast from f16: where its operand is 0, its VJP bounds a gradient that
/// is finite in f32 by the largest f16.
inline constexpr llvm::StringLiteral kBoundedAtZero = "nn.bounded_at_zero";

/// On a function of an op library: the op that it defines, "domain::Type".
inline constexpr llvm::StringLiteral kLibraryOp = "nn.op";
/// On an argument of such a function: the op's attribute that it stands for.
inline constexpr llvm::StringLiteral kLibraryAttribute = "nn.attribute";

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_ANNOTATIONS_H
