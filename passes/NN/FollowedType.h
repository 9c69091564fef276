// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The type of an op that follows its operands, and in which type it reads
/// each of them.
#ifndef MPC_PASSES_NN_FOLLOWEDTYPE_H
#define MPC_PASSES_NN_FOLLOWEDTYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "passes/NN/AutocastPolicy.h"
#include "llvm/ADT/APFloat.h"

#include <string>

namespace mpc::nn {

/// The widest castable type of `types`: f32 where two 16-bit types meet. Null
/// where none may be cast.
mlir::Type widestType(mlir::TypeRange types);

/// What an op runs in that follows its operands.
struct FollowedType {
  mlir::Type type; ///< Null where no operand may be cast.
  /// The operand that brought `type`; null where two 16-bit types meet.
  mlir::Value from;
  /// What the number `from` would be in the type of the other operands: "0",
  /// "subnormal", "infinite", "1" or "-1". Empty where no number keeps the op
  /// in f32.
  llvm::StringRef loss;
};

/// The operands of an op by the order in which PyTorch lets them decide a type:
/// tensors, then scalars (tensors of no dimensions, repeated), then numbers
/// that are written into the model. The first of these that there are decide;
/// what is behind them is a number beside them, whose type decides nothing.
class Promotion {
public:
  /// `operands` are those of `op` that may be cast.
  Promotion(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
            Numbers numbers);

  /// The widest type of the deciding operands; f32 where that would lose a
  /// number beside them that the policy keeps.
  [[nodiscard]] FollowedType followedType() const;
  /// The same where operands have the element types that `typeOf` says.
  [[nodiscard]] FollowedType
  followedType(llvm::function_ref<mlir::Type(mlir::Value)> typeOf) const;

  /// The type in which `op` reads `operand` where it runs in `type`: f32 for a
  /// number that it carries, as 1/sqrt(32) in f16, else `type`.
  [[nodiscard]] mlir::Type readType(mlir::Value operand, mlir::Type type) const;

private:
  [[nodiscard]] llvm::StringRef lossOf(const llvm::APFloat &number,
                                       mlir::FloatType type) const;
  [[nodiscard]] bool carries(mlir::Value number, mlir::FloatType type) const;

  mlir::Operation *op_;
  llvm::SmallVector<mlir::Value, 2> deciding_, numbersBeside_;
  Numbers numbers_;
};

/// What is left of `value` in `type` where that is too little: "0",
/// "subnormal" or "infinite"; empty where it is held or rounded, was never
/// finite, or was 0.
llvm::StringRef lossIn(const llvm::APFloat &value, mlir::FloatType type);

/// "1" or "-1" where `value` is beside it and `type` has no number between, as
/// 1 - 1e-4 in 16 bits: what a bound keeps from a pole is on it. Else empty.
llvm::StringRef poleIn(const llvm::APFloat &value, mlir::FloatType type);

/// One of `operands` that is a constant with a finite number that is infinite
/// in `low`, as the -3e38 of a mask in f16; null where there is none.
mlir::Value findOverflow(llvm::ArrayRef<mlir::Value> operands,
                         mlir::FloatType low);

/// `number` in `digits` digits, or in as many more as tell an f32 from 1.
std::string textOf(const llvm::APFloat &number, unsigned digits);

/// Where `value` comes from, in the model's names: "'fc' (linear)".
std::string describeSource(mlir::Value value);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_FOLLOWEDTYPE_H
