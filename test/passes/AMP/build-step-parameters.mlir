// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(amp-build-step)' 2>/dev/null | FileCheck %s
// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-build-step)' -o /dev/null
// RUN: sed 's/^amp.recipe.*/& accumulate(2)/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,symbol-dce,canonicalize,amp-lower-state,amp-fuse-optimizer,func.func(kernel-lower-bodies))' 2>/dev/null | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/^amp.recipe.*/& no_masters/' %s | not mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=HALF
// Which parameters a step trains, and in which type.

// What the loss does not depend on, or only by way of integers and flags, has
// no gradient. A gradient of zero is another thing.
// CHECK:         amp.optimizer {{.*}} trains [@used, @flat]
// CHECK-LABEL: func.func @step
// CHECK:         nn.vjp @loss({{.*}}) seed({{.*}}) wrt [@used, @flat]
// CHECK:         amp.apply
amp.recipe loss_scale<dynamic>
nn.parameter @used : tensor<4xf32> = #nn.init<ones>
nn.parameter @flat : tensor<4xf32> = #nn.init<ones>
// expected-warning @+1 {{parameter 'unread' has no path to the loss: it has no gradient and is not updated}}
nn.parameter @unread : tensor<4xf32> = #nn.init<ones>
// expected-warning @+1 {{parameter 'compared' has no path to the loss}}
nn.parameter @compared : tensor<4xf32> = #nn.init<ones>
func.func @loss(%x: tensor<4xf32> {nn.name = "x"}) -> tensor<f32> {
  %used = nn.get @used : tensor<4xf32>
  %flat = nn.get @flat : tensor<4xf32>
  %unread = nn.get @unread : tensor<4xf32>
  %dead = nn.mul %unread, %x : tensor<4xf32>
  %compared = nn.get @compared : tensor<4xf32>
  %flag = nn.compare gt %compared, %x : tensor<4xf32> -> tensor<4xi1>
  %sign = nn.sign %flat : tensor<4xf32>
  %y = nn.select %flag, %used, %sign : tensor<4xi1>, tensor<4xf32>
  %loss = nn.reduce_sum %y axes [0] : tensor<4xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A step in which nothing has a gradient is a finite one.
// CHECK-LABEL: func.func @step
// CHECK:         nn.vjp @loss(%{{.*}}) seed(%[[SCALE:.*]]) wrt []
// CHECK-DAG:     %[[FALSE:.*]] = nn.constant dense<false>
// CHECK-DAG:     %[[ZERO:.*]] = nn.constant dense<0.0{{.*}}> : tensor<f64>
// CHECK-NOT:     amp.apply
// CHECK:         %[[GOOD:.*]], %[[ERROR:.*]] = amp.update_scale @scaler found(%[[FALSE]])
// CHECK:         return %{{.*}}, %[[SCALE]], %[[FALSE]], %[[ZERO]], %[[GOOD]], %[[ERROR]]
// WHOLE: func.func @accumulate
// WHOLE:       func.func @apply
amp.recipe loss_scale<dynamic>
// expected-warning @+1 {{parameter 'w' has no path to the loss}}
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
func.func @loss(%x: tensor<4xf32> {nn.name = "x"}) -> tensor<f32> {
  %loss = nn.reduce_sum %x axes [0] : tensor<4xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What is detached, as a teacher's weights, has none either, and does not decay;
// the padding of an embedding is a row of a table that has.
// CHECK:         amp.optimizer {{.*}} trains [@student, @table]
// CHECK-LABEL: func.func @step
// CHECK:         nn.vjp @loss({{.*}}) seed({{.*}}) wrt [@student, @table]
amp.recipe loss_scale<dynamic>
nn.parameter @student : tensor<4xf32> = #nn.init<ones>
nn.parameter @table : tensor<3x4xf32> = #nn.init<ones>
// expected-warning @+1 {{parameter 'teacher' has no path to the loss}}
nn.parameter @teacher : tensor<1x4xf32> = #nn.init<ones>
func.func @loss(%ids: tensor<1xi64> {nn.name = "ids"}) -> tensor<f32> {
  %student = nn.get @student : tensor<4xf32>
  %table = nn.get @table : tensor<3x4xf32>
  %teacher = nn.get @teacher : tensor<1x4xf32>
  %goal = nn.stop_gradient %teacher : tensor<1x4xf32>
  %row = nn.gather %table, %ids axis(0) frozen(0) : tensor<3x4xf32>, tensor<1xi64> -> tensor<1x4xf32>
  %each = nn.reshape %student : tensor<4xf32> -> tensor<1x4xf32>
  %sum = nn.add %each, %row : tensor<1x4xf32>
  %y = nn.mul %sum, %goal : tensor<1x4xf32>
  %loss = nn.reduce_sum %y axes [0, 1] : tensor<1x4xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A gradient inside of a loss depends on what its function reads.
// CHECK-LABEL: func.func @step
// CHECK:         nn.vjp @loss({{.*}}) seed({{.*}}) wrt [@w]
amp.recipe loss_scale<dynamic>
nn.parameter @w : tensor<f32> = #nn.init<ones>
func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %w = nn.get @w : tensor<f32>
  %0 = nn.mul %x, %w : tensor<f32>
  return %0 : tensor<f32>
}
func.func @loss(%x: tensor<f32> {nn.name = "x"}) -> tensor<f32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %y, %dx = nn.vjp @inner(%x) seed(%one) wrt [] args [0] : (tensor<f32>), (tensor<f32>) -> tensor<f32>, tensor<f32>
  return %dx : tensor<f32>
}

// -----

// A trained parameter of 16 bits becomes its f32 master; one that is frozen
// stays. Whoever else reads it sees the type that it had.
// CHECK:       nn.parameter @w : tensor<4xf32> = <external>
// CHECK:       nn.parameter frozen @table : tensor<4xbf16>
// CHECK-LABEL: func.func @loss
// CHECK:         %[[W:.*]] = nn.get @w : tensor<4xf32>
// CHECK:         %[[LOW:.*]] = nn.cast %[[W]] : tensor<4xf32> -> tensor<4xf16>
// CHECK:         nn.mul %[[LOW]]
// CHECK-LABEL: func.func @step
// CHECK:         nn.vjp @loss({{.*}} -> tensor<f32>, tensor<4xf32>
// WHOLE:       amp.slab @{{.*}}.f16 : {{.*}}"w/f16"
// HALF: error: 'w' is 'tensor<4xf16>', which bf16 cannot hold: train it with master weights
amp.recipe loss_scale<dynamic>
nn.parameter @w : tensor<4xf16> = #nn.init<external>
nn.parameter frozen @table : tensor<4xbf16> = #nn.init<ones>
func.func @loss(%x: tensor<4xf16> {nn.name = "x"}) -> tensor<f32> {
  %w = nn.get @w : tensor<4xf16>
  %t = nn.get @table : tensor<4xbf16>
  %0 = nn.mul %w, %x : tensor<4xf16>
  %1 = nn.cast %0 : tensor<4xf16> -> tensor<4xf32>
  %2 = nn.cast %t : tensor<4xbf16> -> tensor<4xf32>
  %3 = nn.mul %1, %2 : tensor<4xf32>
  %loss = nn.reduce_sum %3 axes [0] : tensor<4xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// Features: H7, H8, X8.
