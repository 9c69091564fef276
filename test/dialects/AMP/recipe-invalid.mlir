// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// What is no recipe.

// expected-note @+1 {{the first is here}}
amp.recipe
// expected-error @+1 {{is the second of its module}}
amp.recipe

// -----

// expected-error @+1 {{takes an output as its loss, but no 'loss_of' names it}}
amp.recipe loss(output)

// -----

// expected-error @+1 {{has 'loss_of' or 'target', but no 'loss'}}
amp.recipe target([4])

// -----

// expected-error @+1 {{unknown loss 'absent'; known are cross_entropy, nll, }}
amp.recipe loss(absent)

// -----

// expected-error @+1 {{loss(mse) has no 'label_smoothing'}}
amp.recipe loss(mse) label_smoothing(0.1)

// -----

// expected-error @+1 {{loss(nll) has no 'loss_delta'}}
amp.recipe loss(nll) loss_delta(0.5)

// -----

// expected-error @+1 {{loss(bce) has no 'reduction=batchmean'}}
amp.recipe loss(bce) reduction(batchmean)

// -----

// expected-error @+1 {{loss(output) has no 'reduction'}}
amp.recipe loss(output) loss_of("y") reduction(sum)

// -----

// expected-error @+1 {{'loss_delta' must be positive and finite, not 0}}
amp.recipe loss(huber) loss_delta(0.0)

// -----

// expected-error @+1 {{policy: unknown policy}}
amp.recipe policy("magic")

// -----

// expected-error @+1 {{policy 'dynamic' has no setting 'speed'}}
amp.recipe policy("dynamic") settings({speed = 1.0})

// -----

// expected-error @+1 {{setting 'growth_factor' must be an f64}}
amp.recipe policy("dynamic") settings({growth_factor = "fast"})

// -----

// expected-error @+1 {{--growth-factor}}
amp.recipe policy("dynamic") settings({growth_factor = 0.5})

// -----

// expected-error @+1 {{unknown optimizer 'adamq'; known are sgd, adam, adamw,}}
amp.recipe optimizer("adamq")

// -----

// expected-error @+1 {{hyper-parameter 'beta1' must be an f64}}
amp.recipe hyper({beta1 = 1.0 : f32})

// -----

// expected-error @+1 {{optimizer 'adamw' has no hyper-parameter 'momentum'}}
amp.recipe hyper({momentum = 1.0})

// -----

// expected-error @+1 {{optimizer 'adamw' has no flag 'nesterov'}}
amp.recipe flags(["nesterov"])

// -----

// expected-error @+1 {{nesterov needs momentum and no dampening}}
amp.recipe optimizer("sgd") flags(["nesterov"])

// -----

// expected-error @+1 {{nesterov needs momentum and no dampening}}
amp.recipe optimizer("sgd") hyper({momentum = 0.9, dampening = 0.1}) flags(["nesterov"])

// -----

// expected-error @+1 {{'slots' must be f16, bf16 or f32, not 'i8'}}
amp.recipe slots(i8)

// -----

// expected-error @+1 {{cannot keep slots in 'f16': slot 'exp_avg_sq' of adamw is divided by, and small gradients make it 0 in f16}}
amp.recipe slots(f16)

// -----

// expected-error @+1 {{cannot keep slots in 'bf16': slot 'grad_avg' of rmsprop is squared and taken from another}}
amp.recipe optimizer("rmsprop") flags(["centered"]) slots(bf16)

// -----

// expected-error @+1 {{needs 'clip' and 'clip_by', or neither}}
amp.recipe clip(norm)

// -----

// expected-error @+1 {{'clip_by' must be positive and finite, not -1}}
amp.recipe clip(norm) clip_by(-1.0)

// -----

// expected-error @+1 {{has 'torch_norm' or 'clip_scaled', which are of clip(global_norm)}}
amp.recipe clip(norm) clip_by(1.0) torch_norm

// -----

// expected-error @+1 {{has 'larc_eta', but no 'larc'}}
amp.recipe larc_eta(1.0)

// -----

// expected-error @+1 {{'larc_eta' must be finite and 0 or more, not -1}}
amp.recipe larc(clip) larc_eta(-1.0)

// -----

// expected-error @+1 {{has 'larc_min_update', which is a number of larc(clip) and larc(scale)}}
amp.recipe larc(apex_clip) larc_min_update(1.0)

// -----

// expected-error @+1 {{has 'larc' and 'clip': gradients are rescaled or clipped, not both}}
amp.recipe larc(clip) clip(norm) clip_by(1.0)

// -----

// expected-error @+1 {{'l1' must be finite and 0 or more, not -1}}
amp.recipe l1(-1.0)

// -----

// expected-error @+1 {{'l2' must be finite and 0 or more, not -1}}
amp.recipe l2(-1.0)

// -----

// expected-error @+1 {{'ema' must be from 0 up to, not including, 1, not 1}}
amp.recipe ema(1.0)

// -----

// expected-error @+1 {{'seed' must be from 0 up to, not including, 2^53, not -1}}
amp.recipe seed(-1)

// -----

// expected-error @+1 {{'accumulate' must be 1 or more, not 0}}
amp.recipe accumulate(0)

// -----

// expected-error @+1 {{'accumulate' must be 1 or more, not -2}}
amp.recipe accumulate(-2)

// -----

// expected-error @+1 {{has 'no_gradient' or 'gradient_sets', but gradients are no inputs: it has no 'gradients'}}
amp.recipe no_gradient(["w"])

// -----

// expected-error @+1 {{'gradients' must be f16, bf16 or f32, not 'f64'}}
amp.recipe gradients(f64)

// -----

func.func @f() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  amp.recipe
  return
}

// Features: K4.

// -----

// expected-error @+1 {{the recipe has 'ema', a part of the update, which optimizer 'callback' leaves to the caller}}
amp.recipe optimizer("callback") ema(0.9)

// -----

// expected-error @+1 {{the recipe has 'no_decay', a part of the update}}
amp.recipe optimizer("callback") no_decay(["bias"])

// -----

// expected-error @+1 {{the recipe has 'slots', a part of the update}}
amp.recipe optimizer("callback") slots(bf16)
