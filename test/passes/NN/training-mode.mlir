// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-training-mode)' --verify-diagnostics | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-training-mode,nn-add-loss{loss=mse})' 2>/dev/null | FileCheck %s --check-prefix=LOSS
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-training-mode{training=false})' 2>/dev/null | FileCheck %s --check-prefix=MODE

// The batch's statistics take the place of the running ones, which become
// results behind the model's own; who trains nothing keeps them as state.
// CHECK:       nn.parameter frozen @m :
// CHECK:       nn.parameter frozen @v :
// CHECK-LABEL: func.func @model
// CHECK-SAME:    -> (tensor<4x3xf16> {nn.name = "y"}, tensor<3xf32> {nn.buffer = @m, nn.name = "stat.m"}, tensor<3xf32> {nn.buffer = @v, nn.name = "stat.v"}) attributes {nn.mode = "training"}
// CHECK:         %[[M:.*]] = nn.get @m
// CHECK:         %[[V:.*]] = nn.get @v
// CHECK:         %[[A:.*]], %{{.*}}, %{{.*}}, %[[M1:.*]], %[[V1:.*]] = nn.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}}, %[[M]], %[[V]] axis(1) epsilon(1.000000e-03) momentum(2.500000e-01) sample_variance {test.mark}
// Who shares statistics continues from where the one before has left them.
// CHECK:         %[[B:.*]], %{{.*}}, %{{.*}}, %[[M2:.*]], %[[V2:.*]] = nn.batch_norm_training %[[A]], %{{.*}}, %{{.*}}, %[[M1]], %[[V1]]
// CHECK:         return %[[B]], %[[M2]], %[[V2]]

// Without training it is only said how the model computes.
// MODE-LABEL:  func.func @model
// MODE-SAME:     attributes {nn.mode = "inference"}
// MODE-COUNT-2:  nn.batch_norm %
// MODE-NOT:      nn.batch_norm_training

// The loss keeps them, and nothing else of the model's results.
// LOSS-LABEL:  func.func private @loss
// LOSS-SAME:     -> (tensor<f32> {nn.name = "loss"}, tensor<3xf32> {nn.buffer = @m, nn.name = "stat.m"}, tensor<3xf32> {nn.buffer = @v, nn.name = "stat.v"})
nn.parameter @m : tensor<3xf32> = #nn.init<zeros>
nn.parameter @v : tensor<3xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x3xf16>, %s: tensor<3xf32>) -> (tensor<4x3xf16> {nn.name = "y"}) {
  %m = nn.get @m : tensor<3xf32>
  %v = nn.get @v : tensor<3xf32>
  %0 = nn.batch_norm %x, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25) {test.mark}
      : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf16>
  %1 = nn.batch_norm %0, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf16>
  return %1 : tensor<4x3xf16>
}

// -----

// Who is frozen stays, beside one that is not.
// CHECK-LABEL: func.func @model
// CHECK:         %[[A:.*]] = nn.batch_norm %{{.*}} {nn.frozen}
// CHECK:         nn.batch_norm_training %[[A]]
// LOSS-LABEL:  func.func private @loss
nn.parameter @m : tensor<3xf32> = #nn.init<zeros>
nn.parameter @v : tensor<3xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> (tensor<4x3xf32> {nn.name = "y"}) {
  %m = nn.get @m : tensor<3xf32>
  %v = nn.get @v : tensor<3xf32>
  %0 = nn.batch_norm %x, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25) {nn.frozen}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = nn.batch_norm %0, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// What is exported for training keeps its outputs, and PyTorch's variance. They
// are no candidates for logits.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    -> (tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32> {nn.buffer = @m, nn.name = "stat.m"}, tensor<3xf32> {nn.buffer = @v, nn.name = "stat.v"})
// CHECK:         %[[Y:.*]], %{{.*}}, %{{.*}}, %[[M:.*]], %[[V:.*]] = nn.batch_norm_training {{.*}} sample_variance
// CHECK:         return %[[M]], %[[Y]], %[[M]], %[[V]]
// MODE-LABEL:  func.func @model
// MODE-SAME:     attributes {nn.mode = "inference"}
// MODE-LABEL:  func.func @model
// MODE-SAME:     attributes {nn.mode = "training"}
// MODE:          nn.batch_norm_training
// LOSS-LABEL:  func.func private @loss
// LOSS-SAME:     -> (tensor<f32> {nn.name = "loss"}, tensor<3xf32> {nn.buffer = @m
nn.parameter frozen @m : tensor<3xf32> = #nn.init<zeros>
nn.parameter frozen @v : tensor<3xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>) {
  %m = nn.get @m : tensor<3xf32>
  %v = nn.get @v : tensor<3xf32>
  %0:5 = nn.batch_norm_training %x, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#3, %0#0 : tensor<3xf32>, tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @model
// CHECK-SAME:    -> tensor<4x3xf32> attributes {nn.mode = "training"} {
// LOSS-LABEL:  func.func private @loss
// LOSS-SAME:     -> (tensor<f32> {nn.name = "loss"}) attributes {nn.mode = "training"} {
nn.parameter frozen @m : tensor<3xf32> = #nn.init<zeros>
func.func @model(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> tensor<4x3xf32> {
  // expected-warning @below {{its running statistics are not initializers: training does not keep them}}
  %0 = nn.batch_norm %x, %s, %s, %s, %s axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Beside one that updates its statistics, one that does not was frozen.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    -> (tensor<4x3xf32>, tensor<3xf32> {nn.buffer = @m, nn.name = "stat.m"}, tensor<3xf32> {nn.buffer = @v, nn.name = "stat.v"})
// CHECK:         nn.batch_norm_training
// CHECK:         nn.batch_norm %
// LOSS-LABEL:  func.func private @loss
nn.parameter frozen @m : tensor<3xf32> = #nn.init<zeros>
nn.parameter frozen @v : tensor<3xf32> = #nn.init<ones>
nn.parameter frozen @m2 : tensor<3xf32> = #nn.init<zeros>
nn.parameter frozen @v2 : tensor<3xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> tensor<4x3xf32> {
  %m = nn.get @m : tensor<3xf32>
  %v = nn.get @v : tensor<3xf32>
  %0:5 = nn.batch_norm_training %x, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %m2 = nn.get @m2 : tensor<3xf32>
  %v2 = nn.get @v2 : tensor<3xf32>
  %1 = nn.batch_norm %0#0, %s, %s, %m2, %v2 axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// A normalization in a region gives its statistics through the region; who
// shares them behind it reads what the region gives.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    nn.buffer = @m, {{.*}}nn.buffer = @v
// CHECK:         %[[R:.*]]:3 = nn.autocast enabled dtype(bf16) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) {
// CHECK:           %[[A:.*]], %{{.*}}, %{{.*}}, %[[M1:.*]], %[[V1:.*]] = nn.batch_norm_training
// CHECK:           nn.yield %[[A]], %[[M1]], %[[V1]]
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}, %[[M2:.*]], %[[V2:.*]] = nn.batch_norm_training %[[R]]#0, %{{.*}}, %{{.*}}, %[[R]]#1, %[[R]]#2
// CHECK:         return %{{.*}}, %[[M2]], %[[V2]]
nn.parameter @m : tensor<3xf32> = #nn.init<zeros>
nn.parameter @v : tensor<3xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> (tensor<4x3xf32> {nn.name = "y"}) {
  %m = nn.get @m : tensor<3xf32>
  %v = nn.get @v : tensor<3xf32>
  %r = nn.autocast enabled dtype(bf16) -> tensor<4x3xf32> {
    %0 = nn.batch_norm %x, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25)
        : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    nn.yield %0 : tensor<4x3xf32>
  }
  %1 = nn.batch_norm %r, %s, %s, %m, %v axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// Buffers that the model itself writes: a training keeps them, no loss is
// computed from them, and an evaluation leaves them as they are.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    -> (tensor<f32> {nn.name = "y"}, tensor<f32> {nn.buffer = @a, nn.name = "stat.a"})
// LOSS:        func.func private @loss({{.*}}) -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.buffer = @a, nn.name = "stat.a"})
// MODE:        func.func @model({{.*}}) -> (tensor<f32> {nn.name = "y"}) {
// MODE:          return %{{.*}} : tensor<f32>
nn.parameter frozen @a : tensor<f32> = #nn.init<zeros>
func.func @model(%x: tensor<f32>) -> (tensor<f32> {nn.name = "y"}, tensor<f32> {nn.buffer = @a, nn.name = "stat.a"}) {
  %a = nn.get @a : tensor<f32>
  %0 = nn.add %a, %x : tensor<f32>
  return %x, %0 : tensor<f32>, tensor<f32>
}
