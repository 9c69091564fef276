// RUN: mpc-opt %s --verify-diagnostics --pass-pipeline='builtin.module(amp-mark-entries,amp-data-parallel)'

// Each rank would write the value of its own batches.
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter frozen @mean : tensor<4xf32> = #nn.init<zeros>
func.func @step(%x: tensor<4xf32> {nn.name = "x"}) {
  // expected-error @below {{'mean' is written by each batch, and ranks have batches of their own: train it on one rank, or freeze it (running statistics: --frozen-batch-norm)}}
  amp.assign %x to @mean : tensor<4xf32>
  return
}
