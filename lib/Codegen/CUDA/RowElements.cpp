// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a row or column: their values, which later passes may need,
// and the loops over them.
#include "dialects/Kernel/Cascade.h"
#include "lib/Codegen/CUDA/RowEmitter.h"
#include "lib/Codegen/CUDA/ScalarText.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The most elements, of all kept values together, that a thread has registers
/// for.
static constexpr int64_t kMaxKept = 32;

std::string mpc::cuda::elementText(Value tensor) {
  return getTypeText(cast<RankedTensorType>(tensor.getType()).getElementType());
}

/// Whether a pass after that of statement `number` reads its `result`.
bool RowEmitter::isReadLater(unsigned number, Value result) {
  return llvm::any_of(llvm::enumerate(rows_.statements), [&](auto later) {
    return passes_.levels[later.index()] > passes_.levels[number] &&
           llvm::is_contained(later.value().op->getOperands(), result);
  });
}

/// Decides whether values for later passes are kept, and which.
void RowEmitter::findKept() {
  SmallVector<Value> values;
  for (auto [number, statement] : llvm::enumerate(rows_.statements))
    for (Value result : statement.op->getResults())
      if (rows_.kinds[number] == StageKind::Map && isReadLater(number, result))
        values.push_back(result);
  keeps_ = each_ * static_cast<int64_t>(values.size()) <= kMaxKept;
  if (!keeps_)
    return;
  for (Value value : values) {
    kept_[value] = text_.makeName("kept");
    text_.line("{0} {1}[{2}];", elementText(value), kept_[value], each_);
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

/// Computes the results of map `number` that `pass` stores or keeps, and keeps
/// the latter.
void RowEmitter::computeResults(int pass, unsigned number) {
  const Statement &statement = rows_.statements[number];
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    bool stores =
        storePass(number, out) == pass && !text_.destinationsOf(result).empty();
    bool keeps = passes_.levels[number] == pass && kept_.contains(result);
    if (stores || keeps)
      (void)read({result, statement.outputs[out].index});
    if (keeps)
      text_.line("{0}[{1}] = {2};", kept_[result], slot_, elements_[result]);
  }
}

/// Stores the results of map `number` whose pass this is.
void RowEmitter::storeResults(int pass, unsigned number) {
  const Statement &statement = rows_.statements[number];
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    if (storePass(number, out) != pass)
      continue;
    for (Value where : text_.destinationsOf(result))
      text_.store(where, text_.index(statement.outputs[out].index, dims_),
                  read({result, statement.outputs[out].index}));
  }
}

/// Emits the maps and sums of `pass` at `element`. All reads come before the
/// first store.
void RowEmitter::emitElement(int pass, const std::string &element) {
  elements_.clear();
  Texts places = text_.delinearize(element, inner_);
  std::copy(places.begin(), places.end(), dims_.begin() + rows_.numOuter);
  for (auto [number, kind] : llvm::enumerate(rows_.kinds)) {
    if (kind == StageKind::Reduction && passes_.levels[number] == pass)
      emitReduction(number);
    if (kind == StageKind::Map)
      computeResults(pass, number);
  }
  for (auto [number, kind] : llvm::enumerate(rows_.kinds))
    if (kind == StageKind::Map)
      storeResults(pass, number);
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
    if (rows_.kinds[number] != StageKind::Reduction ||
        passes_.levels[number] != pass || !hasChains(statement))
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
  auto isCut = [&](auto statement) {
    return rows_.kinds[statement.index()] == StageKind::Reduction &&
           passes_.levels[statement.index()] == pass &&
           hasChains(statement.value());
  };
  // Where values are kept, loops are unrolled. Sums without kept values would
  // be the same.
  if (each_ <= kMaxKept ||
      llvm::none_of(llvm::enumerate(rows_.statements), isCut))
    return {};
  SmallVector<Chains> cascade = getCascade({each_});
  return llvm::map_to_vector(
      llvm::reverse(cascade),
      [](const Chains &chains) -> int64_t { return chains.count; });
}

/// Emits a loop over this thread's elements.
void RowEmitter::emitElements(int pass) {
  if (!keeps_ || kept_.empty())
    return emitChains(pass, getChainLengths(pass), sharing_.first,
                      std::to_string(count_));
  std::string element = text_.makeName("element");
  std::string active = sharing_.active.empty() ? "" : sharing_.active + " && ";
  slot_ = text_.makeName("slot");
  text_.line("#pragma unroll");
  std::string head =
      llvm::formatv("for (int {0} = 0; {0} < {1}; ++{0})", slot_, each_);
  text_.block(head, [&] {
    text_.line("const {0} {1} = {2} + {3} * {4};", text_.indexType(), element,
               sharing_.first, slot_, sharing_.step);
    std::string guard = sharing_.active;
    if (count_ % sharing_.step != 0)
      guard = llvm::formatv("{0}{1} < {2}", active, element, count_);
    if (!guard.empty())
      guard = "if (" + guard + ")";
    text_.block(guard, [&] { emitElement(pass, element); });
  });
}
