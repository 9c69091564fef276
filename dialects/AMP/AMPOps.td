// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the amp dialect on named state and on gradients. Ops on slabs are
// in AMPSlabOps.td. Methods of the ops on symbols are in Ops/State.cpp, those
// of the ops on gradients in Ops/Gradients.cpp, Ops/Penalty.cpp and
// Ops/Rates.cpp.
#ifndef MPC_DIALECTS_AMP_AMPOPS_TD
#define MPC_DIALECTS_AMP_AMPOPS_TD

include "dialects/AMP/AMPClauseAttrs.td"
include "dialects/AMP/AMPDialect.td"
include "dialects/AMP/AMPInterfaces.td"
include "dialects/Interfaces/OpInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// State with a name
//===----------------------------------------------------------------------===//

def AMP_GroupAttr : AttrDef<AMP_Dialect, "Group"> {
  let mnemonic = "group";
  let summary = "Parameters of an optimizer with numbers of their own";
  let description = [{
    `hyper` has hyper-parameters of the optimizer, which count for `trains` in
    place of the optimizer's own, and `lr_factor`, by which the step's learning
    rate is multiplied.

    ```mlir
    #amp.group<{lr_factor = 10.0 : f64}, [@head]>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$hyper,
                        "::mlir::ArrayAttr":$trains);
  let assemblyFormat = "`<` $hyper `,` $trains `>`";
}
def AMP_OptimizerGroups
    : TypedArrayAttrBase<AMP_GroupAttr, "groups of parameters"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def AMP_ScalerOp : AMP_Op<"scaler", [Symbol]> {
  let summary = "A loss scaler: its policy and the settings it starts with";
  let description = [{
    The state that `amp.get_scale` reads and `amp.update_scale` advances. The
    settings are state too: they may be changed while the program runs.

    ```mlir
    amp.scaler @scaler policy("dynamic") settings {growth_factor = 2.0}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$policy,
                       DictionaryAttr:$settings);
  let assemblyFormat = [{
    $sym_name `policy` `(` $policy `)` `settings` $settings attr-dict
  }];
  let hasVerifier = 1;
}

def AMP_OptimizerOp : AMP_Op<"optimizer", [
    Symbol, UsesSymbols,
    DeclareOpInterfaceMethods<AMP_OptimizerInterface,
                              ["getAllGroups", "keepsAverage",
                               "needsTensors"]>]> {
  let summary = "An optimizer: its rule and the hyper-parameters it starts with";
  let description = [{
    It `trains` parameters of f32 or, with `rounding_seed`, of bf16. No other
    optimizer trains these. Those of `no_decay` have no weight decay. `groups`
    are parts of them with numbers of their own, which are state as the others
    are, under names as `group1.weight_decay`. All share the state of the rule.
    Optimizers.h lists the kinds with their hyper-parameters, flags and slots. A
    flag changes what the rule computes and is fixed; a hyper-parameter is state
    and may be changed while the program runs. Every kind has the
    hyper-parameters `clip_...`, `larc_...`, `l1` and `l2`, which
    `amp.get_hyper` reads for the ops on gradients. With `ema_decay` the
    optimizer keeps an average of each parameter, the slot `ema`:
    `ema + (1 - ema_decay) * (parameter - ema)` after each step that is applied,
    and the parameter itself after the first. With `rounding_seed` parameters
    may be of bf16, without f32 masters. They are updated in f32 and rounded
    stochastically, by random bits that are a function of seed, step and place.
    With `slots` of bf16 or f16, which need a `rounding_seed` too, the rule's
    slots are kept in that type and rounded in the same way; the average stays
    f32. A rule may refuse a type: f16 lacks the range of what it divides by.
    With `counts_skips` the rule's state, such as its step number, advances in
    skipped steps too, as in tf_keras. Averages and rounding then use a second
    count, `applied`, of the steps that were not skipped.

    ```mlir
    amp.optimizer @optimizer kind("sgd") hyper {momentum = 0.9, rounding_seed = 0.0}
                             flags ["momentum"] slots(bf16)
                             trains [@w, @b] no_decay [@b]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind,
                       DictionaryAttr:$hyper,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$flags,
                       OptionalAttr<TypeAttr>:$slot_type,
                       UnitAttr:$counts_skips,
                       DefaultValuedAttr<AMP_Parameters, "{}">:$trains,
                       OptionalAttr<AMP_Parameters>:$no_decay,
                       OptionalAttr<AMP_OptimizerGroups>:$groups);
  let assemblyFormat = [{
    $sym_name `kind` `(` $kind `)` `hyper` $hyper (`flags` $flags^)?
    (`slots` `(` $slot_type^ `)`)? (`counts_skips` $counts_skips^)?
    (`trains` $trains^)? (`no_decay` $no_decay^)? (`groups` $groups^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def AMP_CustomOptimizerOp : AMP_Op<"custom_optimizer", [
    Symbol, UsesSymbols,
    DeclareOpInterfaceMethods<AMP_OptimizerInterface>]> {
  let summary = "An optimizer whose rule is a function of the module";
  let description = [{
    `rule` is written for one element, in elementwise nn ops on tensors of rank
    0; `amp.apply` runs it on every element of every parameter, and keeps the
    old values where a step is skipped. Its arguments have names (`nn.name`):
    `parameter`, `gradient` and each slot, of f32; `lr`, `step` (this step's
    number among those that were applied, from 1), `decay` (1, or 0 for
    parameters without decay) and each hyper-parameter, of f32 or f64. The rule
    takes only the arguments that it needs. It yields, by name and as f32,
    `parameter` and the slots that change. A slot starts with the value that
    `slots` gives. `trains` and `no_decay` mean what they mean for
    `amp.optimizer`.

    ```mlir
    amp.custom_optimizer @optimizer rule(@momentum) slots {velocity = 0.0}
                         hyper {momentum = 0.9} trains [@w, @b]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$rule,
                       DictionaryAttr:$slots, DictionaryAttr:$hyper,
                       DefaultValuedAttr<AMP_Parameters, "{}">:$trains,
                       OptionalAttr<AMP_Parameters>:$no_decay);
  let assemblyFormat = [{
    $sym_name `rule` `(` $rule `)` `slots` $slots `hyper` $hyper
    (`trains` $trains^)? (`no_decay` $no_decay^)? attr-dict
  }];
  let hasVerifier = 1;
}

def AMP_GetScaleOp : AMP_Op<"get_scale", [
    MemoryEffects<[MemRead]>, StateOpInterface, UsesSymbols]> {
  let summary = "The current loss scale, rounded if the result is f32";
  let description = [{
    ```mlir
    %scale = amp.get_scale @scaler : tensor<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler);
  let results = (outs AMP_F32OrF64:$scale);
  let assemblyFormat = "$scaler attr-dict `:` type($scale)";
  let extraClassDeclaration = [{
    ::llvm::StringRef getStateName() { return getScaler(); }
  }];
}

def AMP_GetRateOp : AMP_Op<"get_rate", [
    MemoryEffects<[MemRead]>, SameOperandsAndResultType, StateOpInterface,
    UsesSymbols]> {
  let summary = "The learning rate, chosen by whether the last step was applied";
  let description = [{
    A learning rate follows from how many steps were applied. While a step is
    under way, its scaler alone knows whether that step was applied: the result
    is `skipped` if the scaler's last update was of a skipped step, else
    `applied`.

    ```mlir
    %lr = amp.get_rate @scaler, %applied, %skipped : tensor<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, AMP_F32OrF64:$applied,
                       AMP_F32OrF64:$skipped);
  let results = (outs AMP_F32OrF64:$rate);
  let assemblyFormat =
      "$scaler `,` $applied `,` $skipped attr-dict `:` type($rate)";
  let extraClassDeclaration = [{
    ::llvm::StringRef getStateName() { return getScaler(); }
  }];
}

def AMP_GetHyperOp : AMP_Op<"get_hyper", [
    MemoryEffects<[MemRead]>, UsesSymbols]> {
  let summary = "A hyper-parameter's value";
  let description = [{
    ```mlir
    %max = amp.get_hyper @optimizer "clip_global_norm" : tensor<f64>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$optimizer, StrAttr:$hyper);
  let results = (outs AMP_F64:$value);
  let assemblyFormat = "$optimizer $hyper attr-dict `:` type($value)";
}

def AMP_ApplyOp : AMP_Op<"apply", [
    MemoryEffects<[MemRead, MemWrite]>, UsesSymbols]> {
  let summary = "One optimizer step";
  let description = [{
    Updates the parameters that the optimizer trains, and its slots, by their
    gradients, and advances its step count. Where `skip` is true, no bit
    changes. A learning rate of f64 (`lr(%lr : tensor<f64>)`) is rounded only
    where a rule uses it.

    ```mlir
    amp.apply %gradients lr(%lr) skip(%found) : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins AMP_GradientsType:$gradients, AMP_F32OrF64:$lr,
                       Optional<AMP_Flag>:$skip);
  let assemblyFormat = [{
    $gradients `lr` `(` $lr `` custom<LrType>(type($lr)) `` `)`
    (`skip` `(` $skip^ `)`)? attr-dict `:` qualified(type($gradients))
  }];
}

def AMP_AssignOp : AMP_Op<"assign", [
    MemoryEffects<[MemRead, MemWrite]>, UsesSymbols]> {
  let summary = "Give a parameter a new value";
  let description = [{
    Where `skip` is true the parameter keeps its bits. With frozen parameters
    this is how a step keeps state of its own: a history of directions, an
    average of weights.

    ```mlir
    amp.assign %w to @w skip(%found) : tensor<10x64xf32>
    ```
  }];
  let arguments = (ins AMP_StateTensor:$value,
                       FlatSymbolRefAttr:$parameter, Optional<AMP_Flag>:$skip);
  let assemblyFormat = [{
    $value `to` $parameter (`skip` `(` $skip^ `)`)? attr-dict `:` type($value)
  }];
}

def AMP_AccumulateOp : AMP_Op<"accumulate", [
    MemoryEffects<[MemRead, MemWrite]>, UsesSymbols]> {
  let summary = "Add gradients to those of earlier batches";
  let description = [{
    Sums in f32, in the order of the calls. With `pairs_of` a window has so many
    calls, and their gradients are summed by pairs of neighbours, level by
    level: ((0 + 1) + (2 + 3)) + (4 + 5). One that is left over at a level goes
    up as it is. A part of the sum is kept for each level.

    ```mlir
    amp.accumulate %gradients : !amp.gradients<@optimizer>
    amp.accumulate %gradients pairs_of(6) : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins AMP_WholeGradients:$gradients,
                       OptionalAttr<AMP_Count>:$pairs_of);
  let assemblyFormat = [{
    $gradients (`pairs_of` `(` $pairs_of^ `)`)? attr-dict
    `:` qualified(type($gradients))
  }];
}

def AMP_TakeGradientsOp : AMP_Op<"take_gradients", [
    MemoryEffects<[MemRead, MemWrite]>, UsesSymbols]> {
  let summary = "The accumulated gradients, which start again from zero";
  let description = [{
    With `pairs_of` the window has so many calls of an `amp.accumulate` that has
    the same number.

    ```mlir
    %gradients = amp.take_gradients : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins OptionalAttr<AMP_Count>:$pairs_of);
  let results = (outs AMP_WholeGradients:$gradients);
  let assemblyFormat = [{
    (`pairs_of` `(` $pairs_of^ `)`)? attr-dict `:` qualified(type($gradients))
  }];
}

def AMP_ExchangeOp : AMP_Op<"exchange", [Pure, UsesSymbols]> {
  let summary = "The sum of the gradients of all ranks";
  let description = [{
    Each rank has the gradients of its own batches. Their sum over the ranks is
    in f32, by pairs of neighbours as `amp.accumulate` has it with `pairs_of`,
    and the same on all ranks. What moves between ranks is in the type in which
    gradients arrive. A result that is a part is the sum of those elements that
    this rank updates.

    ```mlir
    %sum = amp.exchange %gradients ranks(4)
        : !amp.gradients<@optimizer> -> !amp.gradients<@optimizer part of 4>
    ```
  }];
  let arguments = (ins AMP_WholeGradients:$input, AMP_Count:$ranks);
  let results = (outs AMP_GradientsType:$output);
  let assemblyFormat = [{
    $input `ranks` `(` $ranks `)` attr-dict `:` qualified(type($input)) `->`
    qualified(type($output))
  }];
  let hasVerifier = 1;
}

def AMP_AllGatherOp : AMP_Op<"all_gather", [Pure]> {
  let summary = "The rows of all ranks, in the order of the ranks";
  let description = [{
    Each rank has as many rows. Bits move, so that the result is the same on all
    ranks.

    ```mlir
    %all = amp.all_gather %own ranks(4) : tensor<2x64xf32> -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins AMP_StateTensor:$input, AMP_Count:$ranks);
  let results = (outs AMP_StateTensor:$output);
  let assemblyFormat = [{
    $input `ranks` `(` $ranks `)` attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
}

def AMP_UpdateScaleOp : AMP_Op<"update_scale", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
    UsesSymbols]> {
  let summary = "Advance the loss scaler by what the step found";
  let description = [{
    `max_abs`, the largest unscaled gradient, is for the policies that read it.
    Where `skip` is true the scaler stays as it is. Yields the policy's counter
    after the step and its error, which is 0 without an error.

    ```mlir
    %good_steps, %error = amp.update_scale @scaler found(%found)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, AMP_Flag:$found,
                       Optional<AMP_F32>:$max_abs, Optional<AMP_Flag>:$skip);
  let results = (outs AMP_F64:$counter, AMP_F64:$error);
  let assemblyFormat = [{
    $scaler `found` `(` $found `)` (`max_abs` `(` $max_abs^ `)`)?
    (`skip` `(` $skip^ `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$scaler,
                                 "::mlir::Value":$found,
                                 "::mlir::Value":$maxAbs)>];
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

def AMP_GatherOp : AMP_Op<"gather", [Pure, UsesSymbols]> {
  let summary = "The gradients of all parameters of an optimizer, as one value";
  let description = [{
    The gradients stand in the order of the optimizer's `trains`. A 16-bit
    gradient is widened to f32, which is exact.

    ```mlir
    %g = amp.gather %dw, %db : tensor<4xf32>, tensor<8xf16>
        -> !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins Variadic<AMP_Gradient>:$gradients);
  let results = (outs AMP_WholeGradients:$output);
  let assemblyFormat = [{
    $gradients attr-dict `:` type($gradients) `->` qualified(type($output))
  }];
}

def AMP_SplitOp : AMP_Op<"split", [Pure, UsesSymbols]> {
  let summary = "The gradient of each parameter of an optimizer";
  let description = [{
    ```mlir
    %dw, %db = amp.split %g : !amp.gradients<@optimizer>
        -> tensor<4xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins AMP_WholeGradients:$input);
  let results = (outs Variadic<AMP_F32Tensor>:$gradients);
  let assemblyFormat = [{
    $input attr-dict `:` qualified(type($input)) `->` type($gradients)
  }];
}

def AMP_InverseScaleOp : AMP_Op<"inverse_scale", [Pure, Differentiable]> {
  let summary = "The factor that gradients are unscaled with";
  let description = [{
    `f32(1 / f64(scale))`. With `flushed` a subnormal result becomes 0, as in
    TensorFlow. Differentiation takes the result as a constant.

    ```mlir
    %inverse = amp.inverse_scale %scale : tensor<f32>
    ```
  }];
  let arguments = (ins AMP_F32OrF64:$scale, UnitAttr:$flushed);
  let results = (outs AMP_F32:$inverse);
  let assemblyFormat = "$scale (`flushed` $flushed^)? attr-dict `:` type($scale)";
}

// An elementwise op on one gradient, or on all gradients of an optimizer, with
// one scalar. The result is f32.
class AMP_GradientMap<string mnemonic, list<Trait> traits = []>
    : AMP_Op<mnemonic, traits # [
          Pure, KernelBody, WidensFirst, Recomputed]> {
  let arguments = (ins AMP_AnyGradients:$input, AMP_F32:$factor);
  let results = (outs AMP_AnyF32Gradients:$output);
  let assemblyFormat = [{
    $input `by` $factor attr-dict `:` custom<MapTypes>(type($input), type($output))
  }];
  let hasVerifier = 1;
}

def AMP_UnscaleOp : AMP_GradientMap<"unscale", [
    Differentiable, AMP_GradientTransformInterface]> {
  let summary = "A gradient without its scale";
  let description = [{
    `f32(input) * factor`; with `divide`, `f32(input) / factor`, where the
    factor is the scale itself. The op is linear in the gradient.
    Differentiation takes the factor as a constant. The verifier refuses a
    gradient that is already unscaled by the factor.

    ```mlir
    %u = amp.unscale %g by %inverse : !amp.gradients<@optimizer>
    %t = amp.unscale %dw by %inverse : tensor<4xf16> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins AMP_AnyGradients:$input, AMP_F32:$factor,
                       UnitAttr:$divide);
  let assemblyFormat = [{
    $input `by` $factor (`divide` $divide^)? attr-dict
    `:` custom<MapTypes>(type($input), type($output))
  }];
}

def AMP_ClipOp : AMP_GradientMap<"clip", [AMP_GradientTransformInterface]> {
  let summary = "A gradient times the clip coefficient";
  let description = [{
    ```mlir
    %c = amp.clip %u by %coefficient : !amp.gradients<@optimizer>
    ```
  }];
}

def AMP_ClampOp : AMP_GradientMap<"clamp", [
    DeclareOpInterfaceMethods<AMP_GradientTransformInterface, ["getBound"]>]> {
  let summary = "A gradient with its elements in [-factor, factor]";
  let description = [{
    NaN stays NaN.

    ```mlir
    %c = amp.clamp %u by %limit : !amp.gradients<@optimizer>
    ```
  }];
}

def AMP_CheckOp : AMP_Op<"check", [Pure]> {
  let summary = "Whether gradients are finite, and their global norm";
  let description = [{
    `found` is true where an element is inf or NaN. The norm is the root of the
    sum of squares in f64, by blocks of 4096 elements in order; it cannot
    overflow, and it is finite where every element is.

    ```mlir
    %found, %norm = amp.check %g : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins Variadic<AMP_AnyGradients>:$gradients);
  let results = (outs AMP_Flag:$found, AMP_F64:$norm);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
}

def AMP_VectorNormOp : AMP_Op<"vector_norm", [Pure, KernelBody]> {
  let summary = "A tensor's norm in f32, summed in PyTorch's order";
  let description = [{
    What PyTorch's CPU kernel computes: sum `j` of 8 is over elements `j`,
    `j + 8`, ... of all whole rows of 8, square and addition each rounded to
    f32; the sums are added in order; then come the squares of what is left, the
    first 4 of them (if there are 4) in the same way, the others each in one
    rounding with their addition. The result is the rounded root. It is less
    exact than the f64 norm of `amp.check`, and sequential. It is meant for
    steps that clip as PyTorch does, to the bit.

    ```mlir
    %n = amp.vector_norm %u : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins AMP_F32Tensor:$input);
  let results = (outs AMP_F32:$norm);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def AMP_MaxAbsOp : AMP_Op<"max_abs", [Pure]> {
  let summary = "The largest absolute value, or NaN if an element is NaN";
  let description = [{
    ```mlir
    %max = amp.max_abs %g : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins Variadic<AMP_AnyGradients>:$gradients);
  let results = (outs AMP_F32:$max);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
}

def AMP_ClipCoefficientOp : AMP_Op<"clip_coefficient", [Pure, KernelBody]> {
  let summary = "The factor that clips gradients to a norm";
  let description = [{
    `min(1, max / (norm + 1e-6))` in f32, PyTorch's rule. With `keras` it is
    `max / maximum(norm, max)`, in f64 and rounded to f32. With `scale` it is
    computed as if from the norm of the scaled gradients and a scaled `max`.
    There is one coefficient for each norm. A coefficient is NaN if and only if
    its norm is.

    ```mlir
    %c = amp.clip_coefficient %norm max(%max) : tensor<f64> -> tensor<f32>
    ```
  }];
  let arguments = (ins AMP_F64Norms:$norm, AMP_F64:$max,
                       Optional<AMP_F32>:$scale, UnitAttr:$keras);
  let results = (outs AMP_F32Norms:$coefficient);
  let assemblyFormat = [{
    $norm `max` `(` $max `)` (`scale` `(` $scale^ `)`)? (`keras` $keras^)?
    attr-dict `:` type($norm) `->` type($coefficient)
  }];
  let hasVerifier = 1;
}

// A transform of all gradients of an optimizer at once.
class AMP_Transform<string mnemonic, list<string> methods,
                    list<Trait> traits = []>
    : AMP_Op<mnemonic, traits # [
          AllTypesMatch<["input", "output"]>,
          DeclareOpInterfaceMethods<AMP_GradientTransformInterface,
                                    methods # ["getBound", "buildGroup"]>]> {
  let results = (outs AMP_GradientsType:$output);
}

def AMP_ClipEachOp : AMP_Transform<"clip_each", ["needsTensors"], [Pure]> {
  let summary = "Each gradient clipped to its own norm";
  let description = [{
    Multiplies each gradient by the coefficient that `amp.clip_coefficient`
    gives for its norm.

    ```mlir
    %c = amp.clip_each %g max(%max) : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins AMP_GradientsType:$input, AMP_F64:$max, UnitAttr:$keras);
  let assemblyFormat = [{
    $input `max` `(` $max `)` (`keras` $keras^)? attr-dict
    `:` qualified(type($input))
  }];
}

def AMP_RegularizeOp : AMP_Transform<"regularize", ["needsParameters"], [
    MemoryEffects<[MemRead]>]> {
  let summary = "Add the gradient of a penalty on the parameters";
  let description = [{
    Adds to each gradient `g` that of `l1 * sum |w| + l2 * sum w^2`, where `w`
    is the parameter as the optimizer holds it: `g + 2 * l2 * w` in one
    rounding, then `+ l1 * sign(w)`. Parameters without weight decay have no
    penalty.

    ```mlir
    %r = amp.regularize %g l1(%l1) l2(%l2) : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins AMP_GradientsType:$input, AMP_F64:$l1, AMP_F64:$l2);
  let assemblyFormat = [{
    $input `l1` `(` $l1 `)` `l2` `(` $l2 `)` attr-dict
    `:` qualified(type($input))
  }];
}

def AMP_LarcOp : AMP_Transform<"larc", ["needsTensors", "needsParameters"], [
    AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Scale each gradient by a rate from its norm and its "
      "parameter's";
  let description = [{
    Layer-wise adaptive rates (You et al., 2017): multiplies each gradient by
    the rate that `amp.larc_rate` gives for its parameter. With `lr` the rate is
    at most 1 (mode clip). Without `lr` it scales the step (mode scale).

    With `min_update` the rates are those of OpenSeq2Seq, with `weight_decay`
    those of NVIDIA Apex. Apex gives `rate * (g + weight_decay * w)`. It leaves
    a gradient as it is, without decay, where its norm or the parameter's is 0.
    Parameters without weight decay have a `weight_decay` of 0.

    ```mlir
    %s = amp.larc %g eta(%eta) eps(%eps) min_update(%min) lr(%lr)
        : !amp.gradients<@optimizer>
    ```
  }];
  let arguments = (ins AMP_GradientsType:$input, AMP_F64:$eta, AMP_F64:$eps,
                       Optional<AMP_F64>:$min_update,
                       Optional<AMP_F64>:$weight_decay, Optional<AMP_F32>:$lr);
  let assemblyFormat = [{
    $input `eta` `(` $eta `)` `eps` `(` $eps `)`
    (`min_update` `(` $min_update^ `)`)?
    (`weight_decay` `(` $weight_decay^ `)`)? (`lr` `(` $lr^ `)`)?
    attr-dict `:` qualified(type($input))
  }];
  let hasVerifier = 1;
}

include "dialects/AMP/AMPSlabOps.td"

#endif // MPC_DIALECTS_AMP_AMPOPS_TD
