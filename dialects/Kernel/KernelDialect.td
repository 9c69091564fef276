// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: how a step runs.
#ifndef MPC_DIALECTS_KERNEL_KERNELDIALECT_TD
#define MPC_DIALECTS_KERNEL_KERNELDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::mpc::kernel";
  let summary = "How a step runs: kernels, launches, memory";
  let description = [{
    A `kernel.func` holds structured ops (`linalg.generic`, `linalg.fill`)
    over a parallel domain, and a schedule, an attribute of the target, that
    fixes how it runs. A
    `kernel.launch` runs it in destination-passing form: on tensors before
    memory is planned, on views of the arena after.

    An argument of an entry that is state, memory that outlives a run, has its
    name as `kernel.state = @name`; a result of the same name, its new value,
    gets the same memory.

    An argument of a function that a `kernel.repeat` calls has
    `kernel.invariant` if it is the same in all turns.

    A `linalg.generic` with `kernel.in_order` combines in the order of its
    reduction loops, on every target: it repeats, to the bit, what another
    program computes. Others are summed in the order of their schedule. One with
    `kernel.border` has zeros at the ends of its result's axes, and a sum of
    products knows as `kernel.input_borders` those of its inputs.

    A module states as `kernel.target` what machine its kernels are for, and an
    emitted kernel as `kernel.emitted` what its launches must know: attributes
    of the target's dialect, behind interfaces. Beside that it says as
    `kernel.work` how much it computes.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let discardableAttrs = (ins "::mlir::DenseI64ArrayAttr":$may_alias,
                              "::mlir::IntegerAttr":$alignment,
                              "::mpc::kernel::BufferAttr":$buffer,
                              "::mlir::FlatSymbolRefAttr":$state,
                              "::mlir::UnitAttr":$invariant,
                              "::mlir::UnitAttr":$in_order,
                              "::mpc::kernel::BorderAttr":$border,
                              "::mlir::ArrayAttr":$input_borders,
                              "::mpc::kernel::TargetAttrInterface":$target,
                              "::mpc::kernel::EmittedKernelAttrInterface":$emitted,
                              "::mpc::kernel::WorkAttr":$work);
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Kernel_KernelKind : I32EnumAttr<"KernelKind", "What structure a body has", [
    I32EnumAttrCase<"Loops", 0, "loops">,
    I32EnumAttrCase<"Map", 1, "map">,
    I32EnumAttrCase<"Rows", 2, "rows">,
    I32EnumAttrCase<"Columns", 3, "columns">,
    I32EnumAttrCase<"Contraction", 4, "contraction">,
    I32EnumAttrCase<"Scatter", 5, "scatter">,
    I32EnumAttrCase<"Attention", 6, "attention">]> {
  let description = [{
    It follows from maps, iterators and shapes, never from the names of ops.

    - `map`: parallel statements over one index space, each of which reads of
      earlier ones the element of its own iteration.
    - `rows`: a DAG of maps and reductions over one space whose reductions all
      go over the same axes, the last axis among them.
    - `columns`: the same where the last axis is kept, or a row has fewer than
      4 elements.
    - `contraction`: a sum of products of two factors in f32 from zero, then a
      map on its result.
    - `scatter`: one `kernel.scatter`.
    - `attention`: one `kernel.attention` or `kernel.attention_gradient`.
    - `loops`: any body but attention.
  }];
  let cppNamespace = "::mpc::kernel";
  let genSpecializedAttr = 0;
}

class Kernel_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

def Kernel_KernelKindAttr
    : EnumAttr<Kernel_Dialect, Kernel_KernelKind, "kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Kernel_WorkAttr : Kernel_Attr<"Work", "work"> {
  let summary = "How much a kernel computes";
  let description = [{
    Stands as `kernel.work` at an emitted kernel. `flops` are the operations of
    one launch that round a float, counted in the body; a fused multiply-add is
    two. `unit` is the instruction that computes them. Null means instructions
    for f32.
  }];
  let parameters = (ins EnumParameter<Kernel_KernelKind>:$kind,
                        "uint64_t":$flops,
                        OptionalParameter<"::mlir::StringAttr">:$unit);
  let assemblyFormat = [{
    `<` $kind `,` `flops` `=` $flops (`,` `unit` `=` $unit^)? `>`
  }];
}

def Kernel_BufferRole : I32EnumAttr<"BufferRole", "What memory an entry gets", [
    I32EnumAttrCase<"Arena", 0, "arena">,
    I32EnumAttrCase<"State", 1, "state">,
    I32EnumAttrCase<"Input", 2, "input">,
    I32EnumAttrCase<"Output", 3, "output">]> {
  let cppNamespace = "::mpc::kernel";
}

def Kernel_BorderAttr : Kernel_Attr<"Border", "border"> {
  let summary = "Zeros around a tensor";
  let description = [{
    The first `low` and the last `high` elements along each axis are zero. It
    stands as `kernel.border` at the `linalg.generic` that has put them there,
    and for each input of a sum of products in `kernel.input_borders`.

    ```mlir
    #kernel.border<low = [0, 0, 1, 1], high = [0, 0, 1, 1]>
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$low,
                        OptionalArrayRefParameter<"int64_t">:$high);
  let assemblyFormat = [{
    `<` `low` `=` `[` (`]`) : ($low^ `]`)? `,` `high` `=` `[` (`]`) : ($high^ `]`)? `>`
  }];
}

def Kernel_BufferAttr : Kernel_Attr<"Buffer", "buffer"> {
  let summary = "What an argument of a planned entry is";
  let description = [{
    Stands as `kernel.buffer` at each argument, which is bytes once memory is
    planned. `type` is the tensor that the bytes hold. It is null for the arena,
    which holds many.
  }];
  let parameters = (ins EnumParameter<Kernel_BufferRole>:$role,
                        OptionalParameter<"::mlir::RankedTensorType">:$type);
  let assemblyFormat = "`<` $role (`,` $type^)? `>`";
}

#endif // MPC_DIALECTS_KERNEL_KERNELDIALECT_TD
