// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The elements of constants, as folds and importers read and write them.
#ifndef MPC_DIALECTS_NN_CONSTANTS_H
#define MPC_DIALECTS_NN_CONSTANTS_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mpc::nn {

/// The most elements of a fold's result. A larger result is computed in each
/// step, since the program would have to store it.
inline constexpr int64_t kMostFolded = int64_t(1) << 20;
/// The most elements of a fold's result for arithmetic on floats.
inline constexpr int64_t kMostFoldedReals = int64_t(1) << 16;

/// `value` truncated. A number that 64 bits of the sign of `type` cannot hold
/// becomes the nearest number that they can (without a type, int64). For ui64
/// the bits are returned.
int64_t toInteger(double value, mlir::Type type);

/// Element `index` of a constant of integers or i1; for ui64 its bits. A float
/// is truncated, and a number that no int64 holds becomes the nearest one.
int64_t intAt(mlir::DenseElementsAttr constant, int64_t index);
double realAt(mlir::DenseElementsAttr constant, int64_t index);
llvm::SmallVector<int64_t> intsOf(mlir::DenseElementsAttr constant);
/// The value whose elements `value` holds: the origin behind ops that only move
/// elements.
mlir::Value movedFrom(mlir::Value value);
/// The one number of a floating constant behind ops that move elements. A cast
/// of a constant has no such number, since it has a type of its own.
std::optional<llvm::APFloat> splatOf(mlir::Value value);
/// The one number that all elements equal; empty where they differ.
std::optional<double> splatOf(mlir::DenseElementsAttr constant);

/// A constant of `values`, each rounded once. A single value stands for all
/// elements.
mlir::DenseElementsAttr constantOfReals(mlir::RankedTensorType type,
                                        llvm::ArrayRef<double> values);
/// A constant of integers, which wrap.
mlir::DenseElementsAttr constantOfInts(mlir::RankedTensorType type,
                                       llvm::ArrayRef<int64_t> values);

/// The elements of a constant as bytes in order. An i1 is one byte.
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

/// The constant whose elements are these bytes. Equal elements are stored once.
mlir::DenseElementsAttr constantOfBytes(mlir::RankedTensorType type,
                                        llvm::ArrayRef<char> bytes);

/// Distance of neighbours on each axis of a dense tensor.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

/// Element i of the result is the input's element at `base + sum(i * strides)`;
/// null where the result has too many elements.
mlir::DenseElementsAttr foldStrided(mlir::DenseElementsAttr input,
                                    mlir::RankedTensorType type, int64_t base,
                                    llvm::ArrayRef<int64_t> strides);

/// The result of an elementwise op on constants: its scalar body, evaluated on
/// each element. Null where an operand is no constant, or where the body does
/// not fold.
mlir::DenseElementsAttr
foldScalarBody(ScalarBodyOpInterface op,
               llvm::ArrayRef<mlir::Attribute> operands);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_CONSTANTS_H
