// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the nodes of each family become.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

TEST(Elementwise, EachUnaryIsItsOp) {
  for (auto [onnx, nn] : std::vector<std::pair<std::string, std::string>>{
           {"Abs", "abs"},
           {"Cos", "cos"},
           {"Erf", "erf"},
           {"Exp", "exp"},
           {"Log", "log"},
           {"Neg", "neg"},
           {"Reciprocal", "reciprocal"},
           {"Relu", "relu"},
           {"Sigmoid", "sigmoid"},
           {"Sign", "sign"},
           {"Sin", "sin"},
           {"Sqrt", "sqrt"},
           {"Tanh", "tanh"},
           {"Gelu", "gelu"}})
    EXPECT_TRUE(contains(import({onnx, {{"x", {2, 3}}}}),
                         "nn." + nn + " %arg0 : tensor<2x3xf32>"));
  EXPECT_TRUE(
      contains(import({"Gelu", {{"x", {2}}}, {A::text("approximate", "tanh")}}),
               "nn.gelu %arg0 tanh : tensor<2xf32>"));
  EXPECT_EQ(errorOf({"Exp", {{"x", {2}, kI64}}}),
            "input 'x' is int64, expected a floating-point type");
  EXPECT_EQ(errorOf({"Gelu", {{"x", {2}}}, {A::text("approximate", "erf")}}),
            "attribute 'approximate' is 'erf', expected none or tanh");
}

TEST(Elementwise, BroadcastsAsNumpyDoes) {
  Outcome outcome = import({"Add", {{"a", {4, 1, 3}}, {"b", {5, 1}}}});
  EXPECT_TRUE(contains(outcome, "nn.broadcast %arg0 axes [0, 1, 2] : "
                                "tensor<4x1x3xf32> -> tensor<4x5x3xf32>"));
  EXPECT_TRUE(contains(outcome, "nn.broadcast %arg1 axes [1, 2] : "
                                "tensor<5x1xf32> -> tensor<4x5x3xf32>"));
  EXPECT_EQ(errorOf({"Add", {{"a", {4}}, {"b", {5}}}}),
            "shapes 4 and 5 do not broadcast");
  EXPECT_EQ(errorOf({"Add", {{"a", {4}}, {"b", {4}, kI64}}}),
            "input 'b' is int64, 'a' is float");
  EXPECT_EQ(
      errorOf({"Add",
               {{"a", {int64_t(1) << 40, 1}}, {"b", {1, int64_t(1) << 40}}}}),
      "the result's shape 1099511627776x1099511627776 is negative or too "
      "large");
}

TEST(Elementwise, VariadicOpsChain) {
  Outcome outcome = import({"Max", {{"a", {2}}, {"b", {2}}, {"c", {1}}}});
  EXPECT_TRUE(contains(outcome, "nn.maximum %arg0, %arg1"));
  EXPECT_TRUE(contains(outcome, "nn.broadcast %arg2"));
  EXPECT_TRUE(contains(import({"Mean", {{"a", {2}}, {"b", {2}}}}),
                       "nn.constant dense<2.000000e+00>"));
}

TEST(Elementwise, SmallPowersAreProducts) {
  auto power = [](const std::string &exponent) {
    return importWritten(
        ModelWriter()
            .opset(20)
            .input("x", kF32, {int64_t(2)})
            .node("Constant", {}, {"e"},
                  {A::real("value_float", std::stof(exponent))})
            .node("Pow", {"x", "e"}, {"y"})
            .output("y"));
  };
  EXPECT_TRUE(contains(power("2"), "nn.mul %arg0, %arg0"));
  EXPECT_TRUE(contains(power("0.5"), "nn.sqrt %arg0"));
  EXPECT_TRUE(contains(power("2.5"), "nn.pow %arg0"));
}

TEST(Elementwise, LogicIsChoice) {
  EXPECT_TRUE(
      contains(import({"Not", {{"x", {2}, kBool}}}), "nn.select %arg0"));
  EXPECT_TRUE(contains(import({"And", {{"a", {2}, kBool}, {"b", {2}, kBool}}}),
                       "nn.select %arg0, %arg1"));
  EXPECT_TRUE(contains(import({"Xor", {{"a", {2}, kBool}, {"b", {2}, kBool}}}),
                       "nn.compare ne %arg0, %arg1"));
  EXPECT_TRUE(contains(import({"LessOrEqual", {{"a", {2}}, {"b", {2}}}}),
                       "nn.compare le %arg0, %arg1"));
  EXPECT_EQ(errorOf({"Not", {{"x", {2}}}}),
            "the operand is float, expected bool");
}

//===----------------------------------------------------------------------===//
// Contractions and windows
//===----------------------------------------------------------------------===//

TEST(Contraction, GemmWithScalesIsAMatmul) {
  Outcome outcome = import(
      {"Gemm",
       {{"a", {4, 2}}, {"b", {4, 3}}, {"c", {3}}},
       {A::integer("transA", 1), A::real("alpha", 2), A::real("beta", 0.5)}});
  EXPECT_TRUE(contains(outcome, "nn.matmul %arg0, %arg1 transpose_lhs"));
  EXPECT_TRUE(contains(outcome, "dense<2.000000e+00> : tensor<2x3xf32>"));
  EXPECT_TRUE(contains(outcome, "nn.broadcast %arg2"));
  EXPECT_EQ(errorOf({"Gemm", {{"a", {4, 2}}, {"b", {3, 4}}}}),
            "A is 4x2 and B is 3x4: the inner sizes 2 and 3 differ");
  EXPECT_EQ(errorOf({"Gemm", {{"a", {4, 2}}, {"b", {2, 3}}, {"c", {2}}}}),
            "C has shape 2, which does not broadcast to 4x3");
}

TEST(Contraction, MatMulFollowsNumpy) {
  auto shapes = [](std::vector<int64_t> a, std::vector<int64_t> b) {
    return OneNode{"MatMul", {{"a", a}, {"b", b}}};
  };
  EXPECT_TRUE(contains(import(shapes({2, 3, 4}, {4, 5})),
                       "nn.matmul %0, %arg1 : tensor<6x4xf32>, tensor<4x5xf32> "
                       "-> tensor<6x5xf32>"));
  EXPECT_TRUE(contains(import(shapes({7, 1, 3, 4}, {2, 4, 5})),
                       "-> tensor<7x2x3x5xf32>"));
  EXPECT_TRUE(contains(import(shapes({4}, {4})), "-> (tensor<f32> {"));
  EXPECT_TRUE(
      contains(import(shapes({4}, {2, 4, 5})), "-> (tensor<2x5xf32> {"));
  EXPECT_TRUE(
      contains(import(shapes({2, 3, 4}, {4})), "-> (tensor<2x3xf32> {"));
  EXPECT_EQ(errorOf(shapes({2, 3}, {4, 5})),
            "shapes 2x3 and 4x5 do not fit: the inner sizes 3 and 4 differ");
  EXPECT_EQ(errorOf(shapes({2, 3, 4}, {3, 4, 5})),
            "the leading axes of 2x3x4 and 3x4x5 do not broadcast");
}

TEST(Contraction, ConvChecksItsSizes) {
  auto conv = [](std::vector<int64_t> x, std::vector<int64_t> w,
                 std::vector<TestAttribute> attributes = {}) {
    return OneNode{"Conv", {{"x", x}, {"w", w}}, attributes};
  };
  EXPECT_TRUE(
      contains(import(conv({1, 4, 9}, {6, 2, 3},
                           {A::integer("group", 2), A::integers("strides", {2}),
                            A::text("auto_pad", "SAME_LOWER")})),
               "strides [2] low [1] high [1] dilations [1] groups(2)"));
  EXPECT_EQ(errorOf(conv({1, 3, 8, 8}, {4, 16, 3, 3})),
            "the weight has 16 input channels, the input has 3");
  EXPECT_EQ(errorOf(conv({1, 3, 2, 2}, {4, 3, 3, 3})),
            "the window (3 on spatial axis 0) is larger than the padded input "
            "(2)");
  EXPECT_EQ(errorOf(conv({1, 3, 8}, {4, 3, 3}, {A::integer("group", 0)})),
            "group 0 does not divide 3 input and 4 weight channels");
  EXPECT_EQ(errorOf(conv({1, 3, 8}, {4, 3, 3}, {A::integers("strides", {0})})),
            "attribute 'strides' holds 0, which is out of range");
  EXPECT_EQ(errorOf(conv({1, 3, 8}, {4, 3, 3},
                         {A::integers("pads", {1, 1}),
                          A::text("auto_pad", "SAME_UPPER")})),
            "has attribute 'pads' beside auto_pad=SAME_UPPER");
}

TEST(Window, CeilModeEndsInTheInput) {
  auto pool = [](int64_t size, int64_t window, int64_t stride) {
    return import(
        {"MaxPool",
         {{"x", {1, 1, size}}},
         {A::integers("kernel_shape", {window}),
          A::integers("strides", {stride}), A::integer("ceil_mode", 1)}});
  };
  EXPECT_TRUE(contains(pool(5, 2, 2), "low [0] high [1] dilations [1]"));
  EXPECT_TRUE(contains(pool(5, 2, 2), "-> tensor<1x1x3xf32>"));
  // A fifth window would start behind the input.
  EXPECT_TRUE(contains(pool(5, 1, 2), "-> tensor<1x1x3xf32>"));
  // One window takes what there is, up to a stride before its end.
  EXPECT_TRUE(contains(pool(5, 8, 8), "window [5] strides [8]"));
  EXPECT_EQ(
      errorOf({"MaxPool",
               {{"x", {1, 1, 5}}},
               {A::integers("kernel_shape", {8}), A::integers("strides", {3}),
                A::integer("ceil_mode", 1)}}),
      "the window (8 on spatial axis 0) is larger than the padded input "
      "(5)");
}

TEST(Window, AveragesWhatThereIs) {
  Outcome pool =
      import({"AveragePool",
              {{"x", {1, 1, 5}}},
              {A::integers("kernel_shape", {2000}),
               A::integers("strides", {2000}), A::integer("ceil_mode", 1)}});
  EXPECT_TRUE(
      contains(pool, "nn.constant dense<5.000000e+00> : tensor<1x1x1xf32>"));
  EXPECT_TRUE(contains(pool, "-> tensor<1x1x1xf32>"));
}

TEST(Window, PoolsWithoutAnOpAreComposed) {
  auto pool = [](const std::string &op, std::vector<TestAttribute> attributes) {
    return import({op, {{"x", {1, 2, 4, 4}}}, attributes});
  };
  EXPECT_TRUE(contains(pool("AveragePool", {A::integers("kernel_shape", {2, 2}),
                                            A::integers("strides", {2, 2})}),
                       "nn.reduce_sum %0 axes [3, 5]"));
  EXPECT_TRUE(contains(pool("AveragePool", {A::integers("kernel_shape", {3, 3}),
                                            A::integers("pads", {1, 1, 1, 1})}),
                       "nn.slice %0 [0, 0, 2, 2] to [1, 2, 6, 6]"));
  EXPECT_TRUE(contains(pool("GlobalAveragePool", {}),
                       "nn.reduce_sum %arg0 axes [2, 3]"));
}

TEST(RoiAlign, WhatIsKnownAtRunTimeAloneIsRefused) {
  auto align = [](std::vector<TestAttribute> attributes,
                  std::vector<int64_t> numbers) {
    return OneNode{"RoiAlign",
                   {{"x", {2, 3, 8, 8}}, {"rois", {2, 4}}},
                   attributes,
                   {{"numbers", numbers}}};
  };
  A samples = A::integer("sampling_ratio", 2);
  EXPECT_TRUE(contains(import(align({samples}, {0, 1})), "nn.gather"));
  EXPECT_EQ(errorOf(align({}, {0, 1})),
            "mode 'avg' with sampling_ratio 0 is not supported, expected avg "
            "with 1 to 64: 0 would take a number that depends on the data");
  EXPECT_EQ(errorOf(align({samples, A::text("mode", "max")}, {0, 1})),
            "mode 'max' with sampling_ratio 2 is not supported, expected avg "
            "with 1 to 64: 0 would take a number that depends on the data");
  EXPECT_EQ(errorOf(align({samples}, {0, 2})), "a region is of image 2 of 2");
  EXPECT_EQ(errorOf(align({samples}, {0})),
            "the images are 2x3x8x8, the regions 2x4, their images' numbers 1");
  EXPECT_EQ(errorOf(align({samples, A::integer("output_width", 0)}, {0, 1})),
            "regions of 0 bins, expected 1 to 4096");
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

TEST(Movement, ReshapeReadsItsShape) {
  auto reshape = [](std::vector<int64_t> shape,
                    std::vector<TestAttribute> attributes = {}) {
    return OneNode{"Reshape", {{"x", {2, 3, 4}}}, attributes, {{"s", shape}}};
  };
  EXPECT_TRUE(contains(import(reshape({0, -1})), "-> tensor<2x12xf32>"));
  EXPECT_EQ(errorOf(reshape({-1, -1})), "the shape -1x-1 has two -1");
  EXPECT_EQ(errorOf(reshape({5, -1})), "cannot reshape 2x3x4 to 5x-1");
  EXPECT_EQ(errorOf(reshape({0, -1}, {A::integer("allowzero", 1)})),
            "cannot reshape 2x3x4 to 0x-1");
  EXPECT_EQ(errorOf({"Reshape", {{"x", {4}}, {"s", {1}, kI64}}}),
            "the shape must be known when the model is compiled, but 's' "
            "depends on an input or a parameter");
}

TEST(Movement, SliceClampsAndReverses) {
  auto slice = [](int64_t start, int64_t end, int64_t step) {
    return OneNode{"Slice",
                   {{"x", {8}}},
                   {},
                   {{"b", {start}}, {"e", {end}}, {"a", {0}}, {"s", {step}}}};
  };
  EXPECT_TRUE(contains(import(slice(-3, INT64_MAX, 2)),
                       "nn.slice %arg0 [5] to [8] by [2]"));
  Outcome backwards = import(slice(-1, INT64_MIN, -2));
  EXPECT_TRUE(contains(backwards, "nn.reverse %arg0 axes [0]"));
  EXPECT_TRUE(contains(backwards, "nn.slice %0 [0] to [8] by [2]"));
  EXPECT_EQ(errorOf(slice(0, 1, 0)), "a step is 0");
}

TEST(Movement, SplitsAddUp) {
  auto split = [](std::vector<std::pair<std::string, std::vector<int64_t>>> s,
                  std::vector<TestAttribute> attributes = {}) {
    return OneNode{"Split", {{"x", {7}}}, attributes, s, {"a", "b"}};
  };
  EXPECT_TRUE(contains(import(split({}, {A::integer("num_outputs", 2)})),
                       "nn.split %arg0 axis(0) : tensor<7xf32> -> "
                       "tensor<4xf32>, tensor<3xf32>"));
  EXPECT_EQ(errorOf(split({})), "axis 0 of 7 does not split into 2 equal "
                                "parts");
  EXPECT_EQ(errorOf(split({{"s", {3, 3}}})), "the parts 3x3 do not sum to 7");
  EXPECT_EQ(errorOf(split({{"s", {7}}})), "has 1 sizes for 2 outputs");
}

TEST(Movement, ASequenceIsASplit) {
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(4), int64_t(6)})
      .ints("sizes", {2, 4})
      .node("SplitToSequence", {"x", "sizes"}, {"s"}, {A::integer("axis", 1)})
      .node("Constant", {}, {"i"}, {A::integer("value_int", -1)})
      .node("SequenceAt", {"s", "i"}, {"y"})
      .output("y");
  EXPECT_TRUE(contains(importWritten(writer), "nn.split %arg0 axis(1)"));
}

TEST(Movement, PadModes) {
  auto pad = [](const std::string &mode, std::vector<int64_t> pads) {
    return OneNode{"Pad", {{"x", {4}}}, {A::text("mode", mode)}, {{"p", pads}}};
  };
  EXPECT_TRUE(contains(import(pad("constant", {1, 2})),
                       "nn.pad %arg0 low [1] high [2] interior [0]"));
  EXPECT_TRUE(
      contains(import(pad("reflect", {1, 2})), "dense<[1, 0, 1, 2, 3, 2, 1]>"));
  EXPECT_TRUE(
      contains(import(pad("edge", {1, 2})), "dense<[0, 0, 1, 2, 3, 3, 3]>"));
  EXPECT_EQ(errorOf(pad("constant", {-3, -3})),
            "the pads crop more than axis 0 has");
  EXPECT_EQ(errorOf(pad("constant", {1})), "has 1 pads for 1 axes");
}

TEST(Movement, ConcatChecksShapes) {
  EXPECT_EQ(
      errorOf(
          {"Concat", {{"a", {2, 3}}, {"b", {3, 3}}}, {A::integer("axis", 1)}}),
      "cannot join 2x3 and 3x3 along axis 1");
  EXPECT_EQ(errorOf({"Concat", {{"a", {2}}}, {A::integer("axis", 2)}}),
            "axis 2 is out of range for rank 1");
}

TEST(Movement, RefusesSizesBeyondMemory) {
  EXPECT_EQ(errorOf({"Expand",
                     {{"x", {1}}},
                     {},
                     {{"s", {int64_t(1) << 40, int64_t(1) << 40}}}}),
            "the result's shape 1099511627776x1099511627776 is negative or too "
            "large");
  EXPECT_EQ(errorOf({"Tile", {{"x", {2}}}, {}, {{"r", {int64_t(1) << 62}}}})
                .substr(0, 18),
            "the result's shape");
}

//===----------------------------------------------------------------------===//
// Shape arithmetic, indices, reductions, losses
//===----------------------------------------------------------------------===//

// A chain as exporters write it: no op of it is left.
TEST(Structure, ShapeArithmeticFolds) {
  Outcome outcome = importWritten(
      ModelWriter()
          .opset(20)
          .input("x", kF32, {int64_t(2), int64_t(3), int64_t(4)})
          .node("Shape", {"x"}, {"shape"})
          .node("Constant", {}, {"one"}, {A::integer("value_int", 1)})
          .node("Gather", {"shape", "one"}, {"d"})
          .ints("two", {2})
          .node("Mul", {"d", "two"}, {"twice"})
          .ints("rest", {-1})
          .node("Concat", {"twice", "rest"}, {"target"},
                {A::integer("axis", 0)})
          .node("Reshape", {"x", "target"}, {"y"})
          .output("y", kF32, {int64_t(6), int64_t(4)}));
  EXPECT_TRUE(contains(outcome, "nn.reshape %arg0 : tensor<2x3x4xf32> -> "
                                "tensor<6x4xf32>"));
  EXPECT_EQ(outcome.module.find("nn.constant"), std::string::npos);
}

TEST(Structure, ARangeHasABound) {
  auto range = [](int64_t limit, int64_t step) {
    ModelWriter writer;
    writer.opset(20).input("x", kF32, {int64_t(1)});
    for (auto [name, value] :
         {std::pair<const char *, int64_t>{"a", 0}, {"b", limit}, {"c", step}})
      writer.node("Constant", {}, {name}, {A::integer("value_int", value)});
    return importWritten(
        writer.node("Range", {"a", "b", "c"}, {"y"}).output("y"));
  };
  EXPECT_TRUE(contains(range(7, 3), "dense<[0, 3, 6]> : tensor<3xi64>"));
  EXPECT_EQ(range(int64_t(1) << 40, 1).error,
            "m.onnx: node 'n' (Range, opset 20): the range has more than 2^22 "
            "numbers");
}

TEST(Indexing, KnownIndicesAreChecked) {
  auto gather = [](std::vector<int64_t> indices) {
    return OneNode{"Gather", {{"x", {5, 2}}}, {}, {{"i", indices}}};
  };
  EXPECT_TRUE(contains(import(gather({-1, 0})), "dense<[4, 0]>"));
  EXPECT_EQ(errorOf(gather({5})),
            "index 5 is out of range for an axis of size 5");
  EXPECT_TRUE(contains(import({"Gather", {{"x", {5, 2}}, {"i", {3}, kI64}}}),
                       "nn.gather %arg0, %arg1 axis(0)"));
}

TEST(Reduction, OfNothingIsTheNeutralElement) {
  EXPECT_TRUE(
      contains(import({"ReduceProd", {{"x", {2, 0}}}, {}, {{"a", {1}}}}),
               "nn.reduce_prod %arg0 axes [1]"));
  EXPECT_EQ(errorOf({"ReduceSum", {{"x", {2}, kBool}}, {}, {{"a", {0}}}}),
            "input 'x' is bool, expected numbers");
  EXPECT_TRUE(
      contains(import({"ReduceMax", {{"x", {2}, kBool}}, {}, {{"a", {0}}}}),
               "tensor<2xi1> -> tensor<i1>"));
}

TEST(Reduction, AxesByInputOrAttribute) {
  EXPECT_TRUE(
      contains(import({"ReduceMean", {{"x", {2, 3}}}, {}, {{"a", {-1}}}}),
               "nn.reshape %2 : tensor<2xf32> -> tensor<2x1xf32>"));
  OneNode old{"ReduceMean",
              {{"x", {2, 3}}},
              {A::integers("axes", {0}), A::integer("keepdims", 0)},
              {},
              {"y"},
              17};
  EXPECT_TRUE(contains(import(old), "nn.reduce_sum %arg0 axes [0]"));
  EXPECT_EQ(errorOf({"ReduceSum", {{"x", {2, 3}}}, {}, {{"a", {0, 0}}}}),
            "axis 0 is given twice");
}

TEST(Normalization, LayerNormBroadcastsItsScale) {
  OneNode norm{"LayerNormalization", {{"x", {2, 3, 4}}, {"s", {1}}}};
  EXPECT_TRUE(contains(import(norm), "nn.broadcast %arg1 axes [0] : "
                                     "tensor<1xf32> -> tensor<4xf32>"));
  norm.inputs[1].shape = {3};
  EXPECT_EQ(errorOf(norm),
            "the scale has shape 3, which does not broadcast to 4");
}

TEST(Normalization, BatchNormKeepsItsStatistics) {
  auto model = [](std::vector<TestAttribute> attributes,
                  std::vector<std::string> outputs) {
    ModelWriter writer;
    writer.opset(20)
        .input("x", kF32, {int64_t(2), int64_t(3), int64_t(4)})
        .weight("bn.weight", {3})
        .weight("bn.bias", {3})
        .weight("bn.running_mean", {3})
        .weight("bn.running_var", {3})
        .node(
            "BatchNormalization",
            {"x", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"},
            outputs, attributes);
    for (const std::string &output : outputs)
      writer.output(output);
    return importWritten(writer);
  };
  Outcome inference = model({A::real("momentum", 0.75)}, {"y"});
  EXPECT_TRUE(contains(inference, "nn.parameter @bn.weight :"));
  EXPECT_TRUE(contains(inference, "nn.parameter frozen @bn.running_mean :"));
  EXPECT_TRUE(contains(inference, "nn.parameter frozen @bn.running_var :"));
  EXPECT_TRUE(contains(inference, "nn.batch_norm %arg0, "));
  // How much of the old value stays, and how much is taken of the new one.
  EXPECT_TRUE(contains(inference, "momentum(2.500000e-01)"));
  Outcome training =
      model({A::integer("training_mode", 1)}, {"y", "mean", "variance"});
  EXPECT_TRUE(contains(training, "nn.batch_norm_training %arg0, "));
  EXPECT_FALSE(contains(training, "sample_variance"));
  EXPECT_EQ(model({}, {"y", "mean", "variance"}).error,
            "m.onnx: node 'n' (BatchNormalization, opset 20): statistics are "
            "outputs of training_mode=1 alone");
}

TEST(Normalization, BatchNormChecksItsVectors) {
  OneNode norm{
      "BatchNormalization",
      {{"x", {2, 3, 4}}, {"s", {3}}, {"b", {3}}, {"m", {3}}, {"v", {4}}}};
  EXPECT_EQ(errorOf(norm), "input 'v' is float[4], expected 3 elements beside "
                           "a float input");
  norm.inputs[4] = {"v", {3}, ElemType::Double};
  EXPECT_EQ(errorOf(norm), "input 'v' is double[3], expected 3 elements beside "
                           "a float input");
  norm.inputs[4] = {"v", {3}};
  norm.inputs[0].shape = {3};
  EXPECT_EQ(errorOf(norm),
            "the input is 3, expected batch, channels and spatial axes");
}

TEST(Normalization, EpsilonAndMomentumHaveARange) {
  In x{"x", {2, 3, 4}}, row{"r", {4}}, scale{"s", {3}}, bias{"b", {3}};
  OneNode batch{"BatchNormalization",
                {x, scale, bias, {"m", {3}}, {"v", {3}}},
                {A::real("momentum", 1.5)}};
  EXPECT_EQ(errorOf(batch),
            "attribute 'momentum' is 1.5, expected a number from 0 to 1");
  for (OneNode norm :
       {OneNode{"LayerNormalization", {x, row}},
        OneNode{"RMSNormalization", {x, row}},
        OneNode{"InstanceNormalization", {x, scale, bias}}, batch}) {
    norm.opset = 23;
    norm.attributes = {A::real("epsilon", -1.5)};
    EXPECT_EQ(errorOf(norm), "attribute 'epsilon' is -1.5, expected a finite "
                             "number that is not negative");
    norm.attributes = {A::real("epsilon", std::nanf(""))};
    EXPECT_EQ(errorOf(norm), "attribute 'epsilon' is nan, expected a finite "
                             "number that is not negative");
  }
}

TEST(Loss, MeanCrossEntropyIsOneOp) {
  OneNode loss{"SoftmaxCrossEntropyLoss",
               {{"x", {4, 10}}, {"t", {4}, kI64}},
               {A::integer("ignore_index", -1)}};
  EXPECT_TRUE(contains(import(loss), "nn.cross_entropy %arg0, %arg1 axis(1) "
                                     "ignore_index(-1)"));
  loss.attributes = {A::text("reduction", "sum")};
  EXPECT_TRUE(contains(import(loss), "nn.log_softmax %arg0 axis(1)"));
  loss.attributes = {A::text("reduction", "max")};
  EXPECT_EQ(errorOf(loss), "attribute 'reduction' is 'max', expected mean, sum "
                           "or none");
  EXPECT_EQ(
      errorOf({"SoftmaxCrossEntropyLoss", {{"x", {4, 10}}, {"t", {5}, kI64}}}),
      "the target is 5, expected 4");
}

} // namespace
