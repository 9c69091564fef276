// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local functions: their nodes stand where they are called.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

const std::string kMine = "my.ops";

/// y = leaky(x) * scale, of two nodes.
TestFunction scaledLeaky() {
  return {kMine,
          "ScaledLeaky",
          {"x", "scale"},
          {"y"},
          {testNode("LeakyRelu", {"x"}, {"h"}, {A::reference("alpha", "slope")},
                    "leaky"),
           testNode("Mul", {"h", "scale"}, {"y"}, {}, "times")}};
}

ModelWriter withInput() {
  ModelWriter writer;
  writer.opset(20).opset(1, kMine).input("x", kF32, {int64_t(2)});
  return writer;
}

TEST(Functions, AttributesAreThoseOfTheCall) {
  Outcome outcome =
      importWritten(withInput()
                        .weight("w", {2})
                        .function(scaledLeaky())
                        .node("ScaledLeaky", {"x", "w"}, {"y"},
                              {A::real("slope", 0.25F)}, "act", kMine)
                        .output("y"));
  EXPECT_TRUE(contains(outcome, "nn.leaky_relu %arg0 alpha 2.5"))
      << outcome.error;
  // Its weight is read by a product, as if the product stood in the graph.
  EXPECT_EQ(outcome.parameters, std::vector<std::string>{"w"});
}

TEST(Functions, AnAttributeLeftOutHasItsDefault) {
  TestFunction function = scaledLeaky();
  ModelWriter writer = withInput();
  writer.weight("w", {2});
  auto call = [&](ModelWriter model) {
    return importWritten(
        model.node("ScaledLeaky", {"x", "w"}, {"y"}, {}, "act", kMine)
            .output("y"));
  };
  // Without one, that of the op.
  EXPECT_TRUE(contains(call(ModelWriter(writer).function(function)),
                       "alpha 0.00999999"));
  function.defaults = {A::real("slope", 0.5F)};
  EXPECT_TRUE(
      contains(call(ModelWriter(writer).function(function)), "alpha 5.0"));
}

TEST(Functions, ANodeSaysWhichCallItIsFrom) {
  TestFunction function{kMine,
                        "F",
                        {"x"},
                        {"y"},
                        {testNode("Softmaxx", {"x"}, {"y"}, {}, "inner")}};
  Outcome outcome =
      importWritten(withInput()
                        .function(function)
                        .node("F", {"x"}, {"y"}, {}, "call", kMine)
                        .output("y"));
  EXPECT_EQ(outcome.error,
            "m.onnx: node 'call/inner' (Softmaxx, opset 20): this op is not "
            "supported; similar ones are: Softmax");
}

TEST(Functions, NamesOfTwoCallsAreApart) {
  TestFunction function{kMine,
                        "Twice",
                        {"x"},
                        {"y"},
                        {testNode("Exp", {"x"}, {"h"}, {}, "exp"),
                         testNode("Add", {"h", "x"}, {"y"}, {}, "add")}};
  // A function of functions, and an output that is an input.
  TestFunction outer{kMine,
                     "Outer",
                     {"h"},
                     {"y", "h"},
                     {testNode("Twice", {"h"}, {"m"}, {}, "call", kMine),
                      testNode("Twice", {"m"}, {"y"}, {}, "call", kMine)}};
  Outcome outcome =
      importWritten(withInput()
                        .function(function)
                        .function(outer)
                        .node("Outer", {"x"}, {"y", "z"}, {}, "call", kMine)
                        .output("y")
                        .output("z"));
  EXPECT_TRUE(contains(outcome, "nn.exp %arg0")) << outcome.error;
  EXPECT_TRUE(contains(outcome, ", %arg0 : tensor<2xf32>, tensor<2xf32>"));
}

TEST(Functions, StandInSubgraphs) {
  std::string branch = ModelWriter()
                           .node("ScaledLeaky", {"x", "x"}, {"r"},
                                 {A::real("slope", 0.25F)}, "act", kMine)
                           .output("r")
                           .graph();
  Outcome outcome = importWritten(
      withInput()
          .ints("c", {1})
          .function(scaledLeaky())
          .node("If", {"c"}, {"y"}, {A::graph("then_branch", branch)}, "choice")
          .output("y"));
  EXPECT_TRUE(contains(outcome, "nn.leaky_relu")) << outcome.error;
}

TEST(Functions, SayWhatIsWrongWithACall) {
  TestFunction circle{kMine,
                      "F",
                      {"x"},
                      {"y"},
                      {testNode("F", {"x"}, {"y"}, {}, "again", kMine)}};
  auto errorOfCall = [&](const std::vector<std::string> &inputs) {
    return importWritten(withInput()
                             .function(circle)
                             .node("F", inputs, {"y"}, {}, "call", kMine)
                             .output("y"))
        .error;
  };
  EXPECT_EQ(errorOfCall({"x"}),
            "m.onnx: node 'call/again' (F): the function calls itself");
  EXPECT_EQ(errorOfCall({"x", "x"}),
            "m.onnx: node 'call' (F): has 2 inputs and 1 outputs, the function "
            "1 and 1");
}

} // namespace
