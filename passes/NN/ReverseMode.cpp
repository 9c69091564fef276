// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks ops from the last to the first.
#include "passes/NN/ReverseMode.h"

#include "dialects/NN/Gradient.h"
#include "passes/NN/SumCotangents.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

void ReverseMode::add(Operation &op) {
  if (llvm::none_of(op.getOperands(), [&](Value v) { return isActive(v); }))
    return;
  active_.insert(op.result_begin(), op.result_end());
  ops_.push_back(&op);
}

LogicalResult ReverseMode::run(OpBuilder &builder,
                               MutableArrayRef<Value> tracked) {
  for (Operation *op : llvm::reverse(ops_))
    if (failed(runOp(builder, op, tracked)))
      return failure();
  return success();
}

LogicalResult ReverseMode::runOp(OpBuilder &builder, Operation *op,
                                 MutableArrayRef<Value> tracked) {
  SmallVector<Value> dResults;
  for (Value result : op->getResults())
    dResults.push_back(sumCotangents(builder, result, cotangentsOf(result)));
  if (llvm::none_of(dResults, [](Value d) { return d; }))
    return success();
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Value> dOperands(operands.size());
  if (failed(buildGradient(builder, op, {dResults, dOperands}, tracked)))
    return failure();
  for (auto [operand, d] : llvm::zip_equal(operands, dOperands))
    if (d && isActive(operand))
      seed(operand, d);
  return success();
}

/// Builds the cotangents of the operands of `op`. A loop is replaced.
LogicalResult ReverseMode::buildGradient(OpBuilder &builder, Operation *op,
                                         Around around,
                                         MutableArrayRef<Value> tracked) {
  if (auto scan = dyn_cast<ScanOp>(op))
    return replaceScan(builder, scan, around, tracked);
  auto rule = dyn_cast<VJPOpInterface>(op);
  if (!rule)
    return op->emitError() << "'" << op->getName() << "' has no gradient";
  return rule.buildVJP(builder, around.results, around.operands);
}

/// Replaces a loop by one that its gradient reads.
LogicalResult ReverseMode::replaceScan(OpBuilder &builder, ScanOp scan,
                                       Around around,
                                       MutableArrayRef<Value> tracked) {
  SmallVector<bool> isWanted = llvm::map_to_vector(
      scan->getOperands(), [&](Value operand) { return isActive(operand); });
  FailureOr<ForwardScan> forward = buildScanGradient(
      builder, scan, {around.results, isWanted, around.operands}, symbols_,
      expand_);
  if (failed(forward))
    return failure();
  for (auto [old, value] :
       llvm::zip_equal(scan.getOutputs(), forward->results)) {
    llvm::replace(tracked, Value(old), value);
    old.replaceAllUsesWith(value);
  }
  scan.erase();
  return success();
}

Value ReverseMode::gradientOf(OpBuilder &builder, ArrayRef<Value> values,
                              Type type, Location loc) {
  SmallVector<Value> parts;
  for (Value value : values)
    llvm::append_range(parts, cotangentsOf(value));
  if (parts.empty())
    return GradientBuilder(builder, loc)
        .splat(cast<RankedTensorType>(type), 0.0);
  return sumCotangents(builder, values.front(), parts);
}
