// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rates and shares, worked out by hand from known durations.
#include "runtime/Profile/Profile.h"

#include "test/runtime/Profile/RecordedRuns.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

/// 1.5 TFLOP/s; 300 GB/s for less than 1,000 bytes and 1 GB/s from there on.
MachinePeaks knownPeaks() {
  return {{{"fma f32", 1.5e12}}, {{64, 3e11}, {1000, 1e9}}};
}

/// Three runs whose product takes 5, 6 and 10 us.
Profile makeKnownProfile(const MachinePeaks &peaks = knownPeaks()) {
  auto program = test::makeRecordedProgram();
  LaunchRecorder recorder(0);
  test::record(recorder, program, 0, 6000);
  test::record(recorder, program, 20'000, 5000);
  test::record(recorder, program, 40'000, 10'000);
  return makeProfile(recorder, peaks);
}

TEST(Profile, HasRatesByTheMedian) {
  Profile profile = makeKnownProfile();
  EXPECT_DOUBLE_EQ(profile.wallMs, 0.0535);
  ASSERT_EQ(profile.entries.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.entries[0].totalMs, 0.0315);
  EXPECT_DOUBLE_EQ(profile.entries[0].launchesMs, 0.027);
  ASSERT_EQ(profile.launches.size(), 2u);
  const LaunchProfile &product = profile.launches[0];
  EXPECT_EQ(product.symbol, "fc");
  EXPECT_EQ(product.kind, "contraction");
  EXPECT_EQ(product.runs, 3);
  EXPECT_DOUBLE_EQ(product.totalMs, 0.021);
  EXPECT_DOUBLE_EQ(product.medianMs, 0.006);
  EXPECT_DOUBLE_EQ(product.leastMs, 0.005);
  EXPECT_EQ(product.readBytes, 1000u);
  EXPECT_EQ(product.writtenBytes, 500u);
  EXPECT_DOUBLE_EQ(product.gflops(), 1000); // 6 MFLOP in 6 us.
  EXPECT_DOUBLE_EQ(product.gigabytes(), 0.25);
  EXPECT_DOUBLE_EQ(*product.busy, 0.75);
}

// The product's 6 MFLOP take 4 us at the peak and its 1,500 bytes 1.5 us; the
// copy's 200 bytes move at the cache's rate.
TEST(Profile, HasTheSlowerOfArithmeticAndMemoryAsTheCeiling) {
  Profile profile = makeKnownProfile();
  EXPECT_DOUBLE_EQ(profile.launches[0].ceilingMs, 0.004);
  EXPECT_FALSE(profile.launches[0].isMemoryBound);
  EXPECT_DOUBLE_EQ(profile.launches[0].ofCeiling(), 2.0 / 3);
  EXPECT_EQ(profile.launches[1].kind, "copy");
  EXPECT_TRUE(profile.launches[1].isMemoryBound);
  EXPECT_DOUBLE_EQ(profile.launches[1].ceilingMs, 200 / 3e11 * 1e3);
}

// Twice the rate, for what runs on that unit.
TEST(Profile, HasThePeakOfTheUnitAsTheCeiling) {
  MachinePeaks peaks = knownPeaks();
  peaks.units.push_back({"vdpbf16ps", 3e12});
  for (auto [unit, ceiling] :
       {std::pair("", 0.004), {"vdpbf16ps", 0.002}, {"unheard of", 0.004}}) {
    LaunchRecorder recorder(0);
    test::record(recorder, test::makeRecordedProgram(unit), 0, 6000);
    EXPECT_DOUBLE_EQ(makeProfile(recorder, peaks).launches[0].ceilingMs,
                     ceiling)
        << unit;
  }
}

TEST(Profile, HasNoCeilingWithoutPeaks) {
  Profile profile = makeKnownProfile({});
  EXPECT_EQ(profile.launches[0].ofCeiling(), 0);
  auto json = nlohmann::json::parse(toJson(profile));
  EXPECT_TRUE(json["peaks"].is_null());
  EXPECT_TRUE(json["launches"][0]["of_ceiling"].is_null());
  EXPECT_NE(describeProfile(profile, 20).find("peaks: not measured"),
            std::string::npos);
}

TEST(Profile, IsAsJsonWhatItIs) {
  auto json = nlohmann::json::parse(toJson(makeKnownProfile()));
  EXPECT_EQ(json["schema"], "mpc-profile/1");
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["peaks"]["units"][0]["gflop_s"], 1500);
  EXPECT_EQ(json["peaks"]["memory"][1]["bytes"], 1000);
  EXPECT_EQ(json["entries"][0]["runs"], 3);
  const auto &product = json["launches"][0];
  EXPECT_EQ(product["nodes"], "fc1, \"relu\"");
  EXPECT_DOUBLE_EQ(product["median_ms"], 0.006);
  EXPECT_DOUBLE_EQ(product["share"], 0.021 / 0.0535);
  EXPECT_EQ(product["bound"], "arithmetic");
  EXPECT_EQ(json["launches"][1]["bound"], "memory");
}

TEST(Profile, IsATableWithTheMostTimeFirst) {
  std::string text = describeProfile(makeKnownProfile(), 1);
  EXPECT_EQ(text.find("profile: 3 step of 0.011 ms in 0.000 s on 2 threads: "
                      "launches 50.5 %, between them 8.4 %, between runs "
                      "41.1 %\n"),
            0u)
      << text;
  EXPECT_NE(text.find("by kind: contraction 39.3 %, copy 11.2 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  39.3 %     0.0060    1.5 KiB   1000.0      0.2     "
                      "67 %  75 %  contraction  step:0 fc                      "
                      "fc1, \"relu\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  11.2 %  1 further launches; --profile=FILE has all\n"),
            std::string::npos)
      << text;
}

TEST(Profile, SaysThatNothingHasRun) {
  LaunchRecorder recorder(0);
  EXPECT_EQ(describeProfile(makeProfile(recorder, {}), 20),
            "profile: nothing has run\n");
}

} // namespace
} // namespace mpc::rt
