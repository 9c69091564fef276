// A model that was exported in f16 computes in it whatever --precision says:
// without a loss scale that is told, by the first weight that is trained.

// RUN: mpc-compile %s --loss=mse -o %t.mpc 2>&1 | FileCheck %s
// RUN: mpc-compile %s --loss=mse --loss-scale=dynamic -o %t.mpc 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TOLD --allow-empty
// RUN: mpc-compile %s --loss=mse --freeze=w$ -o %t.mpc 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TOLD --allow-empty
// CHECK:      warning: the model's own weights are f16, as 'w', and without a loss scale gradients below 6e-8 become 0: give --loss-scale=dynamic, or export the model in f32 and give --precision=fp16
// CHECK-NOT:  warning
// TOLD-NOT:   own weights

nn.parameter frozen @still : tensor<4x4xf16> = #nn.init<uniform 0.5>
nn.parameter @w : tensor<3x4xf16> = #nn.init<uniform 0.5>
nn.parameter @b : tensor<3xf32> = #nn.init<zeros>
func.func @model(%x: tensor<2x4xf16> {nn.name = "x"}) -> (tensor<2x3xf16> {nn.name = "y"}) {
  %w = nn.get @w : tensor<3x4xf16>
  %b = nn.get @b : tensor<3xf32>
  %h = nn.cast %b : tensor<3xf32> -> tensor<3xf16>
  %l = nn.linear %x, %w : tensor<2x4xf16>, tensor<3x4xf16> -> tensor<2x3xf16>
  %r = nn.broadcast %h axes [1] : tensor<3xf16> -> tensor<2x3xf16>
  %y = nn.add %l, %r : tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}
