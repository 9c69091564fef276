// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @known_answer_zeros(
    %a: tensor<i64> {values.are = dense<0> : tensor<i64>},
    %b: tensor<1xi64> {values.are = dense<[0]> : tensor<1xi64>},
    %c: tensor<i64> {values.are = dense<0> : tensor<i64>})
    -> (tensor<1xi32> {values.are = dense<[1713891541]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[-513161843]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[-1135104948]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[-1694442536]> : tensor<1xi32>}) {
  %r0 = nn.random_bits stream 0 word 0 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r1 = nn.random_bits stream 0 word 1 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r2 = nn.random_bits stream 0 word 2 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r3 = nn.random_bits stream 0 word 3 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  return %r0, %r1, %r2, %r3 : tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>
}

func.func @known_answer_ones(
    %a: tensor<i64> {values.are = dense<-1> : tensor<i64>},
    %b: tensor<1xi64> {values.are = dense<[-1]> : tensor<1xi64>},
    %c: tensor<i64> {values.are = dense<-1> : tensor<i64>})
    -> (tensor<1xi32> {values.are = dense<[1083123565]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[1103641358]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[-1576286266]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[1834242557]> : tensor<1xi32>}) {
  %r0 = nn.random_bits stream 0 word 0 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r1 = nn.random_bits stream 0 word 1 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r2 = nn.random_bits stream 0 word 2 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r3 = nn.random_bits stream 0 word 3 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  return %r0, %r1, %r2, %r3 : tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>
}

func.func @known_answer_pi(
    %a: tensor<i64> {values.are = dense<2999170649027065890> : tensor<i64>},
    %b: tensor<1xi64> {values.are = dense<[1376283091369227076]> : tensor<1xi64>},
    %c: tensor<i64> {values.are = dense<-8817193942522041720> : tensor<i64>})
    -> (tensor<1xi32> {values.are = dense<[-781386231]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[-1795306261]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[1342301216]> : tensor<1xi32>},
        tensor<1xi32> {values.are = dense<[605187745]> : tensor<1xi32>}) {
  %r0 = nn.random_bits stream 0 word 0 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r1 = nn.random_bits stream 0 word 1 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r2 = nn.random_bits stream 0 word 2 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  %r3 = nn.random_bits stream 0 word 3 key(%a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<1xi32>
  return %r0, %r1, %r2, %r3 : tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>
}

func.func @scalar(
    %a: tensor<i64> {values.are = dense<20015998343868> : tensor<i64>},
    %b: tensor<4xi64> {values.are = dense<[0, 0, 0, 12884901929]> : tensor<4xi64>},
    %c: tensor<i64> {values.are = dense<3> : tensor<i64>})
    -> (tensor<i32> {values.are = dense<443006134> : tensor<i32>}) {
  %r = nn.random_bits stream 3 key(%a, %b, %c : tensor<i64>, tensor<4xi64>, tensor<i64>) : tensor<i32>
  return %r : tensor<i32>
}

func.func @line(
    %a: tensor<i64> {values.are = dense<20015998343868> : tensor<i64>},
    %b: tensor<4xi64> {values.are = dense<[0, 0, 0, 12884901929]> : tensor<4xi64>},
    %c: tensor<i64> {values.are = dense<0> : tensor<i64>})
    -> (tensor<37xi32> {values.are = dense<[-1112999991, 1485871019, 510104722, 443006134, -1245954422, 904496495, -1037724443, 1286160750, 293935880, 1382006760, -834149843, 1741206321, -1754474418, 1250722216, 604472660, -309210893, -452142281, -716478644, -1303096741, -1185955892, -1977133111, 1383800586, -1758171073, 1252681380, 1541261454, 2109724821, -1961919840, 712578043, 1747306594, 520409573, 421224284, -566503074, -1623416532, -970288875, 783693274, -699372582, -1118121757]> : tensor<37xi32>}) {
  %r = nn.random_bits stream 3 key(%a, %b, %c : tensor<i64>, tensor<4xi64>, tensor<i64>) : tensor<37xi32>
  return %r : tensor<37xi32>
}

func.func @box(
    %a: tensor<i64> {values.are = dense<20015998343868> : tensor<i64>},
    %b: tensor<4xi64> {values.are = dense<[0, 0, 0, 12884901929]> : tensor<4xi64>},
    %c: tensor<i64> {values.are = dense<5> : tensor<i64>})
    -> (tensor<3x2x19xi32> {values.are = dense<[[[-1396771079, 1929721985, 583771459, 1846798369, 963678106, 919673042, -809461241, 1150388190, -352616778, -625583057, 450856829, 1512489875, -186723706, -55923814, 1242658639, -2088618755, 1380852929, 1036318361, -942421966], [1924000573, 2120671994, -38026663, -1584665645, 1071111605, 637976141, -2082697609, 1803472232, -992777073, 2098845028, 49340999, 1807459850, 557829677, 1666277700, -1350504610, -1775010391, 212200604, 634889401, -2131051171]], [[1187404847, 1656248857, 979887454, 1288464875, -87349668, -1006140098, -1004528502, -453246692, -778263975, -1334397508, -1069253937, -1132504307, 1502968582, 1037904743, 1806339892, 1903472200, 1365061699, 2076590334, -1329515601], [285164763, -1835630123, -341456419, 1578914103, -950121640, -1457231418, 715711693, -270403424, 742710577, 1597057659, 733817063, -927595852, -1564778185, 408209240, -34703290, -1707132668, 1612150024, 2073293142, 621563404]], [[-1913524976, -1526849305, -311828638, 1048260184, -738118922, -1088727763, 1994490481, 678080006, 2054638382, 10208835, -1212589379, 956009879, -1503805605, 1337624381, -1318818556, -150737140, 597947151, -66398365, -1808236152], [507378852, -191266412, 328246901, 455567082, -1993602952, -1178437226, 180922775, 1042079521, 1437869181, -1806435612, -1595536199, 1896632042, 579102411, 1706914412, -102005274, -482673736, -1057741815, -1392737067, -1182261012]]]> : tensor<3x2x19xi32>}) {
  %r = nn.random_bits stream 3 key(%a, %b, %c : tensor<i64>, tensor<4xi64>, tensor<i64>) : tensor<3x2x19xi32>
  return %r : tensor<3x2x19xi32>
}

func.func @carry(
    %a: tensor<i64> {values.are = dense<20015998343868> : tensor<i64>},
    %b: tensor<4xi64> {values.are = dense<[0, 0, 0, 12884901929]> : tensor<4xi64>},
    %c: tensor<i64> {values.are = dense<122713351> : tensor<i64>})
    -> (tensor<5x7xi32> {values.are = dense<[[-705496394, 2076941961, -1476025533, -823060500, 2144183074, 1983847794, 449300913], [-2088775922, 347443354, -432787565, -1715034664, 1317097877, -529631186, -1007982197], [592340795, -766567036, 2884843, -464691306, -1241402449, 227847560, 1117797639], [-1888246373, -1123421149, -1104427817, 1518466212, 1766584381, -231726819, 2050347561], [-653324055, 141713243, 1717644284, -2040544534, 2050765671, 2082539913, -326505830]]> : tensor<5x7xi32>}) {
  %r = nn.random_bits stream 3 key(%a, %b, %c : tensor<i64>, tensor<4xi64>, tensor<i64>) : tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}
