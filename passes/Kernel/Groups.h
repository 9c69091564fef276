// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which structured ops run in one kernel.
#ifndef MPC_PASSES_KERNEL_GROUPS_H
#define MPC_PASSES_KERNEL_GROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mpc::kernel {

/// How the ops of a group share an index space. What kind of kernel comes of
/// them is a matter of the whole body: see kernel::kindOf.
enum class GroupSpace {
  Map,         ///< Elementwise over `shape`.
  Rows,        ///< Also reductions over the last `inner` axes of `shape`.
  Contraction, ///< A contraction with result `shape`, then maps over it.
  Other,       ///< Stands alone.
};

/// Structured ops that become one kernel, in program order.
struct Group {
  GroupSpace space = GroupSpace::Other;
  llvm::SmallVector<int64_t> shape;
  int64_t inner = 0;
  llvm::SmallVector<mlir::Operation *> statements;
};

/// A structured op behind the fills that it alone uses; nothing where `op` is
/// no structured op, or such a fill.
llvm::SmallVector<mlir::Operation *> withItsFills(mlir::Operation *op);

/// The partition of a block's structured ops into kernels: an analysis, the
/// rewriting is Fuse.cpp's. Two groups are joined if they run over one space,
/// read each other element by element or row by row, and no third group lies
/// between them.
class Groups {
public:
  /// Where `peak` is given, the op at which most bytes are live, groups are not
  /// joined where that keeps more of them.
  explicit Groups(mlir::Block &block, mlir::Operation *peak = nullptr);

  /// The ops of each group; the groups in an order that respects uses.
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

  /// A structured op whose result another one uses.
  struct Read {
    mlir::Operation *source;
    bool isDirect; ///< Not through a view or a pack.
  };
  void collectReads();
  void collectEdges();
  llvm::ArrayRef<Read> readsOf(mlir::Operation *statement) const {
    auto it = reads_.find(statement);
    return it == reads_.end() ? llvm::ArrayRef<Read>() : it->second;
  }

  /// That a group reads another, by the number that this was collected with: a
  /// part of what is a group now.
  struct Edge {
    unsigned part;
    bool isDirect;
  };

  mlir::Operation *peak_;
  llvm::SmallVector<Group> groups_;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf_;
  /// Of each statement; found once, since paths are looked for often.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Read>> reads_;
  /// Of each group its parts and what they read, and of each part its group:
  /// paths are looked for so often that statements would take a quarter of the
  /// compilation of a DenseNet-201.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> parts_;
  llvm::SmallVector<llvm::SmallVector<Edge>> edges_;
  llvm::SmallVector<unsigned> groupOfPart_;
  /// Of each group a number that is no smaller than those of the groups it
  /// reads. A search for a path from a producer leaves out what has a smaller
  /// one than the producer, so that it stays near.
  llvm::SmallVector<unsigned> rank_;
  llvm::SmallVector<llvm::ArrayRef<mlir::Operation *>> order_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPS_H
