// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One step of an optimizer over flat ranges, as each kind of optimizer sees
/// it.
#ifndef MPC_DIALECTS_AMP_OPTIMIZERSTEP_H
#define MPC_DIALECTS_AMP_OPTIMIZERSTEP_H

#include "dialects/AMP/Optimizers.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace mpc::amp {

/// A tensor that an optimizer keeps for each parameter, in the parameter's
/// shape.
struct SlotTensor {
  llvm::StringRef name;
  mlir::Type elementType;
  /// The first value of every element; without one, slots start at zero.
  std::optional<double> initial = {};
};

/// The values that all parameters of one step share. Values are tensors of rank
/// 0.
struct OptimizerStep {
  mlir::Location loc;
  mlir::Value lr; ///< The learning rate, f32 or f64.
  /// Whether the step is skipped, an i1; null where no step is.
  mlir::Value skip;
  mlir::Value applied; ///< The number of steps applied before, in f64.
  /// Reads hyper-parameter `name`, an f64.
  llvm::function_ref<mlir::Value(llvm::StringRef name)> hyper;
  bool saturates; ///< Whether weight copies of finite parameters stay finite.
  /// The scalar state, f64: the values before the step. buildPrepare replaces
  /// them by the values after it.
  llvm::SmallVector<mlir::Value> state = {};
  /// The values that buildPrepare makes for buildUpdate, in an order of the
  /// optimizer's own.
  llvm::SmallVector<mlir::Value> scalars = {};
};

/// Parameters that lie in one range. All ranges are flat tensors with the same
/// layout.
struct ParameterRange {
  mlir::Value gradient; ///< The gradient, f32.
  /// The parameter: f32, or bf16 without master weights.
  mlir::Value parameter;
  bool decay; ///< Whether the parameters see weight decay.
  /// In the order of getAllSlots.
  llvm::SmallVector<mlir::Value> slots = {};
  /// The weight copy of 16 bits that the model computes with; null where there
  /// is none. An update sets it to null to have it made from the new
  /// parameters.
  mlir::Value low = {};
  /// The number of blocks of each tensor; empty unless needsTensors.
  llvm::SmallVector<int64_t> blocks = {};
  /// The keys for stochastic rounding of parameters of bf16, and of slots of 16
  /// bits.
  mlir::Value parameterKey = {};
  llvm::SmallVector<mlir::Value> slotKeys = {};
};

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_OPTIMIZERSTEP_H
