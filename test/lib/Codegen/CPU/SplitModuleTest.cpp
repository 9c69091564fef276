// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a module hold each public function once, and all that it calls.
#include "lib/Codegen/CPU/SplitModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mpc::cpu;

namespace {

// `count` kernels of about `ops` ops, which call @inner through @outer.
OwningOpRef<ModuleOp> makeModule(MLIRContext &context, int count, int ops) {
  std::string text = R"(
func.func private @inner(%x: i64) -> i64 { return %x : i64 }
func.func private @outer(%x: i64) -> i64 {
  %0 = call @inner(%x) : (i64) -> i64
  return %0 : i64
})";
  for (int kernel = 0; kernel < count; ++kernel) {
    text += "\nfunc.func @kernel" + std::to_string(kernel) +
            "(%x: i64) -> i64 {\n%0 = call @outer(%x) : (i64) -> i64\n";
    for (int op = 1; op < ops; ++op)
      text += "%" + std::to_string(op) + " = arith.addi %" +
              std::to_string(op - 1) + ", %x : i64\n";
    text += "return %" + std::to_string(ops - 1) + " : i64\n}";
  }
  return parseSourceString<ModuleOp>(text, &context);
}

class SplitModule : public testing::Test {
protected:
  SplitModule() {
    context_.loadDialect<arith::ArithDialect, func::FuncDialect>();
  }

  MLIRContext context_;
};

TEST_F(SplitModule, KeepsSmallModulesWhole) {
  auto module = makeModule(context_, 5, 100);
  EXPECT_EQ(splitModule(*module).size(), 1U);
}

TEST_F(SplitModule, EachKernelIsInOnePartWithItsCallees) {
  auto module = makeModule(context_, 40, 500);
  auto parts = splitModule(*module);
  ASSERT_EQ(parts.size(), 4U);
  int next = 0;
  for (auto &part : parts) {
    EXPECT_TRUE(succeeded(verify(*part)));
    EXPECT_TRUE(part->lookupSymbol("inner"));
    EXPECT_TRUE(part->lookupSymbol("outer"));
    int kernels = 0;
    for (; part->lookupSymbol("kernel" + std::to_string(next)); ++next)
      ++kernels;
    EXPECT_EQ(kernels, 10);
  }
  EXPECT_EQ(next, 40);
}

} // namespace
