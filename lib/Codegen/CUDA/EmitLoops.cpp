// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.loops: any statement, with one thread for each element of its parallel
// space.
#include "lib/Codegen/CUDA/Emitters.h"

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CUDA/ScalarText.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

bool mpc::cuda::isInPlace(FuncOp kernel, const Statement &statement,
                          unsigned output) {
  auto argument = dyn_cast<BlockArgument>(statement.getInit(output));
  if (!argument || argument.getArgNumber() < kernel.getNumInputs())
    return false;
  Value returned =
      kernel.getReturn()
          .getValues()[argument.getArgNumber() - kernel.getNumInputs()];
  return returned == statement.op->getResult(output);
}

/// Whether each parallel iteration writes elements of its own.
static bool isInjective(const Statement &statement) {
  for (const Access &output : statement.outputs) {
    auto linear = getLinear(output.index, statement.numDims());
    if (!linear)
      return false;
    for (unsigned dim = 0; dim < statement.numDims(); ++dim)
      if (!statement.reduced[dim] && linear->strides[dim] == 0)
        return false;
  }
  return true;
}

/// Whether each iteration itself writes all first values that the statement
/// needs in its result.
static bool startsAlone(FuncOp kernel, const Statement &statement) {
  for (unsigned out = 0; out < statement.outputs.size(); ++out)
    if (!statement.coversOutput(out) && !isInPlace(kernel, statement, out) &&
        !isUndefined(statement.getInit(out)))
      return false;
  return true;
}

/// Whether a value is copied, because no statement computes it.
static bool isCopied(Value value) {
  return !isa_and_nonnull<linalg::GenericOp, RankOp, CumsumOp>(
      value.getDefiningOp());
}

int64_t mpc::cuda::countLoopUnits(FuncOp kernel, const Body &body) {
  if (body.statements.size() != 1 ||
      llvm::any_of(kernel.getReturn().getValues(), isCopied))
    return 1;
  const Statement &statement = body.statements.front();
  if (isa<RankOp>(statement.op))
    return statement.numIterations();
  if (statement.generic() &&
      (!isInjective(statement) || !startsAlone(kernel, statement)))
    return 1;
  return statement.numParallel();
}

namespace {

class LoopEmitter {
public:
  LoopEmitter(KernelText &text, const Body &body, LoopsAttr schedule)
      : text_(text), body_(body), schedule_(schedule),
        isAlone_(countLoopUnits(text.kernel, body) == 1) {}
  void emit();

private:
  using Elements = llvm::function_ref<void(const std::string &)>;
  void emitThreads(int64_t count, Elements elements);
  void emitCopy(Value from, Value to);
  void emitInits(const Statement &statement);
  void emitGeneric(Statement statement);
  void emitSerial(const Statement &statement);
  void emitRank(RankOp rank);
  void emitCumsum(CumsumOp cumsum);
  void emitSums(CumsumOp cumsum, const std::string &line);
  void emitElement(const Statement &statement, ArrayRef<std::string> outer);
  void storeResult(const Statement &statement, unsigned output,
                   ArrayRef<std::string> dims, const std::string &value);

  KernelText &text_;
  const Body &body_;
  LoopsAttr schedule_;
  bool isAlone_; ///< Whether one block runs everything, step by step.
};

} // namespace

/// Emits `elements` for each of `count`, one for each thread. A single block
/// runs them in a loop.
void LoopEmitter::emitThreads(int64_t count, Elements elements) {
  const std::string &type = text_.indexType();
  std::string name = text_.makeName("element");
  if (isAlone_)
    return text_.block(
        llvm::formatv("for ({0} {1} = threadIdx.x; {1} < {2}; {1} += {3})",
                      type, name, count, schedule_.getThreads()),
        [&] { elements(name); });
  text_.line("const {0} {1} = {0}(blockIdx.x) * {2} + threadIdx.x;", type, name,
             schedule_.getThreads());
  text_.block(llvm::formatv("if ({0} < {1})", name, count),
              [&] { elements(name); });
}

void LoopEmitter::emitCopy(Value from, Value to) {
  int64_t count = cast<RankedTensorType>(to.getType()).getNumElements();
  emitThreads(count, [&](const std::string &element) {
    text_.store(to, element, text_.load(from, element));
  });
}

/// Writes the first values of results, where the statement does not write all
/// elements, or reads what others wrote.
void LoopEmitter::emitInits(const Statement &statement) {
  bool copied = false;
  for (unsigned out = 0; out < statement.op->getNumResults(); ++out) {
    Value init = statement.getInit(out);
    if (statement.coversOutput(out) || isUndefined(init) ||
        isInPlace(text_.kernel, statement, out))
      continue;
    for (Value where : text_.destinationsOf(statement.op->getResult(out)))
      emitCopy(init, where);
    copied = true;
  }
  if (copied)
    text_.line("mpc_sync_block();");
}

void LoopEmitter::storeResult(const Statement &statement, unsigned output,
                              ArrayRef<std::string> dims,
                              const std::string &value) {
  for (Value where : text_.destinationsOf(statement.op->getResult(output)))
    text_.store(where, text_.index(statement.outputs[output].index, dims),
                value);
}

/// Emits the iterations at `outer`, the parallel dimensions. Sums are kept in
/// registers and stored at the end.
void LoopEmitter::emitElement(const Statement &statement,
                              ArrayRef<std::string> outer) {
  Texts dims, sums;
  SmallVector<unsigned> reduced;
  SmallVector<int64_t> extents;
  for (unsigned dim = 0, next = 0; dim < statement.numDims(); ++dim) {
    dims.push_back(statement.reduced[dim] ? "0" : outer[next++]);
    if (statement.reduced[dim]) {
      reduced.push_back(dim);
      extents.push_back(statement.extents[dim]);
    }
  }
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    Type type =
        cast<RankedTensorType>(output.tensor.getType()).getElementType();
    if (reduced.empty()) {
      sums.push_back(
          statement.readsOutput(number)
              ? text_.load(output.tensor, text_.index(output.index, dims))
              : std::string());
      continue;
    }
    sums.push_back(text_.makeName("sum"));
    std::string first =
        isUndefined(output.tensor)
            ? "0"
            : text_.load(output.tensor, text_.index(output.index, dims));
    text_.line("{0} {1} = {2};", getTypeText(type), sums.back(), first);
  }
  text_.nest(extents, [&](ArrayRef<std::string> at) {
    for (auto [dim, name] : llvm::zip(reduced, at))
      dims[dim] = name;
    Texts arguments;
    for (const Access &input : statement.inputs)
      arguments.push_back(
          text_.load(input.tensor, text_.index(input.index, dims)));
    arguments.append(sums.begin(), sums.end());
    Texts results = text_.region(statement, arguments, dims);
    for (auto [sum, result] : llvm::zip(sums, results))
      if (!reduced.empty())
        text_.line("{0} = {1};", sum, result);
      else
        sum = result;
  });
  for (auto [number, sum] : llvm::enumerate(sums))
    storeResult(statement, number, dims, sum);
}

/// Emits iterations that share elements: one thread runs them in order.
void LoopEmitter::emitSerial(const Statement &statement) {
  text_.block("if (threadIdx.x == 0)", [&] {
    text_.nest(statement.extents, [&](ArrayRef<std::string> dims) {
      Texts arguments;
      for (const Access &input : statement.inputs)
        arguments.push_back(
            text_.load(input.tensor, text_.index(input.index, dims)));
      for (auto [number, output] : llvm::enumerate(statement.outputs)) {
        SmallVector<Value> where =
            text_.destinationsOf(statement.op->getResult(number));
        arguments.push_back(
            text_.load(where.front(), text_.index(output.index, dims)));
      }
      Texts results = text_.region(statement, arguments, dims);
      for (auto [number, result] : llvm::enumerate(results))
        storeResult(statement, number, dims, result);
    });
  });
}

void LoopEmitter::emitGeneric(Statement statement) {
  emitInits(statement);
  if (!isInjective(statement))
    return emitSerial(statement);
  std::vector<Statement> merged = {std::move(statement)};
  mergeDims(merged, 0, merged.front().numDims());
  SmallVector<int64_t> extents;
  for (auto [extent, isReduced] :
       llvm::zip(merged.front().extents, merged.front().reduced))
    if (!isReduced)
      extents.push_back(extent);
  emitThreads(merged.front().numParallel(), [&](const std::string &element) {
    emitElement(merged.front(), text_.delinearize(element, extents));
  });
}

/// Emits ranks by counting: for each element those in its row that come before
/// it.
void LoopEmitter::emitRank(RankOp rank) {
  auto type = cast<RankedTensorType>(rank.getKeys().getType());
  std::string key = "mpc_i" + std::to_string(type.getElementTypeBitWidth());
  auto load = [&](const std::string &at) {
    return key + "(" + text_.load(rank.getKeys(), at) + ")";
  };
  emitThreads(type.getNumElements(), [&](const std::string &element) {
    const std::string &index = text_.indexType();
    std::string own = text_.define(key, "key", load(element));
    std::string first = text_.define(
        index, "first",
        llvm::formatv("{0} / {1} * {1}", element, type.getDimSize(1)));
    text_.line("{0} before = 0;", index);
    text_.block(llvm::formatv("for ({0} at = {1}; at < {1} + {2}; ++at)", index,
                              first, type.getDimSize(1)),
                [&] {
                  std::string other = text_.define(key, "key", load("at"));
                  text_.line("before += {0} < {1} || ({0} == {1} && at < {2});",
                             other, own, element);
                });
    for (Value where : text_.destinationsOf(rank.getResult()))
      text_.store(where, element, "mpc_u64(before)");
  });
}

/// A value of memory as a float of 32 bits at least, and back again.
static std::string widened(Type type, const std::string &value) {
  if (type.isF16() || type.isBF16())
    return llvm::formatv("mpc_{0}_to_f32({1})", type.isF16() ? "f16" : "bf16",
                         value);
  return value;
}
static std::string narrowed(Type type, const std::string &value) {
  if (type.isF16() || type.isBF16())
    return llvm::formatv("mpc_f32_to_{0}({1})", type.isF16() ? "f16" : "bf16",
                         value);
  return value;
}

/// Emits the sums along a line by one thread: `sums` has that of the block so
/// far, those of the blocks in front in their run of blocks, and so on.
void LoopEmitter::emitSums(CumsumOp cumsum, const std::string &line) {
  auto type = cast<RankedTensorType>(cumsum.getInput().getType());
  int64_t size = type.getDimSize(1), inner = type.getDimSize(2);
  Type element = type.getElementType();
  bool isNarrow = element.isF16() || element.isBF16();
  int64_t levels = 1;
  for (int64_t span = CumsumOp::kBlock; span < size; span *= CumsumOp::kBlock)
    ++levels;
  std::string sum = isNarrow ? "float" : getTypeText(element);
  text_.line("{0} sums[{1}] = {{};", sum, levels);
  std::string head = llvm::formatv("for ({0} at = 0; at < {1}; ++at)",
                                   text_.indexType(), size);
  text_.block(head, [&] {
    int64_t span = 1;
    for (int64_t level = 1; level < levels; ++level) {
      span *= CumsumOp::kBlock;
      text_.block(llvm::formatv("if (at % {0} == 0)", span), [&] {
        text_.line("sums[{0}] = sums[{0}] + sums[{1}];", level, level - 1);
        text_.line("sums[{0}] = 0;", level - 1);
      });
    }
    std::string place = text_.define(
        text_.indexType(), "place",
        llvm::formatv("({0} / {1} * {2} + {3}) * {1} + {0} % {1}", line, inner,
                      size,
                      cumsum.getReverse() ? std::to_string(size - 1) + " - at"
                                          : std::string("at")));
    text_.line("sums[0] = sums[0] + {0};",
               widened(element, text_.load(cumsum.getInput(), place)));
    std::string total = "sums[" + std::to_string(levels - 1) + "]";
    for (int64_t level = levels - 1; level-- > 0;)
      total = llvm::formatv("({0} + sums[{1}])", total, level);
    for (Value where : text_.destinationsOf(cumsum.getResult()))
      text_.store(where, place, narrowed(element, total));
  });
}

void LoopEmitter::emitCumsum(CumsumOp cumsum) {
  auto shape = cast<RankedTensorType>(cumsum.getInput().getType()).getShape();
  emitThreads(shape[0] * shape[2],
              [&](const std::string &line) { emitSums(cumsum, line); });
}

void LoopEmitter::emit() {
  for (const Statement &statement : body_.statements)
    if (auto rank = dyn_cast<RankOp>(statement.op))
      emitRank(rank);
    else if (auto cumsum = dyn_cast<CumsumOp>(statement.op))
      emitCumsum(cumsum);
    else
      emitGeneric(statement);
  for (auto [number, value] :
       llvm::enumerate(text_.kernel.getReturn().getValues()))
    if (isCopied(value))
      emitCopy(value, text_.kernel.getDestination(number));
}

LogicalResult mpc::cuda::emitLoops(KernelText &text, const Body &body,
                                   LoopsAttr schedule) {
  if (body.statements.size() > 1)
    return text.kernel.emitOpError("has ")
           << body.statements.size()
           << " statements, of which #cuda.loops runs one: split the kernel, "
              "as "
              "kernel-outline does";
  if (!body.statements.empty() && isa<ScatterOp>(body.statements.front().op))
    return text.kernel.emitOpError("is a scatter, which #cuda.scatter runs");
  LoopEmitter(text, body, schedule).emit();
  return success();
}
