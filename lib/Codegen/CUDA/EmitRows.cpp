// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.rows and #cuda.columns: maps and reductions over one space. A unit is a
// row or a column. It is computed in passes over its elements: a statement that
// needs the value of a reduction runs in a later pass than the reduction.
//
// Values of elements that a later pass needs stay in registers if they are few;
// otherwise they are computed again.
#include "lib/Codegen/CUDA/Emitters.h"

#include "dialects/Kernel/Cascade.h"
#include "dialects/Kernel/Classify.h"
#include "dialects/Kernel/Rows.h"
#include "lib/Codegen/CUDA/ScalarText.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The most elements, of all kept values together, that a thread has registers
/// for.
static constexpr int64_t kMaxKept = 32;

static Rows readRows(FuncOp kernel, const Body &body) {
  Rows rows = *getRows(kernel, body);
  mergeRows(rows);
  return rows;
}

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

std::pair<int64_t, int64_t> mpc::cuda::countRows(FuncOp kernel,
                                                 const Body &body) {
  Rows rows = readRows(kernel, body);
  ArrayRef<int64_t> extents = rows.statements.front().extents;
  return {product(extents.take_front(rows.numOuter)),
          product(extents.drop_front(rows.numOuter))};
}

namespace {

/// How the threads of a block divide units and elements.
struct Sharing {
  std::string unit; ///< The number of this thread's unit.
  /// The condition in front of the code of a unit that exists; empty where all
  /// do.
  std::string guard;
  std::string active; ///< The condition of loops and stores; empty for none.
  std::string first;  ///< This thread's first element.
  int64_t step;       ///< The distance of this thread's elements.
  /// The condition that is true for the one thread of a unit that stores.
  std::string leader;
  /// The format of the call that combines a unit's partial results. Its
  /// arguments are the value, the memory and the operation.
  std::string reduce;
  /// The number of elements of shared memory that the combination needs; 0 for
  /// none.
  int64_t partials;
  std::string sync; ///< The statement that orders the threads of a unit.
};

class RowEmitter {
public:
  RowEmitter(KernelText &text, const Body &body, Sharing sharing)
      : text_(text), rows_(readRows(text.kernel, body)),
        passes_(getPasses(rows_)), sharing_(std::move(sharing)) {
    ArrayRef<int64_t> extents = rows_.statements.front().extents;
    outer_ = llvm::to_vector(extents.take_front(rows_.numOuter));
    inner_ = llvm::to_vector(extents.drop_front(rows_.numOuter));
  }
  void emit();

private:
  void findKept();
  void declareShared();
  void emitUnit();
  void emitPass(int pass);
  void emitElements(int pass);
  /// A sum while one of its chains is added up, and the value to which the
  /// chain is added.
  struct ChainSum {
    Value result;
    Operation *combiner;
    std::string total;
  };
  SmallVector<ChainSum> startChains(int pass);
  SmallVector<int64_t> getChainLengths(int pass);
  void emitChains(int pass, ArrayRef<int64_t> lengths, const std::string &first,
                  const std::string &end);
  void emitElement(int pass, const std::string &element);
  void emitReduction(unsigned number);
  void finishReduction(unsigned number);
  void emitRowStatements(int pass);
  void storeUnit(const Statement &statement);
  int storePass(unsigned number, unsigned output);
  std::string read(const Access &access);
  bool isOutside(Value tensor) {
    return !getProducer(tensor, Body{rows_.statements});
  }
  Texts argumentsOf(const Statement &statement);
  void computeMap(unsigned number);

  KernelText &text_;
  Rows rows_;
  RowPasses passes_;
  Sharing sharing_;
  SmallVector<int64_t> outer_, inner_;
  bool keeps_ = false;
  Texts dims_;
  DenseMap<Value, std::string> unitValues_; ///< The values of units, by result.
  /// The values of the current element.
  DenseMap<Value, std::string> elements_;
  /// The arrays of values for later passes.
  DenseMap<Value, std::string> kept_;
  DenseMap<Value, std::string> sums_;
  DenseMap<Value, std::string> shared_;
  int pass_ = -1;    ///< The current pass.
  std::string slot_; ///< The index of the current element in kept arrays.
};

} // namespace

static std::string elementText(Value tensor) {
  return getTypeText(cast<RankedTensorType>(tensor.getType()).getElementType());
}

/// Decides whether values for later passes are kept, and which.
void RowEmitter::findKept() {
  int64_t each = llvm::divideCeil(product(inner_), sharing_.step);
  SmallVector<Value> values;
  for (auto [number, statement] : llvm::enumerate(rows_.statements))
    for (Value result : statement.op->getResults())
      if (rows_.roles[number] == Role::Map &&
          llvm::any_of(llvm::enumerate(rows_.statements), [&](auto later) {
            return passes_.levels[later.index()] > passes_.levels[number] &&
                   llvm::is_contained(later.value().op->getOperands(), result);
          }))
        values.push_back(result);
  keeps_ = each * static_cast<int64_t>(values.size()) <= kMaxKept;
  for (Value value : values)
    if (keeps_) {
      kept_[value] = text_.makeName("kept");
      text_.line("{0} {1}[{2}];", elementText(value), kept_[value], each);
    }
}

/// Declares memory for the partial results of each reduction.
void RowEmitter::declareShared() {
  for (auto [number, statement] : llvm::enumerate(rows_.statements)) {
    if (rows_.roles[number] != Role::Reduce || sharing_.partials == 0)
      continue;
    for (Value result : statement.op->getResults()) {
      shared_[result] = text_.makeName("partial");
      Type type = cast<RankedTensorType>(result.getType()).getElementType();
      text_.declareShared(getTypeText(type), shared_[result], sharing_.partials,
                          getStorageBytes(type));
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string RowEmitter::read(const Access &access) {
  if (std::string value = unitValues_.lookup(access.tensor); !value.empty())
    return value;
  std::optional<Producer> producer =
      getProducer(access.tensor, Body{rows_.statements});
  if (!producer)
    return text_.load(access.tensor, text_.index(access.index, dims_));
  if (!elements_.contains(access.tensor)) {
    std::string array = kept_.lookup(access.tensor);
    if (!array.empty() && passes_.levels[producer->statement] < pass_)
      return array + "[" + slot_ + "]";
    computeMap(producer->statement);
  }
  return elements_[access.tensor];
}

Texts RowEmitter::argumentsOf(const Statement &statement) {
  Texts arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(read(input));
  for (auto [number, output] : llvm::enumerate(statement.outputs))
    arguments.push_back(statement.readsOutput(number) ? read(output)
                                                      : std::string());
  return arguments;
}

void RowEmitter::computeMap(unsigned number) {
  const Statement &statement = rows_.statements[number];
  Texts results = text_.region(statement, argumentsOf(statement), dims_);
  for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
    elements_[result] = value;
}

/// The pass in which an output is stored. A later pass that recomputes a value
/// must find its inputs unchanged, so that an output which may lie in an
/// input's memory is stored in the last pass.
int RowEmitter::storePass(unsigned number, unsigned output) {
  Value result = rows_.statements[number].op->getResult(output);
  bool waits = !keeps_ && text_.mayOverwriteInput(text_.destinationsOf(result));
  return waits ? passes_.count - 1 : passes_.levels[number];
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void RowEmitter::emitReduction(unsigned number) {
  const Statement &statement = rows_.statements[number];
  Texts arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(read(input));
  for (Value result : statement.op->getResults())
    arguments.push_back(sums_[result]);
  Texts results = text_.region(statement, arguments, dims_);
  for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
    text_.line("{0} = {1};", sums_[result], value);
}

/// Emits the maps and sums of `pass` at `element`. All reads come before the
/// first store.
void RowEmitter::emitElement(int pass, const std::string &element) {
  elements_.clear();
  Texts places = text_.delinearize(element, inner_);
  std::copy(places.begin(), places.end(), dims_.begin() + rows_.numOuter);
  for (auto [number, role] : llvm::enumerate(rows_.roles)) {
    if (role == Role::Reduce && passes_.levels[number] == pass)
      emitReduction(number);
    if (role != Role::Map)
      continue;
    const Statement &statement = rows_.statements[number];
    for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
      bool stores = storePass(number, out) == pass &&
                    !text_.destinationsOf(result).empty();
      bool keeps = passes_.levels[number] == pass && kept_.contains(result);
      if (stores || keeps)
        (void)read({result, statement.outputs[out].index});
      if (keeps)
        text_.line("{0}[{1}] = {2};", kept_[result], slot_, elements_[result]);
    }
  }
  for (auto [number, statement] : llvm::enumerate(rows_.statements))
    for (auto [out, result] : llvm::enumerate(statement.op->getResults()))
      if (rows_.roles[number] == Role::Map && storePass(number, out) == pass)
        for (Value where : text_.destinationsOf(result))
          text_.store(where, text_.index(statement.outputs[out].index, dims_),
                      read({result, statement.outputs[out].index}));
}

/// Emits this thread's elements from `first` to before `end`. Its sums are cut
/// into chains of `lengths`. The longest chains come first, and are cut into
/// the others.
void RowEmitter::emitChains(int pass, ArrayRef<int64_t> lengths,
                            const std::string &first, const std::string &end) {
  std::string element = text_.makeName("element");
  int64_t step = sharing_.step * (lengths.empty() ? 1 : lengths.front());
  std::string active = sharing_.active.empty() ? "" : sharing_.active + " && ";
  std::string head =
      llvm::formatv("for ({0} {1} = {2}; {3}{1} < {4}; {1} += {5})",
                    text_.indexType(), element, first, active, end, step);
  if (lengths.empty())
    return text_.block(head, [&] { emitElement(pass, element); });
  text_.block(head, [&] {
    SmallVector<ChainSum> sums = startChains(pass);
    std::string last = text_.define(
        text_.indexType(), "last",
        llvm::formatv("{0} - {1} > {2} ? {1} + {2} : {0}", end, element, step));
    emitChains(pass, lengths.drop_front(), element, last);
    for (const ChainSum &sum : sums) {
      text_.line("{0} = {1};", sum.total,
                 text_.join(sum.combiner, sum.total, sums_[sum.result]));
      sums_[sum.result] = sum.total;
    }
  });
}

/// Starts new chains of the sums of `pass` that are cut.
SmallVector<RowEmitter::ChainSum> RowEmitter::startChains(int pass) {
  SmallVector<ChainSum> sums;
  for (auto [number, statement] : llvm::enumerate(rows_.statements)) {
    if (rows_.roles[number] != Role::Reduce || passes_.levels[number] != pass ||
        !hasChains(statement))
      continue;
    for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
      Operation *combiner = getCombiner(statement, out);
      sums.push_back({result, combiner, sums_[result]});
      sums_[result] = text_.makeName("chain");
      text_.line("{0} {1} = {2};", elementText(result), sums_[result],
                 KernelText::neutral(combiner));
    }
  }
  return sums;
}

/// The lengths of the chains into which the sums of `pass` over a thread's
/// elements are cut.
SmallVector<int64_t> RowEmitter::getChainLengths(int pass) {
  int64_t each = llvm::divideCeil(product(inner_), sharing_.step);
  auto isCut = [&](auto statement) {
    return rows_.roles[statement.index()] == Role::Reduce &&
           passes_.levels[statement.index()] == pass &&
           hasChains(statement.value());
  };
  // Where values are kept, loops are unrolled. Sums without kept values would
  // be the same.
  if (each <= kMaxKept ||
      llvm::none_of(llvm::enumerate(rows_.statements), isCut))
    return {};
  SmallVector<Chains> cascade = getCascade({each});
  return llvm::map_to_vector(
      llvm::reverse(cascade),
      [](const Chains &chains) -> int64_t { return chains.count; });
}

/// Emits a loop over this thread's elements.
void RowEmitter::emitElements(int pass) {
  int64_t count = product(inner_);
  if (!keeps_ || kept_.empty())
    return emitChains(pass, getChainLengths(pass), sharing_.first,
                      std::to_string(count));
  std::string element = text_.makeName("element");
  std::string active = sharing_.active.empty() ? "" : sharing_.active + " && ";
  slot_ = text_.makeName("slot");
  text_.line("#pragma unroll");
  std::string head = llvm::formatv("for (int {0} = 0; {0} < {1}; ++{0})", slot_,
                                   llvm::divideCeil(count, sharing_.step));
  text_.block(head, [&] {
    text_.line("const {0} {1} = {2} + {3} * {4};", text_.indexType(), element,
               sharing_.first, slot_, sharing_.step);
    std::string guard = sharing_.active;
    if (count % sharing_.step != 0)
      guard = llvm::formatv("{0}{1} < {2}", active, element, count);
    if (!guard.empty())
      guard = "if (" + guard + ")";
    text_.block(guard, [&] { emitElement(pass, element); });
  });
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

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
    if (rows_.roles[number] != Role::Row || passes_.levels[number] != pass)
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
  for (auto [number, role] : llvm::enumerate(rows_.roles))
    if (role == Role::Reduce && passes_.levels[number] == pass)
      reductions.push_back(number);
  for (unsigned number : reductions) {
    const Statement &statement = rows_.statements[number];
    for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
      sums_[result] = text_.makeName("part");
      text_.line("{0} {1} = {2};", elementText(result), sums_[result],
                 KernelText::neutral(getCombiner(statement, out)));
    }
  }
  emitElements(pass);
  for (unsigned number : reductions)
    finishReduction(number);
  emitRowStatements(pass);
}

void RowEmitter::emitUnit() {
  dims_.assign(rows_.statements.front().numDims(), "0");
  Texts places = text_.delinearize(sharing_.unit, outer_);
  std::copy(places.begin(), places.end(), dims_.begin());
  findKept();
  emitRowStatements(-1);
  for (int pass = 0; pass < passes_.count; ++pass)
    emitPass(pass);
}

void RowEmitter::emit() {
  declareShared();
  text_.block(sharing_.guard, [&] { emitUnit(); });
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

/// Sharing with one warp for each row.
static Sharing shareByWarp(KernelText &text, int64_t units, int64_t threads) {
  Sharing sharing;
  std::string row = text.makeName("row"), lane = text.makeName("lane");
  int64_t rows = threads / 32;
  text.line("const {0} {1} = {0}(blockIdx.x) * {2} + mpc_warp();",
            text.indexType(), row, rows);
  text.line("const int {0} = mpc_lane();", lane);
  sharing.unit = row;
  if (units % rows != 0)
    sharing.guard = llvm::formatv("if ({0} < {1})", row, units);
  sharing.first = lane;
  sharing.step = 32;
  sharing.leader = lane + " == 0";
  sharing.reduce = "mpc_warp_combine({0}, {2})";
  sharing.partials = 0;
  sharing.sync = "mpc_sync_warp(MPC_FULL_WARP)";
  return sharing;
}

/// Sharing with one block for each row.
static Sharing shareByBlock(KernelText &text, int64_t threads) {
  Sharing sharing;
  sharing.unit =
      text.define(text.indexType(), "row", text.indexType() + "(blockIdx.x)");
  sharing.first = text.define("int", "thread", "threadIdx.x");
  sharing.step = threads;
  sharing.leader = sharing.first + " == 0";
  sharing.reduce =
      "mpc_block_combine<" + std::to_string(threads / 32) + ">({0}, {1}, {2})";
  sharing.partials = threads / 32;
  sharing.sync = "mpc_sync_block()";
  return sharing;
}

/// Sharing with one lane for each column. Lanes beyond the last column repeat
/// it, and do not store.
static Sharing shareColumns(KernelText &text, int64_t units, int64_t threads) {
  Sharing sharing;
  std::string wanted =
      text.define(text.indexType(), "wanted",
                  text.indexType() + "(blockIdx.x) * 32 + mpc_lane()");
  sharing.unit = wanted;
  sharing.first = text.define("int", "warp", "mpc_warp()");
  sharing.step = threads / 32;
  sharing.leader = sharing.first + " == 0";
  if (units % 32 != 0) {
    sharing.unit = text.define(
        text.indexType(), "column",
        llvm::formatv("{0} < {1} ? {0} : {2}", wanted, units, units - 1));
    sharing.active = llvm::formatv("{0} < {1}", wanted, units);
    sharing.leader = sharing.active + " && " + sharing.leader;
  }
  sharing.reduce =
      "mpc_column_combine<" + std::to_string(threads / 32) + ">({0}, {1}, {2})";
  sharing.partials = threads == 32 ? 0 : threads;
  if (threads == 32)
    sharing.reduce = "{0}";
  sharing.sync = "mpc_sync_block()";
  return sharing;
}

void mpc::cuda::emitRows(KernelText &text, const Body &body, int64_t threads,
                         int64_t lanes) {
  int64_t units = countRows(text.kernel, body).first;
  Sharing sharing = lanes == threads ? shareByBlock(text, threads)
                                     : shareByWarp(text, units, threads);
  RowEmitter(text, body, std::move(sharing)).emit();
}

void mpc::cuda::emitColumns(KernelText &text, const Body &body,
                            int64_t threads) {
  int64_t units = countRows(text.kernel, body).first;
  RowEmitter(text, body, shareColumns(text, units, threads)).emit();
}
