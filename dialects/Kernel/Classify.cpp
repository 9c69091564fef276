// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the kinds of bodies apart.
#include "dialects/Kernel/Classify.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::kernel;

std::optional<Producer> mpc::kernel::getProducer(Value value,
                                                 const Body &body) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return std::nullopt;
  for (auto [number, statement] : llvm::enumerate(body.statements))
    if (statement.op == result.getOwner())
      return Producer{static_cast<unsigned>(number), result.getResultNumber()};
  return std::nullopt;
}

bool mpc::kernel::writesDestinations(FuncOp kernel, const Body &body) {
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

bool mpc::kernel::extractsInputsOnly(FuncOp kernel, const Body &body) {
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

/// Whether `read` is the element that the same iteration of an earlier
/// statement wrote, or comes from outside of the kernel.
static bool isForwarded(const Access &read, const Body &body) {
  std::optional<Producer> producer = getProducer(read.tensor, body);
  if (!producer)
    return true;
  const Statement &writer = body.statements[producer->statement];
  return writer.outputs[producer->output].index == read.index;
}

bool mpc::kernel::isMap(FuncOp kernel, const Body &body) {
  if (body.statements.empty() || !extractsInputsOnly(kernel, body))
    return false;
  for (const Statement &statement : body.statements) {
    if (!statement.generic() || !statement.isParallel() ||
        statement.extents != body.statements.front().extents)
      return false;
    for (const Access &input : statement.inputs)
      if (!isForwarded(input, body))
        return false;
    for (auto [number, output] : llvm::enumerate(statement.outputs))
      if (statement.readsOutput(number) && !isForwarded(output, body))
        return false;
  }
  return writesDestinations(kernel, body);
}
