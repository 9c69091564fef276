// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in the memory of a GPU, in the order of the caller's stream, on the
// test driver. Its memory cannot be touched from the host, it runs nothing that
// nobody waits for, and memory is NaN until it is written.
#include "runtime/Device/CUDA/Api.h"
#include "test/capi/CompilerTest.h"
#include "test/support/cuda/FakeDriver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace mpc::test {
namespace {

using namespace rt::cuda;

/// What a framework has on the machine's GPU: memory, and a stream of its own.
class Device : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("MPC_CUDA_DRIVER", MPC_FAKE_CUDA, 1);
    ::setenv("MPC_NVRTC", MPC_FAKE_NVRTC, 1);
    ::setenv("MPC_CUBLASLT", "off", 1);
    library_ = ::dlopen(MPC_FAKE_CUDA, RTLD_NOW);
    ASSERT_TRUE(library_);
    fake().reset({});
    call<int(unsigned)>("cuInit", 0U);
    ContextHandle context = nullptr;
    call<int(ContextHandle *, int)>("cuDevicePrimaryCtxRetain", &context, 0);
    call<int(ContextHandle)>("cuCtxSetCurrent", context);
    call<int(StreamHandle *, unsigned)>("cuStreamCreate", &stream_, 0U);
  }

  rt::cuda::test::FakeDriver &fake() {
    auto *get = reinterpret_cast<rt::cuda::test::FakeDriver *(*)()>(
        ::dlsym(library_, rt::cuda::test::kFakeDriverSymbol));
    return *get();
  }

  template <typename Function, typename... Args>
  void call(const char *name, Args... args) {
    auto *function = reinterpret_cast<Function *>(::dlsym(library_, name));
    ASSERT_TRUE(function) << name;
    ASSERT_EQ(function(args...), code::kSuccess) << name;
  }

  DevicePointer allocate(size_t bytes) {
    DevicePointer pointer = 0;
    call<int(DevicePointer *, size_t)>("cuMemAlloc_v2", &pointer, bytes);
    return pointer;
  }
  /// Copies in the stream, which nobody waits for; `from` must live on.
  template <typename T>
  void put(DevicePointer to, const std::vector<T> &from) {
    call<int(DevicePointer, const void *, size_t, StreamHandle)>(
        "cuMemcpyHtoDAsync_v2", to, from.data(), from.size() * sizeof(T),
        stream_);
  }
  /// What the stream finds there when its turn comes.
  template <typename T = float>
  std::vector<T> fetch(DevicePointer from, size_t count) {
    std::vector<T> values(count);
    call<int(void *, DevicePointer, size_t, StreamHandle)>(
        "cuMemcpyDtoHAsync_v2", values.data(), from, count * sizeof(T),
        stream_);
    call<int(StreamHandle)>("cuStreamSynchronize", stream_);
    return values;
  }

  static Tensor tensor(DevicePointer data, std::vector<int64_t> shape,
                       DLDataType type = {kDLFloat, 32, 1}, int device = 0) {
    return {reinterpret_cast<void *>(data),
            type,
            std::move(shape),
            {kDLCUDA, device}};
  }
  static DevicePointer addressOf(const ManagedTensor &tensor) {
    const DLTensor &known = tensor.get()->dl_tensor;
    EXPECT_EQ(known.device.device_type, kDLCUDA);
    EXPECT_EQ(known.device.device_id, 0);
    return reinterpret_cast<DevicePointer>(known.data) + known.byte_offset;
  }

  static Program compile(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--loss=mse", "--cpu=cuda:sm_80"});
    return get(buildLinear(LinearCase()).compile(flags));
  }
  Runner create(const Program &program) {
    Runner runner = get(Runner::create(program));
    succeed(runner.setStream(stream_));
    return runner;
  }

  void *library_ = nullptr;
  StreamHandle stream_ = nullptr;
  LinearCase given_;
};

TEST_F(Device, ABatchIsReadWhereItLies) {
  Runner runner = create(compile({"--optimizer=sgd"}));
  DevicePointer x = allocate(16), target = allocate(16);
  succeed(runner.bindInput("x", tensor(x, {2, 2})));
  succeed(runner.bindInput("target", tensor(target, {2, 2})));
  succeed(runner.writeNumber("lr", 0.1));
  put(x, given_.x);
  put(target, given_.target);
  EXPECT_NEAR(get(runner.step()).loss, given_.loss(), 1e-6);
  std::vector<float> after(4);
  succeed(runner.readState("w", {after.data(), {2, 2}}));
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(after[i], given_.stepped(i / 2, i % 2, 0.1), 1e-6) << i;
  // Another batch at the same place. Of what a step copies from the host only
  // the rate is left.
  std::vector<float> zeros(4);
  put(x, zeros);
  int copies = fake().count("cuMemcpyHtoDAsync_v2");
  int graphs = fake().count("cuGraphInstantiateWithFlags");
  double sum = 0;
  for (float value : given_.target)
    sum += double(value) * value;
  EXPECT_NEAR(get(runner.step()).loss, sum / 4, 1e-6);
  EXPECT_LE(fake().count("cuMemcpyHtoDAsync_v2") - copies, 2);
  // The other of two sets of inputs is recorded for the device once.
  EXPECT_EQ(fake().count("cuGraphInstantiateWithFlags") - graphs, 1);
  (void)get(runner.step());
  EXPECT_EQ(fake().count("cuGraphInstantiateWithFlags") - graphs, 1);
}

/// SGD of the caller's on the device: his "kernels" are what his stream copies.
TEST_F(Device, AnOptimizerOfTheCallersWorksThere) {
  Runner runner = create(compile({"--optimizer=callback"}));
  DevicePointer x = allocate(16), target = allocate(16), grad = allocate(16);
  put(x, given_.x);
  put(target, given_.target);
  succeed(runner.bindInput("x", tensor(x, {2, 2})));
  succeed(runner.bindInput("target", tensor(target, {2, 2})));
  succeed(runner.writeNumber("lr", 0.1));
  ManagedTensor weight = get(runner.editDeviceState("w"));
  DevicePointer w = addressOf(weight);
  EXPECT_EQ(fetch(w, 4), given_.w);
  succeed(runner.bindOutput("grad.w", tensor(grad, {2, 2})));
  std::vector<float> next(4);
  int calls = 0;
  succeed(runner.setOptimizer([&](const MpcUpdate &update) {
    ++calls;
    EXPECT_EQ(update.parameters[0].device.device_type, kDLCUDA);
    EXPECT_EQ(reinterpret_cast<DevicePointer>(update.parameters[0].data), w);
    EXPECT_EQ(update.gradients[0].device.device_type, kDLCUDA);
    EXPECT_EQ(reinterpret_cast<DevicePointer>(update.gradients[0].data), grad);
    std::vector<float> before = fetch(w, 4), slope = fetch(grad, 4);
    for (int i = 0; i < 4; ++i)
      next[i] = before[i] - float(update.lr) * slope[i];
    put(w, next); // The next run waits for it.
    return Status();
  }));
  LinearCase now;
  int copies = 0;
  for (int step = 0; step < 4; ++step) {
    if (step == 2)
      copies = fake().count("cuMemcpyHtoDAsync_v2");
    EXPECT_NEAR(get(runner.step()).loss, now.loss(), 1e-5) << step;
    LinearCase after = now;
    for (int i = 0; i < 4; ++i)
      after.w[i] = float(now.stepped(i / 2, i % 2, 0.1));
    now = after;
    std::vector<float> read(4);
    succeed(runner.readState("w", {read.data(), {2, 2}}));
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(read[i], now.w[i], 1e-5) << step << ", " << i;
  }
  EXPECT_EQ(calls, 4);
  // The caller's own, and the rate: the weights come from no host.
  EXPECT_LE(fake().count("cuMemcpyHtoDAsync_v2") - copies, 6);
}

TEST_F(Device, AnOptimizerOnTheHostReachesTheDevice) {
  Runner runner = create(compile({"--optimizer=callback"}));
  succeed(runner.bindInput("x", {given_.x.data(), {2, 2}}));
  succeed(runner.bindInput("target", {given_.target.data(), {2, 2}}));
  succeed(runner.writeNumber("lr", 0.1));
  succeed(runner.setOptimizer([](const MpcUpdate &update) {
    auto *w = static_cast<float *>(update.parameters[0].data);
    auto *slope = static_cast<const float *>(update.gradients[0].data);
    for (int i = 0; i < 4; ++i)
      w[i] -= float(update.lr) * slope[i];
    return Status();
  }));
  LinearCase now;
  for (int step = 0; step < 3; ++step) {
    EXPECT_NEAR(get(runner.step()).loss, now.loss(), 1e-5) << step;
    LinearCase after = now;
    for (int i = 0; i < 4; ++i)
      after.w[i] = float(now.stepped(i / 2, i % 2, 0.1));
    now = after;
  }
}

TEST_F(Device, WhatTheHostWritesIsThereToo) {
  Runner runner = create(compile({"--optimizer=adam", "--precision=fp16"}));
  ManagedTensor weight = get(runner.editDeviceState("w"));
  ManagedTensor low = get(runner.shareDeviceState("w"));
  EXPECT_EQ(addressOf(weight), addressOf(low));
  const std::vector<float> other = {1, -1, 0.5f, 2};
  succeed(runner.writeState("w", {other.data(), {2, 2}}));
  EXPECT_EQ(fetch(addressOf(weight), 4), other);
  // Numbers beside them leave what the caller has written.
  put(addressOf(weight), given_.w);
  succeed(runner.writeNumber("scale", 128));
  EXPECT_EQ(get(runner.readNumber("scale")), 128);
  EXPECT_EQ(fetch(addressOf(weight), 4), given_.w);
  std::vector<float> read(4);
  succeed(runner.readState("w", {read.data(), {2, 2}}));
  EXPECT_EQ(read, given_.w);
  EXPECT_EQ(failureOf(runner.editState("w").status()),
            "2: 'w' was shared in the device's memory: write it there");
}

TEST_F(Device, ASlotThatTheCallerWritesIsReadAndSaved) {
  Program program = compile({"--optimizer=sgd", "--momentum=0.9"});
  std::string slot;
  for (size_t i = 0; i < get(program.info()).numStateTensors; ++i) {
    MpcStateRole role = MPC_STATE_PARAMETER;
    int isSaved = 0;
    Status status(mpcProgramGetStateRole(program.get(), i, &role, &isSaved));
    if (role == MPC_STATE_SLOT)
      slot = get(program.state(i)).name;
  }
  Runner runner = create(program);
  ManagedTensor memory = get(runner.editDeviceState(slot));
  for (const std::vector<float> &values : {given_.w, given_.x}) {
    put(addressOf(memory), values);
    std::vector<float> read(4);
    succeed(runner.readState(slot, {read.data(), {2, 2}}));
    EXPECT_EQ(read, values);
  }
}

TEST_F(Device, ProgramsShareAStateAndTheArena) {
  Runner runner = create(compile({"--optimizer=sgd"}));
  succeed(runner.bindInput("x", {given_.x.data(), {2, 2}}));
  succeed(runner.bindInput("target", {given_.target.data(), {2, 2}}));
  succeed(runner.writeNumber("lr", 0.1));
  EXPECT_NEAR(get(runner.step()).loss, given_.loss(), 1e-6);
  // Twice the batch, whose arena is larger, so that it moves.
  Model wide = get(Model::create("wide"));
  get(wide.addOp("nn.parameter", {},
                 "{sym_name = \"w\", type = tensor<2x2xf32>, "
                 "init = #nn.init<external>}"));
  MpcValue x =
      get(wide.beginFunction("model", {{"x", "tensor<4096x2xf32>"}}))[0];
  MpcValue w =
      get(wide.addOp("nn.get", {}, "{parameter = @w}", {"tensor<2x2xf32>"}))[0];
  succeed(wide.endFunction({{"y", get(wide.addOp("nn.linear", {x, w}))[0]}}));
  succeed(wide.setValue("w", {given_.w.data(), {2, 2}}));
  Program second =
      get(wide.compile({"--loss=mse", "--cpu=cuda:sm_80", "--optimizer=sgd"}));
  Runner other = get(runner.createShared(second));
  LinearCase now = given_;
  for (int i = 0; i < 4; ++i)
    now.w[i] = float(given_.stepped(i / 2, i % 2, 0.1));
  std::vector<float> xs, targets;
  for (int i = 0; i < 2048; ++i) {
    xs.insert(xs.end(), given_.x.begin(), given_.x.end());
    targets.insert(targets.end(), given_.target.begin(), given_.target.end());
  }
  DevicePointer device = allocate(xs.size() * 4);
  put(device, xs);
  succeed(other.bindInput("x", tensor(device, {4096, 2})));
  succeed(other.bindInput("target", {targets.data(), {4096, 2}}));
  succeed(other.writeNumber("lr", 0.1));
  EXPECT_NEAR(get(other.step()).loss, now.loss(), 1e-5);
  LinearCase last = now;
  for (int i = 0; i < 4; ++i)
    last.w[i] = float(now.stepped(i / 2, i % 2, 0.1));
  EXPECT_NEAR(get(runner.step()).loss, last.loss(), 1e-5);
  // A program for another machine cannot.
  std::vector<std::string> flags = {"--loss=mse", "--optimizer=sgd"};
  Program host = get(buildLinear(given_).compile(flags));
  EXPECT_EQ(failureOf(runner.createShared(host).status()).substr(0, 2), "2:");
}

TEST_F(Device, RefusesWhatARunCannotUse) {
  Runner runner = create(compile({"--optimizer=sgd"}));
  auto refuses = [&](const Tensor &x, const std::string &message) {
    EXPECT_EQ(failureOf(runner.bindInput("x", x)), message);
  };
  std::string here = "is not in memory of cuda:0 (Test Device), on which "
                     "the program runs";
  DevicePointer memory = allocate(16);
  refuses({given_.x.data(), {kDLFloat, 32, 1}, {2, 2}, {kDLCUDA, 0}},
          "1: tensor 'x', which lies on cuda:0: " + here);
  refuses(tensor(memory, {2, 2}, {kDLFloat, 32, 1}, 1),
          "1: tensor 'x' lies on cuda:1, and the program runs on cuda:0");
  refuses(tensor(memory + 8, {2, 2}),
          "1: tensor 'x', which lies on cuda:0: " + here);
  call<int(DevicePointer)>("cuMemFree_v2", memory);
  refuses(tensor(memory, {2, 2}),
          "1: tensor 'x', which lies on cuda:0: " + here);
  DevicePointer w = addressOf(get(runner.shareDeviceState("w")));
  refuses(tensor(w, {2, 2}), "1: input 'x' lies in the runner's own memory");
  DevicePointer both = allocate(16);
  succeed(runner.bindInput("x", tensor(both, {2, 2})));
  EXPECT_EQ(failureOf(runner.bindInput("target", tensor(both, {2, 3}))),
            "1: input 'target': expected f32[2x2], found f32[2x3]");
}

TEST_F(Device, ChecksIntegersAndTellsWhatIsNotOnTheHost) {
  Model model =
      get(Model::load(std::string(MPC_TEST_INPUTS) + "/models/mlp.onnx"));
  Program program =
      get(model.compile({"--optimizer=callback", "--cpu=cuda:sm_80"}));
  Runner runner = create(program);
  succeed(runner.setOptimizer([](const MpcUpdate &) { return Status(); }));
  const std::vector<float> x(8 * 64, 0.5f);
  std::vector<int64_t> labels(8, 3);
  DevicePointer target = allocate(64), loss = allocate(4);
  put(target, labels);
  succeed(runner.bindInput("x", {x.data(), {8, 64}}));
  succeed(runner.bindInput("target", tensor(target, {8}, {kDLInt, 64, 1})));
  succeed(runner.bindOutput("loss", tensor(loss, {})));
  succeed(runner.writeNumber("lr", 0.1));
  double known = get(runner.step()).loss;
  EXPECT_GT(known, 0);
  // A number is in both.
  EXPECT_EQ(fetch(loss, 1)[0], float(known));
  EXPECT_EQ(get(runner.readScalar("loss")), known);
  labels[5] = 10;
  put(target, labels);
  EXPECT_EQ(failureOf(runner.step().status()),
            "1: tensor 'target', element 5: 10 is not in 0 to 9");
}

} // namespace
} // namespace mpc::test
