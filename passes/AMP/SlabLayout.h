// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which slabs the state of a module lies in, and where in them.
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

/// An optimizer of the module: what it updates, and the state that it keeps
/// beside slots.
struct OptimizerState {
  OptimizerInterface op;
  bool applies = false;     ///< An entry steps it.
  bool accumulates = false; ///< An entry adds up its gradients.
  GatherOp gathered;        ///< Where its gradients arrive first, or null.
  SlabOp scalars;           ///< The scalar state; null unless it is stepped.
  /// How many batches are added up so far; null unless random numbers of a
  /// window are drawn by it.
  SlabOp batches;

  /// `op`: its methods change nothing, though they are not const.
  OptimizerInterface trainer() const { return op; }
  mlir::StringAttr name() const;
};

/// A loss scaler of the module.
struct ScalerState {
  ScalerOp op;
  rt::PolicyKind policy = rt::PolicyKind::None;
  rt::Settings settings; ///< With the policy's defaults.
  SlabOp slab;           ///< The policy's state vector.
};

/// Parameters that lie in one set of slabs.
struct ParameterGroup {
  mlir::Type elementType;
  mlir::Type lowType;      ///< Of the copy that is read; null for none.
  mlir::Type gradientType; ///< As it arrives first; null if untrained.
  bool decay = false;
  mlir::Attribute optimizer; ///< Name of the one that updates it, or null.
  mlir::Attribute assigned;  ///< The parameter, where amp.assign writes it.

  llvm::SmallVector<nn::ParameterOp> parameters;
  llvm::SmallVector<int64_t> offsets; ///< In elements.
  llvm::SmallVector<unsigned> order;  ///< Index among what is trained.
  int64_t end = 0;                    ///< Of the last tensor, in elements.
  int64_t size = 0;                   ///< The same, as whole blocks.

  SlabOp slab;
  SlabOp lowSlab;      ///< Null where there is no copy.
  SlabOp gradientSlab; ///< Null where nothing is accumulated.
  SlabOp averageSlab;  ///< Null where no average is kept.
  llvm::SmallVector<SlabOp> slotSlabs;

  bool isTrained() const { return gradientType != nullptr; }
  /// Whether `other` may lie in the same slabs.
  bool sharesSlabsWith(const ParameterGroup &other) const;
  /// Gives the next tensor, of `numElements`, its place.
  void place(int64_t numElements, int64_t alignment);
  /// How many blocks each parameter has, where each starts with a block.
  llvm::SmallVector<int64_t> blocks() const;
};

/// How the state of a module lies: an analysis of its entries.
class SlabLayout {
public:
  explicit SlabLayout(mlir::Operation *module);
  /// False after an error, which is emitted: the module cannot be laid out.
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
  /// Place in `hyperSlab` of a number of the optimizer or scaler `owner`.
  int64_t hyperIndex(mlir::StringAttr owner, llvm::StringRef name) const {
    return hyperIndices_.at(owner).lookup(name);
  }
  int64_t tensorAlignment() const { return alignment_; }

  SlabOp hyperSlab; ///< Optimizers' and scalers' numbers.

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
  llvm::DenseSet<mlir::Attribute> assigned_; ///< Written by amp.assign.
  /// Who trains a parameter, and its place in that order.
  llvm::DenseMap<mlir::Attribute, std::pair<mlir::StringAttr, unsigned>>
      trainers_;
  llvm::DenseMap<mlir::StringAttr, std::pair<unsigned, int64_t>> places_;
  llvm::DenseMap<mlir::StringAttr, llvm::StringMap<int64_t>> hyperIndices_;
  int64_t alignment_; ///< Of parameters, in elements.
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_SLABLAYOUT_H
