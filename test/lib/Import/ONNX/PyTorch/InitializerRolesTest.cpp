// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which initializers are parameters, and by which rule.
#include "lib/Import/ONNX/PyTorch/InitializerRoles.h"
#include "test/lib/Import/ONNX/Importing.h"

#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::onnx;

namespace {

constexpr ElemType kF32 = ElemType::Float;

/// The rule that decides about the initializer `name`; a parameter's in
/// brackets.
std::string ruleOf(const ModelWriter &writer, const std::string &name) {
  ModelWriter whole = writer;
  whole.opset(20);
  for (const char *input : {"x", "q", "k", "m", "s", "b", "v", "w", "r"})
    whole.input(input, kF32, {"n"});
  std::string bytes = whole.bytes();
  auto model = llvm::cantFail(
      readModel(llvm::MemoryBuffer::getMemBufferCopy(bytes), "m.onnx", ""));
  for (const InitializerRole &role :
       listInitializers(model, GraphUses(model.graph)))
    if (role.name == name)
      return role.kind == RoleKind::Parameter ? "[" + role.rule + "]"
             : role.kind == RoleKind::Buffer  ? "(" + role.rule + ")"
                                              : role.rule;
  return "none";
}

/// The rule for a float initializer of 2x2 added to an activation.
std::string ruleOfName(const std::string &name) {
  return ruleOf(
      ModelWriter().weight(name, {2, 2}).node("Add", {"x", name}, {"y"}), name);
}

TEST(InitializerRoles, ByName) {
  EXPECT_EQ(ruleOfName("fc.weight"), "[floating-point initializer]");
  EXPECT_EQ(ruleOfName("pos"), "[floating-point initializer]");
  EXPECT_EQ(ruleOfName("mask_token"), "[floating-point initializer]");
  EXPECT_EQ(ruleOfName("logit_scale"), "[floating-point initializer]");
  EXPECT_EQ(ruleOfName("val_12"), "val_*: a value the exporter computed");
  EXPECT_EQ(ruleOfName("bn.running_mean"),
            "running statistic of no normalization");
  EXPECT_EQ(ruleOfName("h.0.attn.mask"), "mask, by its name");
  EXPECT_EQ(ruleOfName("causal_mask_1"), "mask, by its name");
  EXPECT_EQ(ruleOfName("rope.inv_freq"), "rotary table, by its name");
  EXPECT_EQ(ruleOfName("attn.cos_cached"), "rotary table, by its name");
  EXPECT_EQ(ruleOfName("lifted_tensor_0"),
            "named after the ATen op that made it");
  EXPECT_EQ(ruleOfName("masked_fill_3"),
            "named after the ATen op that made it");
  EXPECT_EQ(ruleOfName("onnx::Add_7"), "no name, and no weight of an op");
}

TEST(InitializerRoles, ByUse) {
  EXPECT_EQ(ruleOf(ModelWriter().weight("w", {2}), "w"), "used by no node");
  EXPECT_EQ(ruleOf(ModelWriter().ints("n", {2}), "n"), "not floating-point");
  EXPECT_EQ(ruleOf(ModelWriter()
                       .weight("onnx::MatMul_7", {2, 2})
                       .node("MatMul", {"x", "onnx::MatMul_7"}, {"y"}),
                   "onnx::MatMul_7"),
            "[weight without a name (folded export)]");
  EXPECT_EQ(ruleOf(ModelWriter()
                       .weight("start", {1, 2, 2})
                       .node("LSTM", {"x", "w", "r", "", "", "start"}, {"y"}),
                   "start"),
            "initial state of a recurrent layer");
  EXPECT_EQ(ruleOf(ModelWriter()
                       .weight("mean", {2})
                       .node("BatchNormalization", {"x", "s", "b", "mean", "v"},
                             {"y"}),
                   "mean"),
            "(running statistic)");
  EXPECT_EQ(ruleOf(ModelWriter()
                       .weight("bn.running_mean", {2})
                       .node("Sub", {"x", "bn.running_mean"}, {"y"}),
                   "bn.running_mean"),
            "running statistic of no normalization");
  EXPECT_EQ(
      ruleOf(ModelWriter().weight("low", {}).node("Clip", {"x", "low"}, {"y"}),
             "low"),
      "used only where no gradient flows");
}

TEST(InitializerRoles, AttentionScaleStandsBetweenMatMulAndSoftmax) {
  ModelWriter attention;
  attention.weight("attn.scale", {})
      .node("MatMul", {"q", "k"}, {"scores"})
      .node("Mul", {"scores", "attn.scale"}, {"scaled"})
      .node("Add", {"scaled", "m"}, {"masked"})
      .node("Softmax", {"masked"}, {"p"});
  EXPECT_EQ(ruleOf(attention, "attn.scale"), "attention scale");
  ModelWriter other;
  other.weight("scale", {})
      .node("MatMul", {"q", "k"}, {"scores"})
      .node("Mul", {"scores", "scale"}, {"y"});
  EXPECT_EQ(ruleOf(other, "scale"), "[floating-point initializer]");
}

TEST(InitializerRoles, AMaskHoldsInfinity) {
  float inf = std::numeric_limits<float>::infinity();
  for (float low : {-inf, std::numeric_limits<float>::lowest()})
    EXPECT_EQ(ruleOf(ModelWriter()
                         .initializer(testTensor("bias", kF32, {2},
                                                 rawOf<float>({0, low})))
                         .node("Add", {"x", "bias"}, {"y"}),
                     "bias"),
              "mask: holds -inf or the lowest number");
}

TEST(InitializerRoles, AFlagDecidesFirst) {
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(2), int64_t(2)})
      .weight("val_3", {2, 2})
      .weight("b", {2})
      .node("Add", {"x", "val_3"}, {"y"})
      .node("Add", {"y", "b"}, {"z"})
      .output("z");
  EXPECT_EQ(importWritten(writer).parameters, std::vector<std::string>{"b"});
  ModelOptions options;
  options.roles = {{"val_3", RoleKind::Parameter}, {"b", RoleKind::Constant}};
  EXPECT_EQ(importWritten(writer, options).parameters,
            std::vector<std::string>{"val_3"});
}

TEST(InitializerRoles, AWeightUsedTwiceIsOneParameter) {
  Outcome outcome =
      importWritten(ModelWriter()
                        .opset(20)
                        .input("x", kF32, {int64_t(2), int64_t(2)})
                        .weight("w", {2, 2})
                        .node("MatMul", {"x", "w"}, {"h"})
                        .node("MatMul", {"h", "w"}, {"y"})
                        .output("y"));
  EXPECT_EQ(outcome.parameters, std::vector<std::string>{"w"});
}

TEST(InitializerRoles, WarnsOfAnExportForInference) {
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(2), int64_t(2)})
      .weight("val_3", {2, 2})
      .node("MatMul", {"x", "val_3"}, {"y"})
      .output("y");
  EXPECT_EQ(importWritten(writer).warnings,
            std::vector<std::string>{
                "1 weights have lost their names (the first is 'val_3'): this "
                "file was exported for inference, with constant folding; what "
                "was folded cannot be trained as it was written. Export it "
                "with torch.onnx.export(..., dynamo=True, optimize=False)"});
}

} // namespace
