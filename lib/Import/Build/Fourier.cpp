// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the matrix of a transform, and multiplies by it.
#include "lib/Import/Build/Fourier.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>
#include <numbers>

using namespace llvm;

namespace mpc::build {

std::vector<double> FourierTransform::matrix() const {
  std::vector<double> entries;
  double sign = isInverse ? 1.0 : -1.0;
  for (int64_t j : seq<int64_t>(0, inputs()))
    for (int64_t from : seq<int64_t>(0, inputParts))
      for (int64_t k : seq<int64_t>(0, outputs()))
        for (int64_t to : seq<int64_t>(0, outputParts())) {
          double turn = static_cast<double>(j * k % size) /
                        static_cast<double>(size) * 2.0 * std::numbers::pi;
          double sine = sign * std::sin(turn) * (to > from ? 1.0 : -1.0);
          entries.push_back(weight(j) * (from == to ? std::cos(turn) : sine));
        }
  return entries;
}

static Expected<Operand> constantMatrix(TensorBuilder &b,
                                        const FourierTransform &transform,
                                        double factor, mlir::Type type) {
  std::vector<double> entries = transform.matrix();
  for (double &entry : entries)
    entry *= factor;
  Shape shape{transform.inputs() * transform.inputParts,
              transform.outputs() * transform.outputParts()};
  if (type.isF64())
    return b.fromValues<double>(type, shape, entries);
  std::vector<float> rounded(entries.begin(), entries.end());
  return b.fromValues<float>(b.f32(), shape, rounded);
}

/// `x` with `size` elements along `axis`: truncated, or padded with zeros at
/// the end.
static Operand withSize(TensorBuilder &b, const Operand &x, int64_t axis,
                        int64_t size) {
  if (x.shape[axis] >= size)
    return b.sliceAxis(x, axis, 0, size);
  SmallVector<int64_t> none(x.rank(), 0), high(x.rank(), 0);
  high[axis] = size - x.shape[axis];
  return b.pad(x, none, high, none, 0.0);
}

Expected<Operand> fourierTransformed(TensorBuilder &b, const Operand &input,
                                     int64_t axis,
                                     const FourierTransform &transform,
                                     double factor) {
  Operand x = withSize(b, b.wide(input), axis, transform.inputs());
  MPC_TRY_ASSIGN(Operand matrix, constantMatrix(b, transform, factor, x.type));
  auto order = to_vector(seq<int64_t>(0, x.rank()));
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end() - 1);
  x = b.transpose(x, order);
  Shape result = x.shape;
  result[x.rank() - 2] = transform.outputs();
  result[x.rank() - 1] = transform.outputParts();
  int64_t width = matrix.shape[0];
  Operand rows = b.reshape(x, {*countElements(x.shape) / width, width});
  Operand spectrum = b.reshape(b.matmulAsWritten(rows, matrix), result);
  auto back = to_vector(seq<int64_t>(0, x.rank()));
  std::rotate(back.begin() + axis, back.end() - 2, back.end() - 1);
  return b.cast(b.transpose(spectrum, back), input.type);
}

double CosineWindow::at(int64_t place, int64_t period) const {
  double turn = 2.0 * std::numbers::pi * static_cast<double>(place) /
                static_cast<double>(period);
  return a - b * std::cos(turn) + c * std::cos(2.0 * turn);
}

} // namespace mpc::build
