// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @three_axes(%q: tensor<4x5x8xf32>, %k: tensor<4x6x8xf32>) {
  // expected-error @+2 {{query, key and value must have four axes: batch, heads, sequence, features}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0)
      : tensor<4x5x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32> -> tensor<4x5x8xf32>, tensor<4x5xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @two_types(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf32>) {
  // expected-error @+2 {{operands must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @keys_without_values(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x7x8xf32>) {
  // expected-error @+2 {{key and value differ before their last axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %v scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x7x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @two_batches(%q: tensor<2x4x5x8xf32>, %k: tensor<3x4x6x8xf32>) {
  // expected-error @+2 {{query has a batch of 2, key one of 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<3x4x6x8xf32>, tensor<3x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @two_depths(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x7xf32>) {
  // expected-error @+2 {{query has 8 features, key has 7}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x7xf32>, tensor<2x4x6x7xf32> -> tensor<2x4x5x7xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @odd_groups(%q: tensor<2x4x5x8xf32>, %k: tensor<2x3x6x8xf32>) {
  // expected-error @+2 {{3 key heads do not divide 4 query heads}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @no_key(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x0x8xf32>) {
  // expected-error @+2 {{there must be a key}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x0x8xf32>, tensor<2x4x0x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @mask_of_other_size(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %m: tensor<2x1x5x5xi1>) {
  // expected-error @+2 {{mask must be [2, 4, 5, 6], or 1 on an axis that it repeats}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k mask %m : tensor<2x1x5x5xi1> scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @mask_of_two_axes(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %m: tensor<5x6xf32>) {
  // expected-error @+2 {{mask must be [2, 4, 5, 6], or 1 on an axis that it repeats}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k mask %m : tensor<5x6xf32> scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @endless_scale(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) {
  // expected-error @+2 {{scale must be finite}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(0x7FF0000000000000)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @window_on_both_sides(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) {
  // expected-error @+2 {{a window must be causal and hold one key or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0) window(2)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @empty_window(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) {
  // expected-error @+2 {{a window must be causal and hold one key or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0) causal window(0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @rounded_sums(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %l: tensor<2x4x5xf16>, %d: tensor<2x4x5x8xf16>) {
  // expected-error @+2 {{row_max, row_sum and delta must be 'tensor<2x4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %dq, %dk, %dv = nn.attention_gradient %q, %k, %k row_max %l row_sum %l delta %l d_output %d scale(1.0)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x5xf16>, tensor<2x4x5xf16>, tensor<2x4x5xf16>, tensor<2x4x5x8xf16>
      -> tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>
  return
}

// -----

func.func @gradient_of_other_output(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %l: tensor<2x4x5xf32>, %d: tensor<2x4x5x7xf16>) {
  // expected-error @+2 {{d_output must be 'tensor<2x4x5x8xf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %dq, %dk, %dv = nn.attention_gradient %q, %k, %k row_max %l row_sum %l delta %l d_output %d scale(1.0)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x7xf16>
      -> tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>
  return
}

// -----

func.func @key_without_dropout(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %n: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{has a key but no dropout that draws by it}}
  %o, %l, %s = nn.attention %q, %k, %k scale(1.0) key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @dropout_above_one(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) {
  // expected-error @+1 {{dropout must be from 0 to 1, not 1.5}}
  %o, %l, %s = nn.attention %q, %k, %k scale(1.0) dropout(1.5) stream 0
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @dropout_of_no_stream(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %n: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{draws from stream 2 of 2}}
  %o, %l, %s = nn.attention %q, %k, %k scale(1.0) dropout(0.5) stream 2 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @cap_of_zero(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) {
  // expected-error @+2 {{softcap must be positive and finite}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l, %s = nn.attention %q, %k, %k scale(1.0) softcap(0.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return
}
