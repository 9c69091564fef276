// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program for tests of the C ABI, whose kernels are functions of the test,
/// and what they all do with it.
#ifndef MPC_TEST_CAPI_CAPITEST_H
#define MPC_TEST_CAPI_CAPITEST_H

#include "mpc-c/Checkpoints.h"
#include "mpc-c/Program.h"
#include "mpc-c/Runner.h"
#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Program/ProgramFile.h"
#include "test/runtime/TestProgram.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace mpc::test {

using rt::test::kBatch;
using rt::test::kFeatures;

/// Elements of the evaluation's result, each a chunk.
constexpr int64_t kGrid = 512;

/// buffers: x, label, weight, picked, grid. A chunk is an element of the grid,
/// and the first ones also of what is picked.
inline void evaluate(void *const *buffers, int64_t begin, int64_t end, void *) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *label = static_cast<const int64_t *>(buffers[1]);
  auto *weight = static_cast<const float *>(buffers[2]);
  auto *picked = static_cast<float *>(buffers[3]);
  auto *grid = static_cast<float *>(buffers[4]);
  for (int64_t i = begin; i < end; ++i) {
    grid[i] = x[0] / static_cast<float>(i + 3);
    if (i < kBatch)
      picked[i] = x[i * kFeatures + label[i]] * weight[label[i]];
  }
}

/// buffers: x, target, weight copy, gradient, arena, loss. Adds to the
/// gradient.
inline void addGradient(void *const *buffers, int64_t begin, int64_t end,
                        void *scratch) {
  float gradient[kFeatures];
  void *own[] = {buffers[0], buffers[1], buffers[2],
                 gradient,   buffers[4], buffers[5]};
  rt::test::forwardBackward(own, begin, end, scratch);
  for (int64_t f = 0; f < kFeatures; ++f)
    static_cast<float *>(buffers[3])[f] += gradient[f];
}

/// The program of TestProgram.h with an evaluation, a hyper-parameter and
/// bounds: that of a step of one batch.
inline std::shared_ptr<rt::Program> makeProgram() {
  using namespace rt;
  auto program = rt::test::makeTestProgram();
  auto &target = std::get<CpuTarget>(program->target);
  target.cpu = kHostLevel;
  target.machine = cpuIdentity();
  program->state[3].desc.name = "amp.loss_scale";
  program->state[4].desc.name = "amp.optimizer.step";
  std::vector<double> scalars(16);
  scalars[0] = 8;
  program->slabs[2].initial = SharedBytes::of(scalars);
  program->slabs.push_back({"numbers", 64});
  program->state.push_back({{"amp.hyper.beta1", DType::F64, {}},
                            StateRole::Hyperparameters,
                            4,
                            0,
                            false,
                            "",
                            "beta1"});
  program->bounds = {{"label", 0, kFeatures, -100}};
  program->recipe = "--precision=fp16";
  Entry eval;
  eval.name = "eval";
  eval.role = EntryRole::Eval;
  eval.inputs = {{"x", DType::F32, {kBatch, kFeatures}},
                 {"label", DType::I64, {kBatch}}};
  eval.outputs = {{"picked", DType::F32, {kBatch}},
                  {"grid", DType::F32, {kGrid}}};
  Launch launch;
  launch.symbol = "evaluate";
  launch.command = rt::test::makeKernel(*program, evaluate, kGrid);
  launch.buffers = {{Space::Input, 0, 0},
                    {Space::Input, 1, 0},
                    {Space::State, 0, 0},
                    {Space::Output, 0, 0},
                    {Space::Output, 1, 0}};
  launch.numRead = 3;
  eval.launches = {launch};
  program->entries.push_back(eval);
  return program;
}

/// The same with steps of `batches`, whose gradients are added.
inline std::shared_ptr<rt::Program> makeWindowProgram(int64_t batches) {
  using namespace rt;
  std::shared_ptr<rt::Program> program = makeProgram();
  program->protocol.accumulate = batches;
  auto [accumulate, apply] = rt::test::WindowEntries(program->entries[1]);
  // Of the same scratch memory as the kernel that it stands for.
  accumulate.launches[0].command = rt::test::makeKernel(
      *program, addGradient, 1, accumulate.launches[0].command->scratchBytes());
  Launch clear;
  clear.command = std::make_shared<Fill>();
  clear.symbol = "clear";
  clear.buffers = {{Space::State, 3, 0, 64}};
  apply.launches.push_back(clear);
  program->entries[1] = accumulate;
  program->entries.push_back(apply);
  return program;
}

inline std::string fileOf(std::shared_ptr<const rt::Program> program) {
  return *rt::encodeProgramFile({&program, 1});
}

/// What a call came to; its error is given back.
struct Outcome {
  MpcErrorCode code;
  std::string message;
};

inline Outcome outcomeOf(MpcError *error) {
  Outcome outcome{mpcErrorGetCode(error), mpcErrorGetMessage(error)};
  mpcErrorDestroy(error);
  return outcome;
}

#define EXPECT_SUCCESS(call)                                                   \
  do {                                                                         \
    mpc::test::Outcome mpcOutcome = mpc::test::outcomeOf(call);                \
    EXPECT_EQ(mpcOutcome.code, MPC_ERROR_NONE) << mpcOutcome.message;          \
  } while (false)

#define EXPECT_FAILURE(call, expectedCode, expectedMessage)                    \
  do {                                                                         \
    mpc::test::Outcome mpcOutcome = mpc::test::outcomeOf(call);                \
    EXPECT_EQ(mpcOutcome.code, expectedCode);                                  \
    EXPECT_EQ(mpcOutcome.message, expectedMessage);                            \
  } while (false)

/// A tensor of DLPack over memory that lives longer.
struct View {
  View(const void *data, DLDataType dtype, std::vector<int64_t> dims)
      : shape(std::move(dims)) {
    tensor.data = const_cast<void *>(data);
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = dtype;
    tensor.shape = shape.data();
  }
  View(const View &) = delete;
  operator const DLTensor *() const { return &tensor; }

  std::vector<int64_t> shape;
  DLTensor tensor = {};
};

inline constexpr DLDataType kF64Type = {kDLFloat, 64, 1};
inline constexpr DLDataType kF32Type = {kDLFloat, 32, 1};
inline constexpr DLDataType kF16Type = {kDLFloat, 16, 1};
inline constexpr DLDataType kI64Type = {kDLInt, 64, 1};

inline MpcProgram *load(const std::shared_ptr<const rt::Program> &program) {
  std::string file = fileOf(program);
  MpcProgram *loaded = nullptr;
  EXPECT_SUCCESS(
      mpcProgramLoadBytes(file.data(), file.size(), nullptr, &loaded));
  return loaded;
}

/// A runner and a batch of ones for it: with the weights zero, the gradient of
/// each is -2.
class Trained {
public:
  explicit Trained(std::shared_ptr<const rt::Program> of = makeProgram(),
                   MpcRunnerOptions options = {}) {
    options.structSize = sizeof options;
    program = load(of);
    EXPECT_SUCCESS(mpcRunnerCreate(program, &options, &runner));
    x.fill(1);
    target.fill(1);
  }
  ~Trained() {
    mpcRunnerDestroy(runner);
    mpcProgramDestroy(program);
  }
  Trained(const Trained &) = delete;

  void bind(double lr = 0.125) {
    EXPECT_SUCCESS(mpcRunnerBindInput(runner, "x", xView));
    EXPECT_SUCCESS(mpcRunnerBindInput(runner, "target", targetView));
    EXPECT_SUCCESS(mpcRunnerWriteNumber(runner, "lr", lr));
  }
  MpcStepResult step() {
    MpcStepResult result = {};
    result.structSize = sizeof result;
    EXPECT_SUCCESS(mpcRunnerStep(runner, &result));
    return result;
  }
  std::vector<float> weights() const { return state("w"); }
  std::vector<float> state(const char *name) const {
    std::vector<float> values(kFeatures);
    EXPECT_SUCCESS(mpcRunnerReadState(
        runner, name, View(values.data(), kF32Type, {kFeatures})));
    return values;
  }
  double number(const char *name) const {
    double value = -1;
    EXPECT_SUCCESS(mpcRunnerReadNumber(runner, name, &value));
    return value;
  }

  MpcProgram *program = nullptr;
  MpcRunner *runner = nullptr;
  alignas(64) std::array<float, kBatch * kFeatures> x;
  alignas(64) std::array<float, kBatch> target;
  alignas(64) std::array<int64_t, kBatch> label{};
  View xView{x.data(), kF32Type, {kBatch, kFeatures}};
  View targetView{target.data(), kF32Type, {kBatch}};
  View labelView{label.data(), kI64Type, {kBatch}};
};

} // namespace mpc::test

#endif // MPC_TEST_CAPI_CAPITEST_H
