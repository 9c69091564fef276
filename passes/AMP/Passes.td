// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the amp level.
#ifndef MPC_PASSES_AMP_PASSES_TD
#define MPC_PASSES_AMP_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildStepPass : Pass<"amp-build-step", "::mlir::ModuleOp"> {
  let summary = "Make @step, one training step, from @loss and a recipe";
  let description = [{
    Adds a loss scaler, an optimizer and `@step`, which takes the inputs of
    `@loss` and the learning rate `lr` and yields `loss`, `scale` (in force
    during the step), `found_inf`, `grad_norm` (unscaled, before clipping),
    `good_steps` (the policy's counter after the step) and `scale_error` (0
    unless the policy gives up), named so by `nn.name`. With `accumulate` above
    1 it is two entries: `@accumulate` takes the inputs, yields `loss` and adds
    up gradients, whose mean `@apply` takes. With `gradient-type` the scaled
    gradients are inputs, called `grad.<parameter>`, and summed, not averaged.

    A step takes the gradients of the scaled loss, unscales, checks and clips
    them, applies the optimizer and updates the scale; check and update stand
    where the policy has them. At most one of the three kinds of clipping can
    be chosen. Parameters that match `freeze`, or none of `trainable`, become
    `frozen`. A parameter without a path of floating values to the loss, or that
    matches `no-gradient`, has no gradient: it gets no update, no decay and no
    slots, and where none has one the step still counts as finite. A trained
    parameter of f16 or bf16 becomes its f32 master, and what reads it a cast;
    without `master-weights` every trained parameter becomes one of bf16.

    Penalties are added after the unscale and before check and clipping, so
    that the scale does not change them; parameters of `no-decay` have none.
    `loss` is told without them. LARC takes the place of clipping. Fails on an unknown policy, optimizer, setting or flag, and where all
    parameters are frozen.
  }];
  let options = [
    Option<"policy", "policy", "std::string", /*default=*/"\"dynamic\"",
           "loss-scale policy (default: dynamic)">,
    ListOption<"settings", "settings", "std::string",
               "NAME=VALUE settings of the policy, as growth_factor=2">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"\"adamw\"",
           "optimizer (default: adamw)">,
    ListOption<"hyper", "hyper", "std::string",
               "NAME=VALUE hyper-parameters of the optimizer, as beta1=0.9">,
    ListOption<"flags", "flags", "std::string",
               "flags of the optimizer, as nesterov">,
    ListOption<"noDecay", "no-decay", "std::string",
               "ECMAScript regular expressions on parameter names: these see "
               "no weight decay">,
    ListOption<"freeze", "freeze", "std::string",
               "ECMAScript regular expressions on parameter names: these are "
               "not trained">,
    ListOption<"trainable", "trainable", "std::string",
               "ECMAScript regular expressions on parameter names: only these "
               "are trained (default: all)">,
    ListOption<"noGradient", "no-gradient", "std::string",
               "ECMAScript regular expressions on parameter names: these get no "
               "gradient where gradients are inputs">,
    ListOption<"gradientSets", "gradient-sets", "std::string",
               "ECMAScript regular expressions on parameter names: each makes a "
               "set whose gradients, where they are inputs, come and go together, "
               "as an input `present.INDEX` says; where they are not there, the "
               "set and its step count are left alone">,
    Option<"clipGlobalNorm", "clip-global-norm", "double", /*default=*/"0.0",
           "largest norm of all gradients together (default: 0, no clipping)">,
    Option<"clipNorm", "clip-norm", "double", /*default=*/"0.0",
           "largest norm of each gradient (default: 0, no clipping)">,
    Option<"clipValue", "clip-value", "double", /*default=*/"0.0",
           "largest absolute value of each element (default: 0, no clipping)">,
    Option<"clipNormOrder", "clip-norm-order", "std::string",
           /*default=*/"\"f64\"",
           "how the norm that clip-global-norm reads is summed: f64, or torch, "
           "in f32 and in the order of PyTorch's CPU kernel (default: f64)">,
    Option<"clipScaled", "clip-scaled", "bool", /*default=*/"false",
           "clip the global norm as if before the unscale, to a maximum that "
           "is scaled too (default: no)">,
    Option<"l1", "l1", "double", /*default=*/"0.0",
           "penalty on absolute values, added to the gradients (default: 0)">,
    Option<"l2", "l2", "double", /*default=*/"0.0",
           "penalty on squares, added to the gradients (default: 0)">,
    Option<"larc", "larc", "std::string", /*default=*/"\"\"",
           "layer-wise rates, OpenSeq2Seq's: clip, at most 1, or scale; or those "
           "of Apex, which take weight decay in: apex-clip or apex-scale "
           "(default: none)">,
    Option<"larcEta", "larc-eta", "double", /*default=*/"0.001",
           "LARC's trust in a layer (default: 0.001)">,
    Option<"larcMinUpdate", "larc-min-update", "double", /*default=*/"1e-7",
           "LARC's least rate, of clip and scale (default: 1e-7)">,
    Option<"larcEps", "larc-eps", "double", /*default=*/"1e-7",
           "added to the norm that LARC divides by (default: 1e-7)">,
    Option<"ema", "ema", "double", /*default=*/"0.0",
           "decay of an average of the parameters (default: 0, none is kept)">,
    Option<"masterWeights", "master-weights", "bool", /*default=*/"true",
           "keep parameters in f32, else in bf16, rounded stochastically "
           "(default: yes)">,
    Option<"slotType", "slot-type", "std::string", /*default=*/"\"f32\"",
           "type of the optimizer's slots: f32, bf16 or f16; 16 bits are rounded "
           "stochastically (default: f32)">,
    Option<"roundingSeed", "rounding-seed", "int64_t", /*default=*/"0",
           "seed of stochastic rounding (default: 0)">,
    Option<"accumulate", "accumulate", "int64_t", /*default=*/"1",
           "batches a step (default: 1)">,
    Option<"gradientType", "gradient-type", "std::string", /*default=*/"\"\"",
           "take the scaled gradients as inputs of this type, f16, bf16 or "
           "f32, instead of from @loss (default: from @loss)">,
  ];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def CountUnderflowPass : Pass<"amp-count-underflow", "::mlir::ModuleOp"> {
  let summary = "Let steps yield how many gradient elements have underflowed";
  let description = [{
    Every function that holds `amp.accumulate`, or an `amp.apply` of its own
    gradients, yields one more result, `underflow`: how many elements of the
    gradients that arrive in f16 or bf16, still scaled, are zero or subnormal.
    An element that was zero before it was rounded counts too; what arrives in
    f32 does not.

    Requires that `nn.vjp` is expanded.
  }];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect"];
}

def AddProbesPass : Pass<"amp-add-probes", "::mlir::ModuleOp"> {
  let summary = "Let entries yield the largest magnitude of each of their values";
  let description = [{
    Replaces the results of every entry (see `amp-fuse-optimizer`) by one
    tensor<1xf32> for each floating input and each floating result of an op, in
    program order: its largest absolute value, NaN where it holds one; of f64 a
    tensor<1xf64>. Constants and hyper-parameters are passed over. What op and
    node that was is in the result's attribute `amp.site`: `op`, `node` (of
    state: its symbol), `file`, `gradient` (of the backward pass), `type`,
    `inputs` (the sites that the op reads), `parameter` where it is that
    parameter's gradient, `used` where the step checks it, returns it or changes
    its state by it, and `infinite` where the op reads a constant with
    infinities.

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
    `amp.unscale` of gradients that no scale is in. What is not known to be
    either, as a gradient that the step multiplies by a scale itself, is passed
    over. Changes nothing.
  }];
}

def LowerStatePass : Pass<"amp-lower-state", "::mlir::ModuleOp"> {
  let summary = "Put the state into slabs, and gradients and optimizers on them";
  let description = [{
    Groups the parameters by the optimizer that updates them, by whether they
    see weight decay, by the type in which their gradients arrive, and by
    whether a 16-bit copy is read; frozen ones stand apart, and what
    `amp.assign` writes stands alone. Each group has one slab for the parameters, one for each
    optimizer slot and one for the copies, all in one element order. Tensors
    start at multiples of 64 bytes, slabs are whole blocks of 4096 elements.
    Loss-scale state, optimizer scalars and hyper-parameters are slabs of f64;
    where there are several scalers or optimizers, the names of their state
    have the symbol in them (`amp.loss_scale.NAME`, `amp.hyper.NAME.beta1`).
    Settings and hyper-parameters that are not given have their defaults.

    Every public function but `@model` and `@loss` is an entry: it gets the
    slabs that it uses as arguments, and yields those that it changes as
    results, both with the attribute `amp.slab`. `@model`, `@loss`
    and private functions are erased where nothing uses them. All gradients of
    an optimizer become one flat range for each of its groups; what a transform
    makes of one it says itself (GradientTransformInterface). Where there are
    16-bit copies, `@init` makes them from the parameters.

    Copies of what is finite are finite, unless `saturate` is off.

    Requires that `nn.vjp` is expanded.
  }];
  let options = [
    Option<"saturate", "saturate", "bool", /*default=*/"true",
           "let 16-bit copies of weights beyond the type's range be its largest "
           "number, not infinite (default: yes)">,
  ];
  let statistics = [
    Statistic<"numSlabs", "slabs", "slabs of the state">,
    Statistic<"numGroups", "groups", "groups of parameters">,
  ];
  let dependentDialects = ["::mpc::amp::AMPDialect", "::mpc::nn::NNDialect",
                           "::mpc::kernel::KernelDialect",
                           "::mlir::func::FuncDialect"];
}

def FuseOptimizerPass : Pass<"amp-fuse-optimizer", "::mlir::ModuleOp"> {
  let summary = "Let what is done to gradients join what reads them";
  let description = [{
    On slabs. What is cheap, as unscale, clip and penalties, is computed anew for
    the check and for the update, on gradients of the type in which they arrive,
    so that no f32 gradient is stored. Results keep their bits.
  }];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

#endif // MPC_PASSES_AMP_PASSES_TD
