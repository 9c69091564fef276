// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products.
#ifndef MPC_DIALECTS_NN_NNCONTRACTIONOPS_TD
#define MPC_DIALECTS_NN_NNCONTRACTIONOPS_TD

include "dialects/NN/NNOpBase.td"

class NN_Contraction<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, traits # [Pure, Lower, Contraction, Biased, KernelBody,
                                Differentiable, InferType,
                                Infinity<"Ended">]>;

def NN_MatmulOp : NN_Contraction<"matmul"> {
  let summary = "Batched matrix product";
  let description = [{
    `output[b.., m, n] = sum_k lhs[b.., m, k] * rhs[b.., k, n]`; with
    `transpose_lhs` (`transpose_rhs`) the operand is stored with its last two
    axes swapped. Batch axes are equal. Sums in f32, k ascending, adds
    `bias[n]` in f32, and rounds once.

    ```mlir
    %c = nn.matmul %a, %b transpose_rhs
        : tensor<4x8xf16>, tensor<6x8xf16> -> tensor<4x6xf16>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$lhs, NN_FloatTensor:$rhs,
                       Optional<NN_FloatTensor>:$bias,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? (`bias` $bias^ `:` type($bias))? attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($output)
  }];
  let hasCanonicalizer = 1;
}

def NN_LinearOp : NN_Contraction<"linear"> {
  let summary = "Fully connected layer";
  let description = [{
    `output[.., n] = sum_k input[.., k] * weight[n, k] + bias[n]`. The bias is
    added in f32 to the f32 sum; one rounding.
  }];
  let arguments = (ins NN_FloatTensor:$input, NN_FloatTensor:$weight,
                       Optional<NN_FloatTensor>:$bias);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^ `:` type($bias))? attr-dict
    `:` type($input) `,` type($weight) `->` type($output)
  }];
}

def NN_ConvOp : NN_Contraction<"conv"> {
  let summary = "Convolution over any number of spatial axes";
  let description = [{
    Cross-correlation of `input[n, c, x..]` with `weight[o, c / groups, k..]`:
    `output[n, o, y..] = sum_{c, k} input[n, g(o) + c, y * strides +
    k * dilations - low] * weight[o, c, k] + bias[o]`. `low` and `high` are
    the zero padding before and after each spatial axis. One rounding.
  }];
  let arguments = (ins NN_FloatTensor:$input, NN_FloatTensor:$weight,
                       Optional<NN_FloatTensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations,
                       I64Attr:$groups);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^ `:` type($bias))? `strides` $strides
    `low` $low `high` $high `dilations` $dilations `groups` `(` $groups `)`
    attr-dict `:` type($input) `,` type($weight) `->` type($output)
  }];
  let extraClassDeclaration = [{
    /// The name depends on the number of spatial axes.
    ::llvm::StringRef getReferenceOp();
  }];
  let hasCanonicalizer = 1;
}

#endif // MPC_DIALECTS_NN_NNCONTRACTIONOPS_TD
