// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs of known durations, as an executor would tell them.
#ifndef MPC_TEST_RUNTIME_PROFILE_RECORDEDRUNS_H
#define MPC_TEST_RUNTIME_PROFILE_RECORDEDRUNS_H

#include "runtime/Profile/LaunchRecorder.h"
#include "runtime/Program/Commands.h"

#include <memory>
#include <vector>

namespace mpc::rt::test {

/// An entry "step" of two launches: a contraction of 6 MFLOP that reads 1,000
/// bytes in two buffers and writes 500, by the instruction `unit`, and a copy
/// of 100 bytes.
inline std::shared_ptr<const Program>
makeRecordedProgram(const std::string &unit = {}) {
  auto program = std::make_shared<Program>();
  Launch product;
  product.symbol = "fc";
  product.sources = "fc1, \"relu\"";
  product.numRead = 2;
  product.buffers = {{Space::Arena, 0, 0, 600},
                     {Space::Arena, 0, 600, 400},
                     {Space::Arena, 0, 1000, 500}};
  product.command = std::make_shared<HostKernel>(
      HostKernel::Place{}, KernelWork{"contraction", 6'000'000, unit});
  Launch copy;
  copy.symbol = "copy";
  copy.numRead = 1;
  copy.buffers = {{Space::Arena, 0, 0, 100}, {Space::Arena, 0, 100, 100}};
  copy.command = std::make_shared<Copy>();
  Entry step;
  step.name = "step";
  step.role = EntryRole::Step;
  step.launches = {product, copy};
  program->entries = {step};
  return program;
}

/// Tells of a run that begins at `now`: the product takes `product`, in which
/// worker 0 is busy all the time and worker 1 in its second half; 1,000 ns
/// later the copy takes 2,000, by worker 0 alone, and the run ends 500 after
/// it.
inline void record(LaunchRecorder &recorder,
                   const std::shared_ptr<const Program> &program,
                   Nanoseconds now, Nanoseconds product) {
  recorder.beginRun(program, 0, now);
  Nanoseconds end = now + product;
  std::vector<WorkerTime> workers = {{now, end, product},
                                     {now + product / 2, end, product / 2}};
  recorder.addLaunch(0, {now, end, workers});
  Nanoseconds copy = end + 1000;
  workers = {{copy, copy + 2000, 2000}, {}};
  recorder.addLaunch(1, {copy, copy + 2000, workers});
  recorder.endRun(copy + 2500);
}

} // namespace mpc::rt::test

#endif // MPC_TEST_RUNTIME_PROFILE_RECORDEDRUNS_H
