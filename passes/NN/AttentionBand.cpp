// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes masks that leave a query the keys up to its own.
#include "passes/NN/AttentionBand.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// PlacedTensor
//===----------------------------------------------------------------------===//

PlacedTensor PlacedTensor::whole(Value value) {
  return {value, llvm::to_vector(llvm::seq<int64_t>(shapeOf(value).size()))};
}

PlacedTensor PlacedTensor::with(Value other) const { return {other, axes}; }

/// The axes of a reshape's operand that lie at those of its result; none where
/// it does more than add or remove axes of size 1.
static std::optional<SmallVector<int64_t>> axesBehind(ReshapeOp reshape,
                                                      ArrayRef<int64_t> axes) {
  ArrayRef<int64_t> after = shapeOf(reshape.getOutput());
  SmallVector<int64_t> behind;
  size_t at = 0;
  for (int64_t size : shapeOf(reshape.getInput())) {
    if (size == 1) {
      behind.push_back(PlacedTensor::kNowhere);
      continue;
    }
    while (at < after.size() && after[at] == 1)
      ++at;
    if (at == after.size() || after[at] != size)
      return std::nullopt;
    behind.push_back(axes[at++]);
  }
  return behind;
}

PlacedTensor PlacedTensor::origin() const {
  PlacedTensor at = *this;
  while (true) {
    SmallVector<int64_t> behind;
    Operation *op = at.value.getDefiningOp();
    if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
      for (int64_t axis : broadcast.getAxes())
        behind.push_back(at.axes[axis]);
    } else if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
      behind.resize(at.axes.size());
      for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
        behind[from] = at.axes[to];
    } else if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
      auto found = axesBehind(reshape, at.axes);
      if (!found)
        return at;
      behind = *found;
    } else {
      return at;
    }
    at = {op->getOperand(0), behind};
  }
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

void Band::intersect(const Band &other) {
  causal |= other.causal;
  if (other.window)
    window = window ? std::min(*window, *other.window) : other.window;
}

namespace {

/// query * i + key * j + constant, where i and j are the last two axes.
struct Position {
  int64_t query = 0, key = 0, constant = 0;
};

} // namespace

DenseElementsAttr mpc::nn::constantOf(Value value) {
  DenseElementsAttr constant;
  (void)matchPattern(value, m_Constant(&constant));
  return constant;
}

/// `factor` times the index on an axis of scores of `rank`; none of an axis
/// that is neither of queries nor of keys.
static std::optional<Position> indexOn(int64_t axis, int64_t rank,
                                       int64_t factor) {
  if (axis == rank - 2)
    return Position{factor, 0, 0};
  if (axis == rank - 1)
    return Position{0, factor, 0};
  return std::nullopt;
}

/// The position that a constant of integers holds: equal numbers, or evenly
/// spaced ones along one axis.
static std::optional<Position>
positionOf(DenseElementsAttr constant, ArrayRef<int64_t> axes, int64_t rank) {
  int64_t first = intAt(constant, 0);
  if (constant.isSplat())
    return Position{0, 0, first};
  int64_t count = constant.getNumElements(), step = intAt(constant, 1) - first;
  ArrayRef<int64_t> shape = constant.getType().getShape();
  const auto *longest = llvm::max_element(shape);
  if (*longest != count)
    return std::nullopt;
  for (int64_t i = 0; i < count; ++i)
    if (intAt(constant, i) != first + i * step)
      return std::nullopt;
  std::optional<Position> position =
      indexOn(axes[longest - shape.begin()], rank, step);
  if (position)
    position->constant = first;
  return position;
}

static std::optional<Position> positionOf(const PlacedTensor &tensor,
                                          int64_t rank) {
  PlacedTensor at = tensor.origin();
  if (!rankedType(at.value).getElementType().isIntOrIndex())
    return std::nullopt;
  if (DenseElementsAttr constant = constantOf(at.value))
    return constant.getNumElements() > 0 ? positionOf(constant, at.axes, rank)
                                         : std::nullopt;
  Operation *op = at.value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return indexOn(at.axes[iota.getAxis()], rank, 1);
  if (isa_and_nonnull<CastOp>(op))
    return positionOf(at.with(op->getOperand(0)), rank);
  if (!isa_and_nonnull<AddOp, SubOp>(op))
    return std::nullopt;
  auto lhs = positionOf(at.with(op->getOperand(0)), rank);
  auto rhs = positionOf(at.with(op->getOperand(1)), rank);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t sign = isa<SubOp>(op) ? -1 : 1;
  return Position{lhs->query + sign * rhs->query, lhs->key + sign * rhs->key,
                  lhs->constant + sign * rhs->constant};
}

/// The band of the keys of which `difference`, lhs - rhs, compares as `kind`
/// says with 0.
static std::optional<Band> bandWhere(Position difference, CompareKind kind,
                                     int64_t keys) {
  auto [query, key, constant] = difference;
  bool isAbove = kind == CompareKind::GT || kind == CompareKind::GE;
  if (!isAbove && kind != CompareKind::LT && kind != CompareKind::LE)
    return std::nullopt;
  // Now at most 0.
  if (isAbove)
    query = -query, key = -key, constant = -constant;
  if (kind == CompareKind::GT || kind == CompareKind::LT)
    ++constant;
  // j - i + constant <= 0, for keys up to a diagonal.
  if (query == -1 && key == 1 && constant == 0)
    return Band{true, {}};
  if (query == -1 && key == 1 && -constant >= keys - 1)
    return Band{};
  if (query == 1 && key == -1 && constant <= 0)
    return Band{false, 1 - constant};
  return std::nullopt;
}

static CompareKind opposite(CompareKind kind) {
  switch (kind) {
  case CompareKind::LT:
    return CompareKind::GE;
  case CompareKind::LE:
    return CompareKind::GT;
  case CompareKind::GT:
    return CompareKind::LE;
  case CompareKind::GE:
    return CompareKind::LT;
  case CompareKind::EQ:
    return CompareKind::NE;
  case CompareKind::NE:
    return CompareKind::EQ;
  }
  llvm_unreachable("unknown comparison");
}

/// The band of a table of queries and keys, of which `stays` tells.
static std::optional<Band>
bandOfTable(int64_t queries, int64_t keys,
            llvm::function_ref<bool(int64_t, int64_t)> stays) {
  Band band;
  // The last query that has its own key tells the window.
  int64_t last = std::min(queries, keys) - 1, first = 0;
  while (first < last && !stays(last, first))
    ++first;
  if (first > 0)
    band.window = last - first + 1;
  band.causal = keys > 1 && !stays(0, 1);
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      bool isIn =
          (!band.causal || j <= i) && (!band.window || i - j < *band.window);
      if (stays(i, j) != isIn)
        return std::nullopt;
    }
  return band;
}

int64_t mpc::nn::placeOf(const PlacedTensor &tensor, int64_t axis) {
  const auto *found = llvm::find(tensor.axes, axis);
  bool isRepeated = found == tensor.axes.end() ||
                    shapeOf(tensor.value)[found - tensor.axes.begin()] == 1;
  return isRepeated ? PlacedTensor::kNowhere : found - tensor.axes.begin();
}

/// The distances of the tables of queries and keys in a constant of tables.
static SmallVector<int64_t> offsetsOfTables(const PlacedTensor &tensor,
                                            int64_t rank) {
  SmallVector<int64_t> strides = denseStrides(shapeOf(tensor.value));
  SmallVector<int64_t> offsets{0};
  for (int64_t axis = 0; axis < rank - 2; ++axis) {
    int64_t place = placeOf(tensor, axis);
    if (place == PlacedTensor::kNowhere)
      continue;
    SmallVector<int64_t> outer = std::move(offsets);
    offsets.clear();
    for (int64_t offset : outer)
      for (int64_t i = 0; i < shapeOf(tensor.value)[place]; ++i)
        offsets.push_back(offset + i * strides[place]);
  }
  return offsets;
}

static std::optional<Band> bandOfConstant(const MaskTerm &term,
                                          const PlacedTensor &at,
                                          DenseElementsAttr constant) {
  int64_t rank = term.scores.size();
  int64_t query = placeOf(at, rank - 2), key = placeOf(at, rank - 1);
  if (constant.getNumElements() == 0)
    return std::nullopt;
  SmallVector<int64_t> strides = denseStrides(constant.getType().getShape());
  int64_t queryStride = query < 0 ? 0 : strides[query];
  int64_t keyStride = key < 0 ? 0 : strides[key];
  SmallVector<int64_t> offsets = offsetsOfTables(at, rank);
  auto stays = [&](int64_t place) {
    double number = realAt(constant, place);
    return term.chooses ? (number != 0.0) != term.inverted : number == 0.0;
  };
  bool areEqual = true;
  auto inTable = [&](int64_t i, int64_t j) {
    int64_t place = i * queryStride + j * keyStride;
    bool first = stays(place);
    for (int64_t offset : ArrayRef(offsets).drop_front())
      areEqual &= stays(place + offset) == first;
    return first;
  };
  std::optional<Band> band =
      bandOfTable(term.scores[rank - 2], term.scores[rank - 1], inTable);
  return areEqual ? band : std::nullopt;
}

/// Whether all numbers of a constant are 0 or as low as what hides a score.
static bool hidesOrKeeps(DenseElementsAttr constant) {
  for (int64_t i = 0; i < constant.getNumElements(); ++i)
    if (double number = realAt(constant, i);
        number != 0.0 && !(number <= kHidesScore))
      return false;
  return true;
}

static std::optional<Band> bandOfChoice(const MaskTerm &term,
                                        const PlacedTensor &at) {
  int64_t rank = term.scores.size();
  if (auto compare = at.value.getDefiningOp<CompareOp>()) {
    auto lhs = positionOf(at.with(compare.getLhs()), rank);
    auto rhs = positionOf(at.with(compare.getRhs()), rank);
    if (!lhs || !rhs)
      return std::nullopt;
    CompareKind kind =
        term.inverted ? opposite(compare.getKind()) : compare.getKind();
    return bandWhere({lhs->query - rhs->query, lhs->key - rhs->key,
                      lhs->constant - rhs->constant},
                     kind, term.scores.back());
  }
  return std::nullopt;
}

std::optional<Band> mpc::nn::findBand(const MaskTerm &term) {
  PlacedTensor at = term.tensor.origin();
  DenseElementsAttr constant = constantOf(at.value);
  if (constant && (term.chooses || hidesOrKeeps(constant)))
    return bandOfConstant(term, at, constant);
  return term.chooses ? bandOfChoice(term, at) : std::nullopt;
}
