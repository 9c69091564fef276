// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On a real GPU: the driver layer, and every kernel against the emulator bit
// for bit. Skipped where no driver and no NVRTC are; with MPC_TEST_CUDA in the
// environment that is a failure.
//
//     MpcCUDADeviceTest [--texts=FOLDER] [--answers=FOLDER | --record=FOLDER]
//
// For machines without this source tree: --texts has the prelude and the test
// kernels, and --answers what the emulator gave, which needs a compiler;
// --record writes that.
#include "test/runtime/Device/CUDA/FakeCuda.h"
#include "test/runtime/Device/CUDA/KernelInputs.h"
#include "test/runtime/Device/CUDA/RealNvrtc.h"
#include "test/support/simt/Product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>

namespace mpc::rt::cuda::test {
namespace {

using testing::Each;
using testing::HasSubstr;

/// Where the emulator's answers are read or written; empty: neither.
struct Answers {
  std::string folder;
  bool isRecording = false;
  [[nodiscard]] bool areRead() const { return !folder.empty() && !isRecording; }
};

Answers &answers() {
  static Answers answers;
  return answers;
}

/// A kernel's results, each with its elements.
template <typename T>
using Results = std::vector<std::vector<T>>;

template <typename T>
void writeResults(const std::string &path, const Results<T> &results) {
  std::ofstream file(path, std::ios::binary);
  for (const std::vector<T> &result : results) {
    uint64_t count = result.size();
    file.write(reinterpret_cast<const char *>(&count), sizeof count);
    file.write(reinterpret_cast<const char *>(result.data()),
               static_cast<std::streamsize>(count * sizeof(T)));
  }
  file.close();
  EXPECT_TRUE(file.good()) << path;
}

template <typename T>
Results<T> readResults(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  Results<T> results;
  for (uint64_t count = 0;
       file.read(reinterpret_cast<char *>(&count), sizeof count);) {
    results.emplace_back(count);
    file.read(reinterpret_cast<char *>(results.back().data()),
              static_cast<std::streamsize>(count * sizeof(T)));
    EXPECT_TRUE(file.good()) << path << " ends early";
  }
  return results;
}

class Device : public testing::Test {
protected:
  void SetUp() override {
    Status status = open();
    if (status.ok())
      return;
    if (std::getenv("MPC_TEST_CUDA"))
      FAIL() << status.message();
    GTEST_SKIP() << status.message();
  }

  Status open() {
    MPC_ASSIGN_OR_RETURN(auto driver, Driver::open());
    MPC_ASSIGN_OR_RETURN(context_, Context::create(driver, 0));
    MPC_ASSIGN_OR_RETURN(auto nvrtc, findNvrtc());
    gpu_.emplace(context_, nvrtc);
    if (answers().areRead())
      return Status();
    // The emulator poses as the same architecture, or as the newest before it
    // that it knows.
    Capability own = context_->info().capability;
    MPC_ASSIGN_OR_RETURN(Target target, fakeNvrtc()->targetFor(own));
    fakeDriver().reset({1, target.arch.number / 10, target.arch.number % 10});
    MPC_ASSIGN_OR_RETURN(auto fake, Driver::open(MPC_FAKE_CUDA));
    MPC_ASSIGN_OR_RETURN(auto posing, Context::create(fake, 0));
    emulator_.emplace(posing, fakeNvrtc());
    return Status();
  }

  KernelRunner &gpu() { return *gpu_; }
  /// What `run` gives in the emulator: here and now, or as recorded.
  template <typename T>
  Results<T> emulated(const std::function<Results<T>(KernelRunner &)> &run) {
    std::string path =
        answers().folder + "/" +
        testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
        std::to_string(numAnswers_++);
    if (answers().areRead())
      return readResults<T>(path);
    Results<T> results = run(*emulator_);
    if (answers().isRecording)
      writeResults(path, results);
    return results;
  }
  /// Expects of each result the emulator's bits.
  template <typename T>
  void
  expectEmulatorsBits(const std::vector<std::string> &names,
                      const std::function<Results<T>(KernelRunner &)> &run);
  const ContextRef &context() { return context_; }
  int arch() { return context_->info().capability.number(); }

private:
  ContextRef context_;
  std::optional<KernelRunner> gpu_, emulator_;
  int numAnswers_ = 0;
};

template <typename T>
std::vector<uint32_t> bitsOf(const std::vector<T> &values) {
  std::vector<uint32_t> bits;
  for (T value : values)
    if constexpr (sizeof(T) == 4)
      bits.push_back(std::bit_cast<uint32_t>(value));
    else
      bits.push_back(value);
  return bits;
}

/// Tells the first difference and their number, not thousands of elements.
template <typename T>
void expectSameBits(const std::vector<T> &gpu, const std::vector<T> &emulator,
                    const std::string &what) {
  std::vector<uint32_t> a = bitsOf(gpu), b = bitsOf(emulator);
  ASSERT_EQ(a.size(), b.size());
  size_t differences = 0, first = 0;
  for (size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) {
      ++differences;
      first = i;
    }
  EXPECT_EQ(differences, 0U)
      << what << ": element " << first << " of " << a.size() << " is "
      << std::hex << a[first] << " on the GPU, " << b[first]
      << " in the emulator";
}

template <typename T>
void Device::expectEmulatorsBits(
    const std::vector<std::string> &names,
    const std::function<Results<T>(KernelRunner &)> &run) {
  Results<T> here = run(gpu()), expected = emulated<T>(run);
  ASSERT_EQ(here.size(), names.size());
  ASSERT_EQ(expected.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i)
    expectSameBits(here[i], expected[i], names[i]);
}

//===----------------------------------------------------------------------===//
// The driver layer
//===----------------------------------------------------------------------===//

TEST_F(Device, TellsWhatItIs) {
  const DeviceInfo &info = context()->info();
  EXPECT_GE(info.capability.number(), 75);
  EXPECT_EQ(info.maxThreadsPerBlock, 1024);
  EXPECT_EQ(info.maxSharedPerBlock, 48 * 1024);
  EXPECT_GE(info.maxSharedPerBlockOptIn, 64 * 1024);
  EXPECT_GE(info.memoryBytes, uint64_t{256} << 20);
  RecordProperty("device", context()->label());
  std::printf("%s, sm_%d, %d multiprocessors, driver %d\n",
              context()->label().c_str(), arch(), info.multiprocessors,
              context()->driver().version());
}

TEST_F(Device, CopiesFillsAndWaits) {
  Stream work = *Stream::create(context());
  DeviceBuffer first = *DeviceBuffer::allocate(context(), 1 << 14, "first");
  DeviceBuffer second = *DeviceBuffer::allocate(context(), 1 << 14, "second");
  PinnedBuffer host = *PinnedBuffer::allocate(context(), 1 << 14, "host");
  std::vector<std::byte> back(1 << 14);
  EXPECT_THAT(host.bytes(), Each(std::byte{0}));
  std::ranges::fill(host.bytes(), std::byte{9});
  Event done = *Event::create(context(), Event::Timing::On);
  Event start = *Event::create(context(), Event::Timing::On);
  MPC_EXPECT_OK(work.record(start));
  MPC_EXPECT_OK(work.upload(first, 0, host.bytes()));
  MPC_EXPECT_OK(work.copy(second, first));
  MPC_EXPECT_OK(work.download(back, second, 0));
  MPC_EXPECT_OK(work.record(done));
  MPC_EXPECT_OK(done.synchronize());
  EXPECT_THAT(back, Each(std::byte{9}));
  EXPECT_TRUE(*done.reached());
  EXPECT_GT(*done.millisecondsSince(start), 0.0F);
  MPC_EXPECT_OK(work.fill(first, std::byte{4}));
  MPC_EXPECT_OK(work.download(back, first, 0));
  MPC_EXPECT_OK(work.synchronize("the fill"));
  EXPECT_THAT(back, Each(std::byte{4}));
}

TEST_F(Device, AGraphRunsAsOftenAsItIsLaunchedAcrossStreams) {
  Stream work = *Stream::create(context()), side = *Stream::create(context());
  Event fork = *Event::create(context()), join = *Event::create(context());
  DeviceBuffer first = *DeviceBuffer::allocate(context(), 64, "first");
  DeviceBuffer second = *DeviceBuffer::allocate(context(), 64, "second");
  PinnedBuffer host = *PinnedBuffer::allocate(context(), 64, "host");
  auto record = [&](bool joins) {
    return work.capture([&] {
      MPC_RETURN_IF_ERROR(work.record(fork));
      MPC_RETURN_IF_ERROR(side.wait(fork));
      MPC_RETURN_IF_ERROR(side.fill(second, std::byte{2}));
      MPC_RETURN_IF_ERROR(work.upload(first, 0, host.bytes()));
      MPC_RETURN_IF_ERROR(side.record(join));
      return joins ? work.wait(join) : Status();
    });
  };
  auto graph = record(true);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(graph->nodes(), 2U); // as the test driver counts
  std::vector<std::byte> back(64);
  for (auto value : {std::byte{1}, std::byte{3}}) {
    std::ranges::fill(host.bytes(), value);
    MPC_EXPECT_OK(work.launch(*graph));
    MPC_EXPECT_OK(work.download(back, first, 0));
    MPC_EXPECT_OK(work.synchronize("the graph"));
    EXPECT_THAT(back, Each(value));
  }
  EXPECT_THAT(record(false).status().message(),
              HasSubstr("CUDA_ERROR_STREAM_CAPTURE_UNJOINED (904)"));
}

TEST_F(Device, WaitingInARecordingIsTheErrorThatTheTestDriverGives) {
  Stream work = *Stream::create(context());
  auto graph = work.capture([&] { return work.synchronize("the recording"); });
  EXPECT_THAT(graph.status().message(),
              HasSubstr("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)"));
  MPC_EXPECT_OK(work.synchronize("after it"));
}

TEST_F(Device, OutOfMemoryNamesSizeAndTensor) {
  auto buffer =
      DeviceBuffer::allocate(context(), uint64_t{1} << 50, "slab 'w'");
  ASSERT_FALSE(buffer.ok());
  EXPECT_THAT(buffer.status().message(), HasSubstr("for slab 'w'"));
  EXPECT_THAT(buffer.status().message(),
              HasSubstr("CUDA_ERROR_OUT_OF_MEMORY (2)"));
}

TEST_F(Device, AKernelThatDoesNotFitSaysSo) {
  auto matmul = gpu().function(inputKernels("matmul"), "matmul_f16");
  ASSERT_TRUE(matmul.ok()) << matmul.status().message();
  EXPECT_THAT(matmul->prepare({{1, 1, 1}, {512, 1, 1}}).message(),
              HasSubstr("its block has 512 threads, and at most 256 are"));
  EXPECT_THAT(matmul->prepare({{1, 1, 1}, {256, 1, 1}, 1 << 20}).message(),
              HasSubstr("bytes of shared memory, and at most"));
  EXPECT_EQ(matmul->resources().localBytes, 0);
}

//===----------------------------------------------------------------------===//
// The emulator's faith
//===----------------------------------------------------------------------===//

TEST_F(Device, NarrowsAsTheEmulator) {
  std::vector<uint32_t> x;
  // Every exponent and sign, with mantissas about each tie of f16 and bf16.
  for (uint32_t high = 0; high < 512; ++high)
    for (uint32_t mantissa :
         {0x0U, 0x1U, 0xfffU, 0x1000U, 0x1001U, 0x2fffU, 0x3000U, 0x3001U,
          0x7fffU, 0x8000U, 0x8001U, 0x17fffU, 0x18000U, 0x18001U, 0x3fffffU,
          0x400000U, 0x7fefffU, 0x7ff000U, 0x7fffffU})
      x.push_back(high << 23 | mantissa);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i)
    x.push_back(static_cast<uint32_t>(random()));
  int count = static_cast<int>(x.size());
  auto run = [&](KernelRunner &runner) -> Results<uint16_t> {
    std::vector<uint16_t> f16(x.size()), bf16(x.size()), integer(x.size());
    MPC_EXPECT_OK(runner.run(
        inputKernels("instructions"), "narrow",
        {{blocksOf(count, 128), 1, 1}, {128, 1, 1}},
        {inOut(x), inOut(f16), inOut(bf16), inOut(integer)}, {count}));
    expectSameBits(integer, bf16, "bf16 by integers");
    return {f16, bf16};
  };
  expectEmulatorsBits<uint16_t>({"f16", "bf16"}, run);
}

TEST_F(Device, WidensAsTheEmulator) {
  auto run = [&](KernelRunner &runner) -> Results<uint32_t> {
    std::vector<uint32_t> f16(65536), bf16(65536);
    MPC_EXPECT_OK(runner.run(inputKernels("instructions"), "widen",
                             {{512, 1, 1}, {128, 1, 1}},
                             {inOut(f16), inOut(bf16)}));
    return {f16, bf16};
  };
  expectEmulatorsBits<uint32_t>({"f16", "bf16"}, run);
}

TEST_F(Device, FunctionsHaveTheEmulatorsBits) {
  std::vector<float> x = {0.0F, -0.0F, HUGE_VALF, -HUGE_VALF, 1.0F, 0x1p-140F};
  std::mt19937 random(4);
  std::uniform_real_distribution<float> wide(-110, 95), narrow(-1, 1);
  for (int i = 0; i < 10000; ++i) {
    x.push_back(wide(random));
    x.push_back(narrow(random));
  }
  int count = static_cast<int>(x.size());
  auto run = [&](KernelRunner &runner) -> Results<float> {
    std::vector<float> y(x.size() * 6);
    MPC_EXPECT_OK(runner.run(inputKernels("instructions"), "functions",
                             {{blocksOf(count, 128), 1, 1}, {128, 1, 1}},
                             {inOut(x), inOut(y)}, {count}));
    // One NaN is as good as another.
    for (float &each : y)
      each = std::isnan(each) ? NAN : each;
    return {y};
  };
  expectEmulatorsBits<float>({"exp, log, tanh, erf, fma, mul-add"}, run);
}

TEST_F(Device, ShufflesAndMatricesAreTheEmulators) {
  std::mt19937 random(6);
  std::vector<float> x(32);
  std::vector<uint16_t> elements(256);
  for (float &each : x)
    each = static_cast<float>(random()) * 0x1p-20F - 2048;
  for (uint16_t &each : elements)
    each = static_cast<uint16_t>(random());
  LaunchShape warp{{1, 1, 1}, {32, 1, 1}};
  expectEmulatorsBits<float>(
      {"shuffles"}, [&](KernelRunner &runner) -> Results<float> {
        std::vector<float> y(128);
        MPC_EXPECT_OK(runner.run(inputKernels("instructions"), "shuffles", warp,
                                 {inOut(x), inOut(y)}));
        return {y};
      });
  expectEmulatorsBits<uint32_t>(
      {"ldmatrix"}, [&](KernelRunner &runner) -> Results<uint32_t> {
        std::vector<uint32_t> z(256);
        MPC_EXPECT_OK(runner.run(inputKernels("instructions"), "matrices", warp,
                                 {inOut(elements), inOut(z)}));
        return {z};
      });
}

TEST_F(Device, MapRowsAndSumHaveTheEmulatorsBits) {
  std::vector<uint16_t> x = normalF16(64 * 136, 2, 1),
                        bias = normalF16(136, 1, 2);
  expectEmulatorsBits<uint16_t>({"map"},
                                [&](KernelRunner &runner) -> Results<uint16_t> {
                                  return {runMap(runner, x, bias)};
                                });
  for (int width : {1, 33, 1000}) {
    x = normalF16(5 * static_cast<size_t>(width), 3, 3);
    expectEmulatorsBits<uint16_t>(
        {"softmax"}, [&](KernelRunner &runner) -> Results<uint16_t> {
          return {runSoftmax(runner, x, width)};
        });
  }
  std::vector<float> y(50001);
  std::mt19937 random(8);
  std::normal_distribution<float> normal(1, 1);
  for (float &each : y)
    each = normal(random);
  expectEmulatorsBits<float>({"sum"},
                             [&](KernelRunner &runner) -> Results<float> {
                               return {{runSum(runner, y)}};
                             });
}

/// Fragments of products whose terms differ much in size, so that how they are
/// aligned and cut shows.
struct Products {
  std::vector<uint32_t> a, b;
  std::vector<float> c;
};

Products randomProducts(bool isBf16, int spread, uint32_t seed) {
  constexpr size_t kWarps = 64;
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> exponent(-spread, spread);
  std::uniform_real_distribution<float> mantissa(-2, 2);
  auto value = [&] { return std::ldexp(mantissa(random), exponent(random)); };
  auto code = [&]() -> uint32_t {
    return isBf16 ? roundToBF16(value()) : roundToF16(value());
  };
  Products products;
  for (size_t i = 0; i < kWarps * 32 * 4; ++i)
    products.a.push_back(code() | code() << 16);
  for (size_t i = 0; i < kWarps * 32 * 2; ++i)
    products.b.push_back(code() | code() << 16);
  for (size_t i = 0; i < kWarps * 32 * 4; ++i)
    products.c.push_back(value());
  return products;
}

std::vector<float> runProducts(KernelRunner &runner, Products products,
                               int kind) {
  std::vector<float> d(products.c.size(), NAN);
  MPC_EXPECT_OK(runner.run(
      inputKernels("instructions"), "products",
      {{static_cast<uint32_t>(d.size() / 128), 1, 1}, {32, 1, 1}},
      {inOut(products.a), inOut(products.b), inOut(products.c), inOut(d)},
      {kind}));
  return d;
}

/// Element (row, column) of the first warp's product by another model.
float modelled(const Products &products, size_t warp, size_t lane, size_t i,
               bool isBf16, const simt::ProductModel &model) {
  size_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
  std::array<float, 16> a{}, b{};
  auto element = [&](uint32_t pair, size_t which) {
    auto code = static_cast<uint16_t>(pair >> (16 * which));
    return isBf16 ? valueOfBF16(code) : valueOfF16(code);
  };
  for (size_t k = 0; k < 16; ++k) {
    size_t pairLane = k % 8 / 2, which = k % 2, upper = k / 8;
    a[k] = element(products.a[(warp * 32 + row % 8 * 4 + pairLane) * 4 +
                              upper * 2 + row / 8],
                   which);
    b[k] = element(products.b[(warp * 32 + column * 4 + pairLane) * 2 + upper],
                   which);
  }
  return simt::multiplyAdd(model, products.c[(warp * 32 + lane) * 4 + i], a, b);
}

/// Which models give all bits that the GPU gave: "width 16, 2 extra bits".
std::string fittingModels(const Products &products, const std::vector<float> &d,
                          bool isBf16) {
  std::string fitting;
  for (int width : {4, 8, 16})
    for (int extraBits = 0; extraBits <= 6; ++extraBits) {
      bool fits = true;
      for (size_t at = 0; at < d.size() && fits; ++at)
        fits = std::bit_cast<uint32_t>(d[at]) ==
               std::bit_cast<uint32_t>(modelled(products, at / 128,
                                                at % 128 / 4, at % 4, isBf16,
                                                {width, extraBits}));
      if (fits)
        fitting += "width " + std::to_string(width) + ", " +
                   std::to_string(extraBits) + " extra bits; ";
    }
  return fitting.empty() ? "none" : fitting;
}

TEST_F(Device, ProductsHaveTheEmulatorsBits) {
  for (bool isBf16 : {false, true})
    for (int spread : {0, 3, 6}) {
      if (isBf16 && arch() < 80)
        continue;
      Products products = randomProducts(isBf16, spread, 21);
      std::vector<float> d = runProducts(gpu(), products, isBf16 ? 1 : 0);
      std::string models = fittingModels(products, d, isBf16);
      std::printf("%s, spread %d: fitting models: %s\n",
                  isBf16 ? "bf16" : "f16", spread, models.c_str());
      expectEmulatorsBits<float>(
          {"m16n8k16; fitting models: " + models},
          [&](KernelRunner &runner) -> Results<float> {
            return {runProducts(runner, products, isBf16 ? 1 : 0)};
          });
    }
  Products products = randomProducts(false, 3, 22);
  expectEmulatorsBits<float>({"m16n8k8"},
                             [&](KernelRunner &runner) -> Results<float> {
                               return {runProducts(runner, products, 2)};
                             });
}

TEST_F(Device, MatrixProductsHaveTheEmulatorsBits) {
  for (MatmulShape shape : {MatmulShape{128, 128, 64}, {129, 67, 200}}) {
    auto a = normalF16(static_cast<size_t>(shape.m * shape.k), 1, 31);
    auto b = normalF16(static_cast<size_t>(shape.n * shape.k), 1, 32);
    // Any codes will do; those of f16 values are finite as bf16, too.
    for (bool isBf16 : {false, true})
      if (!isBf16 || arch() >= 80)
        expectEmulatorsBits<float>(
            {isBf16 ? "bf16" : "f16"},
            [&](KernelRunner &runner) -> Results<float> {
              return {runMatmul(runner, isBf16, shape, a, b)};
            });
  }
}

} // namespace
} // namespace mpc::rt::cuda::test

int main(int argc, char **argv) {
  using namespace mpc::rt::cuda::test;
  testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    size_t equals = std::min(flag.find('='), flag.size() - 1);
    std::string name = flag.substr(0, equals), value = flag.substr(equals + 1);
    if (name == "--texts")
      textFolder() = value;
    else if (name == "--answers" || name == "--record")
      answers() = {value, name == "--record"};
    else {
      std::fprintf(stderr, "MpcCUDADeviceTest: error: no flag '%s'\n", argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
