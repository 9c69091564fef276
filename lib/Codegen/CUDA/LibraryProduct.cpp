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
      if (linalg::GenericOp op = step.statement->generic())
        steps_[op.getBody()] = &step;
  }

  /// The scalar that `tensor` has at an element; a null value for the sum, and
  /// what no scalar is equal to for what no statement computes.
  Value elementOf(Value tensor) const {
    if (tensor == sum_)
      return nullptr;
    auto op = tensor.getDefiningOp<linalg::GenericOp>();
    if (!op)
      return tensor;
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    return resolve(op.getBody()->getTerminator()->getOperand(number));
  }

  /// What is read at the argument `scalar` of a statement; null where it is
  /// none.
  const LinearAccess *readOf(Value scalar) const {
    auto argument = dyn_cast_or_null<BlockArgument>(scalar);
    const EpilogueStep *step =
        argument ? steps_.lookup(argument.getOwner()) : nullptr;
    return step ? &step->reads[argument.getArgNumber()] : nullptr;
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
    return scalar && scalar.getType().isF32() &&
           matchPattern(scalar, m_ConstantFloat(&value)) &&
           value.convertToFloat() == static_cast<float>(wanted);
  };
}

namespace {

/// GELU by tanh, 0.5 x (1 + t) with t = tanh(c x (1 + a x^2)), and its
/// derivative, 0.5 (1 + t) + 0.5 x (1 - t^2) c (1 + 3 a x^2), of what `x`
/// matches.
class Gelu {
public:
  Gelu(const Formulas &formulas, Match x) : formulas_(formulas), x_(x) {}

  bool isValue(Value v) const {
    return isProduct(
        v, [&](Value u) { return isProduct(u, x_, number(0.5)); },
        [&](Value u) { return isTanhAboveMinusOne(u); });
  }
  bool isDerivative(Value v) const {
    return isSum(
        v,
        [&](Value u) {
          return isProduct(
              u, [&](Value t) { return isTanhAboveMinusOne(t); }, number(0.5));
        },
        [&](Value u) { return isSlope(u); });
  }

private:
  static constexpr double kScale = 0.7978845608028654, kCubic = 0.044715;

  bool isProduct(Value v, Match left, Match right) const {
    return formulas_.isOf<arith::MulFOp>(v, left, right);
  }
  bool isSum(Value v, Match left, Match right) const {
    return formulas_.isOf<arith::AddFOp>(v, left, right);
  }
  bool isSquare(Value v, Match of) const { return isProduct(v, of, of); }
  /// 1 + factor x^2.
  bool isPolynomial(Value v, double factor) const {
    auto square = [&](Value u) { return isSquare(u, x_); };
    return isSum(
        v, [&](Value u) { return isProduct(u, square, number(factor)); },
        number(1));
  }
  bool isTanh(Value v) const {
    auto op = v ? v.getDefiningOp<math::TanhOp>() : nullptr;
    auto polynomial = [&](Value u) { return isPolynomial(u, kCubic); };
    return op && isProduct(
                     formulas_.resolve(op.getOperand()),
                     [&](Value u) { return isProduct(u, polynomial, x_); },
                     number(kScale));
  }
  bool isTanhAboveMinusOne(Value v) const {
    return isSum(v, [&](Value u) { return isTanh(u); }, number(1));
  }
  /// 1 - t^2.
  bool isFlatness(Value v) const {
    auto op = v ? v.getDefiningOp<arith::SubFOp>() : nullptr;
    return op && number(1)(formulas_.resolve(op.getLhs())) &&
           isSquare(formulas_.resolve(op.getRhs()),
                    [&](Value u) { return isTanh(u); });
  }
  /// The second part of the derivative. Where it is flat the part is 0, also
  /// of infinite x, of which it would be NaN.
  bool isSlope(Value v) const {
    auto op = v ? v.getDefiningOp<arith::SelectOp>() : nullptr;
    if (!op)
      return false;
    auto isWhere =
        formulas_.resolve(op.getCondition()).getDefiningOp<arith::CmpFOp>();
    auto inner = [&](Value u) {
      return isProduct(
          u, [&](Value t) { return isPolynomial(t, 3 * kCubic); },
          number(kScale));
    };
    auto steep = [&](Value u) {
      return isProduct(u, [&](Value t) { return isFlatness(t); }, inner);
    };
    return isWhere && isWhere.getPredicate() == arith::CmpFPredicate::OEQ &&
           isFlatness(formulas_.resolve(isWhere.getLhs())) &&
           number(0)(formulas_.resolve(isWhere.getRhs())) &&
           number(0)(formulas_.resolve(op.getTrueValue())) &&
           isProduct(
               formulas_.resolve(op.getFalseValue()),
               [&](Value u) { return isProduct(u, x_, number(0.5)); }, steep);
  }

  const Formulas &formulas_;
  Match x_;
};

} // namespace

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
  bool isGeluGradient(Value scalar);
  Value exactValueOf(const EpilogueStore &store);
  bool readResults();

  const Contraction &contraction_;
  const Epilogue &epilogue_;
  Formulas formulas_;
  Contraction::DimGroup rows_; ///< The group whose elements are neighbours.
  MatrixAttr d_, bias_, input_;
  bool isGradient_ = false; ///< Whether `input_` is read.
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
  auto isInput = [&](Value x) {
    return formulas_.strip<arith::ExtFOp>(x) == input;
  };
  return Gelu(formulas_, isInput).isValue(scalar);
}

/// Whether `scalar` is the sum, perhaps rounded, times the derivative of GELU
/// at what a parameter has, which `input_` becomes.
bool ProductReader::isGeluGradient(Value scalar) {
  auto isRead = [&](Value x) {
    const LinearAccess *read =
        formulas_.readOf(formulas_.strip<arith::ExtFOp>(x));
    if (!read || !isa_and_nonnull<BlockArgument>(read->tensor))
      return false;
    MatrixAttr matrix = getMatrix(read->tensor, read->index);
    bool isSame = matrix && (!input_ || input_ == matrix);
    input_ = matrix;
    return isSame;
  };
  auto isSum = [&](Value v) {
    return !formulas_.strip<arith::TruncFOp>(formulas_.strip<arith::ExtFOp>(v));
  };
  Gelu gelu(formulas_, isRead);
  return formulas_.isOf<arith::MulFOp>(
      scalar, isSum, [&](Value v) { return gelu.isDerivative(v); });
}

/// The value of `store` before it is rounded to its type.
Value ProductReader::exactValueOf(const EpilogueStore &store) {
  return formulas_.strip<arith::TruncFOp>(formulas_.elementOf(store.value));
}

/// Finds the sum among the results, and what is made of it.
bool ProductReader::readResults() {
  ArrayRef<EpilogueStore> stores = epilogue_.stores;
  const EpilogueStore &first = stores.front();
  if (stores.size() == 1 && isGeluGradient(exactValueOf(first))) {
    isGradient_ = true;
    d_ = getMatrix(first.destination, first.index);
    return d_ && input_.getType() == d_.getType() && !input_.getTransposed();
  }
  input_ = nullptr;
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
  return ProductAttr::get(a.getContext(), contraction_.sizes[rows_],
                          contraction_.sizes[columns],
                          contraction_.sizes[Contraction::K],
                          contraction_.sizes[Contraction::Batch], a, b, d_,
                          bias_, input_, isGradient_);
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
