// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::nn;

/// `type` with an axis of `count` before the others.
static RankedTensorType stackOf(Type type, int64_t count) {
  auto entry = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, entry.getShape());
  return entry.clone(shape);
}

LogicalResult ScanOp::verify() {
  auto turns = static_cast<int64_t>(getTurns());
  if (turns < 1)
    return emitOpError("runs ") << turns << " times";
  for (auto [index, stack] : llvm::enumerate(getStacks())) {
    auto type = cast<RankedTensorType>(stack.getType());
    if (type.getRank() == 0 || type.getDimSize(0) != turns)
      return emitOpError("stack #")
             << index << " is " << type << ", which has no entry for each turn";
  }
  if (getNumResults() < getNumCarried())
    return emitOpError("yields ") << getNumResults() << " results, but carries "
                                  << getNumCarried() << " values";
  return success();
}

/// The types that the body takes, by the operands.
static SmallVector<Type> takenTypes(ScanOp scan) {
  SmallVector<Type> types(scan.getInits().getTypes());
  for (Type type : scan.getStacks().getTypes()) {
    auto stack = cast<RankedTensorType>(type);
    types.push_back(stack.clone(stack.getShape().drop_front()));
  }
  llvm::append_range(types, scan.getConstants().getTypes());
  return types;
}

/// Whether `body` calls `function` by loops, maybe through others.
static bool repeats(FunctionOpInterface body, Operation *function,
                    SymbolTableCollection &symbols) {
  llvm::SetVector<Operation *> reached;
  reached.insert(body);
  for (size_t next = 0; next < reached.size(); ++next) {
    if (reached[next] == function)
      return true;
    reached[next]->walk([&](ScanOp scan) {
      if (Operation *inner =
              symbols.lookupNearestSymbolFrom(scan, scan.getBodyAttr()))
        reached.insert(inner);
    });
  }
  return false;
}

LogicalResult ScanOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto body = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getBodyAttr());
  if (!body)
    return emitOpError("repeats '")
           << getBody() << "', which is not a function of this module";
  if (repeats(body, (*this)->getParentOfType<FunctionOpInterface>(), symbols))
    return emitOpError("repeats the function that it is in");
  // What a body reads of the state would have no gradient, and a loop would not
  // be seen to read it.
  WalkResult found = body.walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || effects.hasNoEffect())
      return WalkResult::advance();
    emitOpError("repeats '") << getBody() << "', in which '" << op->getName()
                             << "' reads state: pass its value as a constant";
    return WalkResult::interrupt();
  });
  if (found.wasInterrupted())
    return failure();
  auto describe = [&](TypeRange found, TypeRange wanted, StringRef what) {
    return emitOpError() << what << " (" << wanted << "), but '" << getBody()
                         << "' has (" << found << ")";
  };
  SmallVector<Type> taken = takenTypes(*this);
  if (body.getArgumentTypes() != ArrayRef<Type>(taken))
    return describe(body.getArgumentTypes(), taken, "passes");
  TypeRange yielded = body.getResultTypes();
  if (yielded.size() != getNumResults())
    return describe(yielded, getResultTypes(), "yields");
  for (auto [index, type] : llvm::enumerate(getResultTypes())) {
    bool isCarried = index < getNumCarried();
    if (isCarried && yielded[index] != getInits()[index].getType())
      return describe(yielded, getInits().getTypes(), "carries");
    if (type != stackOf(yielded[index], getTurns()) &&
        !(isCarried && type == yielded[index]))
      return describe(yielded, getResultTypes(), "yields");
  }
  return success();
}

FailureOr<SmallVector<Value>> ScanOp::buildBody(OpBuilder &builder,
                                                ValueRange operands) {
  unsigned numCarried = getNumCarried(), numStacks = getStacks().size();
  auto turns = static_cast<int64_t>(getTurns());
  SmallVector<Type> types;
  for (auto [index, output] : llvm::enumerate(getOutputs())) {
    auto type = getKernelType(cast<RankedTensorType>(output.getType()));
    bool isLast = index < numCarried && !keepsEachTurn(index);
    types.push_back(isLast ? stackOf(type, std::min<int64_t>(turns, 2)) : type);
  }
  auto repeat = kernel::RepeatOp::create(
      builder, getLoc(), types, getBodyAttr(), getTurnsAttr(),
      getReversedAttr(), operands.take_front(numCarried),
      operands.slice(numCarried, numStacks),
      operands.drop_front(numCarried + numStacks), ValueRange());
  SmallVector<Value> results(repeat.getResults());
  for (unsigned i = 0; i < numCarried; ++i) {
    if (keepsEachTurn(i))
      continue;
    auto last =
        getKernelType(cast<RankedTensorType>(getOutputs()[i].getType()));
    results[i] =
        kernel::ViewOp::create(builder, getLoc(), last, results[i],
                               repeat.getLastEntry(i) * last.getNumElements());
  }
  return results;
}
