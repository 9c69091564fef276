// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads and writes the state of a module at one place of an entry.
#ifndef MPC_PASSES_AMP_SLABBUILDER_H
#define MPC_PASSES_AMP_SLABBUILDER_H

#include "passes/AMP/SlabLayout.h"

namespace mpc::amp {

/// Writes ops on slabs, at the insertion point of `builder`.
class SlabBuilder {
public:
  SlabBuilder(SlabLayout &layout, bool saturates, mlir::OpBuilder &builder,
              mlir::Location loc)
      : layout(layout), saturates(saturates), b_(builder), loc_(loc) {}

  mlir::Value load(SlabOp slab);
  void store(SlabOp slab, mlir::Value value);
  mlir::Value view(mlir::Value slab, int64_t offset,
                   mlir::RankedTensorType type);
  /// A rank's part of a slab of `group`, of which it may have only that.
  mlir::Value loadPart(const ParameterGroup &group, SlabOp slab);
  /// What each rank has a part of, the elements of all.
  struct Part {
    mlir::Value own;
    int64_t elements;
  };
  /// The tensors of `ranks` whose parts on each are `parts`, moved together.
  llvm::SmallVector<mlir::Value> gather(llvm::ArrayRef<Part> parts,
                                        int64_t ranks);
  /// The slab of `group` whose part on each rank is `part`.
  mlir::Value gather(const ParameterGroup &group, mlir::Value part) {
    return gather({Part{part, group.size}}, group.parts).front();
  }
  /// Element `index` of a slab of f64.
  mlir::Value element(SlabOp slab, int64_t index);
  void storeElements(SlabOp slab, mlir::ValueRange elements);
  /// A number of the optimizer or scaler `owner`.
  mlir::Value number(mlir::StringAttr owner, llvm::StringRef name);
  /// Packs `parts` in the layout of `group`. They have `type`, or f32 by
  /// default.
  mlir::Value pack(const ParameterGroup &group,
                   llvm::SmallVector<mlir::Value> parts);
  /// The 16-bit copy of `parameters`, the slab of `group` or a part of it.
  mlir::Value copyOf(const ParameterGroup &group, mlir::Value parameters);
  /// The 16-bit copies of all parameters of `group`, as their slab has them.
  mlir::Value makeCopies(const ParameterGroup &group);
  /// Stores the parameters of a group, and their copy.
  void storeParameters(ParameterGroup &group, mlir::Value parameters);

  SlabLayout &layout;
  /// Whether weight copies of finite parameters stay finite.
  const bool saturates;

private:
  mlir::OpBuilder &b_;
  mlir::Location loc_;
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_SLABBUILDER_H
