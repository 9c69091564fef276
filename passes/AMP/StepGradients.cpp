// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradients of one batch.
#include "passes/AMP/StepGradients.h"

#include "dialects/AMP/RandomState.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Random.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

Value mpc::amp::readScale(EntryBuilder &entry) {
  Type f32 = entry.b.getF32Type();
  return entry.scales() ? entry.getScale(f32)
                        : entry.constant(f32, entry.b.getF32FloatAttr(1.0));
}

/// Gathers `tensors`, one for each parameter, to the gradients of each set.
static SmallVector<Value> gather(EntryBuilder &entry,
                                 const SmallVector<Value> &tensors) {
  return llvm::map_to_vector(
      entry.plan.sets, [&](const ParameterSet &set) -> Value {
        return GatherOp::create(entry.b, entry.loc, entry.typeOf(set),
                                set.select(tensors));
      });
}

StepGradients mpc::amp::readGradients(EntryBuilder &entry) {
  SmallVector<Value> tensors;
  for (nn::ParameterOp parameter : entry.plan.parameters) {
    auto type = cast<RankedTensorType>(parameter.getType());
    Value input = entry.addArgument(type.clone(*entry.recipe.getGradients()),
                                    nn::gradientName(parameter.getSymName()));
    tensors.push_back(entry.g.cast(input, entry.b.getF32Type()));
  }
  StepGradients read;
  read.gradients = gather(entry, tensors);
  return read;
}

/// Adds the inputs of the loss: arguments, or parts of the random state, which
/// nn.random names.
static SmallVector<Value> addInputs(EntryBuilder &entry) {
  func::FuncOp loss = entry.plan.loss;
  RandomStateOp random;
  SmallVector<Value> inputs;
  for (unsigned i = 0, e = loss.getNumArguments(); i < e; ++i) {
    auto part = loss.getArgAttrOfType<StringAttr>(i, nn::kRandom);
    if (!part) {
      inputs.push_back(entry.addArgument(loss.getArgumentTypes()[i],
                                         loss.getArgAttrDict(i)));
      continue;
    }
    if (!random)
      random = RandomStateOp::create(entry.b, entry.loc, kOptimizer);
    inputs.push_back(random.getOperation()->getResult(
        llvm::find(nn::kRandomParts, part.getValue()) -
        std::begin(nn::kRandomParts)));
  }
  return inputs;
}

/// The cotangents of the loss' results. The scale multiplies the loss in f32,
/// before any cast to 16 bits. The loss of a window is the mean over its
/// batches.
static SmallVector<Value> seedsOf(EntryBuilder &entry, Value scale) {
  nn::GradientBuilder &g = entry.g;
  Value seed = scale;
  if (entry.recipe.getAccumulate() > 1)
    seed = g.div(scale, g.splat(scale, double(entry.recipe.getAccumulate())));
  func::FuncOp loss = entry.plan.loss;
  auto types = loss.getResultTypes();
  SmallVector<Value> seeds = {
      g.cast(seed, cast<RankedTensorType>(types.front()).getElementType())};
  // No gradient flows through buffers that are kept for the next step, nor
  // through other outputs.
  for (Type type : types.drop_front())
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      seeds.push_back(g.splat(cast<RankedTensorType>(type), 0.0));
  return seeds;
}

/// The name of a result of the loss in the step, which has some names of its
/// own.
static std::string outputName(func::FuncOp loss, unsigned index) {
  StringAttr name = nn::getResultName(loss, index);
  return "output." + (name ? name.str() : std::to_string(index));
}

/// The name and the unscaled value of an input's gradient. It is no part of the
/// finite check: an infinite one is given as it is.
static std::pair<std::string, Value>
inputGradient(EntryBuilder &entry, int64_t input, Value scale, Value gradient) {
  StringAttr name = nn::getArgumentName(entry.plan.loss, input);
  if (entry.scales())
    gradient = entry.g.div(gradient,
                           entry.g.broadcast(scale, {}, nn::shapeOf(gradient)));
  return {nn::inputGradientName(name), gradient};
}

StepGradients mpc::amp::differentiateBatch(EntryBuilder &entry) {
  const StepPlan &plan = entry.plan;
  SmallVector<Value> inputs = addInputs(entry);
  StepGradients made;
  made.scale = readScale(entry);
  func::FuncOp loss = plan.loss;
  SmallVector<Type> types(loss.getResultTypes());
  for (nn::ParameterOp parameter : plan.parameters)
    types.push_back(parameter.getType());
  for (int64_t input : plan.inputs)
    types.push_back(inputs[input].getType());
  auto vjp = nn::VJPOp::create(entry.b, entry.loc, types, loss.getName(),
                               inputs, seedsOf(entry, made.scale),
                               entry.b.getArrayAttr(plan.symbols),
                               ArrayRef(plan.inputs));
  auto wide = [&](Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value))
               ? entry.g.cast(value, entry.b.getF32Type())
               : value;
  };
  made.loss = wide(vjp.getOutputs().front());
  ValueRange behind = vjp.getOutputs().drop_front();
  size_t numResults = plan.results.size();
  for (auto [i, buffer] : llvm::enumerate(plan.results)) {
    if (buffer)
      made.buffers.push_back(wide(behind[i]));
    else
      made.outputs.emplace_back(outputName(loss, i + 1), behind[i]);
  }
  ValueRange gradients = behind.drop_front(numResults);
  made.gradients = gather(
      entry,
      llvm::map_to_vector(gradients.take_front(plan.parameters.size()), wide));
  for (auto [input, gradient] :
       llvm::zip_equal(plan.inputs, gradients.take_back(plan.inputs.size())))
    made.outputs.emplace_back(
        inputGradient(entry, input, made.scale, wide(gradient)));
  return made;
}
