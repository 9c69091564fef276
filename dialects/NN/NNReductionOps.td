// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes.
#ifndef MPC_DIALECTS_NN_NNREDUCTIONOPS_TD
#define MPC_DIALECTS_NN_NNREDUCTIONOPS_TD

include "dialects/NN/NNOpBase.td"

class NN_Reduce<string mnemonic, string formula, Type tensor,
                list<Trait> traits>
    : NN_Op<mnemonic, traits # [Pure, KernelBody, Differentiable, InferType]> {
  let summary = formula # " over axes";
  let description = [{
    The axes are removed from the shape. Accumulates in f32 (f64 for f64) and
    rounds once; integers wrap around. A reduction of no elements is the neutral
    element: 0, 1, or the least number of the type.
  }];
  let arguments = (ins tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs tensor:$output);
  let assemblyFormat = [{
    $input `axes` $axes attr-dict `:` type($input) `->` type($output)
  }];
  let hasFolder = 1;
}

def NN_ReduceSumOp : NN_Reduce<"reduce_sum", "Sum", NN_NumberTensor,
    [KeepF32, Reference<"sum.dim_IntList">]>;
def NN_ReduceMaxOp : NN_Reduce<"reduce_max", "Maximum", NN_Tensor,
    [Infer, Reference<"max">]>;
def NN_ReduceProdOp : NN_Reduce<"reduce_prod", "Product", NN_NumberTensor,
    [KeepF32, Reference<"prod.dim_int">]>;

def NN_CumsumOp : NN_Op<"cumsum", [
    Pure, KeepF32, SameOperandsAndResultType, KernelBody, Differentiable,
    Reference<"cumsum">]> {
  let summary = "Sums of all elements up to each one, along an axis";
  let description = [{
    `output[i] = input[0] + ... + input[i]` along `axis`; if `reverse`, the sum
    of `input[i]` and all elements behind it. Adds in f32 (f64 for f64) and
    rounds each sum once; integers wrap around. The order of the sums is
    `kernel.cumsum`'s.

    ```mlir
    %y = nn.cumsum %x axis(1) reverse : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_NumberTensor:$input, I64Attr:$axis,
                       UnitAttr:$reverse);
  let results = (outs NN_NumberTensor:$output);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` (`reverse` $reverse^)? attr-dict
    `:` type($output)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_NN_NNREDUCTIONOPS_TD
