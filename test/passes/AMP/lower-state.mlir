// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& round_weights/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s --check-prefix=ROUND --implicit-check-not=saturate
// State goes into slabs, the optimizer runs on them.

// Parameters are grouped by decay, type of gradient and 16-bit copy; tensors
// start at multiples of 32 elements.
// CHECK: amp.slab @g0.parameter : tensor<4096xf32> entries [#amp.entry<"w", 0, tensor<4x8xf32>, parameter>, #amp.entry<"v", 32, tensor<3x8xf32>, parameter>]
// CHECK: amp.slab @g0.f16 : tensor<4096xf16> entries [#amp.entry<"w/f16", 0, tensor<4x8xf16>, low_precision of "w" as "f16">, #amp.entry<"v/f16", 32, tensor<3x8xf16>, low_precision of "v" as "f16">]
// CHECK: amp.slab @g0.exp_avg : tensor<4096xf32> entries [#amp.entry<"w/exp_avg", 0, tensor<4x8xf32>, slot of "w" as "exp_avg">
// CHECK: amp.slab @g0.exp_avg_sq
// CHECK: amp.slab @g1.parameter : tensor<4096xf32> entries [#amp.entry<"b", 0, tensor<4xf32>, parameter>]
// CHECK: amp.slab @g1.exp_avg
// CHECK: amp.slab @state.hyperparameters : tensor<{{.*}}xf64> entries [{{.*}}#amp.entry<"amp.hyper.growth_interval", 3, tensor<f64>, setting as "growth_interval">{{.*}}] initial [{{.*}}2.000000e+03,
// CHECK: amp.slab @state.optimizer : tensor<3xf64> entries [#amp.entry<"amp.optimizer.step", 0, tensor<f64>, optimizer as "step">, {{.*}}] initial [0.000000e+00, 1.000000e+00, 1.000000e+00]
// CHECK: amp.slab @state.loss_scale : tensor<16xf64> entries [#amp.entry<"amp.loss_scale", 0, tensor<16xf64>, loss_scale>] initial [6.553600e+04,
// CHECK-NOT: amp.scaler
// CHECK-NOT: amp.optimizer
amp.recipe
nn.parameter @w : tensor<4x8xf32> = #nn.init<zeros>
nn.parameter @b : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<3x8xf32> = #nn.init<zeros>
amp.scaler @scaler policy("torch") settings {growth_interval = 2000.0}
amp.optimizer @optimizer kind("adamw")
    hyper {beta1 = 0.9, beta2 = 0.999, eps = 1.0e-8, weight_decay = 0.01}
    trains [@w, @b, @v] no_decay [@b]

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[SCALER:[^ ]*]]: tensor<16xf64> {kernel.state = @state.loss_scale}
// CHECK-SAME:    %[[LOW:[^ ]*]]: tensor<4096xf16> {kernel.state = @g0.f16}
// CHECK-SAME:    %[[P1:[^ ]*]]: tensor<4096xf32> {kernel.state = @g1.parameter}
// CHECK-SAME:    %[[P0:[^ ]*]]: tensor<4096xf32> {kernel.state = @g0.parameter}
// CHECK-SAME:    %[[M0:[^ ]*]]: tensor<4096xf32> {kernel.state = @g0.exp_avg}
// CHECK-SAME:    -> (tensor<f32> {nn.name = "scale"}
// CHECK-SAME:    tensor<4096xf16> {kernel.state = @g0.f16}
// CHECK-SAME:    tensor<4096xf32> {kernel.state = @g0.parameter}
func.func @step(%lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "scale"}) {
  // CHECK:       %[[S64:.*]] = kernel.view %[[SCALER]][0] : tensor<16xf64> -> tensor<f64>
  // CHECK:       %[[SCALE:.*]] = nn.cast %[[S64]] : tensor<f64> -> tensor<f32>
  %scale = amp.get_scale @scaler : tensor<f32>
  // A 16-bit read is a view of the copy, through a transpose too.
  // CHECK-DAG:   %[[W:.*]] = kernel.view %[[LOW]][0] : tensor<4096xf16> -> tensor<4x8xf16>
  // CHECK-DAG:   %[[V:.*]] = kernel.view %[[LOW]][32] : tensor<4096xf16> -> tensor<3x8xf16>
  // CHECK-DAG:   %[[VT:.*]] = nn.transpose %[[V]] [1, 0] : tensor<3x8xf16> -> tensor<8x3xf16>
  %w = nn.get @w : tensor<4x8xf32>
  %w16 = nn.cast %w : tensor<4x8xf32> -> tensor<4x8xf16>
  %v = nn.get @v : tensor<3x8xf32>
  %vt = nn.transpose %v [1, 0] : tensor<3x8xf32> -> tensor<8x3xf32>
  %vt16 = nn.cast %vt : tensor<8x3xf32> -> tensor<8x3xf16>
  // CHECK-DAG:   %[[DB:.*]] = kernel.view %[[P1]][0] : tensor<4096xf32> -> tensor<4xf32>
  %db = nn.get @b : tensor<4xf32>
  %dw = nn.cast %w16 : tensor<4x8xf16> -> tensor<4x8xf32>
  %dvt = nn.cast %vt16 : tensor<8x3xf16> -> tensor<8x3xf32>
  %dv = nn.transpose %dvt [1, 0] : tensor<8x3xf32> -> tensor<3x8xf32>
  // CHECK:       %[[INV:.*]] = linalg.generic {{.*}} ins(%[[SCALE]] : tensor<f32>)
  %inv = amp.inverse_scale %scale : tensor<f32>
  %gradients = amp.gather %dw, %db, %dv
      : tensor<4x8xf32>, tensor<4xf32>, tensor<3x8xf32>
      -> !amp.gradients<@optimizer>
  %unscaled = amp.unscale %gradients by %inv : !amp.gradients<@optimizer>
  // Gradients are packed as they arrive; the check has its own unscale.
  // CHECK:       %[[G0:.*]] = kernel.pack %[[W]], %{{.*}} at [0, 32] : tensor<4x8xf16>, tensor<3x8xf16> -> tensor<4096xf16>
  // CHECK:       %[[G1:.*]] = kernel.pack %[[DB]] at [0] : tensor<4xf32> -> tensor<4096xf32>
  // CHECK:       %[[BLOCKS:.*]] = kernel.view %[[G0]][0] : tensor<4096xf16> -> tensor<1x4096xf16>
  // CHECK:       %[[UB:.*]] = amp.unscale %[[BLOCKS]] by %[[INV]] : tensor<1x4096xf16> -> tensor<1x4096xf32>
  // CHECK:       %[[SUM0:.*]] = amp.square_sums %[[UB]]
  // CHECK:       %[[SUM1:.*]] = amp.square_sums
  // CHECK:       %[[FOUND:.*]], %{{.*}} = amp.combine_check %[[SUM0]], %[[SUM1]]
  %found, %norm = amp.check %unscaled : !amp.gradients<@optimizer>
  // CHECK:       %[[S:.*]]:11 = amp.prepare "adamw"
  // CHECK:       %[[U:.*]] = amp.unscale %[[G0]] by %[[INV]] : tensor<4096xf16> -> tensor<4096xf32>
  // CHECK:       %[[NEW0:.*]]:4 = amp.update "adamw" flags [] decay(true) gradient(%[[U]]) skip(%[[FOUND]]) scalars(%[[S]]#3, {{.*}}) parameter(%[[P0]]) slots(%[[M0]], %{{.*}}) low(%[[LOW]])
  // CHECK:       amp.update "adamw" flags [] decay(false) {{.*}} parameter(%[[P1]])
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  // CHECK:       %[[STATE:.*]]:16 = linalg.generic
  // CHECK:       %[[PACKED:.*]] = kernel.pack %[[STATE]]#0, %[[STATE]]#1
  %good, %error = amp.update_scale @scaler found(%found)
  // CHECK:       return %[[SCALE]], {{.*}}%[[PACKED]]
  return %scale : tensor<f32>
}

// CHECK-LABEL: func.func @init
// CHECK-SAME:    %[[P:.*]]: tensor<4096xf32> {kernel.state = @g0.parameter}
// CHECK-SAME:    -> (tensor<4096xf16> {kernel.state = @g0.f16})
// CHECK:         amp.saturate_cast %[[P]] : tensor<4096xf32> -> tensor<4096xf16>
// ROUND-LABEL: func.func @init
// ROUND:         nn.cast

// -----

// Without an optimizer parameters only get their places; what entries are made
// from goes.
// CHECK:       amp.slab @g0.parameter : tensor<4096xf32>
// CHECK:       amp.slab @g1.parameter : tensor<8192xf64> entries [#amp.entry<"wide", 0, tensor<5000xf64>, parameter>]
amp.recipe
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @wide : tensor<5000xf64> = #nn.init<zeros>
// CHECK-NOT:   @model
func.func @model() -> tensor<4xf32> {
  %w = nn.get @w : tensor<4xf32>
  return %w : tensor<4xf32>
}
// CHECK-LABEL: func.func @eval
// CHECK-SAME:    %[[P:.*]]: tensor<4096xf32> {kernel.state = @g0.parameter}, %[[Q:.*]]: tensor<8192xf64> {kernel.state = @g1.parameter})
// CHECK-SAME:    -> (tensor<4xf32>, tensor<5000xf64>)
func.func @eval() -> (tensor<4xf32>, tensor<5000xf64>) {
  // CHECK:     %[[W:.*]] = kernel.view %[[P]][0] : tensor<4096xf32> -> tensor<4xf32>
  // CHECK:     %[[D:.*]] = kernel.view %[[Q]][0] : tensor<8192xf64> -> tensor<5000xf64>
  // CHECK:     return %[[W]], %[[D]]
  %w = nn.get @w : tensor<4xf32>
  %d = nn.get @wide : tensor<5000xf64>
  return %w, %d : tensor<4xf32>, tensor<5000xf64>
}

// Features: A15, C9, C11, D1, D3, H4, H11, I12, I14.
