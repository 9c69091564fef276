// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that normalize.
#include "lib/Import/Exported/Call.h"

#include "dialects/NN/FrozenNormalization.h"
#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Powers.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// The operand with elements, in the type of the result.
Expected<Operand> filledOperand(Call &call, StringRef name) {
  MPC_TRY_ASSIGN(Operand x, call.real(name));
  if (is_contained(x.shape, 0))
    return call.fail("the operand " + shapeText(x.shape) + " has no elements");
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  return call.build.cast(x, type);
}

template <Operand (TensorBuilder::*build)(const Operand &, int64_t)>
Error emitSoftmax(Call &call) {
  MPC_TRY_ASSIGN(Operand x, filledOperand(call, "self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  if (x.rank() == 0)
    return call.fail("the operand is a scalar");
  call.result((call.build.*build)(x, axis));
  return Error::success();
}

Expected<double> epsilonOf(Call &call, double otherwise) {
  MPC_TRY_ASSIGN(double epsilon, call.number("eps", otherwise));
  if (!(epsilon >= 0.0))
    return call.fail("eps is negative");
  return epsilon;
}

/// Whether scale and bias of these elements normalize `x`: those of 16 bits
/// take them in f32 too.
bool goesWith(const Operand &values, const Operand &x) {
  return values.isFloat() && values.type.isF64() == x.type.isF64();
}

/// Scale and bias of all normalized axes.
Error emitLayerNorm(Call &call) {
  MPC_TRY_ASSIGN(Operand x, filledOperand(call, "input"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> sizes, call.integers("normalized_shape"));
  MPC_TRY_ASSIGN(double epsilon, epsilonOf(call, 1e-5));
  if (sizes.empty() || sizes.size() > x.shape.size() ||
      ArrayRef(x.shape).take_back(sizes.size()) != ArrayRef(sizes))
    return call.fail("the operand is " + shapeText(x.shape) +
                     ", normalized are " + shapeText(sizes));
  std::optional<Operand> affine[2];
  for (size_t index : {0, 1}) {
    StringRef name = index == 0 ? "weight" : "bias";
    MPC_TRY_ASSIGN(affine[index], call.maybeTensor(name));
    if (affine[index] && (!goesWith(*affine[index], x) ||
                          ArrayRef(affine[index]->shape) != ArrayRef(sizes)))
      return call.fail("argument '" + name + "' is " +
                       shapeText(affine[index]->shape));
  }
  call.result(call.build.layerNorm(x, affine[0] ? &*affine[0] : nullptr,
                                   affine[1] ? &*affine[1] : nullptr,
                                   x.rank() - sizes.size(), epsilon));
  return Error::success();
}

Error emitRmsNorm(Call &call) {
  MPC_TRY_ASSIGN(Operand x, filledOperand(call, "input"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> sizes, call.integers("normalized_shape"));
  // PyTorch takes the smallest step of the type where none is given.
  double step = x.type.isF64() ? 0x1p-52 : 0x1p-23;
  MPC_TRY_ASSIGN(double epsilon, epsilonOf(call, step));
  if (sizes.empty() || sizes.size() > x.shape.size() ||
      ArrayRef(x.shape).take_back(sizes.size()) != ArrayRef(sizes))
    return call.fail("the operand is " + shapeText(x.shape) +
                     ", normalized are " + shapeText(sizes));
  TensorBuilder &b = call.build;
  Operand normal = b.fold(nn::RMSNormOp::create(
      b.builder(), b.location(), b.tensorType(x.type, x.shape), x.value,
      /*scale=*/mlir::Value(), x.rank() - sizes.size(), APFloat(epsilon)));
  MPC_TRY_ASSIGN(std::optional<Operand> weight, call.maybeTensor("weight"));
  if (weight) {
    MPC_TRY_ASSIGN(*weight, call.broadcastTo(b.cast(*weight, x.type), x.shape,
                                             "the weight"));
    normal = b.binary(Binary::Mul, normal, *weight);
  }
  call.result(normal);
  return Error::success();
}

/// The form of decomposed programs, which gives mean and rate for PyTorch's own
/// backward.
Error emitNativeLayerNorm(Call &call) {
  MPC_TRY(emitLayerNorm(call));
  call.result({});
  call.result({});
  return Error::success();
}

/// Scales and shifts channels: `x` is `[sample, group, channel in group,
/// rest]`.
Expected<Operand> scaledChannels(Call &call, Operand x) {
  TensorBuilder &b = call.build;
  Shape channels = {x.shape[1], x.shape[2]};
  for (auto [name, kind] :
       {std::pair("weight", Binary::Mul), std::pair("bias", Binary::Add)}) {
    MPC_TRY_ASSIGN(std::optional<Operand> values, call.maybeTensor(name));
    if (!values)
      continue;
    int64_t count = channels[0] * channels[1];
    if (values->shape != Shape{count} || !goesWith(*values, x))
      return call.fail("argument '" + Twine(name) + "' is " +
                       shapeText(values->shape) + ", expected " + Twine(count));
    Operand wide = b.reshape(b.cast(*values, x.type), channels);
    x = b.binary(kind, x, b.broadcast(wide, x.shape, {1, 2}));
  }
  return x;
}

/// Normalizes by mean and variance over `axes`, the variance from deviations.
Operand normalizedOver(TensorBuilder &b, const Operand &x,
                       ArrayRef<int64_t> axes, double epsilon) {
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (!is_contained(axes, axis))
      kept.push_back(axis);
  Operand mean = b.broadcast(b.reduceMean(x, axes), x.shape, kept);
  Operand centered = b.binary(Binary::Sub, x, mean);
  Operand squares = b.binary(Binary::Mul, centered, centered);
  Operand variance = b.reduceMean(squares, axes);
  Operand rate = b.rsqrt(b.binary(Binary::Add, variance, epsilon));
  return b.binary(Binary::Mul, centered, b.broadcast(rate, x.shape, kept));
}

/// Normalizes groups of channels, by the statistics of each sample.
Expected<Operand> normalizedGroups(Call &call, const Operand &x,
                                   int64_t groups) {
  if (x.rank() < 2 || groups < 1 || x.shape[1] % groups != 0)
    return call.fail("the operand " + shapeText(x.shape) +
                     " does not split into " + Twine(groups) + " groups");
  MPC_TRY_ASSIGN(double epsilon, epsilonOf(call, 1e-5));
  TensorBuilder &b = call.build;
  int64_t rest = *countElements(x.shape) / x.shape[0] / x.shape[1];
  int64_t channels = x.shape[1] / groups;
  Operand parts = b.reshape(x, {x.shape[0], groups, channels, rest});
  Operand normal = b.layerNorm(b.wide(parts), nullptr, nullptr, 2, epsilon);
  MPC_TRY_ASSIGN(Operand result, scaledChannels(call, normal));
  return b.reshape(b.cast(result, x.type), x.shape);
}

Error groupNorm(Call &call, StringRef count) {
  MPC_TRY_ASSIGN(Operand x, filledOperand(call, "input"));
  MPC_TRY_ASSIGN(int64_t groups, call.integer(count));
  MPC_TRY_ASSIGN(Operand result, normalizedGroups(call, x, groups));
  call.result(result);
  return Error::success();
}

Error emitGroupNorm(Call &call) { return groupNorm(call, "num_groups"); }

/// The form of decomposed programs, as native_layer_norm is.
Error emitNativeGroupNorm(Call &call) {
  MPC_TRY(groupNorm(call, "group"));
  call.result({});
  call.result({});
  return Error::success();
}

/// With the statistics of each sample; running ones would be another op.
Error emitInstanceNorm(Call &call) {
  MPC_TRY_ASSIGN(Operand x, filledOperand(call, "input"));
  MPC_TRY_ASSIGN(bool usesInput, call.flag("use_input_stats", true));
  if (!usesInput || call.has("running_mean"))
    return call.fail("running statistics are not supported: build the layer "
                     "with track_running_stats=False");
  if (x.rank() < 2)
    return call.fail("the operand is " + shapeText(x.shape));
  MPC_TRY_ASSIGN(Operand result, normalizedGroups(call, x, x.shape[1]));
  call.result(result);
  return Error::success();
}

/// Scale, bias, mean and variance, one element a channel.
Expected<SmallVector<mlir::Value>> channelVectors(Call &call,
                                                  const Operand &x) {
  SmallVector<mlir::Value> vectors;
  TensorBuilder &b = call.build;
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"}) {
    MPC_TRY_ASSIGN(std::optional<Operand> given, call.maybeTensor(name));
    if (!given && name.starts_with("running"))
      return call.fail("only one of the running statistics is there");
    Operand values =
        given ? *given
              : b.splat(x.type, {x.shape[1]}, name == "weight" ? 1.0 : 0.0);
    if (values.shape != Shape{x.shape[1]} || !goesWith(values, x))
      return call.fail("argument '" + name + "' is " + shapeText(values.shape) +
                       ", expected " + Twine(x.shape[1]) + " elements");
    vectors.push_back(values.value);
  }
  return vectors;
}

/// `[sample, 1, channel, rest]` of `x`, whose channels are axis 1.
Operand splitChannels(TensorBuilder &b, const Operand &x) {
  int64_t rest = *countElements(x.shape) / x.shape[0] / x.shape[1];
  return b.reshape(x, {x.shape[0], 1, x.shape[1], rest});
}

/// A layer that has no running statistics takes those of the batch, in eval()
/// too.
Error normalizedChannels(Call &call, const Operand &x) {
  MPC_TRY_ASSIGN(double epsilon, epsilonOf(call, 1e-5));
  TensorBuilder &b = call.build;
  Operand wide = b.wide(splitChannels(b, x));
  Operand normal = normalizedOver(b, wide, {0, 3}, epsilon);
  MPC_TRY_ASSIGN(Operand result, scaledChannels(call, normal));
  call.result(b.reshape(b.cast(result, x.type), x.shape));
  return Error::success();
}

Error emitBatchNorm(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("input"));
  if (x.rank() < 2 || is_contained(x.shape, 0))
    return call.fail("the operand is " + shapeText(x.shape) +
                     ", expected batch, channels and spatial axes");
  if (!call.has("running_mean") && !call.has("running_var"))
    return normalizedChannels(call, x);
  MPC_TRY_ASSIGN(bool isTraining, call.flag("training", false));
  MPC_TRY_ASSIGN(double added, epsilonOf(call, 1e-5));
  if (!call.has("momentum"))
    return call.fail("momentum=None, a mean over all batches, is not "
                     "supported");
  MPC_TRY_ASSIGN(double factor, call.number("momentum"));
  if (!(factor >= 0.0 && factor <= 1.0))
    return call.fail("momentum is " + std::to_string(factor));
  MPC_TRY_ASSIGN(SmallVector<mlir::Value> vectors, channelVectors(call, x));
  TensorBuilder &b = call.build;
  auto op = nn::BatchNormOp::create(
      b.builder(), b.location(), b.tensorType(x.type, x.shape), x.value,
      vectors[0], vectors[1], vectors[2], vectors[3], /*axis=*/1,
      APFloat(added), APFloat(factor));
  // A layer in eval() stays what it is; a training makes the training form of
  // others.
  if (!isTraining)
    op->setAttr(nn::kFrozen, b.builder().getUnitAttr());
  call.result(b.fromValue(op));
  return Error::success();
}

/// The form of decomposed programs, which gives the statistics of the batch and
/// the running ones too. The first are for PyTorch's own backward; the step
/// keeps the others itself.
Error emitFunctionalBatchNorm(Call &call) {
  MPC_TRY(emitBatchNorm(call));
  call.result({});
  call.result({});
  for (size_t index : {3, 4}) {
    MPC_TRY_ASSIGN(Operand statistic,
                   call.tensor(index == 3 ? "running_mean" : "running_var"));
    MPC_TRY_ASSIGN(mlir::Type type, call.resultType(index));
    call.result(call.build.cast(statistic, type));
  }
  return Error::success();
}

/// The same of a layer in eval(), which has no statistics of the batch.
Error emitFrozenBatchNorm(Call &call) {
  MPC_TRY(emitBatchNorm(call));
  call.result({});
  call.result({});
  return Error::success();
}

/// A direction times a length: `v` over its norm beside axis `dim`, times `g`.
/// The norm is the second result of the form of decomposed programs.
Error emitWeightNorm(Call &call) {
  MPC_TRY_ASSIGN(Operand v, filledOperand(call, "v"));
  MPC_TRY_ASSIGN(Operand g, call.tensor("g"));
  MPC_TRY_ASSIGN(int64_t kept, call.has("dim") ? call.axis("dim", v.rank())
                                               : Expected<int64_t>(0));
  TensorBuilder &b = call.build;
  SmallVector<int64_t> axes;
  for (int64_t axis : seq<int64_t>(0, v.rank()))
    if (axis != kept)
      axes.push_back(axis);
  if (axes.empty() || g.rank() != v.rank() || !goesWith(g, v))
    return call.fail("the direction is " + shapeText(v.shape) +
                     ", the length " + shapeText(g.shape));
  Operand wide = b.wide(v);
  Operand norm =
      rootOf(b, b.reduceSum(b.binary(Binary::Mul, wide, wide), axes));
  norm = b.reshape(norm, g.shape);
  Operand length = b.binary(Binary::Div, b.cast(g, wide.type), norm);
  call.result(b.cast(
      b.binary(Binary::Mul, wide, b.broadcastTo(length, v.shape)), v.type));
  return Error::success();
}

Error emitWeightNormInterface(Call &call) {
  MPC_TRY(emitWeightNorm(call));
  call.result({});
  return Error::success();
}

} // namespace

ArrayRef<OpRow> normalizationRows() {
  static const OpRow rows[] = {
      {"_log_softmax.default", emitSoftmax<&TensorBuilder::logSoftmax>},
      {"_native_batch_norm_legit.no_stats", emitFrozenBatchNorm},
      {"_native_batch_norm_legit_functional.default", emitFunctionalBatchNorm},
      {"_native_batch_norm_legit_no_training.default", emitFrozenBatchNorm},
      {"_softmax.default", emitSoftmax<&TensorBuilder::softmax>},
      {"_weight_norm.default", emitWeightNorm},
      {"_weight_norm_interface.default", emitWeightNormInterface},
      {"batch_norm.default", emitBatchNorm},
      {"group_norm.default", emitGroupNorm},
      {"instance_norm.default", emitInstanceNorm},
      {"layer_norm.default", emitLayerNorm},
      {"log_softmax.int", emitSoftmax<&TensorBuilder::logSoftmax>},
      {"native_group_norm.default", emitNativeGroupNorm},
      {"native_layer_norm.default", emitNativeLayerNorm},
      {"rms_norm.default", emitRmsNorm},
      {"softmax.int", emitSoftmax<&TensorBuilder::softmax>},
  };
  return rows;
}

} // namespace mpc::exported
