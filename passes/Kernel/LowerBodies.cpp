// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-lower-bodies: replaces ops by their kernel bodies.
#include "passes/Kernel/Passes.h"

#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_LOWERBODIESPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;

/// Whether `op` is of the kernel level, or ends a block. An op of any dialect,
/// also of a user's, may have a kernel body.
static bool isLowered(Operation *op) {
  if (isa<ScalarBodyOpInterface, KernelBodyOpInterface>(op))
    return false;
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<kernel::KernelDialect, linalg::LinalgDialect,
             tensor::TensorDialect, arith::ArithDialect>(op->getDialect());
}

/// `value` as `type`, which differs only in the signedness of integers.
static Value viewAs(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return builder.createOrFold<kernel::ViewOp>(value.getLoc(), type, value, 0);
}

/// `value` in its kernel type, in which integers are signless.
static Value asKernelsHave(OpBuilder &builder, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? viewAs(builder, value, nn::getKernelType(type)) : value;
}

static FailureOr<SmallVector<Value>> buildBody(OpBuilder &builder,
                                               Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(asKernelsHave(builder, operand));
  if (auto scalar = dyn_cast<ScalarBodyOpInterface>(op))
    return SmallVector<Value>{nn::buildElementwise(scalar, builder, operands)};
  if (auto body = dyn_cast<KernelBodyOpInterface>(op))
    return body.buildBody(builder, operands);
  return op->emitOpError("has no kernel body, and no pass before "
                         "kernel-lower-bodies has replaced it");
}

/// The values that replace the results of `op`.
static FailureOr<SmallVector<Value>> lower(Operation *op) {
  OpBuilder builder(op);
  FailureOr<SmallVector<Value>> results = buildBody(builder, op);
  if (succeeded(results))
    for (auto [value, type] : llvm::zip_equal(*results, op->getResultTypes()))
      value = viewAs(builder, value, type);
  return results;
}

namespace {

struct LowerBodiesPass : kernel::impl::LowerBodiesPassBase<LowerBodiesPass> {
  using LowerBodiesPassBase::LowerBodiesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    for (Block &block : function.getBody()) {
      for (Operation &op : llvm::make_early_inc_range(block)) {
        if (isLowered(&op))
          continue;
        FailureOr<SmallVector<Value>> results = lower(&op);
        if (failed(results))
          return signalPassFailure();
        op.replaceAllUsesWith(*results);
        op.erase();
      }
    }
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, function->getRegions());
  }
};

} // namespace
