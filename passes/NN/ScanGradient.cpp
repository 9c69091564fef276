// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a turn of a loop with its gradient into a forward and a backward body.
#include "passes/NN/ScanGradient.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/Gradient.h"
#include "mlir/IR/IRMapping.h"
#include "passes/NN/ScanTurn.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// `type` with an axis of `count` before the others.
static RankedTensorType stackOf(Type type, int64_t count) {
  auto entry = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, entry.getShape());
  return entry.clone(shape);
}

/// The type in which summands of `type` are added up.
static RankedTensorType inWide(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getElementType().isF64())
    return tensor;
  return tensor.clone(Float32Type::get(type.getContext()));
}

/// Entries `from` to `to` of the first axis of `stack`.
static Value sliceStack(OpBuilder &builder, Value stack, int64_t from,
                        int64_t to) {
  auto type = rankedType(stack);
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> limits(type.getShape());
  starts[0] = from;
  limits[0] = to;
  return SliceOp::create(builder, stack.getLoc(), stack, starts, limits,
                         strides);
}

//===----------------------------------------------------------------------===//
// Parts of a function
//===----------------------------------------------------------------------===//

/// The ops by which `outputs` are computed, down to values that `isGiven`, of
/// which those that are read are added to `read`.
static DenseSet<Operation *> findOps(ArrayRef<Value> outputs,
                                     function_ref<bool(Value)> isGiven,
                                     llvm::SetVector<Value> &read) {
  DenseSet<Operation *> ops;
  SmallVector<Value> work(outputs);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isGiven(value))
      read.insert(value);
    else if (Operation *op = value.getDefiningOp(); ops.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return ops;
}

/// Creates a private function of `inputs`, values of `block`, with the ops of
/// `block` that are among `ops`, and lets `finish` give its results.
static func::FuncOp
extract(SymbolTable &symbols, StringRef name, Block &block,
        ArrayRef<Value> inputs, const DenseSet<Operation *> &ops,
        function_ref<SmallVector<Value>(OpBuilder &, IRMapping &)> finish) {
  OpBuilder builder(block.getParentOp()->getContext());
  auto function = func::FuncOp::create(
      builder, block.getParentOp()->getLoc(), name,
      builder.getFunctionType(TypeRange(ValueRange(inputs)), {}));
  function.setPrivate();
  symbols.insert(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(inputs, function.getArguments());
  for (Operation &op : block)
    if (ops.contains(&op))
      builder.clone(op, mapping)->removeAttr(kForwardAttr);
  SmallVector<Value> results = finish(builder, mapping);
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), TypeRange(ValueRange(results))));
  return function;
}

namespace {

/// The gradient of a constant, or of a part of one.
struct Term {
  unsigned argument; ///< The number of the constant among the arguments.
  Value value;       ///< The gradient of a turn.
  /// The factors of which it is the product of the first, transposed, by the
  /// second; or else null.
  Value lhs, rhs;
  /// What it is a sum of over `axes`; or else null.
  Value summand;
  SmallVector<int64_t> axes;

  bool isAddedUp() const { return !lhs && !summand; }
};

class ScanGradient {
public:
  ScanGradient(OpBuilder &builder, ScanOp scan,
               const ScanCotangents &cotangents, SymbolTable &symbols)
      : builder_(builder), scan_(scan), cotangents_(cotangents),
        symbols_(symbols), b_(builder, scan.getLoc()),
        body_(symbols.lookup<func::FuncOp>(scan.getBody())) {}

  FailureOr<ForwardScan> build(ExpandFunction expand);

private:
  bool isConstant(unsigned argument) const {
    return argument >= numCarried_ + numStacks_;
  }
  void findTerms();
  Term makeTerm(unsigned argument, Value value) const;

  void findInvariants();
  bool isKept(Value value) const;
  bool isGiven(Value value) const;
  void cutBackward();
  void keep(Value value);
  std::optional<unsigned> resultOf(Value value) const;
  void createForward();
  void createBackward();

  ForwardScan runForward();
  void runBackward(ScanOp forward);
  Value sequenceOf(ScanOp forward, Value kept);
  Value previousOf(ScanOp forward, unsigned carried);
  Value gradientOf(const Term &term, ScanOp forward);
  Value turnsOf(Value value, ScanOp forward);

  OpBuilder &builder_;
  ScanOp scan_;
  const ScanCotangents &cotangents_;
  SymbolTable &symbols_;
  GradientBuilder b_;
  func::FuncOp body_, forward_, backward_;
  unsigned numCarried_ = 0, numStacks_ = 0, numArguments_ = 0;
  ScanTurn turn_;
  SmallVector<Term> terms_;
  /// What the backward body computes: the gradients of carried values, what is
  /// added up, and what it yields of each turn.
  SmallVector<Value> carried_, added_;
  llvm::SetVector<Value> yielded_;
  DenseSet<Operation *> backwardOps_;
  DenseSet<Value> invariant_; ///< What is the same in all turns.
  /// What it reads of the forward pass of each turn, and the constants.
  SmallVector<Value> read_, constants_;
  /// Values of the forward body that it yields besides its results.
  llvm::SetVector<Value> saved_;
  DenseSet<unsigned> histories_; ///< Carried values of which each turn is read.
  ScanOp gradient_;
};

} // namespace

//===----------------------------------------------------------------------===//
// Gradients of constants
//===----------------------------------------------------------------------===//

/// The gradient `value` of a constant as a product or sum, through casts.
Term ScanGradient::makeTerm(unsigned argument, Value value) const {
  Term term = {argument, value, {}, {}, {}, {}};
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  auto isMatrix = [](Value factor) {
    return rankedType(factor).getRank() == 2;
  };
  if (auto product = value.getDefiningOp<MatmulOp>()) {
    if (product.getTransposeLhs() && !product.getTransposeRhs() &&
        !product.getBias() && isMatrix(product.getLhs())) {
      term.lhs = product.getLhs();
      term.rhs = product.getRhs();
    }
  } else if (auto sum = value.getDefiningOp<ReduceSumOp>()) {
    term.summand = sum.getInput();
    term.axes.assign(sum.getAxes().begin(), sum.getAxes().end());
  }
  return term;
}

void ScanGradient::findTerms() {
  for (unsigned i = 0; i < numArguments_; ++i)
    if (isConstant(i) && turn_.gradients[i])
      terms_.push_back(makeTerm(i, turn_.gradients[i]));
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

/// Finds the values that are the same in all turns.
void ScanGradient::findInvariants() {
  Block &block = turn_.function.getBody().front();
  for (BlockArgument argument : block.getArguments().take_front(numArguments_))
    if (isConstant(argument.getArgNumber()))
      invariant_.insert(argument);
  for (Operation &op : block)
    if (llvm::all_of(op.getOperands(), [&](Value operand) {
          return invariant_.contains(operand);
        }))
      invariant_.insert(op.result_begin(), op.result_end());
}

/// Whether `value` is what the forward loop has of each turn.
bool ScanGradient::isKept(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() < numCarried_ + numStacks_;
  return value.getDefiningOp()->hasAttr(kForwardAttr) &&
         !invariant_.contains(value);
}

/// Whether the backward body is given `value`.
bool ScanGradient::isGiven(Value value) const {
  return isa<BlockArgument>(value) || isKept(value);
}

/// Finds what the backward body has to compute, and what it reads for that.
void ScanGradient::cutBackward() {
  for (unsigned i = 0; i < numArguments_; ++i)
    if (turn_.gradients[i] && i < numCarried_)
      carried_.push_back(turn_.gradients[i]);
    else if (turn_.gradients[i] && !isConstant(i))
      yielded_.insert(turn_.gradients[i]);
  for (const Term &term : terms_) {
    if (term.isAddedUp())
      added_.push_back(term.value);
    for (Value part : {term.lhs, term.rhs, term.summand})
      if (part && !isKept(part))
        yielded_.insert(part);
  }
  SmallVector<Value> outputs(carried_);
  llvm::append_range(outputs, added_);
  llvm::append_range(outputs, yielded_);
  llvm::SetVector<Value> read;
  backwardOps_ =
      findOps(outputs, [&](Value value) { return isGiven(value); }, read);
  for (Value value : read) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (isKept(value))
      read_.push_back(value);
    else if (argument.getArgNumber() < numArguments_)
      constants_.push_back(value);
  }
  SmallVector<Value> kept(read_);
  for (const Term &term : terms_)
    for (Value part : {term.lhs, term.rhs, term.summand})
      if (part && isKept(part))
        kept.push_back(part);
  llvm::for_each(kept, [&](Value value) { keep(value); });
}

/// Makes the forward loop yield `value` of each turn.
void ScanGradient::keep(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  std::optional<unsigned> result = resultOf(value);
  if (result && *result < numCarried_)
    histories_.insert(*result);
  else if (argument && argument.getArgNumber() < numCarried_)
    histories_.insert(argument.getArgNumber());
  else if (!argument && !result)
    saved_.insert(value);
}

/// The result of the body that `value` is.
std::optional<unsigned> ScanGradient::resultOf(Value value) const {
  auto found = llvm::find(turn_.results, value);
  if (isa<BlockArgument>(value) || found == turn_.results.end())
    return std::nullopt;
  return found - turn_.results.begin();
}

void ScanGradient::createForward() {
  SmallVector<Value> outputs(turn_.results);
  llvm::append_range(outputs, saved_);
  SmallVector<Value> inputs(
      turn_.function.getArguments().take_front(numArguments_));
  llvm::SetVector<Value> read;
  DenseSet<Operation *> ops = findOps(
      outputs, [](Value value) { return isa<BlockArgument>(value); }, read);
  forward_ = extract(symbols_, (body_.getName() + "_forward").str(),
                     turn_.function.getBody().front(), inputs, ops,
                     [&](OpBuilder &, IRMapping &mapping) {
                       return llvm::map_to_vector(outputs, [&](Value value) {
                         return mapping.lookup(value);
                       });
                     });
}

/// Creates (gradients of carried values, sums, cotangents of the turn, values
/// of the forward turn, constants) -> (gradients of carried values, sums, what
/// is yielded).
void ScanGradient::createBackward() {
  Block &block = turn_.function.getBody().front();
  SmallVector<Value> inputs(turn_.carriedSeeds);
  // A sum is like its summands, but for its type, which is set below.
  size_t firstSum = inputs.size();
  llvm::append_range(inputs, added_);
  for (ArrayRef<Value> more :
       {ArrayRef(turn_.seeds), ArrayRef(read_), ArrayRef(constants_)})
    llvm::append_range(inputs, more);
  auto finish = [&](OpBuilder &builder, IRMapping &mapping) {
    GradientBuilder b(builder, scan_.getLoc());
    Block *body = builder.getBlock();
    SmallVector<Value> results;
    for (Value value : carried_)
      results.push_back(mapping.lookup(value));
    for (auto [index, value] : llvm::enumerate(added_)) {
      BlockArgument sum = body->getArgument(firstSum + index);
      sum.setType(inWide(sum.getType()));
      results.push_back(b.add(sum, b.wide(mapping.lookup(value))));
    }
    for (Value value : yielded_)
      results.push_back(mapping.lookup(value));
    return results;
  };
  backward_ = extract(symbols_, (body_.getName() + "_backward").str(), block,
                      inputs, backwardOps_, finish);
  backward_.setFunctionType(FunctionType::get(
      backward_.getContext(), backward_.getBody().front().getArgumentTypes(),
      backward_.getResultTypes()));
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Creates the loop that keeps more.
ForwardScan ScanGradient::runForward() {
  auto turns = static_cast<int64_t>(scan_.getTurns());
  SmallVector<Type> types(scan_.getResultTypes());
  for (unsigned index : histories_)
    types[index] = stackOf(scan_.getInits()[index].getType(), turns);
  for (Value value : saved_)
    types.push_back(stackOf(value.getType(), turns));
  OpBuilder builder(scan_);
  auto forward =
      ScanOp::create(builder, scan_.getLoc(), types, forward_.getName(), turns,
                     scan_.getReversed(), scan_.getInits(), scan_.getStacks(),
                     scan_.getConstants());
  GradientBuilder b(builder, scan_.getLoc());
  SmallVector<Value> results;
  for (auto [index, old] : llvm::enumerate(scan_.getOutputs())) {
    Value value = forward.getOutputs()[index];
    if (value.getType() != old.getType()) {
      int64_t last = scan_.getReversed() ? 0 : turns - 1;
      value =
          b.reshape(sliceStack(builder, value, last, last + 1), shapeOf(old));
    }
    results.push_back(value);
  }
  return {forward, results};
}

/// What carried value `carried` is at the beginning of each turn.
Value ScanGradient::previousOf(ScanOp forward, unsigned carried) {
  Value init = scan_.getInits()[carried];
  Value history = forward.getOutputs()[carried];
  int64_t turns = rankedType(history).getDimSize(0);
  Value first = b_.reshape(init, stackOf(init.getType(), 1).getShape());
  if (turns == 1)
    return first;
  bool reversed = scan_.getReversed();
  Value others = sliceStack(builder_, history, reversed ? 1 : 0,
                            reversed ? turns : turns - 1);
  SmallVector<Value> parts = {first, others};
  if (reversed)
    std::swap(parts[0], parts[1]);
  return ConcatOp::create(builder_, scan_.getLoc(), parts, 0);
}

/// What the forward loop has of `kept` of each turn.
Value ScanGradient::sequenceOf(ScanOp forward, Value kept) {
  if (auto argument = dyn_cast<BlockArgument>(kept)) {
    unsigned number = argument.getArgNumber();
    return number < numCarried_ ? previousOf(forward, number)
                                : scan_.getStacks()[number - numCarried_];
  }
  if (std::optional<unsigned> result = resultOf(kept))
    return forward.getOutputs()[*result];
  auto place = llvm::find(saved_, kept) - saved_.begin();
  return forward.getOutputs()[body_.getNumResults() + place];
}

void ScanGradient::runBackward(ScanOp forward) {
  auto turns = static_cast<int64_t>(scan_.getTurns());
  SmallVector<Value> inits, stacks, constants;
  for (unsigned i = 0; i < numCarried_; ++i) {
    Value init = scan_.getInits()[i];
    if (!hasGradient(init))
      continue;
    bool isLast = !scan_.keepsEachTurn(i) && cotangents_.results[i];
    inits.push_back(isLast ? cotangents_.results[i] : b_.splat(init, 0.0));
  }
  for (Value value : added_)
    inits.push_back(b_.splat(inWide(value.getType()), 0.0));
  for (unsigned index : turn_.seeded)
    stacks.push_back(cotangents_.results[index]);
  for (Value value : read_)
    stacks.push_back(sequenceOf(forward, value));
  for (Value value : constants_)
    constants.push_back(
        scan_->getOperand(cast<BlockArgument>(value).getArgNumber()));
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  for (Value value : yielded_)
    types.push_back(stackOf(value.getType(), turns));
  gradient_ =
      ScanOp::create(builder_, scan_.getLoc(), types, backward_.getName(),
                     turns, !scan_.getReversed(), inits, stacks, constants);
}

/// What `value`, which is kept or yielded by the backward loop, is of each
/// turn.
Value ScanGradient::turnsOf(Value value, ScanOp forward) {
  if (isKept(value))
    return sequenceOf(forward, value);
  auto place = llvm::find(yielded_, value) - yielded_.begin();
  return gradient_.getOutputs()[carried_.size() + added_.size() + place];
}

/// The gradient of a constant over all turns.
Value ScanGradient::gradientOf(const Term &term, ScanOp forward) {
  Value operand = scan_->getOperand(term.argument);
  if (term.summand) {
    SmallVector<int64_t> axes = {0};
    for (int64_t axis : term.axes)
      axes.push_back(axis + 1);
    Value wide = b_.wide(turnsOf(term.summand, forward));
    return b_.as(b_.sum(wide, axes), operand);
  }
  if (term.lhs) {
    auto flatten = [&](Value factor) {
      ArrayRef<int64_t> shape = shapeOf(factor);
      return b_.reshape(factor, {shape[0] * shape[1], shape[2]});
    };
    Value lhs = flatten(turnsOf(term.lhs, forward));
    Value rhs = flatten(turnsOf(term.rhs, forward));
    Type type = rankedType(lhs).clone({shapeOf(lhs)[1], shapeOf(rhs)[1]});
    Value product =
        MatmulOp::create(builder_, scan_.getLoc(), type, lhs, rhs, Value(),
                         /*transpose_lhs=*/true, /*transpose_rhs=*/false);
    return b_.as(product, operand);
  }
  auto place = llvm::find(added_, term.value) - added_.begin();
  return b_.as(gradient_.getOutputs()[carried_.size() + place], operand);
}

FailureOr<ForwardScan> ScanGradient::build(ExpandFunction expand) {
  numCarried_ = scan_.getInits().size();
  numStacks_ = scan_.getStacks().size();
  numArguments_ = scan_->getNumOperands();
  FailureOr<ScanTurn> turn =
      buildScanTurn(scan_, cotangents_, symbols_, expand);
  if (failed(turn))
    return failure();
  turn_ = *std::move(turn);
  findInvariants();
  findTerms();
  cutBackward();
  createForward();
  createBackward();
  ForwardScan replacement = runForward();
  ScanOp forward = replacement.loop;
  runBackward(forward);
  unsigned next = 0;
  for (unsigned i = 0; i < numCarried_; ++i)
    if (turn_.gradients[i])
      cotangents_.operands[i] = gradient_.getOutputs()[next++];
  for (unsigned i = numCarried_; i < numCarried_ + numStacks_; ++i)
    if (turn_.gradients[i])
      cotangents_.operands[i] = turnsOf(turn_.gradients[i], forward);
  for (const Term &term : terms_)
    cotangents_.operands[term.argument] = gradientOf(term, forward);
  turn_.erase(symbols_);
  return replacement;
}

FailureOr<ForwardScan>
mpc::nn::buildScanGradient(OpBuilder &builder, ScanOp scan,
                           const ScanCotangents &cotangents,
                           SymbolTable &symbols, ExpandFunction expand) {
  return ScanGradient(builder, scan, cotangents, symbols).build(expand);
}
