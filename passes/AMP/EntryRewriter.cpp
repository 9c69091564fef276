// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes through an entry in program order.
#include "passes/AMP/EntryRewriter.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

LogicalResult EntryRewriter::run() {
  findOptimizers();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    b.setInsertionPoint(&op);
    if (takesAllGradients(&op))
      expand(&op);
    LogicalResult result =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<nn::GetOp, GetScaleOp, GetHyperOp, CheckOp, MaxAbsOp,
                  AccumulateOp, TakeGradientsOp, ApplyOp, AssignOp,
                  UpdateScaleOp>([&](auto typed) { return rewrite(typed); })
            .Case([](func::CallOp call) {
              return call.emitOpError("has no place in an entry; nn.vjp "
                                      "calls a function, with or without "
                                      "gradients");
            })
            .Case([](nn::VJPOp vjp) {
              return vjp.emitOpError("must be expanded before state is put "
                                     "into slabs");
            })
            .Default(success());
    if (failed(result))
      return failure();
  }
  slabs.finish();
  eraseDead();
  return success();
}

void EntryRewriter::findOptimizers() {
  SmallVector<std::pair<OptimizerState *, SmallVector<Value>>> taken;
  auto rawsOf = [](ValueRange gradients) {
    return llvm::map_to_vector(gradients,
                               [](Value g) { return getGradientChain(g).raw; });
  };
  for (Operation &op : function.getBody().front()) {
    if (auto apply = dyn_cast<ApplyOp>(op))
      taken.push_back({&layout.optimizer(apply.getOptimizerAttr().getAttr()),
                       rawsOf(apply.getGradients())});
    else if (auto sum = dyn_cast<AccumulateOp>(op))
      taken.push_back({layout.optimizerOf(sum.getParameters()),
                       rawsOf(sum.getGradients())});
  }
  for (Operation &op : function.getBody().front()) {
    if (!isa<CheckOp, MaxAbsOp>(op))
      continue;
    SmallVector<Value> raws = rawsOf(op.getOperands());
    for (auto &[optimizer, gradients] : taken)
      if (gradients == raws)
        optimizerOf.try_emplace(&op, optimizer);
  }
}

Value EntryRewriter::view(Value slab, int64_t offset, RankedTensorType type) {
  return kernel::ViewOp::create(b, loc(), type, slab, offset);
}

Value EntryRewriter::element(SlabOp slab, int64_t index) {
  return view(slabs.get(slab), index,
              RankedTensorType::get({}, b.getF64Type()));
}

LogicalResult EntryRewriter::rewrite(nn::GetOp op) {
  auto [group, offset] = layout.lookup(op.getParameterAttr().getAttr());
  auto type = cast<RankedTensorType>(op.getType());
  DenseSet<Operation *> replaced;
  for (Operation *user : op->getUsers()) {
    auto cast = dyn_cast<nn::CastOp>(user);
    if (!cast || !group->lowType ||
        getElementTypeOrSelf(cast.getType()) != group->lowType)
      continue;
    cast.replaceAllUsesWith(
        view(slabs.get(group->lowSlab), offset, type.clone(group->lowType)));
    replaced.insert(cast);
  }
  auto remains = [&](OpOperand &use) {
    return !replaced.contains(use.getOwner());
  };
  if (llvm::any_of(op->getUses(), remains))
    op.getOutput().replaceUsesWithIf(view(slabs.get(group->slab), offset, type),
                                     remains);
  return success();
}

LogicalResult EntryRewriter::rewrite(GetScaleOp op) {
  Value scale = element(layout.scaler(op.getScalerAttr().getAttr()).slab,
                        static_cast<int64_t>(rt::StateSlot::Scale));
  Type type = getElementTypeOrSelf(op.getType());
  op.replaceAllUsesWith(nn::GradientBuilder(b, op.getLoc()).cast(scale, type));
  op.erase();
  return success();
}

LogicalResult EntryRewriter::rewrite(GetHyperOp op) {
  op.replaceAllUsesWith(
      hyperOf(op.getOptimizerAttr().getAttr(), op.getHyper()));
  op.erase();
  return success();
}

void EntryRewriter::eraseDead() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front()))) {
    if (takesAllGradients(&op) && !op.use_empty())
      op.replaceAllUsesWith(expansions.at(&op));
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}
