// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a kernel's tensors when its statements run in order.
#include "lib/Codegen/CPU/Storage.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::kernel::Statement;

Storage::Storage(kernel::FuncOp kernel, const kernel::Body &body)
    : kernel_(kernel) {
  for (unsigned result = 0; result < kernel.getNumResults(); ++result)
    destinations_[kernel.getDestination(result)] = result;
  for (const Statement &statement : body.statements) {
    SmallVector<OutputPlace> &row = places_.emplace_back();
    for (unsigned out = 0; out < statement.op->getNumResults(); ++out) {
      row.push_back(choosePlace(statement, out));
      if (row.back().destination >= 0)
        destinations_[statement.op->getResult(out)] = row.back().destination;
    }
  }
}

int Storage::getDestination(Value value) const {
  auto found = destinations_.find(value);
  return found == destinations_.end() ? -1 : found->second;
}

/// Whether the region of `user` reads `tensor` at a computed position.
static bool extractsFrom(Operation *user, Value tensor) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *op) {
    return isa<tensor::ExtractOp>(op) && user->isProperAncestor(op);
  });
}

static Operation *getStatementOf(Operation *user, mpc::kernel::FuncOp kernel) {
  return kernel.getBody().front().findAncestorOpInBlock(*user);
}

/// Whether a statement computes `tensor`. Fills and constants do not.
static bool isComputed(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return isa<DestinationStyleOpInterface>(op) && !isa<linalg::FillOp>(op);
}

bool Storage::canUpdateInPlace(const Statement &statement, unsigned output) {
  Value tensor = statement.getInit(output);
  // A tensor without memory cannot be updated in place.
  if (!isa<BlockArgument>(tensor) && !isComputed(tensor))
    return false;
  if (isa<BlockArgument>(tensor) && !destinations_.contains(tensor))
    return false;
  if (extractsFrom(statement.op, tensor))
    return false;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = getStatementOf(use.getOwner(), kernel_);
    if (user != statement.op && !user->isBeforeInBlock(statement.op))
      return false;
  }
  // The elements that such an op touches are known only at run time.
  if (!statement.generic())
    return llvm::count(statement.op->getOperands(), tensor) == 1;
  for (const kernel::Access &input : statement.inputs)
    if (input.tensor == tensor &&
        input.index != statement.outputs[output].index)
      return false;
  return llvm::count(statement.generic().getDpsInits(), tensor) == 1;
}

/// The result that `value` becomes through statements that update it; -1 for
/// none.
int Storage::findDestination(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<kernel::ReturnOp>(user))
      return use.getOperandNumber();
    if (user->getBlock() != &kernel_.getBody().front())
      continue;
    auto op = dyn_cast<DestinationStyleOpInterface>(user);
    if (op && op.isDpsInit(&use))
      return findDestination(op.getTiedOpResult(&use));
  }
  return -1;
}

/// Whether no op reads the destination's old content at `op` or later, and no
/// other value lies there.
bool Storage::isFreeAfter(int destination, Operation *op) {
  for (auto [value, where] : destinations_) {
    if (where != destination)
      continue;
    for (Operation *user : value.getUsers()) {
      Operation *statement = getStatementOf(user, kernel_);
      if (statement == op || !statement->isBeforeInBlock(op))
        return false;
    }
  }
  return true;
}

static bool isLast(Operation *op) {
  return isa<mpc::kernel::ReturnOp>(op->getNextNode());
}

static bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), llvm::IsaPred<mpc::kernel::ReturnOp>);
}

/// Whether a statement after the one that computes `value` reads an input that
/// may lie in `destination`. Then only the statement that computes the returned
/// value may write the destination.
bool Storage::readsInputLater(Value value, unsigned destination) {
  for (unsigned number = 0; number < kernel_.getNumInputs(); ++number) {
    if (!kernel_.mayAlias(number, destination))
      continue;
    for (Operation *user : kernel_.getArgument(number).getUsers())
      if (value.getDefiningOp()->isBeforeInBlock(getStatementOf(user, kernel_)))
        return true;
  }
  return false;
}

OutputPlace Storage::choosePlace(const Statement &statement, unsigned output) {
  Value operand = statement.getInit(output);
  Value result = statement.op->getResult(output);
  int wanted = findDestination(result);
  // An update in place may write to the memory of an input that later
  // statements need unchanged. The copy is then made at the end.
  if (isa<BlockArgument>(operand) && statement.generic() &&
      statement.readsOutput(output) && !isLast(statement.op))
    return {};
  if (canUpdateInPlace(statement, output)) {
    int present = getDestination(operand);
    // A destination that later holds another result must not be overwritten.
    if (!isa<BlockArgument>(operand) || present == wanted)
      return {/*inPlace=*/true, present};
  }
  if (wanted >= 0 && isFreeAfter(wanted, statement.op) &&
      (isReturned(result) || !readsInputLater(result, wanted)))
    return {/*inPlace=*/false, wanted};
  return {};
}
