// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides where every tensor of a function lies, before anything is rewritten.
#ifndef MPC_PASSES_KERNEL_MEMORYPLANNER_H
#define MPC_PASSES_KERNEL_MEMORYPLANNER_H

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Kernel/ArenaLayout.h"

#include <optional>

namespace mpc::kernel {

/// Of an element, and of a whole tensor, in memory; an i1 takes a byte.
int64_t elementBytes(mlir::Type tensorType);
int64_t numBytes(mlir::Type tensorType);

/// A range of memory that values lie in: part of the arena, an argument of the
/// function, one of its results' destinations, or a constant.
struct Buffer {
  enum Kind { Arena, Argument, Result, Constant } kind = Arena;
  unsigned index = 0;          ///< Argument, result or arena buffer.
  mlir::ElementsAttr constant; ///< For Constant.
};

/// Where a value lies.
struct Allocation {
  Buffer buffer;
  int64_t offset = 0; ///< Bytes.
};

/// A copy that puts `value` where it has to be; after all launches.
struct FinalCopy {
  mlir::Value value;
  Allocation target;
  /// Where the value waits while other copies run.
  std::optional<Allocation> staging = std::nullopt;
};

/// Decides where every tensor of one function lies.
class MemoryPlanner {
public:
  explicit MemoryPlanner(mlir::func::FuncOp function) : function_(function) {
    for (mlir::Operation &op : function.getBody().front())
      order_[&op] = order_.size();
  }
  mlir::LogicalResult run();
  Allocation place(mlir::Value value) const;
  int64_t arenaSize() const { return size_; }
  int64_t arenaOffset(const Allocation &place) const;
  mlir::ArrayRef<FinalCopy> copies() const { return finalCopies_; }

  /// What must be copied before a launch that updates in place.
  struct InitialCopy {
    LaunchOp launch;
    mlir::Value from;
    Allocation to;
  };
  mlir::ArrayRef<InitialCopy> copiesBefore() const { return initialCopies_; }
  /// A part of a pack that lies elsewhere, and is copied where the pack is.
  mlir::ArrayRef<std::pair<PackOp, unsigned>> copiedParts() const;

private:
  /// The argument that result `index` is tied to: the same slab.
  /// Constants are not written, nor is what a caller only lends: an argument
  /// that no result is tied to.
  bool mayWrite(const Allocation &place);
  void placeResults();
  /// The value that `value` is made over: through views and launches that
  /// update in place.
  static mlir::Value findDestination(mlir::Value value);
  /// Asks that `value` be made at `target`. False where it already has
  /// another place.
  bool request(mlir::Value value, const Allocation &target);
  mlir::LogicalResult placeOperation(mlir::Operation *op);
  Allocation allocateInArena(mlir::Type type);
  /// The pack that `value`, used once, is a part of.
  static PackOp packOf(mlir::Value value, unsigned &part);
  /// The pack's own place, made at its first part.
  Allocation packPlace(PackOp pack);
  void placeLaunch(LaunchOp launch);
  void placePack(PackOp pack);
  /// Every op that uses the memory of an arena buffer is in its lifetime.
  void findLifetimes();

  /// A range of bytes of one buffer.
  struct Range {
    int64_t offset = 0, bytes = 0;

    bool overlaps(const Range &other) const {
      return offset < other.offset + other.bytes &&
             other.offset < offset + bytes;
    }
  };

  /// A write to the memory that a value would have if it were made in place:
  /// result `result` of a launch, or a pack, which copies or zeroes.
  struct Write {
    mlir::Operation *op = nullptr;
    unsigned result = 0;
    Range range;
  };

  /// The writes that make `value` at `offset` of `old`.
  void findWrites(mlir::Value value, int64_t offset, mlir::Value old,
                  mlir::SmallVectorImpl<Write> &writes);
  void findPackWrites(PackOp pack, int64_t offset, mlir::Value old,
                      mlir::SmallVectorImpl<Write> &writes);
  static int64_t byteOffset(ViewOp view);
  /// Whether `value` is what `old` holds at `offset`.
  static bool liesAt(mlir::Value value, int64_t offset, mlir::Value old);
  /// Whether `old` is read where `value`, made in its place, has been written
  /// over it.
  bool isReadAfterWrite(mlir::Value old, mlir::Value value);
  /// Whether `use` reads `range` when `write` may have been done already.
  bool comesTooLate(mlir::OpOperand &use, const Range &range,
                    const Write &write);
  /// Whether the kernel says that `result` may lie in the memory of `input`.
  bool mayAlias(LaunchOp launch, unsigned input, unsigned result);
  /// No copy may write what a later one reads: those to outputs go first, and
  /// what one slab gives to another waits in the arena.
  void orderCopies();

  mlir::func::FuncOp function_;
  mlir::SymbolTableCollection symbols_;
  mlir::DenseMap<mlir::Operation *, int64_t> order_;
  mlir::DenseMap<mlir::Value, Allocation> places_, requested_;
  mlir::DenseMap<mlir::Operation *, Allocation> packPlaces_;
  mlir::SmallVector<ArenaBuffer> arena_;
  mlir::SmallVector<FinalCopy> finalCopies_;
  mlir::SmallVector<InitialCopy> initialCopies_;
  mlir::SmallVector<std::pair<PackOp, unsigned>> partCopies_;
  int64_t size_ = 0;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_MEMORYPLANNER_H
