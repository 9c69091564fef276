// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms: what they refuse, and their precision.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

/// The error of a transform of [2, 6, `parts`], told `numbers` (of inputs n and
/// axis).
std::string errorOf(int64_t parts, const std::vector<std::string> &inputs,
                    const std::vector<A> &attributes = {}) {
  std::vector<std::string> all{"x"};
  all.insert(all.end(), inputs.begin(), inputs.end());
  std::string error =
      importWritten(
          ModelWriter()
              .opset(20)
              .input("x", ElemType::Float, {int64_t(2), int64_t(6), parts})
              .ints("zero", {0})
              .ints("two", {2})
              .ints("pair", {1, 1})
              .ints("eight", {8})
              .weight("window", {3})
              .node(inputs.size() < 2 || inputs[0] != "two" ? "DFT" : "STFT",
                    all, {"y"}, attributes)
              .output("y"))
          .error;
  return error.substr(error.find("): ") + 3);
}

TEST(Fourier, SaysWhatItLacks) {
  EXPECT_EQ(errorOf(3, {}),
            "the input is 2x6x3, expected a last axis of 1 or 2");
  EXPECT_EQ(errorOf(2, {"", "two"}),
            "the axis is the last, which holds the parts");
  EXPECT_EQ(errorOf(2, {"", "pair"}), "the axis has 2 elements, expected one");
  EXPECT_EQ(errorOf(2, {"zero"}), "the length is 0, expected 1 to 4096");
  EXPECT_EQ(errorOf(2, {}, {A::integer("onesided", 1)}),
            "attribute 'onesided' is 1, and the input has 2 parts, expected 1");
  EXPECT_EQ(
      errorOf(1, {}, {A::integer("onesided", 1), A::integer("inverse", 1)}),
      "attribute 'onesided' is 1, and the input has 1 parts, expected 2");
}

TEST(Fourier, OfFramesSaysWhatItLacks) {
  EXPECT_EQ(errorOf(1, {"two", "", "eight"}),
            "frames of 8 every 2 do not fit a signal of 6");
  EXPECT_EQ(errorOf(1, {"two", "window", "two"}),
            "the window is 3, expected 2");
}

/// The product with cosines and sines is in a region of its own.
TEST(Fourier, StaysInF32UnderAutocast) {
  Outcome outcome = import({"DFT", {{"x", {2, 6, 2}}}});
  EXPECT_TRUE(contains(outcome, "nn.autocast disabled -> tensor<2x12xf32>"));
  EXPECT_TRUE(contains(outcome, "nn.matmul"));
}

} // namespace
