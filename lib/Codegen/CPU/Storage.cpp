// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of a kernel's tensors when its statements run in order.
#include "lib/Codegen/CPU/Storage.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::kernel::Statement;

Storage::Storage(kernel::FuncOp kernel, const kernel::Body &body)
    : kernel(kernel) {
  for (unsigned result = 0; result < kernel.getNumResults(); ++result)
    destinations[kernel.getDestination(result)] = result;
  for (const Statement &statement : body.statements) {
    SmallVector<OutputPlace> &row = places.emplace_back();
    for (unsigned out = 0; out < statement.op->getNumResults(); ++out) {
      row.push_back(choosePlace(statement, out));
      if (row.back().destination >= 0)
        destinations[statement.op->getResult(out)] = row.back().destination;
    }
  }
}

int Storage::getDestination(Value value) const {
  auto found = destinations.find(value);
  return found == destinations.end() ? -1 : found->second;
}

static Value getOutput(Operation *op, unsigned output) {
  if (auto scatter = dyn_cast<mpc::kernel::ScatterOp>(op))
    return scatter.getInit();
  return cast<linalg::GenericOp>(op).getDpsInitOperand(output)->get();
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

bool Storage::canUpdateInPlace(const Statement &statement, unsigned output) {
  Value tensor = getOutput(statement.op, output);
  if (tensor.getDefiningOp<linalg::FillOp>() ||
      tensor.getDefiningOp<tensor::EmptyOp>())
    return false;
  if (!isa<linalg::GenericOp, kernel::ScatterOp>(
          tensor.getDefiningOp() ? tensor.getDefiningOp() : statement.op))
    return false;
  if (isa<BlockArgument>(tensor) && !destinations.contains(tensor))
    return false;
  if (extractsFrom(statement.op, tensor))
    return false;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = getStatementOf(use.getOwner(), kernel);
    if (user != statement.op && !user->isBeforeInBlock(statement.op))
      return false;
  }
  if (isa<kernel::ScatterOp>(statement.op))
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
    if (user->getBlock() != &kernel.getBody().front())
      continue;
    if (auto scatter = dyn_cast<kernel::ScatterOp>(user))
      if (scatter.getInit() == value)
        return findDestination(scatter.getResult());
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      if (generic.isDpsInit(&use))
        return findDestination(generic.getTiedOpResult(&use));
  }
  return -1;
}

/// Whether nobody reads what the destination holds at `op` or later, and no
/// other value lies in it.
bool Storage::isFreeAfter(int destination, Operation *op) {
  for (auto [value, where] : destinations) {
    if (where != destination)
      continue;
    for (Operation *user : value.getUsers()) {
      Operation *statement = getStatementOf(user, kernel);
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

static int64_t countElements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

/// Whether a later statement reads an input of the size of `value`. The planner
/// may have put its destination there, counting on that the destination is
/// written by the statement that computes what is returned, not before.
bool Storage::readsInputLater(Value value) {
  for (unsigned number = 0; number < kernel.getNumInputs(); ++number) {
    BlockArgument input = kernel.getArgument(number);
    if (countElements(input) != countElements(value))
      continue;
    for (Operation *user : input.getUsers())
      if (value.getDefiningOp()->isBeforeInBlock(getStatementOf(user, kernel)))
        return true;
  }
  return false;
}

OutputPlace Storage::choosePlace(const Statement &statement, unsigned output) {
  Value operand = getOutput(statement.op, output);
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
      (isReturned(result) || !readsInputLater(result)))
    return {/*inPlace=*/false, wanted};
  return {};
}
