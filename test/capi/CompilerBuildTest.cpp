// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models that are built op by op.
#include "test/capi/CompilerTest.h"

#include <clocale>

namespace mpc::test {
namespace {

TEST(CompilerBuild, ALinearModelTrains) {
  LinearCase given;
  Model model = buildLinear(given);
  Program program = get(model.compile({"--loss=mse", "--optimizer=sgd"}));
  expectStep(program, given, "w");
}

/// The loss of that model, as a function for a step to differentiate.
void addLoss(Model &model) {
  const std::string f32 = "tensor<2x2xf32>";
  auto in = get(model.beginFunction("loss", {{"x", f32}, {"target", f32}}));
  MpcValue w = get(model.addOp("nn.get", {}, "{parameter = @w}", {f32}))[0];
  MpcValue y = get(model.addOp("nn.linear", {in[0], w}))[0];
  MpcValue difference = get(model.addOp("nn.sub", {y, in[1]}))[0];
  MpcValue square = get(model.addOp("nn.mul", {difference, difference}))[0];
  MpcValue quarter = get(model.addOp(
      "nn.constant", {}, "{value = dense<0.25> : tensor<2x2xf32>}"))[0];
  MpcValue part = get(model.addOp("nn.mul", {square, quarter}))[0];
  MpcValue loss =
      get(model.addOp("nn.reduce_sum", {part}, "{axes = array<i64: 0, 1>}"))[0];
  EXPECT_EQ(get(model.typeOf(loss)), "tensor<f32>");
  succeed(model.endFunction({{"loss", loss}}));
}

/// A step of amp ops: scale, gradient, unscale, check, update.
void addStep(Model &model) {
  const std::string f32 = "tensor<2x2xf32>";
  auto in = get(model.beginFunction(
      "step", {{"x", f32}, {"target", f32}, {"lr", "tensor<f32>"}}));
  auto op = [&](const char *name, std::vector<MpcValue> operands,
                const char *attributes = "",
                std::vector<std::string> types = {}) {
    return get(model.addOp(name, operands, attributes, types));
  };
  MpcValue scale =
      op("amp.get_scale", {}, "{scaler = @scaler}", {"tensor<f32>"})[0];
  auto both = op("nn.vjp", {in[0], in[1], scale},
                 "{callee = @loss, wrt = [@w], "
                 "operandSegmentSizes = array<i32: 2, 1>}",
                 {"tensor<f32>", f32});
  MpcValue inverse = op("amp.inverse_scale", {scale}, "", {"tensor<f32>"})[0];
  MpcValue all =
      op("amp.gather", {both[1]}, "", {"!amp.gradients<@optimizer>"})[0];
  MpcValue unscaled =
      op("amp.unscale", {all, inverse}, "", {"!amp.gradients<@optimizer>"})[0];
  MpcValue found =
      op("amp.check", {unscaled}, "", {"tensor<i1>", "tensor<f64>"})[0];
  op("amp.apply", {unscaled, in[2], found});
  op("amp.update_scale", {found},
     "{scaler = @scaler, operandSegmentSizes = array<i32: 1, 0, 0>}",
     {"tensor<f64>", "tensor<f64>"});
  succeed(model.endFunction(
      {{"loss", both[0]}, {"scale", scale}, {"found_inf", found}}));
}

TEST(CompilerBuild, AStepOfOnesOwnTrains) {
  Model model = get(Model::create("own"));
  get(model.addOp("nn.parameter", {},
                  "{sym_name = \"w\", type = tensor<2x2xf32>, "
                  "init = #nn.init<external>}"));
  get(model.addOp("amp.scaler", {},
                  "{sym_name = \"scaler\", policy = \"dynamic\", "
                  "settings = {init_scale = 64.0}}"));
  get(model.addOp("amp.optimizer", {},
                  "{sym_name = \"optimizer\", kind = \"sgd\", hyper = {}, "
                  "trains = [@w]}"));
  addLoss(model);
  addStep(model);
  LinearCase given;
  succeed(model.setValue("w", {given.w.data(), {2, 2}}));
  expectStep(get(model.compile({})), given, "w");
}

TEST(CompilerBuild, TheTextIsTheModel) {
  std::string text = get(buildLinear(LinearCase()).text());
  EXPECT_NE(text.find("nn.linear"), std::string::npos) << text;
  EXPECT_NE(text.find("nn.name = \"x\""), std::string::npos) << text;
  Model parsed = get(Model::parse(text, "again"));
  LinearCase given;
  succeed(parsed.setValue("w", {given.w.data(), {2, 2}}));
  Program program = get(parsed.compile({"--loss=mse", "--optimizer=sgd"}));
  expectStep(program, given, "w");
}

TEST(CompilerBuild, TypesAreInferredOrAskedFor) {
  Model model = get(Model::create("types"));
  auto x = get(model.beginFunction("model", {{"x", "tensor<2x3xf32>"}}));
  MpcValue softmax = get(model.addOp("nn.softmax", x, "{axis = 1 : i64}"))[0];
  EXPECT_EQ(get(model.typeOf(softmax)), "tensor<2x3xf32>");
  EXPECT_EQ(failureOf(model.addOp("nn.softmax", x).status()),
            "1: 'nn.softmax' op requires attribute 'axis'");
}

TEST(CompilerBuild, WhatIsWrongIsRefusedWhereItIsAdded) {
  Model model = get(Model::create("wrong"));
  auto add = [&](const char *name, std::vector<MpcValue> operands,
                 const char *attributes = "") {
    return failureOf(model.addOp(name, operands, attributes).status());
  };
  EXPECT_EQ(add("nn.nothing", {}), "2: 'nn.nothing' is not an op of mpc");
  auto x = get(model.beginFunction("model", {{"x", "tensor<2x3xf32>"}}));
  EXPECT_EQ(add("nn.tanh", {7}),
            "2: value 7 is not one of the function that is being built");
  EXPECT_NE(add("nn.softmax", x, "{axis = 5 : i64}").find("axis"),
            std::string::npos)
      << add("nn.softmax", x, "{axis = 5 : i64}");
  EXPECT_NE(add("nn.softmax", x, "axis 1").find("are not attributes"),
            std::string::npos);
  EXPECT_EQ(failureOf(model.beginFunction("two", {}).status()),
            "2: function 'model' is not ended");
  EXPECT_EQ(failureOf(model.text().status()),
            "2: function 'model' is not ended");
  succeed(model.endFunction({{"y", x[0]}}));
  EXPECT_EQ(failureOf(model.endFunction({{"y", x[0]}})),
            "2: no function is being built");
  EXPECT_EQ(failureOf(model.beginFunction("model", {}).status()),
            "2: there is a 'model' already");
  EXPECT_NE(failureOf(model.beginFunction("f", {{"x", "tensr"}}).status())
                .find("'tensr' is not a type"),
            std::string::npos);
}

TEST(CompilerBuild, ALocaleDecidesNothing) {
  // A comma is the decimal point of these.
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"})
    if (std::setlocale(LC_ALL, name))
      break;
  LinearCase given;
  Program program = get(buildLinear(given).compile(
      {"--loss=mse", "--optimizer=sgd", "--momentum=0.5"}));
  Runner runner = get(Runner::create(program));
  EXPECT_EQ(get(runner.readNumber("momentum")), 0.5);
  std::setlocale(LC_ALL, "C");
}

} // namespace
} // namespace mpc::test
