// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from kernels to loops over vectors and memory.
#ifndef MPC_LIB_CODEGEN_CPU_PASSES_TD
#define MPC_LIB_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"cpu-attach-target", "::mlir::ModuleOp"> {
  let summary = "State what CPU a module is for";
  let description = [{
    Gives the module a `#cpu.target` as `kernel.target`, in place of one that it
    has.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"8",
           "f32 lanes of a vector register: 8 for AVX2, 16 for AVX-512 "
           "(default: 8)">,
    Option<"naive", "naive", "bool", /*default=*/"false",
           "run every kernel by scalar loops (default: no)">,
    Option<"bf16", "bf16", "::mpc::cpu::Unit",
           /*default=*/"::mpc::cpu::Unit::FMA",
           "what multiplies factors of bf16 (default: fma)",
           [{::llvm::cl::values(
             clEnumValN(::mpc::cpu::Unit::FMA, "fma",
                        "fused multiply-adds of f32"),
             clEnumValN(::mpc::cpu::Unit::AVX512BF16, "avx512_bf16",
                        "vdpbf16ps, for pairs of bf16"))}]>,
    Option<"memory", "memory", "int64_t", /*default=*/"-1",
           "the bytes that a step should keep beside its state (default: -1, "
           "for no limit)">,
  ];
  let dependentDialects = ["::mpc::cpu::CPUDialect"];
}

def ShareCodePass : Pass<"cpu-share-code", "::mlir::ModuleOp"> {
  let summary = "Give kernels that differ in sizes alone one code";
  let description = [{
    Of emitted kernels that are equal except for sizes, the first becomes a
    function that takes the sizes that differ as arguments behind the kernel's.
    Each kernel then only has, in its `#cpu.kernel`, the sizes that it passes. A
    network has hundreds of layers of a few kinds. So machine code is made for
    kinds, not for layers.

    A size is a constant of type `index`: an extent, a stride, an offset. Some
    constants stay in the code, and kernels that differ in them do not share
    code: numbers that lanes of vectors are multiplied by, and bounds of
    innermost loops that run once. A quotient by a size becomes the upper half
    of a product with its reciprocal, if that is exact for all dividends; a
    divisor for which it may not be exact stays in the code. A float is passed
    as a size is. Only arithmetic on indices changes, so results keep their
    bits.

    LLVM no longer knows these sizes, which costs some kernels a few hundredths
    of their time. So a few kernels of one kind keep a code each in a module
    that costs little to compile.
  }];
  let options = [
    Option<"leastKernels", "least-kernels", "unsigned", /*default=*/"4",
           "How many kernels have to differ in sizes alone to share one code "
           "in a small module (default: 4); in a large one it is two">,
    Option<"smallOps", "small-ops", "unsigned", /*default=*/"16384",
           "The most ops that the codes of a small module have; each kind of "
           "kernels counts once (default: 16384)">,
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernels">,
    Statistic<"numCodes", "codes", "Number of codes that they have">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

#endif // MPC_LIB_CODEGEN_CPU_PASSES_TD
