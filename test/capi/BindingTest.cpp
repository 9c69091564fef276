// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of others: which are taken, how long, and which are refused.
#include "test/capi/CAPITest.h"

#include <functional>

namespace mpc::test {
namespace {

TEST(CAPIBinding, ReadsAndWritesTheCallersMemory) {
  Trained trained;
  trained.bind();
  float loss = -1;
  EXPECT_SUCCESS(
      mpcRunnerBindOutput(trained.runner, "loss", View(&loss, kF32Type, {})));
  MpcStepResult result = trained.step();
  // Weights are zero: the mean of the squared targets.
  EXPECT_EQ(loss, 1);
  EXPECT_EQ(result.loss, 1);
  EXPECT_EQ(trained.weights(), std::vector<float>(kFeatures, 0.25f));
  trained.target.fill(3);
  trained.step();
  EXPECT_EQ(loss, 5.0625f); // (0.75 - 3)^2
  // Unbound, it is written elsewhere.
  EXPECT_SUCCESS(mpcRunnerUnbindOutput(trained.runner, "loss"));
  loss = -1;
  trained.step();
  EXPECT_EQ(loss, -1);
}

TEST(CAPIBinding, HasTheRateOfTheFileUntilOneIsWritten) {
  auto program = makeProgram();
  program->runDefaults = {{"--lr", "0.25"}, {"--steps", "3"}};
  Trained trained(program);
  EXPECT_EQ(trained.number("lr"), 0.25);
  EXPECT_SUCCESS(mpcRunnerBindInput(trained.runner, "x", trained.xView));
  EXPECT_SUCCESS(
      mpcRunnerBindInput(trained.runner, "target", trained.targetView));
  trained.step();
  EXPECT_EQ(trained.weights(), std::vector<float>(kFeatures, 0.5f));
  EXPECT_SUCCESS(mpcRunnerWriteNumber(trained.runner, "lr", 0));
  trained.step();
  EXPECT_EQ(trained.weights(), std::vector<float>(kFeatures, 0.5f));

  program->runDefaults = {{"--lr", "0.25x"}};
  MpcProgram *wrong = load(program);
  MpcRunner *runner = nullptr;
  EXPECT_FAILURE(mpcRunnerCreate(wrong, nullptr, &runner),
                 MPC_ERROR_INVALID_INPUT,
                 "manifest: the run's --lr is '0.25x', which is not a number");
  mpcProgramDestroy(wrong);
}

TEST(CAPIBinding, TakesWhatIsAlignedAsItsElementsAndHasAnOffset) {
  Trained aligned, shifted;
  aligned.bind();
  shifted.bind();
  std::array<float, kBatch * kFeatures + 3> memory;
  memory.fill(1);
  View view(memory.data(), kF32Type, {kBatch, kFeatures});
  view.tensor.byte_offset = 12;
  // Of a dimension of one element the stride says nothing.
  int64_t strides[] = {kFeatures, 1};
  view.tensor.strides = strides;
  EXPECT_SUCCESS(mpcRunnerBindInput(shifted.runner, "x", view));
  aligned.x[5] = memory[8] = 0.375f;
  aligned.step();
  shifted.step();
  EXPECT_EQ(aligned.weights(), shifted.weights());
}

TEST(CAPIBinding, RefusesWhatDoesNotFit) {
  Trained t;
  auto refuses = [&](const DLTensor *tensor, const std::string &message) {
    EXPECT_FAILURE(mpcRunnerBindInput(t.runner, "x", tensor),
                   MPC_ERROR_INVALID_INPUT, message);
  };
  refuses(View(t.x.data(), kF64Type, {kBatch, kFeatures}),
          "input 'x': expected f32[4x3], found f64[4x3]");
  refuses(View(t.x.data(), kF32Type, {kFeatures, kBatch}),
          "input 'x': expected f32[4x3], found f32[3x4]");
  refuses(View(t.x.data(), {kDLFloat, 32, 4}, {kBatch, kFeatures}),
          "tensor 'x' has elements of DLPack's code 2 with 32 bits and 4 "
          "lanes, which mpc does not support");
  auto changed = [&](const std::function<void(DLTensor &)> &change,
                     const std::string &message) {
    View view(t.x.data(), kF32Type, {kBatch, kFeatures});
    change(view.tensor);
    refuses(view, "tensor 'x' " + message);
  };
  changed([](DLTensor &x) { x.device.device_type = DLDeviceType(4); },
          "lies in memory of device type 4, neither of a CPU nor of an NVIDIA "
          "GPU");
  View onDevice(t.x.data(), kF32Type, {kBatch, kFeatures});
  onDevice.tensor.device = {kDLCUDA, 0};
  EXPECT_FAILURE(mpcRunnerBindInput(t.runner, "x", onDevice), MPC_ERROR_USAGE,
                 "tensor 'x', which lies on cuda:0: the program runs on a CPU, "
                 "and has no memory of a GPU");
  EXPECT_FAILURE(mpcRunnerWriteState(t.runner, "w", onDevice),
                 MPC_ERROR_INVALID_INPUT,
                 "tensor 'w' lies in memory of a GPU, and must lie in a CPU's");
  changed([](DLTensor &x) { x.ndim = -1; }, "has no shape");
  changed([](DLTensor &x) { x.shape = nullptr; }, "has no shape");
  changed([](DLTensor &x) { x.data = nullptr; }, "has no memory");
  changed([](DLTensor &x) { x.byte_offset = 2; },
          "is not aligned to its elements of 4 bytes");
  changed([](DLTensor &x) { x.byte_offset = ~uint64_t(0); },
          "has an offset larger than any memory");
  changed([](DLTensor &x) { x.shape[0] = -4; }, "is larger than any memory");
  changed([](DLTensor &x) { x.shape[0] = int64_t(1) << 62; },
          "is larger than any memory");
  int64_t columns[] = {1, kBatch};
  changed([&](DLTensor &x) { x.strides = columns; },
          "is not row-major without gaps: copy it first");
  EXPECT_FAILURE(mpcRunnerBindInput(t.runner, "y", t.xView),
                 MPC_ERROR_INVALID_INPUT, "the program has no input 'y'");
  EXPECT_FAILURE(mpcRunnerBindOutput(t.runner, "x", t.xView),
                 MPC_ERROR_INVALID_INPUT, "the program has no output 'x'");
  EXPECT_FAILURE(mpcRunnerUnbindInput(t.runner, "x"), MPC_ERROR_USAGE,
                 "no memory is bound to input 'x'");
}

TEST(CAPIBinding, WhatARunWritesIsApartFromAllElse) {
  Trained t;
  t.bind();
  View inside(&t.x[3], kF32Type, {});
  EXPECT_FAILURE(mpcRunnerBindOutput(t.runner, "loss", inside),
                 MPC_ERROR_INVALID_INPUT,
                 "output 'loss' overlaps the memory of input 'x'");
  float numbers[2] = {};
  View first(numbers, kF32Type, {});
  EXPECT_SUCCESS(mpcRunnerBindOutput(t.runner, "loss", first));
  EXPECT_SUCCESS(mpcRunnerBindOutput(t.runner, "loss", first));
  EXPECT_FAILURE(mpcRunnerBindOutput(t.runner, "scale", first),
                 MPC_ERROR_INVALID_INPUT,
                 "output 'scale' overlaps the memory of output 'loss'");
  EXPECT_FAILURE(mpcRunnerBindInput(t.runner, "lr", first),
                 MPC_ERROR_INVALID_INPUT,
                 "input 'lr' overlaps the memory of output 'loss'");
  DLManagedTensorVersioned *own = nullptr;
  EXPECT_SUCCESS(mpcRunnerShareState(t.runner, "w", &own));
  View weight(own->dl_tensor.data, kF32Type, {});
  EXPECT_FAILURE(mpcRunnerBindInput(t.runner, "lr", weight),
                 MPC_ERROR_INVALID_INPUT,
                 "input 'lr' lies in the runner's own memory");
  own->deleter(own);
}

/// Counts how often it was given back.
template <typename Managed>
struct Counted {
  explicit Counted(const DLTensor &tensor) {
    managed.dl_tensor = tensor;
    managed.manager_ctx = &deleted;
    managed.deleter = [](Managed *self) {
      ++*static_cast<int *>(self->manager_ctx);
    };
  }
  Managed managed = {};
  int deleted = 0;
};

TEST(CAPIBinding, ManagedTensorsAreGivenBackOnce) {
  Counted<DLManagedTensorVersioned> *last = nullptr;
  Counted<DLManagedTensor> old{{}};
  {
    Trained t;
    t.bind();
    auto *first = new Counted<DLManagedTensorVersioned>(t.xView.tensor);
    last = new Counted<DLManagedTensorVersioned>(t.xView.tensor);
    first->managed.version = last->managed.version = {1, 3};
    EXPECT_SUCCESS(mpcRunnerBindInputManaged(t.runner, "x", &first->managed));
    t.step();
    EXPECT_EQ(first->deleted, 0);
    EXPECT_SUCCESS(mpcRunnerBindInputManaged(t.runner, "x", &last->managed));
    EXPECT_EQ(first->deleted, 1);
    delete first;
    old.managed.dl_tensor = t.targetView.tensor;
    EXPECT_SUCCESS(
        mpcRunnerBindInputUnversioned(t.runner, "target", &old.managed));
    EXPECT_SUCCESS(mpcRunnerUnbindInput(t.runner, "target"));
    EXPECT_EQ(old.deleted, 1);
    EXPECT_EQ(last->deleted, 0);
  }
  EXPECT_EQ(last->deleted, 1);
  delete last;
}

TEST(CAPIBinding, ManagedTensorsThatAreRefusedStayTheCallers) {
  Trained t;
  Counted<DLManagedTensorVersioned> tensor(t.xView.tensor);
  for (DLPackVersion version : {DLPackVersion{2, 0}, DLPackVersion{0, 8}}) {
    tensor.managed.version = version;
    EXPECT_FAILURE(mpcRunnerBindInputManaged(t.runner, "x", &tensor.managed),
                   MPC_ERROR_INVALID_INPUT,
                   "the tensor is of DLPack " + std::to_string(version.major) +
                       "." + std::to_string(version.minor) + ", expected 1.x");
  }
  tensor.managed.version = {1, 0};
  EXPECT_FAILURE(mpcRunnerBindInputManaged(t.runner, "target", &tensor.managed),
                 MPC_ERROR_INVALID_INPUT,
                 "input 'target': expected f32[4], found f32[4x3]");
  float loss = 0;
  Counted<DLManagedTensorVersioned> output(View(&loss, kF32Type, {}).tensor);
  output.managed.version = {1, 0};
  output.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_FAILURE(mpcRunnerBindOutputManaged(t.runner, "loss", &output.managed),
                 MPC_ERROR_INVALID_INPUT,
                 "the tensor is read-only and cannot be an output");
  EXPECT_EQ(tensor.deleted + output.deleted, 0);
}

TEST(CAPIBinding, SharedStateOutlivesItsRunner) {
  DLManagedTensorVersioned *shared = nullptr;
  {
    Trained t;
    t.bind();
    EXPECT_SUCCESS(mpcRunnerShareState(t.runner, "w", &shared));
    t.step();
  }
  EXPECT_EQ(shared->version.major, 1u);
  EXPECT_EQ(shared->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  ASSERT_EQ(shared->dl_tensor.ndim, 1);
  EXPECT_EQ(shared->dl_tensor.shape[0], kFeatures);
  EXPECT_EQ(shared->dl_tensor.dtype.code, kDLFloat);
  EXPECT_EQ(static_cast<const float *>(shared->dl_tensor.data)[1], 0.25f);
  shared->deleter(shared);
}

TEST(CAPIBinding, IntegersOutsideTheirBoundsAreRefusedAtEachRun) {
  Trained t;
  t.bind();
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "label", t.labelView));
  EXPECT_SUCCESS(mpcRunnerEvaluate(t.runner));
  for (int64_t bad : {int64_t(kFeatures), int64_t(-1), INT64_MAX, INT64_MIN}) {
    t.label[2] = bad;
    EXPECT_FAILURE(mpcRunnerEvaluate(t.runner), MPC_ERROR_INVALID_INPUT,
                   "tensor 'label', element 2: " + std::to_string(bad) +
                       " is not in 0 to 2");
  }
}

} // namespace
} // namespace mpc::test
