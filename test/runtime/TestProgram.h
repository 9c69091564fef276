// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program written by hand: linear regression with momentum, a 16-bit weight
/// copy and a loss scale, its kernels C++ functions. A batch with a non-finite
/// input is a skipped step.
#ifndef MPC_TEST_RUNTIME_TESTPROGRAM_H
#define MPC_TEST_RUNTIME_TESTPROGRAM_H

#include "runtime/Program/Commands.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Rounding.h"

#include <cmath>
#include <cstring>
#include <memory>

namespace mpc::rt::test {

constexpr int64_t kBatch = 4;
constexpr int64_t kFeatures = 3;

/// Where the state lies: slab 0 f32 weights and velocity, slab 1 f16 copy,
/// slab 2 f64 scalars, slab 3 gradient.
constexpr uint64_t kWeight = 0, kVelocity = 64, kScale = 0, kSteps = 64;

/// buffers: weight, weight copy. One chunk an element.
inline void narrowWeights(void *const *buffers, int64_t begin, int64_t end,
                          void *) {
  auto *weight = static_cast<const float *>(buffers[0]);
  auto *copy = static_cast<uint16_t *>(buffers[1]);
  for (int64_t i = begin; i < end; ++i)
    copy[i] = roundToF16(weight[i]);
}

/// buffers: x, target, weight copy, gradient, arena, loss.
template <int64_t Batch>
void forwardBackwardOf(void *const *buffers, int64_t, int64_t, void *scratch) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *target = static_cast<const float *>(buffers[1]);
  auto *copy = static_cast<const uint16_t *>(buffers[2]);
  auto *gradient = static_cast<float *>(buffers[3]);
  auto *loss = static_cast<float *>(buffers[5]);
  auto *sums = static_cast<float *>(scratch);
  std::memset(sums, 0, kFeatures * sizeof(float));
  *loss = 0;
  for (int64_t b = 0; b < Batch; ++b) {
    float error = -target[b];
    for (int64_t f = 0; f < kFeatures; ++f)
      error += x[b * kFeatures + f] * valueOfF16(copy[f]);
    *loss += error * error / Batch;
    for (int64_t f = 0; f < kFeatures; ++f)
      sums[f] += 2 * error * x[b * kFeatures + f] / Batch;
  }
  std::memcpy(gradient, sums, kFeatures * sizeof(float));
}
inline constexpr KernelFunction forwardBackward = forwardBackwardOf<kBatch>;

/// buffers: lr, weight, velocity, gradient, scale state, step count, weight
/// copy, outputs scale, found_inf, grad_norm, good_steps.
inline void update(void *const *buffers, int64_t, int64_t, void *) {
  float lr = *static_cast<const float *>(buffers[0]);
  auto *weight = static_cast<float *>(buffers[1]);
  auto *velocity = static_cast<float *>(buffers[2]);
  auto *gradient = static_cast<const float *>(buffers[3]);
  auto *scale = static_cast<double *>(buffers[4]); // scale, good steps
  auto *steps = static_cast<double *>(buffers[5]);
  auto *copy = static_cast<uint16_t *>(buffers[6]);
  double norm = 0;
  for (int64_t f = 0; f < kFeatures; ++f)
    norm += static_cast<double>(gradient[f]) * gradient[f];
  bool foundInf = !std::isfinite(norm);
  *static_cast<float *>(buffers[7]) = static_cast<float>(scale[0]);
  *static_cast<uint8_t *>(buffers[8]) = foundInf;
  *static_cast<double *>(buffers[9]) = std::sqrt(norm);
  scale[0] = foundInf ? scale[0] / 2 : scale[0];
  scale[1] = foundInf ? 0 : scale[1] + 1;
  *static_cast<double *>(buffers[10]) = scale[1];
  if (foundInf)
    return;
  *steps += 1;
  for (int64_t f = 0; f < kFeatures; ++f) {
    velocity[f] = 0.9f * velocity[f] + gradient[f];
    weight[f] -= lr * velocity[f];
    copy[f] = roundToF16(weight[f]);
  }
}

/// Puts code into the program's image that goes on in a function of this test.
/// The offset of that code.
inline uint64_t addCode(Program &program, KernelFunction function) {
  auto &target = std::get<CpuTarget>(program.target);
  std::span<const std::byte> earlier = target.image.view();
  std::vector<std::byte> image(earlier.begin(), earlier.end());
  size_t offset = image.size();
  // movabs $function, %rax; jmp *%rax
  image.resize(offset + 16, std::byte{0xcc});
  const uint8_t load[] = {0x48, 0xb8}, jump[] = {0xff, 0xe0};
  std::memcpy(image.data() + offset, load, sizeof load);
  std::memcpy(image.data() + offset + 2, &function, sizeof function);
  std::memcpy(image.data() + offset + 10, jump, sizeof jump);
  target.image = SharedBytes::of(std::move(image));
  return offset;
}

/// A kernel that is such a function.
inline std::shared_ptr<const Command> makeKernel(Program &program,
                                                 KernelFunction function,
                                                 int64_t chunks = 1,
                                                 uint64_t scratchBytes = 0) {
  return std::make_shared<HostKernel>(
      HostKernel::Place{addCode(program, function), chunks, scratchBytes});
}

template <int64_t Batch = kBatch>
std::shared_ptr<Program> makeTestProgram() {
  auto program = std::make_shared<Program>();
  program->slabs = {
      {"weights", 128}, {"copies", 64}, {"scalars", 128}, {"gradients", 64}};
  program->state = {
      {{"w", DType::F32, {kFeatures}}, StateRole::Parameter, 0, kWeight},
      {{"w/momentum", DType::F32, {kFeatures}},
       StateRole::Slot,
       0,
       kVelocity,
       false,
       "w",
       "momentum"},
      {{"w/f16", DType::F16, {kFeatures}},
       StateRole::LowPrecision,
       1,
       0,
       false,
       "w",
       "f16"},
      {{"loss_scale", DType::F64, {2}}, StateRole::LossScale, 2, kScale},
      {{"optimizer", DType::F64, {1}}, StateRole::Optimizer, 2, kSteps},
      {{"w/grad", DType::F32, {kFeatures}},
       StateRole::Gradient,
       3,
       0,
       false,
       "w",
       "grad"}};
  BufferRef weight{Space::State, 0, kWeight},
      velocity{Space::State, 0, kVelocity};
  BufferRef copy{Space::State, 1, 0}, gradient{Space::State, 3, 0};
  BufferRef scale{Space::State, 2, kScale}, steps{Space::State, 2, kSteps};

  Entry init;
  init.name = "init";
  init.role = EntryRole::Init;
  Launch narrow;
  narrow.symbol = "narrow";
  narrow.command = makeKernel(*program, narrowWeights, kFeatures);
  narrow.buffers = {weight, copy};
  init.launches = {narrow};

  Entry step;
  step.name = "step";
  step.role = EntryRole::Step;
  step.inputs = {{"x", DType::F32, {Batch, kFeatures}},
                 {"target", DType::F32, {Batch}},
                 {"lr", DType::F32, {}}};
  step.outputs = {{"loss", DType::F32, {}},
                  {"scale", DType::F32, {}},
                  {"found_inf", DType::Bool, {}},
                  {"grad_norm", DType::F64, {}},
                  {"good_steps", DType::F64, {}}};
  step.arenaBytes = 64;
  auto input = [](uint32_t i) { return BufferRef{Space::Input, i, 0}; };
  auto output = [](uint32_t i) { return BufferRef{Space::Output, i, 0}; };
  Launch backward;
  backward.symbol = "forward_backward";
  backward.command = makeKernel(*program, forwardBackwardOf<Batch>, 1,
                                kFeatures * sizeof(float));
  backward.buffers = {input(0), input(1), copy, gradient, {Space::Arena, 0, 0},
                      output(0)};
  Launch apply;
  apply.symbol = "update";
  apply.command = makeKernel(*program, update);
  apply.buffers = {input(2), weight,    velocity,  gradient,  scale,    steps,
                   copy,     output(1), output(2), output(3), output(4)};
  step.launches = {backward, apply};
  program->entries = {init, step};
  return program;
}

/// The entries of a window: the two launches of `step` apart. Gradients are not
/// added up, so that those of the last batch count.
struct WindowEntries {
  explicit WindowEntries(const Entry &step) : accumulate(step), apply(step) {
    accumulate.name = "accumulate";
    accumulate.role = EntryRole::Accumulate;
    accumulate.inputs.pop_back();
    accumulate.outputs.resize(1);
    accumulate.launches.pop_back();
    apply.name = "apply";
    apply.role = EntryRole::Apply;
    apply.inputs = {step.inputs[2]};
    apply.outputs.erase(apply.outputs.begin());
    apply.launches.erase(apply.launches.begin());
    for (BufferRef &ref : apply.launches[0].buffers)
      if (ref.space == Space::Input)
        ref.index = 0;
      else if (ref.space == Space::Output)
        --ref.index;
  }

  Entry accumulate, apply;
};

} // namespace mpc::rt::test

#endif // MPC_TEST_RUNTIME_TESTPROGRAM_H
