// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each launch of a program's training step takes on the GPU at hand, as
// JSON: the medians of some runs, in milliseconds, in the order of the
// launches.
#include "runtime/Profile/Profile.h"
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

/// The profile of the runs that count.
Result<Profile> profileOf(Runner &runner, const char *data, int runs) {
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
  MPC_ASSIGN_OR_RETURN(EntryCall call, EntryCall::create(runner, step));
  for (size_t i = 0; i < inputs.size(); ++i)
    call.setInput(i, inputs[i]);
  LaunchRecorder recorder(0);
  for (int run = -kWarmUp; run < runs; ++run) {
    runner.observe(run < 0 ? nullptr : &recorder);
    MPC_RETURN_IF_ERROR(call.run());
  }
  return makeProfile(recorder, {});
}

Status measure(const char *path, const char *data, int runs) {
  MPC_ASSIGN_OR_RETURN(auto runner, makeRunner(path));
  MPC_ASSIGN_OR_RETURN(Profile profile, profileOf(*runner, data, runs));
  std::vector<double> medians(profile.launches.size());
  for (const LaunchProfile &launch : profile.launches)
    medians[launch.launch] = launch.medianMs;
  std::printf("%s\n", nlohmann::json(medians).dump().c_str());
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
