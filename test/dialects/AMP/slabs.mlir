// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// Ops on slabs print as they are written.

// CHECK: amp.slab @g0.parameter : tensor<4096xf32> entries [#amp.entry<"w", 0, tensor<4x8xf32>, parameter>, #amp.entry<"b", 32, tensor<4xf32>, parameter>]
amp.slab @g0.parameter : tensor<4096xf32> entries [
    #amp.entry<"w", 0, tensor<4x8xf32>, parameter>,
    #amp.entry<"b", 32, tensor<4xf32>, parameter>]
// CHECK: amp.slab @g0.momentum : tensor<4096xf32> entries [#amp.entry<"w/momentum", 0, tensor<4x8xf32>, slot of "w" as "momentum">]
amp.slab @g0.momentum : tensor<4096xf32> entries [
    #amp.entry<"w/momentum", 0, tensor<4x8xf32>, slot of "w" as "momentum">]
// CHECK: amp.slab @step : tensor<1xf64> entries {{.*}} initial [0.000000e+00]
amp.slab @step : tensor<1xf64> entries [
    #amp.entry<"step", 0, tensor<f64>, optimizer>] initial [0.0]

// CHECK: amp.slab @scale : tensor<1xf64> {{.*}} initial [1.000000e+00] wide_scale
amp.slab @scale : tensor<1xf64> entries [
    #amp.entry<"scale", 0, tensor<1xf64>, loss_scale>] initial [1.0] wide_scale

// CHECK-LABEL: func.func @check
func.func @check(%g: tensor<3x4096xf16>) {
  // CHECK: amp.square_sums %{{.*}} : tensor<3x4096xf16> -> tensor<3xf64>
  %sums = amp.square_sums %g : tensor<3x4096xf16> -> tensor<3xf64>
  // CHECK: amp.block_max_abs %{{.*}} : tensor<3x4096xf16> -> tensor<3xf32>
  %parts = amp.block_max_abs %g : tensor<3x4096xf16> -> tensor<3xf32>
  // CHECK: amp.combine_check %{{.*}}, %{{.*}} : tensor<3xf64>, tensor<3xf64>
  %found, %norm = amp.combine_check %sums, %sums : tensor<3xf64>, tensor<3xf64>
  // CHECK: amp.combine_max_abs %{{.*}} : tensor<3xf32>
  %max = amp.combine_max_abs %parts : tensor<3xf32>
  return
}

// CHECK-LABEL: func.func @by_tensor
func.func @by_tensor(%g: tensor<3x4096xf32>, %sums: tensor<3xf64>, %x: tensor<f64>) {
  // CHECK: amp.segment_norms %{{.*}} blocks [1, 2] : tensor<3xf64> -> tensor<2xf64>
  %norms = amp.segment_norms %sums blocks [1, 2] : tensor<3xf64> -> tensor<2xf64>
  // CHECK: amp.larc_rate %{{.*}}, %{{.*}} eta(%{{.*}}) eps(%{{.*}}) min_update(%{{.*}}) : tensor<2xf64> -> tensor<2xf32>
  %openseq = amp.larc_rate %norms, %norms eta(%x) eps(%x) min_update(%x)
      : tensor<2xf64> -> tensor<2xf32>
  // CHECK: amp.larc_rate %{{.*}}, %{{.*}} eta(%{{.*}}) eps(%{{.*}}) weight_decay(%{{.*}}) : tensor<2xf64> -> tensor<2xf32>
  %apex = amp.larc_rate %norms, %norms eta(%x) eps(%x) weight_decay(%x)
      : tensor<2xf64> -> tensor<2xf32>
  // CHECK: amp.larc_decay %{{.*}}, %{{.*}} weight_decay(%{{.*}}) : tensor<2xf64> -> tensor<2xf32>
  %decay = amp.larc_decay %norms, %norms weight_decay(%x)
      : tensor<2xf64> -> tensor<2xf32>
  // CHECK: amp.trust_ratio %{{.*}}, %{{.*}} : tensor<2xf64> -> tensor<2xf32>
  %ratio = amp.trust_ratio %norms, %norms : tensor<2xf64> -> tensor<2xf32>
  // CHECK: amp.scale_segments %{{.*}} by %{{.*}} blocks [1, 2] : tensor<3x4096xf32>, tensor<2xf32>
  %y = amp.scale_segments %g by %ratio blocks [1, 2]
      : tensor<3x4096xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @update
func.func @update(%g: tensor<8xf16>, %p: tensor<8xf32>, %low: tensor<8xf16>,
                  %lr: tensor<f32>, %skip: tensor<i1>, %x: tensor<f64>,
                  %key: tensor<i32>) {
  // CHECK: amp.add_gradient %{{.*}} to %{{.*}} : tensor<8xf16>, tensor<8xf32>
  %sum = amp.add_gradient %g to %p : tensor<8xf16>, tensor<8xf32>
  // CHECK: %[[S:.*]]:6 = amp.prepare "sgd" flags ["momentum"] lr(%{{.*}}) skip(%{{.*}}) state(%{{.*}}) hyper(%{{.*}}, %{{.*}}, %{{.*}})
  %s:6 = amp.prepare "sgd" flags ["momentum"] lr(%lr) skip(%skip) state(%x)
      hyper(%x, %x, %x)
      : (tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>,
         tensor<f64>)
      -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
          tensor<f32>)
  // CHECK: amp.update "sgd" flags ["momentum"] decay(true) gradient(%{{.*}}) skip(%{{.*}}) scalars(%[[S]]#1, {{.*}}) parameter(%{{.*}}) slots(%{{.*}}) low(%{{.*}})
  %u:3 = amp.update "sgd" flags ["momentum"] decay(true) gradient(%g)
      skip(%skip) scalars(%s#1, %s#2, %s#3, %s#4, %s#5) parameter(%p) slots(%p)
      low(%low)
      : (tensor<8xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf16>)
  // CHECK: amp.update "sgd" {{.*}} slot_keys(%{{.*}}) {{.*}} low(%{{.*}}) saturate
  %v:3 = amp.update "sgd" flags ["momentum"] decay(true) gradient(%g)
      slot_keys(%key) scalars(%s#1, %s#2, %s#3, %s#4, %s#5) parameter(%p)
      slots(%g) low(%low) saturate
      : (tensor<8xf16>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<8xf32>, tensor<8xf16>, tensor<8xf16>)
  // CHECK: amp.saturate_cast %{{.*}} : tensor<8xf32> -> tensor<8xf16>
  %n = amp.saturate_cast %p : tensor<8xf32> -> tensor<8xf16>
  // CHECK: amp.descend %{{.*}} by %{{.*}} lr(%{{.*}}) skip(%{{.*}}) low(%{{.*}}) saturate
  %d:2 = amp.descend %p by %p lr(%lr) skip(%skip) low(%low) saturate
      : (tensor<8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>, tensor<8xf16>)
      -> (tensor<8xf32>, tensor<8xf16>)
  return
}
