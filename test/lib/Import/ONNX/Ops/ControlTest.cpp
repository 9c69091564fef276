// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes with subgraphs, and sequences: what is left of them, and what is wrong
// with those that are refused. Numbers are those of the node suite.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

constexpr ElemType kUndefined = ElemType::Undefined;

/// A graph of one op on what is around it.
std::string branch(const std::string &op) {
  return ModelWriter().node(op, {"x"}, {"r"}, {}, "inner").output("r").graph();
}

ModelWriter withInput() {
  ModelWriter writer;
  writer.opset(20).input("x", kF32, {int64_t(4), int64_t(3)});
  return writer;
}

Outcome importIf(ModelWriter writer, const std::string &condition) {
  return importWritten(writer
                           .node("If", {condition}, {"y"},
                                 {A::graph("then_branch", branch("Exp")),
                                  A::graph("else_branch", branch("Tanh"))},
                                 "choice")
                           .output("y"));
}

TEST(If, TakesTheBranchThatIsKnown) {
  Outcome outcome = importIf(withInput().ints("c", {1}), "c");
  EXPECT_TRUE(contains(outcome, "nn.exp"));
  EXPECT_FALSE(contains(outcome, "nn.tanh"));
  EXPECT_TRUE(contains(importIf(withInput().ints("c", {0}), "c"), "nn.tanh"));
}

TEST(If, ComputesBothBranchesOfAnUnknownCondition) {
  Outcome outcome = importIf(withInput().input("c", kBool, {int64_t(1)}), "c");
  EXPECT_TRUE(contains(outcome, "%0 = nn.exp %arg0"));
  EXPECT_TRUE(contains(outcome, "%1 = nn.tanh %arg0"));
  EXPECT_TRUE(contains(outcome, ", %0, %1 : "));
}

TEST(If, TheConditionIsOneNumber) {
  std::string place = "m.onnx: node 'choice' (If, opset 20): ";
  EXPECT_EQ(importIf(withInput().ints("c", {0, 1}), "c").error,
            place + "the condition has 2 elements, expected one");
  EXPECT_EQ(importIf(withInput().input("c", kI64, {}), "c").error,
            place + "the condition must be known when the model is compiled, "
                    "but 'c' depends on an input or a parameter");
}

Outcome importUnknownIf(const std::string &thenBranch) {
  return importWritten(withInput()
                           .input("c", kBool, {})
                           .weight("v", {3})
                           .node("If", {"c"}, {"y"},
                                 {A::graph("then_branch", thenBranch),
                                  A::graph("else_branch", branch("Tanh"))},
                                 "choice")
                           .output("y"));
}

TEST(If, BranchesOfAnUnknownConditionHaveOneShape) {
  std::string row = ModelWriter()
                        .ints("first", {0})
                        .node("Gather", {"x", "first"}, {"r"})
                        .output("r")
                        .graph();
  EXPECT_EQ(
      importUnknownIf(row).error,
      "m.onnx: node 'choice' (If, opset 20): the condition 'c' depends "
      "on an input or a parameter, and output 0 has more than one type or "
      "shape: float[1x3] or float[4x3]; pad both to one shape, or give "
      "the input that it depends on by --input-value");
}

TEST(If, NoStatisticsHangOnAnUnknownCondition) {
  std::string norm =
      ModelWriter()
          .node("BatchNormalization", {"x", "v", "v", "v", "v"}, {"r"})
          .output("r")
          .graph();
  EXPECT_EQ(importUnknownIf(norm).error,
            "m.onnx: node 'choice' (If, opset 20): the condition 'c' depends "
            "on an input or a parameter, and 'then_branch' has a "
            "normalization, whose statistics would be kept in either case; "
            "give the input that it depends on by --input-value");
}

TEST(If, ANodeOfABranchSaysWhereItIs) {
  Outcome outcome =
      importWritten(withInput()
                        .ints("c", {1})
                        .node("If", {"c"}, {"y"},
                              {A::graph("then_branch", branch("Softmaxx")),
                               A::graph("else_branch", branch("Tanh"))},
                              "choice")
                        .output("y"));
  EXPECT_EQ(outcome.error,
            "m.onnx: node 'choice/inner' (Softmaxx, opset 20): this op is not "
            "supported; similar ones are: Softmax");
}

TEST(If, ABranchHasTheOutputs) {
  Outcome outcome = importWritten(
      withInput()
          .ints("c", {1})
          .node("If", {"c"}, {"y", "z"},
                {A::graph("then_branch", branch("Exp"))}, "choice")
          .output("z"));
  EXPECT_EQ(outcome.error, "m.onnx: node 'choice' (If, opset 20): the graph "
                           "'then_branch' has 1 outputs, expected 2");
  outcome = importWritten(withInput()
                              .ints("c", {0})
                              .node("If", {"c"}, {"y"},
                                    {A::graph("then_branch", branch("Exp"))},
                                    "choice")
                              .output("y"));
  EXPECT_EQ(outcome.error, "m.onnx: node 'choice' (If, opset 20): has no "
                           "attribute 'else_branch'");
}

/// A body that adds a row and yields it: (step, go, sum) to (go, sum, row).
ModelWriter addRows() {
  ModelWriter body;
  body.input("step", kUndefined, {})
      .input("go", kUndefined, {})
      .input("sum", kUndefined, {std::string("n")})
      .node("Gather", {"x", "step"}, {"row"})
      .node("Add", {"sum", "row"}, {"more"}, {}, "add")
      .output("go")
      .output("more")
      .output("row");
  return body;
}

ModelWriter loopOver(ModelWriter writer, const std::string &count,
                     const std::string &condition, const ModelWriter &body) {
  writer.input("start", kF32, {int64_t(3)})
      .node("Loop", {count, condition, "start"}, {"sum", "rows"},
            {A::graph("body", body.graph())}, "loop")
      .output("sum")
      .output("rows");
  return writer;
}

TEST(Loop, IsAsManyCopiesOfItsBody) {
  Outcome outcome =
      importWritten(loopOver(withInput().ints("n", {3}), "n", "", addRows()));
  EXPECT_TRUE(contains(outcome, "-> tensor<3x3xf32>")) << outcome.error;
  size_t adds = 0;
  for (size_t at = 0;
       (at = outcome.module.find("nn.add", at)) != std::string::npos; ++at)
    ++adds;
  EXPECT_EQ(adds, 3u);
}

TEST(Loop, WithoutStepsItsStacksAreEmpty) {
  ModelWriter body = addRows();
  std::string place = "m.onnx: node 'loop' (Loop, opset 20): ";
  EXPECT_EQ(
      importWritten(loopOver(withInput().ints("n", {0}), "n", "", body)).error,
      place + "no step computes 'row', and its shape is not declared");
}

TEST(Loop, MustBeKnownToEnd) {
  std::string place = "m.onnx: node 'loop' (Loop, opset 20): ";
  EXPECT_EQ(importWritten(
                loopOver(withInput().input("n", kI64, {}), "n", "", addRows()))
                .error,
            place + "the trip count must be known when the model is compiled, "
                    "but 'n' depends on an input or a parameter");
  EXPECT_EQ(
      importWritten(loopOver(withInput().ints("n", {3}).input("c", kBool, {}),
                             "n", "c", addRows()))
          .error,
      place + "whether it goes on must be known when the model is "
              "compiled, but depends on an input or a parameter");
  ModelWriter idle;
  idle.input("step", kUndefined, {})
      .input("go", kUndefined, {})
      .input("sum", kUndefined, {std::string("n")})
      .output("go")
      .output("sum")
      .output("sum");
  EXPECT_EQ(importWritten(loopOver(withInput(), "", "", idle)).error,
            place +
                "runs more than 65536 steps, each a copy of its body; train "
                "on parts of the sequence, or write the loop as ops over "
                "all steps");
}

TEST(Loop, ItsBodyHasAnOutputForEachState) {
  std::string place = "m.onnx: node 'loop' (Loop, opset 20): ";
  ModelWriter body;
  body.input("step", kUndefined, {}).input("go", kUndefined, {}).output("go");
  EXPECT_EQ(
      importWritten(loopOver(withInput().ints("n", {1}), "n", "", body)).error,
      place + "the body has 1 outputs, expected at least 2");
}

TEST(Scan, ItsInputsHaveOneLength) {
  ModelWriter body;
  body.input("a", kUndefined, {})
      .input("b", kUndefined, {})
      .node("Add", {"a", "b"}, {"c"})
      .output("c");
  auto errorWith = [&](std::vector<int64_t> other, std::vector<A> attributes) {
    attributes.push_back(A::graph("body", body.graph()));
    return errorOf({"Scan",
                    {{"x", {4, 3}}, {"z", std::move(other)}},
                    std::move(attributes)});
  };
  EXPECT_EQ(errorWith({5, 3}, {A::integer("num_scan_inputs", 2)}),
            "its inputs have 4 and 5 slices");
  EXPECT_EQ(errorWith({4, 3}, {A::integer("num_scan_inputs", 3)}),
            "attribute 'num_scan_inputs' is 3, there are 2 inputs");
  EXPECT_EQ(errorWith({4, 3}, {A::integer("num_scan_inputs", 2),
                               A::integers("scan_input_axes", {0})}),
            "attribute 'scan_input_axes' has 1 numbers, expected 2");
  EXPECT_EQ(
      errorOf({"Scan", {{"x", {4, 3}}}, {A::integer("num_scan_inputs", 1)}}),
      "has no attribute 'body'");
}

TEST(Scan, OfOpset8HasSamplesFirst) {
  ModelWriter body;
  body.input("s", kUndefined, {})
      .input("a", kUndefined, {})
      .node("Add", {"s", "a"}, {"c"})
      .output("c");
  auto errorWith = [&](int64_t samples, const std::string &lengths) {
    return importWritten(ModelWriter()
                             .opset(8)
                             .ints("n", {3, 3})
                             .weight("state", {samples, 5})
                             .weight("x", {2, 3, 5})
                             .node("Scan", {lengths, "state", "x"}, {"y"},
                                   {A::integer("num_scan_inputs", 1),
                                    A::graph("body", body.graph())})
                             .output("y"))
        .error;
  };
  std::string place = "m.onnx: node 'n' (Scan, opset 8): ";
  EXPECT_EQ(errorWith(2, ""), "");
  EXPECT_EQ(errorWith(2, "n"),
            place + "sequence_lens is not supported; opset 9 has none");
  EXPECT_EQ(errorWith(1, ""),
            place +
                "an input is 1x5, and another has another number of samples");
}

TEST(Sequences, DisappearWhereTheyAreJoined) {
  Outcome outcome = importWritten(
      withInput()
          .ints("first", {0})
          .node("SplitToSequence", {"x"}, {"rows"})
          .node("SequenceErase", {"rows", "first"}, {"fewer"})
          .node("SequenceInsert", {"fewer", "x"}, {"more"})
          .node("SequenceLength", {"more"}, {"length"})
          .node("ConcatFromSequence", {"more"}, {"y"}, {A::integer("axis", 0)})
          .output("y")
          .output("length"));
  EXPECT_TRUE(contains(outcome, "-> tensor<7x3xf32>")) << outcome.error;
  EXPECT_TRUE(contains(outcome, "dense<4> : tensor<i64>"));
}

TEST(Sequences, SayWhatTheyCannotDo) {
  auto errorWith = [](const std::string &op,
                      const std::vector<std::string> &inputs) {
    return importWritten(withInput()
                             .ints("far", {9})
                             .input("z", kF32, {int64_t(2)})
                             .node("SequenceEmpty", {}, {"none"})
                             .node("SequenceConstruct", {"x", "z"}, {"both"})
                             .node(op, inputs, {"y"}, {}, "last")
                             .output("y"))
        .error;
  };
  std::string place = "m.onnx: node 'last' (";
  EXPECT_EQ(errorWith("SequenceErase", {"none"}),
            place + "SequenceErase, opset 20): the sequence is empty");
  EXPECT_EQ(errorWith("ConcatFromSequence", {"none"}),
            place + "ConcatFromSequence, opset 20): the sequence is empty");
  EXPECT_EQ(errorWith("ConcatFromSequence", {"both"}),
            place + "ConcatFromSequence, opset 20): cannot join 4x3 and 2 "
                    "along axis 0");
  EXPECT_EQ(errorWith("SequenceLength", {"x"}),
            place + "SequenceLength, opset 20): input 0 is a tensor, expected "
                    "a sequence");
  EXPECT_EQ(errorWith("SequenceInsert", {"both", "x", "far"}),
            place + "SequenceInsert, opset 20): the position is out of range "
                    "for 2 elements");
  EXPECT_EQ(errorWith("SequenceInsert", {"both", "none"}),
            place + "SequenceInsert, opset 20): inserts a sequence, expected a "
                    "tensor");
  EXPECT_EQ(errorWith("Exp", {"both"}),
            place + "Exp, opset 20): input 'both' is a sequence, expected a "
                    "tensor");
}

// A file may not make the reader recurse without end.
TEST(Graphs, AreNestedToALimit) {
  std::string graph = branch("Exp");
  for (int i = 0; i < 40; ++i)
    graph = ModelWriter()
                .node("If", {"c"}, {"r"}, {A::graph("then_branch", graph)})
                .output("r")
                .graph();
  Outcome outcome = importWritten(
      withInput()
          .ints("c", {1})
          .node("If", {"c"}, {"y"}, {A::graph("then_branch", graph)})
          .output("y"));
  EXPECT_NE(outcome.error.find("graphs are nested more than 32 deep"),
            std::string::npos)
      << outcome.error;
}

} // namespace
