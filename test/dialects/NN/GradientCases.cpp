// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of functions whose gradients are tested.
#include "GradientCases.h"

using namespace mpc::test;

using Cases = std::vector<GradientCase>;

static const Domain kPositive = Domain::Positive, kDistinct = Domain::Distinct,
                    kShifted = Domain::Shifted;

static void addUnary(Cases &cases) {
  auto add = [&](const std::string &op, Domain domain = Domain::Any,
                 double ulps = 1.5, const std::string &settings = "") {
    cases.push_back({op,
                     domain == kPositive ? "positive" : "",
                     {{"3x7", domain}},
                     "3x7",
                     "%r = nn." + op + " %a " + settings + " : tensor<3x7x$T>",
                     ulps});
  };
  for (const char *op :
       {"neg",   "abs",  "sign",     "relu",       "tanh",     "sigmoid",
        "erf",   "sin",  "cos",      "exp",        "softplus", "gelu",
        "floor", "ceil", "round",    "atan",       "sinh",     "cosh",
        "asinh", "mish", "softsign", "hard_swish", "expm1"})
    add(op);
  add("leaky_relu", Domain::Any, 1.5, "alpha 0.1");
  add("leaky_relu", Domain::Any, 1.5, "alpha -0.3");
  add("elu", Domain::Any, 1.5, "alpha 1.5 scale 1.25 width 0.5");
  add("hard_sigmoid", Domain::Any, 1.5, "alpha 0.2 beta 0.5");
  add("swish", Domain::Any, 1.5, "alpha 1.5");
  for (const char *op : {"tan", "asin", "acos", "atanh"})
    cases.push_back({op,
                     "within 1/2",
                     {{"3x7"}},
                     "3x7",
                     "%q = nn.constant dense<0.25> : tensor<3x7x$T>\n"
                     "%s = nn.mul %a, %q : tensor<3x7x$T>\n"
                     "%r = nn." +
                         std::string(op) + " %s : tensor<3x7x$T>",
                     3.5});
  cases.push_back({"acosh", "beyond 1", {{"3x7", kPositive}}, "3x7", R"(
    %one = nn.constant dense<1.0> : tensor<3x7x$T>
    %s = nn.add %a, %one : tensor<3x7x$T>
    %r = nn.acosh %s : tensor<3x7x$T>)"});
  add("sqrt", kPositive);
  add("log", kPositive);
  add("log1p", kPositive);
  add("rsqrt", kPositive, 3.5);
  add("reciprocal", Domain::Any, 2.5);
  cases.push_back({"gelu",
                   "tanh",
                   {{"3x7"}},
                   "3x7",
                   "%r = nn.gelu %a tanh : tensor<3x7x$T>"});
}

static void addBinary(Cases &cases) {
  auto add = [&](const std::string &op, Domain a, Domain b) {
    cases.push_back({op,
                     "",
                     {{"3x7", a}, {"3x7", b}},
                     "3x7",
                     "%r = nn." + op + " %a, %b : tensor<3x7x$T>"});
  };
  for (const char *op : {"add", "sub", "mul", "div"})
    add(op, Domain::Any, Domain::Any);
  add("pow", kPositive, Domain::Any);
  add("rem", Domain::Any, Domain::Any);
  add("maximum", kDistinct, kShifted);
  add("minimum", kDistinct, kShifted);
  cases.push_back({"pow", "negative base", {{"3x7"}}, "3x7", R"(
    %three = nn.constant dense<3.0> : tensor<3x7x$T>
    %r = nn.pow %a, %three : tensor<3x7x$T>)"});
  cases.push_back({"mul", "square", {{"3x7"}}, "3x7", R"(
    %r = nn.mul %a, %a : tensor<3x7x$T>)"});
  cases.push_back({"compare",
                   "",
                   {{"3x7", kDistinct}, {"3x7", kShifted}},
                   "3x7",
                   R"(
    %m = nn.compare lt %a, %b : tensor<3x7x$T> -> tensor<3x7xi1>
    %f = nn.cast %m : tensor<3x7xi1> -> tensor<3x7x$T>
    %p = nn.mul %a, %b : tensor<3x7x$T>
    %r = nn.mul %p, %f : tensor<3x7x$T>)"});
  cases.push_back({"select",
                   "",
                   {{"5"}, {"5"}, {"5", Domain::Any, {1, 0, 0, 1, 1}}},
                   "5",
                   R"(
    %m = nn.cast %c : tensor<5xi64> -> tensor<5xi1>
    %r = nn.select %m, %a, %b : tensor<5xi1>, tensor<5x$T>)"});
  cases.push_back({"cast", "to the computing type", {{"3x7"}}, "3x7", R"(
    %w = nn.cast %a : tensor<3x7x$T> -> tensor<3x7x$C>
    %q = nn.mul %w, %w : tensor<3x7x$C>
    %r = nn.cast %q : tensor<3x7x$C> -> tensor<3x7x$T>)"});
  cases.push_back({"cast",
                   "of integers",
                   {{"4"}, {"4", Domain::Any, {-2, 3, 1, 7}}},
                   "4",
                   R"(
    %f = nn.cast %b : tensor<4xi64> -> tensor<4x$T>
    %r = nn.mul %a, %f : tensor<4x$T>)"});
  cases.push_back({"constant", "", {{"3"}}, "3", R"(
    %k = nn.constant dense<[0.5, -2.0, 1.5]> : tensor<3x$T>
    %r = nn.mul %a, %k : tensor<3x$T>)"});
}

/// Integers pass no gradient on; what they are a factor of does.
static void addBits(Cases &cases) {
  auto add = [&](const std::string &op, const std::string &text) {
    cases.push_back(
        {op, "", {{"4"}, {"4", Domain::Any, {2, 3, 1, 7}}}, "4", text + R"(
    %r = nn.mul %a, %f : tensor<4x$T>)"});
  };
  for (const char *op :
       {"bit_and", "bit_or", "bit_xor", "shift_left", "shift_right"})
    add(op, "%two = nn.constant dense<2> : tensor<4xi64>\n%i = nn." +
                std::string(op) +
                " %b, %two : tensor<4xi64>\n"
                "%f = nn.cast %i : tensor<4xi64> -> tensor<4x$T>");
  add("bitcast", R"(
    %i = nn.bitcast %b : tensor<4xi64> -> tensor<4xui64>
    %f = nn.cast %i : tensor<4xui64> -> tensor<4x$T>)");
}

static void addMovement(Cases &cases) {
  auto add = [&](const std::string &op, const std::string &variant,
                 const std::string &from, const std::string &to,
                 const std::string &how) {
    cases.push_back({op,
                     variant,
                     {{from}},
                     to,
                     "%r = nn." + op + " %a " + how + " : tensor<" + from +
                         "x$T> -> tensor<" + to + "x$T>"});
  };
  add("reshape", "", "3x4x5", "6x10", "");
  add("transpose", "", "3x4x5", "5x3x4", "[2, 0, 1]");
  add("broadcast", "new axes", "5", "3x5x2", "axes [1]");
  add("broadcast", "unit axes", "3x1x5", "3x4x5", "axes [0, 1, 2]");
  add("broadcast", "unit and new axes", "1x5", "4x2x5", "axes [0, 2]");
  add("slice", "contiguous", "5x7", "2x7", "[1, 0] to [3, 7] by [1, 1]");
  add("slice", "box", "5x7", "3x4", "[1, 2] to [4, 6] by [1, 1]");
  add("slice", "front", "6x9", "3x3", "[0, 0] to [3, 3] by [1, 1]");
  add("slice", "odd front", "5x7", "3x4", "[0, 0] to [3, 4] by [1, 1]");
  add("slice", "strides", "7x9", "3x3", "[1, 0] to [7, 8] by [2, 3]");
  cases.push_back({"slice",
                   "many of one tensor",
                   {{"7x6"}},
                   "2x6",
                   R"(
    %first = nn.slice %a [0, 0] to [2, 6] by [1, 1] : tensor<7x6x$T> -> tensor<2x6x$T>
    %next = nn.slice %a [2, 0] to [4, 6] by [1, 1] : tensor<7x6x$T> -> tensor<2x6x$T>
    %later = nn.slice %a [5, 0] to [7, 6] by [1, 1] : tensor<7x6x$T> -> tensor<2x6x$T>
    %across = nn.slice %a [1, 0] to [3, 6] by [1, 1] : tensor<7x6x$T> -> tensor<2x6x$T>
    %p = nn.mul %first, %next : tensor<2x6x$T>
    %q = nn.mul %later, %across : tensor<2x6x$T>
    %r = nn.add %p, %q : tensor<2x6x$T>)",
                   2.5});
  cases.push_back({"slice",
                   "tiles of one tensor",
                   {{"4x6"}},
                   "2x3",
                   R"(
    %t0 = nn.slice %a [0, 0] to [2, 3] by [1, 1] : tensor<4x6x$T> -> tensor<2x3x$T>
    %t1 = nn.slice %a [0, 3] to [2, 6] by [1, 1] : tensor<4x6x$T> -> tensor<2x3x$T>
    %t2 = nn.slice %a [2, 0] to [4, 3] by [1, 1] : tensor<4x6x$T> -> tensor<2x3x$T>
    %t3 = nn.slice %a [2, 3] to [4, 6] by [1, 1] : tensor<4x6x$T> -> tensor<2x3x$T>
    %p = nn.mul %t0, %t3 : tensor<2x3x$T>
    %q = nn.mul %t1, %t2 : tensor<2x3x$T>
    %r = nn.sub %p, %q : tensor<2x3x$T>)",
                   2.5});
  add("pad", "", "3x5", "6x7",
      "low [1, 0] high [2, 2] interior [0, 0] value 0.5");
  add("pad", "negative", "5x7", "4x5",
      "low [-1, 2] high [0, -4] interior [0, 0] value 1.0");
  add("pad", "interior", "3x4", "7x10",
      "low [1, 0] high [1, 0] interior [1, 2] value 0.0");
  add("pad", "interior and negative", "4x5", "6x6",
      "low [-2, 1] high [1, -4] interior [1, 1] value 0.25");
  cases.push_back({"broadcast", "of a scalar", {{""}}, "3x2", R"(
    %r = nn.broadcast %a axes [] : tensor<$T> -> tensor<3x2x$T>)"});
  cases.push_back({"concat", "", {{"2x3"}, {"2x1"}, {"2x4"}}, "2x8", R"(
    %r = nn.concat %a, %b, %c axis(1)
        : tensor<2x3x$T>, tensor<2x1x$T>, tensor<2x4x$T> -> tensor<2x8x$T>)"});
  cases.push_back({"concat", "of one value", {{"2x3"}}, "4x3", R"(
    %r = nn.concat %a, %a axis(0)
        : tensor<2x3x$T>, tensor<2x3x$T> -> tensor<4x3x$T>)"});
  cases.push_back({"concat", "of equal parts", {{"2x3"}, {"2x3"}}, "2x6", R"(
    %r = nn.concat %a, %b axis(1)
        : tensor<2x3x$T>, tensor<2x3x$T> -> tensor<2x6x$T>)"});
  cases.push_back({"split", "", {{"5x2"}}, "2x2", R"(
    %p:3 = nn.split %a axis(0)
        : tensor<5x2x$T> -> tensor<2x2x$T>, tensor<1x2x$T>, tensor<2x2x$T>
    %r = nn.mul %p#0, %p#2 : tensor<2x2x$T>)"});
  cases.push_back({"reverse", "", {{"3x4x5"}}, "3x4x5", R"(
    %r = nn.reverse %a axes [2, 0] : tensor<3x4x5x$T>)"});
}

static void addIndexing(Cases &cases) {
  cases.push_back({"iota", "", {{"3x5"}}, "3x5", R"(
    %i = nn.iota axis(1) : tensor<3x5xi64>
    %f = nn.cast %i : tensor<3x5xi64> -> tensor<3x5x$T>
    %r = nn.mul %a, %f : tensor<3x5x$T>)"});
  // Repeated, negative, and out of range on both sides.
  Argument indices{"2x3", Domain::Any, {1, -1, 1, 9, -9, 0}};
  cases.push_back({"gather", "", {{"4x3"}, indices}, "2x3x3", R"(
    %r = nn.gather %a, %b axis(0)
        : tensor<4x3x$T>, tensor<2x3xi64> -> tensor<2x3x3x$T>)"});
  cases.push_back({"gather", "behind axes", {{"2x5x3"}, indices}, "2x2x3x3", R"(
    %r = nn.gather %a, %b axis(1)
        : tensor<2x5x3x$T>, tensor<2x3xi64> -> tensor<2x2x3x3x$T>)"});
  cases.push_back({"gather", "batch", {{"2x5x3"}, indices}, "2x3x3", R"(
    %r = nn.gather %a, %b axis(1) batch(1)
        : tensor<2x5x3x$T>, tensor<2x3xi64> -> tensor<2x3x3x$T>)"});
  cases.push_back({"gather", "permutation", {{"2x4x3"}}, "2x4x3", R"(
    %i = nn.constant dense<[2, 0, 3, 1]> : tensor<4xi64>
    %r = nn.gather %a, %i axis(1)
        : tensor<2x4x3x$T>, tensor<4xi64> -> tensor<2x4x3x$T>)"});
  cases.push_back({"scatter_add", "", {{"2x3x3"}, indices}, "4x3", R"(
    %r = nn.scatter_add %a, %b axis(0)
        : tensor<2x3x3x$T>, tensor<2x3xi64> -> tensor<4x3x$T>)"});
  cases.push_back(
      {"scatter_add", "behind axes", {{"2x2x3x3"}, indices}, "2x5x3", R"(
    %r = nn.scatter_add %a, %b axis(1)
        : tensor<2x2x3x3x$T>, tensor<2x3xi64> -> tensor<2x5x3x$T>)"});
  cases.push_back({"scatter_add", "batch", {{"2x3x3"}, indices}, "2x5x3", R"(
    %r = nn.scatter_add %a, %b axis(1) batch(1)
        : tensor<2x3x3x$T>, tensor<2x3xi64> -> tensor<2x5x3x$T>)"});
  for (const char *how : {"axis(1)", "axis(0) reverse"})
    cases.push_back(
        {"cumsum",
         how,
         {{"3x5"}},
         "3x5",
         "\n    %r = nn.cumsum %a " + std::string(how) + " : tensor<3x5x$T>"});
  Argument places{"6", Domain::Any, {1, -1, 1, 9, -9, 0}};
  for (const char *kind : {"max", "min"})
    cases.push_back({"scatter_reduce",
                     kind,
                     {{"4x3", kDistinct}, {"6x3", kShifted}, places},
                     "4x3",
                     "%r = nn.scatter_reduce " + std::string(kind) +
                         " %a, %b, %c : tensor<4x3x$T>, tensor<6x3x$T>, "
                         "tensor<6xi64>"});
  cases.push_back({"scatter_reduce",
                   "mul",
                   {{"4x3"}, {"6x3"}, places},
                   "4x3",
                   R"(
    %r = nn.scatter_reduce mul %a, %b, %c
        : tensor<4x3x$T>, tensor<6x3x$T>, tensor<6xi64>)"});
  cases.push_back({"rank", "", {{"3x5", kDistinct}}, "3x5", R"(
    %i = nn.rank %a descending : tensor<3x5x$T> -> tensor<3x5xi64>
    %f = nn.cast %i : tensor<3x5xi64> -> tensor<3x5x$T>
    %r = nn.mul %a, %f : tensor<3x5x$T>)"});
}

static void addReductions(Cases &cases) {
  auto add = [&](const std::string &op, const std::string &axes,
                 const std::string &result, Domain domain) {
    std::string type = result.empty() ? "$T" : result + "x$T";
    cases.push_back({op,
                     axes,
                     {{"3x5x4", domain}},
                     result,
                     "%r = nn." + op + " %a axes [" + axes +
                         "] : tensor<3x5x4x$T> -> tensor<" + type + ">"});
  };
  add("reduce_sum", "2", "3x5", Domain::Any);
  add("reduce_sum", "0, 2", "5", Domain::Any);
  add("reduce_sum", "0, 1, 2", "", Domain::Any);
  add("reduce_max", "2", "3x5", kDistinct);
  add("reduce_max", "0", "5x4", kDistinct);
  add("reduce_max", "0, 1, 2", "", kDistinct);
  add("reduce_prod", "2", "3x5", Domain::Any);
  add("reduce_prod", "0", "5x4", Domain::Any);
}

static void addContractions(Cases &cases) {
  for (int transposed = 0; transposed < 4; ++transposed) {
    bool tl = transposed & 1, tr = transposed & 2;
    auto add = [&](const std::string &batch) {
      std::string lhs = batch + (tl ? "4x3" : "3x4");
      std::string rhs = batch + (tr ? "5x4" : "4x5");
      std::string flags = (tl ? std::string(" transpose_lhs") : "") +
                          (tr ? " transpose_rhs" : "");
      cases.push_back({"matmul",
                       batch + flags,
                       {{lhs}, {rhs}},
                       batch + "3x5",
                       "%r = nn.matmul %a, %b" + flags + " : tensor<" + lhs +
                           "x$T>, tensor<" + rhs + "x$T> -> tensor<" + batch +
                           "3x5x$T>"});
    };
    add("");
    add("2x");
  }
  cases.push_back({"matmul",
                   "by one matrix twice",
                   {{"4x5"}, {"2x4"}, {"2x4"}},
                   "2x5",
                   R"(
    %p = nn.matmul %b, %a : tensor<2x4x$T>, tensor<4x5x$T> -> tensor<2x5x$T>
    %q = nn.matmul %c, %a : tensor<2x4x$T>, tensor<4x5x$T> -> tensor<2x5x$T>
    %r = nn.mul %p, %q : tensor<2x5x$T>)",
                   2.5});
  cases.push_back({"matmul",
                   "by two columns",
                   {{"6x5"}, {"5x1"}, {"5x1"}},
                   "6x1",
                   R"(
    %p = nn.matmul %a, %b : tensor<6x5x$T>, tensor<5x1x$T> -> tensor<6x1x$T>
    %q = nn.matmul %a, %c : tensor<6x5x$T>, tensor<5x1x$T> -> tensor<6x1x$T>
    %r = nn.mul %p, %q : tensor<6x1x$T>)",
                   2.5});
  cases.push_back({"linear",
                   "two of one output",
                   {{"6x5"}, {"1x5"}, {"1x5"}},
                   "6x1",
                   R"(
    %p = nn.linear %a, %b : tensor<6x5x$T>, tensor<1x5x$T> -> tensor<6x1x$T>
    %q = nn.linear %a, %c : tensor<6x5x$T>, tensor<1x5x$T> -> tensor<6x1x$T>
    %r = nn.mul %p, %q : tensor<6x1x$T>)",
                   2.5});
  cases.push_back({"matmul", "bias", {{"2x4x3"}, {"2x4x5"}, {"5"}}, "2x3x5", R"(
    %r = nn.matmul %a, %b transpose_lhs bias %c : tensor<5x$T>
        : tensor<2x4x3x$T>, tensor<2x4x5x$T> -> tensor<2x3x5x$T>)"});
  cases.push_back({"linear", "", {{"3x4"}, {"5x4"}}, "3x5", R"(
    %r = nn.linear %a, %b
        : tensor<3x4x$T>, tensor<5x4x$T> -> tensor<3x5x$T>)"});
  cases.push_back({"linear", "bias", {{"2x3x4"}, {"5x4"}, {"5"}}, "2x3x5", R"(
    %r = nn.linear %a, %b bias %c : tensor<5x$T>
        : tensor<2x3x4x$T>, tensor<5x4x$T> -> tensor<2x3x5x$T>)"});
  cases.push_back({"linear",
                   "of an activation",
                   {{"2x3x4"}, {"5x4"}},
                   "2x3x5",
                   R"(
    %s = nn.sigmoid %a : tensor<2x3x4x$T>
    %r = nn.linear %s, %b
        : tensor<2x3x4x$T>, tensor<5x4x$T> -> tensor<2x3x5x$T>)",
                   2.5});
  cases.push_back({"linear", "of a vector", {{"4"}, {"5x4"}}, "5", R"(
    %r = nn.linear %a, %b : tensor<4x$T>, tensor<5x4x$T> -> tensor<5x$T>)"});
}

static void addConvolutions(Cases &cases) {
  auto add = [&](const std::string &variant, const std::string &input,
                 const std::string &weight, const std::string &output,
                 const std::string &attributes, const std::string &bias = "") {
    std::vector<Argument> arguments{{input}, {weight}};
    std::string text = "%r = nn.conv %a, %b";
    if (!bias.empty()) {
      arguments.push_back({bias});
      text += " bias %c : tensor<" + bias + "x$T>";
    }
    cases.push_back({"conv", variant, arguments, output,
                     text + " " + attributes + " : tensor<" + input +
                         "x$T>, tensor<" + weight + "x$T> -> tensor<" + output +
                         "x$T>"});
  };
  add("1-D", "2x3x7", "4x3x3", "2x4x5",
      "strides [1] low [0] high [0] dilations [1] groups(1)");
  add("1-D stride, padding and dilation", "2x3x8", "4x3x3", "2x4x4",
      "strides [2] low [2] high [1] dilations [2] groups(1)", "4");
  add("1-D four taps in steps of two", "2x3x9", "4x3x4", "2x4x4",
      "strides [2] low [1] high [0] dilations [1] groups(1)");
  add("1-D negative padding", "1x2x9", "3x2x2", "1x3x5",
      "strides [1] low [-1] high [-2] dilations [1] groups(1)");
  add("2-D", "2x3x5x6", "4x3x2x3", "2x4x4x4",
      "strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)", "4");
  add("2-D stride with a rest", "1x2x6x7", "3x2x3x2", "1x3x2x2",
      "strides [2, 3] low [0, 0] high [0, 0] dilations [1, 1] groups(1)");
  add("2-D all", "2x4x7x6", "6x2x3x2", "2x6x4x7",
      "strides [2, 1] low [1, 2] high [2, 1] dilations [1, 2] groups(2)", "6");
  add("2-D phases that no tap reaches", "2x2x7x6", "3x2x2x2", "2x3x3x3",
      "strides [3, 2] low [1, 0] high [0, 1] dilations [1, 2] groups(1)");
  add("2-D stride that divides the dilation", "1x4x9x8", "4x2x2x2", "1x4x3x2",
      "strides [2, 4] low [0, 0] high [0, 0] dilations [4, 2] groups(2)");
  add("2-D 16 phases", "1x2x8x9", "3x2x3x4", "1x3x2x2",
      "strides [4, 4] low [0, 1] high [0, 0] dilations [1, 1] groups(1)");
  add("2-D depthwise", "2x3x5x5", "6x1x3x3", "2x6x5x5",
      "strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups(3)");
}

static void addPools(Cases &cases) {
  auto add = [&](const std::string &variant, const std::string &from,
                 const std::string &to, const std::string &attributes) {
    cases.push_back({"max_pool",
                     variant,
                     {{from, kDistinct}},
                     to,
                     "%r, %i = nn.max_pool %a " + attributes + " : tensor<" +
                         from + "x$T> -> tensor<" + to + "x$T>, tensor<" + to +
                         "xi64>"});
  };
  add("1-D", "2x3x7", "2x3x3",
      "window [2] strides [2] low [0] high [0] "
      "dilations [1]");
  add("2-D", "1x2x6x7", "1x2x4x3",
      "window [3, 3] strides [2, 2] low [1, 0] "
      "high [2, 0] dilations [1, 1]");
  add("dilation", "1x2x6x7", "1x2x6x5",
      "window [3, 2] strides [1, 1] "
      "low [2, 1] high [2, 0] "
      "dilations [2, 3]");
}

static void addNormalizations(Cases &cases) {
  for (const char *op : {"softmax", "log_softmax"}) {
    std::string name(op);
    for (const char *axis : {"0", "1", "2"})
      cases.push_back(
          {name,
           axis,
           {{"3x4x5"}},
           "3x4x5",
           "%r = nn." + name + " %a axis(" + axis + ") : tensor<3x4x5x$T>",
           4.0});
  }
  cases.push_back({"layer_norm", "plain", {{"3x5"}}, "3x5", R"(
    %r = nn.layer_norm %a axis(1) epsilon(1.0e-3) : tensor<3x5x$T>)"});
  cases.push_back({"layer_norm", "scale", {{"3x5"}, {"5"}}, "3x5", R"(
    %r = nn.layer_norm %a scale %b : tensor<5x$T> axis(1) epsilon(1.0e-3)
        : tensor<3x5x$T>)"});
  cases.push_back({"layer_norm", "bias", {{"2x3x5"}, {"3x5"}}, "2x3x5", R"(
    %r = nn.layer_norm %a bias %b : tensor<3x5x$T> axis(1) epsilon(1.0e-3)
        : tensor<2x3x5x$T>)"});
  cases.push_back(
      {"layer_norm", "scale and bias", {{"2x3x5"}, {"5"}, {"5"}}, "2x3x5", R"(
    %r = nn.layer_norm %a scale %b : tensor<5x$T> bias %c : tensor<5x$T>
        axis(2) epsilon(1.0e-3) : tensor<2x3x5x$T>)"});
  cases.push_back({"rms_norm", "plain", {{"3x5"}}, "3x5", R"(
    %r = nn.rms_norm %a axis(1) epsilon(1.0e-3) : tensor<3x5x$T>)"});
  cases.push_back({"rms_norm", "scale", {{"2x3x5"}, {"3x5"}}, "2x3x5", R"(
    %r = nn.rms_norm %a scale %b : tensor<3x5x$T> axis(1) epsilon(1.0e-3)
        : tensor<2x3x5x$T>)"});
}

static void addBatchNorms(Cases &cases) {
  const std::string constants = R"(
    %one = nn.constant dense<[1.0, 0.5, -2.0]> : tensor<3x$T>
    %two = nn.constant dense<[0.5, 1.0, 2.0]> : tensor<3x$T>
    )";
  const std::string tail = R"( epsilon(1.0e-3) momentum(0.1)
        : (tensor<2x3x4x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>,
           tensor<3x$T>))";
  const std::string normal = tail + " -> tensor<2x3x4x$T>";
  cases.push_back({"batch_norm",
                   "scale and bias",
                   {{"2x3x4"}, {"3"}, {"3"}},
                   "2x3x4",
                   constants +
                       "%r = nn.batch_norm %a, %b, %c, %one, %two axis(1)" +
                       normal});
  cases.push_back({"batch_norm",
                   "statistics",
                   {{"2x3x4"}, {"3"}, {"3", Domain::Positive}},
                   "2x3x4",
                   constants +
                       "%r = nn.batch_norm %a, %one, %two, %b, %c axis(1)" +
                       normal});
  const std::string training =
      " = nn.batch_norm_training %a, %b, %c, %one, %two axis(1)" + tail +
      R"( -> (tensor<2x3x4x$T>, tensor<3x$C>, tensor<3x$C>, tensor<3x$T>,
              tensor<3x$T>))";
  std::vector<Argument> arguments = {{"2x3x4"}, {"3"}, {"3"}};
  cases.push_back({"batch_norm_training", "output", arguments, "2x3x4",
                   constants + "%r, %m, %d, %n, %v" + training});
  cases.push_back({"batch_norm_training", "mean", arguments, "3",
                   constants + "%y, %m, %d, %n, %v" + training +
                       "\n%r = nn.cast %m : tensor<3x$C> -> tensor<3x$T>"});
  cases.push_back({"batch_norm_training", "reciprocal deviation", arguments,
                   "3",
                   constants + "%y, %m, %d, %n, %v" + training +
                       "\n%r = nn.cast %d : tensor<3x$C> -> tensor<3x$T>"});
}

static void addLosses(Cases &cases) {
  auto add = [&](const std::string &variant, const std::string &logits,
                 const Argument &labels, const std::string &attributes) {
    cases.push_back({"cross_entropy",
                     variant,
                     {{logits}, labels},
                     "",
                     "%r = nn.cross_entropy %a, %b " + attributes +
                         " : tensor<" + logits + "x$T>, tensor<" +
                         labels.shape + "xi64> -> tensor<$T>"});
  };
  add("", "4x5", {"4", Domain::Any, {0, 4, 2, 2}}, "axis(1)");
  add("axis 1", "2x5x3", {"2x3", Domain::Any, {0, 4, 2, 1, 1, 3}}, "axis(1)");
  add("labels out of range", "4x5", {"4", Domain::Any, {0, 5, -1, 2}},
      "axis(1)");
  add("ignore_index", "4x5", {"4", Domain::Any, {0, -100, 2, -100}},
      "axis(1) ignore_index(-100)");
  add("ignore_index on axis 1", "2x5x3",
      {"2x3", Domain::Any, {0, 4, 2, 2, 1, 3}}, "axis(1) ignore_index(2)");
}

static void addRandom(Cases &cases) {
  cases.push_back({"dropout", "", {{"3x7"}}, "3x7", R"(
    %n = nn.constant dense<5> : tensor<i64>
    %c = nn.constant dense<[5, 6]> : tensor<2xi64>
    %r = nn.dropout %a ratio 0.25 stream 1
        key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<3x7x$T>)"});
  cases.push_back({"dropout",
                   "without a key",
                   {{"3x7"}},
                   "3x7",
                   "%r = nn.dropout %a ratio 0.25 stream 1 : tensor<3x7x$T>"});
}

static Cases makeCases() {
  Cases cases;
  addUnary(cases);
  addBinary(cases);
  addBits(cases);
  addMovement(cases);
  addIndexing(cases);
  addReductions(cases);
  addContractions(cases);
  addConvolutions(cases);
  addPools(cases);
  addNormalizations(cases);
  for (const GradientCase &attention : attentionCases())
    cases.push_back(attention);
  addBatchNorms(cases);
  addLosses(cases);
  addRandom(cases);
  return cases;
}

const Cases &mpc::test::gradientCases() {
  static const Cases kCases = makeCases();
  return kCases;
}
