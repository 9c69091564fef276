// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides which structured ops run in one kernel.
#ifndef MPC_PASSES_KERNEL_GROUPS_H
#define MPC_PASSES_KERNEL_GROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mpc::kernel {

/// How the ops of a group share an index space. The kind of the resulting
/// kernel depends on its whole body: see kernel::kindOf.
enum class GroupSpace {
  Map,         ///< Elementwise ops over `shape`.
  Rows,        ///< Maps, and reductions over the last `inner` axes of `shape`.
  Contraction, ///< A contraction with result `shape`, then maps over it.
  Other,       ///< One op that is not joined with others.
};

/// Structured ops that become one kernel, in program order.
struct Group {
  GroupSpace space = GroupSpace::Other;
  llvm::SmallVector<int64_t> shape;
  int64_t inner = 0;
  llvm::SmallVector<mlir::Operation *> statements;
};

/// A structured op with the fills before it that only it uses. Empty where `op`
/// is no structured op, or is such a fill.
llvm::SmallVector<mlir::Operation *> withItsFills(mlir::Operation *op);

/// The partition of a block's structured ops into kernels. This is an analysis;
/// Fuse.cpp rewrites. Two groups are joined if they run over one space, one
/// reads the other element by element or row by row, and no third group lies
/// between them.
class Groups {
public:
  /// With `peak`, the op at which most bytes are live, groups are not joined
  /// where that would keep more bytes alive there.
  explicit Groups(mlir::Block &block, mlir::Operation *peak = nullptr);

  /// The ops of each group. The order of groups respects uses.
  llvm::ArrayRef<llvm::ArrayRef<mlir::Operation *>> inOrder() const {
    return order_;
  }

private:
  void collect(mlir::Block &block);
  void join(unsigned producer, unsigned consumer);
  bool canJoin(unsigned producer, unsigned consumer) const;
  bool readsAligned(const Group &producer, const Group &consumer,
                    const Group &joined) const;
  bool spansPeak(unsigned producer, unsigned consumer) const;
  bool isOnlyReader(unsigned producer, unsigned consumer) const;
  bool delays(unsigned producer, unsigned consumer) const;
  bool holdsUp(unsigned producer, unsigned consumer) const;
  bool keepsMore(unsigned producer, unsigned consumer) const;
  bool pathOutside(unsigned producer, unsigned consumer) const;
  void lowerRank(unsigned group, unsigned rank);
  void sort();

  /// A read of a structured op's result by another structured op.
  struct Read {
    mlir::Operation *source;
    /// Whether it reads the result itself and not a view or a pack of it.
    bool isDirect;
  };
  void collectReads();
  void collectEdges();
  llvm::ArrayRef<Read> readsOf(mlir::Operation *statement) const {
    auto it = reads_.find(statement);
    return it == reads_.end() ? llvm::ArrayRef<Read>() : it->second;
  }

  /// That a group reads another one. The other is named by the number with
  /// which it was collected: it is now a part of some group.
  struct Edge {
    unsigned part;
    bool isDirect;
  };

  mlir::Operation *peak_;
  llvm::SmallVector<Group> groups_;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf_;
  /// The reads of each statement. They are found once, since searches for paths
  /// need them often.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Read>> reads_;
  /// The parts of each group and what they read, and the group of each part.
  /// Searches for paths are so frequent that going through statements would
  /// take a quarter of the compilation of a DenseNet-201.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> parts_;
  llvm::SmallVector<llvm::SmallVector<Edge>> edges_;
  llvm::SmallVector<unsigned> groupOfPart_;
  /// A number for each group that is no smaller than the numbers of the groups
  /// it reads. A search for a path from a producer skips groups with a smaller
  /// number than the producer's, which keeps the search short.
  llvm::SmallVector<unsigned> rank_;
  llvm::SmallVector<llvm::ArrayRef<mlir::Operation *>> order_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPS_H
