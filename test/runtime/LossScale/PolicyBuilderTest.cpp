// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies under a builder that records operations, as the compiler's does:
// the recorded form must compute what the numbers compute.
#include "runtime/LossScale/LossScaler.h"
#include "runtime/LossScale/NumberBuilder.h"

#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

/// Records each operation once, as a function of the results before it. Values
/// know no numbers, so that no policy can branch on one.
class TapeBuilder {
public:
  struct Value {
    size_t index = 0;
  };
  struct Bool {
    size_t index = 0;
  };
  using Results = std::vector<double>;

  Value input() { return {push({})}; }
  Bool inputFlag() { return {push({})}; }
  size_t size() const { return tape_.size(); }

  Value constant(double c) {
    return {push([c](const Results &) { return c; })};
  }
  Value add(Value a, Value b) { return binary<&NumberBuilder::add>(a, b); }
  Value sub(Value a, Value b) { return binary<&NumberBuilder::sub>(a, b); }
  Value mul(Value a, Value b) { return binary<&NumberBuilder::mul>(a, b); }
  Value div(Value a, Value b) { return binary<&NumberBuilder::div>(a, b); }
  Value sqrt(Value a) {
    return {push([a](const Results &r) { return std::sqrt(r[a.index]); })};
  }
  Value roundToF32(Value a) {
    return {push([a](const Results &r) {
      return static_cast<double>(static_cast<float>(r[a.index]));
    })};
  }
  Bool lessThan(Value a, Value b) {
    return {push([=](const Results &r) { return r[a.index] < r[b.index]; })};
  }
  Bool lessEqual(Value a, Value b) {
    return {push([=](const Results &r) { return r[a.index] <= r[b.index]; })};
  }
  Bool equal(Value a, Value b) {
    return {push([=](const Results &r) { return r[a.index] == r[b.index]; })};
  }
  Bool logicalAnd(Bool a, Bool b) {
    return {push(
        [=](const Results &r) { return r[a.index] != 0 && r[b.index] != 0; })};
  }
  Bool logicalOr(Bool a, Bool b) {
    return {push(
        [=](const Results &r) { return r[a.index] != 0 || r[b.index] != 0; })};
  }
  Bool logicalNot(Bool a) {
    return {push([=](const Results &r) { return r[a.index] == 0; })};
  }
  Value select(Bool p, Value a, Value b) {
    return {push([=](const Results &r) {
      return r[p.index] != 0 ? r[a.index] : r[b.index];
    })};
  }

  /// Runs the tape; the inputs are the first results.
  Results run(Results inputs) const {
    Results results = std::move(inputs);
    for (size_t i = results.size(); i != tape_.size(); ++i)
      results.push_back(tape_[i](results));
    return results;
  }

private:
  using Operation = std::function<double(const Results &)>;

  template <auto Function>
  Value binary(Value a, Value b) {
    return {push([=](const Results &r) {
      NumberBuilder numbers;
      return (numbers.*Function)(r[a.index], r[b.index]);
    })};
  }
  size_t push(Operation operation) {
    tape_.push_back(std::move(operation));
    return tape_.size() - 1;
  }

  std::vector<Operation> tape_;
};
static_assert(ScalarBuilder<TapeBuilder>);

/// A policy recorded once: state, settings and event in, state out.
struct Recorded {
  TapeBuilder tape;
  StateValues<TapeBuilder> results;

  explicit Recorded(PolicyKind kind) {
    StateValues<TapeBuilder> state;
    SettingValues<TapeBuilder> settings;
    for (auto &value : state)
      value = tape.input();
    for (auto &value : settings)
      value = tape.input();
    const TapeBuilder::Bool foundInf = tape.inputFlag();
    const TapeBuilder::Value gradMaxAbs = tape.input();
    results = stepPolicy(kind, tape, state, settings,
                         {.foundInf = foundInf, .gradMaxAbs = gradMaxAbs});
  }

  std::array<double, kNumStateSlots>
  step(const LossScaler &scaler, bool foundInf, double gradMaxAbs) const {
    TapeBuilder::Results inputs(scaler.state().begin(), scaler.state().end());
    inputs.insert(inputs.end(), scaler.settings().values.begin(),
                  scaler.settings().values.end());
    inputs.push_back(foundInf ? 1 : 0);
    inputs.push_back(gradMaxAbs);
    const TapeBuilder::Results all = tape.run(std::move(inputs));
    std::array<double, kNumStateSlots> state;
    for (size_t i = 0; i != kNumStateSlots; ++i)
      state[i] = all[results[i].index];
    return state;
  }
};

class RecordedPolicy : public testing::TestWithParam<PolicyInfo> {};

TEST_P(RecordedPolicy, ComputesWhatNumbersCompute) {
  const PolicyKind kind = GetParam().kind;
  const Recorded recorded(kind);
  LossScaler scaler(kind, settingsOf(kind, {{{Setting::InitScale, 1024},
                                             {Setting::GrowthInterval, 3},
                                             // one maximum a window
                                             {Setting::MostRecent, 1}}}));
  for (int i = 0; i != 300; ++i) {
    const bool foundInf = i % 13 == 5 || (i > 200 && i % 2 == 0);
    const double gradMaxAbs = i % 29 == 7 ? 0.0 : std::exp2(-(i % 17) * 0.7);
    if (i == 150)
      scaler.set(Setting::GrowthInterval, 2);
    const auto state = recorded.step(scaler, foundInf, gradMaxAbs);
    scaler.step(foundInf, gradMaxAbs);
    for (size_t slot = 0; slot != kNumStateSlots; ++slot) {
      if (std::isnan(state[slot]) && std::isnan(scaler.state()[slot]))
        continue;
      ASSERT_EQ(std::bit_cast<uint64_t>(state[slot]),
                std::bit_cast<uint64_t>(scaler.state()[slot]))
          << slotKey(static_cast<StateSlot>(slot)) << " after step " << i;
    }
  }
}

// The compiled form runs once a step on one thread: a policy stays small.
// Features: F14.
TEST_P(RecordedPolicy, StaysSmall) {
  const size_t inputs = kNumStateSlots + kNumSettings + 2;
  const size_t limit = GetParam().needsGradMaxAbs ? 700 : 100;
  EXPECT_LT(Recorded(GetParam().kind).tape.size() - inputs, limit);
}

INSTANTIATE_TEST_SUITE_P(LossScaler, RecordedPolicy,
                         testing::ValuesIn(allPolicies().begin(),
                                           allPolicies().end()),
                         [](const auto &info) {
                           std::string name(info.param.name);
                           std::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace mpc::rt
