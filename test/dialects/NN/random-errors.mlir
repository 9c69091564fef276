// RUN: mpc-opt %s --verify-diagnostics --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies))'

func.func @part_of_a_key(%k: tensor<i64>) {
  // expected-error @below {{takes a key, a vector of counters and a batch, or none of them}}
  %0 = nn.random_bits stream 0 key(%k, %k : tensor<i64>, tensor<i64>) : tensor<4xi32>
  return
}

// -----

func.func @key_without_counters(%x: tensor<4xf32>, %k: tensor<i64>) {
  // expected-error @below {{takes a key, a vector of counters and a batch, or none of them}}
  %0 = nn.dropout %x ratio 0.5 stream 0 key(%k, %k, %k : tensor<i64>, tensor<i64>, tensor<i64>) : tensor<4xf32>
  return
}

// -----

func.func @stream_beyond_the_counters(%x: tensor<4xf32>, %k: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @below {{draws from stream 2 of 2}}
  %0 = nn.dropout %x ratio 0.5 stream 2 key(%k, %c, %k : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<4xf32>
  return
}

// -----

func.func @fifth_draw() {
  // expected-error @below {{has draw 4; a stream has draws 0 to 3}}
  %0 = nn.random_bits stream 0 draw 4 : tensor<4xi32>
  return
}

// -----

func.func @more_than_a_word_counts() {
  // expected-error @below {{draws 268435457 runs of numbers; 2^28 are the most}}
  %0 = nn.random_bits stream 0 : tensor<268435457x3xi32>
  return
}

// -----

func.func @stream_in_the_bits_of_draws(%x: tensor<4xf32>) {
  // expected-error @below {{draws from stream 1073741824; 2^30 is the first too many}}
  %0 = nn.dropout %x ratio 0.5 stream 1073741824 : tensor<4xf32>
  return
}

// -----

func.func @ratio_of_two(%x: tensor<4xf32>) {
  // expected-error @below {{ratio must be from 0 to 1, not 2.0}}
  %0 = nn.dropout %x ratio 2.0 stream 0 : tensor<4xf32>
  return
}

// -----

// Whoever runs it must say by what it draws.
func.func @without_a_key() -> tensor<4xi32> {
  // expected-error @below {{has no key to draw by: give it key, counters and batch}}
  %0 = nn.random_bits stream 0 : tensor<4xi32>
  return %0 : tensor<4xi32>
}
