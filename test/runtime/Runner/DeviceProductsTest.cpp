// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by the test double of cuBLASLt. The kernel in whose place it
// computes them writes -1, so that a result tells who has made it.
#include "runtime/Runner/DeviceProducts.h"
#include "runtime/Program/FieldReader.h"
#include "runtime/Program/LibraryProduct.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Rounding.h"
#include "test/runtime/Device/CUDA/FakeCuda.h"
#include "test/support/cublaslt/FakeCublasLt.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

using cuda::test::FakeBlas;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Values = std::vector<float>;

/// Whole numbers from -3 to 3: products of them are exact in any order.
Values numbers(size_t count, uint32_t seed) {
  Values values(count);
  for (float &value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 16 & 7) - 3;
    value = std::min(value, 3.0F);
  }
  return values;
}

std::vector<uint16_t> inBF16(const Values &values) {
  std::vector<uint16_t> bits;
  for (float value : values)
    bits.push_back(roundToBF16(value));
  return bits;
}

Values fromBF16(const std::vector<uint16_t> &bits) {
  Values values;
  for (uint16_t one : bits)
    values.push_back(valueOfBF16(one));
  return values;
}

/// A product of a program's inputs a, b and bias, in bf16, to its outputs d and
/// input.
struct Case {
  MatrixProduct product;
  size_t sizeOfA = 0, sizeOfB = 0, sizeOfD = 0;
  uint64_t beginOfA = 0; ///< In elements.
  uint64_t scratch = 256;
};

/// Without padding: 5 rows, 3 columns, 7 in depth.
Case plainCase(bool transposesA = false, bool transposesB = false) {
  MatrixProduct p{5, 3, 7, 1, {}, {}, {}};
  p.a = {DType::BF16, transposesA, transposesA ? 7 : 5, 0};
  p.b = {DType::BF16, transposesB, transposesB ? 3 : 7, 0};
  p.d = {DType::BF16, false, 5, 0};
  return {p, 35, 21, 15};
}

float at(const MatrixLayout &layout, const Values &values, uint64_t begin,
         int64_t batch, int64_t row, int64_t column) {
  if (layout.isTransposed)
    std::swap(row, column);
  return values[begin + static_cast<size_t>(batch * layout.batchStride +
                                            column * layout.leading + row)];
}

double tanhOfGelu(double x) {
  return std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}

double derivativeOfGelu(double x) {
  double t = tanhOfGelu(x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) *
                             (1 + 3 * 0.044715 * x * x);
}

class DeviceProductsTest : public cuda::test::FakeCudaOfProcess {
protected:
  void SetUp() override {
    FakeCudaOfProcess::SetUp();
    ::setenv("MPC_CUBLASLT", MPC_FAKE_CUBLASLT, 1);
    blas().reset();
  }
  void TearDown() override {
    runner_.reset();
    FakeCuda::TearDown();
  }

  static FakeBlas &blas() {
    static cuda::Library library = *cuda::Library::open({MPC_FAKE_CUBLASLT});
    static FakeBlas *fake = [] {
      FakeBlas *(*get)() = nullptr;
      EXPECT_TRUE(library.find(cuda::test::kFakeBlasSymbol, get).ok());
      return get();
    }();
    return *fake;
  }

  /// Measures from now on, and keeps what it finds in a folder of this test.
  void useCache() {
    folder_ = ::testing::TempDir() + "products-" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    ::setenv("MPC_CACHE_DIR", folder_.c_str(), 1);
  }

  static std::shared_ptr<Program> makeProgram(const Case &c) {
    auto program = std::make_shared<Program>();
    std::string text = cuda::test::withPrelude("", R"(
extern "C" __global__ void minus(const mpc_u16 *a, const mpc_u16 *b,
                                 const mpc_u16 *bias, const mpc_u16 *x,
                                 mpc_u16 *d, mpc_u16 *input) {
  d[threadIdx.x] = 0xbf80;
  input[threadIdx.x] = 0xbf80;
}
)")
                           .text;
    CudaTarget target{{90}};
    target.modules.push_back(
        {SharedBytes::of(std::vector<char>(text.begin(), text.end())), {}});
    program->target = std::move(target);
    auto size = [](size_t count) { return static_cast<int64_t>(count); };
    Entry entry;
    entry.name = "eval";
    entry.inputs = {{"a", DType::BF16, {size(c.sizeOfA)}},
                    {"b", DType::BF16, {size(c.sizeOfB)}},
                    {"bias", DType::BF16, {c.product.rows}},
                    {"x", DType::BF16, {size(c.sizeOfD)}}};
    entry.outputs = {{"d", DType::BF16, {size(c.sizeOfD)}},
                     {"input", DType::BF16, {size(c.sizeOfD)}}};
    entry.arenaBytes = 100;
    ProductPlaces places{{0, c.beginOfA * 2}, {1, 0}, {4, 0}};
    if (c.product.hasBias)
      places.bias = {2, 0};
    if (c.product.input)
      places.input = ProductPlace{c.product.isGradient ? 3U : 5U, 0};
    DeviceKernel kernel(0, Grid{1, static_cast<uint32_t>(c.sizeOfD), 0},
                        pointerParameters(6));
    entry.launches = {
        {"minus",
         "",
         {{Space::Input, 0, 0, c.sizeOfA * 2},
          {Space::Input, 1, 0, c.sizeOfB * 2},
          {Space::Input, 2, 0, static_cast<uint64_t>(c.product.rows) * 2},
          {Space::Input, 3, 0, c.sizeOfD * 2},
          {Space::Output, 0, 0, c.sizeOfD * 2},
          {Space::Output, 1, 0, c.sizeOfD * 2}},
         4,
         std::make_shared<LibraryProduct>(kernel, c.product, places,
                                          c.scratch)}};
    program->entries = {entry};
    return program;
  }

  /// Runs the product, which comes out of a file.
  void run(const Case &c) {
    a_ = numbers(c.sizeOfA, 1);
    b_ = numbers(c.sizeOfB, 2);
    bias_ = numbers(static_cast<size_t>(c.product.rows), 3);
    std::shared_ptr<const Program> programs[] = {makeProgram(c)};
    auto read = parseManifest(*encodeManifest(programs));
    ASSERT_TRUE(read.ok()) << read.status().message();
    runner_.reset();
    auto runner = Runner::create(read->front());
    ASSERT_TRUE(runner.ok()) << runner.status().message() << blas().fault;
    runner_ = *std::move(runner);
    x_ = numbers(c.sizeOfD, 4);
    auto a = inBF16(a_), b = inBF16(b_), bias = inBF16(bias_), x = inBF16(x_);
    std::vector<uint16_t> d(c.sizeOfD), input(c.sizeOfD);
    const void *inputs[] = {a.data(), b.data(), bias.data(), x.data()};
    void *outputs[] = {d.data(), input.data()};
    Status status = runner_->run("eval", inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.message() << fake().fault();
    d_ = fromBF16(d);
    input_ = fromBF16(input);
  }

  /// Compares the results with loops in f64.
  void expectProduct(const Case &c) {
    const MatrixProduct &p = c.product;
    for (int64_t batch = 0; batch < p.batch; ++batch)
      for (int64_t row = 0; row < p.rows; ++row)
        for (int64_t column = 0; column < p.columns; ++column) {
          double sum = p.hasBias ? bias_[static_cast<size_t>(row)] : 0;
          for (int64_t k = 0; k < p.depth; ++k)
            sum += double(at(p.a, a_, c.beginOfA, batch, row, k)) *
                   double(at(p.b, b_, 0, batch, k, column));
          double wanted = sum;
          if (p.isGradient)
            wanted *= derivativeOfGelu(at(*p.input, x_, 0, batch, row, column));
          else if (p.input)
            wanted *= 0.5 * (1 + tanhOfGelu(sum));
          EXPECT_NEAR(at(p.d, d_, 0, batch, row, column),
                      valueOfBF16(roundToBF16(wanted)), p.input ? 1e-6 : 0)
              << batch << " " << row << " " << column;
          if (p.input && !p.isGradient)
            EXPECT_EQ(at(*p.input, input_, 0, batch, row, column), sum);
        }
  }

  [[nodiscard]] bool isByKernel() const {
    return std::all_of(d_.begin(), d_.end(), [](float x) { return x == -1; });
  }
  [[nodiscard]] std::vector<std::string> warnings() const {
    return runner_->warnings();
  }

  std::string folder_;
  Values a_, b_, bias_, x_, d_, input_;
  std::unique_ptr<Runner> runner_;
};

TEST_F(DeviceProductsTest, MatricesLieInAnyOfTheirLayouts) {
  for (bool transposesA : {false, true})
    for (bool transposesB : {false, true}) {
      Case c = plainCase(transposesA, transposesB);
      run(c);
      expectProduct(c);
    }
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(DeviceProductsTest, ColumnsMayBeFarApartAndBeginAnywhere) {
  Case c = plainCase();
  c.product.a.leading = 9;
  c.product.b.leading = 8;
  c.product.d.leading = 6;
  c.beginOfA = 3;
  c.sizeOfA = 3 + 9 * 7;
  c.sizeOfB = 8 * 3;
  c.sizeOfD = 6 * 3;
  run(c);
  expectProduct(c);
}

TEST_F(DeviceProductsTest, ABatchMayShareAFactor) {
  Case c = plainCase();
  c.product.batch = 4;
  c.product.a.batchStride = 35;
  c.product.b.batchStride = 0;
  c.product.d.batchStride = 16;
  c.sizeOfA = 35 * 4;
  c.sizeOfD = 16 * 4;
  run(c);
  expectProduct(c);
}

TEST_F(DeviceProductsTest, BiasAndGeluBelongToTheProduct) {
  Case c = plainCase();
  c.product.rows = 8;
  c.product.a.leading = c.product.d.leading = 8;
  c.sizeOfA = 56;
  c.sizeOfD = 24;
  c.product.hasBias = true;
  run(c);
  expectProduct(c);
  c.product.input = c.product.d;
  run(c);
  expectProduct(c);
  c.product.hasBias = false;
  c.product.isGradient = true;
  run(c);
  expectProduct(c);
  EXPECT_THAT(warnings(), IsEmpty());
}

// 5 rows are no multiple of 8.
TEST_F(DeviceProductsTest, WhatTheLibraryHasNotIsTheKernels) {
  Case c = plainCase();
  c.product.input = c.product.d;
  run(c);
  EXPECT_TRUE(isByKernel());
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr(
                  "some products are computed by mpc's own kernels: cuBLASLt "
                  "13.0.0: cublasLtMatmulAlgoGetHeuristic failed: "
                  "CUBLAS_STATUS_NOT_SUPPORTED (15)")));
}

TEST_F(DeviceProductsTest, WithoutTheLibraryAllIsTheKernels) {
  auto warningWith = [&](const char *library, const char *settings) {
    ::setenv("MPC_CUBLASLT", library, 1);
    blas().reset();
    blas().set(settings);
    run(plainCase());
    EXPECT_TRUE(isByKernel());
    std::string all;
    for (const std::string &warning : warnings())
      all += warning;
    return all;
  };
  EXPECT_EQ(warningWith("off", ""), "");
  EXPECT_THAT(warningWith("/nowhere/libcublasLt.so.13", ""),
              AllOf(HasSubstr("all products are computed by mpc's own kernels: "
                              "no cuBLASLt (it comes with"),
                    HasSubstr("/nowhere/libcublasLt.so.13: cannot open")));
  EXPECT_THAT(warningWith(MPC_FAKE_CUDA, ""),
              HasSubstr("has no symbol 'cublasLtCreate': it is too old"));
  EXPECT_THAT(warningWith(MPC_FAKE_CUBLASLT, "version=140100"),
              HasSubstr("is cuBLASLt 14.1.0; mpc knows versions 12 to 13"));
  EXPECT_THAT(warningWith(MPC_FAKE_CUBLASLT, "version=110900"),
              HasSubstr("is cuBLASLt 11.9.0; mpc knows versions 12 to 13"));
  EXPECT_THAT(warningWith(MPC_FAKE_CUBLASLT, "fail=cublasLtCreate:1:1"),
              HasSubstr("cublasLtCreate failed: CUBLAS_STATUS_OTHER (1)"));
  EXPECT_THAT(warningWith(MPC_FAKE_CUBLASLT, "algorithms=0"),
              HasSubstr("some products are computed by mpc's own kernels"));
}

// Each part of a description that the library refuses.
TEST_F(DeviceProductsTest, ARefusedCallLeavesTheKernel) {
  for (const char *symbol :
       {"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute",
        "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutSetAttribute",
        "cublasLtMatmulPreferenceCreate",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic"}) {
    blas().reset();
    // Both runs that may be under way choose for themselves.
    std::string fail = "fail=" + std::string(symbol);
    blas().set(fail + ":1:7");
    run(plainCase());
    EXPECT_THAT(warnings(),
                ElementsAre(HasSubstr(std::string(symbol) + " failed: ")));
  }
}

TEST_F(DeviceProductsTest, TheFirstAlgorithmThatRunsIsTakenUnmeasured) {
  run(plainCase());
  expectProduct(plainCase());
  EXPECT_THAT(blas().runs, ElementsAre(2, 0, 0)) << "tried once, then run";
  EXPECT_EQ(blas().questions, 1);
  blas().reset();
  blas().set("fail=cublasLtMatmul:1:15");
  run(plainCase());
  expectProduct(plainCase());
  EXPECT_THAT(blas().runs, ElementsAre(0, 2, 0));
}

TEST_F(DeviceProductsTest, AnAlgorithmGetsNoMoreMemoryThanThereIs) {
  Case c = plainCase();
  useCache();
  run(c);
  EXPECT_GT(blas().runs[2], 0);
  blas().reset();
  c.scratch = 0;
  run(c);
  expectProduct(c);
  EXPECT_EQ(blas().runs[2], 0);
}

TEST_F(DeviceProductsTest, WhereTheDeviceHasNoMemoryLeftTheLibraryGetsNone) {
  Case c = plainCase();
  c.scratch = uint64_t(300) << 20; // The device has 256 MiB.
  useCache();
  run(c);
  expectProduct(c);
  EXPECT_GT(blas().runs[1], 0);
  EXPECT_EQ(blas().runs[2], 0) << "it needs memory";
  EXPECT_THAT(warnings(),
              ElementsAre(AllOf(HasSubstr("cuBLASLt gets no memory beside the "
                                          "arena: "),
                                HasSubstr("300.0 MiB"))));
}

TEST_F(DeviceProductsTest, TheFastestIsTakenAndKept) {
  useCache();
  run(plainCase());
  expectProduct(plainCase());
  // Each is timed with a run before three; the second is the first of the
  // fastest ones, and runs once more.
  EXPECT_THAT(blas().runs, ElementsAre(4, 5, 4));
  blas().reset();
  run(plainCase());
  expectProduct(plainCase());
  EXPECT_THAT(blas().runs, ElementsAre(0, 2, 0));
  EXPECT_EQ(blas().questions, 0) << "another process asks no more";
}

TEST_F(DeviceProductsTest, AKernelThatIsFasterIsTakenAndKept) {
  useCache();
  blas().set("slow");
  run(plainCase());
  EXPECT_TRUE(isByKernel());
  EXPECT_THAT(warnings(), IsEmpty());
  blas().reset();
  run(plainCase());
  EXPECT_TRUE(isByKernel());
  EXPECT_THAT(blas().runs, Each(0));
}

TEST_F(DeviceProductsTest, AChoiceIsOfItsProductLibraryAndDevice) {
  useCache();
  run(plainCase());
  auto questionsFor = [&](const Case &c, const char *settings, int minor) {
    blas().reset();
    blas().set(settings);
    runner_.reset();
    cuda::test::FakeMachine machine;
    machine.minor = minor;
    useMachine(machine);
    run(c);
    return blas().questions;
  };
  EXPECT_EQ(questionsFor(plainCase(), "", 0), 0);
  EXPECT_EQ(questionsFor(plainCase(), "version=130001", 0), 1);
  EXPECT_EQ(questionsFor(plainCase(), "", 1), 1);
  EXPECT_EQ(questionsFor(plainCase(true), "", 0), 1);
  Case other = plainCase();
  other.product.hasBias = true;
  EXPECT_EQ(questionsFor(other, "", 0), 1);
  other = plainCase();
  other.beginOfA = 1;
  other.sizeOfA = 36;
  EXPECT_EQ(questionsFor(other, "", 0), 1) << "addresses are aligned otherwise";
  other = plainCase();
  other.scratch = 0;
  EXPECT_EQ(questionsFor(other, "", 0), 1);
}

TEST_F(DeviceProductsTest, ADamagedChoiceIsMadeAgain) {
  useCache();
  run(plainCase());
  auto runWith = [&](const std::string &content) {
    for (const auto &file : std::filesystem::directory_iterator(folder_))
      if (file.path().extension() == ".choice")
        std::ofstream(file.path(), std::ios::binary) << content;
    blas().reset();
    run(plainCase());
    expectProduct(plainCase());
    return blas().questions;
  };
  EXPECT_EQ(runWith(""), 1);
  EXPECT_EQ(runWith(std::string(63, 'x')), 1);
  EXPECT_EQ(runWith(std::string(64, 'x')), 1) << "the library refuses it";
}

TEST_F(DeviceProductsTest, ARunIsOneGraphWithTheProductInIt) {
  run(plainCase());
  int launches = fake().count("cuGraphLaunch");
  int products = blas().runs[0];
  auto a = inBF16(a_), b = inBF16(b_), bias = inBF16(bias_), x = inBF16(x_);
  std::vector<uint16_t> d(15), input(15);
  const void *inputs[] = {a.data(), b.data(), bias.data(), x.data()};
  void *outputs[] = {d.data(), input.data()};
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(runner_->run("eval", inputs, outputs).ok());
  EXPECT_EQ(fake().count("cuGraphLaunch"), launches + 3);
  EXPECT_EQ(blas().runs[0], products + 3);
}

// As on several ranks, which must all choose alike.
TEST_F(DeviceProductsTest, WhereNothingIsMeasuredNothingIsKept) {
  useCache();
  Case c = plainCase();
  cuda::Stream stream = *cuda::Stream::create(context());
  auto allocate = [&](size_t count) {
    return *cuda::DeviceBuffer::allocate(context(), count * 2, "a factor");
  };
  cuda::DeviceBuffer a = allocate(c.sizeOfA), b = allocate(c.sizeOfB),
                     d = allocate(c.sizeOfD);
  for (bool measures : {false, true}) {
    blas().reset();
    int kernels = 0;
    DeviceProducts products(context(), stream, measures);
    Status chosen = products.choose(
        {c.product, a.pointer(), b.pointer(), d.pointer()}, 0, [&]() -> Status {
          ++kernels;
          return {};
        });
    ASSERT_TRUE(chosen.ok()) << chosen.message();
    size_t files = 0;
    if (std::filesystem::exists(folder_))
      for (const auto &file : std::filesystem::directory_iterator(folder_))
        files += file.path().extension() == ".choice";
    EXPECT_EQ(files, measures ? 1 : 0);
    EXPECT_EQ(kernels > 0, measures);
  }
}

TEST_F(DeviceProductsTest, AProductMovesWithItsModule) {
  auto program = makeProgram(plainCase());
  auto shifted = program->entries[0].launches[0].command->shifted({0, 3});
  const auto *moved = dynamic_cast<const LibraryProduct *>(shifted.get());
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->module(), 3U);
  EXPECT_EQ(moved->product(), plainCase().product);
  EXPECT_EQ(moved->scratchBytes(), plainCase().scratch);
}

// Each field of a product, and of its parts, in turn lost or another thing.
TEST_F(DeviceProductsTest, ADamagedFieldIsRefused) {
  Case c = plainCase();
  c.product.hasBias = true;
  c.product.input = c.product.d;
  std::shared_ptr<const Program> programs[] = {makeProgram(c)};
  std::vector<Section> sections = *encodeManifest(programs);
  auto whole = nlohmann::json::parse(sections[0].bytes.view());
  nlohmann::json::json_pointer launch("/variants/0/entries/0/launches/0");
  ASSERT_EQ(whole.at(launch).at("kind"), "library_product");
  auto expectRefused = [&](const nlohmann::json &manifest,
                           const std::string &what) {
    std::string text = manifest.dump();
    std::vector<Section> damaged = sections;
    damaged[0].bytes =
        SharedBytes::of(std::vector<char>(text.begin(), text.end()));
    EXPECT_FALSE(parseManifest(damaged).ok()) << what;
  };
  const auto fields = whole.at(launch).at("product").flatten();
  for (const auto &[place, value] : fields.items()) {
    auto manifest = whole;
    auto path = launch / "product" / nlohmann::json::json_pointer(place);
    manifest[path] = nlohmann::json::array();
    expectRefused(manifest, place + " is a list");
    manifest[path.parent_pointer()].erase(path.back());
    expectRefused(manifest, place + " is missing");
  }
  for (const nlohmann::json &other : {nlohmann::json(), nlohmann::json(3)}) {
    auto manifest = whole;
    manifest[launch]["product"] = other;
    expectRefused(manifest, "no product");
    for (const char *part : {"a", "b", "d", "bias", "input"}) {
      manifest = whole;
      manifest[launch]["product"][part] = other;
      expectRefused(manifest, part);
    }
  }
}

TEST_F(DeviceProductsTest, APlaceThatDoesNotFitIsRefused) {
  auto faultOf = [&](auto &&change) {
    Case c = plainCase();
    auto program = makeProgram(c);
    Launch &launch = program->entries[0].launches[0];
    const auto *made = launch.as<LibraryProduct>();
    MatrixProduct product = made->product();
    ProductPlaces places = made->places();
    change(product, places, launch);
    launch.command =
        std::make_shared<LibraryProduct>(*made, product, places, 0);
    std::string message = Runner::create(program).status().message();
    std::string where = "program: entry 'eval', launch 0 ('minus'): ";
    return message.starts_with(where) ? message.substr(where.size()) : message;
  };
  using P = MatrixProduct &;
  using W = ProductPlaces &;
  using L = Launch &;
  const std::string shapes = "its matrices are not those of a product";
  EXPECT_EQ(faultOf([](P p, W, L) { p.rows = 0; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.depth = int64_t(1) << 40; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.batch = -1; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.a.leading = 4; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.b.batchStride = -1; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.d.isTransposed = true; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.a.dtype = DType::I32; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.d.dtype = DType::F64; }), shapes);
  EXPECT_EQ(faultOf([](P p, W, L) { p.a.leading = INT64_MAX; }),
            "its a does not fit its buffer");
  EXPECT_EQ(faultOf([](P p, W, L) { p.b.leading = 8; }),
            "its b does not fit its buffer");
  EXPECT_EQ(faultOf([](P p, W, L) {
              p.batch = 2;
              p.d.batchStride = 1;
            }),
            "its d does not fit its buffer");
  EXPECT_EQ(faultOf([](P, W w, L) { w.a.offset = 2; }),
            "its a does not fit its buffer");
  EXPECT_EQ(faultOf([](P, W w, L) { w.a.buffer = 4; }),
            "its a is not a buffer that it reads");
  EXPECT_EQ(faultOf([](P, W w, L) { w.d.buffer = 0; }),
            "its d is not a buffer that it writes");
  EXPECT_EQ(faultOf([](P, W w, L) { w.bias = ProductPlace{2, 2}; }),
            "its bias does not fit its buffer");
  EXPECT_EQ(faultOf([](P p, W w, L) {
              p.input = p.d;
              w.input = ProductPlace{5, 2};
            }),
            "its input does not fit its buffer");
  EXPECT_EQ(faultOf([](P p, W w, L) {
              p.input = p.d;
              p.isGradient = true;
              w.input = ProductPlace{5, 0};
            }),
            "its input is not a buffer that it reads");
  EXPECT_EQ(faultOf([](P, W, L l) { l.buffers[4].space = Space::State; }),
            "its d is not in memory of a run");
}

} // namespace
} // namespace mpc::rt
