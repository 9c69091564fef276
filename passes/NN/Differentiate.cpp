// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-differentiate: expands nn.vjp by reverse-mode differentiation.
#include "passes/NN/Passes.h"

#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

namespace mpc::nn {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The sum of cotangents of one value: in f32, rounded once.
static Value sumCotangents(OpBuilder &builder, Value primal,
                           ArrayRef<Value> parts) {
  if (parts.empty())
    return {};
  if (parts.size() == 1)
    return parts.front();
  GradientBuilder g(builder, parts.front().getLoc());
  Value sum = g.wide(parts.front());
  for (Value part : parts.drop_front())
    sum = g.add(sum, g.wide(part));
  return g.as(sum, primal);
}

namespace {

/// Marks each op that a VJP inserts as belonging to the backward pass.
struct GradientMarker : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    MLIRContext *context = op->getContext();
    op->setLoc(FusedLoc::get({op->getLoc()},
                             StringAttr::get(context, "gradient"), context));
  }
};

/// Expands one nn.vjp whose callee holds none. The callee's body is cloned to a
/// block of its own: its arguments are told apart there even where the nn.vjp
/// passes one value for two of them.
class Expansion {
public:
  Expansion(VJPOp op, func::FuncOp callee) : op(op), callee(callee) {}

  LogicalResult run() {
    cloneForward();
    findActive();
    seedResults();
    if (failed(differentiate()))
      return failure();
    size = body.getOperations().size();
    replace();
    return success();
  }

  /// Ops that run() has put in the place of the nn.vjp.
  size_t numOps() const { return size; }

private:
  OpBuilder atEnd() {
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&body);
    return builder;
  }

  void cloneForward() {
    OpBuilder builder = atEnd();
    IRMapping mapping;
    Block &source = callee.getBody().front();
    for (BlockArgument argument : source.getArguments())
      mapping.map(argument,
                  body.addArgument(argument.getType(), argument.getLoc()));
    for (Operation &inner : source.without_terminator())
      forward.push_back(builder.clone(inner, mapping));
    for (Value result : source.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(result));
  }

  /// Marks the values that depend on what is differentiated by.
  void findActive() {
    DenseSet<Attribute> wrt;
    for (Attribute symbol : op.getWrt())
      wrt.insert(symbol);
    for (int64_t index : op.getArgs())
      active.insert(body.getArgument(index));
    for (Operation *inner : forward) {
      auto get = dyn_cast<GetOp>(inner);
      bool isActive = get ? wrt.contains(get.getParameterAttr())
                          : llvm::any_of(inner->getOperands(), [&](Value v) {
                              return active.contains(v);
                            });
      if (isActive)
        active.insert(inner->result_begin(), inner->result_end());
    }
  }

  void seedResults() {
    auto seed = op.getSeeds().begin();
    for (Value result : results)
      if (isa<FloatType>(getElementTypeOrSelf(result)))
        cotangents[result].push_back(*seed++);
  }

  LogicalResult differentiate() {
    GradientMarker marker;
    OpBuilder builder = atEnd();
    builder.setListener(&marker);
    for (Operation *inner : llvm::reverse(forward)) {
      if (inner->getNumOperands() == 0 || !isActive(inner))
        continue;
      SmallVector<Value> dResults;
      for (Value result : inner->getResults())
        dResults.push_back(sumCotangents(builder, result, take(result)));
      if (llvm::none_of(dResults, [](Value d) { return d; }))
        continue;
      auto rule = dyn_cast<VJPOpInterface>(inner);
      if (!rule)
        return inner->emitError()
               << "'" << inner->getName() << "' has no gradient";
      SmallVector<Value> dOperands(inner->getNumOperands());
      if (failed(rule.buildVJP(builder, dResults, dOperands)))
        return failure();
      for (auto [operand, d] : llvm::zip(inner->getOperands(), dOperands))
        if (d && active.contains(operand))
          cotangents[operand].push_back(d);
    }
    return success();
  }

  bool isActive(Operation *inner) const {
    return llvm::any_of(inner->getResults(),
                        [&](Value v) { return active.contains(v); });
  }

  SmallVector<Value> take(Value value) {
    auto it = cotangents.find(value);
    return it == cotangents.end() ? SmallVector<Value>() : it->second;
  }

  /// The gradient of all `primals` together, zero where nothing depends on
  /// them.
  Value gradientOf(ArrayRef<Value> primals, Type type) {
    OpBuilder builder = atEnd();
    SmallVector<Value> parts;
    for (Value primal : primals)
      llvm::append_range(parts, take(primal));
    if (parts.empty())
      return GradientBuilder(builder, op.getLoc())
          .splat(cast<RankedTensorType>(type), 0.0);
    return sumCotangents(builder, primals.front(), parts);
  }

  void replace() {
    SmallVector<Value> outputs(results);
    for (auto symbol : op.getWrt().getAsRange<FlatSymbolRefAttr>()) {
      SmallVector<Value> reads;
      for (Operation *inner : forward)
        if (auto get = dyn_cast<GetOp>(inner))
          if (get.getParameterAttr() == symbol)
            reads.push_back(get.getOutput());
      Type type = op->getResult(outputs.size()).getType();
      outputs.push_back(gradientOf(reads, type));
    }
    for (int64_t index : op.getArgs()) {
      Value argument = body.getArgument(index);
      outputs.push_back(gradientOf(argument, argument.getType()));
    }
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           body.getOperations());
    op->replaceAllUsesWith(outputs);
    for (auto [argument, input] :
         llvm::zip(body.getArguments(), op.getInputs()))
      argument.replaceAllUsesWith(input);
    op->erase();
  }

  VJPOp op;
  func::FuncOp callee;
  size_t size = 0;
  Block body;
  SmallVector<Operation *> forward;
  SmallVector<Value> results;
  DenseSet<Value> active;
  DenseMap<Value, SmallVector<Value>> cotangents;
};

struct DifferentiatePass
    : mpc::nn::impl::DifferentiatePassBase<DifferentiatePass> {
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(expandAll(function, symbols)))
        return signalPassFailure();
  }

private:
  /// Expands every nn.vjp in `function`, and first those in its callees.
  LogicalResult expandAll(func::FuncOp function, SymbolTable &symbols) {
    if (!visiting.insert(function).second)
      return function.emitError("differentiates itself");
    if (visiting.size() > kMaxDepth)
      return function.emitError("nn.vjp calls nn.vjp more than ")
             << kMaxDepth << " deep";
    SmallVector<VJPOp> ops;
    function.walk([&](VJPOp op) { ops.push_back(op); });
    for (VJPOp op : ops) {
      auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
      if (!callee || callee.isDeclaration() || !callee.getBody().hasOneBlock())
        return op.emitOpError("can only differentiate a function of one block");
      if (failed(expandAll(callee, symbols)) || failed(expand(op, callee)))
        return failure();
    }
    visiting.erase(function);
    return success();
  }

  LogicalResult expand(VJPOp op, func::FuncOp callee) {
    Expansion expansion(op, callee);
    Location loc = op.getLoc();
    if (failed(expansion.run()))
      return failure();
    made += expansion.numOps();
    if (made > kMaxOps)
      return mlir::emitError(loc)
             << "gradients of gradients make more than " << kMaxOps << " ops";
    return success();
  }

  /// Each level of derivatives multiplies the ops of the one below.
  static constexpr size_t kMaxDepth = 64, kMaxOps = size_t{1} << 18;

  size_t made = 0; ///< Ops, by all expansions.
  DenseSet<Operation *> visiting;
};

} // namespace
