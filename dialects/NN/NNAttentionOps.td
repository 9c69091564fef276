// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, and its gradient, without a tensor of scores.
#ifndef MPC_DIALECTS_NN_NNATTENTIONOPS_TD
#define MPC_DIALECTS_NN_NNATTENTIONOPS_TD

include "dialects/NN/NNOpBase.td"
include "dialects/NN/NNRandomInterface.td"

include "dialects/NN/NNOpBase.td"

def NN_AttentionMask
    : Type<Or<[NN_FloatTensor.predicate, NN_BoolTensor.predicate]>,
           "static tensor of floats or i1", "::mlir::RankedTensorType">;

class NN_Attention<string mnemonic>
    : NN_Op<mnemonic, [Pure, Lower, Contraction, KernelBody, Differentiable, InferType,
                       Random, AttrSizedOperandSegments,
                       Reference<"scaled_dot_product_attention">,
                       Infinity<"Ended">]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The mask is added in f32, and sums of exponentials are f32.
    bool hasOwnType(::mlir::Value value);

    bool draws() { return getDropout().has_value(); }
    bool isTrainingOnly() { return true; }
    /// Whether weights are dropped: where there is a key to draw by.
    bool drops() { return !getRandomKey().empty(); }
  }];
}

def NN_AttentionOp : NN_Attention<"attention"> {
  let summary = "Softmax of the products of queries and keys, times values";
  let description = [{
    With query [b, h, t, d], key [b, g, s, d] and value [b, g, s, e], where `g`
    divides `h` and query head `n` reads key head `n / (h / g)`:

    `logits[b, h, t, s] = scale * sum_d query[b, h, t, d] * key[b, g, s, d]`,
    `output[b, h, t, e] = sum_s softmax(logits)[b, h, t, s] * value[b, g, s, e]`,
    `row_max[b, h, t] = max_s logits[b, h, t, s]`,
    `row_sum[b, h, t] = sum_s exp(logits[b, h, t, s] - row_max[b, h, t])`.

    With `softcap(c)` the scaled products `x` are bounded before masks are used, to
    `c tanh(x / c)`.

    Each axis of the mask is 1 or that of the logits. A mask of i1 says which
    keys take part; numbers are added to the logits. With `causal` query `t`
    sees the keys `s <= t`, and with `window` only those of which
    `t - s < window`. A row without a key has the output 0, the maximum -inf and
    the sum 0; so has one whose logits are all -inf.

    Maximum and sum are two numbers, since the logarithm of the sum would be lost
    beside a great maximum: that of a row whose keys are all hidden by a finite
    mask. Whatever is made of them must not change where the maximum is replaced
    by a greater number: the gradient takes `row_max` as a constant.

    With `dropout(p)` each weight is multiplied by 0 or by `f32(1 / (1 - p))`
    before it weighs a value, as `nn.dropout` of that ratio, stream and key does
    it to a tensor `[b, h, t, s]`; sums of exponentials are of all weights. Without
    a key, as in an evaluation, nothing is dropped.

    Logits, exponentials and sums are f32 (f64 for f64). A weight is rounded
    once, to the operands' type, as a factor of the second product, where a unit
    of the target multiplies that type. Output and
    sums are rounded once. The mask, `row_max` and `row_sum`, which are f32 (f64
    for f64), keep their types under autocast.

    ```mlir
    %y, %max, %sum = nn.attention %q, %k, %v scale(0.125) causal
        : tensor<2x8x64x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>
        -> tensor<2x8x64x64xf16>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$query, NN_FloatTensor:$key,
                       NN_FloatTensor:$value,
                       Optional<NN_AttentionMask>:$mask,
                       Variadic<NN_Counts>:$random_key, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$softcap,
                       UnitAttr:$causal, OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F64Attr>:$dropout,
                       DefaultValuedAttr<I32Attr, "0">:$stream);
  let results = (outs NN_FloatTensor:$output, NN_FloatTensor:$row_max,
                      NN_FloatTensor:$row_sum);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^ `:` type($mask))?
    `scale` `(` $scale `)` (`softcap` `(` $softcap^ `)`)? (`causal` $causal^)?
    (`window` `(` $window^ `)`)?
    (`dropout` `(` $dropout^ `)` `stream` $stream)?
    (`key` `(` $random_key^ `:` type($random_key) `)`)?
    attr-dict `:` type($query) `,` type($key) `,`
    type($value) `->` type($output) `,` type($row_max) `,` type($row_sum)
  }];
}

def NN_AttentionGradientOp : NN_Attention<"attention_gradient"> {
  let summary = "Gradients of attention by queries, keys and values";
  let description = [{
    Computes the weights again, from `row_max` and `row_sum` of `nn.attention`.
    With `P = exp(logits - row_max) / row_sum`, 0 in a row without a key, and
    `dS = scale * P * (d_output value^T - delta)`:

    `d_query = dS key`, `d_key = dS^T query`, `d_value = P^T d_output`,

    where dropout, drawn again, is done to P in the last product and to the
    products of `d_output` and `value` in dS;

    `d_key` and `d_value` are sums over the query heads of a key head.
    `delta[b, h, t]` is `sum_e d_output * output`, less `row_sum` times its
    gradient where it has one.

    Where products are bounded to `y`, dS has the factor `1 - (y / c)^2` as well.

    P, dS and all sums are f32 (f64 for f64). P and dS are rounded as factors, as
    weights are. Results are rounded once.
  }];
  let arguments = (ins NN_FloatTensor:$query, NN_FloatTensor:$key,
                       NN_FloatTensor:$value,
                       Optional<NN_AttentionMask>:$mask,
                       NN_FloatTensor:$row_max, NN_FloatTensor:$row_sum,
                       NN_FloatTensor:$delta, NN_FloatTensor:$d_output,
                       Variadic<NN_Counts>:$random_key, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$softcap,
                       UnitAttr:$causal, OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F64Attr>:$dropout,
                       DefaultValuedAttr<I32Attr, "0">:$stream);
  let results = (outs NN_FloatTensor:$d_query, NN_FloatTensor:$d_key,
                      NN_FloatTensor:$d_value);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^ `:` type($mask))?
    `row_max` $row_max `row_sum` $row_sum `delta` $delta `d_output` $d_output
    `scale` `(` $scale `)` (`softcap` `(` $softcap^ `)`)? (`causal` $causal^)?
    (`window` `(` $window^ `)`)?
    (`dropout` `(` $dropout^ `)` `stream` $stream)?
    (`key` `(` $random_key^ `:` type($random_key) `)`)?
    attr-dict `:` type($query) `,` type($key) `,`
    type($value) `,` type($row_max) `,` type($row_sum) `,` type($delta) `,`
    type($d_output) `->` type($d_query) `,` type($d_key) `,` type($d_value)
  }];
}

#endif // MPC_DIALECTS_NN_NNATTENTIONOPS_TD
