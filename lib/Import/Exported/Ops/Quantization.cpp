// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's fake quantization, with which models are trained for integers.
#include "lib/Import/Build/Quantization.h"

#include "lib/Import/Exported/Call.h"

using namespace llvm;

namespace mpc::exported {

namespace {

Expected<QuantizationLevels> readLevels(Call &call) {
  MPC_TRY_ASSIGN(int64_t least, call.integer("quant_min"));
  MPC_TRY_ASSIGN(int64_t most, call.integer("quant_max"));
  if (least >= most)
    return call.fail("quantizes to " + Twine(least) + " to " + Twine(most));
  return QuantizationLevels{static_cast<double>(least),
                            static_cast<double>(most)};
}

Error giveQuantized(Call &call, const Operand &x, Operand scale, Operand zero) {
  MPC_TRY_ASSIGN(QuantizationLevels levels, readLevels(call));
  TensorBuilder &b = call.build;
  Operand wide = wideNumbers(b, x);
  QuantizationGrid grid{b.withoutGradient(b.cast(scale, wide.type)),
                        b.withoutGradient(b.cast(zero, wide.type)),
                        /*byReciprocal=*/true};
  call.result(b.cast(fakeQuantized(b, wide, grid, levels), x.type));
  return Error::success();
}

/// One scale and zero point for all elements: numbers, or tensors of one.
Error emitPerTensor(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Operand scale, call.operandAs("scale", b.f32(), x.shape));
  MPC_TRY_ASSIGN(Operand zero, call.operandAs("zero_point", b.f32(), x.shape));
  return giveQuantized(call, x, scale, zero);
}

/// One for each place of an axis.
Error emitPerChannel(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("axis", x.rank()));
  MPC_TRY_ASSIGN(Operand scale, call.real("scale"));
  MPC_TRY_ASSIGN(Operand zero, call.tensor("zero_point"));
  if (x.rank() == 0 || scale.shape != Shape{x.shape[axis]} ||
      zero.shape != scale.shape)
    return call.fail("the scales are " + shapeText(scale.shape) +
                     " and the zero points " + shapeText(zero.shape) +
                     " for an axis of " + shapeText(x.shape));
  TensorBuilder &b = call.build;
  return giveQuantized(call, x, b.broadcast(scale, x.shape, {axis}),
                       b.broadcast(zero, x.shape, {axis}));
}

} // namespace

ArrayRef<OpRow> quantizationRows() {
  static const OpRow rows[] = {
      {"fake_quantize_per_channel_affine.default", emitPerChannel},
      {"fake_quantize_per_tensor_affine.default", emitPerTensor},
      {"fake_quantize_per_tensor_affine.tensor_qparams", emitPerTensor},
  };
  return rows;
}

} // namespace mpc::exported
