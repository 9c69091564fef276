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
#include "runtime/LossScale/PolicyInfo.h"
#include "llvm/ADT/MapVector.h"

#include <string>
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

/// An optimizer of the module: what it updates, and the state that it keeps
/// beside slots.
struct OptimizerState {
  mlir::Operation *op = nullptr; ///< amp.optimizer or amp.custom_optimizer.
  mlir::ArrayAttr parameters;    ///< Of its amp.apply ops; null without one.
  mlir::ArrayAttr noDecay;
  bool accumulates = false;
  SlabOp scalars; ///< The scalar state; null without amp.apply.

  mlir::StringAttr name() const;
  /// Null where the rule is a function of the module.
  const Optimizer *rule() const;
  /// Hyper-parameters with the values they start with.
  llvm::SmallVector<NamedNumber> hypers() const;
  /// The scalar state with its first values.
  llvm::SmallVector<NamedNumber> state() const;
  bool hasTrustRatio() const { return rule() && rule()->trustRatio; }
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
  mlir::Type gradientType; ///< As it arrives first; null if frozen.
  bool decay = false;
  mlir::Attribute optimizer; ///< Name of the one that updates it, or null.
  mlir::Attribute assigned;  ///< The parameter, where amp.assign writes it.

  llvm::SmallVector<nn::ParameterOp> parameters;
  llvm::SmallVector<int64_t> offsets; ///< In elements.
  llvm::SmallVector<unsigned> order;  ///< Index among amp.apply's gradients.
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
  /// The groups that `optimizer` updates.
  llvm::SmallVector<ParameterGroup *> groupsOf(const OptimizerState &optimizer);

  OptimizerState &optimizer(mlir::StringAttr name) {
    return optimizers.find(name)->second;
  }
  /// The one that updates exactly these, in this order; null for none.
  OptimizerState *optimizerOf(mlir::ArrayAttr parameters);
  ScalerState &scaler(mlir::StringAttr name) {
    return scalers.find(name)->second;
  }
  /// Place in `hyperSlab` of a number of the optimizer or scaler `owner`.
  int64_t hyperIndex(mlir::StringAttr owner, llvm::StringRef name) const {
    return hyperIndices.at(owner).lookup(name);
  }
  int64_t tensorAlignment() const { return alignment; }
  /// The 16-bit copy of `parameters`, the slab of `group`.
  mlir::Value buildCopy(mlir::OpBuilder &b, mlir::Location loc,
                        ParameterGroup &group, mlir::Value parameters) const;

  SlabOp hyperSlab;      ///< Optimizers' and scalers' numbers.
  bool saturates = true; ///< Copies of what is finite are finite.

private:
  mlir::LogicalResult findState(mlir::ModuleOp module,
                                llvm::ArrayRef<mlir::func::FuncOp> entries);
  mlir::LogicalResult addScaler(ScalerOp op);
  mlir::LogicalResult addApply(ApplyOp op);
  mlir::LogicalResult addAccumulate(AccumulateOp op);
  void group(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> entries);
  void place();
  void addSlabs(mlir::ModuleOp module);
  void addGradientSlabs(mlir::OpBuilder &b, ParameterGroup &group,
                        const std::string &prefix);
  void addSlotSlabs(mlir::OpBuilder &b, ParameterGroup &group,
                    const std::string &prefix);
  void addScalarSlabs(mlir::ModuleOp module);
  void addHyperSlab(mlir::OpBuilder &b, mlir::Location loc);

  std::vector<ParameterGroup> groups;
  llvm::MapVector<mlir::StringAttr, OptimizerState> optimizers;
  llvm::MapVector<mlir::StringAttr, ScalerState> scalers;
  llvm::DenseSet<mlir::Attribute> assigned; ///< Written by amp.assign.
  /// The gradient that arrives first for a parameter.
  llvm::DenseMap<mlir::Attribute, mlir::Value> firstGradients;
  llvm::DenseMap<mlir::StringAttr, std::pair<unsigned, int64_t>> places;
  llvm::DenseMap<mlir::StringAttr, llvm::StringMap<int64_t>> hyperIndices;
  int64_t alignment; ///< Of parameters, in elements.
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_SLABLAYOUT_H
