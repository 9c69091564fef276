// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp.recipe. Its methods are in Ops/Recipe.cpp.
#ifndef MPC_DIALECTS_AMP_AMPRECIPE_TD
#define MPC_DIALECTS_AMP_AMPRECIPE_TD

include "dialects/AMP/AMPDialect.td"
include "dialects/AMP/AMPRecipeEnums.td"
include "dialects/Interfaces/Precision.td"
include "dialects/NN/NNLosses.td"

def AMP_Strings : DefaultValuedOptionalAttr<StrArrayAttr, "{}">;
def AMP_Numbers : DefaultValuedOptionalAttr<DictionaryAttr, "{}">;
class AMP_Number<string value> : DefaultValuedOptionalAttr<F64Attr, value>;

def AMP_RecipeOp : AMP_Op<"recipe", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "How a model is computed and trained";
  let description = [{
    A module has at most one. `amp-prepare-model`, `amp-build-step`,
    `amp-count-underflow` and `amp-lower-state` do what it says; the last of them
    erases it. Clauses come in any order, and one that is left out has its
    default. Patterns are ECMAScript regular expressions.

    ```mlir
    amp.recipe loss(cross_entropy) precision(fp16) policy("dynamic")
               optimizer("sgd") hyper({momentum = 0.9}) flags(["nesterov"])
               clip(global_norm) clip_by(1.0) no_decay(["bias$"])
    ```

    How the model is computed:

    | clause | means |
    |---|---|
    | `loss(NAME)` | a loss of `dialects/NN/Losses.cpp`, which says what clauses it takes; without it the module has its own `@loss` |
    | `loss_of("NAME")` | the model's output that the loss is taken of |
    | `reduction(R)` | mean, sum or batchmean (default: mean) |
    | `ignore_index(N)` | the label that takes no part (default: none) |
    | `class_weights([...])` | one for each class (default: all 1) |
    | `label_smoothing(X)` | the share of a label that all classes have (default: 0) |
    | `loss_delta(X)` | where a square goes over to a line (default: 1) |
    | `class_axis(N)` | the axis of the classes, from the end where it is negative (default: as `nn-add-loss` finds it) |
    | `target([DIMS])` | shape of one batch of `target`, by which the class axis is found |
    | `precision(P)` | fp32, bf16 or fp16 (default: fp32) |
    | `no_dropout` | leave dropout out, as an evaluation does |
    | `outputs(P)` | what the model's outputs are cast to, before the loss |
    | `autocast("NAME")` | the autocast policy (default: preset:mpc) |
    | `rules("TEXT")` | what the policy's file says, where it is one |
    | `keep_fp32([...])`, `lower([...])` | patterns of nodes and ops |
    | `cost_aware` | leave an op in f32 whose casts cost more than it saves |
    | `round_weights` | weights beyond the low type's range are copied as infinity, not as its largest number |

    How it is trained:

    | clause | means |
    |---|---|
    | `policy("NAME")`, `settings({...})` | the loss scale's (default: none) |
    | `count_underflow` | yield how many elements of gradients have underflowed |
    | `optimizer("NAME")`, `hyper({...})`, `flags([...])` | the optimizer's rule (default: adamw), its hyper-parameters and its flags; `callback` ends the step in unscaled gradients, for whoever runs it to update by |
    | `slots(T)` | type of its slots: f32, bf16, f16 (default: f32) |
    | `no_masters` | parameters are kept in bf16 alone |
    | `seed(N)` | seed of dropout and of stochastic rounding, below 2^53 |
    | `ema(D)` | decay of an average of the parameters (default: 0, none) |
    | `no_decay([...])`, `freeze([...])`, `trainable([...])` | patterns of parameters: without weight decay; not trained; the only ones that are |
    | `clip(K)`, `clip_by(X)` | bounds the norm of all gradients, each norm, or each value |
    | `torch_norm` | sums the norm of all as PyTorch does on a CPU |
    | `clip_scaled` | clips as if before the unscale |
    | `larc(K)`, `larc_eta(X)`, `larc_min_update(X)`, `larc_eps(X)` | layer-wise rates, in place of clipping; numbers that are left out are those of the rule's system |
    | `l1(X)`, `l2(X)` | penalties, added to the gradients (default: 0) |
    | `accumulate(N)` | batches a step (default: 1) |
    | `gradients(T)` | the scaled gradients are inputs of this type, instead of from `@loss` |
    | `no_gradient([...])` | patterns of parameters that get none then |
    | `gradient_sets([...])` | patterns: each is a set whose gradients come and go together, as an input `present.INDEX` says |
  }];
  let arguments = (ins
    OptionalAttr<StrAttr>:$loss,
    OptionalAttr<StrAttr>:$loss_of,
    DefaultValuedAttr<NN_LossReduction,
                      "::mpc::nn::LossReduction::Mean">:$reduction,
    OptionalAttr<I64Attr>:$ignore_index,
    OptionalAttr<DenseF64ArrayAttr>:$class_weights,
    AMP_Number<"0.0">:$label_smoothing,
    AMP_Number<"1.0">:$loss_delta,
    OptionalAttr<I64Attr>:$class_axis,
    OptionalAttr<I64ArrayAttr>:$target,
    DefaultValuedAttr<MPC_Precision, "::mpc::Precision::FP32">:$precision,
    UnitAttr:$no_dropout,
    OptionalAttr<MPC_Precision>:$outputs,
    DefaultValuedOptionalAttr<StrAttr, "::mpc::nn::kDefaultAutocast">:$autocast,
    OptionalAttr<StrAttr>:$rules,
    AMP_Strings:$keep_fp32,
    AMP_Strings:$lower,
    UnitAttr:$cost_aware,
    UnitAttr:$round_weights,
    DefaultValuedOptionalAttr<StrAttr, "\"none\"">:$policy,
    AMP_Numbers:$settings,
    UnitAttr:$count_underflow,
    DefaultValuedOptionalAttr<StrAttr, "\"adamw\"">:$optimizer,
    AMP_Numbers:$hyper,
    AMP_Strings:$flags,
    OptionalAttr<TypeAttr>:$slots,
    UnitAttr:$no_masters,
    DefaultValuedOptionalAttr<I64Attr, "0">:$seed,
    AMP_Number<"0.0">:$ema,
    AMP_Strings:$no_decay,
    AMP_Strings:$freeze,
    AMP_Strings:$trainable,
    OptionalAttr<AMP_ClipKind>:$clip,
    OptionalAttr<F64Attr>:$clip_by,
    UnitAttr:$torch_norm,
    UnitAttr:$clip_scaled,
    OptionalAttr<AMP_LarcKind>:$larc,
    OptionalAttr<F64Attr>:$larc_eta,
    OptionalAttr<F64Attr>:$larc_min_update,
    OptionalAttr<F64Attr>:$larc_eps,
    AMP_Number<"0.0">:$l1,
    AMP_Number<"0.0">:$l2,
    DefaultValuedOptionalAttr<I64Attr, "1">:$accumulate,
    OptionalAttr<TypeAttr>:$gradients,
    AMP_Strings:$no_gradient,
    AMP_Strings:$gradient_sets);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = [{
    oilist(
        `loss` `(` custom<Word>($loss) `)`
      | `loss_of` `(` $loss_of `)`
      | `reduction` `(` $reduction `)`
      | `ignore_index` `(` $ignore_index `)`
      | `class_weights` `(` custom<Numbers>($class_weights) `)`
      | `label_smoothing` `(` $label_smoothing `)`
      | `loss_delta` `(` $loss_delta `)`
      | `class_axis` `(` $class_axis `)`
      | `target` `(` $target `)`
      | `precision` `(` $precision `)`
      | `no_dropout` $no_dropout
      | `outputs` `(` $outputs `)`
      | `autocast` `(` $autocast `)`
      | `rules` `(` $rules `)`
      | `keep_fp32` `(` $keep_fp32 `)`
      | `lower` `(` $lower `)`
      | `cost_aware` $cost_aware
      | `round_weights` $round_weights
      | `policy` `(` $policy `)`
      | `settings` `(` $settings `)`
      | `count_underflow` $count_underflow
      | `optimizer` `(` $optimizer `)`
      | `hyper` `(` $hyper `)`
      | `flags` `(` $flags `)`
      | `slots` `(` $slots `)`
      | `no_masters` $no_masters
      | `seed` `(` $seed `)`
      | `ema` `(` $ema `)`
      | `no_decay` `(` $no_decay `)`
      | `freeze` `(` $freeze `)`
      | `trainable` `(` $trainable `)`
      | `clip` `(` $clip `)`
      | `clip_by` `(` $clip_by `)`
      | `torch_norm` $torch_norm
      | `clip_scaled` $clip_scaled
      | `larc` `(` $larc `)`
      | `larc_eta` `(` $larc_eta `)`
      | `larc_min_update` `(` $larc_min_update `)`
      | `larc_eps` `(` $larc_eps `)`
      | `l1` `(` $l1 `)`
      | `l2` `(` $l2 `)`
      | `accumulate` `(` $accumulate `)`
      | `gradients` `(` $gradients `)`
      | `no_gradient` `(` $no_gradient `)`
      | `gradient_sets` `(` $gradient_sets `)`)
    attr-dict
  }];
  let extraClassDeclaration = [{
    ::mpc::rt::PolicyKind getPolicyKind();
    /// Of every setting that the policy reads: as given, else its default.
    ::mpc::rt::Settings getAllSettings();
    /// Null where there is no optimizer of that name, which is no recipe.
    const ::mpc::amp::Optimizer *getRule();
    /// Null where the recipe has none: the module has its own @loss.
    const ::mpc::nn::LossFunction *getLossFunction();
    ::mpc::nn::LossSettings getLossSettings();
    /// `flags`, and those that follow from hyper-parameters; of a known
    /// optimizer.
    ::mlir::ArrayAttr getAllFlags();
    bool hasPenalty();
    /// Whether the rates of LARC are at most 1; and whether they are Apex',
    /// which take weight decay in.
    bool isClipped();
    bool isApex();
    /// As given, else as the system has it that the rule is from.
    double getEta();
    double getMinUpdate();
    double getEps();
    /// f32, bf16 or f16.
    ::mlir::Type getSlotType();
    /// The clause that says how parameters are updated although whoever runs
    /// the step does that; empty for none.
    ::llvm::StringRef findClauseOfRule();
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_AMP_AMPRECIPE_TD
