// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers and Resize: what they refuse, and their form.
#include "test/lib/Import/ONNX/Importing.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::onnx;

namespace {

constexpr ElemType kF32 = ElemType::Float;
using A = TestAttribute;

/// A layer over [2 steps, 3 samples, 4 features], 5 wide.
Outcome importLayer(const std::string &op, int64_t gates,
                    const std::vector<TestAttribute> &attributes = {}) {
  return importWritten(
      ModelWriter()
          .opset(20)
          .input("x", kF32, {int64_t(2), int64_t(3), int64_t(4)})
          .weight("W", {1, gates * 5, 4})
          .weight("R", {1, gates * 5, 5})
          .node(op, {"x", "W", "R"}, {"y"}, attributes)
          .output("y", kF32, {int64_t(2), int64_t(1), int64_t(3), int64_t(5)}));
}

// Features: C17.
TEST(Recurrent, UnrollsOverTime) {
  for (auto [op, gates] :
       {std::pair<const char *, int64_t>{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}}) {
    Outcome outcome = importLayer(op, gates);
    EXPECT_EQ(outcome.error, "");
    // One product for the inputs of both steps.
    EXPECT_NE(outcome.module.find("tensor<6x4xf32>, tensor<" +
                                  std::to_string(gates * 5) + "x4xf32>"),
              std::string::npos)
        << outcome.module;
  }
}

TEST(Recurrent, SaysWhatItLacks) {
  auto errorOf = [](const std::vector<TestAttribute> &attributes) {
    return importLayer("LSTM", 4, attributes).error;
  };
  std::string place = "m.onnx: node 'n' (LSTM, opset 20): ";
  EXPECT_EQ(errorOf({A::integer("layout", 2)}),
            place + "attribute 'layout' is 2, expected 0 or 1");
  EXPECT_EQ(errorOf({A::real("clip", -1)}),
            place + "attribute 'clip' is not above 0");
  EXPECT_EQ(errorOf({A::texts("activations", {"Tanh"})}),
            place + "attribute 'activations' has 1 names, expected 3");
  EXPECT_EQ(errorOf({A::texts("activations", {"Sigmoid", "Gelu", "Tanh"})}),
            place + "activation 'Gelu' is unknown, expected one of Affine, "
                    "Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid, "
                    "Softplus, Softsign, Tanh, ThresholdedRelu");
  EXPECT_EQ(
      errorOf({A::texts("activations", {"Sigmoid", "ScaledTanh", "Tanh"})}),
      place + "attribute 'activation_alpha' has no number for ScaledTanh");
  EXPECT_EQ(errorOf({A::integer("hidden_size", 6)}),
            place + "attribute 'hidden_size' is 6, W is 1x20x4");
  EXPECT_EQ(errorOf({A::text("direction", "both")}),
            place + "attribute 'direction' is 'both'");
  EXPECT_EQ(errorOf({A::text("direction", "bidirectional")}),
            place + "W is 1x20x4, expected 2x20x4");
}

Outcome importResize(const std::vector<int64_t> &sizes,
                     const std::vector<TestAttribute> &attributes) {
  return importWritten(
      ModelWriter()
          .opset(20)
          .input("x", kF32, {int64_t(1), int64_t(4)})
          .ints("sizes", sizes)
          .node("Resize", {"x", "", "", "sizes"}, {"y"}, attributes)
          .output("y"));
}

TEST(Resize, NearestIsAGatherAndLinearAProduct) {
  EXPECT_NE(
      importResize({1, 8}, {}).module.find("dense<[0, 0, 1, 1, 2, 2, 3, 3]>"),
      std::string::npos);
  EXPECT_NE(importResize({1, 8}, {A::text("mode", "linear")})
                .module.find("nn.matmul %arg0, %0 : tensor<1x4xf32>, "
                             "tensor<4x8xf32>"),
            std::string::npos);
}

TEST(Resize, SaysWhatItLacks) {
  std::string place = "m.onnx: node 'n' (Resize, opset 20): ";
  EXPECT_EQ(importResize({1, 8}, {A::text("mode", "area")}).error,
            place + "attribute 'mode' is 'area', expected nearest, linear or "
                    "cubic");
  auto errorWith = [&](const std::string &name, const std::string &value) {
    return importResize({1, 8}, {A::text(name, value)}).error;
  };
  EXPECT_EQ(errorWith("coordinate_transformation_mode", "tf_half"),
            place + "attribute 'coordinate_transformation_mode' is 'tf_half', "
                    "which is not supported");
  EXPECT_EQ(errorWith("nearest_mode", "up"),
            place + "attribute 'nearest_mode' is 'up'");
  EXPECT_EQ(errorWith("keep_aspect_ratio_policy", "no"),
            place + "attribute 'keep_aspect_ratio_policy' is 'no', expected "
                    "stretch, not_larger or not_smaller");
  EXPECT_EQ(errorWith("coordinate_transformation_mode", "tf_crop_and_resize"),
            place + "tf_crop_and_resize has no roi");
  EXPECT_EQ(importResize({8}, {}).error,
            place + "has 1 sizes or scales for 2 axes");
  EXPECT_EQ(importResize({1, 0}, {}).error,
            place + "axis 1 of 1x4 is resized to 0.000000");
}

} // namespace
