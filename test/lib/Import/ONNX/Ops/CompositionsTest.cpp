// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with nodes of ops that are made of several nn ops. Their
// numbers are those of the node suite, their gradients those of gradients.test.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

/// A node of the newest opset.
OneNode
newest(std::string op, std::vector<In> inputs, std::vector<A> attributes = {},
       std::vector<std::pair<std::string, std::vector<int64_t>>> ints = {}) {
  return {std::move(op),
          std::move(inputs),
          std::move(attributes),
          std::move(ints),
          {"y"},
          28};
}

TEST(Sequences, RotaryEmbeddingChecksItsTables) {
  In x{"x", {2, 3, 4, 6}};
  EXPECT_EQ(errorOf(newest("RotaryEmbedding",
                           {{"x", {2, 4, 7}}, {"c", {2, 4, 3}}, {"s", {1}}},
                           {A::integer("num_heads", 2)})),
            "the input is 2x4x7, attribute 'num_heads' 2");
  EXPECT_EQ(errorOf(newest("RotaryEmbedding", {x, {"c", {2, 4, 3}}, {"s", {1}}},
                           {A::integer("rotary_embedding_dim", 5)})),
            "rotates 5 of 6 features, expected an even number");
  EXPECT_EQ(errorOf(newest("RotaryEmbedding",
                           {x, {"c", {2, 4, 3}}, {"s", {2, 4, 2}}})),
            "a table is 2x4x2, expected 2x4x3");
  EXPECT_EQ(
      errorOf(newest("RotaryEmbedding",
                     {x, {"c", {3}}, {"s", {9, 3}}, {"i", {2, 4}, kI64}})),
      "a table is 3, expected positions and features");
}

TEST(Sequences, TensorScatterFitsItsCache) {
  EXPECT_EQ(errorOf(newest("TensorScatter", {{"c", {2, 4}}, {"u", {2, 3}}})),
            "attribute 'axis' is 0, 'mode' 'linear'");
  EXPECT_EQ(
      errorOf(newest("TensorScatter", {{"c", {2, 4, 3}}, {"u", {2, 5, 3}}})),
      "the update is 2x5x3, the cache 2x4x3");
  EXPECT_EQ(
      errorOf(newest("TensorScatter",
                     {{"c", {2, 4, 3}}, {"u", {2, 1, 3}}, {"i", {3}, kI64}})),
      "the write indices are 3, expected 2");
}

TEST(Sequences, ReverseSequenceHasALengthForEach) {
  EXPECT_EQ(
      errorOf(newest("ReverseSequence", {{"x", {4, 3}}, {"n", {4}, kI64}})),
      "the lengths are 4, the input 4x3 with its batch on axis 1 and its "
      "time on axis 0");
}

TEST(LinearAttention, SaysWhatDoesNotGoTogether) {
  auto errorWith = [](std::vector<In> inputs, std::vector<A> attributes) {
    return errorOf(
        newest("LinearAttention", std::move(inputs), std::move(attributes)));
  };
  In q{"q", {2, 3, 8}}, k{"k", {2, 3, 4}}, v{"v", {2, 3, 6}};
  A heads = A::integer("kv_num_heads", 2), more = A::integer("q_num_heads", 4);
  A linear = A::text("update_rule", "linear");
  EXPECT_EQ(
      errorWith({q, k, v}, {A::text("update_rule", "delta2")}),
      "attribute 'update_rule' is 'delta2', expected linear, gated, delta "
      "or gated_delta");
  EXPECT_EQ(errorWith({q, k, v}, {heads, more}),
            "update_rule=gated_delta has a decay and a beta");
  EXPECT_EQ(errorWith({q, k, v}, {linear, heads, A::integer("q_num_heads", 3)}),
            "there are 3 heads of queries and 2 of keys");
  EXPECT_EQ(errorWith({q, k, {"v", {2, 3, 5}}}, {linear, heads, more}),
            "queries 2x3x8 and values 2x3x5 do not split into heads");
  EXPECT_EQ(errorWith({q, {"k", {2, 3, 8}}, v}, {linear, heads, more}),
            "input 1 is 2x3x8, expected 2x3x4");
  EXPECT_EQ(errorWith({q, k, v, {"s", {2, 2, 2, 2}}}, {linear, heads, more}),
            "input 3 is 2x2x2x2, expected 2x2x2x3");
  EXPECT_EQ(errorWith({q, k, v, {"", {}}, {"g", {2, 3, 3}}},
                      {A::text("update_rule", "gated"), heads, more}),
            "input 4 is 2x3x3, expected 2x3x4");
  EXPECT_EQ(errorWith({{"q", {2, 0, 8}}, {"k", {2, 0, 4}}, {"v", {2, 0, 6}}},
                      {linear, heads, more}),
            "the sequence has no steps");
}

TEST(LinearAttention, CausalConvChecksShapes) {
  auto errorWith = [](std::vector<In> inputs, std::vector<A> attributes = {}) {
    return errorOf(newest("CausalConvWithState", std::move(inputs),
                          std::move(attributes)));
  };
  In x{"x", {2, 3, 5}}, w{"w", {3, 1, 4}};
  EXPECT_EQ(errorWith({x, {"w", {2, 1, 4}}}),
            "the input is 2x3x5, the weight 2x1x4");
  EXPECT_EQ(errorWith({x, w, {"b", {2}}}), "the bias is 2, expected 3");
  EXPECT_EQ(errorWith({x, w, {"", {}}, {"s", {2, 3, 4}}}),
            "the past state is 2x3x4, expected 2x3x3");
  EXPECT_EQ(errorWith({x, w}, {A::text("activation", "relu")}),
            "attribute 'activation' is 'relu', expected none, silu or swish");
}

TEST(Attention, FlexAttentionChecksShapes) {
  auto errorWith = [](std::vector<int64_t> values, const ModelWriter *mod) {
    std::vector<A> attributes;
    if (mod)
      attributes.push_back(A::graph("score_mod", mod->graph()));
    return importWritten(
               ModelWriter()
                   .opset(28)
                   .opset(1, "ai.onnx.preview")
                   .input("q", kF32,
                          {int64_t(2), int64_t(4), int64_t(3), int64_t(6)})
                   .input("k", kF32,
                          {int64_t(2), int64_t(2), int64_t(5), int64_t(6)})
                   .input("v", kF32, {values.begin(), values.end()})
                   .node("FlexAttention", {"q", "k", "v"}, {"y"}, attributes,
                         "n", "ai.onnx.preview")
                   .output("y"))
        .error;
  };
  std::string place = "m.onnx: node 'n' (FlexAttention, opset 1): ";
  EXPECT_EQ(errorWith({2, 2, 4, 6}, nullptr),
            place +
                "queries 2x4x3x6, keys 2x2x5x6 and values 2x2x4x6 do not go "
                "together");
  ModelWriter flat;
  flat.input("s", kF32, {std::string("n")})
      .ints("all", {-1})
      .node("Reshape", {"s", "all"}, {"r"})
      .output("r");
  EXPECT_EQ(errorWith({2, 2, 5, 6}, &flat),
            place + "the graph 'score_mod' must have one output, 2x4x3x5");
  EXPECT_EQ(errorWith({2, 2, 5, 6}, &ModelWriter().output("r")),
            place + "the graph 'score_mod' has 0 inputs, expected 1");
}

TEST(Windows, LpPoolAndLrnHaveBounds) {
  EXPECT_EQ(errorOf({"LpPool",
                     {{"x", {1, 1, 4}}},
                     {A::integers("kernel_shape", {2}), A::integer("p", 0)}}),
            "attribute 'p' is 0, expected at least 1");
  EXPECT_EQ(errorOf({"LRN", {{"x", {1, 4, 3}}}}),
            "the input is 1x4x3, attribute 'size' is 0 (expected 1 to 1024)");
}

TEST(Windows, IndicesOfAMaximumCountInTheWholeTensor) {
  Outcome outcome = import({"MaxPool",
                            {{"x", {2, 3, 4, 5}}},
                            {A::integers("kernel_shape", {2, 2})},
                            {},
                            {"y", "i"}});
  EXPECT_TRUE(contains(outcome, "[[20, 20, 20, 20], [20, 20"));
  EXPECT_TRUE(contains(outcome, "[[60, 60, 60, 60], [60, 60"));
}

TEST(Movement, CenterCropPadNeedsASizeForEachAxis) {
  EXPECT_EQ(errorOf({"CenterCropPad", {{"x", {4, 3}}}, {}, {{"s", {2}}}}),
            "has 1 sizes for 2 axes");
  Outcome outcome =
      import({"CenterCropPad", {{"x", {4, 3}}}, {}, {{"s", {1, 6}}}});
  EXPECT_TRUE(contains(outcome, "low [-1, 1] high [-2, 2]"));
}

TEST(Normalization, MeanVarianceNormalizationNeedsElements) {
  EXPECT_EQ(errorOf({"MeanVarianceNormalization", {{"x", {0, 1, 2, 2}}}}),
            "the input 0x1x2x2 has no elements");
}

TEST(Determinant, IsOfSquareMatrices) {
  EXPECT_EQ(errorOf({"Det", {{"x", {2, 3}}}}),
            "the input is 2x3, expected square matrices of at most 128 rows");
  EXPECT_EQ(errorOf({"Det", {{"x", {129, 129}}}}),
            "the input is 129x129, expected square matrices of at most 128 "
            "rows");
}

TEST(Sorting, TopKTakesWhatThereIs) {
  EXPECT_EQ(errorOf({"TopK", {{"x", {4, 3}}}, {}, {{"k", {5}}}}),
            "takes 5 of an axis of 3 elements of float");
  EXPECT_TRUE(contains(import({"TopK",
                               {{"x", {4, 3}}},
                               {A::integer("largest", 0)},
                               {{"k", {2}}},
                               {"y", "i"}}),
                       "nn.rank %arg0 : tensor<4x3xf32>"));
}

TEST(Grid, ImageAndGridGoTogether) {
  EXPECT_EQ(errorOf({"GridSample", {{"x", {1, 2, 3, 4}}, {"g", {1, 5, 5, 3}}}}),
            "the image is 1x2x3x4, the grid 1x5x5x3");
  EXPECT_EQ(errorOf({"GridSample",
                     {{"x", {1, 2, 3, 4}}, {"g", {1, 5, 5, 2}}},
                     {A::text("mode", "area")}}),
            "attribute 'mode' is 'area', 'padding_mode' 'zeros'");
  EXPECT_EQ(
      errorOf({"GridSample", {{"x", {1, 1, 4097, 4097}}, {"g", {1, 5, 5, 2}}}}),
      "the image has more than 2^24 elements");
  EXPECT_EQ(
      errorOf({"GridSample",
               {{"x", {1, 1, 2, 2, 2, 2, 2}}, {"g", {1, 1, 1, 1, 1, 1, 5}}},
               {A::text("mode", "cubic")}}),
      "reads 1024 elements for each point (at most 256)");
  EXPECT_EQ(
      errorOf({"AffineGrid", {{"t", {2, 3, 4}}}, {}, {{"n", {2, 1, 3, 4}}}}),
      "theta is 2x3x4, the size has 4 numbers");
}

TEST(DeformConv, PointsAreThoseOfTheWindows) {
  auto with = [](std::vector<int64_t> offset, std::vector<int64_t> mask,
                 int64_t groups) {
    return errorOf({"DeformConv",
                    {{"x", {1, 4, 5, 5}},
                     {"w", {2, 4, 3, 3}},
                     {"o", offset},
                     {"b", {2}},
                     {"m", mask}},
                    {A::integer("offset_group", groups)}});
  };
  EXPECT_EQ(with({1, 18, 3, 4}, {1, 9, 3, 3}, 1),
            "the offset is 1x18x3x4, expected 1x18x3x3");
  EXPECT_EQ(with({1, 36, 3, 3}, {1, 9, 3, 3}, 2),
            "the mask is 1x9x3x3, expected 1x18x3x3");
  EXPECT_EQ(with({1, 54, 3, 3}, {1, 27, 3, 3}, 3),
            "offset_group 3 does not divide 4 input channels");
}

Outcome importOptimizer(const std::string &op, std::vector<In> inputs,
                        const std::vector<A> &attributes = {}) {
  ModelWriter writer;
  writer.opset(1, "ai.onnx.preview.training");
  std::vector<std::string> names;
  for (const In &input : inputs) {
    writer.input(input.name, input.type,
                 {input.shape.begin(), input.shape.end()});
    names.push_back(input.name);
  }
  writer.node(op, names, {"y", "z"}, attributes, "n",
              "ai.onnx.preview.training");
  return importWritten(writer.output("y"));
}

// A file of these ops alone imports no opset of ai.onnx.
TEST(Optimizers, CheckTheirTensors) {
  std::string place = "m.onnx: node 'n' (Momentum, opset 1): ";
  In r{"r", {}}, t{"t", {}, kI64}, x{"x", {3}}, g{"g", {3}};
  A standard = A::text("mode", "standard");
  EXPECT_TRUE(
      importOptimizer("Momentum", {r, t, x, g, {"v", {3}}}, {standard}).ok());
  EXPECT_EQ(importOptimizer("Momentum", {r, t, x, g}).error,
            place + "has 2 tensors, expected 3 for each weight");
  EXPECT_EQ(importOptimizer("Momentum", {r, t, x, g, {"v", {2}}}).error,
            place + "input 4 is 2, its weight 3");
  EXPECT_EQ(
      importOptimizer("Momentum", {{"r", {2}}, t, x, g, {"v", {3}}}).error,
      place + "input 0 is 2, expected one number");
  EXPECT_EQ(importOptimizer("Momentum", {r, t, x, g, {"v", {3}}}).error,
            place + "attribute 'mode' is '', expected standard or nesterov");
  EXPECT_EQ(
      importOptimizer("Lion", {r, t, x, g}).error,
      "m.onnx: node 'n' (Lion, opset 1): this op is not supported; define "
      "it by --op-library=FILE.mlir, or give the file a function of that "
      "domain and name, made of ops of ai.onnx");
}

TEST(Convolution, ABiasOfZerosIsNone) {
  // As PyTorch's exporter writes a 3-D convolution without bias.
  auto importBiased = [](float value) {
    std::vector<float> bias(6, value);
    return importWritten(
        ModelWriter()
            .opset(20)
            .input("x", kF32, {int64_t(1), int64_t(2), int64_t(5)})
            .weight("w", {3, 2, 2})
            .initializer(testTensor("val_0", kF32, {3, 2}, rawOf(bias)))
            .node("Conv", {"x", "w", "val_0"}, {"y"})
            .output("y"));
  };
  Outcome outcome = importBiased(0);
  EXPECT_TRUE(contains(outcome, "nn.conv %arg0, %0 "));
  EXPECT_EQ(importBiased(1).error, "m.onnx: node 'n' (Conv, opset 20): the "
                                   "bias is 3x2, expected 3");
}

TEST(Col2Im, ChecksShapes) {
  auto errorWith = [](std::vector<int64_t> input, std::vector<int64_t> image,
                      std::vector<int64_t> block) {
    return errorOf(
        {"Col2Im",
         {{"x", std::move(input)}},
         {},
         {{"image", std::move(image)}, {"block", std::move(block)}}});
  };
  EXPECT_EQ(errorWith({2, 6, 4}, {5}, {2, 1}),
            "the image's shape is 5, the window's 2x1");
  EXPECT_EQ(errorWith({2, 6, 3}, {5}, {2}),
            "the input is 2x6x3, expected batch, channels times 2, 4");
  EXPECT_EQ(errorWith({2, 5, 4}, {5}, {2}),
            "the input is 2x5x4, expected batch, channels times 2, 4");
  EXPECT_EQ(errorWith({2, 6, 4}, {-5}, {2}),
            "the window (2 on spatial axis 0) is larger than the padded input "
            "(-5)");
  EXPECT_EQ(errorWith({2, 4096, 1}, {64, 64}, {64, 64}),
            "overlapping windows of 4096 elements are not supported (at most "
            "1024)");
}

} // namespace
