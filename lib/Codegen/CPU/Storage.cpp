// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of a kernel's tensors when its statements run in order.
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

/// Whether the region of `user` reads `tensor` at a computed place.
static bool extractsFrom(Operation *user, Value tensor) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *op) {
    return isa<tensor::ExtractOp>(op) && user->isProperAncestor(op);
  });
}

static Operation *getStatementOf(Operation *user, mpc::kernel::FuncOp kernel) {
  return kernel.getBody().front().findAncestorOpInBlock(*user);
}

/// Whether a statement makes `tensor`: fills and constants are none.
static bool isComputed(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return isa<DestinationStyleOpInterface>(op) && !isa<linalg::FillOp>(op);
}

bool Storage::canUpdateInPlace(const Statement &statement, unsigned output) {
  Value tensor = statement.getInit(output);
  // A tensor that has no memory yet cannot be updated in place.
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
  // The elements that an op without accesses touches are known only at run
  // time.
  if (!statement.generic())
    return llvm::count(statement.op->getOperands(), tensor) == 1;
  for (const kernel::Access &input : statement.inputs)
    if (input.tensor == tensor &&
        input.index != statement.outputs[output].index)
      return false;
  return llvm::count(statement.generic().getDpsInits(), tensor) == 1;
}

/// The result that `value` becomes, through statements that update it.
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

/// Whether nobody reads what the destination holds at `op` or later, and no
/// other value lies in it.
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

/// Whether a later statement than that which makes `value` reads an input that
/// may lie in `destination`: that one is written by the statement that computes
/// what is returned, not before.
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
  // The destination of an update in place may be an input's memory too, which
  // later statements must find as it was: the copy comes at the end.
  if (isa<BlockArgument>(operand) && statement.generic() &&
      statement.readsOutput(output) && !isLast(statement.op))
    return {};
  if (canUpdateInPlace(statement, output)) {
    int present = getDestination(operand);
    // A destination that ends as another result must not be spoiled.
    if (!isa<BlockArgument>(operand) || present == wanted)
      return {/*inPlace=*/true, present};
  }
  if (wanted >= 0 && isFreeAfter(wanted, statement.op) &&
      (isReturned(result) || !readsInputLater(result, wanted)))
    return {/*inPlace=*/false, wanted};
  return {};
}
