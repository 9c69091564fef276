// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32(
    %a: tensor<10xf32> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 10000.0, 0.5, 0x7F800000, 0x7FC00000]> : tensor<10xf32>})
    -> (tensor<10xf32> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.903487550036129, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>, values.ulps = 4.0}) {
  %r = nn.acosh %a : tensor<10xf32>
  return %r : tensor<10xf32>
}

func.func private @f32_vjp_of(%a: tensor<7xf32>) -> (tensor<7xf32>) {
  %r = nn.acosh %a : tensor<7xf32>
  return %r : tensor<7xf32>
}
func.func @f32_vjp(
    %a: tensor<7xf32> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 10000.0]> : tensor<7xf32>},
    %b: tensor<7xf32> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<7xf32>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.903487550036129]> : tensor<7xf64>, values.ulps = 4.0},
        tensor<7xf32> {values.are = dense<[0x7FF0000000000000, -0.9701425001453319, 0.6708203932499369, 0.3903600291794133, -0.047836487323493986, 0.0075003750281273434, 0.0001000000005]> : tensor<7xf64>, values.ulps = 10.0}) {
  %v:2 = nn.vjp @f32_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<7xf32>), (tensor<7xf32>) -> tensor<7xf32>, tensor<7xf32>
  return %v#0, %v#1 : tensor<7xf32>, tensor<7xf32>
}

func.func @f64(
    %a: tensor<10xf64> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 10000.0, 0.5, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>})
    -> (tensor<10xf64> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.903487550036129, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>, values.ulps = 4.0}) {
  %r = nn.acosh %a : tensor<10xf64>
  return %r : tensor<10xf64>
}

func.func private @f64_vjp_of(%a: tensor<7xf64>) -> (tensor<7xf64>) {
  %r = nn.acosh %a : tensor<7xf64>
  return %r : tensor<7xf64>
}
func.func @f64_vjp(
    %a: tensor<7xf64> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 10000.0]> : tensor<7xf64>},
    %b: tensor<7xf64> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<7xf64>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.903487550036129]> : tensor<7xf64>, values.ulps = 4.0},
        tensor<7xf64> {values.are = dense<[0x7FF0000000000000, -0.9701425001453319, 0.6708203932499369, 0.3903600291794133, -0.047836487323493986, 0.0075003750281273434, 0.0001000000005]> : tensor<7xf64>, values.ulps = 10.0}) {
  %v:2 = nn.vjp @f64_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<7xf64>), (tensor<7xf64>) -> tensor<7xf64>, tensor<7xf64>
  return %v#0, %v#1 : tensor<7xf64>, tensor<7xf64>
}

func.func @f16(
    %a: tensor<10xf16> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 10000.0, 0.5, 0x7C00, 0x7E00]> : tensor<10xf16>})
    -> (tensor<10xf16> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.903487550036129, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>, values.ulps = 0.50048828125}) {
  %r = nn.acosh %a : tensor<10xf16>
  return %r : tensor<10xf16>
}

func.func private @f16_vjp_of(%a: tensor<7xf16>) -> (tensor<7xf16>) {
  %r = nn.acosh %a : tensor<7xf16>
  return %r : tensor<7xf16>
}
func.func @f16_vjp(
    %a: tensor<7xf16> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 10000.0]> : tensor<7xf16>},
    %b: tensor<7xf16> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<7xf16>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.903487550036129]> : tensor<7xf64>, values.ulps = 0.50048828125},
        tensor<7xf16> {values.are = dense<[0x7FF0000000000000, -0.9701425001453319, 0.6708203932499369, 0.3903600291794133, -0.047836487323493986, 0.0075003750281273434, 0.0001000000005]> : tensor<7xf64>, values.ulps = 0.51}) {
  %v:2 = nn.vjp @f16_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<7xf16>), (tensor<7xf16>) -> tensor<7xf16>, tensor<7xf16>
  return %v#0, %v#1 : tensor<7xf16>, tensor<7xf16>
}

func.func @bf16(
    %a: tensor<10xbf16> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 9984.0, 0.5, 0x7F80, 0x7FC0]> : tensor<10xbf16>})
    -> (tensor<10xbf16> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.901886268661135, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>, values.ulps = 0.50048828125}) {
  %r = nn.acosh %a : tensor<10xbf16>
  return %r : tensor<10xbf16>
}

func.func private @bf16_vjp_of(%a: tensor<7xbf16>) -> (tensor<7xbf16>) {
  %r = nn.acosh %a : tensor<7xbf16>
  return %r : tensor<7xbf16>
}
func.func @bf16_vjp(
    %a: tensor<7xbf16> {values.are = dense<[1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 9984.0]> : tensor<7xbf16>},
    %b: tensor<7xbf16> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<7xbf16>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 0.4949329230945269, 0.9624236501192069, 1.66991903058777, 3.0422471120933285, 5.298292365610485, 9.901886268661135]> : tensor<7xf64>, values.ulps = 0.50048828125},
        tensor<7xbf16> {values.are = dense<[0x7FF0000000000000, -0.9701425001453319, 0.6708203932499369, 0.3903600291794133, -0.047836487323493986, 0.0075003750281273434, 0.00010016025691266412]> : tensor<7xf64>, values.ulps = 0.51}) {
  %v:2 = nn.vjp @bf16_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<7xbf16>), (tensor<7xbf16>) -> tensor<7xbf16>, tensor<7xbf16>
  return %v#0, %v#1 : tensor<7xbf16>, tensor<7xbf16>
}
