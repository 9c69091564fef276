// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What checkpoints say of their tensors, and what old names said.
#include "runtime/Program/StateRecord.h"

#include "runtime/Program/OldStateNames.h"
#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

std::vector<TensorView> tensorsCalled(const std::vector<std::string> &names) {
  std::vector<TensorView> tensors;
  for (const std::string &name : names)
    tensors.push_back({{name, DType::F32, {}}, nullptr});
  return tensors;
}

std::string faultOf(const std::string &field,
                    const std::vector<std::string> &names) {
  auto record = parseStateRecord({{"state", field}}, tensorsCalled(names));
  if (record.ok())
    return "";
  std::string message = record.status().message();
  std::string remedy = "; it must describe each tensor as mpc writes it: take "
                       "another checkpoint";
  EXPECT_TRUE(message.starts_with("field 'state' "));
  EXPECT_TRUE(message.ends_with(remedy)) << message;
  return message.substr(14, message.size() - 14 - remedy.size());
}

TEST(StateRecord, TellsWhatIsSaved) {
  auto program = test::makeTestProgram();
  StateRecord record = recordOf(*program);
  EXPECT_EQ(record,
            (StateRecord{{"w", {StateRole::Parameter}},
                         {"w/momentum", {StateRole::Slot, "w", "momentum"}},
                         {"loss_scale", {StateRole::LossScale}},
                         {"optimizer", {StateRole::Optimizer}}}));
}

TEST(StateRecord, IsReadAsItWasWritten) {
  // Names that the old form would take apart otherwise.
  StateRecord record = {{"block", {StateRole::Buffer}},
                        {"block/ema", {StateRole::Parameter}},
                        {"block/w", {StateRole::Parameter}},
                        {"m", {StateRole::Slot, "block/w", "exp_avg"}},
                        {"n", {StateRole::Average, "block/ema", "ema"}},
                        {"\"x\"", {StateRole::Pending, "block", "pending"}},
                        {"amp.hyper.x", {StateRole::Setting, "a.b", "c"}}};
  std::vector<std::string> names;
  for (const auto &[name, tensor] : record)
    names.push_back(name);
  auto read = parseStateRecord(toFields(record), tensorsCalled(names));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, record);
}

TEST(StateRecord, WhatDoesNotFitItsFileIsRefused) {
  const char *weight = R"({"w": {"role": "parameter"}})";
  EXPECT_EQ(faultOf(weight, {"w"}), "");
  EXPECT_EQ(faultOf("[]", {"w"}), "is not an object of tensors");
  EXPECT_EQ(faultOf("{", {"w"}), "is not an object of tensors");
  EXPECT_EQ(faultOf(weight, {"w", "b"}), "has, for tensor 'b', no role");
  EXPECT_EQ(faultOf(weight, {}),
            "has, for tensor 'w', the role parameter, and the file has "
            "no such tensor");
  EXPECT_EQ(faultOf(R"({"w": "parameter"})", {"w"}),
            "has, for tensor 'w', no role");
  EXPECT_EQ(faultOf(R"({"w": {"role": 1}})", {"w"}),
            "has, for tensor 'w', a role that is not a text");
  EXPECT_EQ(faultOf(R"({"w": {"role": "parameter", "key": []}})", {"w"}),
            "has, for tensor 'w', a key that is not a text");
  EXPECT_EQ(faultOf(R"({"w": {"role": "weight"}})", {"w"}),
            "has, for tensor 'w', the unknown role 'weight'; known are "
            "parameter, low_precision, gradient, slot, buffer, loss_scale, "
            "optimizer, hyperparameters, setting, average, pending");
  EXPECT_EQ(faultOf(R"({"m": {"role": "slot", "owner": "w"}})", {"m"}),
            "has, for tensor 'm', the owner 'w', and the file has no "
            "such tensor");
  EXPECT_EQ(faultOf(R"({"m": {"role": "slot"}})", {"m"}),
            "has, for tensor 'm', the owner '', and the file has no "
            "such tensor");
}

TEST(OldStateNames, SayWhatTensorsAre) {
  StateRecord record = recordOfNames(
      {"w", "w/exp_avg", "w/ema", "mean", "mean/pending", "a/b", "c/d",
       "amp.hyper.beta1", "amp.hyper.critic.growth_interval", "amp.loss_scale",
       "amp.loss_scale.critic", "amp.optimizer.step", "amp.optimizer.a.step",
       "amp.loss_scales"});
  EXPECT_EQ(record,
            (StateRecord{
                {"w", {StateRole::Parameter}},
                {"w/exp_avg", {StateRole::Slot, "w", "exp_avg"}},
                {"w/ema", {StateRole::Average, "w", "ema"}},
                {"mean", {StateRole::Buffer}},
                {"mean/pending", {StateRole::Pending, "mean", "pending"}},
                {"a/b", {StateRole::Buffer}},
                {"c/d", {StateRole::Buffer}},
                {"amp.hyper.beta1", {StateRole::Hyperparameters, "", "beta1"}},
                {"amp.hyper.critic.growth_interval",
                 {StateRole::Setting, "critic", "growth_interval"}},
                {"amp.loss_scale", {StateRole::LossScale}},
                {"amp.loss_scale.critic", {StateRole::LossScale, "critic"}},
                {"amp.optimizer.step", {StateRole::Optimizer, "", "step"}},
                {"amp.optimizer.a.step", {StateRole::Optimizer, "a", "step"}},
                {"amp.loss_scales", {StateRole::Buffer}}}));
}

TEST(OldStateNames, WithoutSlotsOnlyStatisticsAreBuffers) {
  EXPECT_EQ(recordOfNames({"w", "n.running_mean"}),
            (StateRecord{{"w", {StateRole::Parameter}},
                         {"n.running_mean", {StateRole::Buffer}}}));
}

TEST(OldStateNames, CompleteTheStateOfAProgram) {
  auto tensor = [](const char *name, StateRole role) {
    return StateTensor{{name, DType::F32, {}}, role};
  };
  std::vector<StateTensor> state = {
      tensor("w", StateRole::Parameter),
      tensor("w/f16", StateRole::LowPrecision),
      tensor("w/ema", StateRole::Slot),
      tensor("w/v", StateRole::Parameter),
      tensor("w/pending", StateRole::Buffer),
      tensor("amp.hyper.growth_interval", StateRole::Hyperparameters)};
  completeOldState(state);
  std::vector<TensorRecord> records;
  for (const StateTensor &done : state)
    records.push_back({done.role, done.owner, done.key});
  EXPECT_EQ(records, (std::vector<TensorRecord>{
                         {StateRole::Parameter},
                         {StateRole::LowPrecision, "w", "f16"},
                         {StateRole::Average, "w", "ema"},
                         {StateRole::Parameter},
                         {StateRole::Pending, "w", "pending"},
                         {StateRole::Setting, "", "growth_interval"}}));
}

} // namespace
} // namespace mpc::rt
