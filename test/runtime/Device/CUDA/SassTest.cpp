// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude and the test kernels compiled by NVRTC for every architecture:
// no spills, and the instructions that each of them is meant to become.
#include "runtime/Program/Cubin.h"
#include "test/runtime/Device/CUDA/KernelRunner.h"
#include "test/runtime/Device/CUDA/RealNvrtc.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <unistd.h>

namespace mpc::rt::cuda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// "LDG.E.128.CONSTANT" and so on, each once, of disassembled code.
std::set<std::string> opcodesOf(const std::string &sass) {
  static const std::regex kLine(R"(\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]+))");
  std::set<std::string> opcodes;
  for (std::sregex_iterator found(sass.begin(), sass.end(), kLine), end;
       found != end; ++found)
    opcodes.insert((*found)[1]);
  return opcodes;
}

bool hasOpcode(const std::set<std::string> &opcodes,
               const std::string &pattern) {
  std::regex wanted(pattern);
  return std::any_of(opcodes.begin(), opcodes.end(), [&](const auto &opcode) {
    return std::regex_match(opcode, wanted);
  });
}

/// What a kernel must have: its most registers, and patterns of opcodes.
struct Expectation {
  const char *kernel;
  int registers;
  std::vector<const char *> opcodes;
};

constexpr const char *kLoad16 = R"(LDG\.E\.128.*)";
constexpr const char *kStore16 = R"(STG\.E\.128.*)";
constexpr const char *kShuffle = R"(SHFL\.BFLY)";
constexpr const char *kMatrices = R"(LDSM\.16\.M88\.4)";
constexpr const char *kCopy16 = R"(LDGSTS\.E\.BYPASS.*\.128.*)";

// Two blocks of 256 threads find room in 65536 registers with 128 a thread;
// without cp.async, on sm_75, the product takes a few more.
const std::vector<Expectation> kSince80 = {
    {"map_bias_gelu", 64, {kLoad16, kStore16}},
    {"row_softmax", 40, {kShuffle}},
    {"sum_blocks", 48, {kLoad16, kShuffle}},
    {"matmul_f16", 128, {kMatrices, kCopy16, R"(HMMA\.16816\.F32)"}},
    {"matmul_bf16", 128, {kMatrices, kCopy16, R"(HMMA\.16816\.F32\.BF16)"}},
    {"matrices", 40, {kMatrices, R"(LDSM\.16\.MT88\.4)"}},
    {"products", 40, {R"(HMMA\.1688\.F32)", R"(HMMA\.16816\.F32)"}},
};
const std::vector<Expectation> kBefore80 = {
    {"map_bias_gelu", 64, {kLoad16, kStore16}},
    {"row_softmax", 40, {kShuffle}},
    {"sum_blocks", 48, {kLoad16, kShuffle}},
    {"matmul_f16", 136, {kMatrices, R"(HMMA\.1688\.F32)"}},
    {"matrices", 40, {kMatrices, R"(LDSM\.16\.MT88\.4)"}},
    {"products", 40, {R"(HMMA\.1688\.F32)"}},
};

/// All test kernels as one text: a disassembler takes longer to start than to
/// run.
Source allKernels() {
  std::string text;
  for (const char *name : {"map", "softmax", "sum", "matmul", "instructions"})
    text += readText(MPC_TEST_INPUTS "/cuda/" + std::string(name) + ".cu");
  return withPrelude("all.cu", text);
}

/// "REG:32" of the kernel in what cuobjdump prints; -1 where it is not there.
int registersOf(const std::string &resources, const std::string &kernel) {
  std::smatch found;
  std::regex pattern("Function " + kernel + ":\\s+REG:([0-9]+)");
  return std::regex_search(resources, found, pattern) ? std::stoi(found[1])
                                                      : -1;
}

/// How many instructions of a disassembly have an opcode of `pattern`.
uint64_t countOf(const std::string &sass, const std::string &pattern) {
  std::regex line(R"(\*/\s+(?:@!?U?P\w+\s+)?)" + pattern + R"([\s.;])");
  return static_cast<uint64_t>(
      std::distance(std::sregex_iterator(sass.begin(), sass.end(), line), {}));
}

/// What our own reader says of a kernel, against NVIDIA's tools.
void expectAsDisassembled(const CubinKernel &kernel, const std::string &sass,
                          int registers) {
  EXPECT_EQ(kernel.registers, static_cast<uint32_t>(registers));
  EXPECT_EQ(kernel.products, countOf(sass, "HMMA"));
  EXPECT_EQ(kernel.globalAccesses, countOf(sass, "(?:LDG|STG|LDGSTS)"));
  EXPECT_EQ(kernel.sharedAccesses, countOf(sass, "(?:LDS|STS|LDSM)"));
  EXPECT_EQ(kernel.localAccesses, countOf(sass, "(?:LDL|STL)"));
  EXPECT_EQ(kernel.localBytes, 0U);
  EXPECT_EQ(kernel.instructions,
            countOf(sass, "[A-Z]\\w*") - countOf(sass, "NOP"));
}

std::span<const std::byte> bytesOf(const std::vector<char> &image) {
  return std::as_bytes(std::span(image));
}

class Sass : public testing::TestWithParam<int> {};

TEST_P(Sass, HasNoSpillsAndTheInstructionsThatAreMeant) {
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  int arch = GetParam();
  if (std::ranges::count((*nvrtc)->archs(), arch) == 0)
    GTEST_SKIP() << "NVRTC " << (*nvrtc)->version() << " does not know it";
  std::vector<std::string> options = {"--ptxas-options=-v"};
  auto image =
      (*nvrtc)->compile(allKernels(), {{arch}, Target::Kind::Cubin}, options);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_THAT(image->log, Not(HasSubstr("warning")));
  EXPECT_THAT(image->log, HasSubstr("0 bytes spill stores"));
  static const std::regex kSpill("[1-9][0-9]* bytes spill");
  EXPECT_FALSE(std::regex_search(image->log, kSpill)) << image->log;
  std::string resources = inspect("cuobjdump", "--dump-resource-usage", *image);
  std::string sass = inspect("nvdisasm", "-c", *image);
  MPC_REQUIRE(!sass.empty() && !resources.empty(),
              "no nvdisasm or no cuobjdump");
  auto kernels = readCubin(bytesOf(image->bytes));
  ASSERT_TRUE(kernels.ok()) << kernels.status().message();
  for (const Expectation &expected : arch < 80 ? kBefore80 : kSince80) {
    SCOPED_TRACE(expected.kernel);
    auto opcodes = opcodesOf(sectionOf(sass, expected.kernel));
    EXPECT_FALSE(hasOpcode(opcodes, "(LDL|STL).*")) << "local memory";
    for (const char *pattern : expected.opcodes)
      EXPECT_TRUE(hasOpcode(opcodes, pattern))
          << pattern << " in " << testing::PrintToString(opcodes);
    int registers = registersOf(resources, expected.kernel);
    EXPECT_GT(registers, 0);
    EXPECT_LE(registers, expected.registers);
    expectAsDisassembled((*kernels)[expected.kernel],
                         sectionOf(sass, expected.kernel), registers);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Sass,
                         testing::Values(75, 80, 86, 89, 90, 100, 120),
                         [](const auto &info) {
                           return "sm_" + std::to_string(info.param);
                         });

constexpr const char *kSpilling = R"(
extern "C" __global__ void __launch_bounds__(1024, 2)
spilling(float *x, int n) {
  __shared__ float rows[640];
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; ++i)
    v[i] = x[i * n];
  rows[threadIdx.x % 640] = v[n];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i)
    x[i] = v[i] * v[63 - i] + rows[i];
})";

TEST(RealNvrtc, SpillsAndSharedMemoryAreReadOffTheCode) {
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  auto image = (*nvrtc)->compile({"spilling.cu", kSpilling},
                                 {{80}, Target::Kind::Cubin});
  ASSERT_TRUE(image.ok()) << image.status().message();
  auto kernels = readCubin(bytesOf(image->bytes));
  ASSERT_TRUE(kernels.ok()) << kernels.status().message();
  const CubinKernel &kernel = kernels->at("spilling");
  EXPECT_LE(kernel.registers, 32U); // 2048 threads share 65536.
  EXPECT_GE(kernel.localBytes, 256U);
  EXPECT_GT(kernel.localAccesses, 64U);
  EXPECT_EQ(kernel.sharedBytes, 640U * sizeof(float));
}

// Whatever is wrong with the file, nothing is read outside of it.
TEST(RealNvrtc, ADamagedCubinIsAnErrorOrReadWithin) {
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  auto image = (*nvrtc)->compile({"spilling.cu", kSpilling},
                                 {{80}, Target::Kind::Cubin});
  ASSERT_TRUE(image.ok()) << image.status().message();
  const std::vector<char> &whole = image->bytes;
  for (size_t size = 0; size < whole.size(); size += 7) {
    std::vector<char> part(whole.begin(),
                           whole.begin() + static_cast<std::ptrdiff_t>(size));
    // What lies behind the table of sections is not needed.
    EXPECT_FALSE(readCubin(bytesOf(part)).ok() && size < whole.size() / 2);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::vector<char> damaged = whole;
    for (int change = 0; change < 3; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)readCubin(bytesOf(damaged));
  }
}

TEST(RealNvrtc, ReportsArchitecturesAndWritesPtx) {
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  EXPECT_TRUE(std::ranges::is_sorted((*nvrtc)->archs()));
  int newest = (*nvrtc)->archs().back();
  auto target = (*nvrtc)->targetFor({newest / 10 + 1, 0});
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(*target, (Target{{newest}, Target::Kind::Ptx}));
  auto image = (*nvrtc)->compile(inputKernels("sum"), *target);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_THAT(image->bytes.data(),
              HasSubstr(".target sm_" + std::to_string(newest)));
  EXPECT_EQ(image->bytes.back(), '\0');
}

TEST(RealNvrtc, AnErrorComesWithTheLog) {
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  Source broken = {"broken.cu", "__global__ void k() { undeclared; }\n"};
  auto image = (*nvrtc)->compile(broken, {{90}, Target::Kind::Cubin});
  ASSERT_FALSE(image.ok());
  EXPECT_THAT(image.status().message(),
              HasSubstr("broken.cu(1): error: identifier \"undeclared\" is "
                        "undefined"));
}

TEST(RealNvrtc, CompilesOnSeveralThreads) {
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  std::vector<Source> sources = {inputKernels("softmax"), inputKernels("sum")};
  auto images = (*nvrtc)->compileAll(sources, {{90}, Target::Kind::Cubin}, 2);
  ASSERT_TRUE(images.ok()) << images.status().message();
  for (size_t i = 0; i < sources.size(); ++i) {
    auto alone = (*nvrtc)->compile(sources[i], {{90}, Target::Kind::Cubin});
    ASSERT_TRUE(alone.ok());
    EXPECT_EQ((*images)[i].bytes, alone->bytes) << sources[i].name;
  }
}

} // namespace
} // namespace mpc::rt::cuda::test
