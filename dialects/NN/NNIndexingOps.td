// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read and sum by index.
#ifndef MPC_DIALECTS_NN_NNINDEXINGOPS_TD
#define MPC_DIALECTS_NN_NNINDEXINGOPS_TD

include "dialects/NN/NNOpBase.td"

def NN_IotaOp : NN_Op<"iota", [Pure, KernelBody, Differentiable]> {
  let summary = "The index along an axis";
  let arguments = (ins I64Attr:$axis);
  let results = (outs NN_IntTensor:$output);
  let assemblyFormat = "`axis` `(` $axis `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def NN_GatherOp : NN_Op<"gather", [
    Pure, Clear, KernelBody, Differentiable, InferType, Indexing,
    Reference<"index_select">]> {
  let summary = "Select slices along an axis by index";
  let description = [{
    With `b` = `batch_dims`, the first `b` axes of input and indices match and
    `output[p, i, q] = input[p, indices[p.., i], q]`, where `p` runs over the
    axes before `axis`, `i` over the remaining axes of `indices` and `q` over
    the axes behind. `b <= axis`. A negative index counts from the end; one
    that is out of range is clamped, never read. The slice of index `frozen`
    takes no gradient: it is the padding of an embedding.

    ```mlir
    %y = nn.gather %table, %ids axis(0)
        : tensor<63x128xf32>, tensor<12x64xi64> -> tensor<12x64x128xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, NN_IntTensor:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims,
                       OptionalAttr<I64Attr>:$frozen);
  let results = (outs NN_Tensor:$output);
  let hasFolder = 1;
  let assemblyFormat = [{
    $input `,` $indices `axis` `(` $axis `)` (`batch` `(` $batch_dims^ `)`)?
    (`frozen` `(` $frozen^ `)`)? attr-dict
    `:` type($input) `,` type($indices) `->` type($output)
  }];
}

def NN_ScatterAddOp : NN_Op<"scatter_add", [
    Pure, Promote, KernelBody, Differentiable]> {
  let summary = "Sum slices into places given by index";
  let description = [{
    The transpose of `nn.gather`: starts from zeros and adds each slice of
    `updates` to the place that gather would have read it from. Sums in f32,
    in index order, and rounds once; sums of integers wrap around.
  }];
  let arguments = (ins NN_NumberTensor:$updates, NN_IntTensor:$indices,
                       I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs NN_NumberTensor:$output);
  let assemblyFormat = [{
    $updates `,` $indices `axis` `(` $axis `)` (`batch` `(` $batch_dims^ `)`)?
    attr-dict `:` type($updates) `,` type($indices) `->` type($output)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def NN_ScatterKind : I32EnumAttr<"ScatterKind", "how updates join", [
    I32EnumAttrCase<"Mul", 0, "mul">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::mpc::nn";
}

def NN_ScatterReduceOp : NN_Op<"scatter_reduce", [
    Pure, Promote, AllTypesMatch<["input", "output"]>, KernelBody,
    Differentiable]> {
  let summary = "Join slices with places given by index";
  let description = [{
    `output[indices[i]] = kind(input[indices[i]], updates[i])` for each slice
    along the first axis, in index order, in f32 and rounded once; NaN if any
    is. Products of integers wrap around. A negative index counts from the end;
    one that is out of range is clamped. The cotangent of a maximum or minimum
    is shared evenly among all that have it.

    ```mlir
    %y = nn.scatter_reduce max %x, %u, %i
        : tensor<8x4xf32>, tensor<3x4xf32>, tensor<3xi64>
    ```
  }];
  let arguments = (ins NN_ScatterKind:$kind, NN_NumberTensor:$input,
                       NN_NumberTensor:$updates, NN_IntTensor:$indices);
  let results = (outs NN_NumberTensor:$output);
  let assemblyFormat = [{
    $kind $input `,` $updates `,` $indices attr-dict
    `:` type($input) `,` type($updates) `,` type($indices)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def NN_RankOp : NN_Op<"rank", [
    Pure, Promote, KernelBody, Differentiable, InferType]> {
  let summary = "The rank of each element in its row";
  let description = [{
    How many elements of the last axis come before the element when they are
    sorted: the smaller ones or, if `descending`, the larger ones. Of equal
    elements the first comes first. NaN is larger than all numbers, and zeros of
    either sign are equal.

    ```mlir
    %r = nn.rank %x descending : tensor<4x8xf32> -> tensor<4x8xi64>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, UnitAttr:$descending);
  let results = (outs NN_IntTensor:$output);
  let assemblyFormat = [{
    $input (`descending` $descending^)? attr-dict
    `:` type($input) `->` type($output)
  }];
  let hasFolder = 1;
}

#endif // MPC_DIALECTS_NN_NNINDEXINGOPS_TD
