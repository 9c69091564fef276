// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which slabs the state of a module lies in, and where in them.
#ifndef MPC_PASSES_AMP_SLABLAYOUT_H
#define MPC_PASSES_AMP_SLABLAYOUT_H

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace mpc::amp {

/// A gradient as an amp op takes it: what arrives from the backward pass, and
/// what amp ops make of it, in order.
struct GradientChain {
  /// In its own type: an exact upcast is looked through.
  mlir::Value raw;
  llvm::SmallVector<mlir::Operation *> maps;
};
GradientChain getGradientChain(mlir::Value gradient);

/// Whether `op` takes all gradients at once, and yields one for each.
bool takesAllGradients(mlir::Operation *op);

/// Parameters that lie in one set of slabs.
struct ParameterGroup {
  mlir::Type elementType;
  mlir::Type lowType;      ///< Of the copy that is read; null for none.
  mlir::Type gradientType; ///< As it arrives; null if frozen.
  bool decay = false;

  llvm::SmallVector<nn::ParameterOp> parameters;
  llvm::SmallVector<int64_t> offsets; ///< In elements.
  llvm::SmallVector<unsigned> order;  ///< Index among amp.apply's gradients.
  int64_t size = 0;                   ///< In elements, whole blocks.

  SlabOp slab;
  SlabOp lowSlab;      ///< Null where there is no copy.
  SlabOp gradientSlab; ///< Null where nothing is accumulated.
  SlabOp averageSlab;  ///< Null where no average is kept.
  llvm::SmallVector<SlabOp> slotSlabs;

  bool isTrained() const { return gradientType != nullptr; }
  /// How many blocks each parameter has, where each starts with a block.
  llvm::SmallVector<int64_t> blocks() const;
};

/// The state of a module: an analysis of its entries, then the slabs.
class SlabLayout {
public:
  /// Reads the entries and adds the slabs to `module`. Fails, with an error
  /// emitted, on what cannot be laid out.
  static mlir::FailureOr<SlabLayout>
  build(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> entries);

  struct Place {
    ParameterGroup *group;
    int64_t offset;
  };
  Place lookup(mlir::StringAttr parameter);

  std::vector<ParameterGroup> &parameterGroups() { return groups; }
  int64_t hyperIndex(llvm::StringRef name) const {
    return hyperIndices.lookup(name);
  }

  ApplyOp apply;           ///< Null where nothing is trained.
  AccumulateOp accumulate; ///< Null where nothing is accumulated.
  OptimizerOp optimizer;   ///< Null where there is none.
  ScalerOp scaler;         ///< Null where there is none.
  SlabOp hyperSlab;        ///< Optimizer's and scaler's numbers.
  SlabOp optimizerSlab;    ///< The optimizer's scalar state.
  SlabOp scaleSlab;        ///< The loss scaler's state vector.

private:
  mlir::LogicalResult findState(mlir::ModuleOp module,
                                llvm::ArrayRef<mlir::func::FuncOp> entries);
  void group(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> entries);
  void place();
  void addSlabs(mlir::ModuleOp module);
  mlir::LogicalResult addScalarSlabs(mlir::ModuleOp module);

  std::vector<ParameterGroup> groups;
  llvm::DenseMap<mlir::StringAttr, std::pair<unsigned, int64_t>> places;
  llvm::StringMap<int64_t> hyperIndices;
  int64_t alignment; ///< Of parameters, in elements.
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_SLABLAYOUT_H
