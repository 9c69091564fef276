// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the amp level.
#ifndef MPC_PASSES_AMP_PASSES_TD
#define MPC_PASSES_AMP_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrepareModelPass : Pass<"amp-prepare-model", "::mlir::ModuleOp"> {
  let summary = "Give the model its loss and its precision, as the recipe says";
  let description = [{
    Runs what the module's `amp.recipe` asks for of `nn-cast-outputs`,
    `nn-training-mode`, `nn-add-loss`, `nn-rewrite-banned`, `nn-autocast`,
    `nn-simplify-casts` and `nn-check-epsilon`. Fails if there is no recipe, or
    if its autocast policy is neither built in nor a file.

    With `evaluates` and `measures` a copy of the model is prepared as an
    evaluation has it, without dropout and by running statistics, and made to
    the entries `@eval` and `@measure` of this module: see `nn-build-eval`.
  }];
  let options = [
    Option<"training", "training", "bool", /*default=*/"true",
           "let the model use the statistics of the batch (default: yes)">,
    Option<"ownStep", "own-step", "bool", /*default=*/"false",
           "the module writes its step out: only its precision is left to do "
           "(default: no)">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "keep in each op's location why it has its precision (default: no)">,
    Option<"evaluates", "evaluates", "bool", /*default=*/"false",
           "also make the entry @eval (default: no)">,
    Option<"measures", "measures", "bool", /*default=*/"false",
           "also make the entry @measure (default: no)">,
  ];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def MarkEntriesPass : Pass<"amp-mark-entries", "::mlir::ModuleOp"> {
  let summary = "State which functions are entries, and what for, by their names";
  let description = [{
    For a module that writes its step out: gives every public function with a
    body, except `@model` and `@loss`, its `amp.entry`. That is the kind that
    its name says (`init`, `eval`, `step`, `accumulate`, `apply`), or `other`.
    Passes that make entries mark them themselves.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect"];
}

def BuildStepPass : Pass<"amp-build-step", "::mlir::ModuleOp"> {
  let summary = "Make @step, one training step, from @loss and a recipe";
  let description = [{
    Does what the module's `amp.recipe` says. Adds a loss scaler, an optimizer
    and `@step`, which takes the inputs of `@loss` and the learning rate `lr` and
    yields `loss`, `scale` (in force during the step), `found_inf`, `grad_norm`
    (unscaled, before clipping), `good_steps` (the policy's counter after the
    step) and `scale_error` (0 unless the policy gives up), named so by
    `nn.name`. With `accumulate` above 1 it is two entries: `@accumulate` takes
    the inputs, yields `loss` and adds up gradients, whose mean `@apply` takes.
    With `gradients` the scaled gradients are inputs, called `grad.<parameter>`,
    and summed, not averaged.

    A step takes the gradients of the scaled loss, unscales, checks and clips
    them, applies the optimizer and updates the scale; where the check and the
    update stand depends on the policy. Parameters that match `freeze`, or none
    of `trainable`, become `frozen`. A parameter without a path of floating
    values to the loss, or that matches `no_gradient`, has no gradient: it gets
    no update, no decay and no slots, and where none has one the step still
    counts as finite. A trained parameter of f16 or bf16 becomes its f32 master,
    and its readers read a cast of that; with `no_masters` every trained
    parameter becomes one of bf16.

    Penalties are added after the unscale and before check and clipping, so that
    the scale does not change them; parameters of `no_decay` have none. The
    result `loss` is without them. LARC takes the place of clipping. Fails where
    there is no recipe, and where all parameters are frozen.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def DataParallelPass : Pass<"amp-data-parallel", "::mlir::ModuleOp"> {
  let summary = "Let the ranks of a training sum their gradients";
  let description = [{
    Where the module's `amp.recipe` says `ranks`, every entry's gradients are
    summed over the ranks by an `amp.exchange`: those that an
    `amp.take_gradients` yields, and those that an `amp.gather` yields and no
    `amp.accumulate` takes. What follows is the same on all ranks.

    Unless the recipe says `replicated`, each rank updates a part of the
    elements that an optimizer trains: the result of the exchange, and what
    transforms make of it, is `part of` the ranks. A remark names the op, or the
    rounding, for which an optimizer's state stays whole.

    The batches of a window are numbered over all ranks: an entry that draws
    random numbers takes the number of its rank's first batch as the input
    `first_batch`, to which the batch of `amp.random_state` is added.

    Fails where an `amp.assign` gives a parameter, by its value or by its skip,
    what follows from the data of one rank and not from an exchange. State with
    `amp.batches_of` is a rank's own.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect"];
}

def CountUnderflowPass : Pass<"amp-count-underflow", "::mlir::ModuleOp"> {
  let summary = "Let steps yield how many gradient elements have underflowed";
  let description = [{
    Where the module's `amp.recipe` says `count_underflow`, every public
    function that holds an `amp.gather` yields one more result, `underflow`: how
    many elements of the gradients that arrive in f16 or bf16, still scaled, are
    zero or subnormal.
    An element that was zero before it was rounded counts too; what arrives in
    f32 does not.

    Requires that `nn.vjp` is expanded.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect"];
}

def CountHiddenInfinitiesPass
    : Pass<"amp-count-hidden-infinities", "::mlir::ModuleOp"> {
  let summary = "Let steps yield how many infinities are hidden";
  let description = [{
    `nn-autocast` marks ops that may be infinite in 16 bits but not in f32, and
    whose readers hide that. Every entry (`amp.entry`) with such ops yields one
    more result, `hidden_inf`: how many elements of their 16-bit results are
    infinite. No step is skipped for that.

    Requires that `nn.vjp` is expanded.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect"];
}

def AddProbesPass : Pass<"amp-add-probes", "::mlir::ModuleOp"> {
  let summary = "Let entries yield the largest magnitude of each of their values";
  let description = [{
    Replaces the results of every entry (`amp.entry`) by one tensor<1xf32> for
    each floating input and each floating result of an op, in program order: its
    largest absolute value, or NaN if it holds a NaN. For a value of f64 that is
    a tensor<1xf64>. Constants and hyper-parameters are left out. The result's
    attribute `amp.site`, a `#amp.site`, says of which op and node it is.

    Requires that `nn.vjp` is expanded.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect"];
}

def CheckScalingPass : Pass<"amp-check-scaling", "::mlir::ModuleOp"> {
  let summary = "Warn of gradients that are used with their scale in them";
  let description = [{
    For steps that a module writes out, before `nn.vjp` is expanded. Warns of an
    `amp.apply` of gradients that are still scaled; of clipping, LARC and
    penalties on such gradients by numbers that are not scaled too; and of an
    `amp.unscale` of gradients without a scale. A gradient that is not known to
    be either causes no warning, such as one that the step itself multiplies by
    a scale. Changes nothing.
  }];
}

def LowerStatePass : Pass<"amp-lower-state", "::mlir::ModuleOp"> {
  let summary = "Put the state into slabs, and gradients and optimizers on them";
  let description = [{
    Groups the parameters by the optimizer that updates them, by whether they
    see weight decay, by numbers of their own, by the type in which their
    gradients arrive, and by whether a 16-bit copy is read; frozen ones form a
    group of their own, and so does each parameter that `amp.assign` writes.
    Each group has one slab for the parameters, one for each optimizer slot and
    one for the copies, all in one element order. Tensors start at multiples of
    64 bytes, slabs are whole blocks of 4096 elements. Loss-scale state, optimizer scalars and
    hyper-parameters are slabs of f64; where there are several scalers or
    optimizers, the names of their state have the symbol in them
    (`amp.loss_scale.NAME`, `amp.hyper.NAME.beta1`). Settings and
    hyper-parameters that are not given have their defaults.

    A function with `amp.entry` gets the slabs that it uses as arguments, and
    yields those that it changes as results, both with the attribute
    `kernel.state`. Other functions are erased where nothing uses them. All
    gradients of an optimizer become one flat range for each of its groups; each
    transform says itself what it makes of such a range
    (GradientTransformInterface). Where there are 16-bit copies, `@init` makes
    them from the parameters.

    The copy of a finite weight is finite, unless the module's `amp.recipe` says
    `round_weights`. At its end the pass erases the recipe.

    Requires that `nn.vjp` is expanded.
  }];
  let statistics = [
    Statistic<"numSlabs", "slabs", "slabs of the state">,
    Statistic<"numGroups", "groups", "groups of parameters">,
  ];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect",
                           "::mpc::kernel::KernelDialect",
                           "::mlir::func::FuncDialect"];
}

def FuseOptimizerPass : Pass<"amp-fuse-optimizer", "::mlir::ModuleOp"> {
  let summary = "Fuse what is done to gradients into what reads them";
  let description = [{
    Works on slabs. Cheap ops, such as unscale, clip and penalties, are computed
    again for the check and for the update, from gradients in the type in which
    they arrive. So no f32 gradient is stored. Results keep their bits.
  }];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

#endif // MPC_PASSES_AMP_PASSES_TD
