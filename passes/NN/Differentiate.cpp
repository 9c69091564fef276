// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-differentiate: expands nn.vjp by reverse-mode differentiation.
#include "passes/NN/Passes.h"

#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/NN/ScanGradient.h"
#include "passes/NN/SumCotangents.h"

namespace mpc::nn {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

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
  /// `symbols` are those of the module, to which bodies of loops are added, and
  /// `expand` expands the nn.vjp in them.
  Expansion(VJPOp op, func::FuncOp callee, SymbolTable &symbols,
            ExpandFunction expand)
      : op_(op), callee_(callee), symbols_(symbols), expand_(expand) {}

  LogicalResult run() {
    cloneForward();
    findActive();
    seedResults();
    if (failed(differentiate()))
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
      forward_.push_back(builder.clone(inner, mapping));
    for (Value result : source.getTerminator()->getOperands())
      results_.push_back(mapping.lookupOrDefault(result));
  }

  /// Marks the values that depend on the primals.
  void findActive() {
    DenseSet<Attribute> wrt;
    for (Attribute symbol : op_.getWrt())
      wrt.insert(symbol);
    for (int64_t index : op_.getArgs())
      active_.insert(body_.getArgument(index));
    for (Operation *inner : forward_) {
      auto get = dyn_cast<GetOp>(inner);
      bool isActive = get ? wrt.contains(get.getParameterAttr())
                          : llvm::any_of(inner->getOperands(), [&](Value v) {
                              return active_.contains(v);
                            });
      if (isActive)
        active_.insert(inner->result_begin(), inner->result_end());
    }
  }

  void seedResults() {
    auto seed = op_.getSeeds().begin();
    for (Value result : results_)
      if (isa<FloatType>(getElementTypeOrSelf(result)))
        cotangents_[result].push_back(*seed++);
  }

  LogicalResult differentiate() {
    GradientMarker marker;
    OpBuilder builder = atEnd();
    builder.setListener(&marker);
    for (Operation *&inner : llvm::reverse(forward_)) {
      if (inner->getNumOperands() == 0 || !isActive(inner))
        continue;
      SmallVector<Value> dResults;
      for (Value result : inner->getResults())
        dResults.push_back(sumCotangents(builder, result, take(result)));
      if (llvm::none_of(dResults, [](Value d) { return d; }))
        continue;
      SmallVector<Value> operands(inner->getOperands());
      SmallVector<Value> dOperands(operands.size());
      if (failed(buildGradient(builder, inner, dResults, dOperands)))
        return failure();
      for (auto [operand, d] : llvm::zip(operands, dOperands))
        if (d && active_.contains(operand))
          cotangents_[operand].push_back(d);
    }
    return success();
  }

  /// Builds the cotangents of the operands of `op`. A loop is replaced.
  LogicalResult buildGradient(OpBuilder &builder, Operation *&op,
                              ArrayRef<Value> dResults,
                              MutableArrayRef<Value> dOperands) {
    if (auto scan = dyn_cast<ScanOp>(op)) {
      FailureOr<ScanOp> loop = replaceScan(builder, scan, dResults, dOperands);
      if (failed(loop))
        return failure();
      op = *loop;
      return success();
    }
    auto rule = dyn_cast<VJPOpInterface>(op);
    if (!rule)
      return op->emitError() << "'" << op->getName() << "' has no gradient";
    return rule.buildVJP(builder, dResults, dOperands);
  }

  /// Replaces a loop by one that its gradient reads.
  FailureOr<ScanOp> replaceScan(OpBuilder &builder, ScanOp scan,
                                ArrayRef<Value> dResults,
                                MutableArrayRef<Value> dOperands) {
    SmallVector<bool> isWanted =
        llvm::map_to_vector(scan->getOperands(), [&](Value operand) {
          return active_.contains(operand);
        });
    FailureOr<ForwardScan> forward = buildScanGradient(
        builder, scan, {dResults, isWanted, dOperands}, symbols_, expand_);
    if (failed(forward))
      return failure();
    for (auto [old, value] :
         llvm::zip_equal(scan.getOutputs(), forward->results)) {
      llvm::replace(results_, Value(old), value);
      old.replaceAllUsesWith(value);
    }
    scan.erase();
    return forward->loop;
  }

  bool isActive(Operation *inner) const {
    return llvm::any_of(inner->getResults(),
                        [&](Value v) { return active_.contains(v); });
  }

  SmallVector<Value> take(Value value) {
    auto it = cotangents_.find(value);
    return it == cotangents_.end() ? SmallVector<Value>() : it->second;
  }

  /// The gradient of all `primals` together, zero where nothing depends on
  /// them.
  Value gradientOf(ArrayRef<Value> primals, Type type) {
    OpBuilder builder = atEnd();
    SmallVector<Value> parts;
    for (Value primal : primals)
      llvm::append_range(parts, take(primal));
    if (parts.empty())
      return GradientBuilder(builder, op_.getLoc())
          .splat(cast<RankedTensorType>(type), 0.0);
    return sumCotangents(builder, primals.front(), parts);
  }

  void replace() {
    SmallVector<Value> outputs(results_);
    for (auto symbol : op_.getWrt().getAsRange<FlatSymbolRefAttr>()) {
      SmallVector<Value> reads;
      for (Operation *inner : forward_)
        if (auto get = dyn_cast<GetOp>(inner))
          if (get.getParameterAttr() == symbol)
            reads.push_back(get.getOutput());
      Type type = op_->getResult(outputs.size()).getType();
      outputs.push_back(gradientOf(reads, type));
    }
    for (int64_t index : op_.getArgs()) {
      Value argument = body_.getArgument(index);
      outputs.push_back(gradientOf(argument, argument.getType()));
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
  SymbolTable &symbols_;
  ExpandFunction expand_;
  size_t size_ = 0;
  Block body_;
  SmallVector<Operation *> forward_;
  SmallVector<Value> results_;
  DenseSet<Value> active_;
  DenseMap<Value, SmallVector<Value>> cotangents_;
};

struct DifferentiatePass
    : mpc::nn::impl::DifferentiatePassBase<DifferentiatePass> {
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(expandAll(function, symbols)))
        return signalPassFailure();
    // A stop_gradient now equals its operand.
    getOperation().walk([](StopGradientOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }

private:
  /// Expands every nn.vjp in `function`, and before that those in its callees.
  LogicalResult expandAll(func::FuncOp function, SymbolTable &symbols) {
    if (!visiting_.insert(function).second)
      return function.emitError("differentiates itself");
    if (visiting_.size() > kMaxDepth)
      return function.emitError("nn.vjp calls nn.vjp more than ")
             << kMaxDepth << " deep";
    SmallVector<VJPOp> ops;
    function.walk([&](VJPOp op) { ops.push_back(op); });
    for (VJPOp op : ops) {
      auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
      if (!callee || callee.isDeclaration() || !callee.getBody().hasOneBlock())
        return op.emitOpError("can only differentiate a function of one block");
      if (failed(expandAll(callee, symbols)) ||
          failed(expand(op, callee, symbols)))
        return failure();
    }
    visiting_.erase(function);
    return success();
  }

  LogicalResult expand(VJPOp op, func::FuncOp callee, SymbolTable &symbols) {
    auto expandBody = [&](func::FuncOp body) -> LogicalResult {
      OpPassManager simplify(func::FuncOp::getOperationName());
      simplify.addPass(createCanonicalizerPass());
      simplify.addPass(createCSEPass());
      return failure(failed(expandAll(body, symbols)) ||
                     failed(runPipeline(simplify, body)));
    };
    Expansion expansion(op, callee, symbols, expandBody);
    Location loc = op.getLoc();
    if (failed(expansion.run()))
      return failure();
    made_ += expansion.numOps();
    if (made_ > kMaxOps)
      return mlir::emitError(loc)
             << "gradients of gradients make more than " << kMaxOps << " ops";
    return success();
  }

  /// Each level of derivatives multiplies the ops of the one below.
  static constexpr size_t kMaxDepth = 64, kMaxOps = size_t{1} << 18;

  size_t made_ = 0; ///< The number of ops that all expansions have made.
  DenseSet<Operation *> visiting_;
};

} // namespace
