// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops over sliding windows.
#ifndef MPC_DIALECTS_NN_NNWINDOWOPS_TD
#define MPC_DIALECTS_NN_NNWINDOWOPS_TD

include "dialects/NN/NNOpBase.td"

def NN_MaxPoolOp : NN_Op<"max_pool", [
    Pure, Infer, KernelBody, Differentiable, InferType]> {
  let summary = "Maximum over sliding windows, and where it was";
  let description = [{
    Over the spatial axes of `input[n, c, x..]`. Padding counts as -inf.
    `indices` is the flat position, among the spatial axes of the unpadded
    input, of the window's first maximum; NaN counts as the largest value. Of
    several NaN the last one counts, as in PyTorch.
  }];
  let arguments = (ins NN_FloatTensor:$input, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations);
  let results = (outs NN_FloatTensor:$output, NN_IntTensor:$indices);
  let assemblyFormat = [{
    $input `window` $window `strides` $strides `low` $low `high` $high
    `dilations` $dilations attr-dict
    `:` type($input) `->` type($output) `,` type($indices)
  }];
  let extraClassDeclaration = [{
    /// The name depends on the number of spatial axes.
    ::llvm::StringRef getReferenceOp();
  }];
}

#endif // MPC_DIALECTS_NN_NNWINDOWOPS_TD
