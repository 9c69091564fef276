// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a row or column: their values, which later passes may need,
// and the loops over them.
#include "dialects/Kernel/Cascade.h"
#include "lib/Codegen/CUDA/RowEmitter.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "lib/Codegen/CUDA/Vectors.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

std::string mpc::cuda::elementText(Value tensor) {
  return getTypeText(cast<RankedTensorType>(tensor.getType()).getElementType());
}

int64_t mpc::cuda::bytesOf(Value tensor) {
  return getStorageBytes(
      cast<RankedTensorType>(tensor.getType()).getElementType());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The index of the current element in the arrays of kept values.
std::string RowEmitter::keptPlace() const {
  return width_ == 1 ? slot_
                     : llvm::formatv("{0} * {1} + {2}", slot_, width_, lane_);
}

std::string RowEmitter::readMemory(const Access &access) {
  Place place(access.tensor, access.index);
  if (auto kept = keptInputs_.find(place); kept != keptInputs_.end())
    return elementOf(access.tensor, kept->second.name + "[" + slot_ + "]",
                     lane_);
  if (std::string vector = vectors_.lookup(place); !vector.empty())
    return elementOf(access.tensor, vector, lane_);
  return text_.load(access.tensor, text_.index(access.index, dims_));
}

std::string RowEmitter::read(const Access &access) {
  if (std::string value = unitValues_.lookup(access.tensor); !value.empty())
    return value;
  std::optional<Producer> producer = getProducer(access.tensor, body_);
  if (!producer)
    return readMemory(access);
  if (!elements_.contains(access.tensor)) {
    std::string array = kept_.lookup(access.tensor);
    if (!array.empty() && passes_.levels[producer->statement] < pass_)
      return array + "[" + keptPlace() + "]";
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

/// Adds the current element to the sums over the run of rows.
void RowEmitter::emitPartial(unsigned number) {
  const Statement &statement = rows_.statements[number];
  Texts arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(read(input));
  Texts sums =
      llvm::map_to_vector(statement.op->getResults(),
                          [&](Value result) { return partialPlace(result); });
  llvm::append_range(arguments, sums);
  Texts results = text_.region(statement, arguments, dims_);
  for (auto [sum, value] : llvm::zip(sums, results))
    text_.line("{0} = {1};", sum, value);
}

/// Computes the results of map `number` that `pass` stores or keeps, and keeps
/// the latter.
void RowEmitter::computeResults(int pass, unsigned number) {
  const Statement &statement = rows_.statements[number];
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    bool isKept = keeps(pass, number, out);
    if (isKept || stores(pass, number, out))
      (void)read({result, statement.outputs[out].index});
    if (isKept)
      text_.line("{0}[{1}] = {2};", kept_[result], keptPlace(),
                 elements_[result]);
  }
}

/// Stores the results of map `number` whose pass this is.
void RowEmitter::storeResults(int pass, unsigned number) {
  const Statement &statement = rows_.statements[number];
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    if (storePass(number, out) != pass)
      continue;
    AffineExpr index = statement.outputs[out].index;
    for (Value where : text_.destinationsOf(result)) {
      std::string value = read({result, index});
      if (std::string made = made_.lookup({where, index}); !made.empty())
        text_.line("{0}.at[{1}] = {2};", made, lane_, value);
      else
        text_.store(where, text_.index(index, dims_), value);
    }
  }
}

/// Emits the maps and sums of `pass` at one element. All reads come before the
/// first store.
void RowEmitter::emitElement(int pass) {
  elements_.clear();
  for (auto [number, kind] : llvm::enumerate(rows_.kinds)) {
    if (kind == StageKind::Reduction && passes_.levels[number] == pass)
      emitReduction(number);
    if (kind == StageKind::Partial && passes_.levels[number] == pass)
      emitPartial(number);
    if (kind == StageKind::Map)
      computeResults(pass, number);
  }
  for (auto [number, kind] : llvm::enumerate(rows_.kinds))
    if (kind == StageKind::Map)
      storeResults(pass, number);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Emits `body` for each of `count` places along the last dimension, `step`
/// elements apart; it gets the number of the place.
void RowEmitter::forEach(llvm::StringRef name, int64_t count, int64_t step,
                         llvm::function_ref<void(const std::string &)> body) {
  std::string first = dims_.back(), number = text_.makeName(name);
  text_.line("#pragma unroll");
  std::string head =
      llvm::formatv("for (int {0} = 0; {0} < {1}; ++{0})", number, count);
  text_.block(head, [&] {
    std::string offset = step == 1 ? "" : " * " + std::to_string(step);
    dims_.back() = "(" + first + " + " + number + offset + ")";
    body(number);
  });
  dims_.back() = first;
}

/// Emits `body` for each element of the current vectors.
void RowEmitter::forEachLane(llvm::function_ref<void()> body) {
  if (width_ == 1)
    return body();
  forEach("at", width_, 1, [&](const std::string &number) {
    lane_ = number;
    body();
  });
  lane_ = "0";
}

/// Reads elements of an input into the array `kept`.
void RowEmitter::keepVector(const Access &access, const std::string &kept) {
  std::string run = kept + "[" + slot_ + "]";
  if (isVector(access))
    return text_.line("{0} = {1};", run,
                      loadVector(text_, access, width_, dims_));
  forEachLane([&] {
    text_.line("{0}.at[{1}] = {2};", run, lane_,
               text_.load(access.tensor, text_.index(access.index, dims_)));
  });
}

/// Reads what `pass` keeps, and what is one access.
void RowEmitter::readVectors(int pass) {
  for (const Access &access : readsOf(pass)) {
    Place place(access.tensor, access.index);
    if (auto kept = keptInputs_.find(place); kept != keptInputs_.end())
      keepVector(access, kept->second.name);
    else if (isVector(access))
      vectors_[place] = text_.define(vectorText(access.tensor, width_), "some",
                                     loadVector(text_, access, width_, dims_));
  }
}

/// Declares the vectors in which `pass` collects what one access stores.
void RowEmitter::declareMade(int pass) {
  for (const Access &access : storesOf(pass)) {
    if (!isVector(access))
      continue;
    std::string name = text_.makeName("made");
    text_.line("{0} {1};", vectorText(access.tensor, width_), name);
    made_[{access.tensor, access.index}] = name;
  }
}

void RowEmitter::storeMade() {
  for (const auto &[place, name] : made_)
    storeVector(text_, {place.first, place.second}, width_, dims_, name);
}

/// Emits the maps and sums of `pass` for the elements of one vector.
void RowEmitter::emitVectors(int pass) {
  readVectors(pass);
  declareMade(pass);
  forEachLane([&] { emitElement(pass); });
  storeMade();
  vectors_.clear();
  made_.clear();
}

/// Emits `body` for each vector of the run that begins at `element`.
void RowEmitter::forEachVector(const std::string &element,
                               llvm::function_ref<void()> body) {
  Texts places = text_.delinearize(element, inner_);
  std::copy(places.begin(), places.end(), dims_.begin() + rows_.numOuter);
  int64_t parts = vector_ / width_;
  if (parts == 1)
    return body();
  std::string run = slot_;
  forEach("part", parts, width_, [&](const std::string &number) {
    slot_ = llvm::formatv("({0} * {1} + {2})", run, parts, number);
    body();
  });
  slot_ = run;
}

/// Emits this thread's elements from `first` to before `end`. Its sums are cut
/// into chains of `lengths`, which are multiples of a run. The longest chains
/// come first, and are cut into the others.
void RowEmitter::emitChains(int pass, ArrayRef<int64_t> lengths,
                            const std::string &first, const std::string &end) {
  std::string element = text_.makeName("element");
  int64_t step = sharing_.step * (lengths.empty() ? vector_ : lengths.front());
  std::string active = sharing_.active.empty() ? "" : sharing_.active + " && ";
  std::string head =
      llvm::formatv("for ({0} {1} = {2}; {3}{1} < {4}; {1} += {5})",
                    text_.indexType(), element, first, active, end, step);
  if (lengths.empty())
    return text_.block(
        head, [&] { forEachVector(element, [&] { emitVectors(pass); }); });
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
  if (kept_.empty() && keptInputs_.empty() && partials_.empty())
    return emitChains(pass, getChainLengths(pass), firstElement(),
                      std::to_string(count_));
  forEachRun([&](const std::string &element) {
    forEachVector(element, [&] { emitVectors(pass); });
  });
}

std::string RowEmitter::firstElement() const {
  return vector_ == 1 ? sharing_.first
                      : sharing_.first + " * " + std::to_string(vector_);
}

/// Emits `body` for each run of this thread, which the registers of a slot are
/// for; it gets the first element.
void RowEmitter::forEachRun(
    llvm::function_ref<void(const std::string &)> body) {
  std::string element = text_.makeName("element");
  std::string active = sharing_.active.empty() ? "" : sharing_.active + " && ";
  slot_ = text_.makeName("slot");
  text_.line("#pragma unroll");
  std::string head = llvm::formatv("for (int {0} = 0; {0} < {1}; ++{0})", slot_,
                                   each_ / vector_);
  text_.block(head, [&] {
    text_.line("const {0} {1} = {2} + {3} * {4};", text_.indexType(), element,
               firstElement(), slot_, sharing_.step * vector_);
    std::string guard = sharing_.active;
    if (count_ % (sharing_.step * vector_) != 0)
      guard = llvm::formatv("{0}{1} < {2}", active, element, count_);
    if (!guard.empty())
      guard = "if (" + guard + ")";
    text_.block(guard, [&] { body(element); });
  });
}

//===----------------------------------------------------------------------===//
// Sums over runs of rows
//===----------------------------------------------------------------------===//

void RowEmitter::forEachPartial(
    llvm::function_ref<void(const Statement &, unsigned, Value)> body) {
  for (auto [number, statement] : llvm::enumerate(rows_.statements))
    if (rows_.kinds[number] == StageKind::Partial)
      for (auto [out, result] : llvm::enumerate(statement.op->getResults()))
        body(statement, out, result);
}

/// Declares memory for the sums over a run of rows: shared, since they are more
/// than a thread has registers for beside a row.
void RowEmitter::declarePartials() {
  forEachPartial([&](const Statement &, unsigned, Value result) {
    partials_[result] = text_.makeName("run");
    text_.declareShared(elementText(result), partials_[result],
                        each_ * sharing_.threads, bytesOf(result));
  });
}

/// This thread's sum of the current element over the run of rows. Neighbouring
/// threads have neighbours, so that they use all banks.
std::string RowEmitter::partialPlace(Value result) {
  return llvm::formatv("{0}[({1}) * {2} + threadIdx.x]", partials_[result],
                       keptPlace(), sharing_.threads);
}

/// Sets this thread's sums over the run of rows to their first values.
void RowEmitter::startPartials() {
  forEachPartialElement(
      [&](const Statement &statement, unsigned out, const std::string &sum) {
        text_.line("{0} = {1};", sum, readMemory(statement.outputs[out]));
      });
}

void RowEmitter::storePartials() {
  forEachPartialElement([&](const Statement &statement, unsigned out,
                            const std::string &sum) {
    for (Value where : text_.destinationsOf(statement.op->getResult(out)))
      text_.store(where, text_.index(statement.outputs[out].index, dims_), sum);
  });
}

/// Emits `body` for each sum over the run of rows and each of this thread's
/// elements; it gets the sum's place.
void RowEmitter::forEachPartialElement(
    llvm::function_ref<void(const Statement &, unsigned, const std::string &)>
        body) {
  forEachRun([&](const std::string &element) {
    forEachVector(element, [&] {
      forEachLane([&] {
        forEachPartial(
            [&](const Statement &statement, unsigned out, Value result) {
              body(statement, out, partialPlace(result));
            });
      });
    });
  });
}
