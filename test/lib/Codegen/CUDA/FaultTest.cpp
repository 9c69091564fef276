// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults planted in emitted text are found, by the emulator or by the result.
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mpc;
using namespace mpc::test;

namespace {

/// What is wrong once `from` in the text of `kernel` is `to`: with the run, or
/// "the result". Empty where nothing is.
std::string outcome(Emitted kernel, const Buffers &buffers,
                    const std::vector<uint8_t> &want, const std::string &from,
                    const std::string &to) {
  size_t begin = kernel.text.find("// End of the prelude."), at = 0;
  at = kernel.text.find(from, begin);
  EXPECT_NE(at, std::string::npos) << from << kernel.text.substr(begin);
  if (at == std::string::npos)
    return "";
  kernel.text.replace(at, from.size(), to);
  for (uint32_t seed : {1u, 2u, 3u}) {
    Buffers after = buffers;
    rt::Status status = launch(kernel, after, {80, seed});
    if (!status.ok())
      return status.message();
    if (after.back() != want)
      return "the result";
  }
  return "";
}

/// A product of 70 x 35 x 100, whose columns are walked one by one.
std::string product(const std::string &type) {
  std::string widen = type == "f32" ? "%2 = math.fma %x, %y, %o : f32"
                                    : "%0 = arith.extf %x : f16 to f32\n"
                                      "    %1 = arith.extf %y : f16 to f32\n"
                                      "    %2 = math.fma %0, %1, %o : f32";
  return llvm::formatv(R"(
kernel.func @k(%a: tensor<70x100x{0}>, %b: tensor<100x35x{0}>, %d: tensor<70x35xf32>) -> tensor<70x35xf32> {{
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<70x35xf32>) -> tensor<70x35xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<70x100x{0}>, tensor<100x35x{0}>) outs(%none : tensor<70x35xf32>) {{
  ^bb0(%x: {0}, %y: {0}, %o: f32):
    {1}
    linalg.yield %2 : f32
  } -> tensor<70x35xf32>
  kernel.return %r : tensor<70x35xf32>
})",
                       type, widen)
      .str();
}

void expectFound(const std::string &type,
                 std::vector<std::pair<const char *, const char *>> faults) {
  std::string text = product(type);
  Buffers buffers = {wholeNumbers(7000, 1, type), wholeNumbers(3500, 2, type),
                     room<float>(2450)};
  Emitted kernel = emitAll(text, 80).front();
  std::vector<uint8_t> want = runOnCpu(text, buffers).back();
  EXPECT_EQ(outcome(kernel, buffers, want, "fetch(0);", "fetch(0); "), "");
  for (auto [from, to] : faults)
    EXPECT_NE(outcome(kernel, buffers, want, from, to), "") << from;
}

TEST(CudaFaults, InAProductOnTensorCores) {
  expectFound("f16", {{"mpc_sync_block();\n    fetch", "fetch"},
                      {"    mpc_sync_block();\n    mpc_put", "    mpc_put"},
                      {"fetch(step + 2);", "fetch(step + 3);"},
                      {"keep(step + 2);", "keep(step + 1);"},
                      {"m < 70", "m < 71"},
                      {"mpc_warp() / 2 * 32", "mpc_warp() % 2 * 32"}});
}

TEST(CudaFaults, InAProductOfF32) {
  expectFound("f32",
              {{"mpc_copy_async_wait<0>();", "mpc_copy_async_wait<1>();"},
               {"mpc_lane() % 8", "mpc_lane() % 4"},
               {"n < 35", "n < 36"},
               {"k < 100", "k < 101"},
               {"step % 2 *", "(step + 1) % 2 *"}});
}

TEST(CudaFaults, InAScatter) {
  std::string text = R"(
kernel.func @k(%u: tensor<1x600x3xf32>, %i: tensor<600xi64>, %d: tensor<1x400x3xf32>) -> tensor<1x400x3xf32> {
  %one = arith.constant 1.0 : f32
  %first = linalg.fill ins(%one : f32) outs(%d : tensor<1x400x3xf32>) -> tensor<1x400x3xf32>
  %r = kernel.scatter ins(%u, %i : tensor<1x600x3xf32>, tensor<600xi64>) outs(%first : tensor<1x400x3xf32>) by sum
  kernel.return %r : tensor<1x400x3xf32>
})";
  std::vector<int64_t> rows(600);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<int64_t>(i * i % 400);
  Buffers buffers = {bytes(randoms(1800)), bytes(rows), room<float>(1200)};
  Emitted kernel = emitAll(text, 80).front();
  std::vector<uint8_t> want = runOnCpu(text, buffers).back();
  auto found = [&](const char *from, const char *to) {
    return outcome(kernel, buffers, want, from, to);
  };
  EXPECT_EQ(found("rows[threadIdx.x]", "rows[threadIdx.x] "), "");
  EXPECT_NE(found("mpc_sync_block();", ""), "");
  EXPECT_NE(found("mpc_sync_block();\n    for", "for"), "");
  EXPECT_NE(found("step < 600", "step <= 600"), "");
  EXPECT_NE(found("row < 64", "row <= 64"), "");
  EXPECT_NE(found("column < 3", "column < 4"), "");
  // Updates of a row in another order than the indices'.
  EXPECT_NE(found("const int row = rows[number]",
                  "const int row = rows[number ^ 31]"),
            "");
}

} // namespace
