// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the graph of ComplexGraph.h has besides ATen's ops.
#include "lib/Import/Exported/Call.h"

#include "lib/Import/Build/Fourier.h"

using namespace llvm;

namespace mpc::exported {

namespace {

Operand withLastAxis(Call &call, const Operand &x, int64_t size) {
  Shape shape = x.shape;
  shape.push_back(size);
  return call.build.reshape(x, shape);
}

/// Real and imaginary parts along a last axis.
Expected<Operand> joined(Call &call, const Operand &re) {
  MPC_TRY_ASSIGN(Operand im, call.real("imag"));
  if (im.shape != re.shape || im.type != re.type)
    return call.fail("has parts of different sizes");
  return call.build.concat(
      {withLastAxis(call, re, 1), withLastAxis(call, im, 1)}, re.rank());
}

Error emitPairs(Call &call) {
  MPC_TRY_ASSIGN(Operand re, call.real("self"));
  MPC_TRY_ASSIGN(Operand pairs, joined(call, re));
  call.result(pairs);
  return Error::success();
}

/// Elements that may not be written through this.
Error emitShown(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(bool isNegated, call.flag("negative", false));
  call.result(isNegated ? call.build.neg(x) : x);
  return Error::success();
}

/// The result has its parts along a last axis, of which it has one where it is
/// real.
Expected<Operand> transformed(Call &call) {
  MPC_TRY_ASSIGN(Operand re, call.real("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", re.rank()));
  MPC_TRY_ASSIGN(int64_t size, call.integer("n"));
  MPC_TRY_ASSIGN(bool isInverse, call.flag("inverse", false));
  MPC_TRY_ASSIGN(bool isOneSided, call.flag("onesided", false));
  MPC_TRY_ASSIGN(double scale, call.number("scale"));
  if (size < 1 || size > kLongestTransform || re.rank() == 0)
    return call.fail("transforms " + Twine(size) + " numbers, expected 1 to " +
                     Twine(kLongestTransform));
  TensorBuilder &b = call.build;
  bool isComplex = call.has("imag");
  Operand x = withLastAxis(call, re, 1);
  if (isComplex) {
    MPC_TRY_ASSIGN(x, joined(call, re));
  }
  FourierTransform transform{size, isInverse, isOneSided, isComplex ? 2 : 1};
  // An inverse transform divides by the size.
  double factor = isInverse ? scale * static_cast<double>(size) : scale;
  MPC_TRY_ASSIGN(x, fourierTransformed(b, x, axis, transform, factor));
  return x;
}

Error emitSpectrum(Call &call) {
  MPC_TRY_ASSIGN(Operand x, transformed(call));
  call.result(x);
  return Error::success();
}

Error emitSignal(Call &call) {
  MPC_TRY_ASSIGN(Operand x, transformed(call));
  call.result(call.build.reshape(x, ArrayRef<int64_t>(x.shape).drop_back()));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> complexRows() {
  static constexpr OpRow kRows[] = {
      {"mpc_fourier.default", emitSpectrum},
      {"mpc_fourier.real", emitSignal},
      {"mpc_pairs.default", emitPairs, Sharing::Reordered},
      {"mpc_shown.default", emitShown, Sharing::Reordered},
  };
  return kRows;
}

} // namespace mpc::exported
