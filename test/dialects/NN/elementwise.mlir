// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// Unary ops take every floating type.
// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4x8xf32>, %h: tensor<4xf16>, %b: tensor<4xbf16>,
                 %d: tensor<f64>) {
  // CHECK: nn.neg %{{.*}} : tensor<4x8xf32>
  %neg = nn.neg %x : tensor<4x8xf32>
  // CHECK: nn.abs %{{.*}} : tensor<4xf16>
  %abs = nn.abs %h : tensor<4xf16>
  // CHECK: nn.sign %{{.*}} : tensor<4xbf16>
  %sign = nn.sign %b : tensor<4xbf16>
  // CHECK: nn.relu %{{.*}} : tensor<f64>
  %relu = nn.relu %d : tensor<f64>
  // CHECK: nn.tanh %{{.*}} : tensor<4x8xf32>
  %tanh = nn.tanh %x : tensor<4x8xf32>
  // CHECK: nn.sigmoid %{{.*}} : tensor<4xf16>
  %sigmoid = nn.sigmoid %h : tensor<4xf16>
  // CHECK: nn.erf %{{.*}} : tensor<4xbf16>
  %erf = nn.erf %b : tensor<4xbf16>
  // CHECK: nn.sqrt %{{.*}} : tensor<f64>
  %sqrt = nn.sqrt %d : tensor<f64>
  // CHECK: nn.sin %{{.*}} : tensor<4x8xf32>
  %sin = nn.sin %x : tensor<4x8xf32>
  // CHECK: nn.cos %{{.*}} : tensor<4xf16>
  %cos = nn.cos %h : tensor<4xf16>
  // CHECK: nn.exp %{{.*}} : tensor<4xbf16>
  %exp = nn.exp %b : tensor<4xbf16>
  // CHECK: nn.log %{{.*}} : tensor<f64>
  %log = nn.log %d : tensor<f64>
  // CHECK: nn.softplus %{{.*}} : tensor<4xf16>
  %softplus = nn.softplus %h : tensor<4xf16>
  // CHECK: nn.rsqrt %{{.*}} : tensor<4x8xf32>
  %rsqrt = nn.rsqrt %x : tensor<4x8xf32>
  // CHECK: nn.reciprocal %{{.*}} : tensor<4xf16>
  %reciprocal = nn.reciprocal %h : tensor<4xf16>
  // CHECK: nn.gelu %{{.*}} : tensor<4x8xf32>
  %gelu = nn.gelu %x : tensor<4x8xf32>
  // CHECK: nn.gelu %{{.*}} tanh : tensor<4xf16>
  %gelu_tanh = nn.gelu %h tanh : tensor<4xf16>
  return
}

// Binary ops take integers, too.
// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // CHECK: nn.add %{{.*}}, %{{.*}} : tensor<4x8xf32>
  %add = nn.add %x, %x : tensor<4x8xf32>
  // CHECK: nn.sub %{{.*}}, %{{.*}} : tensor<4xi32>
  %sub = nn.sub %i, %i : tensor<4xi32>
  // CHECK: nn.mul %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %mul = nn.mul %x, %x : tensor<4x8xf32>
  // CHECK: nn.div %{{.*}}, %{{.*}} : tensor<4xi32>
  %div = nn.div %i, %i : tensor<4xi32>
  // CHECK: nn.pow %{{.*}}, %{{.*}} : tensor<4x8xf32>
  %pow = nn.pow %x, %x : tensor<4x8xf32>
  // CHECK: nn.maximum %{{.*}}, %{{.*}} : tensor<4xi32>
  %maximum = nn.maximum %i, %i : tensor<4xi32>
  // CHECK: nn.minimum %{{.*}}, %{{.*}} : tensor<4x8xf32>
  %minimum = nn.minimum %x, %x : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @compare_and_select
func.func @compare_and_select(%x: tensor<4xf16>, %i: tensor<4xi64>,
                              %m: tensor<4xi1>) {
  // CHECK: nn.compare eq %{{.*}}, %{{.*}} : tensor<4xf16> -> tensor<4xi1>
  %eq = nn.compare eq %x, %x : tensor<4xf16> -> tensor<4xi1>
  // CHECK: nn.compare ne %{{.*}}, %{{.*}} : tensor<4xi64> -> tensor<4xi1>
  %ne = nn.compare ne %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: nn.compare lt %{{.*}}, %{{.*}} : tensor<4xf16> -> tensor<4xi1>
  %lt = nn.compare lt %x, %x : tensor<4xf16> -> tensor<4xi1>
  // CHECK: nn.compare le %{{.*}}, %{{.*}} : tensor<4xi64> -> tensor<4xi1>
  %le = nn.compare le %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: nn.compare gt %{{.*}}, %{{.*}} : tensor<4xi1> -> tensor<4xi1>
  %gt = nn.compare gt %m, %m : tensor<4xi1> -> tensor<4xi1>
  // CHECK: nn.compare ge %{{.*}}, %{{.*}} : tensor<4xf16> -> tensor<4xi1>
  %ge = nn.compare ge %x, %x : tensor<4xf16> -> tensor<4xi1>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf16>
  %select = nn.select %m, %x, %x : tensor<4xi1>, tensor<4xf16>
  return
}

// A number of f32 beside 16 bits, on either side.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%x: tensor<4xf16>, %b: tensor<4xbf16>, %c: tensor<4xf32>) {
  // CHECK: nn.mul %{{.*}}, %{{.*}} : tensor<4xf16>, tensor<4xf32> -> tensor<4xf16>
  %mul = nn.mul %x, %c : tensor<4xf16>, tensor<4xf32> -> tensor<4xf16>
  // CHECK: nn.pow %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xbf16> -> tensor<4xbf16>
  %pow = nn.pow %c, %b : tensor<4xf32>, tensor<4xbf16> -> tensor<4xbf16>
  // What is all of one type is written once.
  // CHECK: nn.div %{{.*}}, %{{.*}} : tensor<4xf16>{{$}}
  %div = nn.div %x, %x : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  return
}
