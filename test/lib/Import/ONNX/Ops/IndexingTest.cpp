// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on single positions, scans and remainders: what they become, and what is
// wrong with a node that is refused. Their numbers are those of the node suite.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

TEST(Indexing, GatherElementsReadsTheFlatInput) {
  Outcome outcome =
      import({"GatherElements", {{"x", {3, 4}}, {"i", {2, 4}, kI64}}});
  EXPECT_TRUE(contains(outcome, "axis(0) : tensor<12xf32>, tensor<8xi64>"));
}

TEST(Indexing, IndicesFitTheData) {
  EXPECT_EQ(errorOf({"GatherElements", {{"x", {3, 4}}, {"i", {2}, kI64}}}),
            "the indices are 2, expected 2 axes");
  EXPECT_EQ(errorOf({"GatherElements", {{"x", {3, 4}}, {"i", {2, 5}, kI64}}}),
            "the indices are 2x5, the data 3x4");
  EXPECT_EQ(errorOf({"GatherElements", {{"x", {0, 4}}, {"i", {2, 4}, kI64}}}),
            "indexes an empty axis");
  EXPECT_EQ(errorOf({"GatherElements", {{"x", {3}}, {"i", {3}}}}),
            "the indices are float, expected integers");
  EXPECT_EQ(errorOf({"GatherElements", {{"x", {3}}}, {}, {{"i", {1, 3}}}}),
            "index 3 is out of range for an axis of size 3");
  EXPECT_EQ(errorOf({"GatherND", {{"x", {3}}, {"i", {2, 2}, kI64}}}),
            "the indices are 2x2, the data 3");
  EXPECT_EQ(errorOf({"GatherND", {{"x", {0}}, {"i", {2, 1}, kI64}}}),
            "indexes an empty axis");
  EXPECT_EQ(errorOf({"GatherND",
                     {{"x", {3, 4}}, {"i", {2, 1}, kI64}},
                     {A::integer("batch_dims", 1)}}),
            "attribute 'batch_dims' is 1, the data 3x4, the indices 2x1");
}

// PyTorch writes the repeats of an axis so, and the shape that follows.
TEST(Indexing, AOneHotVectorOfWhatIsKnownIsKnown) {
  Outcome outcome =
      importWritten(ModelWriter()
                        .opset(20)
                        .input("x", kF32, {int64_t(2), int64_t(3)})
                        .ints("i", {1})
                        .ints("depth", {2})
                        .ints("values", {1, 4})
                        .ints("flat", {-1})
                        .node("OneHot", {"i", "depth", "values"}, {"h"})
                        .node("Reshape", {"h", "flat"}, {"n"})
                        .node("Tile", {"x", "n"}, {"y"})
                        .output("y"));
  EXPECT_TRUE(contains(outcome, "-> (tensor<2x12xf32>"));
}

// PyTorch's exporter of TorchScript writes a range so, where a slice is set.
TEST(Indexing, TheNonZeroPlacesOfWhatIsKnownAreKnown) {
  Outcome outcome = importWritten(ModelWriter()
                                      .opset(20)
                                      .input("x", kF32, {int64_t(4)})
                                      .ints("v", {0, 5, 0, -1})
                                      .ints("shape", {2, 2})
                                      .node("Reshape", {"v", "shape"}, {"m"})
                                      .node("NonZero", {"m"}, {"i"})
                                      .node("Gather", {"x", "i"}, {"y"})
                                      .output("y"));
  EXPECT_TRUE(contains(outcome, "dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>"));
  EXPECT_EQ(errorOf({"NonZero", {{"x", {2}}}}),
            "its input is not known when the model is compiled; the size of "
            "its result depends on the data, and a step is compiled for fixed "
            "shapes: select by a mask (torch.where; (x * mask).sum() / "
            "mask.sum() for x[mask].mean()), or compute it outside of the "
            "model");
}

TEST(Indexing, ScatterSaysWhatDoesNotFit) {
  EXPECT_EQ(
      errorOf({"ScatterElements", {{"x", {3}}, {"i", {2}, kI64}, {"u", {1}}}}),
      "the indices are 2, the updates 1");
  EXPECT_EQ(
      errorOf({"ScatterND", {{"x", {3}}, {"i", {2, 1}, kI64}, {"u", {1}}}}),
      "the updates are 1, the indices name 2 places of 1 elements");
  EXPECT_EQ(errorOf({"ScatterND",
                     {{"x", {3}}, {"i", {2, 1}, kI64}, {"u", {2}}},
                     {A::text("reduction", "median")}}),
            "attribute 'reduction' is 'median', expected none, add, mul, max "
            "or min");
  EXPECT_EQ(
      errorOf({"ScatterND",
               {{"x", {3}, kBool}, {"i", {2, 1}, kI64}, {"u", {2}, kBool}},
               {A::text("reduction", "max")}}),
      "reduction 'max' of bool is not supported");
}

TEST(Indexing, AnExtremumHasAFirstPlace) {
  EXPECT_TRUE(contains(import({"ArgMax", {{"x", {3, 4}}}}),
                       "nn.reduce_max %arg0 axes [0]"));
  EXPECT_TRUE(contains(import({"ArgMin", {{"x", {3}, kI64}}}),
                       "axes [0] : tensor<3xi64> -> tensor<i64>"));
  EXPECT_EQ(errorOf({"ArgMax", {{"x", {3}, kBool}}}),
            "input 'x' is bool, expected numbers");
  EXPECT_EQ(errorOf({"ArgMax", {{"x", {0}}}}),
            "axis 0 has 0 elements, expected 1 to 2^24");
}

TEST(Cumulative, SumsAreOneOp) {
  Outcome outcome = import({"CumSum", {{"x", {5}}}, {}, {{"axis", {0}}}});
  EXPECT_TRUE(contains(outcome, "nn.cumsum %arg0 axis(0)"));
  EXPECT_EQ(errorOf({"CumSum", {{"x", {5}, kBool}}, {}, {{"axis", {0}}}}),
            "the operand is bool, expected numbers");
  EXPECT_EQ(errorOf({"CumSum", {{"x", {5}}}, {}, {{"axis", {0, 0}}}}),
            "the axis has 2 elements, expected one");
}

TEST(Elementwise, RemaindersAreOfNumbers) {
  EXPECT_TRUE(contains(
      import({"Mod", {{"a", {5}}, {"b", {5}}}, {A::integer("fmod", 1)}}),
      "nn.rem %arg0, %arg1"));
  EXPECT_EQ(errorOf({"Mod", {{"a", {5}, kBool}, {"b", {5}, kBool}}}),
            "input 'a' is bool, expected numbers");
}

/// ReduceSum over axes that are an input.
ModelWriter sumOverInput() {
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(2), int64_t(3)})
      .input("axes", kI64, {int64_t(1)})
      .node("ReduceSum", {"x", "axes"}, {"y"})
      .output("y");
  return writer;
}

TEST(InputValues, SettingsAreCompiledIn) {
  ModelOptions options;
  llvm::cantFail(parseInputValue("axes=1", options));
  EXPECT_TRUE(contains(importWritten(sumOverInput(), options),
                       "nn.reduce_sum %arg0 axes [1]"));
  int64_t axis = 0;
  ModelOptions file;
  file.inputTensors.push_back({{"axes", mpc::rt::DType::I64, {1}},
                               {reinterpret_cast<const char *>(&axis), 8}});
  EXPECT_TRUE(contains(importWritten(sumOverInput(), file),
                       "nn.reduce_sum %arg0 axes [0]"));
}

/// An input that is scaled, and fixes a length then.
ModelWriter rangeOfInput() {
  ModelWriter writer;
  writer.opset(20)
      .input("size", kI64, {int64_t(1)})
      .ints("two", {2})
      .node("Mul", {"size", "two"}, {"limit"})
      .node("Range", {"zero", "limit", "one"}, {"y"})
      .ints("zero", {0})
      .ints("one", {1})
      .output("limit")
      .output("y");
  return writer;
}

TEST(InputValues, WhatIsComputedOfThemFixesShapesToo) {
  ModelOptions options;
  llvm::cantFail(parseInputValue("size=3", options));
  Outcome outcome = importWritten(rangeOfInput(), options);
  EXPECT_TRUE(contains(outcome, "dense<[0, 1, 2, 3, 4, 5]>"));
  // The product itself is computed of the input that a run is given.
  EXPECT_TRUE(contains(outcome, "nn.mul %arg0"));
  EXPECT_EQ(importWritten(rangeOfInput()).error,
            "m.onnx: node 'n' (Range, opset 20): bounds and step must be known "
            "numbers, 'limit' is not");
}

/// Sums over an axis that is the first number of an input, which is padded to
/// 8 MiB and cut again, `count` times.
Outcome sumOverPadded(int count) {
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(2), int64_t(3)})
      .input("axes", kI64, {int64_t(1)})
      .ints("pads", {0, (1 << 20) - 1})
      .ints("first", {0});
  std::string axes = "axes";
  for (int turn = 0; turn < count; ++turn) {
    std::string name = std::to_string(turn);
    writer.node("Pad", {axes, "pads"}, {"long" + name})
        .node("Gather", {"long" + name, "first"}, {"short" + name});
    axes = "short" + name;
  }
  writer.node("ReduceSum", {"x", axes}, {"y"}).output("y");
  ModelOptions options;
  llvm::cantFail(parseInputValue("axes=1", options));
  return importWritten(writer, options);
}

TEST(InputValues, WhatIsComputedOfThemHasALimit) {
  EXPECT_TRUE(contains(sumOverPadded(7), "nn.reduce_sum %arg0 axes [1]"));
  EXPECT_EQ(sumOverPadded(8).error,
            "m.onnx: node 'n' (ReduceSum, opset 20): the axes must be known "
            "when the model is compiled, but 'short7' depends on an input or "
            "a parameter");
}

TEST(InputValues, SayWhatIsWrong) {
  ModelOptions options;
  llvm::cantFail(parseInputValue("axes=0,1", options));
  EXPECT_EQ(importWritten(sumOverInput(), options).error,
            "m.onnx: --input-value=axes: has 2 numbers, the input is 1");
  EXPECT_EQ(llvm::toString(parseInputValue("axes", options)),
            "--input-value=axes: expected NAME=NUMBER,NUMBER,...");
  EXPECT_EQ(llvm::toString(parseInputValue("axes=a", options)),
            "--input-value=axes=a: 'a' is not a number");
}

} // namespace
