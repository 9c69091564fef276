// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-differentiate,func.func(canonicalize,cse))' | FileCheck %s
// No gradient flows out of running statistics, nor into them.

func.func private @f(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0:5 = nn.batch_norm_training %x, %s, %s, %m, %m axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#3 : tensor<4x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %{{.*}}, %{{.*}}, %{{.*}}, %[[DY:[^:]*]]: tensor<4x3xf32>, %[[DM:[^:]*]]: tensor<3xf32>)
// CHECK-NOT:     %[[DM]]
// CHECK:         %[[ZERO:.*]] = nn.constant dense<0.0{{.*}}> : tensor<3xf32>
// CHECK-NOT:     %[[DM]]
// CHECK:         return %{{.*}}, %[[ZERO]]
func.func @step(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>,
                %dy: tensor<4x3xf32>, %dm: tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>) {
  %y, %n, %dx, %ds = nn.vjp @f(%x, %s, %m) seed(%dy, %dm) wrt [] args [0, 2]
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>), (tensor<4x3xf32>, tensor<3xf32>)
      -> tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32>
  return %dx, %ds : tensor<4x3xf32>, tensor<3xf32>
}
