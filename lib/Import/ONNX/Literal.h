// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tensors whose values the importer knows, and arithmetic on them: shapes,
/// masks and scalars are computed here and never become ops.
#ifndef MPC_LIB_IMPORT_ONNX_LITERAL_H
#define MPC_LIB_IMPORT_ONNX_LITERAL_H

#include "lib/Import/ONNX/OnnxModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mpc::onnx {

using Shape = llvm::SmallVector<int64_t, 4>;

/// A known tensor. `bytes` hold every element, or one that all are equal to;
/// they belong to a Storage.
struct Literal {
  ElemType type = ElemType::Undefined;
  Shape shape;
  llvm::ArrayRef<char> bytes;

  int64_t numElements() const;
  /// One stored element stands for all.
  bool isSplat() const;
  /// Element `index` of an integer or bool literal (floats are truncated).
  int64_t intAt(int64_t index) const;
  double floatAt(int64_t index) const;
  llvm::SmallVector<int64_t> ints() const;
};

/// Computes literals. Every result is charged to a budget; a fold that would
/// pass it, or that has no value (a division by zero), gives nothing, and the
/// caller emits an op instead.
class LiteralFolder {
public:
  explicit LiteralFolder(Storage &storage) : storage_(storage) {}

  std::optional<Literal> fromInts(ElemType type, llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<int64_t> values);
  /// A tensor of one value; costs one element whatever its shape.
  Literal splat(ElemType type, llvm::ArrayRef<int64_t> shape, double value);
  Literal splatInt(ElemType type, llvm::ArrayRef<int64_t> shape, int64_t value);

  /// The same elements under another shape of as many.
  Literal reshape(const Literal &input, llvm::ArrayRef<int64_t> shape);
  /// Element i of the result is the input's at `base + sum(i * strides)`.
  std::optional<Literal> strided(const Literal &input,
                                 llvm::ArrayRef<int64_t> shape, int64_t base,
                                 llvm::ArrayRef<int64_t> strides);
  std::optional<Literal> concat(llvm::ArrayRef<const Literal *> inputs,
                                int64_t axis);
  /// `indices` are within [0, size of the axis).
  std::optional<Literal> gather(const Literal &input, const Literal &indices,
                                int64_t axis);
  std::optional<Literal> cast(const Literal &input, ElemType type);

  /// Elementwise on literals of one shape (`combine` gets one number of each),
  /// computed in int64 for integers and double for floats; false: no value.
  using IntFunction =
      llvm::function_ref<bool(llvm::ArrayRef<int64_t>, int64_t &)>;
  using RealFunction =
      llvm::function_ref<bool(llvm::ArrayRef<double>, double &)>;
  std::optional<Literal> map(ElemType type,
                             llvm::ArrayRef<const Literal *> inputs,
                             IntFunction combine);
  std::optional<Literal> map(ElemType type,
                             llvm::ArrayRef<const Literal *> inputs,
                             RealFunction combine);

  /// Room for `count` elements, or nothing if that passes the budget.
  std::optional<llvm::MutableArrayRef<char>> allocate(ElemType type,
                                                      int64_t count);

private:
  Storage &storage_;
  size_t budget_ = size_t(64) << 20;
};

/// Distance of neighbours on each axis of a dense tensor.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_LITERAL_H
