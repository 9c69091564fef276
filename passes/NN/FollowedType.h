// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The type of an op that follows its operands, and which of them it follows.
#ifndef MPC_PASSES_NN_FOLLOWEDTYPE_H
#define MPC_PASSES_NN_FOLLOWEDTYPE_H

#include "mlir/IR/Operation.h"

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
  /// The type of the other operands, where `from` is a number that they do not
  /// hold.
  mlir::Type others;
};

/// The widest type of the castable operands. A number that is written into the
/// model (a constant of one value throughout) takes the type of the others, as
/// a number in Python does, where that type holds it exactly: 1e-8 is 0 in f16
/// and 1/sqrt(32) loses digits, so that these keep the op in f32. So does one
/// that is computed, as a learned temperature.
FollowedType followedType(mlir::Operation *op);

/// An operand of `op` that is a constant with a finite number that is infinite
/// in `low`, as the -3e38 of a mask in f16; null where there is none.
mlir::Value findOverflow(mlir::Operation *op, mlir::Type low);

/// Where `value` comes from, in the model's names: "'fc' (linear)".
std::string describeSource(mlir::Value value);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_FOLLOWEDTYPE_H
