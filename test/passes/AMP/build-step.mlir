// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> optimizer<sgd, momentum = 0.9, weight_decay = 0.1, nesterov> no_decay(["bias"]) freeze(["emb"])/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefixes=CHECK,SGD
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic, growth_interval = 7.0> clip<global = 2.0> trainable(["^fc"])/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefixes=CHECK,ADAMW
// RUN: sed 's/^amp.recipe$/& clip<value = 3.0>/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^amp.recipe$/& loss_scale<torch> clip<norm = 3.0>/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=TORCH
// RUN: sed 's/^amp.recipe$/& loss_scale<deepspeed>/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=EARLY
// RUN: sed 's/^amp.recipe$/& loss_scale<logmax> clip<global = 1.0>/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=LOGMAX
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> accumulate(4)/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=ACCUMULATE
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> gradients(f16)/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=INPUTS
// A recipe makes one step of a loss.

// SGD:   nn.parameter frozen @emb
// ADAMW: nn.parameter frozen @emb
amp.recipe
nn.parameter @emb : tensor<4xf32> = #nn.init<ones>
nn.parameter @fc.weight : tensor<4xf32> = #nn.init<ones>
nn.parameter @fc.bias : tensor<f32> = #nn.init<zeros>
func.func @loss(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %e = nn.get @emb : tensor<4xf32>
  %w = nn.get @fc.weight : tensor<4xf32>
  %b = nn.get @fc.bias : tensor<f32>
  %0 = nn.mul %x, %w : tensor<4xf32>
  %1 = nn.mul %0, %e : tensor<4xf32>
  %2 = nn.reduce_sum %1 axes [0] : tensor<4xf32> -> tensor<f32>
  %3 = nn.add %2, %b : tensor<f32>
  return %3 : tensor<f32>
}

// Settings that the policy reads and hyper-parameters are there to be changed.
// SGD:        amp.scaler @scaler policy("dynamic") settings {backoff_factor = 5.000000e-01 : f64, growth_factor = 2.000000e+00 : f64, growth_interval = 2.000000e+03 : f64
// ADAMW:      amp.scaler @scaler policy("dynamic") settings {{.*}}growth_interval = 7.000000e+00 : f64
// SGD:        amp.optimizer @optimizer kind("sgd") hyper {dampening = 0.000000e+00 : f64, momentum = 9.000000e-01 : f64, weight_decay = 1.000000e-01 : f64} flags ["nesterov", "momentum"] trains [@fc.weight, @fc.bias] no_decay [@fc.bias]
// ADAMW:      amp.optimizer @optimizer kind("adamw") hyper {beta1 = {{.*}}, beta2 = {{.*}}, clip_global_norm = 2.000000e+00 : f64, eps = {{.*}}, weight_decay = {{.*}}} trains [@fc.weight, @fc.bias]{{$}}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32> {nn.name = "x"}, %[[APPLIED:.*]]: tensor<f32> {nn.name = "lr"}, %[[SKIPPED:.*]]: tensor<f32> {nn.name = "lr_after_skip"})
// CHECK-SAME:    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "scale"}, tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"}, tensor<f64> {nn.name = "good_steps"}, tensor<f64> {nn.name = "scale_error"})
// CHECK:         %[[SCALE:.*]] = amp.get_scale @scaler : tensor<f32>
// CHECK:         %[[V:.*]]:3 = nn.vjp @loss(%[[X]]) seed(%[[SCALE]]) wrt [@fc.weight, @fc.bias]
// CHECK:         %[[G:.*]] = amp.gather %[[V]]#1, %[[V]]#2 : tensor<4xf32>, tensor<f32> -> !amp.gradients<@optimizer>
// The rate is that behind a step that was applied, or one that was skipped.
// CHECK:         %[[LR:.*]] = amp.get_rate @scaler, %[[APPLIED]], %[[SKIPPED]] : tensor<f32>
// CHECK:         %[[INV:.*]] = amp.inverse_scale %[[SCALE]]
// CHECK:         %[[U:.*]] = amp.unscale %[[G]] by %[[INV]]
// CHECK:         %[[FOUND:.*]], %[[NORM:.*]] = amp.check %[[U]]
// SGD-NOT:       amp.clip
// ADAMW:         %[[MAX:.*]] = amp.get_hyper @optimizer "clip_global_norm"
// ADAMW:         %[[C:.*]] = amp.clip_coefficient %[[NORM]] max(%[[MAX]])
// ADAMW:         %[[CLIPPED:.*]] = amp.clip %[[U]] by %[[C]]
// SGD:           amp.apply %[[U]] lr(%[[LR]]) skip(%[[FOUND]])
// ADAMW:         amp.apply %[[CLIPPED]] lr(%[[LR]]) skip(%[[FOUND]])
// CHECK:         %[[GOOD:.*]], %[[ERROR:.*]] = amp.update_scale @scaler found(%[[FOUND]])
// CHECK:         return %[[V]]#0, %[[SCALE]], %[[FOUND]], %[[NORM]], %[[GOOD]], %[[ERROR]]

// Without a scaler nothing is unscaled or skipped, but the norm is told.
// NONE-LABEL: func.func @step
// NONE:         %[[ONE:.*]] = nn.constant dense<1.000000e+00> : tensor<f32>
// NONE:         nn.vjp @loss({{.*}}) seed(%[[ONE]])
// NONE-NOT:     amp.unscale
// NONE:         amp.check
// NONE:         %[[FALSE:.*]] = nn.constant dense<false>
// NONE:         amp.clamp
// NONE:         amp.apply
// NONE-NOT:     skip(
// NONE:         amp.update_scale @scaler found(%[[FALSE]])

// PyTorch checks what is scaled; the norm is that of what is not, in which
// nothing may be found either.
// TORCH-LABEL: func.func @step
// TORCH:         %[[V:.*]]:4 = nn.vjp
// TORCH:         %[[G:.*]] = amp.gather %[[V]]#1, %[[V]]#2, %[[V]]#3
// TORCH:         %[[SCALED:.*]], %{{.*}} = amp.check %[[G]]
// TORCH:         amp.unscale
// TORCH:         %[[UNSCALED:.*]], %[[NORM:.*]] = amp.check
// TORCH:         %[[FOUND:.*]] = nn.select %[[SCALED]], %{{.*}}, %[[UNSCALED]]
// TORCH:         amp.clip_each
// TORCH:         return %[[V]]#0, %{{.*}}, %[[FOUND]], %[[NORM]]

// DeepSpeed updates first and unscales with the new scale, which is an f64.
// EARLY-LABEL: func.func @step
// EARLY:         amp.check
// EARLY:         amp.update_scale
// EARLY:         %[[NEW:.*]] = amp.get_scale @scaler : tensor<f64>
// EARLY:         amp.inverse_scale %[[NEW]]

// OpenSeq2Seq's statistics are of clipped gradients.
// LOGMAX-LABEL: func.func @step
// LOGMAX:         %[[C:.*]] = amp.clip %{{.*}}
// LOGMAX:         %[[MAX:.*]] = amp.max_abs %[[C]]
// LOGMAX:         amp.update_scale @scaler found(%{{.*}}) max_abs(%[[MAX]])

// Several batches: the seed makes their sum the mean.
// ACCUMULATE-LABEL: func.func @accumulate
// ACCUMULATE-SAME:    -> (tensor<f32> {nn.name = "loss"})
// ACCUMULATE:         %[[SCALE:.*]] = amp.get_scale
// ACCUMULATE:         %[[FOUR:.*]] = nn.constant dense<4.000000e+00>
// ACCUMULATE:         %[[SEED:.*]] = nn.div %[[SCALE]], %[[FOUR]]
// ACCUMULATE:         %[[V:.*]]:4 = nn.vjp @loss(%{{.*}}) seed(%[[SEED]])
// ACCUMULATE:         %[[B:.*]] = amp.gather %[[V]]#1, %[[V]]#2, %[[V]]#3
// ACCUMULATE:         amp.accumulate %[[B]]
// ACCUMULATE-LABEL: func.func @apply
// ACCUMULATE-SAME:    (%{{.*}}: tensor<f32> {nn.name = "lr"}, %{{.*}}: tensor<f32> {nn.name = "lr_after_skip"}) -> (tensor<f32> {nn.name = "scale"}
// ACCUMULATE:         %[[G:.*]] = amp.take_gradients : !amp.gradients<@optimizer>
// ACCUMULATE:         amp.unscale %[[G]]

// INPUTS-LABEL: func.func @step
// INPUTS-SAME:    (%{{.*}}: tensor<4xf16> {nn.name = "grad.emb"}, %{{.*}}: tensor<4xf16> {nn.name = "grad.fc.weight"}, %{{.*}}: tensor<f16> {nn.name = "grad.fc.bias"}, %{{.*}}: tensor<f64> {nn.name = "lr"}) -> (tensor<f32> {nn.name = "scale"}

// Features: A12, A16, F12, G1, G4, G9, H1, H5, I9, I17, K1, L1, X6, X7.
