// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a function, and behind it the VJPs of its ops.
#include "passes/NN/ExpandVJP.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "passes/NN/ReverseMode.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// Each level of derivatives multiplies the ops of the one below.
static constexpr size_t kMaxDepth = 64, kMaxOps = size_t{1} << 18;

namespace {

/// Marks each op that a VJP inserts as belonging to the backward pass.
struct GradientMarker : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    MLIRContext *context = op->getContext();
    op->setLoc(FusedLoc::get({op->getLoc()},
                             StringAttr::get(context, "gradient"), context));
  }
};

/// Expands one nn.vjp whose callee contains none. The callee's body is cloned
/// to a block of its own. Its arguments are distinct there, even where the
/// nn.vjp passes one value for two of them.
class Expansion {
public:
  Expansion(VJPOp op, func::FuncOp callee, SymbolTable &symbols,
            ExpandFunction expand)
      : op_(op), callee_(callee), reverse_(symbols, expand) {}

  LogicalResult run() {
    cloneForward();
    activateArguments();
    for (Operation &inner : body_)
      addOp(inner);
    seedResults();
    GradientMarker marker;
    OpBuilder builder = atEnd();
    builder.setListener(&marker);
    if (failed(reverse_.run(builder, results_)))
      return failure();
    size_ = body_.getOperations().size();
    replace();
    return success();
  }

  /// The number of ops by which run() replaced the nn.vjp.
  size_t numOps() const { return size_; }

private:
  OpBuilder atEnd() {
    OpBuilder builder(op_.getContext());
    builder.setInsertionPointToEnd(&body_);
    return builder;
  }

  void cloneForward() {
    OpBuilder builder = atEnd();
    IRMapping mapping;
    Block &source = callee_.getBody().front();
    for (BlockArgument argument : source.getArguments())
      mapping.map(argument,
                  body_.addArgument(argument.getType(), argument.getLoc()));
    for (Operation &inner : source.without_terminator())
      builder.clone(inner, mapping);
    for (Value result : source.getTerminator()->getOperands())
      results_.push_back(mapping.lookupOrDefault(result));
  }

  void activateArguments() {
    for (int64_t index : op_.getArgs())
      reverse_.activate(body_.getArgument(index));
  }

  /// A parameter is active where it is read.
  void addOp(Operation &inner) {
    auto get = dyn_cast<GetOp>(inner);
    if (!get)
      return reverse_.add(inner);
    if (!llvm::is_contained(op_.getWrt(), get.getParameterAttr()))
      return;
    reverse_.activate(get.getOutput());
    reads_[get.getParameterAttr()].push_back(get.getOutput());
  }

  void seedResults() {
    auto seed = op_.getSeeds().begin();
    for (Value result : results_)
      if (isa<FloatType>(getElementTypeOrSelf(result)))
        reverse_.seed(result, *seed++);
  }

  void replace() {
    OpBuilder builder = atEnd();
    SmallVector<Value> outputs(results_);
    for (Attribute symbol : op_.getWrt()) {
      Type type = op_->getResult(outputs.size()).getType();
      outputs.push_back(reverse_.gradientOf(builder, reads_.lookup(symbol),
                                            type, op_.getLoc()));
    }
    for (int64_t index : op_.getArgs()) {
      Value argument = body_.getArgument(index);
      outputs.push_back(reverse_.gradientOf(builder, argument,
                                            argument.getType(), op_.getLoc()));
    }
    op_->getBlock()->getOperations().splice(op_->getIterator(),
                                            body_.getOperations());
    op_->replaceAllUsesWith(outputs);
    for (auto [argument, input] :
         llvm::zip(body_.getArguments(), op_.getInputs()))
      argument.replaceAllUsesWith(input);
    op_->erase();
  }

  VJPOp op_;
  func::FuncOp callee_;
  ReverseMode reverse_;
  size_t size_ = 0;
  Block body_;
  SmallVector<Value> results_;
  DenseMap<Attribute, SmallVector<Value>> reads_; ///< Of each parameter.
};

} // namespace

LogicalResult VJPExpander::expandAll(func::FuncOp function) {
  if (!visiting_.insert(function).second)
    return function.emitError("differentiates itself");
  if (visiting_.size() > kMaxDepth)
    return function.emitError("nn.vjp calls nn.vjp more than ")
           << kMaxDepth << " deep";
  SmallVector<VJPOp> ops;
  function.walk([&](VJPOp op) { ops.push_back(op); });
  for (VJPOp op : ops) {
    auto callee = symbols_.lookup<func::FuncOp>(op.getCallee());
    if (!callee || callee.isDeclaration() || !callee.getBody().hasOneBlock())
      return op.emitOpError("can only differentiate a function of one block");
    if (failed(expandAll(callee)) || failed(expand(op, callee)))
      return failure();
  }
  visiting_.erase(function);
  return success();
}

LogicalResult VJPExpander::expandBody(func::FuncOp body) {
  OpPassManager simplify(func::FuncOp::getOperationName());
  simplify.addPass(createCanonicalizerPass());
  simplify.addPass(createCSEPass());
  return failure(failed(expandAll(body)) || failed(run_(simplify, body)));
}

LogicalResult VJPExpander::expand(VJPOp op, func::FuncOp callee) {
  auto expandFunction = [&](func::FuncOp body) { return expandBody(body); };
  Expansion expansion(op, callee, symbols_, expandFunction);
  Location loc = op.getLoc();
  if (failed(expansion.run()))
    return failure();
  return count(expansion.numOps(), loc);
}

LogicalResult VJPExpander::count(size_t ops, Location loc) {
  made_ += ops;
  if (made_ > kMaxOps)
    return mlir::emitError(loc)
           << "gradients of gradients make more than " << kMaxOps << " ops";
  return success();
}
