// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds loops, whose bodies are functions.
#include "lib/Import/Build/Loops.h"

#include "dialects/NN/NNDialect.h"
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

  /// Creates the function and lets `body` fill it.
  Turn write(function_ref<Turn(const Turn &)> body);
  func::FuncOp function() const { return function_; }
  /// The values from outside that the body reads. They are its last arguments.
  ArrayRef<Value> constants() const { return constants_; }

private:
  Operand addArgument(const Operand &like, ArrayRef<int64_t> shape);
  Turn addArguments();
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
  Block &block = function_.getBody().front();
  DenseMap<Value, Value> inside;
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (Operation &op : block)
    for (OpOperand &operand : op.getOpOperands()) {
      Value value = operand.get();
      if (value.getParentBlock() == &block)
        continue;
      Value &known = inside[value];
      Operation *source = value.getDefiningOp();
      if (!known && source && matchPattern(source, m_Constant())) {
        known = builder.clone(*source)->getResult(0);
      } else if (!known) {
        known = block.addArgument(value.getType(), value.getLoc());
        constants_.push_back(value);
      }
      operand.set(known);
    }
}

Turn BodyWriter::write(function_ref<Turn(const Turn &)> body) {
  OpBuilder &builder = b_.builder();
  OpBuilder::InsertionGuard guard(builder);
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  builder.setInsertionPointToEnd(module.getBody());
  function_ = func::FuncOp::create(builder, b_.location(), loop_.name,
                                   builder.getFunctionType({}, {}));
  function_.setPrivate();
  SymbolTable(module).insert(function_);
  builder.setInsertionPointToStart(function_.addEntryBlock());
  Turn result = body(addArguments());
  SmallVector<Value> values;
  for (ArrayRef<Operand> operands :
       {ArrayRef(result.carried), ArrayRef(result.entries)})
    for (const Operand &operand : operands)
      values.push_back(operand.value);
  func::ReturnOp::create(builder, b_.location(), values);
  takeFromOutside();
  function_.setFunctionType(
      builder.getFunctionType(function_.getBody().front().getArgumentTypes(),
                              TypeRange(ValueRange(values))));
  return result;
}

static Shape stacked(int64_t turns, const Operand &entry) {
  Shape shape = {turns};
  llvm::append_range(shape, entry.shape);
  return shape;
}

Turn buildLoop(TensorBuilder &b, const Loop &loop,
               function_ref<Turn(const Turn &)> body) {
  BodyWriter writer(b, loop);
  Turn turn = writer.write(body);
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

} // namespace mpc::build
