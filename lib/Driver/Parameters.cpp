// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First values of parameters.
#include "lib/Driver/Parameters.h"

#include "dialects/AMP/RandomState.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;

/// Whether the run's seed sets the hyper-parameter.
static bool isSeed(llvm::StringRef name) {
  return name == "rounding_seed" || name == amp::kRandomSeed;
}

static rt::InitialKind kindOf(llvm::StringRef name) {
  return llvm::StringSwitch<rt::InitialKind>(name)
      .Case("ones", rt::InitialKind::Ones)
      .Case("uniform", rt::InitialKind::Uniform)
      .Case("normal", rt::InitialKind::Normal)
      .Case("external", rt::InitialKind::External)
      .Default(rt::InitialKind::Zeros);
}

static const ModelTensor *find(const ImportedModel &model,
                               const std::string &name) {
  for (const ModelTensor &value : model.parameters)
    if (value.desc.name == name)
      return &value;
  return nullptr;
}

/// The first value that the module states, without the model's values.
static rt::InitialValue readInitializer(nn::ParameterOp parameter) {
  nn::InitAttr init = parameter.getInit();
  rt::InitialValue value;
  value.desc.name = nn::nameOf(parameter.getSymName());
  value.kind = kindOf(init.getKind());
  value.argument = init.getArgument().convertToDouble();
  return value;
}

std::vector<rt::InitialValue> mpc::takeInitialValues(ImportedModel &model) {
  auto storage = std::make_shared<ModelStorage>(std::move(model.storage));
  std::vector<rt::InitialValue> values;
  for (auto parameter : model.module->getOps<nn::ParameterOp>()) {
    rt::InitialValue value = readInitializer(parameter);
    value.stream = values.size();
    if (const ModelTensor *own = find(model, value.desc.name)) {
      value.kind = rt::InitialKind::Values;
      value.desc = own->desc;
      std::span<const char> bytes(own->bytes.data(), own->bytes.size());
      value.values = {storage, std::as_bytes(bytes)};
    }
    values.push_back(std::move(value));
  }
  return values;
}

void mpc::setInitialValues(rt::Program &program,
                           const std::vector<rt::InitialValue> &values) {
  for (rt::InitialValue value : values) {
    const rt::StateTensor *tensor = program.findState(value.desc.name);
    if (!tensor)
      continue; // The program does not use the parameter.
    if (value.kind != rt::InitialKind::Values)
      value.desc = tensor->desc;
    program.initialValues.push_back(std::move(value));
  }
}

void mpc::drawBySeed(rt::Program &program) {
  for (const rt::StateTensor &tensor : program.state) {
    if (tensor.role != rt::StateRole::Hyperparameters || !isSeed(tensor.key))
      continue;
    rt::InitialValue value;
    value.desc = tensor.desc;
    value.kind = rt::InitialKind::Seed;
    program.initialValues.push_back(std::move(value));
  }
}

/// The first dimension of argument `index`; 0 where that is no batch.
static int64_t batchOf(mlir::func::FuncOp function, unsigned index,
                       llvm::ArrayRef<std::string> shared) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(
      function.getArgumentTypes()[index]);
  auto name = function.getArgAttrOfType<mlir::StringAttr>(index, "nn.name");
  bool isShared = name && llvm::is_contained(shared, name.getValue());
  return tensor && tensor.getRank() > 0 && !isShared ? tensor.getDimSize(0) : 0;
}

rt::Result<int64_t> mpc::checkBatchSize(ImportedModel &model, int64_t wanted,
                                        llvm::ArrayRef<std::string> shared) {
  auto function =
      model.module->lookupSymbol<mlir::func::FuncOp>(nn::kModelFunction);
  if (!function)
    return rt::invalidInput("the model has no function @model");
  int64_t batch = 0;
  for (unsigned i = 0; batch == 0 && i < function.getNumArguments(); ++i)
    batch = batchOf(function, i, shared);
  if (wanted != 0 && batch != 0 && wanted != batch)
    return rt::usageError("--batch-size=" + std::to_string(wanted) +
                          ": the model is fixed to batches of " +
                          std::to_string(batch));
  return batch;
}

std::vector<std::string> mpc::batchInputs(ImportedModel &model,
                                          llvm::ArrayRef<std::string> shared) {
  std::vector<std::string> names;
  auto function =
      model.module->lookupSymbol<mlir::func::FuncOp>(nn::kModelFunction);
  for (unsigned i = 0; function && i < function.getNumArguments(); ++i)
    if (mlir::StringAttr name = nn::getArgumentName(function.getArgument(i));
        name && batchOf(function, i, shared) != 0)
      names.push_back(name.str());
  return names;
}
