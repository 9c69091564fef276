// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-build-step)'

// A direction that each batch turns further.
amp.recipe optimizer<sgd> accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<2xf32> = #nn.init<ones>
// expected-error @below {{'u' follows in each batch from what the one before left, and ranks have batches of their own: train it on one rank}}
nn.parameter frozen @u : tensor<2xf32> = #nn.init<ones>
func.func private @loss(%x: tensor<2xf32> {nn.name = "x"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<2xf32> {nn.buffer = @u}) {
  %w = nn.get @w : tensor<2xf32>
  %u = nn.get @u : tensor<2xf32>
  %0 = nn.mul %w, %x : tensor<2xf32>
  %l = nn.reduce_sum %0 axes [0] : tensor<2xf32> -> tensor<f32>
  %n = nn.mul %u, %x : tensor<2xf32>
  return %l, %n : tensor<f32>, tensor<2xf32>
}

// -----

// A count that the loss reads.
amp.recipe optimizer<sgd> accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<f32> = #nn.init<ones>
// expected-error @below {{'count' follows in each batch from what the one before left}}
nn.parameter frozen @count : tensor<i64> = #nn.init<zeros>
func.func private @loss(%x: tensor<f32> {nn.name = "x"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<i64> {nn.buffer = @count}) {
  %w = nn.get @w : tensor<f32>
  %c = nn.get @count : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  %n = nn.add %c, %one : tensor<i64>
  %f = nn.cast %c : tensor<i64> -> tensor<f32>
  %l = nn.mul %w, %f : tensor<f32>
  return %l, %n : tensor<f32>, tensor<i64>
}
