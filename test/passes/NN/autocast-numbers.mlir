// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 explain=true})' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=bf16})' | FileCheck %s --check-prefix=BF16
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=torch-cpu})' | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=keras})' | FileCheck %s --check-prefix=KERAS
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=bf16 policy=o3 lower=^forced$ explain=true})' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=O3

// A number takes the type of what it is combined with.
// CHECK-LABEL: func.func @takes_the_type
// TORCH-LABEL: func.func @takes_the_type
func.func @takes_the_type(%a: tensor<4x4xf32>, %m: tensor<4x4xi1>) -> tensor<4x4xf32> {
  // CHECK: nn.mul {{.*}} : tensor<4x4xf16>
  // CHECK: nn.maximum {{.*}} : tensor<4x4xf16>
  // CHECK: nn.select {{.*}}, tensor<4x4xf16>
  // CHECK: nn.sub {{.*}} : tensor<4x4xf16>
  // TORCH: nn.mul {{.*}} : tensor<4x4xf16>
  %half = nn.constant dense<0.5> : tensor<4x4xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %zeros = nn.broadcast %zero axes [] : tensor<f32> -> tensor<4x4xf32>
  %inf = nn.constant dense<0xFF800000> : tensor<4x4xf32>
  %one = nn.constant dense<1.0> : tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.mul %0, %half : tensor<4x4xf32>
  %2 = nn.maximum %1, %zeros : tensor<4x4xf32>
  %3 = nn.select %m, %2, %inf : tensor<4x4xi1>, tensor<4x4xf32>
  %4 = nn.sub %one, %3 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// Where that type has fewer digits the op carries the number in f32, and its
// result is rounded once. By our own policy the op stays in f32 where the number
// would be 0, subnormal or infinite; by PyTorch's it does not.
// CHECK-LABEL: func.func @not_held
// BF16-LABEL:  func.func @not_held
// TORCH-LABEL: func.func @not_held
func.func @not_held(%a: tensor<4x4xf32>, %m: tensor<4x4xi1>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: nn.add {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from the constant 1e-08, which is 0 in f16"
  // CHECK: nn.add {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from the constant 9.537e-07, which is subnormal in f16"
  // CHECK: nn.select {{.*}}, tensor<4x4xf32> {{.*}}f32 comes from the constant -1.049e+06, which is infinite in f16"
  // CHECK: nn.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16> {{.*}}f16 comes from matmul; the constant 0.1768 stays f32 within"
  // BF16:  nn.add {{.*}} : tensor<4x4xbf16>, tensor<4x4xf32> -> tensor<4x4xbf16>
  // BF16:  nn.add {{.*}} : tensor<4x4xbf16>{{$}}
  // BF16:  nn.select {{.*}}, tensor<4x4xbf16>
  // BF16:  nn.mul {{.*}} : tensor<4x4xbf16>, tensor<4x4xf32> -> tensor<4x4xbf16>
  // TORCH: nn.add {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  // TORCH: nn.add {{.*}} : tensor<4x4xf16>{{$}}
  // TORCH: %[[LOW:.*]] = nn.cast %{{.*}} : tensor<4x4xf32> -> tensor<4x4xf16>
  // TORCH: nn.select %{{.*}}, %{{.*}}, %[[LOW]] : tensor<4x4xi1>, tensor<4x4xf16>
  // TORCH: nn.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  %eps = nn.constant dense<1.0e-8> : tensor<4x4xf32>
  %subnormal = nn.constant dense<0x35800000> : tensor<4x4xf32>
  %large = nn.constant dense<-1048576.0> : tensor<4x4xf32>
  %root = nn.constant dense<0.176776692> : tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.add %0, %eps : tensor<4x4xf32>
  %2 = nn.add %0, %subnormal : tensor<4x4xf32>
  %3 = nn.select %m, %0, %large : tensor<4x4xi1>, tensor<4x4xf32>
  %4 = nn.mul %0, %root : tensor<4x4xf32>
  // CHECK: nn.tanh {{.*}} : tensor<4x4xf16>
  // TORCH: nn.tanh {{.*}} : tensor<4x4xf16>
  %5 = nn.tanh %4 : tensor<4x4xf32>
  return %1, %2, %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// What 1 - 1e-4 keeps from a pole is on it where it is rounded to 1: by our own
// policy such a bound keeps its op in f32. 0.99 is 0.9883 in bf16, and no matter;
// what is multiplied is no bound.
// CHECK-LABEL: func.func @bounds
// BF16-LABEL:  func.func @bounds
// TORCH-LABEL: func.func @bounds
func.func @bounds(%a: tensor<4x4xf32>, %m: tensor<4x4xi1>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: nn.maximum {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from the constant -0.9999, which is -1 in f16"
  // CHECK: nn.minimum {{.*}} : tensor<4x4xf32>
  // CHECK: nn.minimum {{.*}} : tensor<4x4xf16>
  // CHECK: nn.maximum {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from the constant 1.0000001, which is 1 in f16"
  // CHECK: nn.maximum {{.*}} : tensor<4x4xf16>
  // CHECK: nn.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  // BF16:  nn.maximum {{.*}} : tensor<4x4xf32>
  // BF16:  nn.minimum {{.*}} : tensor<4x4xf32>
  // BF16:  nn.minimum {{.*}} : tensor<4x4xbf16>
  // TORCH: nn.maximum {{.*}} : tensor<4x4xf16>
  // TORCH: nn.minimum {{.*}} : tensor<4x4xf16>
  %above = nn.constant dense<-0.9999> : tensor<4x4xf32>
  %below = nn.constant dense<0.9999> : tensor<4x4xf32>
  %far = nn.constant dense<0.99> : tensor<4x4xf32>
  %next = nn.constant dense<1.0000001> : tensor<4x4xf32>
  %one = nn.constant dense<1.0> : tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.maximum %0, %above : tensor<4x4xf32>
  %2 = nn.minimum %1, %below : tensor<4x4xf32>
  %3 = nn.minimum %0, %far : tensor<4x4xf32>
  %4 = nn.maximum %0, %next : tensor<4x4xf32>
  %5 = nn.maximum %0, %one : tensor<4x4xf32>
  %6 = nn.mul %0, %below : tensor<4x4xf32>
  return %2, %3, %4, %5, %6 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A table is no number, nor is a parameter; what is behind them says where its
// type is from at first.
// CHECK-LABEL: func.func @widens
nn.parameter @w : tensor<4x4xf32> = <zeros>
func.func @widens(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: nn.add {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from a constant of the model"
  // CHECK: nn.add {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from parameter 'w'"
  // CHECK: nn.tanh {{.*}} : tensor<4x4xf32> {{.*}}f32 comes from 'sum' (add), which has it from parameter 'w'"
  %table = nn.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %w = nn.get @w : tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.add %0, %table : tensor<4x4xf32>
  %2 = nn.add %0, %w : tensor<4x4xf32> loc("sum")
  %3 = nn.tanh %2 : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Numbers alone, and beside f32, stay in f32. What the model casts itself has
// the type that it casts it to.
// CHECK-LABEL: func.func @as_written
func.func @as_written(%a: tensor<4x4xf32>, %h: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>) {
  // CHECK: nn.add {{.*}} : tensor<4x4xf32>
  // CHECK: nn.add {{.*}} : tensor<4x4xf32>
  // CHECK: nn.add {{.*}} : tensor<4x4xf16>
  %half = nn.constant dense<0.5> : tensor<4x4xf32>
  %eps = nn.constant dense<1.0e-8> : tensor<4x4xf32>
  %low = nn.cast %eps : tensor<4x4xf32> -> tensor<4x4xf16>
  %0 = nn.add %half, %eps : tensor<4x4xf32>
  %1 = nn.add %a, %half : tensor<4x4xf32>
  %2 = nn.add %h, %low : tensor<4x4xf16>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>
}

// A number that is computed is not known to be exact: it is carried.
nn.parameter @t : tensor<f32> = <zeros>
// CHECK-LABEL: func.func @learned
// TORCH-LABEL: func.func @learned
func.func @learned(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  // CHECK: nn.tanh {{.*}} : tensor<4x4xf16>
  // TORCH: nn.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  // TORCH: nn.tanh {{.*}} : tensor<4x4xf16>
  %t = nn.get @t : tensor<f32>
  %every = nn.broadcast %t axes [] : tensor<f32> -> tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.mul %0, %every : tensor<4x4xf32>
  %2 = nn.tanh %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// A tensor of no dimensions decides a type before a number does, and after one
// that has dimensions: of both categories beside f16 the widest decides nothing.
// CHECK-LABEL: func.func @priorities
func.func @priorities(%a: tensor<4x4xf32>, %s: tensor<f16>, %h: tensor<4x4xf16>)
    -> (tensor<f16>, tensor<f32>, tensor<4x4xf16>, tensor<4x4xf16>) {
  // CHECK: nn.mul {{.*}} : tensor<f16>, tensor<f32> -> tensor<f16>
  // CHECK: nn.mul {{.*}} : tensor<f32> loc
  // CHECK: nn.sub {{.*}} : tensor<4x4xf32>, tensor<4x4xf16> -> tensor<4x4xf16>
  // CHECK: nn.maximum {{.*}} : tensor<4x4xf16>
  %root = nn.constant dense<0.176776692> : tensor<f32>
  %t = nn.get @t : tensor<f32>
  %0 = nn.autocast enabled -> tensor<f32> {
    %low = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %top = nn.reduce_max %low axes [0, 1] : tensor<4x4xf32> -> tensor<f32>
    %scaled = nn.mul %top, %root : tensor<f32>
    %learned = nn.mul %scaled, %t : tensor<f32>
    nn.yield %learned : tensor<f32>
  }
  %every = nn.broadcast %t axes [] : tensor<f32> -> tensor<4x4xf32>
  %x = nn.cast %h : tensor<4x4xf16> -> tensor<4x4xf32>
  %1 = nn.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = nn.sub %every, %1 : tensor<4x4xf32>
  %3 = nn.maximum %2, %every : tensor<4x4xf32>
  %4 = nn.cast %2 : tensor<4x4xf32> -> tensor<4x4xf16>
  %5 = nn.cast %3 : tensor<4x4xf32> -> tensor<4x4xf16>
  return %s, %0, %4, %5 : tensor<f16>, tensor<f32>, tensor<4x4xf16>, tensor<4x4xf16>
}

// What is written with a number of f32 keeps it, whatever its other operand runs
// in; in f32 it is nothing special.
// CHECK-LABEL: func.func @written
func.func @written(%h: tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<4x4xf16>) {
  // CHECK: nn.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  // CHECK: nn.div {{.*}} : tensor<4x4xf32> loc
  %root = nn.constant dense<0.176776692> : tensor<4x4xf32>
  %0 = nn.mul %h, %root : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  %1 = nn.exp %h : tensor<4x4xf16>
  %2 = nn.div %1, %root : tensor<4x4xf16>, tensor<4x4xf32> -> tensor<4x4xf16>
  return %0, %2 : tensor<4x4xf16>, tensor<4x4xf16>
}

// TensorFlow gives a number the type of the others.
// KERAS-LABEL: func.func @keras
func.func @keras(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // KERAS: nn.mul {{.*}} : tensor<4x4xf16>{{$}}
  %root = nn.constant dense<0.176776692> : tensor<4x4xf32>
  %0 = nn.mul %a, %root : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A policy that lowers every op lowers none into infinity, where nobody asked
// for that op: 0 * -3.4e38 is 0. bf16 has another largest number than f32.
// O3-LABEL: func.func @infinite
func.func @infinite(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // O3: nn.mul {{.*}} : tensor<4x4xf32> {{.*}}rule = "keep-f32"{{.*}}the constant -3.403e+38 is infinite in bf16 (O3 lowers every op)
  // O3: nn.add {{.*}} : tensor<4x4xf32> {{.*}}a constant of the model is infinite in bf16
  // O3: nn.mul {{.*}} : tensor<4x4xbf16>
  // O3: nn.mul {{.*}} : tensor<4x4xbf16>
  // O3: nn.mul {{.*}} : tensor<4x4xbf16>
  %lowest = nn.constant dense<0xFF7FFFFF> : tensor<4x4xf32>
  %row = nn.constant dense<[0.0, 1.0, 0xFF7FFFFF, 0xFF800000]> : tensor<4xf32>
  %table = nn.broadcast %row axes [1] : tensor<4xf32> -> tensor<4x4xf32>
  %inf = nn.constant dense<0xFF800000> : tensor<4x4xf32>
  %large = nn.constant dense<-3.0e38> : tensor<4x4xf32>
  %0 = nn.mul %a, %lowest : tensor<4x4xf32>
  %1 = nn.add %a, %table : tensor<4x4xf32>
  %2 = nn.mul %a, %lowest : tensor<4x4xf32> loc("forced")
  %3 = nn.mul %a, %inf : tensor<4x4xf32>
  %4 = nn.mul %a, %large : tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Features: B3.
