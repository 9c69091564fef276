// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads statements as a list of stages over a common outer space.
#include "dialects/Kernel/Stages.h"

#include "dialects/Kernel/Cascade.h"
#include "dialects/Kernel/Contraction.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

bool Stages::has(StageKind kind) const {
  return llvm::any_of(list,
                      [&](const Stage &stage) { return stage.kind == kind; });
}

// Points of fewer elements than this leave most lanes of a vector empty.
static constexpr int64_t kLeastRow = 4;

bool Stages::goesByColumns() const {
  int64_t elements =
      computeProduct(llvm::ArrayRef(extents).drop_front(numOuter));
  return numOuter != 0 && (!lastIsReduced || elements < kLeastRow);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class StagesReader {
public:
  explicit StagesReader(ArrayRef<const Statement *> statements)
      : statements_(statements) {}
  std::optional<Stages> read();

private:
  /// A statement as a stage, if its reads allow that.
  struct Form {
    StageKind kind;
    SmallVector<unsigned> dims;
    int64_t run = 1; ///< See Stages.
  };

  bool findSpace();
  void setSpace(ArrayRef<int64_t> loops, ArrayRef<bool> reduced);
  bool place(const Statement &statement);
  std::optional<Form> formOfContraction(const Contraction &contraction) const;
  std::optional<Form> formOfPartial(const Statement &statement) const;
  SmallVector<Form> formsOf(const Statement &statement) const;
  std::optional<SmallVector<unsigned>>
  dimsByStrides(const Statement &statement) const;
  SmallVector<AffineExpr> placesIn(const Form &form,
                                   MLIRContext *context) const;
  Statement reorder(const Statement &statement, const Form &form) const;

  const Stage *writerOf(Value tensor) const;
  bool isOfMemory(Value tensor) const;
  bool isForwarded(const Access &read, const Stage &reader) const;
  bool checkReads(const Stage &stage) const;

  ArrayRef<const Statement *> statements_;
  Stages stages_;
  /// The loops that define the whole space: their extents, whether they are
  /// reduced over, and the dimension of the space for each.
  SmallVector<int64_t> loops_;
  SmallVector<bool> reduced_;
  SmallVector<unsigned> position_;
};

} // namespace

/// The loop over a run, where `statement` may be a Partial: the only one that
/// is reduced, with others before and behind it, of one chain.
static std::optional<unsigned> findRun(const Statement &statement) {
  const bool *run = llvm::find(statement.reduced, true);
  unsigned dim = run - statement.reduced.begin();
  if (llvm::count(statement.reduced, true) != 1 || dim == 0 ||
      dim + 1 == statement.numDims() ||
      !getCascade(statement.extents[dim]).empty())
    return std::nullopt;
  return dim;
}

/// The space is that of the first reduction that is no Partial, if there is
/// one, or of the first reduction, or that of the first contraction's result,
/// or that of all maps.
bool StagesReader::findSpace() {
  const Statement *reduction = nullptr, *partial = nullptr;
  std::optional<Contraction> contraction;
  for (const Statement *statement : statements_) {
    if (!statement->generic())
      return false;
    if (reduction || statement->isParallel())
      continue;
    std::optional<Contraction> match = matchContraction(*statement);
    const Statement *&found = findRun(*statement) ? partial : reduction;
    if (!match && !found)
      found = statement;
    else if (match && !contraction)
      contraction = std::move(match);
  }
  if (!reduction)
    reduction = partial;
  if (reduction) {
    setSpace(reduction->extents, reduction->reduced);
    return true;
  }
  SmallVector<int64_t> loops = statements_.front()->extents;
  if (contraction)
    loops =
        llvm::map_to_vector(contraction->getResultDims(), [&](unsigned dim) {
          return contraction->statement.extents[dim];
        });
  setSpace(loops, SmallVector<bool>(loops.size(), false));
  return true;
}

void StagesReader::setSpace(ArrayRef<int64_t> loops, ArrayRef<bool> reduced) {
  loops_.assign(loops.begin(), loops.end());
  reduced_.assign(reduced.begin(), reduced.end());
  stages_.numOuter = llvm::count(reduced, false);
  stages_.extents.resize(loops.size());
  unsigned outer = 0, inner = stages_.numOuter;
  for (auto [dim, isReduced] : llvm::enumerate(reduced)) {
    position_.push_back(isReduced ? inner++ : outer++);
    stages_.extents[position_.back()] = loops[dim];
    if (isReduced)
      stages_.followsReduced.push_back(dim != 0 && reduced[dim - 1]);
  }
  stages_.lastIsReduced = !reduced.empty() && reduced.back();
}

/// Each dimension of a statement, by those of the space.
SmallVector<AffineExpr> StagesReader::placesIn(const Form &form,
                                               MLIRContext *context) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : form.dims)
    exprs.push_back(getAffineDimExpr(dim, context));
  if (exprs.size() > stages_.extents.size() &&
      form.kind == StageKind::Partial) {
    unsigned last = stages_.numOuter - 1;
    exprs[last] = exprs[last].floorDiv(form.run);
    exprs[last + 1] = exprs[last + 1] % form.run;
  }
  return exprs;
}

/// Expresses `statement` in the space: its dimension d becomes dims[d].
Statement StagesReader::reorder(const Statement &statement,
                                const Form &form) const {
  ArrayRef<unsigned> dims = form.dims;
  Statement result = statement;
  result.extents = stages_.extents;
  for (unsigned dim : dims)
    if (dim >= result.extents.size())
      result.extents.resize(dim + 1);
  result.reduced.assign(result.extents.size(), false);
  if (form.kind != StageKind::Partial)
    for (auto [old, now] : llvm::enumerate(dims)) {
      result.extents[now] = statement.extents[old];
      result.reduced[now] = statement.reduced[old];
    }
  if (llvm::equal(dims, llvm::seq<unsigned>(0, dims.size())))
    return result;
  SmallVector<AffineExpr> exprs = placesIn(form, statement.op->getContext());
  auto replace = [&](AffineExpr &expr) {
    expr =
        simplifyAffineExpr(expr.replaceDims(exprs), result.extents.size(), 0);
  };
  for (Access &input : result.inputs)
    replace(input.index);
  for (Access &output : result.outputs)
    replace(output.index);
  for (AffineExpr &index : result.indices)
    replace(index);
  return result;
}

/// A contraction whose result has the whole space, or at least its outer part
/// in front. Its other dimensions are its own.
std::optional<StagesReader::Form>
StagesReader::formOfContraction(const Contraction &contraction) const {
  const Statement &statement = contraction.statement;
  SmallVector<unsigned> result = contraction.getResultDims();
  auto extentsAre = [&](ArrayRef<int64_t> extents) {
    return result.size() >= extents.size() &&
           llvm::all_of(llvm::seq<size_t>(0, extents.size()), [&](size_t i) {
             return statement.extents[result[i]] == extents[i];
           });
  };
  bool isWhole = result.size() == loops_.size() && extentsAre(loops_);
  if (!isWhole &&
      !extentsAre(ArrayRef(stages_.extents).take_front(stages_.numOuter)))
    return std::nullopt;
  SmallVector<std::optional<unsigned>> dims(statement.numDims());
  unsigned shared = isWhole ? loops_.size() : stages_.numOuter;
  for (unsigned i = 0; i < shared; ++i)
    dims[result[i]] = isWhole ? position_[i] : i;
  Form form{StageKind::Contraction, {}};
  unsigned own = stages_.extents.size();
  for (std::optional<unsigned> dim : dims)
    form.dims.push_back(dim ? *dim : own++);
  return form;
}

/// Where `stage` writes `tensor`, one of its results.
static const Access &writeOf(const Stage &stage, Value tensor) {
  return stage.statement.outputs[cast<OpResult>(tensor).getResultNumber()];
}

/// The outer dimension for each of a map's, found by the steps that both take
/// through a tensor: one that the map reads, or one of its result's shape.
std::optional<SmallVector<unsigned>>
StagesReader::dimsByStrides(const Statement &statement) const {
  auto match =
      [&](const Access &access,
          const Access &write) -> std::optional<SmallVector<unsigned>> {
    std::optional<Linear> from = getLinear(access.index, statement.numDims());
    std::optional<Linear> to = getLinear(write.index, stages_.extents.size());
    if (!from || !to || from->offset != 0)
      return std::nullopt;
    SmallVector<unsigned> dims;
    for (int64_t stride : from->strides) {
      const int64_t *place = llvm::find(to->strides, stride);
      if (stride == 0 || place == to->strides.end())
        return std::nullopt;
      dims.push_back(place - to->strides.begin());
    }
    return dims;
  };
  for (const Access &input : statement.inputs)
    if (const Stage *writer = writerOf(input.tensor))
      if (auto dims = match(input, writeOf(*writer, input.tensor)))
        return dims;
  const Access &result = stages_.list.front().statement.outputs.front();
  const Access &output = statement.outputs.front();
  if (output.tensor.getType() == result.tensor.getType())
    return match(output, result);
  return std::nullopt;
}

/// A reduction over runs of the last outer dimension, whose other loops are
/// those of the space. It has no loop over runs where there is one run.
std::optional<StagesReader::Form>
StagesReader::formOfPartial(const Statement &statement) const {
  std::optional<unsigned> run = findRun(statement);
  unsigned numOuter = stages_.numOuter;
  if (!run || numOuter == 0 || numOuter == stages_.extents.size() ||
      !llvm::is_sorted(reduced_))
    return std::nullopt;
  SmallVector<int64_t> loops(statement.extents);
  Form form{StageKind::Partial, {}, statement.extents[*run]};
  bool hasRuns = *run == numOuter;
  if (hasRuns) {
    loops[numOuter - 1] *= loops[numOuter];
    loops.erase(loops.begin() + numOuter);
  }
  if (*run + 1 < numOuter || loops != stages_.extents)
    return std::nullopt;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    form.dims.push_back(hasRuns && dim >= numOuter ? dim - 1 : dim);
  return form;
}

/// The forms that `statement` may have by its loops alone.
SmallVector<StagesReader::Form>
StagesReader::formsOf(const Statement &statement) const {
  SmallVector<Form> forms;
  if (std::optional<Contraction> contraction = matchContraction(statement)) {
    if (std::optional<Form> form = formOfContraction(*contraction))
      forms.push_back(std::move(*form));
    return forms;
  }
  ArrayRef<int64_t> extents = statement.extents;
  if (extents == ArrayRef(loops_) &&
      (statement.isParallel() || statement.reduced == reduced_))
    forms.push_back(
        {statement.isParallel() ? StageKind::Map : StageKind::Reduction,
         position_});
  if (!statement.isParallel()) {
    if (std::optional<Form> form = formOfPartial(statement))
      forms.push_back(std::move(*form));
    return forms;
  }
  bool hasInner = stages_.numOuter != stages_.extents.size();
  if (hasInner &&
      extents == ArrayRef(stages_.extents).take_front(stages_.numOuter))
    forms.push_back(
        {StageKind::Row, llvm::to_vector(llvm::seq(stages_.numOuter))});
  // The loops of a map on a contraction may be in any order.
  if (!hasInner && !stages_.list.empty() &&
      stages_.list.front().kind == StageKind::Contraction &&
      extents.size() == stages_.extents.size())
    if (auto dims = dimsByStrides(statement))
      forms.push_back({StageKind::Map, *dims});
  return forms;
}

/// The stage that computes `tensor`; null where none of the list does.
const Stage *StagesReader::writerOf(Value tensor) const {
  for (const Stage &stage : stages_.list)
    if (stage.statement.op == tensor.getDefiningOp())
      return &stage;
  return nullptr;
}

/// Whether a contraction, at each point, reads only what the same point wrote:
/// both step alike through the tensor along outer dimensions, and each further
/// step of the read is another one of the write, of no greater extent.
static bool isOfSamePoint(const Access &read, const Statement &reader,
                          const Access &write, const Statement &writer,
                          unsigned numOuter) {
  std::optional<Linear> from = getLinear(read.index, reader.numDims());
  std::optional<Linear> to = getLinear(write.index, writer.numDims());
  if (!from || !to || from->offset != to->offset)
    return false;
  llvm::SmallBitVector taken(writer.numDims());
  auto isStepOfWrite = [&](unsigned dim) {
    for (unsigned i = numOuter; i < writer.numDims(); ++i)
      if (to->strides[i] == from->strides[dim] && !taken.test(i)) {
        taken.set(i);
        return reader.extents[dim] <= writer.extents[i];
      }
    return false;
  };
  for (unsigned dim = 0; dim < reader.numDims(); ++dim)
    if (dim < numOuter ? from->strides[dim] != to->strides[dim]
                       : from->strides[dim] != 0 && !isStepOfWrite(dim))
      return false;
  return true;
}

/// Whether `tensor` is nothing that a statement computes, nor a view of that.
bool StagesReader::isOfMemory(Value tensor) const {
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getSource();
  return llvm::none_of(statements_, [&](const Statement *statement) {
    return statement->op == tensor.getDefiningOp();
  });
}

/// Whether `read` comes from memory or from the same point of an earlier stage.
/// A value of each element and one of the point never have the same index. That
/// of a run is known when all its points are computed, and so to none of them.
bool StagesReader::isForwarded(const Access &read, const Stage &reader) const {
  const Stage *writer = writerOf(read.tensor);
  if (!writer)
    return isOfMemory(read.tensor);
  if (writer->kind == StageKind::Partial)
    return false;
  const Access &write = writeOf(*writer, read.tensor);
  if (reader.kind == StageKind::Contraction)
    return isOfSamePoint(read, reader.statement, write, writer->statement,
                         stages_.numOuter);
  return write.index == read.index;
}

/// Whether all reads of `stage` are forwarded, and its combinations known.
bool StagesReader::checkReads(const Stage &stage) const {
  bool combines =
      stage.kind == StageKind::Reduction || stage.kind == StageKind::Partial;
  for (const Access &input : stage.statement.inputs)
    if (!isForwarded(input, stage))
      return false;
  for (auto [number, output] : llvm::enumerate(stage.statement.outputs)) {
    if (combines && !getCombiner(stage.statement, number))
      return false;
    if (stage.statement.readsOutput(number) && !isForwarded(output, stage))
      return false;
  }
  return true;
}

bool StagesReader::place(const Statement &statement) {
  for (Form &form : formsOf(statement)) {
    Stage stage{form.kind, reorder(statement, form), std::move(form.dims)};
    bool isOfRun = stages_.run == 1 || form.run == 1 || form.run == stages_.run;
    if (!isOfRun || !checkReads(stage))
      continue;
    stages_.run = std::max(stages_.run, form.run);
    stages_.list.push_back(std::move(stage));
    return true;
  }
  return false;
}

std::optional<Stages> StagesReader::read() {
  if (statements_.empty() || !findSpace())
    return std::nullopt;
  stages_.list.reserve(statements_.size());
  for (const Statement *statement : statements_)
    if (!place(*statement))
      return std::nullopt;
  return std::move(stages_);
}

std::optional<Stages>
mpc::kernel::getStages(ArrayRef<const Statement *> statements) {
  return StagesReader(statements).read();
}

std::optional<Stages> mpc::kernel::getStages(const Body &body) {
  return getStages(llvm::map_to_vector(
      body.statements, [](const Statement &statement) { return &statement; }));
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// Whether the epilogue of a contraction can compute `stage`: it is a map by
/// addresses that are linear, it writes all elements, and it uses no position.
static bool isOfEpilogue(const Stage &stage) {
  const Statement &statement = stage.statement;
  auto isLinear = [&](const Access &access) {
    return getLinear(access.index, statement.numDims()).has_value();
  };
  if (stage.kind != StageKind::Map || statement.readsByIndex() ||
      statement.generic().hasIndexSemantics() ||
      !llvm::all_of(statement.inputs, isLinear))
    return false;
  return llvm::all_of(llvm::seq<unsigned>(0, statement.outputs.size()),
                      [&](unsigned number) {
                        return isLinear(statement.outputs[number]) &&
                               statement.coversOutput(number);
                      });
}

KernelKind mpc::kernel::getKind(const Stages &stages) {
  if (stages.list.front().kind == StageKind::Contraction)
    return llvm::all_of(llvm::drop_begin(stages.list), isOfEpilogue)
               ? KernelKind::Contraction
               : KernelKind::Loops;
  if (stages.has(StageKind::Contraction))
    return KernelKind::Loops;
  if (!stages.has(StageKind::Reduction))
    return KernelKind::Map;
  if (!stages.goesByColumns())
    return KernelKind::Rows;
  return stages.has(StageKind::Partial) ? KernelKind::Loops
                                        : KernelKind::Columns;
}
