// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// CHECK-LABEL: func.func @iota
func.func @iota() {
  // CHECK: nn.iota axis(1) : tensor<4x8xi32>
  %0 = nn.iota axis(1) : tensor<4x8xi32>
  return
}

// CHECK-LABEL: func.func @gather
func.func @gather(%table: tensor<63x5xf32>, %ids: tensor<2x3xi64>,
                  %x: tensor<2x7x5xf16>) {
  // CHECK: nn.gather %{{.*}}, %{{.*}} axis(0) : tensor<63x5xf32>, tensor<2x3xi64> -> tensor<2x3x5xf32>
  %0 = nn.gather %table, %ids axis(0) : tensor<63x5xf32>, tensor<2x3xi64> -> tensor<2x3x5xf32>
  // CHECK: nn.gather %{{.*}}, %{{.*}} axis(1) batch(1) : tensor<2x7x5xf16>, tensor<2x3xi64> -> tensor<2x3x5xf16>
  %1 = nn.gather %x, %ids axis(1) batch(1) : tensor<2x7x5xf16>, tensor<2x3xi64> -> tensor<2x3x5xf16>
  return
}

// CHECK-LABEL: func.func @scatter_reduce
func.func @scatter_reduce(%x: tensor<4x3xf16>, %u: tensor<2x3xf16>, %ids: tensor<2xi64>) {
  // CHECK: nn.scatter_reduce max %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf16>, tensor<2x3xf16>, tensor<2xi64>
  %0 = nn.scatter_reduce max %x, %u, %ids : tensor<4x3xf16>, tensor<2x3xf16>, tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @rank
func.func @rank(%x: tensor<4x3xf16>) {
  // CHECK: nn.rank %{{.*}} : tensor<4x3xf16> -> tensor<4x3xi64>
  %0 = nn.rank %x : tensor<4x3xf16> -> tensor<4x3xi64>
  // CHECK: nn.rank %{{.*}} descending : tensor<4x3xf16> -> tensor<4x3xi64>
  %1 = nn.rank %x descending : tensor<4x3xf16> -> tensor<4x3xi64>
  return
}

// CHECK-LABEL: func.func @scatter_add
func.func @scatter_add(%x: tensor<2x3x5xf32>, %ids: tensor<2x3xi64>) {
  // CHECK: nn.scatter_add %{{.*}}, %{{.*}} axis(0) : tensor<2x3x5xf32>, tensor<2x3xi64> -> tensor<63x5xf32>
  %0 = nn.scatter_add %x, %ids axis(0) : tensor<2x3x5xf32>, tensor<2x3xi64> -> tensor<63x5xf32>
  // CHECK: nn.scatter_add %{{.*}}, %{{.*}} axis(1) batch(1) : tensor<2x3x5xf32>, tensor<2x3xi64> -> tensor<2x7x5xf32>
  %1 = nn.scatter_add %x, %ids axis(1) batch(1) : tensor<2x3x5xf32>, tensor<2x3xi64> -> tensor<2x7x5xf32>
  return
}
