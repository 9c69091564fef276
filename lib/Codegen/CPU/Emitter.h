// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The common parts of emitters of CPU kernels: the function under
/// construction, the memory of tensors, addresses from affine expressions, and
/// cloning a region's scalar ops on scalars or vectors. See
/// docs/rationale/kernel.md.
#ifndef MPC_LIB_CODEGEN_CPU_EMITTER_H
#define MPC_LIB_CODEGEN_CPU_EMITTER_H

#include "dialects/Kernel/Body.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mpc::cpu {

/// How a region is emitted: on scalars (`width` 0) or on vectors. Only the
/// first `active` lanes of a vector count. The other lanes repeat an active
/// one, so that nothing can trap in them.
struct Lanes {
  int64_t width = 0;
  int64_t active = 0;

  bool isScalar() const { return width == 0; }
  bool isPartial() const { return active != width; }
};

/// Builds `func.func @k(%buffers.., %begin, %end, %scratch)` for one kernel.
/// Every buffer is a flat memref; i1 is stored as one byte, 0 or 1.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, kernel::FuncOp kernel);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  kernel::FuncOp kernel;
  mlir::func::FuncOp function;
  /// The range of chunks to compute.
  mlir::Value begin, end;
  /// Values of the kernel level and their emitted values: scalars for scalars,
  /// flat memrefs for tensors.
  mlir::IRMapping mapping;
  /// Whether every vector begins at a multiple of its width along its
  /// dimension. Its lanes then agree about quotients of positions by multiples
  /// of the width.
  bool hasWholeVectors = false;

  /// Sets the final type of the scratch argument, ends the function and
  /// records `chunks` and the scratch size on it, as `kernel.emitted`.
  void finish(int64_t chunks, int64_t tile);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Scratch memory of this worker for `count` elements.
  mlir::Value allocate(int64_t count, mlir::Type elementType);
  /// The flat memref that holds `tensor`; null if it has no memory.
  mlir::Value getBuffer(mlir::Value tensor);
  void setBuffer(mlir::Value tensor, mlir::Value buffer);
  /// The scalar that all elements of `tensor` equal; null if none is known.
  mlir::Value getSplatValue(mlir::Value tensor);

  /// Element `index` of `tensor`: a load, or its splat.
  mlir::Value load(mlir::Value tensor, mlir::Value index);
  void store(mlir::Value value, mlir::Value buffer, mlir::Value index);

  //===--------------------------------------------------------------------===//
  // Index arithmetic and loops
  //===--------------------------------------------------------------------===//

  mlir::Value constantIndex(int64_t value);
  /// `expr` over `dims`.
  mlir::Value evaluate(mlir::AffineExpr expr, mlir::ValueRange dims);
  /// The multi-index of a row-major position in a space of `extents`.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value position,
                                             llvm::ArrayRef<int64_t> extents);
  /// The first unit of chunk `chunk` when `units` are cut into `chunks`.
  mlir::Value chunkStart(mlir::Value chunk, int64_t units, int64_t chunks);

  enum class Prefetch { Read, Write };
  /// Asks for the cache line of an element of `buffer`, which need not exist.
  void prefetch(mlir::Value buffer, mlir::Value place, Prefetch intent);
  /// The most lines that a micro-tile asks for at a time: those of two tensors
  /// of f32, or its share of a panel.
  static constexpr int64_t kMostPrefetches = 32;
  /// The number of elements of `buffer` in a cache line.
  static int64_t countLineElements(mlir::Value buffer);

  using LoopBody = llvm::function_ref<void(mlir::Value)>;
  void emitLoop(mlir::Value from, mlir::Value to, int64_t step, LoopBody body);
  /// The body of a loop that carries values: it gets the values and returns the
  /// next ones.
  using CarryBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value>
  emitCarryingLoop(std::pair<mlir::Value, mlir::Value> range, int64_t step,
                   mlir::ValueRange values, CarryBody body);
  using NestBody = llvm::function_ref<void(mlir::ValueRange)>;
  /// Loops over all of `extents`, the first outermost.
  void emitNest(llvm::ArrayRef<int64_t> extents, NestBody body);

  //===--------------------------------------------------------------------===//
  // Vectors along one dimension
  //===--------------------------------------------------------------------===//

  /// The elements that `access` reads at `dims`, whose dimension `along` holds
  /// the first of `lanes`: a scalar if all lanes read the same element, else a
  /// vector.
  mlir::Value loadLanes(const kernel::Access &access, mlir::ValueRange dims,
                        unsigned along, Lanes lanes);
  /// Stores the active lanes of `value` at the places of `index`.
  void storeLanes(mlir::Value value, const kernel::Access &access,
                  mlir::ValueRange dims, unsigned along, Lanes lanes);
  /// True on the active lanes.
  mlir::Value createMask(Lanes lanes);
  /// `expr` in all lanes: a scalar, or a vector if it depends on `along`.
  mlir::Value evaluateLanes(mlir::AffineExpr expr, mlir::ValueRange dims,
                            unsigned along, Lanes lanes);

  /// The values of `linalg.index` in a statement's region, where it uses them.
  llvm::SmallVector<mlir::Value> getIndices(const kernel::Statement &statement,
                                            mlir::ValueRange dims,
                                            unsigned along, Lanes lanes);

  //===--------------------------------------------------------------------===//
  // Regions
  //===--------------------------------------------------------------------===//

  /// Clones the region of `op`. An argument or index (one for each of
  /// `linalg.index`'s dimensions) is a scalar where all lanes agree, else a
  /// vector. The same holds for results.
  llvm::SmallVector<mlir::Value> emitRegion(mlir::linalg::GenericOp op,
                                            mlir::ValueRange arguments,
                                            mlir::ValueRange indices,
                                            Lanes lanes);
  /// `value` in all lanes.
  mlir::Value broadcast(mlir::Value value, Lanes lanes);

private:
  mlir::Value loadVector(mlir::Value buffer, mlir::Value index, Lanes lanes);
  mlir::Value loadEverySecond(mlir::Value buffer, mlir::Value first,
                              Lanes lanes);
  /// The flat position of each active lane; the other lanes repeat the last
  /// one.
  llvm::SmallVector<mlir::Value> getPlaces(mlir::AffineExpr index,
                                           mlir::ValueRange dims,
                                           unsigned along, Lanes lanes);
  llvm::SmallVector<mlir::Value>
  readOperands(mlir::Operation &op, mlir::IRMapping &values, Lanes lanes);
  mlir::Value emitOp(mlir::Operation &op, mlir::IRMapping &values, Lanes lanes);
  llvm::SmallVector<mlir::Value>
  emitPhilox(mlir::Operation *op, mlir::IRMapping &values, Lanes lanes);
  /// The flat position that `extract` reads.
  mlir::Value flattenIndex(mlir::tensor::ExtractOp extract,
                           mlir::IRMapping &values, Lanes lanes);
  mlir::Value emitExtract(mlir::Operation &op, mlir::IRMapping &values,
                          Lanes lanes);
  mlir::Value emitExtractedRun(mlir::tensor::ExtractOp extract,
                               mlir::IRMapping &values, Lanes lanes);
  mlir::Value getRunStart(mlir::Value index, int64_t extent, Lanes lanes);
  mlir::Value loadClampedRun(mlir::Value tensor, mlir::Value line,
                             mlir::Value first, int64_t extent, Lanes lanes);

  mlir::Value scratch_;
  int64_t scratchBytes_ = 0;
};

/// How an index moves from one lane to the next.
enum class AccessPattern {
  Uniform,    ///< The index is the same for all lanes.
  Contiguous, ///< The index moves by one element.
  Scattered,  ///< Any other movement.
};
AccessPattern getAccessPattern(mlir::AffineExpr index, unsigned numDims,
                               unsigned along);

/// The type of an element of `type` in memory.
mlir::Type getStorageType(mlir::Type type);
/// Bytes of an element in memory.
int64_t getStorageBytes(mlir::Type type);
/// The flat memref that holds a tensor of `type`.
mlir::MemRefType getFlatType(mlir::RankedTensorType type);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EMITTER_H
