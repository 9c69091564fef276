// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of #cuda.rows and #cuda.columns: their units, and the passes of a
// unit.
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/RowEmitter.h"

#include "lib/Codegen/CUDA/ScalarText.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

static Rows readRows(FuncOp kernel, const Body &body) {
  Rows rows = getRows(body);
  mergeRows(rows);
  return rows;
}

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

RowCounts mpc::cuda::countRows(FuncOp kernel, const Body &body) {
  Rows rows = readRows(kernel, body);
  ArrayRef<int64_t> extents = rows.statements.front().extents;
  ArrayRef<int64_t> inner = extents.drop_front(rows.numOuter);
  return {product(extents.take_front(rows.numOuter)) / rows.run, rows.run,
          product(inner), inner.empty() ? 1 : inner.back()};
}

RowEmitter::RowEmitter(KernelText &text, const Body &body, Sharing sharing,
                       int64_t vector)
    : text_(text), rows_(readRows(text.kernel, body)), body_{rows_.statements},
      passes_(getPasses(rows_)), sharing_(std::move(sharing)), vector_(vector),
      width_(vector) {
  ArrayRef<int64_t> extents = rows_.statements.front().extents;
  outer_ = llvm::to_vector(extents.take_front(rows_.numOuter));
  inner_ = llvm::to_vector(extents.drop_front(rows_.numOuter));
  count_ = product(inner_);
  each_ = llvm::divideCeil(count_, sharing_.step * vector_) * vector_;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Declares memory for the partial results of each reduction.
void RowEmitter::declareShared() {
  for (auto [number, statement] : llvm::enumerate(rows_.statements)) {
    if (rows_.kinds[number] != StageKind::Reduction || sharing_.partials == 0)
      continue;
    for (Value result : statement.op->getResults()) {
      shared_[result] = text_.makeName("partial");
      Type type = cast<RankedTensorType>(result.getType()).getElementType();
      text_.declareShared(getTypeText(type), shared_[result], sharing_.partials,
                          getStorageBytes(type));
    }
  }
}

/// Stores the values of `statement`, after all threads have read the memory
/// that it may overwrite.
void RowEmitter::storeUnit(const Statement &statement) {
  SmallVector<std::pair<Value, unsigned>> places;
  SmallVector<Value> destinations;
  for (auto [out, result] : llvm::enumerate(statement.op->getResults()))
    for (Value where : text_.destinationsOf(result)) {
      places.push_back({where, out});
      destinations.push_back(where);
    }
  if (places.empty())
    return;
  if (text_.mayOverwriteInput(destinations))
    text_.line("{0};", sharing_.sync);
  text_.block("if (" + sharing_.leader + ")", [&] {
    for (auto [where, out] : places)
      text_.store(where, text_.index(statement.outputs[out].index, dims_),
                  unitValues_[statement.op->getResult(out)]);
  });
}

/// Declares this thread's sums.
void RowEmitter::startReduction(unsigned number) {
  const Statement &statement = rows_.statements[number];
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    sums_[result] = text_.makeName("part");
    text_.line("{0} {1} = {2};", elementText(result), sums_[result],
               KernelText::neutral(getCombiner(statement, out)));
  }
}

/// Combines the threads' sums into a unit's value.
void RowEmitter::finishReduction(unsigned number) {
  const Statement &statement = rows_.statements[number];
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    Operation *combiner = getCombiner(statement, out);
    std::string type = elementText(result);
    std::string join = llvm::formatv("[]({0} a, {0} b) {{ return {1}; }", type,
                                     text_.join(combiner, "a", "b"));
    std::string whole =
        text_.define(type, "whole",
                     llvm::formatv(sharing_.reduce.c_str(), sums_[result],
                                   shared_.lookup(result), join));
    std::string first = read(statement.outputs[out]);
    unitValues_[result] =
        text_.define(type, "sum", text_.join(combiner, first, whole));
  }
  storeUnit(statement);
}

void RowEmitter::emitRowStatements(int pass) {
  for (auto [number, statement] : llvm::enumerate(rows_.statements)) {
    if (rows_.kinds[number] != StageKind::Row || passes_.levels[number] != pass)
      continue;
    Texts results = text_.region(statement, argumentsOf(statement), dims_);
    for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
      unitValues_[result] = value;
    storeUnit(statement);
  }
}

void RowEmitter::emitPass(int pass) {
  pass_ = pass;
  SmallVector<unsigned> reductions;
  for (auto [number, kind] : llvm::enumerate(rows_.kinds))
    if (kind == StageKind::Reduction && passes_.levels[number] == pass)
      reductions.push_back(number);
  for (unsigned number : reductions)
    startReduction(number);
  emitElements(pass);
  for (unsigned number : reductions)
    finishReduction(number);
  emitRowStatements(pass);
}

/// Sets the outer dimensions to those of row or column `number`.
void RowEmitter::setUnit(const std::string &number) {
  Texts places = text_.delinearize(number, outer_);
  std::copy(places.begin(), places.end(), dims_.begin());
}

void RowEmitter::emitUnit(const std::string &number) {
  setUnit(number);
  unitValues_.clear();
  declareKept();
  emitRowStatements(-1);
  for (int pass = 0; pass < passes_.count; ++pass)
    emitPass(pass);
}

/// Emits the rows of a run, one after another, and the sums over them.
void RowEmitter::emitRunOfRows() {
  std::string first =
      text_.define(text_.indexType(), "first",
                   llvm::formatv("{0} * {1}", sharing_.unit, rows_.run));
  setUnit(first);
  startPartials();
  std::string row = text_.makeName("row");
  text_.line("#pragma unroll 1");
  text_.block(
      llvm::formatv("for (int {0} = 0; {0} < {1}; ++{0})", row, rows_.run),
      [&] {
        emitUnit(llvm::formatv("({0} + {1})", first, row));
        text_.line("{0};", sharing_.sync);
      });
  setUnit(first);
  storePartials();
}

void RowEmitter::emit() {
  dims_.assign(rows_.statements.front().numDims(), "0");
  findKept();
  delayStores();
  chooseWidth();
  declareShared();
  declarePartials();
  text_.block(sharing_.guard, [&] {
    if (rows_.run > 1)
      emitRunOfRows();
    else
      emitUnit(sharing_.unit);
  });
}

LogicalResult mpc::cuda::emitRows(KernelText &text, const Body &body,
                                  RowsAttr schedule) {
  RowCounts counts = countRows(text.kernel, body);
  int64_t threads = schedule.getThreads(), vector = schedule.getVector();
  if (counts.last % vector != 0)
    return text.kernel.emitOpError("has rows whose last axis of ")
           << counts.last << " elements is no multiple of vectors of "
           << vector;
  if (counts.run > 1 && counts.elements > kMostOfRuns * schedule.getLanes())
    return text.kernel.emitOpError("has rows of ")
           << counts.elements << " elements, too many to sum runs of them by "
           << schedule.getLanes() << " threads";
  Sharing sharing = schedule.getLanes() == threads
                        ? shareByBlock(text, threads)
                        : shareByWarp(text, counts.units, threads);
  RowEmitter(text, body, std::move(sharing), vector).emit();
  return success();
}

void mpc::cuda::emitColumns(KernelText &text, const Body &body,
                            ColumnsAttr schedule) {
  int64_t units = countRows(text.kernel, body).units;
  RowEmitter(text, body, shareColumns(text, units, schedule.getThreads()),
             /*vector=*/1)
      .emit();
}
