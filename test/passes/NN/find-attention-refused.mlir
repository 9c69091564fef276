// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true named=kept,reshape}))' --verify-diagnostics -o - | FileCheck %s --implicit-check-not=nn.attention
// CHECK: nn.softmax

func.func @weights_returned(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> (tensor<2x3x4x6xf32>, tensor<2x3x4x5xf32>) {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: weights have another reader}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2, %1 : tensor<2x3x4x6xf32>, tensor<2x3x4x5xf32>
}

func.func @scores_returned(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> (tensor<2x3x4x6xf32>, tensor<2x3x4x5xf32>) {
  %h = nn.constant dense<0.5> : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.mul %0, %h : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: scores have another reader}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2, %0 : tensor<2x3x4x6xf32>, tensor<2x3x4x5xf32>
}

func.func @dropped_twice(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %n: tensor<i64>, %c: tensor<2xi64>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: weights are dropped twice}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %d = nn.dropout %1 ratio 0.25 stream 1 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<2x3x4x5xf32>
  %e = nn.dropout %d ratio 0.5 stream 0 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %e, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

// Random rows would be of other axes.
func.func @dropped_elsewhere(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<6x5x6xf32>, %n: tensor<i64>, %c: tensor<2xi64>) -> tensor<6x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: weights are dropped under another shape}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %r = nn.reshape %1 : tensor<2x3x4x5xf32> -> tensor<6x4x5xf32>
  %d = nn.dropout %r ratio 0.25 stream 1 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<6x4x5xf32>
  %2 = nn.matmul %d, %v : tensor<6x4x5xf32>, tensor<6x5x6xf32> -> tensor<6x4x6xf32>
  return %2 : tensor<6x4x6xf32>
}

func.func @mask_before_cap(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %a = nn.add %0, %m : tensor<2x3x4x5xf32>
  %t = nn.tanh %a : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: a mask is in front of the cap}}
  %1 = nn.softmax %t axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @choice_before_cap(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xi1>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<-1.0e4> : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.select %m, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %t = nn.tanh %s : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: a mask is in front of the cap}}
  %1 = nn.softmax %t axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @capped_twice(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.tanh %0 : tensor<2x3x4x5xf32>
  %t = nn.tanh %s : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: scores go through nn.tanh}}
  %1 = nn.softmax %t axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

// A router, not attention.
func.func @given(%s: tensor<2x3x4x5xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  // expected-remark @below {{attention stays written out: scores are given}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

// A factor that is learnt (Swin v2).
func.func @learnt_scale(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %h: tensor<3xf32>) -> tensor<2x3x4x6xf32> {
  %b = nn.broadcast %h axes [1] : tensor<3xf32> -> tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.mul %0, %b : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: scores go through nn.mul}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @mask_before_scale(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xf32>) -> tensor<2x3x4x6xf32> {
  %h = nn.constant dense<0.5> : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %a = nn.add %0, %m : tensor<2x3x4x5xf32>
  %s = nn.mul %a, %h : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: a mask is added before the scale}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

// Scores of content and of position (DeBERTa).
func.func @two_products(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %a = nn.add %0, %1 : tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: scores are a sum of products}}
  %2 = nn.softmax %a axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// Scores of a row that the mask leaves no key are all one number, which adding
// it to them does not give.
func.func @not_low_enough(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xi1>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<-1.0e4> : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.select %m, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: hidden scores become -1.000000e+04, and a row may have no others}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @not_low(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xi1>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<0.0> : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.select %m, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: masked scores are not low}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @two_tensors(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xi1>, %f: tensor<2x3x4x5xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.select %m, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: it selects between scores and numbers that differ}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @window_without_triangle(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<0xFF800000> : tensor<2x3x4x5xf32>
  %two = nn.constant dense<2> : tensor<2x3x4x5xi64>
  %i = nn.iota axis(2) : tensor<2x3x4x5xi64>
  %j = nn.iota axis(3) : tensor<2x3x4x5xi64>
  %d = nn.sub %i, %j : tensor<2x3x4x5xi64>
  %m = nn.compare lt %d, %two : tensor<2x3x4x5xi64> -> tensor<2x3x4x5xi1>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.select %m, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: a window has keys behind the query}}
  %1 = nn.softmax %s axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @chosen_weights(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x3x4x5xi1>) -> tensor<2x3x4x6xf32> {
  %z = nn.constant dense<0.0> : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: weights go through nn.select}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %w = nn.select %m, %z, %1 : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %2 = nn.matmul %w, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @biases(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %b: tensor<5xf32>, %c: tensor<6xf32>) -> (tensor<2x3x4x6xf32>, tensor<2x3x4x6xf32>) {
  %0 = nn.matmul %q, %k transpose_rhs bias %b : tensor<5xf32> : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: the product of scores has a bias}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  %3 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: the product of values has a bias}}
  %4 = nn.softmax %3 axis(3) : tensor<2x3x4x5xf32>
  %5 = nn.matmul %4, %v bias %c : tensor<6xf32> : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2, %5 : tensor<2x3x4x6xf32>, tensor<2x3x4x6xf32>
}

func.func @two_types(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf16>) -> tensor<2x3x4x6xf16> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  // expected-remark @below {{attention stays written out: queries and values have two types}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %w = nn.cast %1 : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf16>
  %2 = nn.matmul %w, %v : tensor<2x3x4x5xf16>, tensor<2x3x5x6xf16> -> tensor<2x3x4x6xf16>
  return %2 : tensor<2x3x4x6xf16>
}

func.func @regions(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %3 = nn.autocast enabled dtype(f16) -> tensor<2x3x4x6xf32> {
    // expected-remark @below {{attention stays written out: it is in two regions}}
    %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
    %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
    nn.yield %2 : tensor<2x3x4x6xf32>
  }
  return %3 : tensor<2x3x4x6xf32>
}

func.func @named(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32> loc("kept")
  // expected-remark @below {{attention stays written out: a flag gives one of its ops a type}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %2 : tensor<2x3x4x6xf32>
}

func.func @named_op(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<6x5x6xf32>) -> tensor<6x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.reshape %0 : tensor<2x3x4x5xf32> -> tensor<6x4x5xf32>
  // expected-remark @below {{attention stays written out: a flag gives one of its ops a type}}
  %2 = nn.softmax %1 axis(2) : tensor<6x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<6x4x5xf32>, tensor<6x5x6xf32> -> tensor<6x4x6xf32>
  return %3 : tensor<6x4x6xf32>
}

// A softmax of other axes, or not before a product, is none.
func.func @others(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> (tensor<2x3x4x6xf32>, tensor<2x3x4x5xf32>) {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.softmax %0 axis(2) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  %3 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  return %2, %3 : tensor<2x3x4x6xf32>, tensor<2x3x4x5xf32>
}
