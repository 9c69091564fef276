// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @step_41(
    %a: tensor<i64> {values.are = dense<41> : tensor<i64>})
    -> (tensor<5xi64> {values.are = dense<[41, 4294967337, 8589934633, 12884901929, 17179869225]> : tensor<5xi64>}) {
  %r = nn.random_counters %a : tensor<5xi64>
  return %r : tensor<5xi64>
}

func.func @step_487(
    %a: tensor<i64> {values.are = dense<21474836487> : tensor<i64>})
    -> (tensor<5xi64> {values.are = dense<[7, 4294967303, 8589934599, 12884901895, 17179869191]> : tensor<5xi64>}) {
  %r = nn.random_counters %a : tensor<5xi64>
  return %r : tensor<5xi64>
}

func.func @step_999(
    %a: tensor<i64> {values.are = dense<-1> : tensor<i64>})
    -> (tensor<5xi64> {values.are = dense<[4294967295, 8589934591, 12884901887, 17179869183, 21474836479]> : tensor<5xi64>}) {
  %r = nn.random_counters %a : tensor<5xi64>
  return %r : tensor<5xi64>
}
