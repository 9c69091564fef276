// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of the policies over every short string of events, and the rules
// that no trace shows.
#include "runtime/LossScale/LossScaler.h"

#include "runtime/LossScale/NumberBuilder.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace mpc::rt {
namespace {

LossScaler makeScaler(PolicyKind kind,
                      std::vector<SettingOverride> overrides = {}) {
  if (kind == PolicyKind::Fixed || kind == PolicyKind::KerasFixed)
    overrides.insert(overrides.begin(), {Setting::InitScale, 128});
  return {kind, settingsOf(kind, overrides)};
}

/// A saved and loaded copy, in an object that was used before.
LossScaler reloaded(const LossScaler &scaler) {
  LossScaler other = makeScaler(scaler.kind());
  other.step(true, 1.0);
  EXPECT_TRUE(other.load(scaler.save()).ok());
  return other;
}

using State = std::array<double, kNumStateSlots>;

/// Visits the scaler after every string of up to 12 events out of {finite,
/// overflow, save + load}. Strings that lead to the same state go on as one:
/// what follows depends on nothing else.
void forAllStrings(const LossScaler &start,
                   const std::function<void(const LossScaler &, int)> &visit) {
  struct Node {
    LossScaler scaler;
    int steps;
  };
  std::vector<Node> frontier = {{start, 0}};
  for (int length = 0; length != 12; ++length) {
    std::vector<Node> next;
    std::set<std::pair<State, int>> seen;
    auto add = [&](const LossScaler &scaler, int steps) {
      visit(scaler, steps);
      if (seen.insert({scaler.state(), steps}).second)
        next.push_back({scaler, steps});
    };
    for (const Node &node : frontier) {
      for (bool foundInf : {false, true}) {
        LossScaler scaler = node.scaler;
        scaler.step(foundInf, 0x1p-6);
        add(scaler, node.steps + 1);
      }
      LossScaler loaded = reloaded(node.scaler);
      EXPECT_EQ(loaded.save(), node.scaler.save());
      add(loaded, node.steps);
    }
    frontier = std::move(next);
  }
}

class AllPolicies : public testing::TestWithParam<PolicyInfo> {};

// Features: L12, X1.
TEST_P(AllPolicies, CountEveryStepOnce) {
  const PolicyInfo &policy = GetParam();
  for (double start : {1.0, 65536.0})
    for (double interval : {1.0, 2.0, 3.0})
      forAllStrings(
          makeScaler(policy.kind, {{Setting::InitScale, start},
                                   {Setting::GrowthInterval, interval}}),
          [](const LossScaler &scaler, int steps) {
            ASSERT_EQ(scaler.at(StateSlot::AppliedTotal) +
                          scaler.at(StateSlot::SkippedTotal),
                      steps);
            ASSERT_LE(scaler.at(StateSlot::SkippedInARow),
                      scaler.at(StateSlot::SkippedTotal));
          });
}

// Features: L7, X23.
TEST_P(AllPolicies, GoOnAfterALoadAsIfNothingHappened) {
  LossScaler plain = makeScaler(GetParam().kind, {{Setting::Hysteresis, 3}});
  LossScaler resumed = plain;
  for (int i = 0; i != 200; ++i) {
    const bool foundInf = i % 7 == 3 || i % 11 == 4;
    plain.step(foundInf, 1.0 / (i + 1));
    resumed = reloaded(resumed);
    resumed.step(foundInf, 1.0 / (i + 1));
    ASSERT_EQ(plain.save(), resumed.save()) << i;
  }
}

/// What a checkpoint would hold after each step: always, never and now and then
/// not finite, gradients from nothing to beyond f32.
// Features: X23.
TEST_P(AllPolicies, KeepEachSlotInItsRange) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double maxima[] = {0, 0x1p-149, 1, 1e30, kInf, std::nan("")};
  for (int every : {1, 3, 7, 0}) {
    LossScaler scaler =
        makeScaler(GetParam().kind, {{Setting::GrowthInterval, 1}});
    for (int i = 0; i != 3000; ++i) {
      scaler.step(every != 0 && i % every == 0, maxima[i / 5 % 6]);
      for (size_t slot = 0; slot != kNumStateSlots; ++slot) {
        const SlotInfo &info = slotInfo(static_cast<StateSlot>(slot));
        ASSERT_TRUE(info.holds(scaler.at(info.slot)))
            << info.key << " is " << scaler.at(info.slot) << " at " << i;
      }
    }
  }
}

// Features: E1.
TEST_P(AllPolicies, SkipExactlyWhatTheySayTheySkip) {
  LossScaler scaler = makeScaler(GetParam().kind);
  EXPECT_TRUE(scaler.step(false, 1.0).applied);
  const bool applied = scaler.step(true, 1.0).applied;
  EXPECT_EQ(applied, appliesNonFinite(GetParam().kind));
  EXPECT_EQ(scaler.at(StateSlot::SkippedTotal), applied ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(LossScaler, AllPolicies,
                         testing::ValuesIn(allPolicies().begin(),
                                           allPolicies().end()),
                         [](const auto &info) {
                           std::string name(info.param.name);
                           std::erase(name, '-');
                           return name;
                         });

// Features: E8, E9.
TEST(Dynamic, StaysWithinItsBoundsWhateverHappens) {
  for (double start : {0x1p-14, 1.0, 65536.0, 0x1p24})
    for (double interval : {1.0, 2.0, 3.0})
      forAllStrings(makeScaler(PolicyKind::Dynamic,
                               {{Setting::InitScale, start},
                                {Setting::GrowthInterval, interval}}),
                    [](const LossScaler &scaler, int) {
                      ASSERT_GE(scaler.scale(), 0x1p-14);
                      ASSERT_LE(scaler.scale(), 0x1p24);
                    });
}

TEST(Dynamic, IsTorchWithinItsBounds) {
  for (double interval : {1.0, 2.0, 3.0, 5.0}) {
    const std::vector<SettingOverride> overrides = {
        {Setting::GrowthInterval, interval},
        {Setting::GrowthFactor, 1.1},
        {Setting::BackoffFactor, 0.9}};
    LossScaler dynamic = makeScaler(PolicyKind::Dynamic, overrides);
    LossScaler torch = makeScaler(PolicyKind::Torch, overrides);
    for (int i = 0; i != 60; ++i) {
      dynamic.step(i % 5 == 2);
      torch.step(i % 5 == 2);
      ASSERT_EQ(dynamic.scale(), torch.scale()) << i;
      ASSERT_EQ(dynamic.at(StateSlot::Counter), torch.at(StateSlot::Counter));
    }
  }
}

// Features: X4.
TEST(Dynamic, NamesTooManySkipsInARow) {
  LossScaler scaler = makeScaler(PolicyKind::Dynamic);
  for (int i = 1; i != 50; ++i)
    EXPECT_EQ(scaler.step(true).error, ScaleError::None) << i;
  EXPECT_EQ(scaler.step(true).error, ScaleError::TooManySkips);
  EXPECT_EQ(scaler.step(true).error, ScaleError::TooManySkips);
  EXPECT_EQ(scaler.step(false).error, ScaleError::None);
  EXPECT_EQ(scaler.step(true).error, ScaleError::None);
  EXPECT_EQ(message(ScaleError::TooManySkips),
            "too many steps skipped in a row");
}

TEST(Dynamic, NeverGivesUpWithALimitOfZero) {
  LossScaler scaler =
      makeScaler(PolicyKind::Dynamic, {{Setting::MaxSkipsInARow, 0}});
  for (int i = 0; i != 1000; ++i)
    ASSERT_EQ(scaler.step(true).error, ScaleError::None);
  EXPECT_EQ(scaler.scale(), 0x1p-14);
}

/// How many of the next `steps` are skipped where gradients overflow at a scale
/// above `fits`.
int countSkips(LossScaler &scaler, int steps, double fits) {
  int skips = 0;
  for (int i = 0; i != steps; ++i) {
    bool overflows = scaler.scale() > fits;
    scaler.step(overflows, overflows ? HUGE_VAL : 1.0);
    skips += overflows;
  }
  return skips;
}

// Features: L13.
TEST(UsualSkips, AreTheFirstFewThenOneAnInterval) {
  const std::vector<std::pair<PolicyKind, int>> policies = {
      {PolicyKind::Dynamic, 101}, {PolicyKind::Torch, 101},
      {PolicyKind::Keras, 101},   {PolicyKind::Keras3, 101},
      {PolicyKind::Jmp, 101},     {PolicyKind::Apex, 101},
      {PolicyKind::Ort, 101},     {PolicyKind::Flax, 102}};
  for (auto [kind, period] : policies) {
    LossScaler scaler = makeScaler(
        kind, {{Setting::InitScale, 0x1p16}, {Setting::GrowthInterval, 100}});
    EXPECT_EQ(countSkips(scaler, 6, 0x1p10), 6) << static_cast<int>(kind);
    // From here on a period ends with its skip.
    for (int i = 0; i != 20; ++i) {
      EXPECT_EQ(countSkips(scaler, period - 1, 0x1p10), 0)
          << static_cast<int>(kind) << " period " << i;
      EXPECT_EQ(countSkips(scaler, 1, 0x1p10), 1)
          << static_cast<int>(kind) << " period " << i;
    }
  }
}

TEST(Torch, ReachesZeroAsTheReferenceDoes) {
  LossScaler scaler = makeScaler(PolicyKind::Torch);
  for (int i = 0; i != 200; ++i)
    scaler.step(true);
  EXPECT_EQ(scaler.scale(), 0.0);
  EXPECT_EQ(scaler.step(false).inverseScale,
            std::numeric_limits<double>::infinity());
}

// Features: F10.
TEST(Torch, UpdateSetsTheScaleAndNothingElse) {
  LossScaler scaler = makeScaler(PolicyKind::Torch);
  scaler.step(false);
  scaler.update(0.1);
  EXPECT_EQ(scaler.scale(), static_cast<double>(0.1F));
  EXPECT_EQ(scaler.at(StateSlot::Counter), 1);
}

TEST(Torch, AStepWithANewScaleIsCountedButNotSeen) {
  LossScaler scaler = makeScaler(PolicyKind::Torch);
  scaler.step(false);
  EXPECT_FALSE(scaler.stepWithNewScale(true, 8).applied);
  EXPECT_EQ(scaler.scale(), 8);
  EXPECT_EQ(scaler.at(StateSlot::Counter), 1);
  EXPECT_EQ(scaler.at(StateSlot::SkippedTotal), 1);
}

// Features: F11.
TEST(Settings, ChangeFromTheNextStepOn) {
  LossScaler scaler =
      makeScaler(PolicyKind::Dynamic, {{Setting::GrowthInterval, 1}});
  scaler.step(false);
  EXPECT_EQ(scaler.scale(), 131072);
  scaler.set(Setting::GrowthFactor, 4);
  scaler.step(false);
  EXPECT_EQ(scaler.scale(), 4 * 131072);
  scaler.set(Setting::BackoffFactor, 0.125);
  scaler.step(true);
  EXPECT_EQ(scaler.scale(), 65536);
}

// Features: F6.
TEST(DeepSpeed, KeepsAScaleThatIsNoFloat32) {
  const double start = 65536.1;
  EXPECT_EQ(
      makeScaler(PolicyKind::DeepSpeed, {{Setting::InitScale, start}}).scale(),
      start);
  EXPECT_EQ(
      makeScaler(PolicyKind::Dynamic, {{Setting::InitScale, start}}).scale(),
      static_cast<double>(static_cast<float>(start)));
}

// Equal maxima have no deviation: what is scaled is 2^LogMax.
TEST(LogNormal, AimsAtItsLogMax) {
  for (double logMax : {8.0, 12.0}) {
    LossScaler scaler =
        makeScaler(PolicyKind::LogNormal, {{Setting::LogMax, logMax}});
    for (int i = 0; i != 300; ++i)
      scaler.step(false, 0x1p-3);
    EXPECT_NEAR(scaler.scale() * 0x1p-3, std::exp2(logMax),
                std::exp2(logMax) * 1e-3);
  }
}

TEST(LogNormal, IgnoresStepsWhoseGradientsAreAllZero) {
  LossScaler scaler = makeScaler(PolicyKind::LogNormal);
  scaler.step(false, 0.01);
  const double before = scaler.scale();
  const double mean = scaler.at(StateSlot::Mean);
  scaler.step(false, 0.0);
  EXPECT_EQ(scaler.scale(), before);
  EXPECT_EQ(scaler.at(StateSlot::Mean), mean);
  EXPECT_EQ(scaler.at(StateSlot::AppliedTotal), 2);
}

// Features: F8.
TEST(LogNormal, RecoversFromAnOverflowInSteps) {
  LossScaler mended = makeScaler(PolicyKind::LogNormal);
  LossScaler exact = makeScaler(PolicyKind::LogMax);
  for (int i = 0; i != 100; ++i) {
    mended.step(false, 0.01);
    exact.step(false, 0.01);
  }
  mended.step(true, INFINITY);
  exact.step(true, INFINITY);
  EXPECT_EQ(exact.scale(), 1.0);
  EXPECT_GT(mended.scale(), 256.0);
  for (int i = 0; i != 1000; ++i) {
    mended.step(false, 0.01);
    exact.step(false, 0.01);
  }
  EXPECT_EQ(exact.scale(), 1.0);
  EXPECT_GT(mended.scale(), 4096.0);
}

TEST(LogNormal, TakesANonFiniteMaximumForAnOverflow) {
  for (double amax : {double(INFINITY), double(NAN)}) {
    LossScaler scaler = makeScaler(PolicyKind::LogNormal);
    scaler.step(false, 0.01);
    scaler.step(false, amax);
    EXPECT_TRUE(std::isfinite(scaler.scale())) << amax;
  }
}

// Features: L7, L8.
TEST(Load, RefusesAStateWithASlotMissing) {
  LossScaler scaler = makeScaler(PolicyKind::Dynamic);
  auto saved = scaler.save();
  saved.erase("counter");
  const Status status = scaler.load(saved);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_EQ(status.message(),
            "loss-scale state of policy 'dynamic' has no 'counter'");
}

TEST(Load, RefusesAnUnknownEntryAndChangesNothing) {
  LossScaler scaler = makeScaler(PolicyKind::Dynamic);
  auto saved = scaler.save();
  saved["scale"] = 1;
  saved["setting.colour"] = 3;
  const Status status = scaler.load(saved);
  EXPECT_EQ(status.message(), "loss-scale state of policy 'dynamic' has an "
                              "unknown entry 'setting.colour'");
  EXPECT_EQ(scaler.scale(), 65536);
}

TEST(Load, KeepsSettingsThatTheStateLacks) {
  LossScaler scaler = makeScaler(PolicyKind::Dynamic);
  auto saved = scaler.save();
  saved.erase("setting.growth_interval");
  scaler.set(Setting::GrowthInterval, 7);
  ASSERT_TRUE(scaler.load(saved).ok());
  EXPECT_EQ(scaler.at(Setting::GrowthInterval), 7);
}

Num<NumberBuilder> num(double value) {
  static NumberBuilder builder;
  return {&builder, value};
}

double ulps(double found, double wanted) {
  return std::abs(found - wanted) /
         (std::nextafter(std::abs(wanted), INFINITY) - std::abs(wanted));
}

TEST(ScalarExpr, Log2IsExactForPowersOfTwo) {
  for (int k = -149; k != 128; ++k)
    EXPECT_EQ(log2Of(num(std::ldexp(1.0, k))).value, k);
  EXPECT_EQ(log2Of(num(0.0)).value, -INFINITY);
  EXPECT_EQ(log2Of(num(INFINITY)).value, INFINITY);
  EXPECT_TRUE(std::isnan(log2Of(num(-1.0)).value));
  EXPECT_TRUE(std::isnan(log2Of(num(NAN)).value));
}

// 4 ulp of f64; only the rounding to f32 of the result is used.
TEST(ScalarExpr, Log2AndExp2AreAccurate) {
  for (double x = 0x1.3p-149; x < 0x1p127; x *= 1.0173)
    ASSERT_LT(ulps(log2Of(num(roundToF32(x))).value, std::log2(roundToF32(x))),
              4.0)
        << x;
  for (double x = -150; x < 128; x += 0.0317)
    ASSERT_LT(ulps(exp2Of(num(x)).value, std::exp2(x)), 4.0) << x;
}

TEST(ScalarExpr, Exp2SaturatesFarOutsideOfFloat32) {
  EXPECT_EQ(exp2Of(num(-3.0)).value, 0.125);
  EXPECT_EQ(roundToF32(exp2Of(num(INFINITY)).value), INFINITY);
  EXPECT_EQ(roundToF32(exp2Of(num(-INFINITY)).value), 0.0);
  EXPECT_TRUE(std::isnan(exp2Of(num(NAN)).value));
}

TEST(ScalarExpr, ModuloHasTheSignOfTheDivisor) {
  EXPECT_EQ(moduloOf(num(7), num(3)).value, 1);
  EXPECT_EQ(moduloOf(num(9), num(3)).value, 0);
  EXPECT_EQ(moduloOf(num(-1), num(3)).value, 2);
  EXPECT_EQ(moduloOf(num(5), num(0)).value, 5);
  EXPECT_EQ(moduloOf(num(0x1p40 + 3), num(0x1p20)).value, 3);
}

} // namespace
} // namespace mpc::rt
