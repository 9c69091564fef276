// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and proves what a kernel states about its body.
#include "dialects/Kernel/Contract.h"

#include "dialects/Kernel/Stages.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// Kind
//===----------------------------------------------------------------------===//

/// Whether a statement computes every returned value and leaves nothing to
/// initialise: it writes all elements, or the others keep the destination's
/// values.
static bool writesDestinations(FuncOp kernel, const Body &body) {
  for (auto [result, value] : llvm::enumerate(kernel.getReturn().getValues())) {
    std::optional<Producer> producer = getProducer(value, body);
    if (!producer || !body.statements[producer->statement].generic())
      return false;
  }
  for (const Statement &statement : body.statements)
    for (auto [number, output] : llvm::enumerate(statement.outputs)) {
      if (statement.coversOutput(number) || isUndefined(output.tensor))
        continue;
      Value value = statement.op->getResult(number);
      auto argument = dyn_cast<BlockArgument>(output.tensor);
      if (!argument || !value.hasOneUse())
        return false;
      OpOperand &use = *value.getUses().begin();
      if (!isa<ReturnOp>(use.getOwner()) ||
          kernel.getDestination(use.getOperandNumber()) != argument)
        return false;
    }
  return true;
}

/// Whether regions read at computed places only tensors that the kernel does
/// not write.
static bool extractsInputsOnly(FuncOp kernel, const Body &body) {
  for (const Statement &statement : body.statements) {
    if (!statement.generic())
      continue;
    for (auto extract :
         statement.generic().getBody()->getOps<tensor::ExtractOp>()) {
      auto argument = dyn_cast<BlockArgument>(extract.getTensor());
      if (!argument || argument.getArgNumber() >= kernel.getNumInputs())
        return false;
    }
  }
  return true;
}

KernelKind mpc::kernel::kindOf(FuncOp kernel, const Body &body) {
  if (body.statements.empty())
    return KernelKind::Loops;
  Operation *first = body.statements.front().op;
  if (body.statements.size() == 1 && isa<ScatterOp>(first))
    return KernelKind::Scatter;
  if (body.statements.size() == 1 && isa<AttentionOpInterface>(first))
    return KernelKind::Attention;
  std::optional<Stages> stages = getStages(body);
  if (!stages || !extractsInputsOnly(kernel, body) ||
      !writesDestinations(kernel, body))
    return KernelKind::Loops;
  return getKind(*stages);
}

static LogicalResult verifyKind(FuncOp kernel) {
  FailureOr<Body> body = getBody(kernel);
  if (failed(body))
    return failure();
  KernelKind stated = kernel.getKind(), found = kindOf(kernel, *body);
  for (const Statement &statement : body->statements)
    if (found != KernelKind::Attention &&
        isa<AttentionOpInterface>(statement.op))
      return statement.op->emitOpError("must be the only op of its kernel");
  // Loops can run any other body.
  if (found == stated ||
      (stated == KernelKind::Loops && found != KernelKind::Attention))
    return success();
  return kernel.emitOpError("states the kind '")
         << stringifyKernelKind(stated) << "', but its body is of kind '"
         << stringifyKernelKind(found) << "'";
}

//===----------------------------------------------------------------------===//
// Aliasing
//===----------------------------------------------------------------------===//

/// Whether each iteration reads by `use` at most the element that it writes
/// itself.
static bool readsWhereItWrites(linalg::GenericOp op, OpOperand &use) {
  if (op.getNumReductionLoops() != 0)
    return false;
  // An op without loops reads all its operands before it writes.
  if (op.getNumLoops() == 0)
    return true;
  auto hasIdentity = [&](OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).isIdentity();
  };
  return hasIdentity(use) && llvm::all_of(op.getDpsInitsMutable(), hasIdentity);
}

static bool haveSameMemory(Type first, Type second) {
  auto a = cast<RankedTensorType>(first), b = cast<RankedTensorType>(second);
  return a.getElementType() == b.getElementType() &&
         a.getNumElements() == b.getNumElements();
}

bool mpc::kernel::canAlias(FuncOp kernel, unsigned input, unsigned result) {
  BlockArgument argument = kernel.getArgument(input);
  Value value = kernel.getReturn().getValues()[result];
  if (!haveSameMemory(argument.getType(), value.getType()))
    return false;
  Operation *writer = value.getDefiningOp();
  return llvm::all_of(argument.getUses(), [&](OpOperand &use) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    bool isLater = op && writer && writer->isBeforeInBlock(op);
    return op && !isLater && readsWhereItWrites(op, use);
  });
}

static LogicalResult verifyAliases(FuncOp kernel, unsigned argument) {
  auto aliases = kernel.getArgAttrOfType<DenseI64ArrayAttr>(
      argument, KernelDialect::MayAliasAttrHelper::getNameStr());
  if (!aliases)
    return success();
  if (argument >= kernel.getNumInputs())
    return kernel.emitOpError("argument #")
           << argument << " is a destination, which aliases no other";
  for (int64_t result : aliases.asArrayRef()) {
    if (result < 0 || result >= static_cast<int64_t>(kernel.getNumResults()))
      return kernel.emitOpError("argument #")
             << argument << " aliases result #" << result
             << ", which does not exist";
    if (!canAlias(kernel, argument, result))
      return kernel.emitOpError("argument #")
             << argument << " cannot lie in the memory of result #" << result
             << ": it is read where, or after, other elements are written";
  }
  return success();
}

static void stateAliases(FuncOp kernel, unsigned input) {
  SmallVector<int64_t> results;
  for (unsigned result = 0; result < kernel.getNumResults(); ++result)
    if (canAlias(kernel, input, result))
      results.push_back(result);
  StringRef name = KernelDialect::MayAliasAttrHelper::getNameStr();
  if (results.empty())
    kernel.removeArgAttr(input, name);
  else
    kernel.setArgAttr(input, name,
                      DenseI64ArrayAttr::get(kernel.getContext(), results));
}

//===----------------------------------------------------------------------===//
// The whole contract
//===----------------------------------------------------------------------===//

LogicalResult mpc::kernel::stateContract(FuncOp kernel) {
  FailureOr<Body> body = getBody(kernel);
  if (failed(body))
    return failure();
  kernel.setKind(kindOf(kernel, *body));
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input)
    stateAliases(kernel, input);
  return success();
}

bool FuncOp::mayAlias(unsigned input, unsigned result) {
  auto aliases = getArgAttrOfType<DenseI64ArrayAttr>(
      input, KernelDialect::MayAliasAttrHelper::getNameStr());
  return aliases && llvm::is_contained(aliases.asArrayRef(), result);
}

static LogicalResult verifySchedule(FuncOp kernel) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (!schedule)
    return success();
  if (schedule.fits(kernel.getKind()))
    return schedule.verifyKernel(kernel);
  return kernel.emitOpError("is of kind '")
         << stringifyKernelKind(kernel.getKind()) << "', which does not run by "
         << schedule;
}

LogicalResult FuncOp::verifyRegions() {
  if (failed(verifyKind(*this)) || failed(verifySchedule(*this)))
    return failure();
  for (unsigned argument = 0; argument < getNumArguments(); ++argument)
    if (failed(verifyAliases(*this, argument)))
      return failure();
  return success();
}
