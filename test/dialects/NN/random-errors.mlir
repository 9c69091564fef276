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

func.func @fifth_word() {
  // expected-error @below {{has no word 4 in a block of 4}}
  %0 = nn.random_bits stream 0 word 4 : tensor<4xi32>
  return
}

// -----

func.func @more_than_a_word_counts() {
  // expected-error @below {{draws 4294967297 numbers; 2^32 are the most}}
  %0 = nn.random_bits stream 0 : tensor<4294967297xi32>
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
