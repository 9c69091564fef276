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
    in index order, and rounds once.
  }];
  let arguments = (ins NN_FloatTensor:$updates, NN_IntTensor:$indices,
                       I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $updates `,` $indices `axis` `(` $axis `)` (`batch` `(` $batch_dims^ `)`)?
    attr-dict `:` type($updates) `,` type($indices) `->` type($output)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_NN_NNINDEXINGOPS_TD
