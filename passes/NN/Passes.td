// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the nn level.
#ifndef MPC_PASSES_NN_PASSES_TD
#define MPC_PASSES_NN_PASSES_TD

include "mlir/Pass/PassBase.td"

def TrainingModePass : Pass<"nn-training-mode", "::mlir::ModuleOp"> {
  let summary = "Normalize by statistics of the batch and keep running ones";
  let description = [{
    Each `nn.batch_norm` of `@model` becomes an `nn.batch_norm_training`, and
    each of these keeps the variance of the sample, as PyTorch does. Running
    statistics that parameters hold become results of `@model`, behind its own:
    the result for parameter `NAME` is named `stat.NAME` and says in the
    attribute `nn.buffer` which parameter it is for. Where several ops share
    one, each continues from the one before. Statistics that are not parameters
    are not kept; a warning says so.

    If ops of `@model` compute differently in training, `@model` gets the
    attribute `nn.mode`: "training" or, without the option `training`,
    "inference". Without `training` nothing else changes. An op that is in its
    training form in the file stays in it.
  }];
  let options = [
    Option<"training", "training", "bool", /*default=*/"true",
           "bring the model into training mode (default: yes)">,
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def FindRangesPass : Pass<"nn-find-ranges", "::mlir::func::FuncOp"> {
  let summary = "Say at each argument which integers it may hold";
  let description = [{
    Adds to the `nn.ranges` of an argument the range of each op that reads it,
    or a part of it, as an index, as row numbers and class labels are. The
    runtime checks an input before it is used.
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def ExpectGatesPass : Pass<"nn-expect-gates", "::mlir::ModuleOp"> {
  let summary = "Put expected values in the place of random gates"
                " in @model";
  let description = [{
    Drop path and dropout that an exporter has written out, as an evaluation
    has them. A gate compares uniform numbers without a key with a probability,
    `u < p`: as a number it becomes `p`, and where it chooses between `x` and 0
    that becomes `p * x`. `floor(c + u)` becomes `c`. What divides by the
    probability then gives back what was multiplied. Uniform numbers that are
    used otherwise stay.
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def KeyRandomPass : Pass<"nn-key-random", "::mlir::ModuleOp"> {
  let summary = "Let the random ops of @model draw";
  let description = [{
    Random ops without a key take key, step (as `nn.random_counters`) and batch
    from arguments that `@model` gets, each with its name in the attribute `nn.random`: so the model
    stays a function. Who calls it says what they are: `amp-build-step` those of
    `amp.random_state`, `nn-build-eval` constants. Without `dropout` an
    `nn.dropout` gets none, and passes its input on.
  }];
  let options = [
    Option<"dropout", "dropout", "bool", /*default=*/"true",
           "let nn.dropout draw too (default: yes)">,
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def AddLossPass : Pass<"nn-add-loss", "::mlir::ModuleOp"> {
  let summary = "Make @loss from @model and a loss function";
  let description = [{
    Clones `@model` as `@loss`, which returns one scalar f32 (or f64) loss: a
    function of a result and, for most losses, an added argument `target`.
    `dialects/NN/Losses.cpp` lists the losses, with what each is taken of and
    its options. Where the target is labels, the argument's attribute
    `nn.labels` says their range; else it has the result's shape. Formulas and
    reductions are PyTorch's: with weights the mean is over the weights of the
    labels that take part. `output` takes the named scalar result. Results for
    buffers (`nn-training-mode`) follow the loss. The other results are dropped,
    or stay with `outputs`, through an `nn.stop_gradient`.

    Logits of two axes have their classes on axis 1. Logits of four and more
    axes have them on axis 1, as in PyTorch, or on the last axis if the labels
    fit that alone. Logits of three axes have them on axis 1 or, as in language
    models, on the last axis, whichever the labels fit; an error if they fit
    both. If the shape of the labels is not known, or `target` is probabilities,
    logits of three axes have them on the last axis. `class-axis` overrides
    these rules.

    The logits are the only floating result, or the one named. Statistics of an
    `nn.batch_norm_training` do not count. Fails if there is more than one
    candidate, and names them. A loss that is a result of the model has its name
    in the attribute `nn.output`.

    With `measures` there is `@measure` too, for means over samples that do not
    fill their last batch: it takes what `@loss` takes and how many rows of the
    batch count (`measure/rows`), the first ones. It yields the results of
    `@model` with one value, or one a row, and in f64 `loss/sum` and
    `loss/count`, which added up over all batches give the loss of all samples
    as one batch has it. Where targets are right or wrong it yields such a pair
    for `accuracy`, and where the loss is `-log p` of labels one for
    `perplexity`, the exponential of their quotient, without smoothing and class
    weights.
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"\"cross_entropy\"",
           "the loss function (default: cross_entropy)">,
    Option<"outputs", "outputs", "bool", /*default=*/"false",
           "keep the model's other results (default: false)">,
    Option<"reduction", "reduction", "::mpc::nn::LossReduction", /*default=*/
           "::mpc::nn::LossReduction::Mean",
           "mean, sum or batchmean (default: mean)",
           [{::llvm::cl::values(
               ::mpc::nn::optionValue(::mpc::nn::LossReduction::Mean),
               ::mpc::nn::optionValue(::mpc::nn::LossReduction::Sum),
               ::mpc::nn::optionValue(::mpc::nn::LossReduction::BatchMean))}]>,
    ListOption<"ignoreIndex", "ignore-index", "int64_t",
               "the label that takes no part (default: none)">,
    ListOption<"classWeights", "class-weights", "double",
               "one for each class (default: all 1)">,
    Option<"labelSmoothing", "label-smoothing", "double", /*default=*/"0.0",
           "the share of a label that is spread over all classes (default: 0)">,
    Option<"delta", "delta", "double", /*default=*/"1.0",
           "where the loss changes from a square to a line (default: 1)">,
    Option<"output", "output", "std::string", /*default=*/"\"\"",
           "name of the model's result to use (default: the only one)">,
    ListOption<"targetShape", "target-shape", "int64_t",
               "shape of one batch of `target`, where it is known">,
    ListOption<"classAxis", "class-axis", "int64_t",
               "the axis of the classes; a negative one counts from the end "
               "(default: as shapes tell)">,
    Option<"measures", "measures", "bool", /*default=*/"false",
           "also make @measure, whose batches add up to the metrics of a file "
           "(default: no)">,
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def CastOutputsPass : Pass<"nn-cast-outputs", "::mlir::ModuleOp"> {
  let summary = "Give the outputs of @model a type";
  let description = [{
    Casts each result of `@model` that is f32, f16 or bf16 to `type`. f64 and
    integers stay. Runs before `nn-add-loss`: the loss then reads what the casts
    have rounded, and is computed in f32. Fails if there is no `@model`.
  }];
  let options = [
    Option<"type", "type", "::mpc::Precision", /*default=*/
           "::mpc::Precision::FP32", "fp32, bf16 or fp16 (default: fp32)">,
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def BuildEvalPass : Pass<"nn-build-eval", "::mlir::ModuleOp"> {
  let summary = "Make the entry @eval from @model and @loss";
  let description = [{
    `@eval` takes what `@loss` takes (`@model` where there is no `@loss`) and
    yields the model's outputs under their names, then `loss`, then, with
    `gradients`, one `grad.<parameter>` for each parameter that is not frozen:
    the gradient of the loss, unscaled, in the parameter's type, in f32 where
    that is narrower. Random numbers (`nn-key-random`) are those of the first
    step and batch under `seed`. Fails if two results would have one name,
    unless the loss is the output `loss` itself. If there is an `@measure`, it
    becomes an entry too.
  }];
  let options = [
    Option<"evaluates", "evaluates", "bool", /*default=*/"true",
           "make @eval (default: yes)">,
    Option<"gradients", "gradients", "bool", /*default=*/"false",
           "also yield the gradients of the loss (default: no)">,
    Option<"seed", "seed", "int64_t", /*default=*/"0",
           "the key of random numbers (default: 0)">,
  ];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect"];
}

def RewriteBannedPass : Pass<"nn-rewrite-banned", "::mlir::func::FuncOp"> {
  let summary = "Compute logarithms of a sigmoid from its logits";
  let description = [{
    `log(sigmoid(x))` becomes `-softplus(-x)` and `log(1 - sigmoid(x))`, or
    `log1p(-sigmoid(x))`, becomes `-softplus(x)`, also through bounds, reshapes
    and transposes in between. In 16 bits a probability near 0 or 1 has no
    digits left, so that PyTorch bans binary cross entropy behind a sigmoid
    under autocast. Runs before `nn-autocast`.
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def AutocastPass : Pass<"nn-autocast", "::mlir::ModuleOp"> {
  let summary = "Give every op a precision and insert the casts";
  let description = [{
    Goes through every function in order and gives each op the precision that
    the policy asks for: `lower` casts f32 operands to the low type,
    `keep-f32` casts 16-bit operands to f32, `promote`, `infer` and `clear`
    cast to the widest floating operand, unless the policy taints or spreads.
    f64 and integers are left alone. `nn.autocast` regions set the low type
    for what is inside, or switch it off, and are inlined. Results of
    functions and operands of ops without a precision rule keep their types.
    Afterwards no `nn.autocast` is left and no precision hides in an
    attribute. Fails, at the rule, where a policy file contradicts itself.
    Policies and the format of their files: docs/semantics/autocast.md.

    With `leave-open` what the rules do not settle is left to
    `nn-simplify-casts`: `nn.free = T` marks an op of rule `infer` or `clear` in
    a region of low type T, `nn.refusable = T` one of rule `lower` and the casts
    inserted for it. What a flag or a rule of a file chose is not marked.
    Neither is anything under a policy other than `mpc`.

    A module that holds an `nn.vjp` writes its step out. Then only the functions
    that are differentiated are models, and their callers keep the types that
    they are written in.
  }];
  let options = [
    Option<"precision", "precision", "::mpc::Precision", /*default=*/
           "::mpc::Precision::BF16",
           "low-precision type: fp32 (no casts), bf16 or fp16 (default: bf16)">,
    Option<"policy", "policy", "std::string",
           /*default=*/"::mpc::nn::kDefaultAutocast.str()",
           "built-in policy or policy file (default: mpc)">,
    ListOption<"keepF32", "keep-fp32", "std::string",
               "ECMAScript regular expressions on node and op names: these "
               "ops run in f32">,
    ListOption<"lower", "lower", "std::string",
               "ECMAScript regular expressions on node and op names: these "
               "ops run in the low type">,
    Option<"leaveOpen", "leave-open", "bool", /*default=*/"false",
           "mark the ops whose type nn-simplify-casts may still change "
           "(default: no)">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "keep in each op's location why it has its precision (default: "
           "no)">,
  ];
  let statistics = [
    Statistic<"numCasts", "casts-inserted", "nn.cast ops inserted">
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def SimplifyCastsPass : Pass<"nn-simplify-casts", "::mlir::func::FuncOp"> {
  let summary = "Place casts by minimum cut, fold exact ones, share equal ones";
  let description = [{
    Ops that `nn-autocast` marked as open (`nn.free`, `nn.refusable`) get the
    low type or f32, whichever makes the bytes that they and the casts around
    them move fewest; on a tie the low type. An op that was in f32 gets the low
    type only if all readers of its result have that. An op of rule `lower`
    stays in f32, with a remark, where its casts cost more than it saves. Each
    low type is a problem of its own. The marks are removed.

    A cast whose value is already there in that type is replaced by it: equal
    casts of one value become one, and a cast back of an exact widening folds.
    No other cast that may round is removed.
  }];
  let options = [
    Option<"place", "place", "bool", /*default=*/"true",
           "choose the types of marked ops (default: yes)">,
    Option<"refuse", "refuse", "bool", /*default=*/"true",
           "leave ops of rule lower in f32 where casts cost more than they "
           "save (default: yes)">,
    Option<"printGraph", "print-graph", "bool", /*default=*/"false",
           "print to stderr what was cut, and how: a line of JSON for each "
           "function and low type, costs in 64ths of a byte (default: no)">,
  ];
  let statistics = [
    Statistic<"numPlaced", "ops-placed", "ops whose type was changed">
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def DifferentiatePass : Pass<"nn-differentiate", "::mlir::ModuleOp"> {
  let summary = "Expand nn.vjp by reverse-mode differentiation";
  let description = [{
    Replaces each `nn.vjp @f`, innermost first, by the body of `@f` and the VJPs
    of its ops in reverse order. A value with several uses gets its cotangents
    added in f32 and rounded once. Fails at an op on the way that has no
    gradient. Ops of the backward pass carry the location of the op that they
    differentiate, marked "gradient".
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def ExpandGradPass : Pass<"nn-expand-grad", "::mlir::ModuleOp"> {
  let summary = "Expand nn.grad by reverse-mode differentiation";
  let description = [{
    Replaces each `nn.grad`, in the order in which they stand, by the VJPs of the
    ops before it, in reverse order. So gradients of gradients are those of ops,
    and `nn-differentiate` finds none of these. It runs behind `nn-autocast`:
    the gradient of an op is computed in the type that the op has. Fails at an
    op on the way that has no gradient.
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def HoistInvariantsPass : Pass<"nn-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "Compute before a loop what is the same in all of its turns";
  let description = [{
    Ops in the body of an `nn.scan` that depend on its constants alone move
    before the loop: casts of weights above all. A body that several loops share
    is left as it is.
  }];
  let statistics = [
    Statistic<"numHoisted", "ops-hoisted", "ops that were moved before a loop">
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def ExpandAttentionPass : Pass<"nn-expand-attention", "::mlir::func::FuncOp"> {
  let summary = "Write attention out where the target has no kernel for it";
  let description = [{
    `nn.attention` and `nn.attention_gradient` become products of matrices and
    the softmax between them, unless the module's `kernel.target` says that it
    computes attention on their element type itself. Scores are products of
    widened operands, so that they are f32 as the op's are; weights and the
    gradients of scores are rounded to 16 bits as factors.
  }];
  let statistics = [
    Statistic<"numExpanded", "attentions-expanded", "ops that were replaced">
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def RecomputePass : Pass<"nn-recompute", "::mlir::func::FuncOp"> {
  let summary = "Compute again what takes less to compute than to keep";
  let description = [{
    Looks at values that live across the point where most bytes are live. Such a
    value is computed again behind that point, before its first reader there, if
    it follows from one other value, beside parameters and constants, and
    keeping that other value takes less. Several values that follow from the
    same one count together. The same ops give the same bits. An op that draws
    random numbers is not repeated.

    Elementwise ops and moves of data are repeated on every target, since that
    takes no longer than to write the value and to read it back; a value that a
    contraction reads behind the point is kept, since it would be in memory
    again. Examples are f32 copies of values that are there in 16 bits, and
    activations that are written out. While the live bytes exceed the budget of
    the module's `kernel.target`, ops along rows are repeated too, as the softmax
    of scores, and contractions if an option says so.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"1048576",
           "the least that a value must save (default: 1 MiB)">,
    Option<"contractions", "contractions", "bool", /*default=*/"false",
           "also compute contractions again if all else is not enough, "
           "beginning with the lowest cost for each byte saved (default: no)">,
  ];
  let statistics = [
    Statistic<"numRecomputed", "values-recomputed",
              "values that are computed again instead of being kept">
  ];
}

def FindNormsPass : Pass<"nn-find-norms", "::mlir::func::FuncOp"> {
  let summary = "Make nn.rms_norm of norms that are written out";
  let description = [{
    A product with the reciprocal root of a mean of squares, or a quotient by
    the root, and a scale behind it become `nn.rms_norm`, which computes in f32
    inside. Where the policy computes the square in 16 bits, as PyTorch's do
    `x * x`, the ops stay as they are written, since such a square overflows and
    the op's does not. Runs before `nn-autocast`, which gives the ops their
    types.
  }];
  let options = [
    Option<"precision", "precision", "::mpc::Precision", /*default=*/
           "::mpc::Precision::FP32", "of lowered ops (default: fp32)">,
    Option<"policy", "policy", "std::string",
           /*default=*/"::mpc::nn::kDefaultAutocast.str()",
           "built-in policy or policy file (default: mpc)">,
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def FindAttentionPass : Pass<"nn-find-attention", "::mlir::func::FuncOp"> {
  let summary = "Make nn.attention of attention that is written out";
  let description = [{
    A softmax along the last axis between two products of matrices becomes
    `nn.attention`, which keeps no tensor of scores. Between them may be:
    factors and divisors that are numbers, on either side of the first product;
    numbers that are added; choices of a low number by a mask; casts between
    floats; reshapes of the other axes; what gives a row without keys zeros.
    Keys and values that are repeated for several heads are not any more.

    Masks that are constants or comparisons of positions, and leave each query
    the keys up to its own, or some of them, become `causal` and `window`. A
    number that hides a score is -inf (`i1` masks). By a finite number, -1e4 or
    less, attention stays written out unless each query surely sees a key: a
    row without others has equal weights, of which it would keep none.

    Only where the module's `kernel.target` computes attention, and where the
    policy is `mpc` without rules: others say of each op how it rounds. Weights
    that something else reads, or that are dropped at random, stay: a remark
    says why. Before nn-autocast, which gives the op its type.
  }];
  let options = [
    Option<"precision", "precision", "::mpc::Precision", /*default=*/
           "::mpc::Precision::FP32", "of lowered ops (default: fp32)">,
    Option<"policy", "policy", "std::string",
           /*default=*/"::mpc::nn::kDefaultAutocast.str()",
           "built-in policy or policy file (default: mpc)">,
    ListOption<"named", "named", "std::string",
               "ECMAScript regular expressions on node and op names, of which "
               "a flag gives the type: they stay as they are">,
    Option<"force", "force", "bool", /*default=*/"false",
           "as if the target computed attention (default: no)">,
  ];
  let statistics = [
    Statistic<"numFound", "attentions-found", "nn.attention ops made">
  ];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def BoundGradientsPass : Pass<"nn-bound-gradients", "::mlir::ModuleOp"> {
  let summary = "Bound the gradients of zeros that are divided by their norm";
  let description = [{
    `x / max(|x|, 1e-12)` has the gradient `1e12 dy` where x is 0, as keys of
    padded windows are: finite in f32, and multiplied by the zeros that x came
    from. In f16 it is infinite whatever the loss scale, and 0 times that is
    NaN, so that every step is skipped. Marks the casts from f16 that such an x
    in f32 is made of (`nn.bounded_at_zero`): where what they cast is 0, a
    gradient that is finite in f32 is at most the largest f16. Where it is not
    0, as x / |x| is anywhere else, infinities stay, for the loss scale to
    see. Divisions by a norm are quotients and products whose divisor is kept
    from 0 by a number that is 1/65504 or less, and `nn.rms_norm`.
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

def CheckEpsilonPass : Pass<"nn-check-epsilon", "::mlir::ModuleOp"> {
  let summary = "Warn of small constants and bounds that their type cannot "
      "represent";
  let description = [{
    An epsilon keeps a quotient or a root finite, if it is there: in f16, 1e-8
    is 0, and 1e-6 is subnormal, with few bits left. Warns at each op that takes
    a constant, of one value throughout, by a cast to a type in which it is 0 or
    subnormal, or as a subnormal of its own type, and at each op whose `epsilon`
    is so in f32, in which it is added. It also warns at each maximum, minimum,
    select and comparison with a number near 1 that is 1 in its type: a bound of
    1 - 1e-4, which is to keep an operand from the pole of an acos, is then the
    pole itself. Changes nothing.
  }];
  let dependentDialects = ["::mpc::nn::NNDialect"];
}

#endif // MPC_PASSES_NN_PASSES_TD
