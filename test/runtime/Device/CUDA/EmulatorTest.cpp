// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emulator finds what a kernel does wrong: each fault is planted in a text
// that runs without it.
#include "test/runtime/Device/CUDA/FakeCuda.h"
#include "test/runtime/Device/CUDA/KernelInputs.h"

#include <gmock/gmock.h>

namespace mpc::rt::cuda::test {
namespace {

using testing::HasSubstr;

class Emulator : public FakeCuda {
protected:
  Emulator() { expectLeftovers(); }

  /// Runs kernel `k(float *x, int count)` of this body on a block of `threads`
  /// and `x`; the fault that was found, or "".
  std::string faultOf(const std::string &body, std::vector<float> &x,
                      uint32_t threads = 64, uint32_t blocks = 1,
                      uint32_t shared = 0) {
    Source source = withPrelude(
        "k.cu", "extern \"C\" __global__ void k(float *x, int count) {\n"
                "  int i = static_cast<int>(threadIdx.x);\n"
                "  (void)i;\n" +
                    body + "}\n");
    useMachine({});
    fake().setSeed(seed_);
    KernelRunner runner(context(), fakeNvrtc());
    Status status =
        runner.run(source, "k", {{blocks, 1, 1}, {threads, 1, 1}, shared},
                   {inOut(x)}, {static_cast<int>(x.size())});
    std::string fault = fake().fault();
    EXPECT_EQ(status.ok(), fault.empty()) << status.message();
    return fault;
  }
  std::string faultOf(const std::string &body, uint32_t threads = 64,
                      uint32_t blocks = 1, uint32_t shared = 0) {
    std::vector<float> x(threads, 1.0F);
    return faultOf(body, x, threads, blocks, shared);
  }
  void useSeed(uint32_t seed) { seed_ = seed; }

private:
  uint32_t seed_ = 1;
};

/// `text` with its last `from` changed to `to`: the kernel stands behind the
/// prelude, which may have the same.
std::string planted(std::string text, const std::string &from,
                    const std::string &to) {
  size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at == std::string::npos)
    return text;
  return text.replace(at, from.size(), to);
}

//===----------------------------------------------------------------------===//
// Barriers and races
//===----------------------------------------------------------------------===//

const char *const kReverse = R"(
  __shared__ float tile[64];
  tile[i] = x[i];
  mpc_sync_block();
  x[i] = tile[63 - i];
)";

TEST_F(Emulator, AMissingBarrierIsARaceUnderEverySeed) {
  for (uint32_t seed : {1U, 2U, 3U, 4U}) {
    useSeed(seed);
    EXPECT_EQ(faultOf(kReverse), "");
    // Whether the other thread has run yet decides what is seen.
    EXPECT_THAT(faultOf(planted(kReverse, "mpc_sync_block();", "")),
                testing::AnyOf(HasSubstr("races with thread"),
                               HasSubstr("which nobody has written")));
  }
}

TEST_F(Emulator, ABufferUsedAgainWithoutABarrierIsARace) {
  const char *twice = R"(
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int round = 0; round < 2; ++round) {
    tile[i] = x[i];
    mpc_sync_block();
    sum = sum + tile[63 - i];
    mpc_sync_block(); // again
  }
  x[i] = sum;
)";
  EXPECT_EQ(faultOf(twice), "");
  EXPECT_THAT(faultOf(planted(twice, "mpc_sync_block(); // again", "")),
              HasSubstr("races with thread"));
}

TEST_F(Emulator, ALaneThatReadsAnothersBeforeAWarpBarrierIsARace) {
  const char *neighbour = R"(
  __shared__ float tile[64];
  tile[i] = x[i];
  mpc_sync_warp(MPC_FULL_WARP);
  x[i] = tile[i ^ 1];
)";
  EXPECT_EQ(faultOf(neighbour), "");
  EXPECT_NE(faultOf(planted(neighbour, "mpc_sync_warp(MPC_FULL_WARP);", "")),
            "");
  // A warp's barrier does not order other warps.
  EXPECT_NE(faultOf(planted(neighbour, "i ^ 1", "i ^ 32")), "");
}

TEST_F(Emulator, BlocksThatWriteTheSameElementAreARace) {
  EXPECT_EQ(faultOf("x[blockIdx.x * 64 + i] = 1.0f;\n", 64, 1), "");
  EXPECT_THAT(faultOf("x[i] = 1.0f;\n", 64, 2), HasSubstr("of block 0"));
}

TEST_F(Emulator, AtomicsDoNotRace) {
  const char *flag = "mpc_atomic_or(reinterpret_cast<mpc_u32 *>(x), 1u);\n";
  EXPECT_EQ(faultOf(flag, 64, 2), "");
  std::vector<float> x(2);
  EXPECT_THAT(faultOf(std::string(flag) + "x[1] = x[0];\n", x, 1, 2),
              HasSubstr("races"));
}

TEST_F(Emulator, ReadingSharedMemoryThatNobodyWroteIsFound) {
  EXPECT_THAT(faultOf("__shared__ float tile[64];\n"
                      "if (i < 63) tile[i] = 1.0f;\n"
                      "mpc_sync_block();\nx[i] = tile[i];\n"),
              HasSubstr("byte 252 of 256 bytes of static shared memory, which "
                        "nobody has written"));
}

//===----------------------------------------------------------------------===//
// Bounds and alignment
//===----------------------------------------------------------------------===//

TEST_F(Emulator, OneElementTooFarIsFoundWithItsPlace) {
  const char *edge = "if (i < count) x[i] = 2.0f;\n";
  std::vector<float> x(63);
  EXPECT_EQ(faultOf(edge, x), "");
  std::string fault = faultOf(planted(edge, "<", "<="), x);
  EXPECT_THAT(fault, HasSubstr("kernel 'k', block (0,0,0), thread (63,0,0): a "
                               "write of 4 bytes"));
  EXPECT_THAT(fault,
              HasSubstr("at byte 252 of an allocation of 252 bytes, outside of "
                        "memory"));
}

TEST_F(Emulator, OneElementTooFarOfSharedMemoryIsFound) {
  EXPECT_THAT(faultOf("MPC_DYNAMIC_SHARED(float, tile);\ntile[i] = x[i];\n", 64,
                      1, 63 * 4),
              HasSubstr("a write of 4 bytes"));
}

TEST_F(Emulator, ANullPointerIsNoMemory) {
  EXPECT_THAT(faultOf("float *nothing = nullptr;\n"
                      "asm(\"\" : \"+r\"(nothing));\nx[i] = *nothing;\n"),
              HasSubstr("which is no device memory"));
}

TEST_F(Emulator, SixteenBytesAreAligned) {
  const char *load = "mpc_store16(x, mpc_load16(x + 4));\n";
  std::vector<float> x(8);
  EXPECT_EQ(faultOf(load, x, 1), "");
  EXPECT_THAT(faultOf(planted(load, "+ 4", "+ 3"), x, 1),
              HasSubstr("at byte 12 of an allocation of 32 bytes, which is not "
                        "aligned"));
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

TEST_F(Emulator, AShuffleInDivergentCodeNeverEnds) {
  const char *sum = "x[i] = mpc_warp_sum(x[i]);\n";
  EXPECT_EQ(faultOf(sum), "");
  EXPECT_THAT(faultOf(std::string("if (i != 5) ") + sum),
              HasSubstr("not all threads reach the same barrier: 31 "
                        "threads at shuffle"));
}

TEST_F(Emulator, ABarrierThatSomeThreadsLeaveOutIsFound) {
  EXPECT_THAT(faultOf("if (i < 32) mpc_sync_block();\nx[i] = 1.0f;\n"),
              HasSubstr("32 threads at block barrier"));
  EXPECT_THAT(faultOf("if (i < 32) mpc_sync_block();\n"
                      "else\nmpc_sync_block();\nx[i] = 1.0f;\n"),
              HasSubstr("32 threads at block barrier (line"));
}

TEST_F(Emulator, AWrongLaneGivesAWrongResult) {
  const char *rotate = "x[i] = mpc_shuffle(MPC_FULL_WARP, x[i], i + 1);\n";
  std::vector<float> right(32), wrong(32);
  for (size_t i = 0; i < 32; ++i)
    right[i] = wrong[i] = static_cast<float>(i);
  EXPECT_EQ(faultOf(rotate, right, 32), "");
  EXPECT_EQ(faultOf(planted(rotate, "i + 1", "i + 2"), wrong, 32), "");
  EXPECT_EQ(right[3], 4.0F);
  EXPECT_EQ(wrong[3], 5.0F);
}

TEST_F(Emulator, AVoteIsSeenByAllLanes) {
  std::vector<float> x(64);
  std::string vote =
      "mpc_u32 some = mpc_ballot(MPC_FULL_WARP, i % 32 == 5 || i % 32 == 31);\n"
      "x[i] = static_cast<float>(mpc_lowest(some) + (some >> 31) * 100);\n";
  EXPECT_EQ(faultOf(vote, x), "");
  EXPECT_EQ(x, std::vector<float>(64, 105.0F));
  EXPECT_THAT(faultOf("if (i != 5) {\n" + vote + "}\n"),
              HasSubstr("31 threads at ballot"));
}

TEST_F(Emulator, AMaskThatLeavesItsOwnLaneOutIsMisuse) {
  EXPECT_THAT(faultOf("x[i] = mpc_shuffle_xor(0xffffu, x[i], 1);\n", 32),
              HasSubstr("by a lane that its mask 0xffff leaves out"));
}

//===----------------------------------------------------------------------===//
// The matrix product with faults
//===----------------------------------------------------------------------===//

/// The fault of the product of 128 x 128 x 160 with this change of its text;
/// "wrong" if it ends with a wrong result.
class PlantedMatmul : public Emulator {
protected:
  std::string outcome(const std::string &from, const std::string &to) {
    Source source = inputKernels("matmul");
    source.text = planted(source.text, from, to);
    useMachine({});
    KernelRunner runner(context(), fakeNvrtc());
    constexpr int kM = 100, kN = 128, kK = 160;
    std::vector<uint16_t> a(kM * kK), b(kN * kK);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = roundToF16(static_cast<float>(i * 7 % 5) - 2);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = roundToF16(static_cast<float>(i * 3 % 7) - 3);
    std::vector<float> c(kM * kN, NAN);
    Status status = runner.run(source, "matmul_f16",
                               {{1, 1, 1}, {256, 1, 1}, kMatmulShared},
                               {inOut(a), inOut(b), inOut(c)}, {kM, kN, kK});
    if (!status.ok())
      return fake().fault();
    for (size_t i = 0; i < kM; ++i)
      for (size_t j = 0; j < kN; ++j) {
        double sum = 0;
        for (size_t l = 0; l < kK; ++l)
          sum += static_cast<double>(valueOfF16(a[i * kK + l])) *
                 valueOfF16(b[j * kK + l]);
        if (static_cast<double>(c[i * kN + j]) != sum)
          return "wrong";
      }
    return "right";
  }
};

TEST_F(PlantedMatmul, IsRightWithoutAFault) {
  EXPECT_EQ(outcome("mpc_sync_block();", "mpc_sync_block(); "), "right");
}

TEST_F(PlantedMatmul, AMissingWaitIsFound) {
  EXPECT_THAT(outcome("mpc_copy_async_wait<STAGES - 2>();", ""),
              HasSubstr("to which an asynchronous copy of thread"));
}

TEST_F(PlantedMatmul, WaitingForOneGroupTooFewIsFound) {
  EXPECT_THAT(outcome("mpc_copy_async_wait<STAGES - 2>();",
                      "mpc_copy_async_wait<STAGES - 1>();"),
              HasSubstr("to which an asynchronous copy of thread"));
}

TEST_F(PlantedMatmul, AMissingBarrierIsFound) {
  EXPECT_NE(outcome("    mpc_sync_block();\n", ""), "right");
}

TEST_F(PlantedMatmul, AStageThatIsStillReadIsFound) {
  // Two stages where three are needed: the copy runs into the reader's tile.
  EXPECT_THAT(outcome("load(step + 2);", "load(step + 3);"),
              testing::AnyOf(HasSubstr("asynchronous copy"), HasSubstr("races"),
                             testing::Eq("wrong")));
}

TEST_F(PlantedMatmul, AnEdgeThatIsOneTooFarIsFound) {
  EXPECT_THAT(outcome("row + r < rows &&", "row + r <= rows &&"),
              HasSubstr("outside of memory"));
  EXPECT_THAT(outcome("r < o.m && q < o.n", "r <= o.m && q < o.n"),
              HasSubstr("outside of memory"));
}

TEST_F(PlantedMatmul, AWrongLaneOfAFragmentIsFound) {
  EXPECT_EQ(outcome("(lane >> 3 & 1)", "(lane >> 4 & 1)"), "wrong");
}

} // namespace
} // namespace mpc::rt::cuda::test
