// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First values of the state: the program's, random ones, those of a file.
#include "runtime/Train/InitialWeights.h"

#include "runtime/Program/StateRecord.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Random.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Text.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>

namespace mpc::rt {
namespace {

bool isWeight(const StateTensor *tensor) {
  return tensor && (tensor->role == StateRole::Parameter ||
                    tensor->role == StateRole::Buffer ||
                    tensor->role == StateRole::Pending);
}

/// Whether the tensor is PyTorch's count of batches in a batch normalization,
/// with which no model computes.
bool countsBatches(const TensorDesc &desc) {
  std::string_view name = desc.name;
  return name.substr(name.rfind('.') + 1) == "num_batches_tracked";
}

/// Whether the model has one parameter for `tensor` and another tensor of
/// `file` with the same values.
bool repeatsTied(const Program &program, const SafetensorsFile &file,
                 const TensorView &tensor) {
  auto tied = program.tied.find(tensor.desc.name);
  const TensorView *read =
      tied == program.tied.end() ? nullptr : file.find(tied->second);
  return read && read->desc.dtype == tensor.desc.dtype &&
         read->desc.shape == tensor.desc.shape &&
         std::memcmp(read->data, tensor.data, tensor.desc.numBytes()) == 0;
}

/// Uniform in [0, 1), on a grid of 2^-53.
double uniform01(Random &random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

/// Mean 0, deviation 1 (Box and Muller, 1958).
double normal(Random &random) {
  double radius = std::sqrt(-2.0 * std::log(1.0 - uniform01(random)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform01(random));
}

double draw(const InitialValue &initial, Random &random) {
  switch (initial.kind) {
  case InitialKind::Uniform:
    return initial.argument * (2.0 * uniform01(random) - 1.0);
  case InitialKind::Normal:
    return initial.argument * normal(random);
  case InitialKind::Ones:
    return 1.0;
  default:
    return 0.0;
  }
}

/// Writes a tensor of a file that is mostly not read again: the copy in the
/// state is the one that a step uses.
Status writeOnce(Runner &runner, const TensorView &tensor) {
  Status status = runner.writeState(tensor);
  MappedFile::giveBack(
      {static_cast<const std::byte *>(tensor.data), tensor.desc.numBytes()});
  return status;
}

/// Draws values. Each tensor has its own stream, so that an additional tensor
/// does not change the others.
Status writeDrawn(Runner &runner, const InitialValue &initial, uint64_t seed) {
  Random random(seed, initial.stream);
  std::vector<float> values(static_cast<size_t>(initial.desc.numElements()));
  for (float &value : values)
    value = static_cast<float>(draw(initial, random));
  return runner.writeState(
      {{initial.desc.name, DType::F32, initial.desc.shape}, values.data()});
}

/// Writes the seed. It is state and an f64, so that 53 bits of it count.
Status writeSeed(Runner &runner, const InitialValue &initial, uint64_t seed) {
  constexpr uint64_t kMask = (uint64_t{1} << 53) - 1;
  auto value = static_cast<double>((seed ^ (seed >> 53)) & kMask);
  return runner.writeState(
      {{initial.desc.name, DType::F64, initial.desc.shape}, &value});
}

Status writeInitial(Runner &runner, const InitialValue &initial,
                    uint64_t seed) {
  switch (initial.kind) {
  case InitialKind::External:
    return invalidInput("parameter " + quote(initial.desc.name) +
                        " has no value: give one with --init=FILE");
  case InitialKind::Values:
    return writeOnce(runner, {initial.desc, initial.values.data()});
  case InitialKind::Seed:
    return writeSeed(runner, initial, seed);
  default:
    return writeDrawn(runner, initial, seed);
  }
}

} // namespace

Result<std::vector<std::string>> drawState(Runner &runner, uint64_t seed) {
  std::vector<std::string> missing;
  for (const InitialValue &initial : runner.program().initialValues)
    if (runner.sharesState(initial.desc.name))
      continue;
    else if (initial.kind == InitialKind::External)
      missing.push_back(initial.desc.name);
    else
      MPC_RETURN_IF_ERROR(writeInitial(runner, initial, seed));
  MPC_RETURN_IF_ERROR(runner.deriveAlone());
  return missing;
}

Status initializeState(Runner &runner, const std::string &initFile,
                       uint64_t seed) {
  std::optional<SafetensorsFile> file;
  if (!initFile.empty()) {
    MPC_ASSIGN_OR_RETURN(file, SafetensorsFile::open(initFile));
  }
  for (const InitialValue &initial : runner.program().initialValues) {
    bool isGiven = file && initial.kind != InitialKind::Seed;
    const TensorView *given = isGiven ? file->find(initial.desc.name) : nullptr;
    Status status = given ? writeOnce(runner, *given).withContext(initFile)
                          : writeInitial(runner, initial, seed);
    MPC_RETURN_IF_ERROR(status);
  }
  return runner.deriveAlone();
}

Status initializeAverages(Runner &runner, const std::string &initFile) {
  if (initFile.empty())
    return usageError("--ema needs a checkpoint: --init=FILE");
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(initFile));
  MPC_ASSIGN_OR_RETURN(StateRecord record, readStateRecord(file));
  std::map<std::string_view, const TensorView *> averages;
  for (const auto &[name, tensor] : record)
    if (tensor.role == StateRole::Average)
      averages[tensor.owner] = file.find(name);
  bool found = false;
  for (const InitialValue &initial : runner.program().initialValues) {
    auto average = averages.find(initial.desc.name);
    if (average == averages.end())
      continue;
    TensorView view = *average->second;
    view.desc.name = initial.desc.name;
    MPC_RETURN_IF_ERROR(runner.writeState(view).withContext(initFile));
    found = true;
  }
  if (!found)
    return invalidInput(escape(initFile) +
                        ": holds no average of a parameter; --ema is for "
                        "checkpoints of a training with --ema");
  return runner.deriveAlone();
}

Result<InitialWeightsReport> loadInitialWeights(Runner &runner,
                                                const std::string &path) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  InitialWeightsReport report;
  for (const TensorView &tensor : file.tensors()) {
    if (!isWeight(runner.program().findState(tensor.desc.name))) {
      if (!countsBatches(tensor.desc) &&
          !repeatsTied(runner.program(), file, tensor))
        report.unused.push_back(tensor.desc.name);
      continue;
    }
    Status status = writeOnce(runner, tensor);
    if (!status.ok())
      return status.withContext(escape(path));
    report.loaded.push_back(tensor.desc.name);
  }
  std::vector<std::string> known;
  for (const StateTensor &tensor : runner.program().state) {
    if (isWeight(&tensor))
      known.push_back(quote(tensor.desc.name));
    if (tensor.role == StateRole::Parameter && !file.find(tensor.desc.name))
      report.missing.push_back(tensor.desc.name);
  }
  if (report.loaded.empty())
    return invalidInput(fmt::format(
        "{}: holds none of the model's weights: the file has {}; the model "
        "has {}",
        escape(path), file.describe(), joinSome(known)));
  MPC_RETURN_IF_ERROR(runner.deriveAlone());
  return report;
}

} // namespace mpc::rt
