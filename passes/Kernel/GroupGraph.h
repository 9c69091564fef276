// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Who reads whom among groups that are joined step by step.
#ifndef MPC_PASSES_KERNEL_GROUPGRAPH_H
#define MPC_PASSES_KERNEL_GROUPGRAPH_H

#include "passes/Kernel/GroupStages.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mpc::kernel {

/// Groups are known by their numbers.
class GroupGraph {
public:
  /// A read of a structured op's result by another structured op.
  struct Read {
    mlir::Operation *source;
    /// Whether it reads the result itself and not a view or a pack of it.
    bool isDirect;
  };

  explicit GroupGraph(llvm::ArrayRef<Group> groups);

  /// The group of an op; empty for an op that belongs to none.
  std::optional<unsigned> groupOf(mlir::Operation *op) const {
    auto it = groupOf_.find(op);
    return it == groupOf_.end() ? std::nullopt : std::optional(it->second);
  }
  llvm::ArrayRef<Read> readsOf(mlir::Operation *statement) const {
    auto it = reads_.find(statement);
    return it == reads_.end() ? llvm::ArrayRef<Read>() : it->second;
  }
  /// Whether something would have to run between the two groups: a third group,
  /// or a view of a value that a joined kernel has not returned yet.
  bool pathOutside(unsigned producer, unsigned consumer) const;
  /// Whether `reader` reads `source`, itself or through others.
  bool reads(unsigned reader, unsigned source) const;
  /// Joins `producer`, whose statements are `moved`, to `consumer`.
  void join(unsigned producer, unsigned consumer,
            llvm::ArrayRef<mlir::Operation *> moved);

  /// Moves `moved` from `source` to `reader`, which reads them. Whoever else
  /// reads them must not be read by `reader`.
  void move(llvm::ArrayRef<mlir::Operation *> moved, unsigned source,
            unsigned reader);

private:
  /// That a group reads another one. The other is named by the number with
  /// which it was collected: it is now a part of some group.
  struct Edge {
    unsigned part;
    bool isDirect;
  };

  void visitEdges(unsigned group,
                  llvm::function_ref<void(const Edge &)> visit) const;
  void collectReads(llvm::ArrayRef<Group> groups);
  void collectEdges(llvm::ArrayRef<Group> groups);
  void lowerRank(unsigned group, unsigned rank);

  llvm::DenseMap<mlir::Operation *, unsigned> groupOf_;
  /// The reads of each statement. They are found once, since searches for paths
  /// need them often.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Read>> reads_;
  llvm::DenseMap<mlir::Operation *, unsigned> partOf_;
  /// The parts of each group, what each part reads, and its group. Searches for
  /// paths are so frequent that going through statements would take a quarter
  /// of the compilation of a DenseNet-201.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> parts_;
  llvm::SmallVector<llvm::SmallVector<Edge>> edgesOfPart_;
  llvm::SmallVector<unsigned> groupOfPart_;
  /// A number for each group that is no smaller than the numbers of the groups
  /// it reads. A search for a path from a producer skips groups with a smaller
  /// number than the producer's, which keeps the search short.
  llvm::SmallVector<unsigned> rank_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPGRAPH_H
