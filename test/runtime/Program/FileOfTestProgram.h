// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The program of TestProgram.h, with something in every field, as a file.
#ifndef MPC_TEST_RUNTIME_PROGRAM_FILEOFTESTPROGRAM_H
#define MPC_TEST_RUNTIME_PROGRAM_FILEOFTESTPROGRAM_H

#include "runtime/Program/ProgramFile.h"
#include "test/runtime/TestProgram.h"

namespace mpc::rt::test {

inline std::shared_ptr<Program> makeFullProgram(const std::string &cpu) {
  std::shared_ptr<Program> program = makeTestProgram();
  std::get<CpuTarget>(program->target).cpu = cpu;
  std::vector<double> scalars(16);
  scalars[0] = 8;
  program->slabs[2].initial = SharedBytes::of(scalars);
  program->state[3].hasWideScale = true;
  // Neither follows from the tensor's name.
  program->state[1].key = "velocity";
  program->state[4].owner = "critic";
  program->state[4].key = "step";
  program->bounds = {{"target", -3, 10, -100, {1}, {2}}, {"ids", 0, 7}};
  // Of more than a page, and the same in both places.
  std::vector<float> table(3000, 0.5f);
  program->constants = {{"table", SharedBytes::of(table)},
                        {"again", SharedBytes::of(table)}};
  program->initialValues = {
      {{"w", DType::F16, {kFeatures}},
       InitialKind::Values,
       0,
       0,
       SharedBytes::of<uint16_t>({0x3c00, 0x4000, 0x4200})},
      {{"w/momentum", DType::F32, {kFeatures}},
       InitialKind::Uniform,
       0.125,
       3}};
  program->protocol = {.accumulate = 4,
                       .keepState = true,
                       .floorName = "critic.min_scale",
                       .callerUpdates = {{"w", "grad.w"}},
                       .rule = "optimizer<sgd>"};
  program->runDefaults = {{"--lr", "0.5"}};
  program->entries[1].mode = ModelMode::Training;
  program->recipe = "--precision=fp16";
  program->warnings = {"nothing to fear"};
  program->start = {{{"model.onnx", "0123"}, {"model.safetensors", ""}},
                    {{"--beta1", "beta1", 0.75}}};
  return program;
}

inline std::string encodeTestProgram() {
  ProgramVariants programs = {makeFullProgram("x86-64-v3"),
                              makeFullProgram("x86-64-v4")};
  return *encodeProgramFile(programs);
}

inline SharedBytes bytesOf(const std::string &text) {
  return SharedBytes::of(std::vector<char>(text.begin(), text.end()));
}

} // namespace mpc::rt::test

#endif // MPC_TEST_RUNTIME_PROGRAM_FILEOFTESTPROGRAM_H
