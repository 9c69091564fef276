// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides where every tensor of a function lies, before any op is rewritten.
#ifndef MPC_PASSES_KERNEL_MEMORYPLANNER_H
#define MPC_PASSES_KERNEL_MEMORYPLANNER_H

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Kernel/ArenaLayout.h"

#include <optional>

namespace mpc::kernel {

/// The bytes of an element, and of a whole tensor, in memory; an i1 takes a
/// byte.
int64_t elementBytes(mlir::Type tensorType);
int64_t numBytes(mlir::Type tensorType);

/// A range of memory for values: part of the arena, an argument of the
/// function, the destination of one of its results, or a constant.
struct Buffer {
  enum Kind { Arena, Argument, Result, Constant } kind = Arena;
  unsigned index = 0; ///< The number of the argument, result or arena buffer.
  /// The elements of a Constant; null for other kinds.
  mlir::ElementsAttr constant;
};

/// The place of a value.
struct Allocation {
  Buffer buffer;
  int64_t offset = 0; ///< The offset in the buffer, in bytes.
};

/// A copy, after all launches, that brings `value` to its final place.
struct FinalCopy {
  mlir::Value value;
  Allocation target;
  /// The place where the value waits while other copies run; empty for none.
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
  mlir::func::FuncOp function() const { return function_; }
  int64_t arenaSize() const { return size_; }
  int64_t arenaOffset(const Allocation &place) const;
  /// The size of the arena's buffer in which `place` lies.
  int64_t bytesOf(const Allocation &place) const {
    return arena_[place.buffer.index].bytes;
  }
  mlir::ArrayRef<FinalCopy> copies() const { return finalCopies_; }

  /// A copy before a launch that updates it in place.
  struct InitialCopy {
    LaunchOp launch;
    mlir::Value from;
    Allocation to;
  };
  mlir::ArrayRef<InitialCopy> copiesBefore() const { return initialCopies_; }
  /// The memory that the body of a loop needs for itself.
  Allocation bodyPlace(RepeatOp repeat) const { return bodies_.lookup(repeat); }
  /// The parts of packs that lie elsewhere. They are copied at the pack.
  mlir::ArrayRef<std::pair<PackOp, unsigned>> copiedParts() const;

private:
  /// Whether the function may write the memory at `place`. It may not write
  /// constants, nor an argument that no result is tied to, since the caller
  /// only lends that. A result is tied to an argument that is the same slab.
  bool mayWrite(const Allocation &place);
  void placeResults();
  /// The value that `value` overwrites, through views and launches that update
  /// in place.
  static mlir::Value findDestination(mlir::Value value);
  /// Requests that `value` be made at `target`. False where it has another
  /// place already.
  bool request(mlir::Value value, const Allocation &target);
  mlir::LogicalResult placeOperation(mlir::Operation *op);
  Allocation allocateInArena(mlir::Type type);
  /// The pack of which `value`, used once, is a part.
  static PackOp packOf(mlir::Value value, unsigned &part);
  /// The place of the pack, which its first part allocates.
  Allocation packPlace(PackOp pack);
  void placeLaunch(LaunchOp launch);
  void placePack(PackOp pack);
  mlir::LogicalResult placeRepeat(RepeatOp repeat);
  /// The requested place of `value`, or else that as a part of a pack, or else
  /// one of its own in the arena.
  Allocation choosePlace(mlir::Value value);
  /// Cuts the buffer of a pack into pieces: its parts and what lies between.
  void cutIntoPieces(PackOp pack);
  /// Computes lifetimes: every op that uses memory of a piece of an arena
  /// buffer lies in the piece's lifetime.
  void findLifetimes();

  /// A range of bytes of one buffer.
  struct Range {
    int64_t offset = 0, bytes = 0;

    bool overlaps(const Range &other) const {
      return offset < other.offset + other.bytes &&
             other.offset < offset + bytes;
    }
  };

  /// A write to the memory that a value would have if it were made in place: by
  /// result `result` of a launch, or by a pack, which copies or zeroes.
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
  /// Whether `value` is the part of `old` at `offset`.
  static bool liesAt(mlir::Value value, int64_t offset, mlir::Value old);
  /// Whether `old` is read after `value`, made in its place, has overwritten
  /// it.
  bool isReadAfterWrite(mlir::Value old, mlir::Value value);
  /// Whether `use` reads `range` at a time when `write` may have happened
  /// already.
  bool comesTooLate(mlir::OpOperand &use, const Range &range,
                    const Write &write);
  /// Whether the kernel says that `result` may lie in the memory of `input`.
  bool mayAlias(LaunchOp launch, unsigned input, unsigned result);
  /// Orders copies so that none writes what a later one reads: copies to
  /// outputs go first, and a slab's value that goes to another slab waits in
  /// the arena.
  void orderCopies();

  mlir::func::FuncOp function_;
  mlir::SymbolTableCollection symbols_;
  mlir::DenseMap<mlir::Operation *, int64_t> order_;
  mlir::DenseMap<mlir::Value, Allocation> places_, requested_;
  mlir::DenseMap<mlir::Operation *, Allocation> packPlaces_, bodies_;
  mlir::SmallVector<ArenaBuffer> arena_;
  mlir::SmallVector<FinalCopy> finalCopies_;
  mlir::SmallVector<InitialCopy> initialCopies_;
  mlir::SmallVector<std::pair<PackOp, unsigned>> partCopies_;
  int64_t size_ = 0;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_MEMORYPLANNER_H
