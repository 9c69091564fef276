// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{unknown initializer 'xavier'; known are zeros, ones, uniform, normal, external}}
nn.parameter @w : tensor<2xf32> = <xavier>

// -----

// expected-error @below {{initializer 'normal' needs a finite, non-negative argument}}
nn.parameter @w : tensor<2xf32> = <normal -1.0>

// -----

// expected-error @below {{is 'tensor<2xi32>', which no gradient trains; mark it frozen}}
nn.parameter @w : tensor<2xi32> = <zeros>

// -----

func.func @no_such_parameter() -> tensor<2xf32> {
  // expected-error @below {{reads 'w', which is not a parameter of this module}}
  %w = nn.get @w : tensor<2xf32>
  return %w : tensor<2xf32>
}

// -----

nn.parameter @w : tensor<2xf32> = <zeros>
func.func @other_type() -> tensor<3xf32> {
  // expected-error @below {{yields 'tensor<3xf32>' but parameter 'w' is 'tensor<2xf32>'}}
  %w = nn.get @w : tensor<3xf32>
  return %w : tensor<3xf32>
}

// -----

func.func @autocast_to_f32(%x: tensor<4xf32>) {
  // expected-error @below {{dtype must be f16 or bf16, not 'f32'}}
  nn.autocast enabled dtype(f32) {
  }
  return
}

// -----

func.func @autocast_yields_other_type(%x: tensor<4xf32>) {
  // expected-error @below {{yields other types than its results}}
  %y = nn.autocast enabled -> tensor<8xf32> {
    nn.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{operand #0 must be static tensor of f16, bf16, f32 or f64}}
  %y = nn.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @vjp_of_nothing(%x: tensor<f32>) {
  // expected-error @below {{differentiates 'loss', which is not a function of this module}}
  %0 = nn.vjp @loss(%x) seed(%x) wrt [] : (tensor<f32>), (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32>
func.func @vjp_of_other_arguments(%x: tensor<f32>) {
  // expected-error @below {{passes other types than 'loss' takes}}
  %0 = nn.vjp @loss(%x) seed(%x) wrt [] : (tensor<f32>), (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32>
func.func @vjp_without_seed(%x: tensor<4xf32>) {
  // expected-error @below {{needs one seed for each floating result of 'loss', in its type}}
  %0 = nn.vjp @loss(%x) seed() wrt [] : (tensor<4xf32>), () -> tensor<f32>
  return
}

// -----

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32>
func.func @vjp_with_other_seed(%x: tensor<4xf32>) {
  // expected-error @below {{needs one seed for each floating result of 'loss', in its type}}
  %0 = nn.vjp @loss(%x) seed(%x) wrt [] : (tensor<4xf32>), (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32>
func.func @vjp_of_no_parameter(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @below {{differentiates with respect to 'w', which is not a parameter}}
  %0 = nn.vjp @loss(%x) seed(%s) wrt [@w] : (tensor<4xf32>), (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32>
func.func @vjp_of_no_argument(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @below {{has no argument #1}}
  %0 = nn.vjp @loss(%x) seed(%s) wrt [] args [1] : (tensor<4xf32>), (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32>
func.func @vjp_without_gradient(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @below {{must yield the function's results, then the gradients}}
  %0 = nn.vjp @loss(%x) seed(%s) wrt [] args [0] : (tensor<4xf32>), (tensor<f32>) -> tensor<f32>
  return
}

// -----

// expected-error @below {{argument #0 has 'nn.name' = 3 : i64, which must be a string}}
func.func private @name_of_an_argument(%x: tensor<4xf32> {nn.name = 3})

// -----

// expected-error @below {{result #0 has 'nn.name' = @y, which must be a string}}
func.func private @name_of_a_result() -> (tensor<4xf32> {nn.name = @y})

// -----

// expected-error @below {{result #0 has 'nn.buffer' = "mean", which must be the symbol of a parameter}}
func.func private @buffer_by_text() -> (tensor<4xf32> {nn.buffer = "mean"})

// -----

// expected-error @below {{has 'nn.mode' = "train", which must be "training" or "inference"}}
func.func private @mode_form() attributes {nn.mode = "train"}

// -----

// expected-error @below {{argument #0 has 'nn.ranges' = [0], which must be an array of #nn.range}}
func.func @ranges_form(%y: tensor<2xi64> {nn.ranges = [0]}) {
  return
}

// -----

// expected-error @below {{the first elements that are unread are given for 2 axes, and the last for 1}}
func.func @range_axes(%y: tensor<2xi64> {nn.ranges = [#nn.range<0, 3 unread first[1, 0] last[0]>]}) {
  return
}

// -----

// expected-error @below {{a number of unread elements is negative}}
func.func @range_sign(%y: tensor<2xi64> {nn.ranges = [#nn.range<0, 3 unread first[0] last[-1]>]}) {
  return
}

// -----

// expected-error @below {{argument #0 has 'nn.nmae', which nn does not know}}
func.func @misspelled(%x: tensor<2xf32> {nn.nmae = "x"}) {
  return
}

// -----

func.func @free_form(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{has 'nn.free' = "f16", which must be a floating type}}
  %y = nn.tanh %x {nn.free = "f16"} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @frozen_form(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{has 'nn.frozen' = true, which must be a unit}}
  %y = nn.tanh %x {nn.frozen = true} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error @below {{has 'nn.norule', which nn does not know}}
func.func @unknown_of_op() attributes {nn.norule} {
  return
}

// -----

// expected-error @below {{argument #0 has 'nn.random' = "seed", which must be "key", "step" or "batch"}}
func.func private @unknown_part(%x: tensor<i64> {nn.random = "seed"})

// -----

// expected-error @below {{attribute 'type' failed to satisfy constraint}}
nn.parameter frozen @flag : tensor<i1> = #nn.init<zeros>
