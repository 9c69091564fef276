// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cpu dialect: which schedule runs which kernels, and the valid numbers of
// a schedule.
#include "lib/Codegen/CPU/CPUDialect.h"

#include "dialects/Interfaces/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::kernel::KernelKind;

#include "lib/Codegen/CPU/CPUDialect.cpp.inc"
#include "lib/Codegen/CPU/CPUEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Codegen/CPU/CPUAttrs.cpp.inc"

void CPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Codegen/CPU/CPUAttrs.cpp.inc"
      >();
  // The target's passes are in another library, which calls
  // registerTargetInterface.
  declarePromisedInterface<mpc::kernel::TargetAttrInterface, TargetAttr>();
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

bool LoopsAttr::fits(KernelKind kind) const {
  return kind != KernelKind::Attention;
}
bool LanesAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Loops;
}
bool ScatterAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Scatter;
}
bool MapAttr::fits(KernelKind kind) const { return kind == KernelKind::Map; }
bool RowsAttr::fits(KernelKind kind) const { return kind == KernelKind::Rows; }
bool ColumnsAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Columns;
}
bool GemmAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Contraction;
}
bool DepthwiseAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Contraction;
}
bool AttentionAttr::fits(KernelKind kind) const {
  return kind == KernelKind::Attention;
}
// A pack leaves zeros between packed elements, so that it is no map.
bool PackAttr::fits(KernelKind kind) const { return kind == KernelKind::Loops; }

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyPositive(EmitError emitError,
                                    ArrayRef<int64_t> numbers) {
  if (llvm::all_of(numbers, [](int64_t number) { return number > 0; }))
    return success();
  return emitError() << "chunks, lanes and sizes must be positive";
}

/// The number of lanes is a power of two, since partial results are combined
/// pairwise.
static LogicalResult verifyVectors(EmitError emitError, int64_t chunks,
                                   int64_t lanes) {
  if (failed(verifyPositive(emitError, {chunks, lanes})))
    return failure();
  if (llvm::isPowerOf2_64(lanes))
    return success();
  return emitError() << "lanes must be a power of two";
}

/// The micro-kernel reads and writes whole vectors.
static LogicalResult verifyPanel(EmitError emitError, int64_t columns,
                                 int64_t lanes) {
  if (columns % lanes == 0)
    return success();
  return emitError() << columns
                     << " columns of a micro-tile are not a multiple "
                     << "of " << lanes << " lanes";
}

/// A unit works on vectors of its own size.
static LogicalResult verifyUnit(EmitError emitError, int64_t lanes, Unit unit) {
  if (unit == Unit::FMA || lanes == 16)
    return success();
  return emitError() << "the unit " << stringifyUnit(unit)
                     << " has vectors of 16 lanes, not " << lanes;
}

LogicalResult TargetAttr::verify(EmitError emitError, int64_t lanes,
                                 bool /*naive*/, Unit bf16,
                                 std::optional<int64_t> memory) {
  if (failed(verifyVectors(emitError, /*chunks=*/1, lanes)))
    return failure();
  if (memory.value_or(0) < 0)
    return emitError() << "a step cannot keep " << *memory << " bytes";
  return verifyUnit(emitError, lanes, bf16);
}

LogicalResult LoopsAttr::verify(EmitError emitError, int64_t chunks,
                                Unit /*bf16*/, int64_t lanes) {
  return verifyVectors(emitError, chunks, lanes);
}

LogicalResult LanesAttr::verify(EmitError emitError, int64_t chunks,
                                int64_t lanes) {
  return verifyVectors(emitError, chunks, lanes);
}

LogicalResult ScatterAttr::verify(EmitError emitError, int64_t chunks,
                                  int64_t lanes, int64_t block,
                                  std::optional<int64_t> rows) {
  if (failed(verifyVectors(emitError, chunks, lanes)) ||
      failed(verifyPositive(emitError, {block, rows.value_or(1)})))
    return failure();
  if (block < lanes || block % lanes == 0)
    return success();
  return emitError() << "a block of " << block
                     << " columns is not whole vectors of " << lanes;
}

LogicalResult MapAttr::verify(EmitError emitError, int64_t chunks,
                              int64_t lanes) {
  return verifyVectors(emitError, chunks, lanes);
}

LogicalResult RowsAttr::verify(EmitError emitError, int64_t chunks,
                               int64_t lanes) {
  return verifyVectors(emitError, chunks, lanes);
}

LogicalResult ColumnsAttr::verify(EmitError emitError, int64_t chunks,
                                  int64_t lanes) {
  return verifyVectors(emitError, chunks, lanes);
}

LogicalResult GemmAttr::verify(EmitError emitError, int64_t chunks,
                               int64_t lanes, unsigned rows,
                               std::optional<unsigned> packed,
                               ArrayRef<int64_t> tile, ArrayRef<int64_t> micro,
                               int64_t rowPieces, int64_t columnPieces,
                               Unit unit, RowLayout rowLayout) {
  if (rows > 1 || packed.value_or(0) > 1)
    return emitError() << "a contraction has the factors 0 and 1";
  if (rowLayout == RowLayout::InPlace && packed == rows)
    return emitError() << "rows that are read in place are not packed";
  if (rowLayout == RowLayout::Windows && packed != 1 - rows)
    return emitError() << "columns beside rows in windows are packed";
  if (tile.size() != 3 || micro.size() != 2)
    return emitError() << "a tile is rows, columns and k, a micro-tile rows "
                          "and columns";
  if (failed(verifyPositive(emitError, tile)) ||
      failed(verifyPositive(emitError, micro)) ||
      failed(verifyPositive(emitError, {rowPieces, columnPieces})) ||
      failed(verifyVectors(emitError, chunks, lanes)) ||
      failed(verifyUnit(emitError, lanes, unit)))
    return failure();
  return verifyPanel(emitError, micro[1], lanes);
}

LogicalResult DepthwiseAttr::verify(EmitError emitError, int64_t chunks,
                                    int64_t lanes, int64_t cut, int64_t tile,
                                    ArrayRef<int64_t> block) {
  if (cut < 0)
    return emitError() << "counts of dimensions cannot be negative";
  if (block.size() != 2)
    return emitError() << "a block is rows and columns";
  if (failed(verifyPositive(emitError, block)) ||
      failed(verifyPositive(emitError, tile)) ||
      failed(verifyVectors(emitError, chunks, lanes)))
    return failure();
  if (lanes % 4 == 0)
    return success();
  return emitError() << "channels are transposed by fours, not by " << lanes;
}

LogicalResult AttentionAttr::verify(EmitError emitError, int64_t chunks,
                                    int64_t lanes, int64_t pieces,
                                    ArrayRef<int64_t> block,
                                    ArrayRef<int64_t> micro, Unit unit,
                                    bool /*scalar*/) {
  if (block.size() != 2 || micro.size() != 2)
    return emitError() << "a block is queries and keys, a micro-tile rows and "
                          "columns";
  if (failed(verifyPositive(emitError, {pieces})) ||
      failed(verifyPositive(emitError, block)) ||
      failed(verifyPositive(emitError, micro)) ||
      failed(verifyVectors(emitError, chunks, lanes)) ||
      failed(verifyUnit(emitError, lanes, unit)))
    return failure();
  if (block[0] % micro[0] != 0 || block[1] % micro[0] != 0 ||
      block[1] % micro[1] != 0)
    return emitError() << "a block is whole micro-tiles";
  return verifyPanel(emitError, micro[1], lanes);
}

LogicalResult PackAttr::verify(EmitError emitError, int64_t chunks,
                               int64_t lanes, int64_t batch, int64_t outer,
                               int64_t tile, int64_t block, int64_t panel,
                               int64_t depth, int64_t run) {
  if (batch < 0 || outer < 0 || panel < 0)
    return emitError() << "counts of dimensions cannot be negative";
  if (depth != 1 && depth != 2)
    return emitError() << "a step of a unit takes 1 or 2 k, not " << depth;
  if (failed(verifyPositive(emitError, {tile, block, run})) ||
      failed(verifyVectors(emitError, chunks, lanes)))
    return failure();
  // Blocks of 8 steps are transposed.
  if (run % (8 * depth) != 0 && run != INT64_MAX)
    return emitError() << "a run of " << run << " k is no whole blocks of "
                       << 8 * depth;
  return verifyPanel(emitError, panel, lanes);
}
