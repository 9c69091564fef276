// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-mark-entries,amp-count-underflow)' | FileCheck %s

// A step that is written out may unscale and clamp gradients before it gathers
// them, and widen them before that: those that came in 16 bits are counted, as
// they came, each once.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[A:[^:]*]]: tensor<5xf16>, %[[B:[^:]*]]: tensor<3xbf16>
// CHECK-SAME:    tensor<f64> {nn.name = "underflow"})
// CHECK:         amp.apply
// CHECK:         %[[WA:.*]] = nn.cast %[[A]] : tensor<5xf16> -> tensor<5xf32>
// CHECK:         nn.abs %[[WA]]
// CHECK:         nn.constant dense<6.10351563E-5> : tensor<5xf32>
// CHECK:         nn.compare lt
// CHECK:         %[[WB:.*]] = nn.cast %[[B]] : tensor<3xbf16> -> tensor<3xf32>
// CHECK:         nn.abs %[[WB]]
// CHECK:         nn.constant dense<1.17549435E-38> : tensor<3xf32>
// CHECK:         nn.compare lt
// CHECK-NOT:     nn.compare
// CHECK:         return
amp.recipe loss_scale<fixed, init_scale = 8.0> count_underflow optimizer<sgd>
nn.parameter @a : tensor<5xf32> = <ones>
nn.parameter @b : tensor<3xf32> = <ones>
nn.parameter @c : tensor<2xf32> = <ones>
nn.parameter @d : tensor<5xf32> = <ones>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@a, @b, @c, @d]
func.func @step(%a: tensor<5xf16>, %b: tensor<3xbf16>, %c: tensor<2xf64>, %inverse: tensor<f32>, %limit: tensor<f32>, %lr: tensor<f32>) {
  %ua = amp.unscale %a by %inverse : tensor<5xf16> -> tensor<5xf32>
  %wb = nn.cast %b : tensor<3xbf16> -> tensor<3xf32>
  %ub = amp.unscale %wb by %inverse : tensor<3xf32> -> tensor<3xf32>
  %cb = amp.clamp %ub by %limit : tensor<3xf32> -> tensor<3xf32>
  // What was wider says nothing of 16 bits.
  %nc = nn.cast %c : tensor<2xf64> -> tensor<2xf32>
  %g = amp.gather %ua, %cb, %nc, %ua : tensor<5xf32>, tensor<3xf32>, tensor<2xf32>, tensor<5xf32> -> !amp.gradients<@optimizer>
  %found, %norm = amp.check %g : !amp.gradients<@optimizer>
  amp.apply %g lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  return
}
