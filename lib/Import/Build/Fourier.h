// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fourier transforms as products with a matrix of cosines and sines, and the
/// windows applied before them.
#ifndef MPC_LIB_IMPORT_BUILD_FOURIER_H
#define MPC_LIB_IMPORT_BUILD_FOURIER_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The greatest length. Larger matrices and tables exceed the limit of a file's
/// constants.
constexpr int64_t kLongestTransform = 4096;

/// A transform of sequences of `size` numbers.
struct FourierTransform {
  int64_t size;
  bool isInverse;
  /// Whether the spectrum has only its first half, from which the rest follows.
  /// The numbers on the other side are then real.
  bool isOneSided;
  /// The parts of an element of the input: 1 for real numbers, 2 for complex
  /// ones.
  int64_t inputParts;

  int64_t half() const { return size / 2 + 1; }
  int64_t inputs() const { return isOneSided && isInverse ? half() : size; }
  int64_t outputs() const { return isOneSided && !isInverse ? half() : size; }
  int64_t outputParts() const { return isOneSided && isInverse ? 1 : 2; }
  /// The weight of input `j` in a sum: one for itself, and one for its mirror
  /// image.
  double weight(int64_t j) const {
    bool isTwice = isOneSided && isInverse && j > 0 && 2 * j < size;
    return (isTwice ? 2.0 : 1.0) / static_cast<double>(isInverse ? size : 1);
  }
  /// The matrix [inputs * inputParts, outputs * outputParts]. It multiplies a
  /// complex number by exp(-+ 2 pi i j k / size), in pairs of parts.
  std::vector<double> matrix() const;
};

/// The transform of `input` along `axis`, which is not the last: the last axis
/// has the parts of numbers. The result is multiplied by `factor`. An error,
/// without a place, where constants get too large.
llvm::Expected<Operand> fourierTransformed(TensorBuilder &b,
                                           const Operand &input, int64_t axis,
                                           const FourierTransform &transform,
                                           double factor = 1);

/// The window a - b cos(t) + c cos(2 t), where t goes once around.
struct CosineWindow {
  double a, b, c;

  /// The value at `place` of `period` places.
  double at(int64_t place, int64_t period) const;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_FOURIER_H
