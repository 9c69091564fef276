// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a function of a turn of a loop and of its gradient.
#include "passes/NN/ScanTurn.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/Gradient.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

bool mpc::nn::hasGradient(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

void ScanTurn::erase(SymbolTable &symbols) {
  symbols.erase(function);
  symbols.erase(callee);
}

namespace {

class TurnBuilder {
public:
  TurnBuilder(ScanOp scan, const ScanCotangents &cotangents,
              SymbolTable &symbols)
      : scan_(scan), cotangents_(cotangents), symbols_(symbols),
        body_(symbols.lookup<func::FuncOp>(scan.getBody())),
        numCarried_(scan.getInits().size()),
        numArguments_(scan->getNumOperands()) {}

  FailureOr<ScanTurn> build(ExpandFunction expand);

private:
  bool isDifferentiated(unsigned argument) const;
  func::FuncOp createCallee();
  SmallVector<Value> addSeeds(OpBuilder &builder, ValueRange given);
  void createJoint();
  void readJoint();

  ScanOp scan_;
  const ScanCotangents &cotangents_;
  SymbolTable &symbols_;
  func::FuncOp body_;
  unsigned numCarried_, numArguments_;
  ScanTurn turn_;
};

} // namespace

/// Whether the joint function yields the gradient of that argument.
bool TurnBuilder::isDifferentiated(unsigned argument) const {
  Value operand = scan_->getOperand(argument);
  return hasGradient(operand) &&
         (argument < numCarried_ || cotangents_.isWanted[argument]);
}

/// A copy of the body that returns the carried values, and the further results
/// that have a cotangent.
func::FuncOp TurnBuilder::createCallee() {
  func::FuncOp callee = body_.clone();
  callee.setName((body_.getName() + "_seeded").str());
  symbols_.insert(callee);
  Operation *terminator = callee.getBody().front().getTerminator();
  llvm::BitVector dropped(terminator->getNumOperands(), true);
  dropped.reset(0, numCarried_);
  for (unsigned index : turn_.seeded)
    dropped.reset(index);
  terminator->eraseOperands(dropped);
  callee.setFunctionType(FunctionType::get(callee.getContext(),
                                           callee.getArgumentTypes(),
                                           terminator->getOperandTypes()));
  for (Operation &op : callee.getBody().front().without_terminator())
    op.setAttr(kForwardAttr, UnitAttr::get(callee.getContext()));
  return callee;
}

/// The cotangents of the results of the callee, where the joint function takes
/// `given`: those of carried values, and those of each turn.
SmallVector<Value> TurnBuilder::addSeeds(OpBuilder &builder, ValueRange given) {
  GradientBuilder b(builder, scan_.getLoc());
  SmallVector<Value> carried(numCarried_), others;
  for (unsigned i = 0; i < numCarried_; ++i)
    if (hasGradient(scan_.getInits()[i])) {
      carried[i] = given.front();
      given = given.drop_front();
    }
  for (unsigned index : turn_.seeded) {
    Value turn = given.front();
    given = given.drop_front();
    if (index < numCarried_)
      carried[index] = b.as(b.add(b.wide(carried[index]), b.wide(turn)), turn);
    else
      others.push_back(turn);
  }
  SmallVector<Value> seeds = llvm::filter_to_vector(
      carried, [](Value value) { return static_cast<bool>(value); });
  llvm::append_range(seeds, others);
  return seeds;
}

/// Creates (arguments, cotangents) -> (results, gradients).
void TurnBuilder::createJoint() {
  OpBuilder builder(body_.getContext());
  Location loc = scan_.getLoc();
  SmallVector<Type> types(body_.getArgumentTypes());
  for (unsigned i = 0; i < numCarried_; ++i)
    if (hasGradient(scan_.getInits()[i]))
      types.push_back(body_.getResultTypes()[i]);
  for (unsigned index : turn_.seeded)
    types.push_back(body_.getResultTypes()[index]);
  turn_.function =
      func::FuncOp::create(builder, loc, (body_.getName() + "_vjp").str(),
                           builder.getFunctionType(types, {}));
  turn_.function.setPrivate();
  symbols_.insert(turn_.function);
  builder.setInsertionPointToStart(turn_.function.addEntryBlock());
  ValueRange arguments = turn_.function.getArguments();
  turn_.callee = createCallee();
  IRMapping mapping;
  mapping.map(body_.getArguments(), arguments.take_front(numArguments_));
  for (Operation &op : body_.getBody().front().without_terminator())
    builder.clone(op, mapping)->setAttr(kForwardAttr, builder.getUnitAttr());
  SmallVector<Value> results = llvm::map_to_vector(
      body_.getBody().front().getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
  SmallVector<Value> seeds =
      addSeeds(builder, arguments.drop_front(numArguments_));
  SmallVector<Type> outputs(turn_.callee.getResultTypes());
  SmallVector<int64_t> wanted;
  for (unsigned i = 0; i < numArguments_; ++i)
    if (isDifferentiated(i)) {
      wanted.push_back(i);
      outputs.push_back(body_.getArgumentTypes()[i]);
    }
  auto vjp = VJPOp::create(builder, loc, outputs, turn_.callee.getName(),
                           arguments.take_front(numArguments_), seeds,
                           builder.getArrayAttr({}),
                           builder.getDenseI64ArrayAttr(wanted));
  llvm::append_range(results,
                     vjp.getResults().drop_front(turn_.callee.getNumResults()));
  func::ReturnOp::create(builder, loc, results);
  turn_.function.setFunctionType(
      builder.getFunctionType(types, TypeRange(ValueRange(results))));
}

/// Reads what the joint function takes and returns, once it is expanded.
void TurnBuilder::readJoint() {
  Block &block = turn_.function.getBody().front();
  SmallVector<Value> outputs(block.getTerminator()->getOperands());
  turn_.results.assign(outputs.begin(),
                       outputs.begin() + body_.getNumResults());
  ArrayRef<Value> rest = ArrayRef(outputs).drop_front(body_.getNumResults());
  turn_.gradients.resize(numArguments_);
  for (unsigned i = 0; i < numArguments_; ++i)
    if (isDifferentiated(i)) {
      turn_.gradients[i] = rest.front();
      rest = rest.drop_front();
    }
  SmallVector<Value> seeds(
      turn_.function.getArguments().drop_front(numArguments_));
  turn_.carriedSeeds =
      llvm::to_vector(ArrayRef(seeds).drop_back(turn_.seeded.size()));
  turn_.seeds = llvm::to_vector(ArrayRef(seeds).take_back(turn_.seeded.size()));
}

FailureOr<ScanTurn> TurnBuilder::build(ExpandFunction expand) {
  for (auto [index, cotangent] : llvm::enumerate(cotangents_.results))
    if (cotangent && (index >= numCarried_ || scan_.keepsEachTurn(index)))
      turn_.seeded.push_back(index);
  createJoint();
  if (failed(expand(turn_.function)))
    return failure();
  readJoint();
  return std::move(turn_);
}

FailureOr<ScanTurn> mpc::nn::buildScanTurn(ScanOp scan,
                                           const ScanCotangents &cotangents,
                                           SymbolTable &symbols,
                                           ExpandFunction expand) {
  return TurnBuilder(scan, cotangents, symbols).build(expand);
}
