// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forms for functions that are no ops of ONNX.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/ErrorFunctions.h"
#include "lib/Import/Build/Functions.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

/// Computes a function of floats in at least f32, and rounds once.
static Error emitRounded(NodeImporter &node,
                         function_ref<Operand(ArrayRef<Operand>)> compute) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(auto arguments, node.unifiedInputs());
  mlir::Type type = arguments.front().type;
  for (Operand &argument : arguments)
    argument = node.build.wide(argument);
  node.result(0, node.build.cast(compute(arguments), type));
  return Error::success();
}

template <Operand (*compute)(TensorBuilder &, const Operand &)>
static Error emitFormula(NodeImporter &node) {
  return emitRounded(node, [&](ArrayRef<Operand> arguments) {
    return compute(node.build, arguments[0]);
  });
}

template <Operand (*compute)(TensorBuilder &, const Operand &, const Operand &)>
static Error emitFormula(NodeImporter &node) {
  return emitRounded(node, [&](ArrayRef<Operand> arguments) {
    return compute(node.build, arguments[0], arguments[1]);
  });
}

template <typename OpTy>
static Operand unaryOf(TensorBuilder &b, const Operand &x) {
  return b.unary<OpTy>(x);
}

/// log(z / (1 - z)), where z is x clamped to between eps and 1 - eps. Where the
/// bounds cross, z is eps.
static Error emitLogit(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  std::optional<double> eps = node.setting<double>(setting::kEps);
  if (!eps)
    return node.fail("the record does not say which eps torch.logit() has");
  TensorBuilder &b = node.build;
  mlir::Type type = node.in(0).type;
  Operand x = b.wide(node.in(0));
  Operand low = b.splatLike(x, *eps), high = b.splatLike(x, 1 - *eps);
  Operand z = b.select(b.compare(nn::CompareKind::GT, x, high), high, x);
  z = b.select(b.compare(nn::CompareKind::LT, x, low), low, z);
  Operand rest = b.binary(Binary::Sub, b.splatLike(x, 1), z);
  node.result(0, b.cast(b.log(b.binary(Binary::Div, z, rest)), type));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// The number of bins for `x`: up to the largest value if that is known, and at
/// least as many as the call asks for.
static int64_t numberOfBins(const NodeImporter &node, const Operand &x) {
  int64_t bins = node.setting<int64_t>(setting::kMinLength).value_or(0);
  if (x.known)
    for (int64_t number : nn::intsOf(x.known))
      bins = std::max(bins, number + 1);
  return bins;
}

/// Numbers without a bin are counted in an additional bin after the others.
static Error emitBinCount(NodeImporter &node) {
  MPC_TRY(node.requireIndices(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  int64_t bins = numberOfBins(node, x);
  if (!x.known && bins == 0)
    return node.fail("how many numbers torch.bincount() counts depends on the "
                     "data, unless it is told by minlength");
  if (!x.known)
    node.note("counts the numbers below " + Twine(bins) +
              ", the minlength of torch.bincount()");
  Operand places = b.binary(Binary::Min, b.cast(x, b.i64()),
                            b.splat(b.i64(), x.shape, double(bins)));
  Operand counts = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(b.i64(), {bins + 1}),
      b.splat(b.i64(), x.shape, 1).value, places.value, /*axis=*/0,
      /*batch_dims=*/0));
  node.result(0, b.sliceAxis(counts, 0, 0, bins));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Input 1, probabilities, in rows in which input 0, a mask, is true anywhere;
/// 0 in the other rows.
static Error emitRowsWithKeys(NodeImporter &node) {
  TensorBuilder &b = node.build;
  Operand mask = b.cast(node.in(0), b.i1());
  const Operand &probabilities = node.in(1);
  Shape column = mask.shape;
  if (!column.empty())
    column.back() = 1;
  Operand hasKey =
      mask.shape.empty()
          ? mask
          : b.reshape(b.reduceMax(mask, {mask.rank() - 1}), column);
  MPC_TRY_ASSIGN(hasKey,
                 node.broadcastTo(hasKey, probabilities.shape, "the mask"));
  node.result(0,
              b.select(hasKey, probabilities, b.splatLike(probabilities, 0)));
  return Error::success();
}

ArrayRef<OpRule> functionForms() {
  static const OpRule forms[] = {
      {form::kAngle, 1, 1, 3, 1, "", emitFormula<angle>},
      {form::kAtan2, 1, 1, 3, 1, "", emitFormula<build::atan2>},
      {form::kBinCount, 1, 1, 3, 1, "", emitBinCount},
      {form::kErfcx, 1, 1, 3, 1, "", emitFormula<erfcx>},
      {form::kExpm1, 1, 1, 3, 1, "", emitFormula<unaryOf<nn::Expm1Op>>},
      {form::kLog1p, 1, 1, 3, 1, "", emitFormula<unaryOf<nn::Log1pOp>>},
      {form::kLogAddExp, 1, 1, 3, 1, "", emitFormula<logAddExp>},
      {form::kLogAddExp2, 1, 1, 3, 1, "", emitFormula<logAddExp2>},
      {form::kLogSigmoid, 1, 1, 3, 1, "", emitFormula<logSigmoid>},
      {form::kLogit, 1, 1, 3, 1, "", emitLogit},
      {form::kRowsWithKeys, 1, 1, 3, 1, "", emitRowsWithKeys},
      {form::kSinc, 1, 1, 3, 1, "", emitFormula<sinc>},
      {form::kXLogY, 1, 1, 3, 1, "", emitFormula<xLogY>},
  };
  return forms;
}

} // namespace mpc::onnx
