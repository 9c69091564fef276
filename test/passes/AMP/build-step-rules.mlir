// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{l1=0.5 l2=0.25 no-decay=bias larc=clip larc-eta=0.01})' | FileCheck %s --check-prefixes=CHECK,CLIP
// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{policy=torch l2=0.25 larc=scale})' | FileCheck %s --check-prefix=SCALE
// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{policy=none ema=0.75 master-weights=false rounding-seed=7})' | FileCheck %s --check-prefix=KEPT
// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{l1=0.5 l2=0.25 no-decay=bias larc=clip},nn-differentiate,symbol-dce,canonicalize,amp-fuse-optimizer)' | FileCheck %s --check-prefix=SLABS
// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{policy=none ema=0.75 master-weights=false},nn-differentiate,symbol-dce,canonicalize,amp-fuse-optimizer)' | FileCheck %s --check-prefix=STORED
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{larc=both})' 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{larc=clip clip-norm=1})' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{larc=clip larc-eta=-1})' 2>&1 | FileCheck %s --check-prefix=ETA
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{l1=-1})' 2>&1 | FileCheck %s --check-prefix=PENALTY
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{ema=1})' 2>&1 | FileCheck %s --check-prefix=DECAY
// What surrounds an optimizer's rule: penalties, LARC, averages, and parameters
// without masters.

// MODE:    error: 'larc' must be clip or scale, not 'both'
// BOTH:    error: gradients are clipped by 'clip_norm' or rescaled by 'larc', not by both
// ETA:     error: 'larc_eta' must be finite and 0 or more, not -1
// PENALTY: error: 'l1' must be finite and 0 or more, not -1
// DECAY:   error: 'ema' must be from 0 up to, not including, 1, not 1

nn.parameter @weight : tensor<4xf32> = #nn.init<ones>
nn.parameter @bias : tensor<4xf32> = #nn.init<zeros>
func.func @loss(%x: tensor<4xf32> {nn.name = "x"}) -> tensor<f32> {
  %w = nn.get @weight : tensor<4xf32>
  %b = nn.get @bias : tensor<4xf32>
  %0 = nn.mul %w, %x : tensor<4xf32>
  %1 = nn.add %0, %b : tensor<4xf32>
  %2 = nn.reduce_sum %1 axes [0] : tensor<4xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// Penalties come after the unscale and are checked; LARC comes last.
// CLIP:        hyper {{{.*}}l1 = 5.000000e-01 : f64, l2 = 2.500000e-01 : f64, larc_eps = {{.*}}, larc_eta = 1.000000e-02 : f64, larc_min_update
// CHECK-LABEL: func.func @step
// CHECK-DAG:     %[[LR:.*]]: tensor<f32> {nn.name = "lr"}
// CHECK:         %[[U:.*]] = amp.unscale
// CHECK:         %[[UB:.*]] = amp.unscale
// CHECK:         %[[R:.*]]:2 = amp.regularize %[[U]], %[[UB]] to [@weight, @bias] l1(%{{.*}}) l2(%{{.*}}) no_decay [@bias]
// CHECK:         amp.check %[[R]]#0, %[[R]]#1
// CHECK:         %[[S:.*]]:2 = amp.larc %[[R]]#0, %[[R]]#1 to [@weight, @bias] eta(%{{.*}}) min_update(%{{.*}}) eps(%{{.*}}) lr(%{{.*}})
// CHECK:         amp.apply @optimizer(%[[S]]#0, %[[S]]#1)

// A policy that checks what is scaled does not see the penalty.
// SCALE-LABEL: func.func @step
// SCALE:         amp.check
// SCALE:         amp.regularize
// SCALE:         amp.larc
// SCALE-NOT:     lr(
// SCALE-SAME:    : tensor<4xf32>
// SCALE:         amp.apply

// Parameters of bf16 are read as what the model computes in.
// KEPT:       nn.parameter @weight : tensor<4xbf16> = <ones>
// KEPT-LABEL: func.func @loss
// KEPT:         %[[W:.*]] = nn.get @weight : tensor<4xbf16>
// KEPT:         nn.cast %[[W]] : tensor<4xbf16> -> tensor<4xf32>
// KEPT:       amp.optimizer @optimizer {{.*}}ema_decay = 7.500000e-01 : f64, {{.*}}rounding_seed = 7.000000e+00 : f64

// Only groups that decay have a penalty, for the check and anew for the update;
// LARC's norms are those of parameters and of gradients with it.
// SLABS-LABEL: func.func @step
// SLABS:         %[[P:.*]] = amp.add_penalty %{{.*}} of %{{.*}} l1(%{{.*}}) l2(%{{.*}})
// SLABS:         amp.combine_check
// SLABS:         amp.add_penalty
// SLABS:         amp.larc_rate
// SLABS:         amp.update "adamw" {{.*}} decay(true)
// SLABS-NOT:     amp.add_penalty
// SLABS:         amp.larc_rate
// SLABS:         amp.update "adamw" {{.*}} decay(false)

// STORED:       amp.slab @g0.parameter : tensor<4096xbf16>
// STORED:       amp.slab @g0.ema : tensor<4096xf32> {{.*}}"weight/ema"
// STORED-LABEL: func.func @step
// STORED:         %[[KEY:.*]] = amp.rounding_key %{{.*}} step(%[[STEP:.*]]) salt 0
// STORED:         %[[NEW:.*]]:3 = amp.update {{.*}} key(%[[KEY]])
// STORED:         %[[SHARE:.*]] = amp.average_weight %{{.*}} step(%[[STEP]])
// STORED:         amp.average %[[NEW]]#0 to %{{.*}} weight(%[[SHARE]])
