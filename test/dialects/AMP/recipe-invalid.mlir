// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// What is no recipe.

// expected-note @+1 {{the first is here}}
amp.recipe
// expected-error @+1 {{is the second of its module}}
amp.recipe

// -----

// expected-error @+1 {{loss<output> needs the output's name: loss<of = loss>}}
amp.recipe loss<output>

// -----

// expected-error @+1 {{has 'target', but no 'loss'}}
amp.recipe target([4])

// -----

// expected-error @+1 {{unknown loss 'absent'; known are cross_entropy, nll, }}
amp.recipe loss<absent>

// -----

// expected-error @+1 {{loss<label_smoothing>: loss<mse> has none}}
amp.recipe loss<mse, label_smoothing = 0.1>

// -----

// expected-error @+1 {{loss<delta>: loss<nll> has none}}
amp.recipe loss<nll, delta = 0.5>

// -----

// expected-error @+1 {{loss<reduction = batchmean>: loss<bce> has none}}
amp.recipe loss<bce, reduction = batchmean>

// -----

// expected-error @+1 {{loss<reduction>: loss<output> has none}}
amp.recipe loss<output, of = "y", reduction = sum>

// -----

// expected-error @+1 {{loss<delta = 0>: loss<huber> would be 0; smooth_l1 is l1 then}}
amp.recipe loss<huber, delta = 0.0>

// -----

// expected-error @+1 {{'loss_scale': unknown policy}}
amp.recipe loss_scale<magic>

// -----

// expected-error @+1 {{policy 'dynamic' has no setting 'speed'}}
amp.recipe loss_scale<dynamic, speed = 1.0>

// -----

// expected-error @+1 {{--growth-factor}}
amp.recipe loss_scale<dynamic, growth_factor = 0.5>

// -----

// expected-error @+1 {{optimizer<'adamq'>: known are sgd, asgd, adagrad,}}
amp.recipe optimizer<adamq>

// -----

// expected-error @+1 {{optimizer<momentum>: adamw has none}}
amp.recipe optimizer<adamw, momentum = 1.0>

// -----

// expected-error @+1 {{optimizer<nesterov>: adamw has none}}
amp.recipe optimizer<adamw, nesterov>

// -----

// expected-error @+1 {{optimizer<lr_decay> must be finite and 0 or more, not -1.0}}
amp.recipe optimizer<adagrad, lr_decay = -1.0>

// -----

// expected-error @+1 {{optimizer<momentum_decay> must be finite and 0 or more, not -0.5}}
amp.recipe optimizer<nadam, momentum_decay = -0.5>

// -----

// expected-error @+1 {{optimizer<lambd> must be finite and 0 or more, not -1.0}}
amp.recipe optimizer<asgd, lambd = -1.0>

// -----

// expected-error @+1 {{optimizer<alpha> must be finite and 0 or more, not -1.0}}
amp.recipe optimizer<asgd, alpha = -1.0>

// -----

// expected-error @+1 {{optimizer<rho> must be from 0 to 1, not 1.5}}
amp.recipe optimizer<adadelta, rho = 1.5>

// -----

// expected-error @+1 {{optimizer<etaminus> must be above 0 and below 1, not 1.0}}
amp.recipe optimizer<rprop, etaminus = 1.0>

// -----

// expected-error @+1 {{optimizer<etaplus> must be finite and above 1, not 1.0}}
amp.recipe optimizer<rprop, etaplus = 1.0>

// -----

// expected-error @+1 {{optimizer<weight_decay>: rprop has none}}
amp.recipe optimizer<rprop, weight_decay = 0.1>

// -----

// expected-error @+1 {{slots(f16): slot 'square_avg' of adadelta is divided by}}
amp.recipe optimizer<adadelta> slots(f16)

// -----

// expected-error @+1 {{nesterov needs momentum and no dampening}}
amp.recipe optimizer<sgd, nesterov>

// -----

// expected-error @+1 {{nesterov needs momentum and no dampening}}
amp.recipe optimizer<sgd, momentum = 0.9, dampening = 0.1, nesterov>

// -----

// expected-error @+1 {{'slots' must be f16, bf16 or f32, not i8}}
amp.recipe slots(i8)

// -----

// expected-error @+1 {{slots(f16): slot 'exp_avg_sq' of adamw is divided by, and small gradients make it 0 in f16}}
amp.recipe slots(f16)

// -----

// expected-error @+1 {{slots(bf16): slot 'grad_avg' of rmsprop is squared and taken from another}}
amp.recipe optimizer<rmsprop, centered> slots(bf16)

// -----

// expected-error @+1 {{'norm' of 'clip' must be positive and finite, not -1.0}}
amp.recipe clip<norm = -1.0>

// -----

// expected-error @+1 {{clip<order> needs clip<global>}}
amp.recipe clip<norm = 1.0, order = torch>

// -----

// expected-error @+1 {{larc<eta> needs larc<clip> or larc<scale>}}
amp.recipe larc<eta = 1.0>

// -----

// expected-error @+1 {{'eta' of 'larc' must be finite and 0 or more, not -1.0}}
amp.recipe larc<clip, eta = -1.0>

// -----

// expected-error @+1 {{larc<min_update> is a number of larc<clip> and larc<scale>, not of apex-clip}}
amp.recipe larc<apex_clip, min_update = 1.0>

// -----

// expected-error @+1 {{'larc' takes the place of clipping: give one of 'larc' and 'clip'}}
amp.recipe larc<clip> clip<norm = 1.0>

// -----

// expected-error @+1 {{'l1' must be finite and 0 or more, not -1.0}}
amp.recipe l1(-1.0)

// -----

// expected-error @+1 {{'l2' must be finite and 0 or more, not -1.0}}
amp.recipe l2(-1.0)

// -----

// expected-error @+1 {{'ema' must be from 0 up to, not including, 1, not 1.0}}
amp.recipe ema(1.0)

// -----

// expected-error @+1 {{'seed' must be from 0 up to, not including, 2^53, not -1}}
amp.recipe seed(-1)

// -----

// expected-error @+1 {{accumulate(5): 4 ranks share the batches of a step, each with a power of two of them: 4, 8, 16, ...}}
amp.recipe accumulate(5) pairwise ranks(4)

// -----

// expected-error @+1 {{accumulate(12): 4 ranks share the batches of a step, each with a power of two of them: 4, 8, 16, ...}}
amp.recipe accumulate(12) pairwise ranks(4)

// -----

// expected-error @+1 {{pairwise(batches): gradients of several ranks are summed by pairs}}
amp.recipe accumulate(12) ranks(3)

// -----

// expected-error @+1 {{'ranks' must be 1 or more, not 0}}
amp.recipe ranks(0)

// -----

// expected-error @+1 {{'accumulate' must be 1 or more, not 0}}
amp.recipe accumulate(0)

// -----

// expected-error @+1 {{'accumulate' must be 1 or more, not -2}}
amp.recipe accumulate(-2)

// -----

// expected-error @+1 {{has 'no_gradient' or 'gradient_sets', but gradients are not inputs: it has no 'gradients'}}
amp.recipe no_gradient(["w"])

// -----

// expected-error @+1 {{has 'gradients' and 'input_gradients': gradients that are inputs come without the model's own inputs}}
amp.recipe gradients(f32) input_gradients(["x"])

// -----

// expected-error @+1 {{'gradients' must be f16, bf16 or f32, not f64}}
amp.recipe gradients(f64)

// -----

func.func @f() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  amp.recipe
  return
}

// Features: K4.

// -----

// expected-error @+1 {{optimizer<callback>: 'ema' is a part of the update, which the caller makes}}
amp.recipe optimizer<callback> ema(0.9)

// -----

// expected-error @+1 {{optimizer<callback>: 'no_decay' is a part of the update}}
amp.recipe optimizer<callback> no_decay(["bias"])

// -----

// expected-error @+1 {{optimizer<callback>: 'slots' is a part of the update}}
amp.recipe optimizer<callback> slots(bf16)

// -----

// expected-error @+1 {{optimizer<callback>: 'groups' is a part of the update}}
amp.recipe optimizer<callback> groups([<"bias", lr_factor = 2.0>])

// -----

// expected-error @+1 {{'groups': a group has no pattern of names}}
amp.recipe groups([<lr_factor = 2.0>])

// -----

// expected-error @+1 {{groups('bias'): the group has no number of its own}}
amp.recipe groups([<"head", no_decay>, <"bias">])

// -----

// expected-error @+1 {{groups('bias'): the group has a weight decay and none}}
amp.recipe groups([<"bias", no_decay, weight_decay = 0.5>])

// -----

// expected-error @+1 {{groups('bias'): rprop has no weight_decay}}
amp.recipe optimizer<rprop> groups([<"bias", weight_decay = 0.5>])

// -----

// expected-error @+1 {{groups('bias'): adamw has no rho}}
amp.recipe groups([<"bias", rho = 0.5>])

// -----

// expected-error @+1 {{groups('bias'): asgd keeps one learning rate for all parameters}}
amp.recipe optimizer<asgd> groups([<"bias", lr_factor = 0.5>])

// -----

// expected-error @+1 {{groups('bias'): 'larc' makes a rate for each tensor of one learning rate and one weight decay}}
amp.recipe larc<clip> groups([<"bias", lr_factor = 0.5>])

// -----

// expected-error @+1 {{'lr_factor' of 'groups' must be finite and 0 or more, not -0.5}}
amp.recipe groups([<"head", lr_factor = 0.5>, <"bias", lr_factor = -0.5>])

// -----

// expected-error @+1 {{'lr_factor' of 'groups' is given twice}}
amp.recipe groups([<"head", lr_factor = 0.5, lr_factor = 0.5>])

// -----

// expected-error @+1 {{the recipe has 'clip', but no bound}}
amp.recipe clip<>

// -----

// expected-error @+1 {{only one of clip<global>, clip<norm> and clip<value> can be given}}
amp.recipe clip<global = 1.0, value = 2.0>

// -----

// expected-error @+1 {{'no_dropout' is given twice}}
amp.recipe no_dropout no_dropout

// -----

// expected-error @+1 {{'eta' of 'larc' is given twice}}
amp.recipe larc<clip, eta = 1.0, eta = 2.0>

// -----

// expected-error @+1 {{'larc' must be one of clip, scale, apex-clip, apex-scale, not half}}
amp.recipe larc<half>

// -----

// expected-error @+1 {{'order' of 'clip' must be one of f64, torch, not f32}}
amp.recipe clip<global = 1.0, order = f32>

// -----

// expected-error @+1 {{'precision' must be fp32, bf16 or fp16, not fp8}}
amp.recipe precision(fp8)

// -----

// expected-error @+1 {{invalid kind of attribute specified}}
amp.recipe loss_scale<dynamic, growth_factor = "fast">

// -----

// How an older mpc wrote it.

// expected-error @+1 {{'clip' has its fields in angle brackets: clip<global = X>}}
amp.recipe clip(global_norm) clip_by(1.0)

// -----

// expected-error @+1 {{'optimizer' has its fields in angle brackets: optimizer<NAME>}}
amp.recipe optimizer("sgd")

// -----

// expected-error @+1 {{'policy' is written as loss_scale<POLICY>}}
amp.recipe policy("dynamic")

// -----

// expected-error @+1 {{'hyper' is written as optimizer<NAME, HYPER = X>}}
amp.recipe hyper({beta1 = 0.5})

// -----

// expected-error @+1 {{'larc_eta' is written as larc<NAME, eta = X>}}
amp.recipe larc_eta(1.0)
