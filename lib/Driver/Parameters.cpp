// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First values of parameters.
#include "lib/Driver/Parameters.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/Support/Random.h"
#include "runtime/Support/Text.h"

#include <cmath>

using namespace mpc;

std::vector<ParameterInit> mpc::listParameterInits(mlir::ModuleOp module) {
  std::vector<ParameterInit> inits;
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    nn::InitAttr init = parameter.getInit();
    inits.push_back({parameter.getSymName().str(), init.getKind().str(),
                     init.getArgument().convertToDouble()});
  }
  return inits;
}

/// Uniform in [0, 1), on a grid of 2^-53.
static double uniform01(rt::Random &random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

/// Mean 0, deviation 1 (Box and Muller, 1958).
static double normal(rt::Random &random) {
  double radius = std::sqrt(-2.0 * std::log(1.0 - uniform01(random)));
  return radius * std::cos(2.0 * M_PI * uniform01(random));
}

static double draw(const ParameterInit &init, rt::Random &random) {
  if (init.kind == "uniform")
    return init.argument * (2.0 * uniform01(random) - 1.0);
  if (init.kind == "normal")
    return init.argument * normal(random);
  return init.kind == "ones" ? 1.0 : 0.0;
}

/// Sets parameter `index` as its initializer says: a stream of its own, so
/// that one more parameter changes no other.
static rt::Status fill(rt::Runner &runner, const ParameterInit &init,
                       size_t index, uint64_t seed) {
  const rt::StateTensor *tensor = runner.program().findState(init.name);
  if (!tensor)
    return {}; // The program does not use it.
  rt::Random random(seed, index);
  std::vector<float> values(tensor->desc.numElements());
  for (float &value : values)
    value = static_cast<float>(draw(init, random));
  return runner.writeState(
      {{init.name, rt::DType::F32, tensor->desc.shape}, values.data()});
}

static const onnx::ParameterValue *find(const ImportedModel &model,
                                        const std::string &name) {
  for (const onnx::ParameterValue &value : model.parameters)
    if (value.name == name)
      return &value;
  return nullptr;
}

rt::Status mpc::initializeParameters(rt::Runner &runner,
                                     const ImportedModel &model,
                                     const std::vector<ParameterInit> &inits,
                                     const std::string &initFile,
                                     uint64_t seed) {
  std::optional<rt::SafetensorsFile> file;
  if (!initFile.empty()) {
    MPC_ASSIGN_OR_RETURN(file, rt::SafetensorsFile::open(initFile));
  }
  for (size_t index = 0; index < inits.size(); ++index) {
    const ParameterInit &init = inits[index];
    if (!runner.program().findState(init.name))
      continue;
    const rt::TensorView *given = file ? file->find(init.name) : nullptr;
    const onnx::ParameterValue *own = find(model, init.name);
    if (given) {
      rt::Status status = runner.writeState(*given);
      if (!status.ok())
        return status.withContext(initFile);
    } else if (own) {
      MPC_RETURN_IF_ERROR(runner.writeState(viewOf(*own)));
    } else if (init.kind == "external") {
      return rt::invalidInput("parameter " + rt::quote(init.name) +
                              " has no value: give one with --init=FILE");
    } else {
      MPC_RETURN_IF_ERROR(fill(runner, init, index, seed));
    }
  }
  return runner.derive();
}

rt::Status mpc::initializeAverages(rt::Runner &runner,
                                   const std::vector<ParameterInit> &inits,
                                   const std::string &initFile) {
  if (initFile.empty())
    return rt::usageError("--ema needs a checkpoint: --init=FILE");
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile file,
                       rt::SafetensorsFile::open(initFile));
  bool found = false;
  for (const ParameterInit &init : inits) {
    const rt::TensorView *average = file.find(init.name + "/ema");
    if (!average || !runner.program().findState(init.name))
      continue;
    rt::TensorView view = *average;
    view.desc.name = init.name;
    rt::Status status = runner.writeState(view);
    if (!status.ok())
      return status.withContext(initFile);
    found = true;
  }
  if (!found)
    return rt::invalidInput(rt::escape(initFile) +
                            ": holds no average of a parameter; --ema is for "
                            "checkpoints of a training with --ema");
  return runner.derive();
}

rt::Result<int64_t> mpc::checkBatchSize(ImportedModel &model, int64_t wanted) {
  auto function = model.module->lookupSymbol<mlir::func::FuncOp>("model");
  if (!function)
    return rt::invalidInput("the model has no function @model");
  int64_t batch = 0;
  for (mlir::Type type : function.getArgumentTypes()) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (tensor && tensor.getRank() > 0 && batch == 0)
      batch = tensor.getDimSize(0);
  }
  if (wanted != 0 && batch != 0 && wanted != batch)
    return rt::usageError("--batch-size=" + std::to_string(wanted) +
                          ": the model is fixed to batches of " +
                          std::to_string(batch));
  return batch;
}
