// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the statements of a kernel from its ops.
#include "dialects/Kernel/Body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::kernel;

static bool addLinear(AffineExpr expr, int64_t factor, Linear &linear) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.offset += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    linear.strides[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, linear) &&
           addLinear(binary.getRHS(), factor, linear);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && scale &&
         addLinear(binary.getLHS(), factor * scale.getValue(), linear);
}

std::optional<Linear> mpc::kernel::getLinear(AffineExpr expr,
                                             unsigned numDims) {
  Linear linear;
  linear.strides.assign(numDims, 0);
  if (!addLinear(expr, 1, linear))
    return std::nullopt;
  return linear;
}

//===----------------------------------------------------------------------===//
// Statement
//===----------------------------------------------------------------------===//

int64_t Statement::numIterations() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t Statement::numParallel() const {
  int64_t count = 1;
  for (auto [extent, isReduced] : llvm::zip(extents, reduced))
    count *= isReduced ? 1 : extent;
  return count;
}

bool Statement::readsOutput(unsigned index) const {
  linalg::GenericOp linalgOp = generic();
  if (!linalgOp)
    return isa<ScatterOp>(op);
  return !linalgOp.getMatchingBlockArgument(linalgOp.getDpsInitOperand(index))
              .use_empty();
}

bool Statement::coversOutput(unsigned index) const {
  if (!generic())
    return !isa<ScatterOp>(op);
  const Access &output = outputs[index];
  std::optional<Linear> linear = getLinear(output.index, numDims());
  auto type = cast<RankedTensorType>(output.tensor.getType());
  if (!linear || linear->offset != 0)
    return false;
  // Dense in some order of the parallel dimensions: each stride is the product
  // of the extents of smaller stride.
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (unsigned dim = 0; dim < numDims(); ++dim)
    if (linear->strides[dim] != 0)
      dims.push_back({linear->strides[dim], extents[dim]});
  llvm::sort(dims);
  int64_t next = 1;
  for (auto [stride, extent] : dims) {
    if (stride != next)
      return false;
    next *= extent;
  }
  return next == type.getNumElements();
}

bool mpc::kernel::isInOrder(const Statement &statement) {
  return statement.op->hasAttr(KernelDialect::InOrderAttrHelper::getNameStr());
}

bool mpc::kernel::hasInOrder(const Body &body) {
  return llvm::any_of(body.statements, isInOrder);
}

void mpc::kernel::setInOrder(linalg::GenericOp op) {
  op->setAttr(KernelDialect::InOrderAttrHelper::getNameStr(),
              UnitAttr::get(op.getContext()));
}

bool mpc::kernel::readsByIndex(linalg::GenericOp op) {
  return !op.getBody()->getOps<tensor::ExtractOp>().empty();
}

bool Statement::readsByIndex() const {
  return generic() && mpc::kernel::readsByIndex(generic());
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

AffineExpr mpc::kernel::getFlatIndex(AffineMap map, ArrayRef<int64_t> shape) {
  AffineExpr flat = getAffineConstantExpr(0, map.getContext());
  int64_t stride = 1;
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim) {
    if (shape[dim] != 1)
      flat = map.getResult(dim) * stride + flat;
    stride *= shape[dim];
  }
  return flat;
}

static Access getAccess(linalg::GenericOp op, OpOperand &operand,
                        ArrayRef<AffineExpr> dims, unsigned numDims) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = cast<RankedTensorType>(operand.get().getType());
  AffineExpr flat = getFlatIndex(map, type.getShape());
  return {operand.get(),
          simplifyAffineExpr(flat.replaceDims(dims), numDims, 0)};
}

/// The loops of an op about which nothing else is known. Shapes are static, so
/// that no op is built.
static Statement getLoops(TilingInterface op) {
  Statement statement;
  statement.op = op;
  OpBuilder builder(op);
  for (auto [range, iterator] :
       llvm::zip(op.getIterationDomain(builder), op.getLoopIteratorTypes())) {
    int64_t extent = *getConstantIntValue(range.size);
    if (extent == 1)
      continue;
    statement.extents.push_back(extent);
    statement.reduced.push_back(iterator == utils::IteratorType::reduction);
  }
  return statement;
}

Statement mpc::kernel::getStatement(linalg::GenericOp op) {
  Statement statement;
  statement.op = op;
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [extent, iterator] : llvm::zip(extents, iterators)) {
    if (extent == 1) {
      statement.indices.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    statement.indices.push_back(
        getAffineDimExpr(statement.extents.size(), context));
    statement.extents.push_back(extent);
    statement.reduced.push_back(iterator == utils::IteratorType::reduction);
  }
  for (OpOperand *operand : op.getDpsInputOperands())
    statement.inputs.push_back(
        getAccess(op, *operand, statement.indices, statement.numDims()));
  for (OpOperand &operand : op.getDpsInitsMutable())
    statement.outputs.push_back(
        getAccess(op, operand, statement.indices, statement.numDims()));
  return statement;
}

static LogicalResult verifyShapes(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return op->emitOpError("in a kernel needs operands of static shape");
  }
  return success();
}

static LogicalResult verifyGeneric(linalg::GenericOp op) {
  if (failed(verifyShapes(op)))
    return failure();
  for (Operation &inner : *op.getBody())
    if (inner.getNumRegions() != 0)
      return inner.emitOpError("cannot stand in the region of a kernel");
  return success();
}

FailureOr<Body> mpc::kernel::getBody(FuncOp kernel) {
  Body body;
  for (Operation &op : kernel.getBody().front()) {
    LogicalResult result =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](linalg::GenericOp generic) {
              if (failed(verifyGeneric(generic)))
                return failure();
              body.statements.push_back(getStatement(generic));
              return success();
            })
            .Case([](arith::ConstantOp constant) -> LogicalResult {
              // Emitted code has no place for a constant's elements, so that
              // tensors are arguments.
              if (isa<ShapedType>(constant.getType()) &&
                  !isa<SplatElementsAttr>(constant.getValue()))
                return constant.emitOpError(
                    "in a kernel needs equal elements; pass a tensor of "
                    "different ones as an argument");
              return success();
            })
            .Case<linalg::FillOp, tensor::EmptyOp, PadOp, ReturnOp>(
                [](Operation *) { return success(); })
            .Case([&](TilingInterface own) {
              if (!isa<KernelDialect>(own->getDialect()))
                return LogicalResult(
                    own.emitOpError("cannot stand in a kernel"));
              if (failed(verifyShapes(own)))
                return failure();
              body.statements.push_back(getLoops(own));
              return success();
            })
            .Default([](Operation *other) {
              return other->emitOpError("cannot stand in a kernel");
            });
    if (failed(result))
      return failure();
  }
  return body;
}

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

static bool isAssociative(Operation *op) {
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

Operation *mpc::kernel::getCombiner(const Statement &statement,
                                    unsigned output) {
  linalg::GenericOp op = statement.generic();
  BlockArgument sum = op.getMatchingBlockArgument(op.getDpsInitOperand(output));
  Operation *combiner =
      op.getBody()->getTerminator()->getOperand(output).getDefiningOp();
  if (!combiner || !sum.hasOneUse() || *sum.user_begin() != combiner ||
      !combiner->getResult(0).hasOneUse())
    return nullptr;
  if (isa<math::FmaOp>(combiner))
    return combiner->getOperand(2) == sum ? combiner : nullptr;
  return isAssociative(combiner) ? combiner : nullptr;
}

Value mpc::kernel::getSplat(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  return fill ? fill.getInputs().front() : Value();
}

bool mpc::kernel::isUndefined(Value tensor) {
  return tensor.getDefiningOp<tensor::EmptyOp>() != nullptr;
}
