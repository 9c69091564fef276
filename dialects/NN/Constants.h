// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The elements of constants, as folds and importers read and write them.
#ifndef MPC_DIALECTS_NN_CONSTANTS_H
#define MPC_DIALECTS_NN_CONSTANTS_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mpc::nn {

/// Elements of a fold's result at most: more is computed once a step, since
/// the program would store it.
inline constexpr int64_t kMostFolded = int64_t(1) << 20;
/// The same for arithmetic on floats.
inline constexpr int64_t kMostFoldedReals = int64_t(1) << 16;

/// `value` truncated. What 64 bits of the sign of `type` do not hold becomes
/// the nearest end (without a type, int64); of ui64 the bits are returned.
int64_t toInteger(double value, mlir::Type type);

/// Element `index` of a constant of integers or i1, of ui64 its bits; a float
/// is truncated, and what no int64 holds becomes the nearest end.
int64_t intAt(mlir::DenseElementsAttr constant, int64_t index);
double realAt(mlir::DenseElementsAttr constant, int64_t index);
llvm::SmallVector<int64_t> intsOf(mlir::DenseElementsAttr constant);
/// What `value` holds elements of: what ops that only move them have read.
mlir::Value movedFrom(mlir::Value value);
/// The one number of a floating constant, moved at most. A cast of a constant
/// is none, since it has a type of its own.
std::optional<llvm::APFloat> splatOf(mlir::Value value);
/// The one number that all elements are, where they are equal.
std::optional<double> splatOf(mlir::DenseElementsAttr constant);

/// A constant of `values`, each rounded once; one value stands for all.
mlir::DenseElementsAttr constantOfReals(mlir::RankedTensorType type,
                                        llvm::ArrayRef<double> values);
/// The same of integers, which wrap.
mlir::DenseElementsAttr constantOfInts(mlir::RankedTensorType type,
                                       llvm::ArrayRef<int64_t> values);

/// Elements of a constant as bytes in order, an i1 as a byte of its own.
class ElementBytes {
public:
  explicit ElementBytes(mlir::DenseElementsAttr constant);

  /// Bytes of an element.
  size_t size() const { return size_; }
  const char *at(int64_t index) const {
    return bytes_.data() + (isSplat_ ? 0 : index * size_);
  }
  bool isSplat() const { return isSplat_; }

private:
  size_t size_;
  bool isSplat_;
  llvm::SmallVector<char> bits_;
  llvm::ArrayRef<char> bytes_;
};

size_t elementBytes(mlir::Type elementType);

/// The inverse: a constant of elements that lie so. Equal ones are stored once.
mlir::DenseElementsAttr constantOfBytes(mlir::RankedTensorType type,
                                        llvm::ArrayRef<char> bytes);

/// Distance of neighbours on each axis of a dense tensor.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

/// Element i of the result is the input's at `base + sum(i * strides)`; null
/// where that is too many elements.
mlir::DenseElementsAttr foldStrided(mlir::DenseElementsAttr input,
                                    mlir::RankedTensorType type, int64_t base,
                                    llvm::ArrayRef<int64_t> strides);

/// The result of an elementwise op of constants: its scalar body, evaluated on
/// each element. Null where an operand is not known or has no such value.
mlir::DenseElementsAttr
foldScalarBody(ScalarBodyOpInterface op,
               llvm::ArrayRef<mlir::Attribute> operands);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_CONSTANTS_H
