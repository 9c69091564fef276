// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The interfaces by which an op tells passes its precision rule, its VJP, its
/// kernel body, its indices and its training form.
#ifndef MPC_DIALECTS_INTERFACES_OPINTERFACES_H
#define MPC_DIALECTS_INTERFACES_OPINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace mpc {

/// How autocast chooses an op's precision.
enum class PrecisionRule {
  Lower,   ///< Always in the low type: contractions.
  KeepF32, ///< Always in f32: exponentials, norms, losses, sums.
  Promote, ///< In the widest type of its floating operands.
  /// In the low type unless that costs casts; the op works in either type.
  Infer,
  Clear, ///< Pure data movement: follows its neighbours.
};

/// Gives an op the precision rule `R`.
template <PrecisionRule R>
struct PrecisionIs {
  template <typename ConcreteOp>
  class Impl
      : public mlir::OpTrait::TraitBase<ConcreteOp, PrecisionIs<R>::Impl> {
  public:
    static PrecisionRule getPrecisionRule() { return R; }
  };
};

/// What becomes of an infinite operand in an op's result.
enum class InfinityFate {
  Passed, ///< The result is infinite, or NaN, too.
  Hidden, ///< The result may be finite but wrong, as 1 / inf.
  Ended,  ///< The result is right, as tanh(inf), or certainly NaN.
};

/// An op that may produce an infinity in 16 bits although f32 would not
/// (PrecisionOpInterface).
template <typename ConcreteOp>
class MayOverflow : public mlir::OpTrait::TraitBase<ConcreteOp, MayOverflow> {};

/// An op that does not pass on an infinite operand (PrecisionOpInterface).
template <typename ConcreteOp>
class HasInfinityFate
    : public mlir::OpTrait::TraitBase<ConcreteOp, HasInfinityFate> {};

/// An op whose name in aten (PrecisionOpInterface) is not its mnemonic.
template <typename ConcreteOp>
class HasReferenceOp
    : public mlir::OpTrait::TraitBase<ConcreteOp, HasReferenceOp> {};

/// The elements of the op's result are from -1 to 1, or NaN.
template <typename ConcreteOp>
class IsInUnitRange
    : public mlir::OpTrait::TraitBase<ConcreteOp, IsInUnitRange> {};

/// Every element of the op's one result is an element of its one operand, as it
/// was: moved, repeated or left out.
template <typename ConcreteOp>
class DataMovement : public mlir::OpTrait::TraitBase<ConcreteOp, DataMovement> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return mlir::success(
        mlir::succeeded(mlir::OpTrait::impl::verifyOneOperand(op)) &&
        mlir::succeeded(mlir::OpTrait::impl::verifyOneResult(op)));
  }
};

/// The numbers from `low` to below `high`.
struct IndexRange {
  int64_t low;
  int64_t high;
};

/// State that an op carries from step to step: the operand that holds it, and
/// the result that takes its place.
struct RunningState {
  mlir::OpOperand *old;
  mlir::OpResult next;
  /// `next` is `decay * old` plus a part that does not depend on `old`. Both
  /// the product and the sum are rounded.
  double decay;
};

/// "lower", "keep-f32", "promote", "infer" or "clear".
llvm::StringRef stringifyPrecisionRule(PrecisionRule rule);

/// The meaning of the rule in words: "it moves data and follows its operands".
llvm::StringRef describePrecisionRule(PrecisionRule rule);

} // namespace mpc

#include "dialects/Interfaces/OpInterfaces.h.inc"

namespace mpc {

/// PrecisionOpInterface's answer; false for an op without the interface.
bool hasOwnType(mlir::Operation *op, mlir::Value value);

} // namespace mpc

#endif // MPC_DIALECTS_INTERFACES_OPINTERFACES_H
