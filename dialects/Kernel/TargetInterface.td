// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of every target, for code that knows no target.
#ifndef MPC_DIALECTS_KERNEL_TARGETINTERFACE_TD
#define MPC_DIALECTS_KERNEL_TARGETINTERFACE_TD

include "mlir/IR/OpBase.td"

def Kernel_TargetInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::mpc::kernel";
  let description = [{
    The machine that the kernels of a module are for. Stands as `kernel.target`
    at the module, where the target's own pass puts it. Passes ask it for
    everything that depends on the target.
  }];
  let methods = [
    InterfaceMethod<"The machine's name in messages, as \"sm_90\".",
      "std::string", "describe", (ins)>,
    InterfaceMethod<[{
        Bytes that a step may keep. Above them values are computed again instead
        of being kept, and ops are not joined where that would keep more. 0
        means as little as possible. `nullopt` means no limit, as for a host's
        memory.
      }],
      "::std::optional<int64_t>", "getMemoryBudget", (ins)>,
    InterfaceMethod<[{
        Whether elements are widened as they are read, from 16 bits to f32, at
        no cost beside that of the read: a wider copy is then never worth its
        memory.
      }],
      "bool", "widensOnLoad", (ins)>,
    InterfaceMethod<[{
        Whether kernels compute attention and its gradient, without a tensor of
        scores, on elements of this type, in rows of at most `longest` of them.
      }],
      "bool", "hasAttention",
      (ins "::mlir::Type":$element, "int64_t":$longest), [{}],
      [{ return false; }]>,
    InterfaceMethod<[{
        Whether a kernel of `rows` rows or columns, of `elements` each, keeps the
        machine busy. Where it does not, what could be computed in more places
        than that is not joined to the sums of rows.
      }],
      "bool", "isBusyWith",
      (ins "int64_t":$rows, "int64_t":$elements, "bool":$byColumns), [{}],
      [{ return true; }]>,
    InterfaceMethod<[{
        Whether a library may compute contractions of 16 bits that have no more
        than a bias behind their sums. What else is computed of a sum is then
        better off in the kernel that reads it, if that moves no more bytes.
      }],
      "bool", "hasProductLibrary", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        Whether a kernel of `runs` runs of rows, of `elements` each, computes
        `sums` sums over each run beside its rows, for each element of a row. A
        run's rows are computed one after another, so that there must be enough
        runs to keep the machine busy.
      }],
      "bool", "sumsRunsOfRows",
      (ins "int64_t":$runs, "int64_t":$elements, "unsigned":$sums), [{}],
      [{ return false; }]>,
    InterfaceMethod<[{
        What the names of kernels begin with. Where kernels are text, a name
        that follows from a node, as `exp`, would be one of the language's own.
      }],
      "::llvm::StringRef", "getKernelPrefix", (ins), [{}], [{ return ""; }]>,
    InterfaceMethod<[{
        What contractions are computed by, the best first.
      }],
      "::llvm::SmallVector<::mpc::kernel::MultiplyUnit>", "getMultiplyUnits",
      (ins)>,
    InterfaceMethod<[{
        Gives `kernel`, a `kernel.func` without one, its schedule, which follows
        from its kind, its shapes and the target. It may put a kernel of its own
        in front of each of `launches`, the `kernel.launch` ops of the kernel:
        one that packs an operand, or sums a part. Says at the kernel what the
        target cannot run.
      }],
      "::llvm::LogicalResult", "scheduleKernel",
      (ins "::mlir::Operation *":$kernel,
           "::llvm::ArrayRef<::mpc::kernel::LaunchOp>":$launches,
           "::mlir::SymbolTable &":$symbols)>,
    InterfaceMethod<[{
        Puts a function with `kernel.emitted` in the place of `kernel`, a
        `kernel.func` with a schedule of this target, and returns it.
      }],
      "::llvm::FailureOr<::mlir::Operation *>", "emitKernel",
      (ins "::mlir::Operation *":$kernel)>,
    InterfaceMethod<[{
        Appends the passes that run on a module once its kernels are emitted,
        such as those that share code and check launches.
      }],
      "void", "addFinishingPasses", (ins "::mlir::OpPassManager &":$passes)>,
    InterfaceMethod<[{
        Bytes that divide the address of every buffer of an entry: arena, state,
        inputs, outputs, constants. 1 where kernels need not know, as on a CPU,
        whose wide accesses may begin anywhere.
      }],
      "int64_t", "getBufferAlignment", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<[{
        Bytes of the widest access that `kernel`, a scheduled `kernel.func`,
        makes to `argument`, as that is aligned.
      }],
      "int64_t", "getAccessBytes",
      (ins "::mlir::Operation *":$kernel, "unsigned":$argument), [{}],
      [{ return 1; }]>,
  ];
}

def Kernel_EmittedKernelInterface : AttrInterface<"EmittedKernelAttrInterface"> {
  let cppNamespace = "::mpc::kernel";
  let description = [{
    What a launch of an emitted kernel must know. Stands as `kernel.emitted` at
    the function: one whose body is the code, or a declaration whose code is a
    text for a compiler of the device.
  }];
  let methods = [
    InterfaceMethod<[{
        Into how many independent pieces a launch is cut: those of the schedule.
      }],
      "int64_t", "getChunks", (ins)>,
    InterfaceMethod<"The nodes that the kernel computes, as strings; null if "
        "they are not known.",
      "::mlir::ArrayAttr", "getSources", (ins)>,
    InterfaceMethod<"The code as a text; null if the function's body is the "
        "code.",
      "::mlir::StringAttr", "getText", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Threads of a piece; 0 if pieces are not blocks of a grid.",
      "int64_t", "getThreads", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<"Bytes of memory that the threads of a piece share.",
      "int64_t", "getShared", (ins), [{}], [{ return 0; }]>,
  ];
}

#endif // MPC_DIALECTS_KERNEL_TARGETINTERFACE_TD
