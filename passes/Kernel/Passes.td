// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the kernel level.
#ifndef MPC_PASSES_KERNEL_PASSES_TD
#define MPC_PASSES_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerBodiesPass : Pass<"kernel-lower-bodies", "::mlir::func::FuncOp"> {
  let summary = "Replace ops by their kernel bodies";
  let description = [{
    Every op that has a kernel body (`KernelBodyOpInterface`) or a scalar body
    (`ScalarBodyOpInterface`) becomes structured ops on tensors. Afterwards the
    function holds linalg and kernel ops, constants and its return; an op
    without a body is an error.
  }];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

def SplitSumsPass : Pass<"kernel-split-sums", "::mlir::func::FuncOp"> {
  let summary = "Split sums over rows for the kernels that compute those rows";
  let description = [{
    The gradients of a normalization's scale and bias are sums over all rows of
    what the kernel of its gradient has computed for each row. Such a sum of
    f32, of elements that follow from sums of single rows, becomes two: one over
    runs of 16 rows, which `kernel-fuse` joins to the kernel of rows, and one of
    these partial sums. So the elements are neither stored nor read again.
    A sum of other elements that the same rows read is split along with it.

    A run is a chain of the cascade in which long sums are added up, so that no
    bit changes. Rows must be whole runs. A target says whether its kernels of
    rows compute partial sums (`sumsRunsOfRows`).
  }];
  let statistics = [
    Statistic<"numSplit", "split", "ops of partial sums">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FusePass : Pass<"kernel-fuse", "::mlir::func::FuncOp"> {
  let summary = "Group structured ops that run in one kernel";
  let description = [{
    Lets readers of pure data movement (broadcasts, transposes, slices,
    constants) read its source instead, then puts into one `kernel.group`

    - elementwise ops over one index space,
    - row reductions over its trailing axes with the maps before, between and
      after them, and partial sums over runs of rows,
    - a contraction with the elementwise ops on its result and beside it.

    A sum that is no sum of a row, and so a kernel of its own, computes the
    elements that it sums where that moves fewer bytes than to store and to read
    them.

    Fusion changes no bit of any result. A reader behind the point where most
    bytes are live does not join the kernel that makes its value before that
    point, unless its own results are smaller and are kept in place of that
    value. If the live bytes exceed the budget of the module's `kernel.target`,
    two more rules hold. A contraction does not wait for what is added to it if
    its factors take more than its result. No wider copy is stored that readers
    can make as they read.

    A remark names each value of 1 MiB or more that is stored for another
    kernel, who reads it, and why the two are not one kernel.
  }];
  let statistics = [
    Statistic<"numGroups", "groups", "groups of more than one op">,
  ];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

def OutlinePass : Pass<"kernel-outline", "::mlir::ModuleOp"> {
  let summary = "Make kernels of groups and of single ops, and launch them";
  let description = [{
    Every `kernel.group`, and every structured op outside of one, with the fills
    that it alone uses, becomes a `kernel.func` and a launch of it. Equal
    kernels become one. A kernel states what follows from its body: its kind,
    and which results may lie in the memory of which inputs.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels after merging equal ones">,
    Statistic<"numLaunches", "launches", "launches">,
  ];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

def SchedulePass : Pass<"kernel-schedule", "::mlir::ModuleOp"> {
  let summary = "Fix how every kernel runs on the module's target";
  let description = [{
    Gives each `kernel.func` without a schedule the one that the module's
    `kernel.target` has for it: see the attributes of the target's dialect. It
    follows from kind, shapes and target, and fixes how many chunks there are.
    Runs before memory is planned, since a schedule may add kernels, and tensors
    that these leave for others.

    On a CPU a contraction's packed operand becomes a kernel of its own. On a
    GPU a contraction with few tiles and a long sum, as the gradient of a
    weight, becomes two kernels and launches (split-K): `NAME_slices` sums
    slices of k on their own, and the kernel adds them up, in order, before it
    goes on. How many slices there are follows from the shape.
  }];
}

def PlanMemoryPass : Pass<"kernel-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a place in one arena";
  let description = [{
    Turns every entry function from tensors to memory: its arguments become an
    arena, the state slabs, the inputs and the outputs, every tensor a
    `memref.view` at a constant offset. Two tensors share memory only if their
    lifetimes are disjoint, or if the kernel that reads one and writes the other
    says `kernel.may_alias`. A result with `kernel.state = @name` lands on
    the argument with that attribute; where the old value is still needed, a copy is
    inserted and reported as a remark.

    For a target that asks (`getBufferAlignment`) each argument of a kernel gets
    its `kernel.alignment`: the least of all launches. A view may begin at an
    address where wide accesses cannot. If launches would read more than 1 MiB
    of it by such accesses, it is copied to where they can. That is a remark
    too.
  }];
  let statistics = [
    Statistic<"arenaBytes", "arena-bytes", "bytes of all arenas together">,
    Statistic<"numCopies", "copies", "copies inserted">,
    Statistic<"numAligned", "aligned-views",
              "copies of views that make wide accesses possible">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def EmitPass : Pass<"kernel-emit", "::mlir::ModuleOp"> {
  let summary = "Emit the code of every kernel for the module's target";
  let description = [{
    Puts in the place of each scheduled `kernel.func` a function with
    `kernel.emitted`, which says what its launches must know, and `kernel.work`,
    which says how much it computes. Afterwards the module has no kernel.

    On a CPU it is `func.func @k(%buffers.., %begin: index, %end: index,
    %scratch)`, one `memref` of static shape for each argument, which does the
    chunks `[begin, end)`: func, scf, memref, vector, arith and math ops only.
    On a GPU it is a declaration of the same arguments, and the `#cuda.kernel`
    has the text of a function `extern "C" __global__` with a pointer for each
    argument, which uses the names of the prelude and includes nothing.
  }];
}

def FinishPass : Pass<"kernel-finish", "::mlir::ModuleOp"> {
  let summary = "Run the passes that the module's target has for emitted "
      "kernels";
  let description = [{
    On a CPU `cpu-share-code`, on a GPU `cuda-check-launches`.
  }];
}

#endif // MPC_PASSES_KERNEL_PASSES_TD
