// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each launch of a program's training step takes on the GPU at hand, as
// JSON: the medians of some runs, in milliseconds, in the order of the
// launches.
#include "runtime/Program/ProgramFile.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Runner/CudaExecutor.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Runner/ProgramChoice.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/InitialWeights.h"
#include "runtime/Train/StepCalls.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace mpc::rt;

namespace {

/// Runs that do not count: clocks rise, and pages come.
constexpr int kWarmUp = 3;

Result<std::unique_ptr<Runner>> makeRunner(const char *path) {
  MPC_ASSIGN_OR_RETURN(ProgramVariants programs, readProgramFile(path));
  MPC_ASSIGN_OR_RETURN(cuda::ContextRef device, openCuda());
  MPC_ASSIGN_OR_RETURN(
      std::shared_ptr<const Program> program,
      chooseCudaProgram(programs, device->info().capability.number()));
  if (!program->findEntry(EntryRole::Step))
    return invalidInput("holds no step of one batch");
  MPC_ASSIGN_OR_RETURN(auto runner, Runner::create(program, {1}));
  MPC_RETURN_IF_ERROR(initializeState(*runner, "", 1));
  return runner;
}

/// By launch, the times of the runs that count.
Result<std::vector<std::vector<float>>> timesOf(Runner &runner,
                                                const char *data, int runs) {
  const Program &program = runner.program();
  std::vector<TensorDesc> wanted = dataInputs(program);
  MPC_ASSIGN_OR_RETURN(
      DataLoader loader,
      DataLoader::open({{data}, SampleOrder::Sequential, 0, program.bounds},
                       wanted));
  MPC_RETURN_IF_ERROR(loader.next());
  float lr = 1e-4F;
  const Entry &step = *program.findEntry(EntryRole::Step);
  std::vector<const void *> inputs;
  for (const TensorDesc &input : step.inputs) {
    auto is = [&](const TensorDesc &desc) { return desc.name == input.name; };
    auto place = std::find_if(wanted.begin(), wanted.end(), is);
    inputs.push_back(place == wanted.end() ? static_cast<const void *>(&lr)
                                           : loader.batch(static_cast<size_t>(
                                                 place - wanted.begin())));
  }
  std::vector<std::vector<float>> times(step.launches.size());
  for (int run = -kWarmUp; run < runs; ++run) {
    MPC_ASSIGN_OR_RETURN(
        std::vector<float> found,
        runner.timeLaunches(*runner.findEntry(step.name), inputs));
    for (size_t i = 0; run >= 0 && i < found.size(); ++i)
      times[i].push_back(found[i]);
  }
  return times;
}

float medianOf(std::vector<float> values) {
  auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Status measure(const char *path, const char *data, int runs) {
  MPC_ASSIGN_OR_RETURN(auto runner, makeRunner(path));
  MPC_ASSIGN_OR_RETURN(auto times, timesOf(*runner, data, runs));
  nlohmann::json medians = nlohmann::json::array();
  for (const std::vector<float> &launch : times)
    medians.push_back(medianOf(launch));
  std::printf("%s\n", medians.dump().c_str());
  return {};
}

} // namespace

int main(int argc, char **argv) {
  int runs = argc == 4 ? std::atoi(argv[3]) : 0;
  if (runs < 1) {
    std::fprintf(stderr,
                 "usage: kernel-times STEP.mpc DATA.safetensors RUNS\n");
    return static_cast<int>(StatusCode::Usage);
  }
  Status status = measure(argv[1], argv[2], runs);
  if (!status.ok())
    std::fprintf(stderr, "kernel-times: error: %s: %s\n", argv[1],
                 status.message().c_str());
  return static_cast<int>(status.code());
}
