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

/// The widest castable type of `types`: f32 for two different 16-bit types.
/// Null where none may be cast.
mlir::Type widestType(mlir::TypeRange types);

/// The type in which an op runs that follows its operands.
struct FollowedType {
  mlir::Type type; ///< The type; null where no operand may be cast.
  /// The operand from which `type` comes; null for two different 16-bit types.
  mlir::Value from;
  /// The value that the number `from` would have in the type of the other
  /// operands: "0", "subnormal", "infinite", "1" or "-1". Empty where no number
  /// keeps the op in f32.
  llvm::StringRef loss;
};

/// The operands of an op in the order in which PyTorch lets them decide a type:
/// tensors, then scalars (tensors without dimensions, repeated), then numbers
/// that are written in the model. The first of these kinds that is present
/// decides. Operands of later kinds are numbers whose types decide nothing.
class Promotion {
public:
  /// `operands` are those of `op` that may be cast.
  Promotion(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
            Numbers numbers);

  /// The widest type of the deciding operands; f32 where that type would lose a
  /// number that the policy keeps.
  [[nodiscard]] FollowedType followedType() const;
  /// The type if operands have the element types that `typeOf` says.
  [[nodiscard]] FollowedType
  followedType(llvm::function_ref<mlir::Type(mlir::Value)> typeOf) const;

  /// The type in which `op` reads `operand` if the op runs in `type`: f32 for a
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

/// The value of `value` in `type` where that is a loss: "0", "subnormal" or
/// "infinite". Empty where it is exact or rounded, was never finite, or was 0.
llvm::StringRef lossIn(const llvm::APFloat &value, mlir::FloatType type);

/// "1" or "-1" where `value` is near it and `type` has no number between, as 1
/// - 1e-4 in 16 bits: a bound that keeps an operand from a pole would lie on
/// the pole. Else empty.
llvm::StringRef poleIn(const llvm::APFloat &value, mlir::FloatType type);

/// An operand of `operands` that is a constant with a finite number that is
/// infinite in `low`, as the -3e38 of a mask in f16; null where there is none.
mlir::Value findOverflow(llvm::ArrayRef<mlir::Value> operands,
                         mlir::FloatType low);

/// `number` in `digits` digits, or in as many more as distinguish an f32 from
/// 1.
std::string textOf(const llvm::APFloat &number, unsigned digits);

/// The origin of `value`, in the model's names: "'fc' (linear)".
std::string describeSource(mlir::Value value);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_FOLLOWEDTYPE_H
