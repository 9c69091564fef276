// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects stand alone, and what cannot be compiled says so.
#include "Harness.h"
#include "lib/Codegen/CPU/Target.h"
#include "gtest/gtest.h"

using namespace mpc;
using namespace mpc::test;

// A kernel that would call the compiler's runtime is an error, not a crash at
// the customer's.
TEST(Jit, UndefinedSymbolIsAnError) {
  std::string error = compileError(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<4xf32>, %n: tensor<4xi32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #kernel.loops<chunks = 1>} {
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %n : tensor<4xf32>, tensor<4xi32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %b: i32, %o: f32):
    %0 = math.fpowi %a, %b : f32, i32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  kernel.return %r : tensor<4xf32>
}
)mlir");
  EXPECT_EQ(error, "kernels call functions that they do not contain: "
                   "__powisf2");
}

TEST(Jit, TargetsByName) {
  auto v3 = cpu::getCpuTarget("x86-64-v3");
  ASSERT_TRUE(static_cast<bool>(v3));
  EXPECT_EQ(v3->lanes, 8);
  auto v4 = cpu::getCpuTarget("x86-64-v4");
  ASSERT_TRUE(static_cast<bool>(v4));
  EXPECT_EQ(v4->lanes, 16);
  auto other = cpu::getCpuTarget("z80");
  ASSERT_FALSE(static_cast<bool>(other));
  EXPECT_EQ(llvm::toString(other.takeError()),
            "unknown CPU 'z80': expected host, x86-64-v3 or x86-64-v4");
}

// Large fills and copies become no calls of memset or memcpy.
TEST(Jit, FillAndCopyCallNobody) {
  Kernels kernels(R"mlir(
kernel.func @k(%x: tensor<5000xf32>, %a: tensor<5000xf32>, %b: tensor<5000xf32>) -> (tensor<5000xf32>, tensor<5000xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5000xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<5000xf32>) -> tensor<5000xf32>
  kernel.return %x, %i : tensor<5000xf32>, tensor<5000xf32>
}
)mlir");
  std::vector<float> x = randoms(5000), a(5000, 1), b(5000, 1);
  kernels.run({x.data(), a.data(), b.data()});
  EXPECT_EQ(a, x);
  EXPECT_EQ(b, std::vector<float>(5000));
}

// The code lives as long as the one who holds it.
TEST(Jit, CodeOutlivesItsCompiler) {
  auto kernels = std::make_unique<Kernels>(R"mlir(
kernel.func @k(%x: tensor<2xf32>, %d: tensor<2xf32>) -> tensor<2xf32> {
  kernel.return %x : tensor<2xf32>
}
)mlir");
  Kernels copy = *kernels;
  kernels.reset();
  std::vector<float> x = {1, 2}, d(2);
  copy.run({x.data(), d.data()});
  EXPECT_EQ(d, x);
}
