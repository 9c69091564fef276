// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-key-random)' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-key-random{dropout=false})' | FileCheck %s --check-prefix=OFF
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-key-random,nn-add-loss{loss=mse},nn-build-eval{gradients=true seed=11})' | FileCheck %s --check-prefix=EVAL

// The model is a function of what its numbers are drawn by. What has a key
// keeps it.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {nn.name = "x"}, %[[OWN:[^:]*]]: tensor<i64>, %[[OWNS:[^:]*]]: tensor<2xi64>, %[[K:[^:]*]]: tensor<i64> {nn.random = "key"}, %[[S:[^:]*]]: tensor<i64> {nn.random = "step"}, %[[B:[^:]*]]: tensor<i64> {nn.random = "batch"})
// CHECK:         %[[C:.*]] = nn.random_counters %[[S]] : tensor<3xi64>
// CHECK:         nn.dropout %[[X]] ratio 5.000000e-01 stream 0 key(%[[K]], %[[C]], %[[B]] :
// CHECK:         nn.dropout {{.*}} stream 1 key(%[[OWN]], %[[OWNS]], %[[OWN]] :
// CHECK:         nn.random_bits stream 2 key(%[[K]], %[[C]], %[[B]] :

// OFF-LABEL: func.func @model
// OFF:         nn.dropout %{{.*}} ratio 5.000000e-01 stream 0 : tensor<4xf32>
// OFF:         nn.random_bits stream 2 key(

// An evaluation draws what the first step would, by its own seed.
// EVAL-LABEL: func.func @eval
// EVAL-SAME:    (%[[X:[^:]*]]: tensor<4xf32> {nn.name = "x"}, %[[OWN:[^:]*]]: tensor<i64>, %[[OWNS:[^:]*]]: tensor<2xi64>, %[[T:[^:]*]]: tensor<4xf32> {nn.name = "target"})
// EVAL-DAG:     %[[K:.*]] = nn.constant dense<11> : tensor<i64>
// EVAL:         nn.vjp @loss(%[[X]], %[[OWN]], %[[OWNS]], %[[K]], %{{.*}}, %{{.*}}, %[[T]])
func.func @model(%x: tensor<4xf32> {nn.name = "x"}, %own: tensor<i64>, %owns: tensor<2xi64>) -> tensor<4xf32> {
  %0 = nn.dropout %x ratio 0.5 stream 0 : tensor<4xf32>
  %1 = nn.dropout %0 ratio 0.5 stream 1 key(%own, %owns, %own : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<4xf32>
  %bits = nn.random_bits stream 2 : tensor<4xi32>
  %u = nn.uniform %bits : tensor<4xi32> -> tensor<4xf32>
  %2 = nn.add %1, %u : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Without random numbers it stays as it is.
// CHECK-LABEL: func.func @model(%{{[^:]*}}: tensor<4xf32>) -> tensor<4xf32>
// OFF-LABEL:   func.func @model
// EVAL-LABEL:  func.func @eval
func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
