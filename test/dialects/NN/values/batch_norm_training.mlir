// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func private @sample_f32_vjp_of(%a: tensor<2x3x4xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) sample_variance : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func @sample_f32_vjp(
    %a: tensor<2x3x4xf32> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xf32>},
    %b: tensor<3xf32> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf32>},
    %c: tensor<3xf32> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf32>},
    %d: tensor<3xf32> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf32>},
    %e: tensor<3xf32> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf32>},
    %f: tensor<2x3x4xf32> {values.are = dense<[[[1.0, -0.5, 0.75, 2.0], [0.25, 1.0, -0.5, 0.75], [2.0, 0.25, 1.0, -0.5]], [[0.75, 2.0, 0.25, 1.0], [-0.5, 0.75, 2.0, 0.25], [1.0, -0.5, 0.75, 2.0]]]> : tensor<2x3x4xf32>},
    %g: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %h: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %i: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %j: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>})
    -> (tensor<2x3x4xf32> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 8.0, values.at = 4.0},
        tensor<3xf32> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf32> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf32> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf32> {values.are = dense<[0.4608677455357143, 1.2377232142857144, 1.8358677455357142]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<2x3x4xf32> {values.are = dense<[[[0.10545669524666663, 2.5606907171439417, -0.2135925847338867, -1.9380538154046894], [-0.1702619393082327, 0.08544421743678948, 0.01131132311190378, -0.04837777027434663], [1.3188173035827069, -0.761258590841821, 0.6684332167077897, -2.4700329887302233]], [[0.24038452713942188, -1.7394388289601168, 1.2763265672111408, -0.29177327764247846], [-0.025128628485192782, -0.0848177218714432, 0.2381126765118202, -0.0062821571212981955], [1.6452222828935612, -2.3304916935608273, 0.8895757567048992, 1.039734713243915]]]> : tensor<2x3x4xf64>, values.ulps = 24.5, values.at = 8.0},
        tensor<3xf32> {values.are = dense<[0.9938592587509651, 4.905837803613914, 3.3792715451172612]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0},
        tensor<3xf32> {values.are = dense<[7.25, 4.0, 6.0]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0}) {
  %v:8 = nn.vjp @sample_f32_vjp_of(%a, %b, %c, %d, %e) seed(%f, %g, %h, %i, %j) wrt [] args [0, 1, 2]
      : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>), (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  return %v#0, %v#1, %v#2, %v#3, %v#4, %v#5, %v#6, %v#7 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @population_f32(
    %a: tensor<2x3x4xf32> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xf32>},
    %b: tensor<3xf32> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf32>},
    %c: tensor<3xf32> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf32>},
    %d: tensor<3xf32> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf32>},
    %e: tensor<3xf32> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf32>})
    -> (tensor<2x3x4xf32> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 8.0, values.at = 4.0},
        tensor<3xf32> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf32> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf32> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf32> {values.are = dense<[0.42669677734375, 1.2001953125, 1.81732177734375]> : tensor<3xf64>, values.ulps = 4.0}) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @last_f32(
    %a: tensor<2x3x5xf32> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25, 7.75], [7.25, 5.25, 7.75, 7.25, 6.125], [6.125, 6.375, 6.0, 7.125, 6.625]], [[5.625, 5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5, 6.0], [5.625, 4.75, 6.375, 5.375, 7.75]]]> : tensor<2x3x5xf32>},
    %b: tensor<5xf32> {values.are = dense<[-1.75, 0.25, 1.375, -1.625, 1.625]> : tensor<5xf32>},
    %c: tensor<5xf32> {values.are = dense<[-0.5, -0.125, 0.625, 0.75, 1.5]> : tensor<5xf32>},
    %d: tensor<5xf32> {values.are = dense<[0.5, -0.25, -0.125, -1.125, 1.375]> : tensor<5xf32>},
    %e: tensor<5xf32> {values.are = dense<[0.25, 1.25, 2.25, 3.25, 4.25]> : tensor<5xf32>})
    -> (tensor<2x3x5xf32> {values.are = dense<[[[-2.9825613112068896, 0.12468061309220924, -1.6790509676504772, 1.998764986244725, 3.666437018683572], [-2.716572599291866, -0.3247444904737674, 2.125803841313614, 0.06519339463998863, -0.08872048036795288], [-0.32267419205665143, 0.12468061309220924, 0.3502049304637048, 0.3068898435905807, 1.0667125962632855]], [[0.7412806556034439, -0.2248722452368837, 2.379460828577887, -1.1432888501129717, 1.0667125962632855], [1.539246791348515, 0.07474449047376741, -0.1571090440648406, -0.41819950326119537, -0.3775787495257623], [0.7412806556034439, -0.5244889809475348, 0.7306904113601139, 3.6906401288988695, 3.666437018683572]]]> : tensor<2x3x5xf64>, values.ulps = 8.0, values.at = 4.0},
        tensor<5xf32> {values.are = dense<[6.208333333333333, 5.75, 6.270833333333333, 6.895833333333333, 6.8125]> : tensor<5xf64>, values.ulps = 2.0},
        tensor<5xf32> {values.are = dense<[1.2159483973258232, 1.5979559237901393, 0.7379112356778844, 1.1898902102182993, 1.422071478930755]> : tensor<5xf64>, values.ulps = 4.0},
        tensor<5xf32> {values.are = dense<[1.9270833333333333, 1.25, 1.4739583333333333, 0.8802083333333333, 2.734375]> : tensor<5xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<5xf32> {values.are = dense<[0.3563368055555556, 1.03515625, 2.1463758680555554, 2.6138237847222223, 3.3108723958333335]> : tensor<5xf64>, values.ulps = 4.0}) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(2) epsilon(0.001) momentum(0.25) : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func private @sample_f64_vjp_of(%a: tensor<2x3x4xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>, %d: tensor<3xf64>, %e: tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) sample_variance : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
func.func @sample_f64_vjp(
    %a: tensor<2x3x4xf64> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xf64>},
    %b: tensor<3xf64> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf64>},
    %c: tensor<3xf64> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf64>},
    %d: tensor<3xf64> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf64>},
    %e: tensor<3xf64> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf64>},
    %f: tensor<2x3x4xf64> {values.are = dense<[[[1.0, -0.5, 0.75, 2.0], [0.25, 1.0, -0.5, 0.75], [2.0, 0.25, 1.0, -0.5]], [[0.75, 2.0, 0.25, 1.0], [-0.5, 0.75, 2.0, 0.25], [1.0, -0.5, 0.75, 2.0]]]> : tensor<2x3x4xf64>},
    %g: tensor<3xf64> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf64>},
    %h: tensor<3xf64> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf64>},
    %i: tensor<3xf64> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf64>},
    %j: tensor<3xf64> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf64>})
    -> (tensor<2x3x4xf64> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 8.0, values.at = 4.0},
        tensor<3xf64> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf64> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf64> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf64> {values.are = dense<[0.4608677455357143, 1.2377232142857144, 1.8358677455357142]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<2x3x4xf64> {values.are = dense<[[[0.10545669524666663, 2.5606907171439417, -0.2135925847338867, -1.9380538154046894], [-0.1702619393082327, 0.08544421743678948, 0.01131132311190378, -0.04837777027434663], [1.3188173035827069, -0.761258590841821, 0.6684332167077897, -2.4700329887302233]], [[0.24038452713942188, -1.7394388289601168, 1.2763265672111408, -0.29177327764247846], [-0.025128628485192782, -0.0848177218714432, 0.2381126765118202, -0.0062821571212981955], [1.6452222828935612, -2.3304916935608273, 0.8895757567048992, 1.039734713243915]]]> : tensor<2x3x4xf64>, values.ulps = 24.5, values.at = 8.0},
        tensor<3xf64> {values.are = dense<[0.9938592587509651, 4.905837803613914, 3.3792715451172612]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0},
        tensor<3xf64> {values.are = dense<[7.25, 4.0, 6.0]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0}) {
  %v:8 = nn.vjp @sample_f64_vjp_of(%a, %b, %c, %d, %e) seed(%f, %g, %h, %i, %j) wrt [] args [0, 1, 2]
      : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>), (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>
  return %v#0, %v#1, %v#2, %v#3, %v#4, %v#5, %v#6, %v#7 : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @population_f64(
    %a: tensor<2x3x4xf64> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xf64>},
    %b: tensor<3xf64> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf64>},
    %c: tensor<3xf64> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf64>},
    %d: tensor<3xf64> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf64>},
    %e: tensor<3xf64> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf64>})
    -> (tensor<2x3x4xf64> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 8.0, values.at = 4.0},
        tensor<3xf64> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf64> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf64> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf64> {values.are = dense<[0.42669677734375, 1.2001953125, 1.81732177734375]> : tensor<3xf64>, values.ulps = 4.0}) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func private @sample_f16_vjp_of(%a: tensor<2x3x4xf16>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) sample_variance : (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func @sample_f16_vjp(
    %a: tensor<2x3x4xf16> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xf16>},
    %b: tensor<3xf32> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf32>},
    %c: tensor<3xf32> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf32>},
    %d: tensor<3xf32> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf32>},
    %e: tensor<3xf32> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf32>},
    %f: tensor<2x3x4xf16> {values.are = dense<[[[1.0, -0.5, 0.75, 2.0], [0.25, 1.0, -0.5, 0.75], [2.0, 0.25, 1.0, -0.5]], [[0.75, 2.0, 0.25, 1.0], [-0.5, 0.75, 2.0, 0.25], [1.0, -0.5, 0.75, 2.0]]]> : tensor<2x3x4xf16>},
    %g: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %h: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %i: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %j: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>})
    -> (tensor<2x3x4xf16> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 0.51, values.at = 4.0},
        tensor<3xf32> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf32> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf32> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf32> {values.are = dense<[0.4608677455357143, 1.2377232142857144, 1.8358677455357142]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<2x3x4xf16> {values.are = dense<[[[0.10545669524666663, 2.5606907171439417, -0.2135925847338867, -1.9380538154046894], [-0.1702619393082327, 0.08544421743678948, 0.01131132311190378, -0.04837777027434663], [1.3188173035827069, -0.761258590841821, 0.6684332167077897, -2.4700329887302233]], [[0.24038452713942188, -1.7394388289601168, 1.2763265672111408, -0.29177327764247846], [-0.025128628485192782, -0.0848177218714432, 0.2381126765118202, -0.0062821571212981955], [1.6452222828935612, -2.3304916935608273, 0.8895757567048992, 1.039734713243915]]]> : tensor<2x3x4xf64>, values.ulps = 1.01, values.at = 8.0},
        tensor<3xf32> {values.are = dense<[0.9938592587509651, 4.905837803613914, 3.3792715451172612]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0},
        tensor<3xf32> {values.are = dense<[7.25, 4.0, 6.0]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0}) {
  %v:8 = nn.vjp @sample_f16_vjp_of(%a, %b, %c, %d, %e) seed(%f, %g, %h, %i, %j) wrt [] args [0, 1, 2]
      : (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>), (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>
  return %v#0, %v#1, %v#2, %v#3, %v#4, %v#5, %v#6, %v#7 : tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>
}

func.func @population_f16(
    %a: tensor<2x3x4xf16> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xf16>},
    %b: tensor<3xf32> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf32>},
    %c: tensor<3xf32> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf32>},
    %d: tensor<3xf32> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf32>},
    %e: tensor<3xf32> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf32>})
    -> (tensor<2x3x4xf16> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 0.51, values.at = 4.0},
        tensor<3xf32> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf32> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf32> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf32> {values.are = dense<[0.42669677734375, 1.2001953125, 1.81732177734375]> : tensor<3xf64>, values.ulps = 4.0}) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) : (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func private @sample_bf16_vjp_of(%a: tensor<2x3x4xbf16>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) sample_variance : (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func @sample_bf16_vjp(
    %a: tensor<2x3x4xbf16> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xbf16>},
    %b: tensor<3xf32> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf32>},
    %c: tensor<3xf32> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf32>},
    %d: tensor<3xf32> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf32>},
    %e: tensor<3xf32> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf32>},
    %f: tensor<2x3x4xbf16> {values.are = dense<[[[1.0, -0.5, 0.75, 2.0], [0.25, 1.0, -0.5, 0.75], [2.0, 0.25, 1.0, -0.5]], [[0.75, 2.0, 0.25, 1.0], [-0.5, 0.75, 2.0, 0.25], [1.0, -0.5, 0.75, 2.0]]]> : tensor<2x3x4xbf16>},
    %g: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %h: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %i: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>},
    %j: tensor<3xf32> {values.are = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>})
    -> (tensor<2x3x4xbf16> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 0.51, values.at = 4.0},
        tensor<3xf32> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf32> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf32> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf32> {values.are = dense<[0.4608677455357143, 1.2377232142857144, 1.8358677455357142]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<2x3x4xbf16> {values.are = dense<[[[0.10545669524666663, 2.5606907171439417, -0.2135925847338867, -1.9380538154046894], [-0.1702619393082327, 0.08544421743678948, 0.01131132311190378, -0.04837777027434663], [1.3188173035827069, -0.761258590841821, 0.6684332167077897, -2.4700329887302233]], [[0.24038452713942188, -1.7394388289601168, 1.2763265672111408, -0.29177327764247846], [-0.025128628485192782, -0.0848177218714432, 0.2381126765118202, -0.0062821571212981955], [1.6452222828935612, -2.3304916935608273, 0.8895757567048992, 1.039734713243915]]]> : tensor<2x3x4xf64>, values.ulps = 1.01, values.at = 8.0},
        tensor<3xf32> {values.are = dense<[0.9938592587509651, 4.905837803613914, 3.3792715451172612]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0},
        tensor<3xf32> {values.are = dense<[7.25, 4.0, 6.0]> : tensor<3xf64>, values.ulps = 24.5, values.at = 8.0}) {
  %v:8 = nn.vjp @sample_bf16_vjp_of(%a, %b, %c, %d, %e) seed(%f, %g, %h, %i, %j) wrt [] args [0, 1, 2]
      : (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>), (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>
  return %v#0, %v#1, %v#2, %v#3, %v#4, %v#5, %v#6, %v#7 : tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>
}

func.func @population_bf16(
    %a: tensor<2x3x4xbf16> {values.are = dense<[[[7.375, 6.375, 4.0, 6.25], [7.75, 7.25, 5.25, 7.75], [7.25, 6.125, 6.125, 6.375]], [[6.0, 7.125, 6.625, 5.625], [5.5, 8.0, 7.875, 6.625], [5.25, 6.25, 5.5, 7.5]]]> : tensor<2x3x4xbf16>},
    %b: tensor<3xf32> {values.are = dense<[-1.75, 0.25, 1.375]> : tensor<3xf32>},
    %c: tensor<3xf32> {values.are = dense<[-0.5, -0.125, 0.625]> : tensor<3xf32>},
    %d: tensor<3xf32> {values.are = dense<[0.5, -0.25, -0.125]> : tensor<3xf32>},
    %e: tensor<3xf32> {values.are = dense<[0.25, 1.25, 2.25]> : tensor<3xf32>})
    -> (tensor<2x3x4xbf16> {values.are = dense<[[[-2.651366025970965, -0.8632176407483446, 3.3836347741553774, -0.6396990925955172], [0.05782625355082907, -0.06405791548305698, -0.5515945916186011, 0.05782625355082907], [2.4419000054276303, 0.29736229410321424, 0.29736229410321424, 0.7739262299530845]], [[-0.1926619962898622, -2.2043289296653095, -1.3102547370539996, 0.47789364816862034], [-0.49065250710165814, 0.1187683380677721, 0.0882972958093006, -0.21641312677541452], [-1.3706114813713315, 0.5356442620281493, -0.8940475455214614, 2.9184639412775004]]]> : tensor<2x3x4xf64>, values.ulps = 0.51, values.at = 4.0},
        tensor<3xf32> {values.are = dense<[6.171875, 7.0, 6.296875]> : tensor<3xf64>, values.ulps = 2.0},
        tensor<3xf32> {values.are = dense<[1.0217990772700685, 0.9750733522710884, 1.3863678133814406]> : tensor<3xf64>, values.ulps = 4.0},
        tensor<3xf32> {values.are = dense<[1.91796875, 1.5625, 1.48046875]> : tensor<3xf64>, values.ulps = 2.0, values.at = 2.0},
        tensor<3xf32> {values.are = dense<[0.42669677734375, 1.2001953125, 1.81732177734375]> : tensor<3xf64>, values.ulps = 4.0}) {
  %r0, %r1, %r2, %r3, %r4 = nn.batch_norm_training %a, %b, %c, %d, %e axis(1) epsilon(0.001) momentum(0.25) : (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x3x4xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
