// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Builds nn ops and folds known ones at once. The common parts of all
/// importers are written in these terms. Types are MLIR's, and no format is
/// known here.
#ifndef MPC_LIB_IMPORT_BUILD_TENSORBUILDER_H
#define MPC_LIB_IMPORT_BUILD_TENSORBUILDER_H

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNEnums.h"
#include "lib/Import/Shape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace mpc::build {

/// A tensor of the graph.
struct Operand {
  /// The element type; null where the operand is no tensor.
  mlir::Type type;
  Shape shape;
  mlir::Value value;
  /// Its elements, where they are known when the model is compiled; else null.
  mlir::DenseElementsAttr known;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool isFloat() const { return llvm::isa_and_nonnull<mlir::FloatType>(type); }
  bool isBool() const { return type && type.isInteger(1); }
  bool isUnsigned() const { return type && type.isUnsignedInteger(); }
  /// The one number that all elements equal; empty where that is not known.
  std::optional<double> splatValue() const { return nn::splatOf(known); }
};

enum class Binary { Add, Sub, Mul, Div, Pow, Max, Min };

/// The common shape of `a` and `b` by numpy's broadcasting rule.
std::optional<Shape> broadcastShape(llvm::ArrayRef<int64_t> a,
                                    llvm::ArrayRef<int64_t> b);

/// Fails, without a place, where a tensor of `shape` is larger than memory can
/// be.
llvm::Error checkSize(llvm::ArrayRef<int64_t> shape);

/// Builds ops. Callers have checked shapes and types, so that a wrong one is a
/// bug.
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

  /// Takes `function`, which is not needed, out of its module. It is destroyed
  /// with the builder, which may know its values.
  void discard(mlir::func::FuncOp function);

  /// The stream of the next op that draws random numbers, in the order of the
  /// model.
  int32_t takeStream() { return nextStream_++; }

  mlir::RankedTensorType tensorType(mlir::Type type,
                                    llvm::ArrayRef<int64_t> shape);
  Operand fromValue(mlir::Value value);
  /// The operand of an input that ops read at run time. Ops that need a number
  /// at compile time use `known`.
  Operand given(mlir::Value input, mlir::DenseElementsAttr known);
  /// The first result of `op`, folded where its operands are known. The bytes
  /// of folded constants are charged to a budget. Once that is used up, nothing
  /// folds.
  Operand fold(mlir::Operation *op);
  Operand constant(mlir::DenseElementsAttr value);
  /// A constant of elements as files store them: little-endian, a bool in a
  /// byte.
  Operand constant(mlir::Type type, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<char> bytes);
  /// A constant of `values`; an error, without a place, where the budget is
  /// used up.
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
  /// The axes from `axis` on, joined to one axis.
  Operand joinedFrom(const Operand &input, int64_t axis);
  Operand transpose(const Operand &input, llvm::ArrayRef<int64_t> permutation);
  /// Axis i of the input becomes `axes[i]` of `shape`.
  Operand broadcast(const Operand &input, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> axes);
  /// `input`, broadcast by numpy's rule, which aligns shapes at the last axis.
  Operand broadcastTo(const Operand &input, llvm::ArrayRef<int64_t> shape);
  Operand slice(const Operand &input, llvm::ArrayRef<int64_t> starts,
                llvm::ArrayRef<int64_t> limits,
                llvm::ArrayRef<int64_t> strides);
  /// The elements from `start` to before `limit` along one axis.
  Operand sliceAxis(const Operand &input, int64_t axis, int64_t start,
                    int64_t limit);
  /// Parts with `sizes`, which cover the axis.
  std::vector<Operand> split(const Operand &input, int64_t axis,
                             llvm::ArrayRef<int64_t> sizes);
  Operand reverse(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand concat(llvm::ArrayRef<Operand> inputs, int64_t axis);
  Operand pad(const Operand &input, llvm::ArrayRef<int64_t> low,
              llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior,
              double value);
  /// `input`, shifted by `distance` along the axis, with `filler` at the free
  /// places.
  Operand shifted(const Operand &input, int64_t axis, int64_t distance,
                  double filler);
  /// Each element combined with all before it, by a sum or a product.
  Operand scan(Binary kind, const Operand &input, int64_t axis);
  /// Known indices must be within [0, size of the axis). The slice at index
  /// `frozen` takes no gradient.
  Operand gather(const Operand &input, const Operand &indices, int64_t axis,
                 int64_t batchDims = 0,
                 std::optional<int64_t> frozen = std::nullopt);

  /// `input` without a gradient.
  Operand withoutGradient(const Operand &input);
  /// Whether the program takes gradients itself, so that these need one.
  bool takesGradients() const { return takesGradients_; }
  void setTakesGradients() { takesGradients_ = true; }
  /// `input` without a gradient, for a formula that has the first derivative of
  /// what it computes and no further one; `input` itself where the program
  /// takes gradients, which then follow each step.
  Operand held(const Operand &input) {
    return takesGradients_ ? input : withoutGradient(input);
  }
  /// `input`, a floating one, as a value of which gradients() may take one.
  Operand variable(const Operand &input);
  static bool isVariable(const Operand &operand);
  /// The gradients of `values` times `seeds`, which are like them, with respect
  /// to variables before them.
  std::vector<Operand> gradients(llvm::ArrayRef<Operand> values,
                                 llvm::ArrayRef<Operand> seeds,
                                 llvm::ArrayRef<Operand> wrt);

  /// Elementwise: operands have one shape.
  Operand binary(Binary kind, const Operand &lhs, const Operand &rhs);
  Operand binary(Binary kind, const Operand &lhs, double rhs);
  Operand compare(nn::CompareKind kind, const Operand &lhs, const Operand &rhs);
  Operand select(const Operand &condition, const Operand &onTrue,
                 const Operand &onFalse);
  Operand logicalNot(const Operand &input);
  /// Inverts all bits of integers, and bools.
  Operand bitNot(const Operand &input);
  /// Reverses the order of numbers; its own inverse.
  Operand reversed(const Operand &input);
  Operand cast(const Operand &input, mlir::Type type);
  /// A cast from f32 to f32, which nn-autocast takes as a decision for f32.
  Operand writtenCast(const Operand &input);
  /// `input` in the type for compositions, which round once at their end: f32
  /// for floats of 16 bits.
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
  /// An op of one floating operand with numbers as settings.
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
  /// Applies `of` to the input, with the gradient 0 where the input is 0 and so
  /// is the result. PyTorch gives norms and standard deviations this gradient,
  /// and padded windows have rows of zeros.
  Operand flatAtZero(const Operand &input,
                     llvm::function_ref<Operand(const Operand &)> of);
  Operand tanh(const Operand &input);
  Operand relu(const Operand &input);

  /// The sum over axes, which are removed.
  Operand reduceSum(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand reduceMax(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand reduceMin(const Operand &input, llvm::ArrayRef<int64_t> axes);
  Operand reduceProd(const Operand &input, llvm::ArrayRef<int64_t> axes);
  /// The sum in f32 (f64 for f64) over the number of elements, rounded once.
  Operand reduceMean(const Operand &input, llvm::ArrayRef<int64_t> axes);

  /// The position of the maximum along `axis`, which has 1 to 2^24 elements: of
  /// equal ones the first or the last. NaN is the maximum. Input and result are
  /// floats; the axis keeps size 1.
  Operand placeOfMaximum(const Operand &input, int64_t axis, bool last = false);

  Operand matmul(const Operand &lhs, const Operand &rhs,
                 bool transposeLhs = false, bool transposeRhs = false);
  /// The result of `compute`, of that type and shape. Its ops keep the types in
  /// which they are built: no policy changes them.
  Operand asWritten(mlir::Type type, llvm::ArrayRef<int64_t> shape,
                    llvm::function_ref<Operand()> compute);
  /// `lhs` times `rhs` in the types as written. PyTorch lowers no transform,
  /// since the terms of a spectrum cancel.
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
  /// The value of `op`'s result by the given values of inputs; null where it is
  /// not known.
  mlir::DenseElementsAttr foldGiven(mlir::Operation *op);
  mlir::DenseElementsAttr knownOf(mlir::Value value) const;
  template <typename OpTy>
  Operand reduce(const Operand &input, llvm::ArrayRef<int64_t> axes);

  mlir::OpBuilder &builder_;
  /// The bytes that constants may still take.
  size_t budget_ = size_t(64) << 20;
  mlir::Location location_;
  int32_t nextStream_ = 0;
  bool takesGradients_ = false;
  /// The given values of inputs, and values that follow from them alone.
  llvm::DenseMap<mlir::Value, mlir::DenseElementsAttr> given_;
  std::vector<mlir::OwningOpRef<mlir::func::FuncOp>> discarded_;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_TENSORBUILDER_H
