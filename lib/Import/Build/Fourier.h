// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fourier transforms, as products with a matrix of cosines and sines, and the
/// windows that go before them.
#ifndef MPC_LIB_IMPORT_BUILD_FOURIER_H
#define MPC_LIB_IMPORT_BUILD_FOURIER_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// A transform of sequences of `size` numbers.
struct FourierTransform {
  int64_t size;
  bool isInverse;
  /// The spectrum has its first half alone, of which the rest follows: what is
  /// transformed there and back is real.
  bool isOneSided;
  /// Numbers of one element of the input: 1 of a real one, 2 of a complex one.
  int64_t inputParts;

  int64_t half() const { return size / 2 + 1; }
  int64_t inputs() const { return isOneSided && isInverse ? half() : size; }
  int64_t outputs() const { return isOneSided && !isInverse ? half() : size; }
  int64_t outputParts() const { return isOneSided && isInverse ? 1 : 2; }
  /// What input `j` counts in a sum: one for itself, one for its mirror image.
  double weight(int64_t j) const {
    bool isTwice = isOneSided && isInverse && j > 0 && 2 * j < size;
    return (isTwice ? 2.0 : 1.0) / static_cast<double>(isInverse ? size : 1);
  }
  /// [inputs * inputParts, outputs * outputParts]: the product of a complex
  /// number and exp(-+ 2 pi i j k / size), as one of pairs.
  std::vector<double> matrix() const;
};

/// The transform of `input` along `axis`, which is not its last: that holds the
/// parts of numbers. An error without a place where constants get too many.
llvm::Expected<Operand> fourierTransformed(TensorBuilder &b,
                                           const Operand &input, int64_t axis,
                                           const FourierTransform &transform);

/// a - b cos(t) + c cos(2 t), where t goes once around.
struct CosineWindow {
  double a, b, c;

  /// Of `period` places one.
  double at(int64_t place, int64_t period) const;
};

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_FOURIER_H
