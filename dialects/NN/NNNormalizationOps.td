// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalization and losses.
#ifndef MPC_DIALECTS_NN_NNNORMALIZATIONOPS_TD
#define MPC_DIALECTS_NN_NNNORMALIZATIONOPS_TD

include "dialects/NN/NNOpBase.td"

def NN_SoftmaxOp : NN_Op<"softmax", [
    Pure, KeepF32, SameOperandsAndResultType, KernelBody, Differentiable,
    Reference<"softmax.int">, InUnitRange]> {
  let summary = "Softmax along one axis";
  let description = [{
    Computes `exp(x - max(x)) / sum(exp(x - max(x)))` along `axis`, in f32
    (f64 for f64) whatever the element type. A row of -inf gives NaN.

    ```mlir
    %y = nn.softmax %x axis(1) : tensor<8x10xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$input, I64Attr:$axis);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$input `axis` `(` $axis `)` attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def NN_LogSoftmaxOp : NN_Op<"log_softmax", [
    Pure, KeepF32, SameOperandsAndResultType, KernelBody, Differentiable,
    Reference<"log_softmax.int">, Infinity<"Ended">]> {
  let summary = "Logarithm of softmax along one axis";
  let description = [{
    Computes `x - max(x) - log(sum(exp(x - max(x))))` along `axis`, in f32
    (f64 for f64).
  }];
  let arguments = (ins NN_FloatTensor:$input, I64Attr:$axis);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$input `axis` `(` $axis `)` attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def NN_LayerNormOp : NN_Op<"layer_norm", [
    Pure, KeepF32, KernelBody, Differentiable, AttrSizedOperandSegments,
    AllTypesMatch<["input", "output"]>, Infinity<"Ended">]> {
  let summary = "Layer normalization over the trailing axes";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, where mean and
    (population) variance are over the axes from `axis` on and `scale` and
    `bias` have the shape of these axes. Computed in f32 (f64 for f64), the
    variance from the deviations; one rounding. `scale` and `bias` keep their
    types under autocast.
  }];
  let arguments = (ins NN_FloatTensor:$input, Optional<NN_FloatTensor>:$scale,
                       Optional<NN_FloatTensor>:$bias, I64Attr:$axis,
                       F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input (`scale` $scale^ `:` type($scale))? (`bias` $bias^ `:` type($bias))?
    `axis` `(` $axis `)` `epsilon` `(` $epsilon `)` attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The computation is in f32 anyway, so that scale and bias keep their own
    /// type.
    bool hasOwnType(::mlir::Value value) {
      return value != getInput() && value != getOutput();
    }
  }];
}

def NN_RMSNormOp : NN_Op<"rms_norm", [
    Pure, KeepF32, KernelBody, Differentiable,
    AllTypesMatch<["input", "output"]>, Infinity<"Ended">]> {
  let summary = "Normalization by the root of the mean square";
  let description = [{
    `x / sqrt(mean(x^2) + epsilon) * scale`, where the mean is over the axes
    from `axis` on and `scale` has the shape of these axes. Computed in f32
    (f64 for f64); one rounding. `scale` keeps its type under autocast.

    Canonicalization builds the op from the ops that exporters write for it, in
    f32 and f64 alone, where no rounding in between is lost.

    ```mlir
    %y = nn.rms_norm %x scale %w : tensor<64xf32> axis(2) epsilon(1.0e-6)
        : tensor<2x8x64xf16>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$input, Optional<NN_FloatTensor>:$scale,
                       I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input (`scale` $scale^ `:` type($scale))? `axis` `(` $axis `)`
    `epsilon` `(` $epsilon `)` attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The computation is in f32 anyway, so that the scale keeps its own type.
    bool hasOwnType(::mlir::Value value) { return value == getScale(); }
  }];
}

// Statistics have a type of their own, which no precision changes.
class NN_BatchNormalization<string mnemonic>
    : NN_Op<mnemonic, [
        Pure, Infer, Reference<"batch_norm">, KernelBody, Differentiable,
        TrainingForm]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasOwnType(::mlir::Value value) {
      return value != getInput() && value != getOutput();
    }
  }];
}

def NN_BatchNormOp : NN_BatchNormalization<"batch_norm"> {
  let summary = "Batch normalization by given statistics";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, where the four
    vectors have one element for each place on `axis`. Computed in f32 (f64 for
    f64); one rounding. The vectors keep their types under autocast.

    `nn-training-mode` replaces the op by `nn.batch_norm_training`, unless it
    has the attribute `nn.frozen`; `momentum` is for the new op.

    ```mlir
    %y = nn.batch_norm %x, %scale, %bias, %mean, %variance axis(1)
        epsilon(1.0e-5) momentum(0.1)
        : (tensor<4x3x8x8xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
           tensor<3xf32>) -> tensor<4x3x8x8xf16>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$input, NN_FloatTensor:$scale,
                       NN_FloatTensor:$bias, NN_FloatTensor:$mean,
                       NN_FloatTensor:$variance, I64Attr:$axis,
                       F64Attr:$epsilon, F64Attr:$momentum);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    operands `axis` `(` $axis `)` `epsilon` `(` $epsilon `)`
    `momentum` `(` $momentum `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def NN_BatchNormTrainingOp : NN_BatchNormalization<"batch_norm_training"> {
  let summary = "Batch normalization by the batch's own statistics";
  let description = [{
    Normalizes as `nn.batch_norm` does, by the mean and the (population)
    variance of the input over all axes but `axis`, the variance from the
    deviations. Yields, beside the output, that mean and the reciprocal of the
    deviation, `1 / sqrt(variance + epsilon)`, and the running statistics that
    follow: `(1 - momentum) * old + momentum * new`, where a new variance is
    that of the sample (divided by n - 1) if `sample_variance` is given, as in
    PyTorch, and that of the population otherwise, as in ONNX. No gradient
    flows into or out of running statistics.
  }];
  let arguments = (ins NN_FloatTensor:$input, NN_FloatTensor:$scale,
                       NN_FloatTensor:$bias, NN_FloatTensor:$running_mean,
                       NN_FloatTensor:$running_variance, I64Attr:$axis,
                       F64Attr:$epsilon, F64Attr:$momentum,
                       UnitAttr:$sample_variance);
  let results = (outs NN_FloatTensor:$output, NN_FloatTensor:$mean,
                      NN_FloatTensor:$rstd, NN_FloatTensor:$new_mean,
                      NN_FloatTensor:$new_variance);
  let assemblyFormat = [{
    operands `axis` `(` $axis `)` `epsilon` `(` $epsilon `)`
    `momentum` `(` $momentum `)` (`sample_variance` $sample_variance^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def NN_CrossEntropyOp : NN_Op<"cross_entropy", [
    Pure, KeepF32, KernelBody, Differentiable, Indexing,
    Reference<"nll_loss">, Infinity<"Ended">]> {
  let summary = "Mean softmax cross entropy against integer labels";
  let description = [{
    `mean_i(log(sum_c exp(x[i, c])) - x[i, target[i]])` over all elements of
    `target`, computed in f32 (f64 for f64). `target` has the shape of
    `logits` without `axis`. A label equal to `ignore_index` takes no part,
    and the mean is over the others; a label out of range contributes
    `log(sum_c exp(x[i, c]))` alone, and is never used as an address.
  }];
  let arguments = (ins NN_FloatTensor:$logits, NN_IntTensor:$target,
                       I64Attr:$axis, OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs NN_FloatTensor:$loss);
  let assemblyFormat = [{
    $logits `,` $target `axis` `(` $axis `)`
    (`ignore_index` `(` $ignore_index^ `)`)? attr-dict
    `:` type($logits) `,` type($target) `->` type($loss)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_NN_NNNORMALIZATIONOPS_TD
