// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @sgd_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags [] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "sgd" flags [] decay(true) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots() : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @sgd_momentum_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.8265625, -2.56328125, 1.069921875, 2.9015625, -0.41328125]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.69375, 0.253125, -1.2796875, 0.39375, -0.34687500000000004]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["momentum"] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "sgd" flags ["momentum"] decay(true) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots(%h) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @sgd_momentum_nesterov_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.68765625, -2.791328125, 1.7644921875000001, 2.81765625, -0.9063281249999999]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.69375, 0.253125, -1.2796875, 0.39375, -0.34687500000000004]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["momentum", "nesterov"] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "sgd" flags ["momentum", "nesterov"] decay(true) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots(%h) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @sgd_maximize_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.09375, -2.109375, -0.0234375, 2.90625, 0.015625]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["maximize"] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "sgd" flags ["maximize"] decay(true) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots() : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @sgd_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags [] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "sgd" flags [] decay(true) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots() : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @sgd_maximize_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.125, -2.1875, 0.0, 3.0, 0.0]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["maximize"] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "sgd" flags ["maximize"] decay(false) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots() : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @sgd_maximize_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["maximize"] lr(%a) skip(%b) state(%c) hyper(%d, %e, %f) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "sgd" flags ["maximize"] decay(true) gradient(%g) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%h) slots() : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @sgd_maximize_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %g: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.09375, -2.109375, -0.0234375, 2.90625, 0.015625]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xbf16> {values.are = dense<[1.09375, -2.109375, -0.0234375, 2.90625, 0.015625]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["maximize"] lr(%a) skip(%b) state(%c) hyper(%d, %e, %f) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "sgd" flags ["maximize"] decay(true) gradient(%g) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%h) slots() low(%i) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xbf16>
}

func.func @adam_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9594069577276361, -2.4743925852315805, 0.7476817036809081, 2.9596286723103344, -0.40176176735081165]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.423828125, 1.85986328125, 6.3057861328125, 1.330078125, 6.59423828125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adam" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adam_amsgrad_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.963593275032461, -2.4743925852315805, 0.7480594113015566, 2.9596286723103344, -0.41080781310890824]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.423828125, 1.85986328125, 6.3057861328125, 1.330078125, 6.59423828125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.85986328125, 9.0, 1.330078125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags ["amsgrad"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "adam" flags ["amsgrad"] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l, %m) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adam_maximize_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9888898704027107, -2.3673692465020544, 0.6009630307598056, 2.9596286723103344, -0.3059521083769319]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.09375, -0.765625, 1.5234375, 0.1875, -2.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.392578125, 2.05517578125, 6.4464111328125, 1.330078125, 6.65673828125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags ["maximize"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adam" flags ["maximize"] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adam_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.75> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9422269103423062, -2.4635527759389935, 0.7467005957378258, 2.942537490852129, -0.3601874099200649]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.423828125, 1.85986328125, 6.3057861328125, 1.330078125, 6.59423828125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adam" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adam_maximize_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.992604743689279, -2.3775874947592963, 0.6024364874771662, 2.9796796814052944, -0.30699580158097894]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags ["maximize"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adam" flags ["maximize"] decay(false) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adam_maximize_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.5625> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.765625> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags ["maximize"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adam" flags ["maximize"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%k) slots(%l, %m) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adam_maximize_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %n: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9888898704027107, -2.3673692465020544, 0.6009630307598056, 2.9596286723103344, -0.3059521083769319]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.09375, -0.765625, 1.5234375, 0.1875, -2.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.392578125, 2.05517578125, 6.4464111328125, 1.330078125, 6.65673828125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.9888898704027107, -2.3673692465020544, 0.6009630307598056, 2.9596286723103344, -0.3059521083769319]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adam" flags ["maximize"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "adam" flags ["maximize"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%k) slots(%l, %m) low(%n) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @adamw_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9317737184463947, -2.4107465904326633, 0.7265625, 2.8859296814052944, -0.38787290079048947]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adamw" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamw_amsgrad_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9356529773022373, -2.4107465904326633, 0.7265625, 2.8859296814052944, -0.3965550005995404]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.9453125, 9.0, 1.3125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags ["amsgrad"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "adamw" flags ["amsgrad"] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l, %m) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamw_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.75> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9161243686886438, -2.4060359087833723, 0.7265625, 2.8773270476989694, -0.3470333013844865]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "adamw" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamw_amsgrad_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9669029773022373, -2.4888715904326633, 0.75, 2.9796796814052944, -0.4121800005995404]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.9453125, 9.0, 1.3125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags ["amsgrad"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "adamw" flags ["amsgrad"] decay(false) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%j) slots(%k, %l, %m) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamw_amsgrad_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.5625> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.765625> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags ["amsgrad"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "adamw" flags ["amsgrad"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%k) slots(%l, %m, %n) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamw_amsgrad_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>},
    %o: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9356529773022373, -2.4107465904326633, 0.7265625, 2.8859296814052944, -0.3965550005995404]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.9453125, 9.0, 1.3125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.9356529773022373, -2.4107465904326633, 0.7265625, 2.8859296814052944, -0.3965550005995404]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags ["amsgrad"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6, %r7 = amp.update "adamw" flags ["amsgrad"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%k) slots(%l, %m, %n) low(%o) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @adamax_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9660231660231661, -2.465250965250965, 0.7480694980694981, 2.9382239382239383, -0.4282956425813569]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.375, 1.75, 5.25, 1.3125, 6.125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "adamax" flags [] lr(%a) state(%b, %c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2, %r3, %r4 = amp.update "adamax" flags [] decay(true) gradient(%h) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%i) slots(%j, %k) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamax_maximize_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9907335907335907, -2.310810810810811, 0.6245173745173745, 2.9382239382239383, -0.35769442912300053]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.09375, -0.765625, 1.5234375, 0.1875, -2.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.375, 1.75, 5.25, 1.3125, 6.125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "adamax" flags ["maximize"] lr(%a) state(%b, %c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2, %r3, %r4 = amp.update "adamax" flags ["maximize"] decay(true) gradient(%h) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%i) slots(%j, %k) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamax_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.75> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9214285714285715, -2.419642857142857, 0.7455357142857143, 2.857142857142857, -0.33418367346938777]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.375, 1.75, 5.25, 1.3125, 6.125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "adamax" flags [] lr(%a) state(%b, %c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2, %r3, %r4 = amp.update "adamax" flags [] decay(true) gradient(%h) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%i) slots(%j, %k) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamax_maximize_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9938223938223938, -2.33011583011583, 0.6264478764478765, 2.969111969111969, -0.35879757308328736]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.375, 1.75, 5.25, 1.3125, 6.125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "adamax" flags ["maximize"] lr(%a) state(%b, %c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2, %r3, %r4 = amp.update "adamax" flags ["maximize"] decay(false) gradient(%h) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%i) slots(%j, %k) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamax_maximize_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.5625> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "adamax" flags ["maximize"] lr(%a) skip(%b) state(%c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2, %r3, %r4 = amp.update "adamax" flags ["maximize"] decay(true) gradient(%i) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamax_maximize_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %m: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9907335907335907, -2.310810810810811, 0.6245173745173745, 2.9382239382239383, -0.35769442912300053]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.09375, -0.765625, 1.5234375, 0.1875, -2.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.375, 1.75, 5.25, 1.3125, 6.125]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.9907335907335907, -2.310810810810811, 0.6245173745173745, 2.9382239382239383, -0.35769442912300053]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "adamax" flags ["maximize"] lr(%a) skip(%b) state(%c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2, %r3, %r4, %r5 = amp.update "adamax" flags ["maximize"] decay(true) gradient(%i) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%j) slots(%k, %l) low(%m) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @adagrad_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9551541568474216, -2.592034441469889, 0.877405835858988, 2.951243061872154, -0.5984407521719193]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[5.390625, 2.87890625, 14.4462890625, 1.640625, 10.75390625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "adagrad" flags [] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "adagrad" flags [] decay(true) gradient(%g) scalars(%s0, %s1, %s2) parameter(%h) slots(%i) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @adagrad_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9327312352711323, -2.6380516622048336, 0.9411087537884819, 2.926864592808231, -0.647661128257879]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[5.390625, 2.87890625, 14.4462890625, 1.640625, 10.75390625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "adagrad" flags [] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "adagrad" flags [] decay(true) gradient(%g) scalars(%s0, %s1, %s2) parameter(%h) slots(%i) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @adagrad_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9636462177186776, -2.61031924785673, 0.8790661201446552, 3.0, -0.6004734876295716]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[5.25, 3.5625, 15.0, 1.5, 11.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "adagrad" flags [] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "adagrad" flags [] decay(false) gradient(%g) scalars(%s0, %s1, %s2) parameter(%h) slots(%i) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @adagrad_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "adagrad" flags [] lr(%a) skip(%b) state(%c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "adagrad" flags [] decay(true) gradient(%h) skip(%b) scalars(%s0, %s1, %s2) parameter(%i) slots(%j) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @adagrad_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %k: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9551541568474216, -2.592034441469889, 0.877405835858988, 2.951243061872154, -0.5984407521719193]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[5.390625, 2.87890625, 14.4462890625, 1.640625, 10.75390625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.9551541568474216, -2.592034441469889, 0.877405835858988, 2.951243061872154, -0.5984407521719193]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %s0, %s1, %s2 = amp.prepare "adagrad" flags [] lr(%a) skip(%b) state(%c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3 = amp.update "adagrad" flags [] decay(true) gradient(%h) skip(%b) scalars(%s0, %s1, %s2) parameter(%i) slots(%j) low(%k) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @rmsprop_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9203839649603238, -2.6785872866262017, 1.032456605948962, 2.9130419051491803, -0.6946324728598481]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.84765625, 1.7197265625, 6.611572265625, 1.16015625, 6.1884765625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags [] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "rmsprop" flags [] decay(true) gradient(%g) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%h) slots(%i) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_momentum_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.8891339649603238, -2.6160872866262017, 0.9074566059489619, 2.8974169051491803, -0.444632472859848]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.84765625, 1.7197265625, 6.611572265625, 1.16015625, 6.1884765625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.4434641401587048, 0.4643491465048061, -0.629826423795848, 0.4103323794032783, -0.2214701085606079]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags ["momentum"] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3 = amp.update "rmsprop" flags ["momentum"] decay(true) gradient(%g) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%h) slots(%i, %j) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_centered_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9191331830538811, -2.6796222349074506, 1.0324683359418743, 2.911694907191599, -0.7132026964166015]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.84765625, 1.7197265625, 6.611572265625, 1.16015625, 6.1884765625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags ["centered"] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3 = amp.update "rmsprop" flags ["centered"] decay(true) gradient(%g) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%h) slots(%i, %j) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_momentum_centered_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.8878831830538811, -2.6171222349074506, 0.9074683359418743, 2.896069907191599, -0.4632026964166015]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.84765625, 1.7197265625, 6.611572265625, 1.16015625, 6.1884765625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.44846726778447565, 0.4684889396298021, -0.6298733437674968, 0.41572037123360384, -0.147189214333594]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags ["momentum", "centered"] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3, %r4 = amp.update "rmsprop" flags ["momentum", "centered"] decay(true) gradient(%g) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%h) slots(%i, %j, %k) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9203839649603238, -2.6785872866262017, 1.032456605948962, 2.9130419051491803, -0.6946324728598481]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.84765625, 1.7197265625, 6.611572265625, 1.16015625, 6.1884765625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags [] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "rmsprop" flags [] decay(true) gradient(%g) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%h) slots(%i) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_momentum_centered_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %g: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9039291878290588, -2.664842366622827, 0.9135640662339338, 2.984375, -0.468122693687934]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.8125, 1.890625, 6.75, 1.125, 6.25]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.3842832486837645, 0.6593694664913078, -0.6542562649357353, 0.0625, -0.1275092252482638]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags ["momentum", "centered"] lr(%a) state(%b) hyper(%c, %d, %e, %f) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3, %r4 = amp.update "rmsprop" flags ["momentum", "centered"] decay(false) gradient(%g) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%h) slots(%i, %j, %k) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_momentum_centered_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags ["momentum", "centered"] lr(%a) skip(%b) state(%c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3, %r4 = amp.update "rmsprop" flags ["momentum", "centered"] decay(true) gradient(%h) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%i) slots(%j, %k, %l) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @rmsprop_momentum_centered_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.5> : tensor<f64>},
    %h: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.8878831830538811, -2.6171222349074506, 0.9074683359418743, 2.896069907191599, -0.4632026964166015]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[3.84765625, 1.7197265625, 6.611572265625, 1.16015625, 6.1884765625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.44846726778447565, 0.4684889396298021, -0.6298733437674968, 0.41572037123360384, -0.147189214333594]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[0.34375, -0.140625, 0.0234375, 0.1875, -1.015625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.8878831830538811, -2.6171222349074506, 0.9074683359418743, 2.896069907191599, -0.4632026964166015]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "rmsprop" flags ["momentum", "centered"] lr(%a) skip(%b) state(%c) hyper(%d, %e, %f, %g) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3, %r4, %r5 = amp.update "rmsprop" flags ["momentum", "centered"] decay(true) gradient(%h) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%i) slots(%j, %k, %l) low(%m) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @lamb_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.2729051262144214, -0.3570136382693468, 0.09375, 0.45628127437882327, -0.4485083968380421]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8 = amp.prepare "lamb" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "lamb" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @lamb_maximize_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.1545810252428843, -0.8021500209628147, 0.6840040500913354, 0.45628127437882327, -0.8345167936760842]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8 = amp.prepare "lamb" flags ["maximize"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "lamb" flags ["maximize"] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @lamb_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.75> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.3355025252454248, -0.3758563648665114, 0.09375, 0.4906918092041222, -0.611866794462054]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8 = amp.prepare "lamb" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "lamb" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @lamb_maximize_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.029581025242884293, -0.4896500209628148, 0.5902540500913354, 0.08128127437882325, -0.7720167936760842]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8 = amp.prepare "lamb" flags ["maximize"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "lamb" flags ["maximize"] decay(false) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @lamb_maximize_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.5625> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.765625> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.1545810252428843, -0.8021500209628147, 0.6840040500913354, 0.45628127437882327, -0.8345167936760842]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8 = amp.prepare "lamb" flags ["maximize"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "lamb" flags ["maximize"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8) parameter(%k) slots(%l, %m) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @lamb_maximize_step3_skip_false_f16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.1545810252428843, -0.8021500209628147, 0.6840040500913354, 0.45628127437882327, -0.8345167936760842]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8 = amp.prepare "lamb" flags ["maximize"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "lamb" flags ["maximize"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8) parameter(%k) slots(%l, %m) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_sgd_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %f: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags [] lr(%a) state(%b) hyper(%c, %d) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "keras-sgd" flags [] decay(true) gradient(%e) scalars(%s0, %s1, %s2) parameter(%f) slots() : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @keras_sgd_momentum_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %f: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.03125, -3.109375, 2.2265625, 3.0, -2.484375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags ["momentum"] lr(%a) state(%b) hyper(%c, %d) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "keras-sgd" flags ["momentum"] decay(true) gradient(%e) scalars(%s0, %s1, %s2) parameter(%f) slots(%g) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_sgd_momentum_nesterov_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %f: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.890625, -3.25, 2.6015625, 2.9765625, -2.484375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags ["momentum", "nesterov"] lr(%a) state(%b) hyper(%c, %d) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "keras-sgd" flags ["momentum", "nesterov"] decay(true) gradient(%e) scalars(%s0, %s1, %s2) parameter(%f) slots(%g) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_sgd_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %f: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags [] lr(%a) state(%b) hyper(%c, %d) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1 = amp.update "keras-sgd" flags [] decay(true) gradient(%e) scalars(%s0, %s1, %s2) parameter(%f) slots() : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1 : tensor<f64>, tensor<5xf32>
}

func.func @keras_sgd_momentum_nesterov_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %e: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %f: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.921875, -3.328125, 2.625, 3.0703125, -2.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags ["momentum", "nesterov"] lr(%a) state(%b) hyper(%c, %d) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "keras-sgd" flags ["momentum", "nesterov"] decay(false) gradient(%e) scalars(%s0, %s1, %s2) parameter(%f) slots(%g) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_sgd_momentum_nesterov_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags ["momentum", "nesterov"] lr(%a) skip(%b) state(%c) hyper(%d, %e) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2 = amp.update "keras-sgd" flags ["momentum", "nesterov"] decay(true) gradient(%f) skip(%b) scalars(%s0, %s1, %s2) parameter(%g) slots(%h) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_sgd_momentum_nesterov_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %i: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.890625, -3.25, 2.6015625, 2.9765625, -2.484375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.0625, -0.6875, 1.5, 0.09375, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.890625, -3.25, 2.6015625, 2.9765625, -2.484375]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %s0, %s1, %s2 = amp.prepare "keras-sgd" flags ["momentum", "nesterov"] lr(%a) skip(%b) state(%c) hyper(%d, %e) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3 = amp.update "keras-sgd" flags ["momentum", "nesterov"] decay(true) gradient(%f) skip(%b) scalars(%s0, %s1, %s2) parameter(%g) slots(%h) low(%i) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @keras_adam_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9317812097366571, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.38788884672312524]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "keras-adam" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adam_amsgrad_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9356589793195155, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.39656820655170294]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.9453125, 9.0, 1.3125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags ["amsgrad"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "keras-adam" flags ["amsgrad"] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l, %m) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adam_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.75> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.916140567702166, -2.406043244743555, 0.7265625, 2.87734335367161, -0.34706778187521664]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "keras-adam" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adam_amsgrad_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9669089793195155, -2.4888749827927685, 0.75, 2.979687221498969, -0.41219320655170294]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.9453125, 9.0, 1.3125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags ["amsgrad"] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "keras-adam" flags ["amsgrad"] decay(false) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l, %m) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adam_amsgrad_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.5625> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.765625> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags ["amsgrad"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "keras-adam" flags ["amsgrad"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%k) slots(%l, %m, %n) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adam_amsgrad_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.5, 1.0, 9.0, 1.0, 8.0]> : tensor<5xf32>},
    %o: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9356589793195155, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.39656820655170294]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.5, 1.9453125, 9.0, 1.3125, 8.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.9356589793195155, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.39656820655170294]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags ["amsgrad"] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6, %r7 = amp.update "keras-adam" flags ["amsgrad"] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%k) slots(%l, %m, %n) low(%o) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @keras_adamw_step3(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9317812097366571, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.38788884672312524]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adamw" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "keras-adamw" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adamw_step1(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.75> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.916140567702166, -2.406043244743555, 0.7265625, 2.87734335367161, -0.34706778187521664]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adamw" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "keras-adamw" flags [] decay(true) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adamw_step3_no_decay(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %i: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %j: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9630312097366571, -2.4888749827927685, 0.75, 2.979687221498969, -0.40351384672312524]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adamw" flags [] lr(%a) state(%b, %c, %d) hyper(%e, %f, %g, %h) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "keras-adamw" flags [] decay(false) gradient(%i) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%j) slots(%k, %l) : (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adamw_step3_skip_true(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<2.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.5625> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.765625> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adamw" flags [] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5 = amp.update "keras-adamw" flags [] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%k) slots(%l, %m) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adamw_step3_skip_false_f16_bf16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %j: tensor<5xf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf16>},
    %k: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>},
    %n: tensor<5xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xbf16>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.9317812097366571, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.38788884672312524]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xbf16> {values.are = dense<[0.9317812097366571, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.38788884672312524]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %r1, %r2, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adamw" flags [] lr(%a) skip(%b) state(%c, %d, %e) hyper(%f, %g, %h, %i) : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r3, %r4, %r5, %r6 = amp.update "keras-adamw" flags [] decay(true) gradient(%j) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%k) slots(%l, %m) low(%n) : (tensor<5xf16>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>
}

func.func @sgd_momentum_step1_bf16_f16(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %c: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %f: tensor<5xbf16> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xbf16>},
    %g: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %h: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %i: tensor<5xf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xf16>})
    -> (tensor<f64> {values.are = dense<1.0> : tensor<f64>, values.ulps = 8.0},
        tensor<5xf32> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.625, 0.9375, -2.90625, 0.375, 1.9375]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf16> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 0.51, values.at = 1.0}) {
  %r0, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags ["momentum"] lr(%a) state(%b) hyper(%c, %d, %e) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r1, %r2, %r3 = amp.update "sgd" flags ["momentum"] decay(true) gradient(%f) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%g) slots(%h) low(%i) : (tensor<5xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf16>)
  return %r0, %r1, %r2, %r3 : tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf16>
}
