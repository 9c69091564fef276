// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// CHECK-LABEL: func.func @random_bits
func.func @random_bits(%k: tensor<i64>) {
  // CHECK: nn.random_counters %{{.*}} : tensor<4xi64>
  %c = nn.random_counters %k : tensor<4xi64>
  // CHECK: nn.random_bits stream 3 key(%{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>, tensor<4xi64>, tensor<i64>) : tensor<4x8xi32>
  %0 = nn.random_bits stream 3 key(%k, %c, %k : tensor<i64>, tensor<4xi64>, tensor<i64>) : tensor<4x8xi32>
  // CHECK: nn.random_bits stream 1 draw 2 : tensor<i32>
  %1 = nn.random_bits stream 1 draw 2 : tensor<i32>
  return
}

// CHECK-LABEL: func.func @uniform
func.func @uniform(%x: tensor<4xi32>) {
  // CHECK: nn.uniform %{{.*}} : tensor<4xi32> -> tensor<4xf32>
  %0 = nn.uniform %x : tensor<4xi32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<4xbf16>, %k: tensor<i64>, %c: tensor<8xi64>) {
  // CHECK: nn.dropout %{{.*}} ratio 1.000000e-01 stream 7 : tensor<4xbf16>
  %0 = nn.dropout %x ratio 0.1 stream 7 : tensor<4xbf16>
  // CHECK: nn.dropout %{{.*}} ratio 1.000000e-01 stream 7 key(%{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>, tensor<8xi64>, tensor<i64>) : tensor<4xbf16>
  %1 = nn.dropout %x ratio 0.1 stream 7 key(%k, %c, %k : tensor<i64>, tensor<8xi64>, tensor<i64>) : tensor<4xbf16>
  return
}
