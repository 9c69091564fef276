// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the kernel dialect.
#ifndef MPC_DIALECTS_KERNEL_KERNELOPS_TD
#define MPC_DIALECTS_KERNEL_KERNELOPS_TD

include "dialects/Kernel/KernelDialect.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_FuncOp : Kernel_Op<"func", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "A kernel";
  let description = [{
    Arguments are the inputs, then one destination for each result, of its
    type. The body is `linalg.generic`, `linalg.fill`, `tensor.empty`,
    `arith.constant` and `kernel.scatter`; a returned value is written to its
    destination. `sources` names the model's nodes that it came from; it and
    the name play no part in whether two kernels are equal.

    ```mlir
    kernel.func @relu(%x: tensor<8xf32>, %out: tensor<8xf32>) -> tensor<8xf32>
        attributes {schedule = #kernel.map<chunks = 1, lanes = 8>} {
      %0 = linalg.generic ... ins(%x) outs(%out) {...} -> tensor<8xf32>
      kernel.return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<AnyAttr>:$schedule,
                       OptionalAttr<StrArrayAttr>:$sources);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// Inputs come first, then one destination a result.
    unsigned getNumInputs() { return getNumArguments() - getNumResults(); }
    ::mlir::BlockArgument getDestination(unsigned result) {
      return getArgument(getNumInputs() + result);
    }
    ReturnOp getReturn();
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
}

def Kernel_ReturnOp : Kernel_Op<"return", [
    Pure, Terminator, ReturnLike, HasParent<"FuncOp">]> {
  let summary = "Results of a kernel";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Kernel_LaunchOp : Kernel_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel";
  let description = [{
    `outs` are the destinations. On tensors the launch yields the written
    values; on memrefs, after planning, it has no results and writes `outs`.

    ```mlir
    %y = kernel.launch @relu ins(%x : tensor<8xf32>)
                             outs(%d : tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyType>:$inputs, Variadic<AnyType>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `ins` `(` ($inputs^ `:` type($inputs))? `)`
    `outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kernel_ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "Part of a tensor, in order, under another shape; no copy";
  let description = [{
    The elements of `source` from flat position `offset` on, as many as the
    result has, under the result's shape.

    ```mlir
    %w = kernel.view %slab[4096] : tensor<65536xf32> -> tensor<10x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Kernel_PackOp : Kernel_Op<"pack", [Pure]> {
  let summary = "Tensors laid into one flat range";
  let description = [{
    Part `i` lies, flat, at element `offsets[i]` of the result; what no part
    covers is zero. The planner gives each part its place, so that nothing is
    copied where a part has no other home.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts,
                       DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $parts `at` $offsets attr-dict `:` type($parts) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_ScatterOp : Kernel_Op<"scatter", [
    Pure, AllTypesMatch<["init", "result"]>]> {
  let summary = "Sum slices into places given by index";
  let description = [{
    The body of `nn.scatter_add`: adds each slice of `updates` to `init`, in
    index order. `updates` is `[outer, index, inner]`, `indices` is
    `[outer, index]` or `[index]` (the same for each `outer`), `init` is
    `[outer, size, inner]` of f32 or f64. A negative index counts from the
    end; an index out of range is clamped.
  }];
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$indices,
                       AnyRankedTensor:$init);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $updates `,` $indices `:` type($updates) `,` type($indices) `)`
    `outs` `(` $init `:` type($init) `)` attr-dict
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_KERNEL_KERNELOPS_TD
