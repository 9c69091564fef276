// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that draw random numbers or use them.
#ifndef MPC_DIALECTS_NN_NNRANDOMOPS_TD
#define MPC_DIALECTS_NN_NNRANDOMOPS_TD

include "dialects/NN/NNOpBase.td"
include "dialects/NN/NNRandomInterface.td"

def NN_Count
    : Type<And<[RankedTensorOf<[I64]>.predicate, HasAnyRankOfPred<[0]>]>,
           "tensor<i64>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get("
                    "::llvm::ArrayRef<int64_t>(), $_builder.getI64Type())">;
def NN_CountVector
    : Type<And<[RankedTensorOf<[I64]>.predicate, HasStaticShapePred,
                HasAnyRankOfPred<[1]>]>,
           "vector of i64", "::mlir::RankedTensorType">;
def NN_I32Tensor
    : Type<And<[RankedTensorOf<[I32]>.predicate, HasStaticShapePred]>,
           "static tensor of i32", "::mlir::RankedTensorType">;
def NN_F32Tensor
    : Type<And<[RankedTensorOf<[F32]>.predicate, HasStaticShapePred]>,
           "static tensor of f32", "::mlir::RankedTensorType">;

def NN_RandomCountersOp : NN_Op<"random_counters", [Pure, KernelBody]> {
  let summary = "What each random stream counts by in one step";
  let description = [{
    Element `i`, of stream `i`, is `i` in its upper 32 bits and the lower 32
    bits of `step` in its lower ones. Ops that draw read their stream's element,
    so that equal ops are one kernel.

    ```mlir
    %counters = nn.random_counters %step : tensor<4xi64>
    ```
  }];
  let arguments = (ins NN_Count:$step);
  let results = (outs NN_CountVector:$output);
  let assemblyFormat = "$step attr-dict `:` type($output)";
}

def NN_RandomBitsOp : NN_Op<"random_bits", [Pure, KernelBody, Random]> {
  let summary = "Random bits, a function of key, stream, step, batch and place";
  let description = [{
    Bits are words of blocks of Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
    2011) under the key, its lower 32 bits first.

    The first axis of a tensor is its samples. A row is the fewest last axes, never
    the first one, that have 64 elements; all but the first where none has. (A
    tensor of one axis has rows of one element.) Each row is cut into runs of 64
    elements, of which the last may be shorter. With `r` the row's number in a
    tensor of `R` rows of `n` runs, the element `c` of its row belongs to run
    `(batch * R + r) * n + c / 64`, and its bits are word `c % 64 / 16` of the
    block whose counter is, lower words first,

    - `run * 16 + c % 16`, in two words,
    - element `stream` of the counters, of which the upper half is the stream and
      the lower one the step (`nn.random_counters`): the stream, with `draw` in its
      upper two bits, and then the step.

    Each op has a stream of its own, or a draw. No block spans two samples, so that
    the bits of a window of batches are those of one batch of all their samples.

    An op without key, counters and batch draws nothing yet: `nn-key-random`
    gives it these.

    ```mlir
    %bits = nn.random_bits stream 3
        key(%key, %counters, %batch : tensor<i64>, tensor<4xi64>, tensor<i64>)
        : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins Variadic<NN_Counts>:$random_key, I32Attr:$stream,
                       DefaultValuedAttr<I32Attr, "0">:$draw);
  let results = (outs NN_I32Tensor:$output);
  let assemblyFormat = [{
    `stream` $stream (`draw` $draw^)? (`key` `(` $random_key^ `:` type($random_key) `)`)? attr-dict
    `:` type($output)
  }];
  let hasVerifier = 1;
}

def NN_UniformOp : NN_Op<"uniform", [
    Pure, ScalarBody, SameOperandsAndResultShape]> {
  let summary = "Numbers in [0, 1) made of random bits";
  let description = [{
    `2^-24` times the upper 24 bits: each of the 2^24 numbers is as likely.

    ```mlir
    %u = nn.uniform %bits : tensor<4x8xi32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_I32Tensor:$bits);
  let results = (outs NN_F32Tensor:$output);
  let assemblyFormat = "$bits attr-dict `:` type($bits) `->` type($output)";
}

def NN_DropoutOp : NN_Op<"dropout", [
    Pure, Infer, KernelBody, Differentiable, TrainingForm, Random,
    AllTypesMatch<["input", "output"]>]> {
  let summary = "Drop elements at random and scale the others up";
  let description = [{
    Without a key, as in an evaluation, the input itself. With one, `input *
    f32(1 / (1 - ratio))` where the element is kept and `input * 0` where it is
    dropped, so that what is not finite stays visible; in f32 (f64 for f64),
    rounded once. An element is kept where `nn.uniform` of
    `nn.random_bits stream S key(...)`, of the input's shape, is less than
    `1 - ratio`, rounded to a multiple of 2^-24. With `ratio` 1 all are dropped.

    The gradient is the same op on the cotangent: the mask is drawn again, not
    kept.

    ```mlir
    %y = nn.dropout %x ratio 0.1 stream 3
        key(%key, %counters, %batch : tensor<i64>, tensor<4xi64>, tensor<i64>)
        : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$input, Variadic<NN_Counts>:$random_key,
                       F64Attr:$ratio, I32Attr:$stream);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input `ratio` $ratio `stream` $stream (`key` `(` $random_key^ `:` type($random_key) `)`)? attr-dict
    `:` type($output)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isTrainingOnly() { return true; }
  }];
}

#endif // MPC_DIALECTS_NN_NNRANDOMOPS_TD
