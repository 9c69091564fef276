// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an Einsum node becomes, and what is wrong with one that is refused. Its
// numbers are those of the node suite.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

TEST(Einsum, IsAProductOfGroupedAxes) {
  Outcome outcome = import({"Einsum",
                            {{"a", {2, 3, 4}}, {"b", {4, 5, 2}}},
                            {A::text("equation", "bij, jkb -> bk")}});
  EXPECT_TRUE(contains(outcome, "nn.reduce_sum %arg0 axes [1]"));
  EXPECT_TRUE(contains(
      outcome, "nn.matmul %1, %2 : tensor<2x1x4xf32>, tensor<2x4x5xf32>"));
}

TEST(Einsum, SaysWhatIsWrongWithTheEquation) {
  auto error = [](const std::string &equation) {
    return errorOf({"Einsum",
                    {{"a", {2, 3}}, {"b", {4, 3}}},
                    {A::text("equation", equation)}});
  };
  EXPECT_EQ(error("ij"), "the equation has 1 terms, the node 2 inputs");
  EXPECT_EQ(error("i,ij"), "the term 'i' does not name 2 axes");
  EXPECT_EQ(error("i1,ij"), "the term 'i1' does not name 2 axes");
  EXPECT_EQ(error("ij,ij->i"), "an axis has sizes 2 and 4");
  EXPECT_EQ(error("ij,kj->ii"),
            "the output 'ii' names an axis that is in no term, or twice");
}

} // namespace
