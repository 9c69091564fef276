// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds loops, whose bodies are functions.
#include "lib/Import/Build/Loops.h"

#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace mpc::build {
namespace {

/// Builds the function that is the body of a loop.
class BodyWriter {
public:
  BodyWriter(TensorBuilder &b, const Loop &loop) : b_(b), loop_(loop) {}

  /// Creates the function and lets `body` fill it. Empty, and without a
  /// function, where it cannot be repeated.
  std::optional<Turn>
  write(function_ref<std::optional<Turn>(const Turn &)> body);
  func::FuncOp function() const { return function_; }
  /// The values from outside that the body reads. They are its last arguments.
  ArrayRef<Value> constants() const { return constants_; }

private:
  Operand addArgument(const Operand &like, ArrayRef<int64_t> shape);
  Turn addArguments();
  void createFunction();
  bool isRepeatable(const Turn &result) const;
  void finish(const Turn &result);
  void takeFromOutside();

  TensorBuilder &b_;
  const Loop &loop_;
  func::FuncOp function_;
  SmallVector<Value> constants_;
};

} // namespace

Operand BodyWriter::addArgument(const Operand &like, ArrayRef<int64_t> shape) {
  return b_.fromValue(function_.getBody().front().addArgument(
      b_.tensorType(like.type, shape), b_.location()));
}

Turn BodyWriter::addArguments() {
  Turn turn;
  for (const Operand &init : loop_.inits)
    turn.carried.push_back(addArgument(init, init.shape));
  for (const Operand &stack : loop_.stacks)
    turn.entries.push_back(
        addArgument(stack, ArrayRef(stack.shape).drop_front()));
  return turn;
}

/// Makes values from outside arguments, and repeats constants inside.
void BodyWriter::takeFromOutside() {
  Region &region = function_.getBody();
  DenseMap<Value, Value> inside;
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  auto take = [&](OpOperand &operand) {
    Value value = operand.get();
    if (region.isAncestor(value.getParentRegion()))
      return;
    Value &known = inside[value];
    Operation *source = value.getDefiningOp();
    if (!known && source && matchPattern(source, m_Constant())) {
      known = builder.clone(*source)->getResult(0);
    } else if (!known) {
      known = region.front().addArgument(value.getType(), value.getLoc());
      constants_.push_back(value);
    }
    operand.set(known);
  };
  function_.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      take(operand);
  });
}

void BodyWriter::createFunction() {
  OpBuilder &builder = b_.builder();
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  builder.setInsertionPointToEnd(module.getBody());
  function_ = func::FuncOp::create(builder, b_.location(), loop_.name,
                                   builder.getFunctionType({}, {}));
  function_.setPrivate();
  SymbolTable(module).insert(function_);
  builder.setInsertionPointToStart(function_.addEntryBlock());
}

/// Whether all turns do the same, and leave nothing behind but their results.
bool BodyWriter::isRepeatable(const Turn &result) const {
  auto isSame = [](const Operand &a, const Operand &b) {
    return a.type == b.type && a.shape == b.shape;
  };
  if (!llvm::equal(result.carried, loop_.inits, isSame))
    return false;
  auto found = func::FuncOp(function_).walk([](Operation *op) {
    return isa<TrainingOpInterface, nn::RandomInterface>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !found.wasInterrupted();
}

/// Returns `result`.
void BodyWriter::finish(const Turn &result) {
  SmallVector<Value> values;
  for (ArrayRef<Operand> operands :
       {ArrayRef(result.carried), ArrayRef(result.entries)})
    for (const Operand &operand : operands)
      values.push_back(operand.value);
  OpBuilder &builder = b_.builder();
  func::ReturnOp::create(builder, b_.location(), values);
  takeFromOutside();
  function_.setFunctionType(
      builder.getFunctionType(function_.getBody().front().getArgumentTypes(),
                              TypeRange(ValueRange(values))));
}

std::optional<Turn>
BodyWriter::write(function_ref<std::optional<Turn>(const Turn &)> body) {
  OpBuilder::InsertionGuard guard(b_.builder());
  createFunction();
  std::optional<Turn> result = body(addArguments());
  if (!result || !isRepeatable(*result)) {
    b_.discard(function_);
    return std::nullopt;
  }
  finish(*result);
  return result;
}

static Shape stacked(int64_t turns, const Operand &entry) {
  Shape shape = {turns};
  llvm::append_range(shape, entry.shape);
  return shape;
}

/// Builds the loop of which `turn` is what one turn returns.
static Turn createLoop(TensorBuilder &b, const Loop &loop, const Turn &turn,
                       const BodyWriter &writer) {
  SmallVector<Type> types;
  for (const Operand &operand : turn.carried)
    types.push_back(b.tensorType(
        operand.type,
        loop.keepsEachTurn ? stacked(loop.turns, operand) : operand.shape));
  for (const Operand &operand : turn.entries)
    types.push_back(b.tensorType(operand.type, stacked(loop.turns, operand)));
  auto values = [](ArrayRef<Operand> operands) {
    return llvm::map_to_vector(operands,
                               [](const Operand &one) { return one.value; });
  };
  auto scan = nn::ScanOp::create(b.builder(), b.location(), types,
                                 writer.function().getName(), loop.turns,
                                 loop.reversed, values(loop.inits),
                                 values(loop.stacks), writer.constants());
  Turn results;
  for (auto [index, value] : llvm::enumerate(scan.getOutputs()))
    (index < turn.carried.size() ? results.carried : results.entries)
        .push_back(b.fromValue(value));
  return results;
}

std::optional<Turn>
tryBuildLoop(TensorBuilder &b, const Loop &loop,
             function_ref<std::optional<Turn>(const Turn &)> body) {
  Operation *parent = b.builder().getInsertionBlock()->getParentOp();
  if (loop.turns <= kMostCopies || !isa_and_nonnull<func::FuncOp>(parent))
    return std::nullopt;
  BodyWriter writer(b, loop);
  std::optional<Turn> turn = writer.write(body);
  if (!turn)
    return std::nullopt;
  return createLoop(b, loop, *turn, writer);
}

} // namespace mpc::build
