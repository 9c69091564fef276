// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects stand alone, and what cannot be compiled says so.
#include "Harness.h"
#include "lib/Codegen/CPU/CodeImage.h"
#include "lib/Codegen/CPU/Processor.h"
#include "llvm-c/Target.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <array>
#include <cmath>

using namespace mpc;
using namespace mpc::test;

// A kernel that would call the compiler's runtime is an error, not a crash at
// the customer's.
TEST(Jit, UndefinedSymbolIsAnError) {
  std::string error = compileError(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<4xi64>, %d: tensor<4xi64>) -> tensor<4xi64> attributes {schedule = #cpu.loops<chunks = 1>} {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi64>) outs(%d : tensor<4xi64>) {
  ^bb0(%a: i64, %o: i64):
    %0 = arith.extsi %a : i64 to i128
    %1 = arith.muli %0, %0 : i128
    %2 = arith.constant 7 : i128
    %3 = arith.addi %0, %2 : i128
    %4 = arith.divsi %1, %3 : i128
    %5 = arith.trunci %4 : i128 to i64
    linalg.yield %5 : i64
  } -> tensor<4xi64>
  kernel.return %r : tensor<4xi64>
}
)mlir");
  EXPECT_EQ(error, "kernels call functions that they do not contain: "
                   "__divti3");
}

// A math op that nobody expands is named, with the op.
TEST(Jit, UnknownMathIsAnError) {
  std::string error = compileError(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<4xi32>, %d: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%d : tensor<4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %0 = math.ipowi %a, %a : i32
    linalg.yield %0 : i32
  } -> tensor<4xi32>
  kernel.return %r : tensor<4xi32>
}
)mlir");
  EXPECT_NE(error.find("'math.ipowi' op has no code for CPUs"),
            std::string::npos)
      << error;
}

// Features: L14.
TEST(Jit, TargetsByName) {
  auto v3 = cpu::getProcessor("x86-64-v3");
  ASSERT_TRUE(static_cast<bool>(v3));
  EXPECT_EQ(v3->lanes, 8);
  auto v4 = cpu::getProcessor("x86-64-v4");
  ASSERT_TRUE(static_cast<bool>(v4));
  EXPECT_EQ(v4->lanes, 16);
  auto other = cpu::getProcessor("z80");
  ASSERT_FALSE(static_cast<bool>(other));
  EXPECT_EQ(llvm::toString(other.takeError()),
            "unknown CPU 'z80': expected host, x86-64-v3, x86-64-v4, znver4, "
            "znver5, cooperlake, sapphirerapids or graniterapids");
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

// An image is copied to where it runs, constants that vectors read included.
TEST(Jit, TheImageRunsWhereverItIsLoaded) {
  Kernels kernels(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}
)mlir");
  const cpu::CompiledKernels &compiled = kernels.code();
  ASSERT_EQ(compiled.kernels.size(), 1u);
  const cpu::CompiledKernel &kernel = compiled.kernels.begin()->second;
  std::vector<float> x = randoms(64), first(64), second(64);
  auto one = rt::LoadedCode::load(compiled.image);
  auto other = rt::LoadedCode::load(compiled.image);
  ASSERT_TRUE(one.ok() && other.ok());
  auto run = [&](const rt::LoadedCode &code, std::vector<float> &result) {
    alignas(64) std::array<float, 64> in, out;
    std::copy(x.begin(), x.end(), in.begin());
    std::vector<std::byte> scratch(kernel.scratchBytes + 64);
    void *buffers[] = {in.data(), out.data()};
    code.at<cpu::KernelFunction>(kernel.offset)(buffers, 0, kernel.chunks,
                                                scratch.data());
    std::copy(out.begin(), out.end(), result.begin());
  };
  EXPECT_NE(one->at<const void *>(0), other->at<const void *>(0));
  run(*one, first);
  run(*other, second);
  EXPECT_EQ(first, second);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(first[i], std::exp(x[i]), 1e-6 * std::exp(x[i]));
}

/// What linkImage says of LLVM IR; empty where it links.
static std::string linkError(llvm::StringRef text,
                             llvm::ArrayRef<cpu::SharedKernel> kernels = {}) {
  LLVMInitializeX86AsmParser();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return diagnostic.getMessage().str();
  auto machine = llvm::cantFail(
      cpu::createTargetMachine({"x86-64-v3", /*features=*/"", /*lanes=*/8}));
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return "no code generator";
  passes.run(*module);
  auto image = cpu::linkImage(object, kernels);
  return image ? "" : llvm::toString(image.takeError());
}

// An image is bytes that are copied: an address in it would be that of the
// linker's own copy.
TEST(Image, HoldsNoAddress) {
  EXPECT_EQ(linkError("define ptr @k() { ret ptr null }"), "");
  EXPECT_EQ(linkError(R"(
module asm ".section .rodata.table,\22a\22,@progbits"
module asm "table: .quad k"
@table = external hidden global ptr
define ptr @k() {
  %p = load ptr, ptr @table
  ret ptr %p
}
)"),
            "kernels hold an address: .rodata.table");
}

// Its pages are not writable, and all who run it share them.
TEST(Image, HasNoMemoryOfItsOwn) {
  EXPECT_EQ(linkError(R"(
@count = internal global i32 7
define i32 @k() {
  %n = load i32, ptr @count
  %m = add i32 %n, 1
  store i32 %m, ptr @count
  ret i32 %m
}
)"),
            "kernels write to memory of their own: .data");
}

TEST(Image, HasTheCodeOfItsKernels) {
  const char *text = "define void @code() { ret void }";
  EXPECT_EQ(linkError(text, {{"kernel", "code", {}}}), "");
  EXPECT_EQ(linkError(text, {{"kernel", "other", {}}}),
            "kernel 'kernel' has no code 'other'");
}
