// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks through attention that is written out, from the softmax backwards.
#include "passes/NN/WrittenAttention.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

std::optional<double> mpc::nn::numberOf(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(movedFrom(value), m_Constant(&constant)))
    return std::nullopt;
  return splatOf(constant);
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

/// Whether a reshape leaves the last two axes, of rows and columns.
static bool keepsMatrices(ReshapeOp reshape) {
  ArrayRef<int64_t> from = shapeOf(reshape.getInput());
  ArrayRef<int64_t> to = shapeOf(reshape.getOutput());
  return from.size() >= 2 && to.size() >= 2 &&
         from.take_back(2) == to.take_back(2);
}

/// Whether a transpose exchanges the last two axes and leaves the others.
static bool swapsMatrices(TransposeOp transpose) {
  SmallVector<int64_t> order(transpose.getPermutation());
  if (order.size() < 2)
    return false;
  std::swap(order.back(), order[order.size() - 2]);
  return llvm::is_sorted(order);
}

/// The operand that `op` multiplies by a number, and the number.
static std::optional<std::pair<Value, double>> scaledBy(Operation *op) {
  if (auto product = dyn_cast_or_null<MulOp>(op)) {
    if (auto number = numberOf(product.getRhs()))
      return std::pair(product.getLhs(), *number);
    if (auto number = numberOf(product.getLhs()))
      return std::pair(product.getRhs(), *number);
  }
  if (auto quotient = dyn_cast_or_null<DivOp>(op))
    if (auto number = numberOf(quotient.getRhs()); number && *number != 0.0)
      return std::pair(quotient.getLhs(), 1.0 / *number);
  return std::nullopt;
}

Value mpc::nn::behindMove(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  bool moves =
      (cast && isFloat(cast.getInput())) || (reshape && keepsMatrices(reshape));
  return moves ? op->getOperand(0) : Value();
}

//===----------------------------------------------------------------------===//
// A factor of a product
//===----------------------------------------------------------------------===//

bool AttentionFactor::strip(double *scale) {
  Operation *op = value.getDefiningOp();
  if (auto scaled = scale ? scaledBy(op) : std::nullopt) {
    value = scaled->first;
    *scale *= scaled->second;
    return true;
  }
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op);
      transpose && swapsMatrices(transpose)) {
    value = transpose.getInput();
    isSwapped = !isSwapped;
    return true;
  }
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  if (!reshape || !keepsMatrices(reshape))
    return false;
  value = reshape.getInput();
  return true;
}

/// The broadcast of [b, g, ..] to [b, g, r, ..] behind a factor, where g r is
/// the number of heads.
static BroadcastOp repetitionOf(Value value, int64_t batch, int64_t heads) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  ArrayRef<int64_t> to = shapeOf(broadcast.getOutput());
  ArrayRef<int64_t> from = shapeOf(broadcast.getInput());
  if (to.size() != 5 || to[0] != batch || to[1] * to[2] != heads)
    return {};
  int64_t places = 0;
  for (auto [axis, size] : llvm::zip_equal(broadcast.getAxes(), from)) {
    if (axis != 2 && size != to[axis])
      return {};
    if (axis == 2 && size != 1)
      return {};
    places += axis != 2;
  }
  return places == 4 ? broadcast : BroadcastOp();
}

int64_t AttentionFactor::groups(int64_t batch, int64_t heads) const {
  BroadcastOp repetition = repetitionOf(value, batch, heads);
  return repetition ? shapeOf(repetition.getOutput())[1] : heads;
}

Value AttentionFactor::build(GradientBuilder &g, int64_t batch,
                             int64_t heads) const {
  Value built = value;
  SmallVector<int64_t> rowsAndColumns(ArrayRef(shapeOf(value)).take_back(2));
  BroadcastOp repetition;
  int64_t all = 1;
  for (int64_t size : shapeOf(value).drop_back(2))
    all *= size;
  if (all != batch * heads)
    repetition = repetitionOf(value, batch, all / batch);
  if (repetition)
    built = repetition.getInput();
  built =
      g.reshape(built, {batch, heads, rowsAndColumns[0], rowsAndColumns[1]});
  if (isSwapped)
    built =
        TransposeOp::create(g.b, g.loc, built, ArrayRef<int64_t>{0, 1, 3, 2});
  return built;
}

//===----------------------------------------------------------------------===//
// What lies between the products
//===----------------------------------------------------------------------===//

/// Whether scores, a product of matrices, are behind what may be done to them.
static bool leadsToProduct(Value value) {
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    if (isa<MatmulOp>(op))
      return true;
    if (Value behind = behindMove(op))
      value = behind;
    else if (auto scaled = scaledBy(op))
      value = scaled->first;
    else if (auto select = dyn_cast<SelectOp>(op))
      value = numberOf(select.getOnTrue()) ? select.getOnFalse()
                                           : select.getOnTrue();
    else if (auto sum = dyn_cast<AddOp>(op))
      value = leadsToProduct(sum.getLhs()) ? sum.getLhs() : sum.getRhs();
    else if (auto tanh = dyn_cast<TanhOp>(op))
      value = tanh.getInput();
    else
      return false;
  }
  return false;
}

bool WrittenScores::choose(SelectOp select, Value &value) {
  if (softcap)
    return fail("a mask is in front of the cap");
  std::optional<double> onTrue = numberOf(select.getOnTrue());
  std::optional<double> fill = onTrue ? onTrue : numberOf(select.getOnFalse());
  if (!fill)
    return fail("it selects between scores and numbers that differ");
  bool inverted = onTrue.has_value();
  terms.push_back({SmallVector<int64_t>(shapeOf(select.getOutput())),
                   PlacedTensor::whole(select.getCondition()), true, inverted,
                   *fill * scale, /*replaces=*/true});
  terms.back().tensor = terms.back().tensor.origin();
  value = inverted ? select.getOnFalse() : select.getOnTrue();
  return *fill * scale < 0.0 || fail("masked scores are not low");
}

bool WrittenScores::add(AddOp sum, Value &value) {
  bool isLeft = leadsToProduct(sum.getLhs());
  Value mask = isLeft ? sum.getRhs() : sum.getLhs();
  if (isLeft && leadsToProduct(mask))
    return fail("scores are a sum of products");
  if (softcap)
    return fail("a mask is in front of the cap");
  if (scale != 1.0)
    return fail("a mask is added before the scale");
  terms.push_back({SmallVector<int64_t>(shapeOf(sum.getOutput())),
                   PlacedTensor::whole(mask).origin()});
  value = isLeft ? sum.getLhs() : sum.getRhs();
  return true;
}

/// What stands between the cap's product with tanh and the masks is the cap.
bool WrittenScores::cap(TanhOp tanh, Value &value) {
  if (softcap || !(scale > 0.0))
    return fail("scores go through nn.tanh");
  softcap = scale;
  value = tanh.getInput();
  return true;
}

bool WrittenScores::step(Value &value) {
  Operation *op = value.getDefiningOp();
  if (auto matmul = dyn_cast_or_null<MatmulOp>(op)) {
    product = matmul;
    return !matmul.getBias() || fail("the product of scores has a bias");
  }
  if (Value behind = behindMove(op)) {
    value = behind;
    return true;
  }
  if (auto scaled = scaledBy(op)) {
    scale *= scaled->second;
    value = scaled->first;
    return true;
  }
  if (auto select = dyn_cast_or_null<SelectOp>(op))
    return choose(select, value);
  if (auto sum = dyn_cast_or_null<AddOp>(op))
    return add(sum, value);
  if (auto tanh = dyn_cast_or_null<TanhOp>(op))
    return cap(tanh, value);
  return fail(op ? "scores go through " + op->getName().getStringRef().str()
                 : "scores are given");
}

bool WrittenScores::walk(Value value) {
  while (!product) {
    Operation *op = value.getDefiningOp();
    if (!value.hasOneUse())
      return fail("scores have another reader");
    shapes.emplace_back(shapeOf(value));
    if (op)
      ops.push_back(op);
    if (!step(value))
      return false;
  }
  return true;
}

bool WrittenScores::masksAs(Value value) const {
  SmallVector<MaskTerm> left;
  while (auto select = value.getDefiningOp<SelectOp>()) {
    std::optional<double> fill = numberOf(select.getOnFalse());
    if (!fill)
      break;
    left.push_back({SmallVector<int64_t>(shapeOf(select.getOutput())),
                    PlacedTensor::whole(select.getCondition()).origin(), true,
                    false, *fill, /*replaces=*/true});
    value = select.getOnTrue();
  }
  if (numberOf(value) != 0.0)
    left.push_back({SmallVector<int64_t>(shapeOf(value)),
                    PlacedTensor::whole(value).origin()});
  return left == terms;
}
