// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @adamw_step3_skip_true_counted(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %j: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %k: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<2.0> : tensor<f64>},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %r3, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags [] lr(%a) skip(%b) state(%c, %d, %e, %f) hyper(%g, %h, %i, %j) counts_skips : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r4, %r5, %r6 = amp.update "adamw" flags [] decay(true) gradient(%k) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%l) slots(%m, %n) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @adamw_step3_skip_false_counted(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %j: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %k: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<3.0> : tensor<f64>},
        tensor<5xf32> {values.are = dense<[0.9317737184463947, -2.4107465904326633, 0.7265625, 2.8859296814052944, -0.38787290079048947]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %r3, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 = amp.prepare "adamw" flags [] lr(%a) skip(%b) state(%c, %d, %e, %f) hyper(%g, %h, %i, %j) counts_skips : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r4, %r5, %r6 = amp.update "adamw" flags [] decay(true) gradient(%k) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7) parameter(%l) slots(%m, %n) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @sgd_step3_skip_true_counted(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<2.0> : tensor<f64>},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags [] lr(%a) skip(%b) state(%c, %d) hyper(%e, %f, %g) counts_skips : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2 = amp.update "sgd" flags [] decay(true) gradient(%h) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%i) slots() : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<f64>, tensor<5xf32>
}

func.func @sgd_step3_skip_false_counted(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.9> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %h: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %i: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<3.0> : tensor<f64>},
        tensor<5xf32> {values.are = dense<[0.84375, -2.734375, 1.4765625, 2.90625, -0.984375]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0}) {
  %r0, %r1, %s0, %s1, %s2, %s3, %s4 = amp.prepare "sgd" flags [] lr(%a) skip(%b) state(%c, %d) hyper(%e, %f, %g) counts_skips : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r2 = amp.update "sgd" flags [] decay(true) gradient(%h) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4) parameter(%i) slots() : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>) -> (tensor<5xf32>)
  return %r0, %r1, %r2 : tensor<f64>, tensor<f64>, tensor<5xf32>
}

func.func @keras_adam_step3_skip_true_counted(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %j: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %k: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<2.0> : tensor<f64>},
        tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %r3, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags [] lr(%a) skip(%b) state(%c, %d, %e, %f) hyper(%g, %h, %i, %j) counts_skips : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r4, %r5, %r6 = amp.update "keras-adam" flags [] decay(true) gradient(%k) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%l) slots(%m, %n) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @keras_adam_step3_skip_false_counted(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<i1> {values.are = dense<false> : tensor<i1>},
    %c: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.5625> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.765625> : tensor<f64>},
    %f: tensor<f64> {values.are = dense<2.0> : tensor<f64>},
    %g: tensor<f64> {values.are = dense<0.75> : tensor<f64>},
    %h: tensor<f64> {values.are = dense<0.875> : tensor<f64>},
    %i: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %j: tensor<f64> {values.are = dense<0.125> : tensor<f64>},
    %k: tensor<5xf32> {values.are = dense<[0.5, 1.25, -3.0, 0.0, 2.0]> : tensor<5xf32>},
    %l: tensor<5xf32> {values.are = dense<[1.0, -2.5, 0.75, 3.0, -0.5]> : tensor<5xf32>},
    %m: tensor<5xf32> {values.are = dense<[0.25, -0.5, 1.0, 0.125, -2.0]> : tensor<5xf32>},
    %n: tensor<5xf32> {values.are = dense<[5.0, 2.0, 6.0, 1.5, 7.0]> : tensor<5xf32>})
    -> (tensor<f64> {values.are = dense<3.0> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.421875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<0.669921875> : tensor<f64>, values.ulps = 8.0},
        tensor<f64> {values.are = dense<3.0> : tensor<f64>},
        tensor<5xf32> {values.are = dense<[0.9317812097366571, -2.4107499827927685, 0.7265625, 2.885937221498969, -0.38788884672312524]> : tensor<5xf64>, values.ulps = 8.0, values.at = 1.0},
        tensor<5xf32> {values.are = dense<[0.3125, -0.0625, 0.0, 0.09375, -1.0]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25},
        tensor<5xf32> {values.are = dense<[4.40625, 1.9453125, 6.375, 1.3125, 6.625]> : tensor<5xf64>, values.ulps = 4.0, values.at = 0.25}) {
  %r0, %r1, %r2, %r3, %s0, %s1, %s2, %s3, %s4, %s5 = amp.prepare "keras-adam" flags [] lr(%a) skip(%b) state(%c, %d, %e, %f) hyper(%g, %h, %i, %j) counts_skips : (tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %r4, %r5, %r6 = amp.update "keras-adam" flags [] decay(true) gradient(%k) skip(%b) scalars(%s0, %s1, %s2, %s3, %s4, %s5) parameter(%l) slots(%m, %n) : (tensor<5xf32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
