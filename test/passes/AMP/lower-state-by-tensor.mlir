// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s
// What is done by tensor gives each tensor whole blocks.

// CHECK: amp.slab @g0.parameter : tensor<12288xf32> entries [#amp.entry<"w", 0, tensor<5000xf32>, parameter>, #amp.entry<"b", 8192, tensor<4xf32>, parameter>]
// CHECK: amp.slab @g0.gradient : tensor<12288xf32> entries [#amp.entry<"w/gradient", 0, tensor<5000xf32>, gradient of "w" as "gradient">
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
nn.parameter @b : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("lamb")
    hyper {beta1 = 0.9, beta2 = 0.999, clip_norm = 1.0, eps = 1.0e-6,
      weight_decay = 0.01} trains [@w, @b]

// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    %[[SUM:[^ ]*]]: tensor<12288xf32> {kernel.state = @g0.gradient})
// CHECK-SAME:    -> (tensor<12288xf32> {kernel.state = @g0.gradient})
func.func @accumulate(%dw: tensor<5000xf16>, %db: tensor<4xf16>) {
  // CHECK:       %[[G:.*]] = kernel.pack %{{.*}}, %{{.*}} at [0, 8192] : tensor<5000xf16>, tensor<4xf16> -> tensor<12288xf16>
  // CHECK:       %[[NEXT:.*]] = amp.add_gradient %[[G]] to %[[SUM]]
  // CHECK:       return %[[NEXT]]
  %w = nn.cast %dw : tensor<5000xf16> -> tensor<5000xf32>
  %b = nn.cast %db : tensor<4xf16> -> tensor<4xf32>
  %gradients = amp.gather %w, %b : tensor<5000xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  amp.accumulate %gradients : !amp.gradients<@optimizer>
  return
}

// CHECK-LABEL: func.func @apply
// CHECK-SAME:    %[[SUM:[^ ]*]]: tensor<12288xf32> {kernel.state = @g0.gradient}
// CHECK-SAME:    %[[P:[^ ]*]]: tensor<12288xf32> {kernel.state = @g0.parameter}
func.func @apply(%lr: tensor<f32>) {
  // CHECK-DAG:   %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<12288xf32>
  %gradients = amp.take_gradients : !amp.gradients<@optimizer>
  %max = amp.get_hyper @optimizer "clip_norm" : tensor<f64>
  // CHECK:       %[[G:.*]] = kernel.view %[[SUM]][0] : tensor<12288xf32> -> tensor<3x4096xf32>
  // CHECK:       %[[SQUARES:.*]] = amp.square_sums %[[G]]
  // CHECK:       %[[NORMS:.*]] = amp.segment_norms %[[SQUARES]] blocks [2, 1]
  // CHECK:       %[[C:.*]] = amp.clip_coefficient %[[NORMS]] max(%{{.*}}) : tensor<2xf64> -> tensor<2xf32>
  // CHECK:       %[[ROWS:.*]] = kernel.view %[[SUM]][0] : tensor<12288xf32> -> tensor<3x4096xf32>
  // CHECK:       %[[CLIPPED:.*]] = amp.scale_segments %[[ROWS]] by %[[C]] blocks [2, 1]
  %clipped = amp.clip_each %gradients max(%max) : !amp.gradients<@optimizer>
  // CHECK:       %[[FLAT:.*]] = kernel.view %[[CLIPPED]][0]
  // CHECK:       %[[D:.*]]:3 = amp.update "lamb" {{.*}} gradient(%[[FLAT]])
  // CHECK:       %[[RATIO:.*]] = amp.trust_ratio
  // CHECK:       %[[SCALED:.*]] = amp.scale_segments %{{.*}} by %[[RATIO]] blocks [2, 1]
  // CHECK:       %[[MOVE:.*]] = kernel.view %[[SCALED]][0]
  // CHECK:       amp.descend %[[P]] by %[[MOVE]] lr(%{{.*}})
  // CHECK:       return %[[ZERO]]
  amp.apply %clipped lr(%lr) : !amp.gradients<@optimizer>
  return
}
