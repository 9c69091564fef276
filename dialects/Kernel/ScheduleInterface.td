// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of every target's schedules, for code that knows no target.
#ifndef MPC_DIALECTS_KERNEL_SCHEDULEINTERFACE_TD
#define MPC_DIALECTS_KERNEL_SCHEDULEINTERFACE_TD

include "mlir/IR/OpBase.td"

def Kernel_ScheduleInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::mpc::kernel";
  let description = [{
    How a kernel runs on one target: tiles, lanes, chunks. A target has a
    dialect of such attributes, one or more for each kind of kernel, chosen by a
    pass of its own.
  }];
  let methods = [
    InterfaceMethod<[{
        Into how many independent pieces a launch is cut. A function of shapes
        only, so that results never depend on the threads.
      }],
      "int64_t", "getChunks", (ins)>,
    InterfaceMethod<"Whether kernels of `kind` can run by this schedule.",
      "bool", "fits", (ins "::mpc::kernel::KernelKind":$kind)>,
    InterfaceMethod<[{
        Whether `kernel`, a `kernel.func` of a kind that fits, has the operands
        and the shapes that these numbers are for. Reports at the kernel what
        does not fit. The verifier of `kernel.func` calls it.
      }],
      "::llvm::LogicalResult", "verifyKernel",
      (ins "::mlir::Operation *":$kernel), [{}],
      [{ return ::mlir::success(); }]>,
    InterfaceMethod<[{
        The instruction that multiplies the factors of a contraction; empty if
        that is one for f32.
      }],
      "::llvm::StringRef", "getUnitName", (ins), [{}], [{ return {}; }]>,
  ];
}

#endif // MPC_DIALECTS_KERNEL_SCHEDULEINTERFACE_TD
