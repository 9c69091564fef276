// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The slabs in which the state of a module lies, and the position of each
/// tensor in them.
#ifndef MPC_PASSES_AMP_SLABLAYOUT_H
#define MPC_PASSES_AMP_SLABLAYOUT_H

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "llvm/ADT/MapVector.h"

#include <string>
#include <vector>

namespace mpc::amp {

/// An optimizer of the module: the parameters that it updates, and its state
/// beside slots.
struct OptimizerState {
  OptimizerInterface op;
  bool applies = false;     ///< Whether an entry applies a step of it.
  bool accumulates = false; ///< Whether an entry accumulates its gradients.
  /// The number of batches that it sums by pairs; 0 where it sums them in order
  /// or not at all.
  uint64_t pairsOf = 0;
  bool exchanges = false; ///< Whether ranks sum their gradients.
  int64_t parts = 1;      ///< The ranks among which its state is divided.
  /// The op by which its gradients are gathered; null for none.
  GatherOp gathered;
  SlabOp scalars; ///< The scalar state; null unless an entry applies a step.
  /// The number of batches accumulated so far; null unless random numbers of a
  /// window are drawn by it, or sums by pairs go by it.
  SlabOp batches;

  /// `op`, which is not const: its methods change nothing, but they are not
  /// declared const.
  OptimizerInterface trainer() const { return op; }
  mlir::StringAttr name() const;
};

/// A loss scaler of the module.
struct ScalerState {
  ScalerOp op;
  rt::PolicyKind policy = rt::PolicyKind::None;
  rt::Settings settings; ///< The settings, with the policy's defaults.
  SlabOp slab;           ///< The policy's state vector.
};

/// Parameters that lie in one set of slabs.
struct ParameterGroup {
  mlir::Type elementType;
  /// The type of the weight copy that is read; null for none.
  mlir::Type lowType;
  /// The type in which gradients are gathered; null if untrained.
  mlir::Type gradientType;
  bool decay = false;
  /// Which of the optimizer's groups with numbers of their own it is in,
  /// counted from 1; 0 for none.
  size_t numbers = 0;
  /// The name of the optimizer that updates it, or null.
  mlir::Attribute optimizer;
  /// The parameter's symbol, where amp.assign writes it; else null.
  mlir::Attribute assigned;

  /// The ranks among which slots are divided; 1 where each has all.
  int64_t parts = 1;
  /// Whether the parameters and their averages are divided too: entries read
  /// only their 16-bit copies.
  bool dividesParameters = false;

  llvm::SmallVector<nn::ParameterOp> parameters;
  /// The offset of each parameter, in elements.
  llvm::SmallVector<int64_t> offsets;
  /// The index of each among the optimizer's parameters.
  llvm::SmallVector<unsigned> order;
  int64_t end = 0;  ///< The end of the last tensor, in elements.
  int64_t size = 0; ///< The end rounded up to whole blocks, in elements.

  SlabOp slab;
  SlabOp lowSlab; ///< The slab of weight copies; null where there are none.
  /// The slabs of accumulated gradients: one, or, where they are summed by
  /// pairs, one for each level of the sum. Empty for none.
  llvm::SmallVector<SlabOp> gradientSlabs;
  SlabOp averageSlab; ///< The slab of averages; null where none are kept.
  llvm::SmallVector<SlabOp> slotSlabs;

  bool isTrained() const { return gradientType != nullptr; }
  /// The size of a rank's part, whole blocks, in elements.
  int64_t partSize() const;
  /// Whether `other` may lie in the same slabs.
  bool sharesSlabsWith(const ParameterGroup &other) const;
  /// Gives the next tensor, of `numElements`, its offset.
  void place(int64_t numElements, int64_t alignment);
  /// The number of blocks of each parameter, where each parameter starts a
  /// block.
  llvm::SmallVector<int64_t> blocks() const;
};

/// The layout of a module's state: an analysis of its entries.
class SlabLayout {
public:
  explicit SlabLayout(mlir::Operation *module);
  /// False where the module cannot be laid out; an error was emitted.
  bool isValid() const { return valid_; }
  /// Adds the slabs to the module.
  void addSlabs();

  struct Place {
    ParameterGroup *group;
    int64_t offset;
  };
  Place lookup(mlir::StringAttr parameter);

  std::vector<ParameterGroup> &parameterGroups() { return groups_; }
  /// The groups that `optimizer` updates.
  llvm::SmallVector<ParameterGroup *> groupsOf(const OptimizerState &optimizer);

  OptimizerState &optimizer(mlir::StringAttr name) {
    return optimizers_.find(name)->second;
  }
  OptimizerState &optimizer(mlir::Type gradients) {
    return optimizer(
        mlir::cast<GradientsType>(gradients).getOptimizer().getAttr());
  }
  ScalerState &scaler(mlir::StringAttr name) {
    return scalers_.find(name)->second;
  }
  /// The index in `hyperSlab` of a number of the optimizer or scaler `owner`.
  int64_t hyperIndex(mlir::StringAttr owner, llvm::StringRef name) const {
    return hyperIndices_.at(owner).lookup(name);
  }
  int64_t tensorAlignment() const { return alignment_; }

  /// The hyper-parameters of optimizers and settings of scalers.
  SlabOp hyperSlab;

private:
  mlir::LogicalResult findState();
  mlir::LogicalResult addScaler(ScalerOp op);
  mlir::LogicalResult addOptimizer(OptimizerInterface op);
  void findUses(mlir::func::FuncOp entry);
  mlir::LogicalResult checkSums() const;
  void group();
  void place();
  void addGradientSlabs(mlir::OpBuilder &b, ParameterGroup &group,
                        const std::string &prefix);
  void addSlotSlabs(mlir::OpBuilder &b, ParameterGroup &group,
                    const std::string &prefix);
  void addScalarSlabs();
  void addHyperSlab(mlir::OpBuilder &b, mlir::Location loc);
  void addCounterSlabs(mlir::OpBuilder &b, OptimizerState &state);
  void addScalerSlab(mlir::OpBuilder &b, ScalerState &state);

  mlir::ModuleOp module_;
  llvm::SmallVector<mlir::func::FuncOp> entries_;
  bool valid_;
  std::vector<ParameterGroup> groups_;
  llvm::MapVector<mlir::StringAttr, OptimizerState> optimizers_;
  llvm::MapVector<mlir::StringAttr, ScalerState> scalers_;
  /// The parameters that amp.assign writes.
  llvm::DenseSet<mlir::Attribute> assigned_;
  /// The optimizer that trains each parameter, and the parameter's index in it.
  llvm::DenseMap<mlir::Attribute, std::pair<mlir::StringAttr, unsigned>>
      trainers_;
  llvm::DenseMap<mlir::StringAttr, std::pair<unsigned, int64_t>> places_;
  llvm::DenseMap<mlir::StringAttr, llvm::StringMap<int64_t>> hyperIndices_;
  int64_t alignment_; ///< The alignment of parameters, in elements.
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_SLABLAYOUT_H
