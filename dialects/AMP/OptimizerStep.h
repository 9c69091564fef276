// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One step of an optimizer over flat ranges, as kinds of optimizers see it.
#ifndef MPC_DIALECTS_AMP_OPTIMIZERSTEP_H
#define MPC_DIALECTS_AMP_OPTIMIZERSTEP_H

#include "dialects/AMP/Optimizers.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace mpc::amp {

/// A tensor that an optimizer keeps of each parameter, in the parameter's
/// shape.
struct SlotTensor {
  llvm::StringRef name;
  mlir::Type elementType;
  std::optional<double> initial = {}; ///< None: zeros.
};

/// What all parameters of one step share. Values are tensors of rank 0.
struct OptimizerStep {
  mlir::Location loc;
  mlir::Value lr;      ///< The learning rate, f32 or f64.
  mlir::Value skip;    ///< i1, whether the step is skipped; null for never.
  mlir::Value applied; ///< f64, how many steps were applied before.
  /// Reads hyper-parameter `name`, an f64.
  llvm::function_ref<mlir::Value(llvm::StringRef name)> hyper;
  bool saturates; ///< Copies of what is finite are finite.
  /// The scalar state, f64: before the step, and after buildPrepare behind it.
  llvm::SmallVector<mlir::Value> state = {};
  /// What buildPrepare makes for buildUpdate, in an order of its own.
  llvm::SmallVector<mlir::Value> scalars = {};
};

/// Parameters that lie in one range. Ranges are flat tensors that are laid out
/// alike.
struct ParameterRange {
  mlir::Value gradient;  ///< f32.
  mlir::Value parameter; ///< f32, or bf16 without masters.
  bool decay;            ///< Whether the parameters see weight decay.
  /// In the order of getAllSlots.
  llvm::SmallVector<mlir::Value> slots = {};
  /// The copy of 16 bits that is computed with; null where there is none.
  /// Where an update sets it null, it is made of the new parameters.
  mlir::Value low = {};
  /// How many blocks each tensor has; empty unless needsTensors.
  llvm::SmallVector<int64_t> blocks = {};
  /// The keys by which parameters of bf16, and the slots that are of 16 bits,
  /// are rounded stochastically.
  mlir::Value parameterKey = {};
  llvm::SmallVector<mlir::Value> slotKeys = {};
};

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_OPTIMIZERSTEP_H
