// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of attention.
#include "GradientCases.h"

using namespace mpc::test;

using Cases = std::vector<GradientCase>;

/// Attention of two heads of five queries. The fourth argument, %d, is the mask
/// or what it is made of.
static void addAttention(Cases &cases) {
  auto add = [&](const std::string &variant, const std::string &keys,
                 const std::string &how, const std::string &before = "",
                 const std::vector<Argument> &mask = {}) {
    std::vector<Argument> arguments = {
        {"2x2x5x4"}, {keys + "x4"}, {keys + "x3"}};
    arguments.insert(arguments.end(), mask.begin(), mask.end());
    cases.push_back(
        {"attention", variant, arguments, "2x2x5x3",
         before + "%r, %l, %ls = nn.attention %a, %b, %c " + how +
             " : tensor<2x2x5x4x$T>, tensor<" + keys + "x4x$T>, tensor<" +
             keys +
             "x3x$T> -> tensor<2x2x5x3x$T>, tensor<2x2x5x$C>, tensor<2x2x5x$C>",
         4.0});
  };
  add("", "2x2x6", "scale(0.5)");
  add("causal", "2x2x5", "scale(0.5) causal");
  add("causal, more keys", "2x2x6", "scale(0.5) causal");
  add("causal, fewer keys", "2x2x3", "scale(0.5) causal");
  add("window", "2x2x5", "scale(0.5) causal window(2)");
  add("window without keys", "2x2x2", "scale(0.5) causal window(2)");
  add("softcap", "2x1x6", "scale(2.0) softcap(1.5) causal");
  add("grouped heads", "2x1x6", "scale(-0.5)");
  add("mask of numbers", "2x2x6", "mask %d : tensor<2x2x5x6x$T> scale(0.5)", "",
      {{"2x2x5x6"}});
  add("repeated mask of numbers", "2x1x6",
      "mask %d : tensor<1x2x1x6x$T> scale(0.5)", "", {{"1x2x1x6"}});
  const std::string cast = R"(
    %m = nn.cast %d : tensor<1x1x5x6xi64> -> tensor<1x1x5x6xi1>
    )";
  // The third row has no key.
  Argument bits{"1x1x5x6", Domain::Any, {1, 0, 1, 1, 0, 1, 0, 1, 1, 0,
                                         1, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                         1, 1, 1, 1, 0, 0, 1, 1, 0, 1}};
  const std::string masked = "mask %m : tensor<1x1x5x6xi1> scale(0.5)";
  add("mask and a row without keys", "2x2x6", masked, cast, {bits});
  add("dropout, causal and grouped", "2x1x6",
      "scale(0.5) causal dropout(0.25) stream 1 "
      "key(%n, %u, %n : tensor<i64>, tensor<2xi64>, tensor<i64>)",
      R"(
    %n = nn.constant dense<7> : tensor<i64>
    %u = nn.constant dense<[3, 4294967299]> : tensor<2xi64>
    )");
  add("mask, causal and grouped", "2x1x6", masked + " causal window(4)", cast,
      {bits});
}

/// What is kept of a row, as a result.
static void addAttentionSums(Cases &cases) {
  cases.push_back({"attention",
                   "sums",
                   {{"2x2x3x4"}, {"2x1x6x4"}, {"2x1x6x5"}},
                   "2x2x3",
                   R"(
    %o, %m, %e = nn.attention %a, %b, %c scale(0.5) causal
        : tensor<2x2x3x4x$T>, tensor<2x1x6x4x$T>, tensor<2x1x6x5x$T>
        -> tensor<2x2x3x5x$T>, tensor<2x2x3x$C>, tensor<2x2x3x$C>
    %g = nn.log %e : tensor<2x2x3x$C>
    %l = nn.add %m, %g : tensor<2x2x3x$C>
    %p = nn.mul %o, %o : tensor<2x2x3x5x$T>
    %s = nn.reduce_sum %p axes [3] : tensor<2x2x3x5x$T> -> tensor<2x2x3x$T>
    %n = nn.cast %l : tensor<2x2x3x$C> -> tensor<2x2x3x$T>
    %r = nn.mul %s, %n : tensor<2x2x3x$T>)",
                   8.0});
}

/// The gradient of queries; that of keys and values are sums of the like, which
/// second order of attention holds.
static void addAttentionGradients(Cases &cases) {
  auto add = [&](const std::string &variant, const std::string &result,
                 const std::string &shape) {
    cases.push_back({"attention_gradient",
                     variant,
                     {{"1x2x3x4"}, {"1x1x6x4"}, {"1x2x3x5"}},
                     shape,
                     R"(
    %v = nn.constant dense<0.5> : tensor<1x1x6x5x$T>
    %m = nn.constant dense<1.5> : tensor<1x2x3x$C>
    %l = nn.constant dense<1.25> : tensor<1x2x3x$C>
    %s = nn.constant dense<0.25> : tensor<1x2x3x$C>
    )" + result + R"( = nn.attention_gradient %a, %b, %v
        row_max %m row_sum %l delta %s d_output %c scale(0.5)
        : tensor<1x2x3x4x$T>, tensor<1x1x6x4x$T>, tensor<1x1x6x5x$T>,
          tensor<1x2x3x$C>, tensor<1x2x3x$C>, tensor<1x2x3x$C>,
          tensor<1x2x3x5x$T>
        -> tensor<1x2x3x4x$T>, tensor<1x1x6x4x$T>, tensor<1x1x6x5x$T>)",
                     4.0});
  };
  add("queries", "%r, %dk, %dv", "1x2x3x4");
  add("keys", "%dq, %r, %dv", "1x1x6x4");
  add("values", "%dq, %dk, %r", "1x1x6x5");
}

Cases mpc::test::attentionCases() {
  Cases cases;
  addAttention(cases);
  addAttentionSums(cases);
  addAttentionGradients(cases);
  return cases;
}
