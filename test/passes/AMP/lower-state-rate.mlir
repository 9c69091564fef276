// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state)' | FileCheck %s

// Which rate a step takes is told by how many were skipped in a row.
amp.scaler @scaler policy("dynamic") settings {}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    (%[[APPLIED:[^ ]*]]: tensor<f32> {nn.name = "lr"}, %[[SKIPPED:[^ ]*]]: tensor<f32> {nn.name = "lr_after_skip"}, %[[STATE:[^ ]*]]: tensor<16xf64> {kernel.state = @state.loss_scale}
func.func @step(%lr: tensor<f32> {nn.name = "lr"}, %after: tensor<f32> {nn.name = "lr_after_skip"}) -> (tensor<f32> {nn.name = "rate"}) {
  // CHECK:     %[[ROW:.*]] = kernel.view %[[STATE]][4] : tensor<16xf64> -> tensor<f64>
  // CHECK:     %[[NONE:.*]] = nn.constant dense<0.000000e+00> : tensor<f64>
  // CHECK:     %[[WAS:.*]] = nn.compare {{.*}}%[[ROW]], %[[NONE]]
  // CHECK:     %[[RATE:.*]] = nn.select %[[WAS]], %[[APPLIED]], %[[SKIPPED]]
  // CHECK:     return %[[RATE]]
  %rate = amp.get_rate @scaler, %lr, %after : tensor<f32>
  return %rate : tensor<f32>
}
