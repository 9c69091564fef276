// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-mark-entries,amp-data-parallel)'

// Each rank would write the value of its own batches.
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter frozen @mean : tensor<4xf32> = #nn.init<zeros>
func.func @step(%x: tensor<4xf32> {nn.name = "x"}) {
  %0 = nn.get @mean : tensor<4xf32>
  %1 = nn.add %0, %x : tensor<4xf32>
  // expected-error @below {{'mean' follows from a batch, and ranks have batches of their own: train it on one rank}}
  amp.assign %1 to @mean : tensor<4xf32>
  return
}

// -----

// Whether it is written, too.
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter frozen @mean : tensor<4xf32> = #nn.init<zeros>
func.func @step(%x: tensor<i1> {nn.name = "x"}) {
  %0 = nn.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{'mean' follows from a batch}}
  amp.assign %0 to @mean skip(%x) : tensor<4xf32>
  return
}

// -----

// What only one rank has kept.
amp.recipe accumulate(4) pairwise ranks(2)
nn.parameter frozen @mean : tensor<2x4xf32> = #nn.init<zeros>
nn.parameter frozen @batches : tensor<2x4xf32> = #nn.init<zeros> {amp.batches_of = @mean}
func.func @step(%x: tensor<2x4xf32> {nn.name = "x"}) {
  amp.assign %x to @batches : tensor<2x4xf32>
  %0 = nn.get @batches : tensor<2x4xf32>
  // expected-error @below {{'mean' follows from a batch}}
  amp.assign %0 to @mean : tensor<2x4xf32>
  return
}

// -----

// The state, the rate and what was gathered are the same on all ranks.
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter frozen @mean : tensor<2x4xf32> = #nn.init<zeros>
func.func @step(%x: tensor<1x4xf32> {nn.name = "x"}, %lr: tensor<f32> {nn.name = "lr"}) {
  %0 = nn.get @mean : tensor<2x4xf32>
  %1 = amp.all_gather %x ranks(2) : tensor<1x4xf32> -> tensor<2x4xf32>
  %2 = nn.broadcast %lr axes [] : tensor<f32> -> tensor<2x4xf32>
  %3 = nn.mul %1, %2 : tensor<2x4xf32>
  %4 = nn.add %0, %3 : tensor<2x4xf32>
  amp.assign %4 to @mean : tensor<2x4xf32>
  return
}

// -----

// Random numbers of a rank's own batch.
amp.recipe accumulate(2) pairwise ranks(2)
amp.optimizer @optimizer kind("sgd") hyper {random_seed = 1.0} trains []
nn.parameter frozen @count : tensor<i64> = #nn.init<zeros>
func.func @step() {
  %seed, %number, %batch = amp.random_state @optimizer
  // expected-error @below {{'count' follows from a batch}}
  amp.assign %batch to @count : tensor<i64>
  return
}
