// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parts of a model that have a precision of their own, or may not be taken.
#ifndef MPC_LIB_IMPORT_BUILD_REGIONS_H
#define MPC_LIB_IMPORT_BUILD_REGIONS_H

#include "lib/Import/Build/TensorBuilder.h"

#include <memory>

namespace mpc::build {

/// What is built while it is open stands in an nn.autocast.
class AutocastRegion {
public:
  explicit AutocastRegion(TensorBuilder &build);
  AutocastRegion(const AutocastRegion &) = delete;
  AutocastRegion &operator=(const AutocastRegion &) = delete;
  /// What was built without a close() is erased.
  ~AutocastRegion();

  /// Ends the region: `values` as the ops behind it read them. What is known
  /// stays known. `low` is null where the region is not `enabled`.
  std::vector<Operand> close(llvm::ArrayRef<Operand> values, bool enabled,
                             mlir::Type low);

private:
  TensorBuilder &build_;
  mlir::OpBuilder::InsertPoint outside_;
  std::unique_ptr<mlir::Block> body_;
};

/// The ops of a branch that may not be the one that is taken: those that are
/// built behind it in the same block.
class Branch {
public:
  explicit Branch(TensorBuilder &build);
  /// Whether a training would keep statistics of this branch in either case.
  bool keepsState();

private:
  TensorBuilder &build_;
  mlir::Block *block_;
  mlir::Operation *before_; ///< Null at the begin of the block.
};

/// `onTrue` where the one element of `condition` is true, else `onFalse`, of
/// one type and shape.
Operand choose(TensorBuilder &build, const Operand &condition,
               const Operand &onTrue, const Operand &onFalse);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_REGIONS_H
