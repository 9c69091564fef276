// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open dimensions: what fixes them, and what is said where nothing does.
#include "test/lib/Import/ONNX/Importing.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::onnx;

namespace {

constexpr ElemType kF32 = ElemType::Float;

/// x and y of an open batch N and a fixed size.
ModelWriter twoInputs() {
  return ModelWriter()
      .opset(20)
      .input("x", kF32, {"N", int64_t(8)})
      .input("y", kF32, {"N", "M"})
      .node("Add", {"x", "y"}, {"z"})
      .output("z", kF32, {"N", int64_t(8)});
}

ModelOptions shapes(const std::vector<std::string> &texts) {
  ModelOptions options;
  for (const std::string &text : texts)
    llvm::cantFail(parseInputShape(text, options));
  return options;
}

Outcome withShapes(const std::vector<std::string> &texts) {
  return importWritten(twoInputs(), shapes(texts));
}

TEST(GraphInputs, OneFlagFixesASymbolEverywhere) {
  Outcome outcome = withShapes({"y=4x8"});
  EXPECT_EQ(outcome.error, "");
  EXPECT_NE(outcome.module.find("%arg0: tensor<4x8xf32> {nn.name = \"x\"}"),
            std::string::npos);
}

/// A model that returns its input, which is of the type of these bytes.
std::string errorOfType(const std::string &type) {
  std::string input;
  pbf_writer info(input);
  info.add_bytes(1, "x");
  info.add_message(2, type);
  return importWritten(ModelWriter()
                           .opset(20)
                           .field(11, input)
                           .node("Identity", {"x"}, {"y"})
                           .output("y"))
      .error;
}

TEST(GraphInputs, AreTensorsWithAShape) {
  std::string tensor, unranked, sequence;
  pbf_writer(tensor).add_int32(1, static_cast<int32_t>(kF32));
  pbf_writer(unranked).add_message(1, tensor);
  EXPECT_EQ(errorOfType(unranked),
            "m.onnx: input 'x' has no shape; give it one with "
            "--input-shape=x=...");
  std::string element;
  pbf_writer(element).add_message(1, unranked);
  pbf_writer(sequence).add_message(4, element);
  EXPECT_EQ(errorOfType(sequence), "m.onnx: input 'x' is not a tensor");
}

TEST(GraphInputs, WhereNoFlagWouldHelpTheyAreNamedAlone) {
  EXPECT_EQ(importWritten(ModelWriter()
                              .opset(20)
                              .input("x", kF32, {"N", int64_t(8)})
                              .node("Softmaxx", {"x"}, {"y"})
                              .output("y"))
                .error,
            "m.onnx: dimension 0 ('N') of input 'x' is open; fix it, with "
            "--input-shape or --batch-size");
}

TEST(GraphInputs, NamesTheDimensionThatStaysOpen) {
  EXPECT_EQ(withShapes({}).error,
            "m.onnx: dimension 0 ('N') of input 'x' is open; fix it, for "
            "example with --input-shape=x=8x8 --input-shape=y=8x8");
  ModelOptions batch;
  batch.batchSize = 4;
  Outcome outcome = importWritten(twoInputs(), batch);
  EXPECT_EQ(outcome.error, "m.onnx: dimension 1 ('M') of input 'y' is open; "
                           "fix it, for example with --input-shape=y=4x8");
  EXPECT_EQ(outcome.fault, ImportFault::Input);
}

TEST(GraphInputs, RefusesFlagsThatDisagree) {
  Outcome outcome = withShapes({"x=4x8", "y=5x8"});
  EXPECT_EQ(outcome.error, "--input-shape=y=5x8: dimension 'N' is 4 in another "
                           "input, here 5");
  EXPECT_EQ(outcome.fault, ImportFault::Usage);
  EXPECT_EQ(withShapes({"x=4x9"}).error,
            "--input-shape=x=4x9: dimension 1 of input 'x' float[Nx8] is "
            "fixed");
  EXPECT_EQ(withShapes({"x=4"}).error,
            "--input-shape=x=4 has rank 1, the model's input is 'x' "
            "float[Nx8]");
  EXPECT_EQ(withShapes({"x=4x8", "x=4x8"}).error,
            "--input-shape gives 'x' a shape twice");
  ModelOptions both = shapes({"x=4x8"});
  both.batchSize = 5;
  EXPECT_EQ(importWritten(twoInputs(), both).error,
            "--batch-size=5: --input-shape gives input 'x' a batch of 4");
}

TEST(GraphInputs, RefusesAFlagForNoInput) {
  Outcome outcome = withShapes({"image=4x8"});
  EXPECT_EQ(outcome.error,
            "--input-shape=image=...: the model has no such input; it has 'x' "
            "float[Nx8], 'y' float[NxM]");
  EXPECT_EQ(outcome.fault, ImportFault::Usage);
}

TEST(GraphInputs, AStaticBatchIsFixed) {
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(8), int64_t(3)})
      .node("Relu", {"x"}, {"y"})
      .output("y");
  ModelOptions options;
  options.batchSize = 8;
  EXPECT_EQ(importWritten(writer, options).error, "");
  options.batchSize = 4;
  Outcome outcome = importWritten(writer, options);
  EXPECT_EQ(outcome.error,
            "--batch-size=4: the model's batch is fixed, input 'x' float[8x3]");
  EXPECT_EQ(outcome.fault, ImportFault::Usage);
  ModelWriter scalar;
  scalar.opset(20).input("x", kF32, {}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(importWritten(scalar, options).error,
            "--batch-size=4: no input has a batch dimension");
}

TEST(GraphInputs, RefusesInputsThatAreNoTensors) {
  EXPECT_EQ(importWritten(ModelWriter()
                              .opset(20)
                              .input("x", ElemType::String, {int64_t(8)})
                              .node("Identity", {"x"}, {"y"})
                              .output("y"))
                .error,
            "m.onnx: input 'x' has element type string, which is not "
            "supported");
  EXPECT_EQ(importWritten(ModelWriter()
                              .opset(20)
                              .input("x", kF32, {int64_t(-3)})
                              .node("Identity", {"x"}, {"y"})
                              .output("y"))
                .error,
            "m.onnx: input 'x': dimension 0 is -3");
}

// What fixes a shape is known, while ops go on reading the input.
TEST(GraphInputs, WhatIsComputedOfGivenValuesIsKnown) {
  ModelWriter writer;
  writer.opset(20)
      .input("x", ElemType::Float, {int64_t(6)})
      .input("n", ElemType::Int64, {int64_t(1)})
      .ints("three", {3})
      .node("Concat", {"n", "three"}, {"shape"},
            {TestAttribute::integer("axis", 0)})
      .node("Reshape", {"x", "shape"}, {"y"}, {}, "fold")
      .output("y")
      .output("shape");
  ModelOptions options;
  EXPECT_NE(importWritten(writer, options)
                .error.find("'shape' depends on an input or a parameter"),
            std::string::npos);
  options.inputNumbers = {{"n", {2}}};
  std::string module = importWritten(writer, options).module;
  EXPECT_NE(module.find("tensor<6xf32> -> tensor<2x3xf32>"), std::string::npos);
  EXPECT_NE(module.find("nn.concat %arg1"), std::string::npos) << module;
}

TEST(GraphInputs, ReadsTheFlag) {
  ModelOptions options = shapes({"a=b=2x3", "s="});
  EXPECT_EQ(options.inputShapes[0].first, "a=b");
  EXPECT_EQ(options.inputShapes[0].second, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(options.inputShapes[1].second.empty());
  EXPECT_EQ(llvm::toString(parseInputShape("x", options)),
            "--input-shape=x: expected NAME=8x64");
  EXPECT_EQ(llvm::toString(parseInputShape("x=8xN", options)),
            "--input-shape=x=8xN: 'N' is not a size");
  EXPECT_EQ(llvm::toString(parseInputShape("x=-1", options)),
            "--input-shape=x=-1: '-1' is not a size");
}

} // namespace
