// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> l1(0.5) l2(0.25) no_decay(["bias"]) larc<clip, eta = 0.01>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefixes=CHECK,CLIP
// RUN: sed 's/^amp.recipe$/& loss_scale<torch> l2(0.25) larc<scale>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=SCALE
// RUN: sed 's/^amp.recipe$/& ema(0.75) no_masters seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> l1(0.5) l2(0.25) no_decay(["bias"]) larc<clip>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,symbol-dce,canonicalize,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s --check-prefix=SLABS
// RUN: sed 's/^amp.recipe$/& ema(0.75) no_masters/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,symbol-dce,canonicalize,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s --check-prefix=STORED
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> larc<apex_clip> no_decay(["bias"]) optimizer<adamw, weight_decay = 0.25>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=APEX
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> larc<apex_scale> no_decay(["bias"]) optimizer<adamw, weight_decay = 0.25>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,symbol-dce,canonicalize,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s --check-prefix=APEXSLABS
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> clip<global = 1.0, order = torch>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=ORDER
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> optimizer<rmsprop, momentum = 0.5> slots(bf16)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,symbol-dce,canonicalize,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s --check-prefix=SLOTS
// What surrounds an optimizer's rule: penalties, LARC, averages, and parameters
// without masters.

amp.recipe
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

// Penalties come after the unscale and are checked; LARC comes last, and what it
// makes is checked too.
// CLIP:        hyper {{{.*}}l1 = 5.000000e-01 : f64, l2 = 2.500000e-01 : f64, larc_eps = {{.*}}, larc_eta = 1.000000e-02 : f64, larc_min_update
// CHECK-LABEL: func.func @step
// CHECK-DAG:     %[[LR:.*]]: tensor<f32> {nn.name = "lr"}
// CHECK:         %[[U:.*]] = amp.unscale
// CHECK:         %[[R:.*]] = amp.regularize %[[U]] l1(%{{.*}}) l2(%{{.*}})
// CHECK:         %[[FIRST:.*]], %{{.*}} = amp.check %[[R]]
// CHECK:         %[[S:.*]] = amp.larc %[[R]] eta(%{{.*}}) eps(%{{.*}}) min_update(%{{.*}}) lr(%{{.*}})
// CHECK:         %[[LAST:.*]], %{{.*}} = amp.check %[[S]]
// CHECK:         %[[FOUND:.*]] = nn.select %[[FIRST]], %{{.*}}, %[[LAST]]
// CHECK:         amp.apply %[[S]] lr(%{{.*}}) skip(%[[FOUND]])

// A policy that checks what is scaled does not see the penalty.
// SCALE-LABEL: func.func @step
// SCALE:         amp.check
// SCALE:         amp.regularize
// SCALE:         amp.larc
// SCALE-NOT:     lr(
// SCALE-SAME:    : !amp.gradients
// SCALE:         amp.apply

// Parameters of bf16 are read as what the model computes in.
// KEPT:       nn.parameter @weight : tensor<4xbf16> = <ones>
// KEPT-LABEL: func.func @loss
// KEPT:         %[[W:.*]] = nn.get @weight : tensor<4xbf16>
// KEPT:         nn.cast %[[W]] : tensor<4xbf16> -> tensor<4xf32>
// KEPT:       amp.optimizer @optimizer {{.*}}ema_decay = 7.500000e-01 : f64, {{.*}}rounding_seed = 7.000000e+00 : f64

// Only groups that decay have a penalty, for the check and anew for what follows;
// LARC's norms are those of parameters and of gradients with it.
// SLABS-LABEL: func.func @step
// SLABS:         %[[P:.*]] = amp.add_penalty %{{.*}} of %{{.*}} l1(%{{.*}}) l2(%{{.*}})
// SLABS:         amp.combine_check
// SLABS:         amp.larc_rate
// SLABS:         amp.larc_rate
// SLABS:         amp.combine_check
// SLABS:         amp.add_penalty
// SLABS:         amp.update "adamw" {{.*}} decay(true)
// SLABS-NOT:     amp.add_penalty
// SLABS:         amp.update "adamw" {{.*}} decay(false)

// STORED:       amp.slab @g0.parameter : tensor<4096xbf16>
// STORED:       amp.slab @g0.ema : tensor<4096xf32> {{.*}}"weight/ema"
// STORED-LABEL: func.func @step
// STORED:         %[[KEY:.*]] = amp.rounding_key %{{.*}} step(%[[STEP:.*]]) salt 0
// STORED:         %[[NEW:.*]]:3 = amp.update {{.*}} key(%[[KEY]])
// STORED:         %[[SHARE:.*]] = amp.average_weight %{{.*}} step(%[[STEP]])
// STORED:         amp.average %[[NEW]]#0 to %{{.*}} weight(%[[SHARE]])

// Apex' LARC takes the rule's weight decay, but of those that see none.
// APEX:       amp.optimizer @optimizer {{.*}}larc_weight_decay = 2.500000e-01 : f64, weight_decay = 0.000000e+00 : f64
// APEX-LABEL: func.func @step
// APEX:         %[[FACTOR:.*]] = amp.get_hyper @optimizer "larc_weight_decay"
// APEX:         amp.larc {{.*}} weight_decay(%[[FACTOR]]) lr(%{{.*}})

// APEXSLABS-LABEL: func.func @step
// APEXSLABS:         %[[PN:.*]] = amp.segment_norms
// APEXSLABS:         %[[GN:.*]] = amp.segment_norms
// APEXSLABS:         %[[RATE:.*]] = amp.larc_rate %[[PN]], %[[GN]] eta(%{{.*}}) eps(%{{.*}}) weight_decay(%[[WD:.*]]) :
// APEXSLABS:         %[[FACTOR:.*]] = amp.larc_decay %[[PN]], %[[GN]] weight_decay(%[[WD]])
// APEXSLABS:         %[[D:.*]] = amp.scale_segments %{{.*}} by %[[FACTOR]]
// APEXSLABS:         %[[DECAYS:.*]] = kernel.view %[[D]][0]
// APEXSLABS:         nn.add %{{.*}}, %[[DECAYS]]
// APEXSLABS-NOT:     amp.larc_decay
// APEXSLABS:         amp.update {{.*}} decay(true)
// APEXSLABS:         amp.update {{.*}} decay(false)

// The norm of the norms, in PyTorch's order.
// ORDER-LABEL: func.func @step
// ORDER:         %[[PARTS:.*]]:2 = amp.split
// ORDER:         %[[A:.*]] = amp.vector_norm %[[PARTS]]#0
// ORDER:         %[[A1:.*]] = nn.reshape %[[A]]
// ORDER:         %[[B:.*]] = amp.vector_norm
// ORDER:         %[[B1:.*]] = nn.reshape %[[B]]
// ORDER:         %[[ALL:.*]] = nn.concat %[[A1]], %[[B1]]
// ORDER:         %[[N:.*]] = amp.vector_norm %[[ALL]]
// ORDER:         %[[WIDE:.*]] = nn.cast %[[N]]
// ORDER:         amp.clip_coefficient %[[WIDE]] max

// Slots of 16 bits, each with random bits of its own.
// SLOTS:       amp.slab @g0.square_avg : tensor<4096xbf16> {{.*}}"weight/square_avg", 0, tensor<4xbf16>, slot
// SLOTS:       amp.slab @g0.momentum_buffer : tensor<4096xbf16>
// SLOTS-LABEL: func.func @step
// SLOTS:         %[[K1:.*]] = amp.rounding_key %{{.*}} step(%{{.*}}) salt 65536
// SLOTS:         %[[K2:.*]] = amp.rounding_key %{{.*}} step(%{{.*}}) salt 131072
// SLOTS:         amp.update "rmsprop" {{.*}} slot_keys(%[[K1]], %[[K2]])

// Features: D4, D5, D9, K7, X5.
