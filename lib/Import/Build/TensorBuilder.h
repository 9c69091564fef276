// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Builds nn ops and folds at once what is known. What all importers share is
/// written in these terms: types are MLIR's, and no format is known here.
#ifndef MPC_LIB_IMPORT_BUILD_TENSORBUILDER_H
#define MPC_LIB_IMPORT_BUILD_TENSORBUILDER_H

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNEnums.h"
#include "lib/Import/Shape.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"

namespace mpc::build {

/// A tensor of the graph.
struct Operand {
  /// Of an element; null of what is no tensor.
  mlir::Type type;
  Shape shape;
  mlir::Value value;
  /// What it is, where that is known when the model is compiled.
  mlir::DenseElementsAttr known;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool isFloat() const { return llvm::isa_and_nonnull<mlir::FloatType>(type); }
  bool isBool() const { return type && type.isInteger(1); }
  bool isUnsigned() const { return type && type.isUnsignedInteger(); }
  /// The one number that all elements are, where that is known.
  std::optional<double> splatValue() const { return nn::splatOf(known); }
};

enum class Binary { Add, Sub, Mul, Div, Pow, Max, Min };

/// The shape that numpy's rule gives `a` and `b` together.
std::optional<Shape> broadcastShape(llvm::ArrayRef<int64_t> a,
                                    llvm::ArrayRef<int64_t> b);

/// Fails where a tensor of `shape` is more than memory can hold; without a
/// place.
llvm::Error checkSize(llvm::ArrayRef<int64_t> shape);

/// Callers have checked shapes and types: here a wrong one is a bug.
class TensorBuilder {
public:
  explicit TensorBuilder(mlir::OpBuilder &builder)
      : builder_(builder), location_(builder.getUnknownLoc()) {}

  mlir::OpBuilder &builder() { return builder_; }
  mlir::Location location() const { return location_; }
  void setLocation(mlir::Location location) { location_ = location; }

  mlir::Type f32() { return builder_.getF32Type(); }
  mlir::Type f64() { return builder_.getF64Type(); }
  mlir::Type i1() { return builder_.getI1Type(); }
  mlir::Type i32() { return builder_.getI32Type(); }
  mlir::Type i64() { return builder_.getI64Type(); }
  mlir::Type u8() { return builder_.getIntegerType(8, /*isSigned=*/false); }

  mlir::RankedTensorType tensorType(mlir::Type type,
                                    llvm::ArrayRef<int64_t> shape);
  Operand fromValue(mlir::Value value);
  /// The operand of an input that ops read at run time, and of which `known` is
  /// what those go by that need a number when the model is compiled.
  Operand given(mlir::Value input, mlir::DenseElementsAttr known);
  /// The first result of `op`, folded where its operands are known. What a
  /// file makes of constants is charged to a budget; once that is spent,
  /// nothing folds.
  Operand fold(mlir::Operation *op);
  Operand constant(mlir::DenseElementsAttr value);
  /// Elements as files store them: little-endian, a bool in a byte.
  Operand constant(mlir::Type type, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<char> bytes);
  /// A constant of `values`; an error without a place where the budget is
  /// spent.
  template <typename T>
  llvm::Expected<Operand> fromValues(mlir::Type type,
                                     llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<T> values) {
    llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(T));
    if (!charge(bytes.size()))
      return budgetFault();
    return constant(type, shape, bytes);
  }

  Operand splat(mlir::Type type, llvm::ArrayRef<int64_t> shape, double value);
  Operand splatLike(const Operand &like, double value);
  /// A vector of int64.
  Operand ints(llvm::ArrayRef<int64_t> values);
  /// Coordinate `axis` of each element of `shape`, as int64.
  Operand coordinates(llvm::ArrayRef<int64_t> shape, int64_t axis);

  Operand reshape(const Operand &input, llvm::ArrayRef<int64_t> shape);
  /// The axes from `axis` on, of which there is one, as one axis.
  Operand joinedFrom(const Operand &input, int64_t axis);
  Operand transpose(const Operand &input, llvm::ArrayRef<int64_t> permutation);
  /// Axis i of the input becomes `axes[i]` of `shape`.
  Operand broadcast(const Operand &input, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> axes);
  /// As numpy aligns shapes: at the last axis.
  Operand broadcastTo(const Operand &input, llvm::ArrayRef<int64_t> shape);
  Operand slice(const Operand &input, llvm::ArrayRef<int64_t> starts,
                llvm::ArrayRef<int64_t> limits,
                llvm::ArrayRef<int64_t> strides);
  /// The elements from `start` to `limit` of one axis.
  Operand sliceAxis(const Operand &input, int64_t axis, int64_t start,
                    int64_t limit);
  /// Parts of `sizes`, which cover the axis.
  std::vector<Operand> split(const Operand &input, int64_t axis,
                             llvm::ArrayRef<int64_t> sizes);
  Operand reverse(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand concat(llvm::ArrayRef<Operand> inputs, int64_t axis);
  Operand pad(const Operand &input, llvm::ArrayRef<int64_t> low,
              llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior,
              double value);
  /// `input` moved by `distance` along the axis; `filler` comes in.
  Operand shifted(const Operand &input, int64_t axis, int64_t distance,
                  double filler);
  /// Each element joined with all before it, by a sum or a product.
  Operand scan(Binary kind, const Operand &input, int64_t axis);
  /// Known indices are within [0, size of the axis). The slice of index
  /// `frozen` takes no gradient.
  Operand gather(const Operand &input, const Operand &indices, int64_t axis,
                 int64_t batchDims = 0,
                 std::optional<int64_t> frozen = std::nullopt);

  /// `input`, from which no gradient comes back.
  Operand withoutGradient(const Operand &input);

  /// Elementwise: operands have one shape.
  Operand binary(Binary kind, const Operand &lhs, const Operand &rhs);
  Operand binary(Binary kind, const Operand &lhs, double rhs);
  Operand compare(nn::CompareKind kind, const Operand &lhs, const Operand &rhs);
  Operand select(const Operand &condition, const Operand &onTrue,
                 const Operand &onFalse);
  Operand logicalNot(const Operand &input);
  /// All bits of integers, and the truth of bool.
  Operand bitNot(const Operand &input);
  /// What orders the other way round, and is its own inverse.
  Operand reversed(const Operand &input);
  Operand cast(const Operand &input, mlir::Type type);
  /// A cast of f32 to f32 that nn-autocast takes for a decision.
  Operand writtenCast(const Operand &input);
  /// `input` in the type that compositions compute in, to round once at their
  /// end: f32 for floats of 16 bits.
  Operand wide(const Operand &input);

  /// An op of two operands of one type and shape.
  template <typename OpTy>
  Operand pair(const Operand &lhs, const Operand &rhs) {
    return fold(OpTy::create(builder_, location_,
                             tensorType(lhs.type, lhs.shape), lhs.value,
                             rhs.value));
  }
  /// An op of one floating operand.
  template <typename OpTy>
  Operand unary(const Operand &input) {
    return fold(OpTy::create(builder_, location_,
                             tensorType(input.type, input.shape), input.value));
  }
  /// The same with numbers as settings.
  template <typename OpTy>
  Operand activation(const Operand &input,
                     std::same_as<double> auto... settings) {
    return fold(OpTy::create(builder_, location_,
                             tensorType(input.type, input.shape), input.value,
                             llvm::APFloat(settings)...));
  }
  Operand neg(const Operand &input);
  Operand exp(const Operand &input);
  Operand log(const Operand &input);
  Operand sqrt(const Operand &input);
  Operand rsqrt(const Operand &input);
  Operand reciprocal(const Operand &input);
  Operand abs(const Operand &input);
  Operand sigmoid(const Operand &input);
  /// `of` of the input, where that is 0 at 0, with the gradient 0 there:
  /// PyTorch gives norms and standard deviations that one, and windows that are
  /// padded have rows of zeros.
  Operand flatAtZero(const Operand &input,
                     llvm::function_ref<Operand(const Operand &)> of);
  Operand tanh(const Operand &input);
  Operand relu(const Operand &input);

  /// The axes go away.
  Operand reduceSum(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand reduceMax(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand reduceMin(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand reduceProd(const Operand &input, llvm::ArrayRef<int64_t> axes);
  /// The sum in f32 (f64 for f64) over the number of elements, rounded once.
  Operand reduceMean(const Operand &input, llvm::ArrayRef<int64_t> axes);

  /// Where along `axis`, of 1 to 2^24 elements, the maximum is: the first of
  /// equal ones or the last. Floats; the axis has size 1. NaN is the maximum.
  Operand placeOfMaximum(const Operand &input, int64_t axis, bool last = false);

  Operand matmul(const Operand &lhs, const Operand &rhs,
                 bool transposeLhs = false, bool transposeRhs = false);
  /// What `compute` builds, of that type and shape, in the types in which it is
  /// built: no policy changes them.
  Operand asWritten(mlir::Type type, llvm::ArrayRef<int64_t> shape,
                    llvm::function_ref<Operand()> compute);
  /// `lhs` times `rhs` as written: PyTorch lowers no transform, since the terms
  /// of a spectrum cancel.
  Operand matmulAsWritten(const Operand &lhs, const Operand &rhs);
  Operand linear(const Operand &input, const Operand &weight,
                 const Operand *bias);
  Operand softmax(const Operand &input, int64_t axis);
  Operand logSoftmax(const Operand &input, int64_t axis);
  Operand layerNorm(const Operand &input, const Operand *scale,
                    const Operand *bias, int64_t axis, double epsilon);

private:
  bool charge(size_t bytes);
  static llvm::Error budgetFault();
  /// What the result of `op` is by the values that are given, or null.
  mlir::DenseElementsAttr foldGiven(mlir::Operation *op);
  mlir::DenseElementsAttr knownOf(mlir::Value value) const;
  template <typename OpTy>
  Operand reduce(const Operand &input, llvm::ArrayRef<int64_t> axes);

  mlir::OpBuilder &builder_;
  /// Bytes that constants may still take.
  size_t budget_ = size_t(64) << 20;
  mlir::Location location_;
  /// What inputs are given, and what is computed of them alone.
  llvm::DenseMap<mlir::Value, mlir::DenseElementsAttr> given_;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_TENSORBUILDER_H
