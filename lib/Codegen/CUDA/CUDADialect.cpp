// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cuda dialect: which schedule runs which kernels, and the valid numbers of
// a schedule.
#include "lib/Codegen/CUDA/CUDADialect.h"

#include "dialects/Interfaces/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::cuda;
using mpc::kernel::KernelKind;
using mpc::kernel::MultiplyUnit;
using mpc::kernel::OperandLayout;

#include "lib/Codegen/CUDA/CUDADialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Codegen/CUDA/CUDAAttrs.cpp.inc"

void CUDADialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Codegen/CUDA/CUDAAttrs.cpp.inc"
      >();
  // The target's passes are in another library, which calls
  // registerTargetInterface.
  declarePromisedInterface<mpc::kernel::TargetAttrInterface, TargetAttr>();
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

// A contraction with a map on its result has more than one statement.
bool LoopsAttr::fits(KernelKind kind) const {
  return kind != KernelKind::Attention;
}
bool MapAttr::fits(KernelKind kind) const { return kind == KernelKind::Map; }
bool RowsAttr::fits(KernelKind kind) const { return kind == KernelKind::Rows; }
bool ColumnsAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Columns;
}
bool ScatterAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Scatter;
}
bool DotAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Contraction;
}

bool SimtAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Contraction;
}

bool MmaAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Contraction;
}

bool AttentionAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Attention;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

/// A grid's first dimension has 31 bits.
static LogicalResult verifyGrid(EmitError emitError, int64_t chunks,
                                int64_t threads) {
  if (chunks < 1 || chunks > 0x7fffffff)
    return emitError() << chunks << " chunks are not a grid";
  if (threads < 32 || threads > 1024 || threads % 32 != 0)
    return emitError() << threads
                       << " threads are not a block: expected warps of 32, at "
                          "most 1024 threads";
  return success();
}

LogicalResult TargetAttr::verify(EmitError emitError, int64_t arch,
                                 StringAttr letter, bool /*naive*/,
                                 bool /*wide*/, int64_t memory,
                                 bool /*exact*/) {
  if (memory < 0)
    return emitError() << "a step cannot keep " << memory << " bytes";
  if (letter && letter != "a" && letter != "f")
    return emitError() << "an architecture has the letter a or f, not "
                       << letter;
  if (arch >= 75 && arch < 1000)
    return success();
  return emitError() << "sm_" << arch
                     << " is not a target: the lowest is sm_75";
}

TargetAttr TargetAttr::lookup(Operation *op) {
  if (auto target = dyn_cast_or_null<TargetAttr>(mpc::kernel::getTarget(op)))
    return target;
  return get(op->getContext(), /*arch=*/80, /*letter=*/nullptr,
             /*naive=*/false, /*wide=*/false, /*memory=*/0, /*exact=*/false);
}

/// The multiply units of GPUs, each with the first architecture that has it.
static constexpr std::pair<int64_t, MultiplyUnit> kMultiplyUnits[] = {
    {80,
     {"mma.m16n8k16", mpc::Precision::BF16, 16, 8, 16,
      OperandLayout::Matrices}},
    {80,
     {"mma.m16n8k16", mpc::Precision::FP16, 16, 8, 16,
      OperandLayout::Matrices}},
    {75,
     {"mma.m16n8k8", mpc::Precision::FP16, 16, 8, 8, OperandLayout::Matrices}},
    {75, {"fma", mpc::Precision::FP32, 1, 1, 1, OperandLayout::Elements}},
};

SmallVector<MultiplyUnit> TargetAttr::getMultiplyUnits() const {
  SmallVector<MultiplyUnit> units;
  for (const auto &[least, unit] : kMultiplyUnits)
    if (getArch() >= least)
      units.push_back(unit);
  return units;
}

std::string TargetAttr::getArchName() const {
  return "sm_" + std::to_string(getArch()) +
         (getLetter() ? getLetter().str() : "");
}

LogicalResult LoopsAttr::verify(EmitError emitError, int64_t chunks,
                                int64_t threads) {
  return verifyGrid(emitError, chunks, threads);
}

static LogicalResult verifyVector(EmitError emitError, int64_t vector) {
  if (vector >= 1 && vector <= 16 && llvm::isPowerOf2_64(vector))
    return success();
  return emitError() << "a vector of " << vector
                     << " elements: expected a power of two up to 16";
}

LogicalResult MapAttr::verify(EmitError emitError, int64_t chunks,
                              int64_t threads, int64_t vector) {
  if (failed(verifyVector(emitError, vector)))
    return failure();
  return verifyGrid(emitError, chunks, threads);
}

LogicalResult RowsAttr::verify(EmitError emitError, int64_t chunks,
                               int64_t threads, int64_t lanes, int64_t vector) {
  if (lanes != 32 && lanes != threads)
    return emitError() << lanes << " lanes a row: expected a warp or the block";
  if (failed(verifyVector(emitError, vector)))
    return failure();
  return verifyGrid(emitError, chunks, threads);
}

LogicalResult ColumnsAttr::verify(EmitError emitError, int64_t chunks,
                                  int64_t threads) {
  return verifyGrid(emitError, chunks, threads);
}

// Columns divide the block, and its groups of threads divide the rows.
LogicalResult ScatterAttr::verify(EmitError emitError, int64_t chunks,
                                  int64_t threads, int64_t rows,
                                  int64_t columns) {
  if (threads != 256 || columns < 1 || columns > 256 ||
      !llvm::isPowerOf2_64(columns) || rows < 1 ||
      rows % (threads / columns) != 0)
    return emitError() << "a scatter has 256 threads, a power of two of "
                          "columns, and rows for each 256 / columns of them";
  return verifyGrid(emitError, chunks, threads);
}

LogicalResult DotAttr::verify(EmitError emitError, int64_t chunks,
                              int64_t threads) {
  return verifyGrid(emitError, chunks, threads);
}

/// The emitter supports tiles of 64 and 128 rows and columns, with two threads
/// for each row, and one depth.
static LogicalResult verifyTiles(EmitError emitError, int64_t threads,
                                 unsigned rows, ArrayRef<int64_t> tile,
                                 int64_t depth, int64_t stages) {
  if (rows > 1)
    return emitError() << "a contraction has the factors 0 and 1";
  bool isKnown = tile.size() == 2 && tile[1] == depth &&
                 (tile[0] == 64 || tile[0] == 128) && threads == 2 * tile[0];
  if (!isKnown)
    return emitError() << "a tile is [64, " << depth
                       << "] of 128 threads or [128, " << depth << "] of 256";
  if (stages < 2 || stages > 4)
    return emitError() << stages << " stages: expected 2 to 4";
  return success();
}

LogicalResult SimtAttr::verify(EmitError emitError, int64_t chunks,
                               int64_t threads, unsigned rows,
                               ArrayRef<int64_t> tile, int64_t stages) {
  if (failed(verifyTiles(emitError, threads, rows, tile, 16, stages)))
    return failure();
  return verifyGrid(emitError, chunks, threads);
}

LogicalResult MmaAttr::verify(EmitError emitError, int64_t chunks,
                              int64_t threads, unsigned rows,
                              ArrayRef<int64_t> tile, int64_t stages) {
  if (failed(verifyTiles(emitError, threads, rows, tile, 32, stages)))
    return failure();
  return verifyGrid(emitError, chunks, threads);
}

// A warp has tiles of 16 rows; Tensor Cores take 16 rows of a step at a time.
LogicalResult AttentionAttr::verify(EmitError emitError, int64_t chunks,
                                    int64_t threads, ArrayRef<int64_t> tile,
                                    int64_t stages) {
  if (failed(verifyGrid(emitError, chunks, threads)))
    return failure();
  if (stages < 0 || stages > 4)
    return emitError() << stages << " stages: expected 1 to 4, or 0 for loops";
  bool isKnown = tile.size() == 2 && tile[0] > 0 &&
                 tile[0] % (stages == 0 ? threads : threads / 2) == 0 &&
                 llvm::is_contained({16, 32, 64}, tile[1]);
  if (isKnown)
    return success();
  return emitError() << "a tile of attention has rows for each warp, in "
                        "sixteens, and steps of 16, 32 or 64 rows";
}
