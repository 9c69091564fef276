// RUN: mpc-opt %s --split-input-file --verify-diagnostics

func.func @none(%h: tensor<4xf32>) {
  // expected-error @below {{runs 0 times}}
  %a = nn.scan @turn turns(0) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @short(%x: tensor<3x4xf32>) {
  // expected-error @below {{stack #0 is 'tensor<3x4xf32>', which has no entry for each turn}}
  %a = nn.scan @turn turns(5) stacks(%x) : (tensor<3x4xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @few(%h: tensor<4xf32>) {
  // expected-error @below {{yields 0 results, but carries 1 values}}
  "nn.scan"(%h) <{body = @turn, turns = 5 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @missing(%h: tensor<4xf32>) {
  // expected-error @below {{repeats 'turn', which is not a function of this module}}
  %a = nn.scan @turn turns(5) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @turn(%h: tensor<4xf32>) -> tensor<4xf32> {
  return %h : tensor<4xf32>
}
func.func @given(%h: tensor<5xf32>) {
  // expected-error @below {{passes ('tensor<5xf32>'), but 'turn' has ('tensor<4xf32>')}}
  %a = nn.scan @turn turns(5) inits(%h) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func private @turn(%h: tensor<4xf32>) -> tensor<5xf32> {
  %c = nn.constant dense<0.0> : tensor<5xf32>
  return %c : tensor<5xf32>
}
func.func @carried(%h: tensor<4xf32>) {
  // expected-error @below {{carries ('tensor<4xf32>'), but 'turn' has ('tensor<5xf32>')}}
  %a = nn.scan @turn turns(5) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @turn(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @yielded(%x: tensor<5x4xf32>) {
  // expected-error @below {{yields ('tensor<4xf32>'), but 'turn' has ('tensor<4xf32>')}}
  %a = nn.scan @turn turns(5) stacks(%x) : (tensor<5x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @turn(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @number(%x: tensor<5x4xf32>) {
  // expected-error @below {{yields ('tensor<5x4xf32>', 'tensor<5x4xf32>'), but 'turn' has ('tensor<4xf32>')}}
  %a:2 = nn.scan @turn turns(5) stacks(%x) : (tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func private @turn(%h: tensor<4xf32>) -> tensor<4xf32> {
  %w = nn.get @w : tensor<4xf32>
  %r = nn.add %h, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @state(%h: tensor<4xf32>) {
  // expected-error @below {{repeats 'turn', in which 'nn.get' reads state: pass its value as a constant}}
  %a = nn.scan @turn turns(5) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @inner(%h: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.scan @outer turns(5) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func private @outer(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{repeats the function that it is in}}
  %a = nn.scan @inner turns(5) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
