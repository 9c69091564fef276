// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a contraction with the map on its result as a product of BLAS.
#include "lib/Codegen/CUDA/LibraryProduct.h"

#include "dialects/Interfaces/Precision.h"
#include "lib/Codegen/CUDA/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {

/// How a tensor moves along two groups of dimensions, and from one product of
/// a batch to the next. Empty parts are groups of one element.
struct Movement {
  StridedIndex rows, columns, batch;
  int64_t offset = 0;
};

} // namespace

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// The stride of a group that has one; 0 for one element.
static std::optional<int64_t> strideOf(const StridedIndex &index) {
  if (index.parts.size() > 1)
    return std::nullopt;
  return index.parts.empty() ? 0 : index.parts.front().stride;
}

/// The tensor as a matrix of BLAS. Null where neither rows nor columns are
/// contiguous, or where one column lies in another.
static MatrixAttr getMatrix(Value tensor, const Movement &movement) {
  std::optional<int64_t> rows = strideOf(movement.rows),
                         columns = strideOf(movement.columns),
                         batch = strideOf(movement.batch);
  auto parameter = dyn_cast<BlockArgument>(tensor);
  if (!rows || !columns || !batch || !parameter ||
      (*rows != 1 && *columns != 1))
    return nullptr;
  bool isTransposed = *rows != 1;
  int64_t leading = isTransposed ? *rows : *columns;
  const StridedIndex &column = isTransposed ? movement.columns : movement.rows;
  if (leading < column.getSize() || *batch < 0)
    return nullptr;
  return MatrixAttr::get(tensor.getContext(), parameter.getArgNumber(),
                         movement.offset, elementOf(tensor), isTransposed,
                         leading, *batch);
}

/// A factor, whose rows or columns are those of the result.
static MatrixAttr getMatrix(const Factor &factor, bool isLeft) {
  return getMatrix(factor.tensor, {isLeft ? factor.outer : factor.k,
                                   isLeft ? factor.k : factor.outer,
                                   factor.batch, factor.offset});
}

//===----------------------------------------------------------------------===//
// The map on the result
//===----------------------------------------------------------------------===//

namespace {

using Match = llvm::function_ref<bool(Value)>;

/// The map as formulas of scalars, through all of its statements.
class Formulas {
public:
  Formulas(const Contraction &contraction, const Epilogue &epilogue)
      : sum_(contraction.getResult()) {
    for (const EpilogueStep &step : epilogue.steps)
      steps_[step.statement->generic().getBody()] = &step;
  }

  /// The scalar that `tensor`, a result of a statement, has at an element; a
  /// null value for the sum.
  Value elementOf(Value tensor) const {
    if (tensor == sum_)
      return nullptr;
    auto op = tensor.getDefiningOp<linalg::GenericOp>();
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    return resolve(op.getBody()->getTerminator()->getOperand(number));
  }

  /// What is read at the argument `scalar` of a statement; null where it is an
  /// op.
  const LinearAccess *readOf(Value scalar) const {
    auto argument = dyn_cast_or_null<BlockArgument>(scalar);
    if (!argument)
      return nullptr;
    return &steps_.lookup(argument.getOwner())->reads[argument.getArgNumber()];
  }

  /// `scalar`, or what a statement before has made it of.
  Value resolve(Value scalar) const {
    const LinearAccess *read = readOf(scalar);
    bool isMade = read && read->tensor &&
                  (read->tensor == sum_ ||
                   read->tensor.getDefiningOp<linalg::GenericOp>());
    return isMade ? elementOf(read->tensor) : scalar;
  }

  /// Whether `scalar` is an Op of what `left` and `right` match, in any order.
  template <typename Op>
  bool isOf(Value scalar, Match left, Match right) const {
    auto op = scalar ? scalar.getDefiningOp<Op>() : nullptr;
    if (!op)
      return false;
    Value a = resolve(op.getLhs()), b = resolve(op.getRhs());
    return (left(a) && right(b)) || (left(b) && right(a));
  }

  /// What `Op` has been applied to; the scalar itself where it is no Op.
  template <typename Op>
  Value strip(Value scalar) const {
    auto op = scalar ? scalar.getDefiningOp<Op>() : nullptr;
    return op ? resolve(op->getOperand(0)) : scalar;
  }

private:
  Value sum_;
  llvm::SmallDenseMap<Block *, const EpilogueStep *> steps_;
};

} // namespace

/// Matches a constant that is `wanted` to the precision of f32.
static auto number(double wanted) {
  return [wanted](Value scalar) {
    llvm::APFloat value(0.0f);
    return scalar && matchPattern(scalar, m_ConstantFloat(&value)) &&
           value.convertToFloat() == static_cast<float>(wanted);
  };
}

/// Whether `y` is GELU by tanh of what `x` matches:
/// x / 2 * (1 + tanh(sqrt(2 / pi) * x * (1 + 0.044715 * x * x))).
static bool isGelu(const Formulas &formulas, Value y, Match x) {
  using Mul = arith::MulFOp;
  using Add = arith::AddFOp;
  auto square = [&](Value v) { return formulas.isOf<Mul>(v, x, x); };
  auto cubic = [&](Value v) {
    return formulas.isOf<Mul>(v, square, number(0.044715));
  };
  auto factor = [&](Value v) {
    return formulas.isOf<Add>(v, cubic, number(1));
  };
  auto inner = [&](Value v) { return formulas.isOf<Mul>(v, factor, x); };
  auto argument = [&](Value v) {
    return formulas.isOf<Mul>(v, inner, number(0.7978845608028654));
  };
  auto tanh = [&](Value v) {
    auto op = v ? v.getDefiningOp<math::TanhOp>() : nullptr;
    return op && argument(formulas.resolve(op.getOperand()));
  };
  auto half = [&](Value v) { return formulas.isOf<Mul>(v, x, number(0.5)); };
  auto above = [&](Value v) { return formulas.isOf<Add>(v, tanh, number(1)); };
  return formulas.isOf<Mul>(y, half, above);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// Reads one kernel.
class ProductReader {
public:
  ProductReader(const Contraction &contraction, const Epilogue &epilogue)
      : contraction_(contraction), epilogue_(epilogue),
        formulas_(contraction, epilogue), rows_(getRows()) {}
  ProductAttr read(const MultiplyUnit &unit);

private:
  Contraction::DimGroup getRows() const;
  MatrixAttr getMatrix(Value tensor, const Linear &index) const;
  MatrixAttr getFactorOf(Contraction::DimGroup group,
                         const MultiplyUnit &unit) const;
  bool isBias(Value scalar);
  bool isSum(Value scalar);
  bool isGeluOf(Value scalar, const EpilogueStore &store);
  Value exactValueOf(const EpilogueStore &store);
  bool readResults();

  const Contraction &contraction_;
  const Epilogue &epilogue_;
  Formulas formulas_;
  Contraction::DimGroup rows_; ///< The group whose elements are neighbours.
  MatrixAttr d_, bias_, input_;
};

} // namespace

Contraction::DimGroup ProductReader::getRows() const {
  auto isFast = [&](unsigned dim) {
    return epilogue_.stores.front().index.strides[dim] == 1;
  };
  return llvm::any_of(contraction_.groups[Contraction::N], isFast)
             ? Contraction::N
             : Contraction::M;
}

MatrixAttr ProductReader::getMatrix(Value tensor, const Linear &index) const {
  auto move = [&](Contraction::DimGroup group) {
    return contraction_.getStridedIndex(index.strides, group);
  };
  auto columns = rows_ == Contraction::N ? Contraction::M : Contraction::N;
  return ::getMatrix(tensor, {move(rows_), move(columns),
                              move(Contraction::Batch), index.offset});
}

/// The factor that has the dimensions `group` of the result.
MatrixAttr ProductReader::getFactorOf(Contraction::DimGroup group,
                                      const MultiplyUnit &unit) const {
  unsigned operand = group == Contraction::outerOf(0) ? 0 : 1;
  std::optional<Factor> factor = getFactor(contraction_, operand, unit);
  return factor && factor->isPlain ? ::getMatrix(*factor, group == rows_)
                                   : nullptr;
}

/// Whether `scalar` is a number for each row of the result, which `bias_`
/// becomes.
bool ProductReader::isBias(Value scalar) {
  const LinearAccess *read =
      formulas_.readOf(formulas_.strip<arith::ExtFOp>(scalar));
  auto parameter =
      read ? dyn_cast_or_null<BlockArgument>(read->tensor) : nullptr;
  if (!parameter)
    return false;
  auto stride = [&](Contraction::DimGroup group) {
    return strideOf(contraction_.getStridedIndex(read->index.strides, group));
  };
  auto columns = rows_ == Contraction::N ? Contraction::M : Contraction::N;
  if (stride(rows_) != 1 || stride(columns) != 0 ||
      stride(Contraction::Batch) != 0)
    return false;
  bias_ = MatrixAttr::get(parameter.getContext(), parameter.getArgNumber(),
                          read->index.offset, elementOf(parameter),
                          /*transposed=*/false, contraction_.sizes[rows_],
                          /*batchStride=*/0);
  return true;
}

/// Whether `scalar` is the contraction's sum, or that and a bias.
bool ProductReader::isSum(Value scalar) {
  return !scalar || formulas_.isOf<arith::AddFOp>(
                        scalar, [](Value sum) { return !sum; },
                        [&](Value bias) { return isBias(bias); });
}

/// Whether `scalar` is GELU of the sum as `store` has it. The library takes it
/// of the sum before that is rounded, which is nearer to the exact value.
bool ProductReader::isGeluOf(Value scalar, const EpilogueStore &store) {
  Value input = formulas_.elementOf(store.value);
  return isGelu(formulas_, scalar, [&](Value x) {
    return formulas_.strip<arith::ExtFOp>(x) == input;
  });
}

/// The value of `store` before it is rounded to its type.
Value ProductReader::exactValueOf(const EpilogueStore &store) {
  return formulas_.strip<arith::TruncFOp>(formulas_.elementOf(store.value));
}

/// Finds the sum among the results, and what is made of it.
bool ProductReader::readResults() {
  ArrayRef<EpilogueStore> stores = epilogue_.stores;
  const EpilogueStore *sum = llvm::find_if(
      stores, [&](const auto &store) { return isSum(exactValueOf(store)); });
  if (sum == stores.end() || stores.size() > 2)
    return false;
  d_ = getMatrix(sum->destination, sum->index);
  if (stores.size() == 1)
    return d_ != nullptr;
  const EpilogueStore &made = stores[sum == stores.begin() ? 1 : 0];
  input_ = std::exchange(d_, getMatrix(made.destination, made.index));
  return d_ && input_ && d_.getType() == input_.getType() &&
         isGeluOf(exactValueOf(made), *sum);
}

ProductAttr ProductReader::read(const MultiplyUnit &unit) {
  auto columns = rows_ == Contraction::N ? Contraction::M : Contraction::N;
  MatrixAttr a = getFactorOf(rows_, unit), b = getFactorOf(columns, unit);
  if (!a || !b || !readResults() || d_.getTransposed() ||
      (bias_ && bias_.getType() != d_.getType()))
    return nullptr;
  return ProductAttr::get(
      a.getContext(), contraction_.sizes[rows_], contraction_.sizes[columns],
      contraction_.sizes[Contraction::K],
      contraction_.sizes[Contraction::Batch], a, b, d_, bias_, input_);
}

bool mpc::cuda::hasProductLibrary(TargetAttr target) {
  return !target.getExact() && !target.getNaive();
}

ProductAttr mpc::cuda::findLibraryProduct(FuncOp kernel, const Body &body) {
  TargetAttr target = TargetAttr::lookup(kernel);
  if (!hasProductLibrary(target) || !isa<MmaAttr>(kernel.getScheduleAttr()))
    return nullptr;
  Contraction contraction = *matchContraction(body.statements.front());
  Epilogue epilogue = getEpilogue(kernel, body);
  for (const MultiplyUnit &unit : target.getMultiplyUnits())
    if (ProductAttr product = ProductReader(contraction, epilogue).read(unit))
      return product;
  return nullptr;
}
