// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements without changing them.
#ifndef MPC_DIALECTS_NN_NNMOVEMENTOPS_TD
#define MPC_DIALECTS_NN_NNMOVEMENTOPS_TD

include "dialects/NN/NNOpBase.td"

class NN_Movement<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, traits # [Pure, Clear, KernelBody, Differentiable]>;

def NN_ReshapeOp : NN_Movement<"reshape", [DataMovement]> {
  let summary = "The same elements, in order, under another shape";
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_TransposeOp : NN_Movement<"transpose", [InferType, DataMovement]> {
  let summary = "Permute the axes";
  let description = [{
    Axis `i` of the result is axis `permutation[i]` of the input.

    ```mlir
    %y = nn.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($output)
  }];
  let hasFolder = 1;
}

def NN_BroadcastOp : NN_Movement<"broadcast", [
    DataMovement, Reference<"expand">]> {
  let summary = "Repeat a tensor along new or unit axes";
  let description = [{
    Axis `i` of the input becomes axis `axes[i]` of the result (ascending);
    an input axis of size 1 is repeated.

    ```mlir
    %y = nn.broadcast %b axes [1] : tensor<8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input `axes` $axes attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_SliceOp : NN_Movement<"slice", [InferType, DataMovement]> {
  let summary = "A strided box of a tensor";
  let description = [{
    Elements `starts`, `starts + strides`, ... below `limits` on each axis;
    strides are positive.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input $starts `to` $limits `by` $strides attr-dict
    `:` type($input) `->` type($output)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NN_PadOp : NN_Movement<"pad", [InferType]> {
  let summary = "Surround and spread a tensor with a constant";
  let description = [{
    Puts `interior` copies of `value` between neighbours, then `low` before
    and `high` after each axis. Negative `low` and `high` crop.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
                       F64Attr:$value);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input `low` $low `high` $high `interior` $interior `value` $value
    attr-dict `:` type($input) `->` type($output)
  }];
  let hasFolder = 1;
}

def NN_ConcatOp : NN_Movement<"concat", [InferType, Reference<"cat">]> {
  let summary = "Join tensors along an axis";
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $inputs `axis` `(` $axis `)` attr-dict
    `:` type($inputs) `->` type($output)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NN_SplitOp : NN_Movement<"split"> {
  let summary = "Cut a tensor into parts along an axis";
  let description = [{
    The parts follow one another along `axis` and cover it.

    ```mlir
    %q, %k = nn.split %x axis(1)
        : tensor<4x6xf32> -> tensor<4x3xf32>, tensor<4x3xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, I64Attr:$axis);
  let results = (outs Variadic<NN_Tensor>:$outputs);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` attr-dict `:` type($input) `->` type($outputs)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_ReverseOp : NN_Movement<"reverse", [
    SameOperandsAndResultType, DataMovement, Reference<"flip">]> {
  let summary = "Reverse the order along axes";
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input `axes` $axes attr-dict `:` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_StopGradientOp : NN_Movement<"stop_gradient", [
    SameOperandsAndResultType, DataMovement]> {
  let summary = "The input, through which no gradient flows";
  let description = [{
    PyTorch's `detach()`. `nn-differentiate` removes it once the gradients are
    ops.

    ```mlir
    %goal = nn.stop_gradient %teacher : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
  let hasFolder = 1;
}

#endif // MPC_DIALECTS_NN_NNMOVEMENTOPS_TD
