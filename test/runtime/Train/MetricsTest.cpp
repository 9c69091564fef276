// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CSV round trips, continuing a file, and the JSON line.
#include "runtime/Train/Metrics.h"

#include "runtime/Support/Random.h"
#include "test/runtime/TempFolder.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

MetricsRow rowOf(int64_t step) {
  return {step, 2.5f - float(step), 1e-3f, 65536, double(step), false, 0.5, 12};
}

/// Creates a file with rows 0 to 4 and a torn sixth.
std::string makeFile(const TempFolder &folder) {
  std::string path = folder.path("m.csv");
  auto writer = MetricsWriter::create(path);
  EXPECT_TRUE(writer.ok());
  for (int64_t step = 0; step < 5; ++step)
    EXPECT_TRUE(writer->append(rowOf(step)).ok());
  writeText(path, readText(path) + "5,2.5,0.00");
  return path;
}

TEST(Metrics, RowsAreShortAndReadBackExactly) {
  MetricsRow row{7, 0.1f, 1e-3f, 0x1p30, 3, true, INFINITY, 12.34567};
  // An f32 that is read as a double is still that f32; the rate is what was
  // asked for.
  EXPECT_EQ(toCsv(row),
            "7,0.10000000149011612,0.001,1073741824,3,1,inf,12.3457");
  row.loss = NAN;
  row.gradNorm = -INFINITY;
  EXPECT_EQ(toCsv(row), "7,nan,0.001,1073741824,3,1,-inf,12.3457");
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    row.loss = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
    row.gradNorm = std::bit_cast<double>(random.next());
    row.scale = std::ldexp(1.0, int(random.below(250)) - 120);
    MetricsRow back;
    ASSERT_TRUE(parseCsv(toCsv(row), back));
    ASSERT_TRUE(std::isnan(row.loss) || back.loss == row.loss);
    ASSERT_TRUE(std::isnan(row.gradNorm) || back.gradNorm == row.gradNorm);
    ASSERT_EQ(back.scale, row.scale);
    ASSERT_EQ(std::isnan(back.loss), std::isnan(row.loss));
    ASSERT_EQ(std::isnan(back.gradNorm), std::isnan(row.gradNorm));
  }
  ASSERT_TRUE(parseCsv("1,2,3,4,5,0,7,8,9,inf", row));
  EXPECT_EQ(row.others, (std::vector<std::optional<double>>{9, INFINITY}));
  EXPECT_EQ(toCsv(row), "1,2,3,4,5,0,7,8,9,inf");
  // What a step has nothing of is empty.
  ASSERT_TRUE(parseCsv("1,2,3,4,5,0,7,8,,0.5,", row));
  EXPECT_EQ(row.others, (std::vector<std::optional<double>>{std::nullopt, 0.5,
                                                            std::nullopt}));
  EXPECT_EQ(toCsv(row), "1,2,3,4,5,0,7,8,,0.5,");
  for (const char *bad :
       {"", "1,2", "x,2,3,4,5,0,7,8", "1,2,3,4,5,0,7,", "1,2,3,4,5,0,7,8 ",
        "1,2,3,4,5,0,7,8,x", "1,2,3,4,5,0,7,8, "})
    EXPECT_FALSE(parseCsv(bad, row)) << bad;
}

TEST(Metrics, FurtherColumnsHaveAnyName) {
  EXPECT_EQ(metricsHeader({}), kMetricsHeader);
  EXPECT_EQ(metricsHeader({"loss_b", "a,b", "say \"x\"", "two\nlines"}),
            std::string(kMetricsHeader) +
                ",loss_b,\"a,b\",\"say \"\"x\"\"\",two\\x0alines");
}

TEST(Metrics, CreateReplacesAndEachRowIsThereAtOnce) {
  TempFolder folder;
  std::string path = folder.path("m.csv");
  writeText(path, "old");
  auto writer = MetricsWriter::create(path);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(readText(path),
            "step,loss,lr,scale,good_steps,skipped,grad_norm,step_ms\n");
  ASSERT_TRUE(writer->append(rowOf(0)).ok());
  EXPECT_TRUE(readText(path).ends_with("\n0,2.5,0.001,65536,0,0,0.5,12\n"));
  EXPECT_TRUE(writer->sync().ok());
}

TEST(Metrics, ResumeCutsRowsThatWillComeAgain) {
  TempFolder folder;
  for (int64_t step : {0, 3, 5, 9}) {
    std::string path = makeFile(folder);
    std::vector<MetricsRow> kept;
    {
      auto writer = MetricsWriter::resume(path, step, kept);
      ASSERT_TRUE(writer.ok());
      ASSERT_TRUE(writer->append(rowOf(step)).ok());
    }
    EXPECT_EQ(kept.size(), size_t(std::min<int64_t>(step, 5)));
    std::string expected = std::string(kMetricsHeader) + "\n";
    for (int64_t i = 0; i < std::min<int64_t>(step, 5); ++i)
      expected += toCsv(rowOf(i)) + "\n";
    EXPECT_EQ(readText(path), expected + toCsv(rowOf(step)) + "\n");
  }
}

TEST(Metrics, ResumeOfMissingEmptyAndForeignFiles) {
  TempFolder folder;
  std::vector<MetricsRow> kept;
  std::string header = std::string(kMetricsHeader) + "\n";
  EXPECT_TRUE(MetricsWriter::resume(folder.path("new"), 3, kept).ok());
  EXPECT_EQ(readText(folder.path("new")), header);
  writeText(folder.path("empty"), "");
  EXPECT_TRUE(MetricsWriter::resume(folder.path("empty"), 3, kept).ok());
  EXPECT_EQ(readText(folder.path("empty")), header);
  writeText(folder.path("other"), "a,b\n1,2\n");
  auto other = MetricsWriter::resume(folder.path("other"), 3, kept);
  EXPECT_EQ(other.status().code(), StatusCode::InvalidInput);
  EXPECT_EQ(readText(folder.path("other")), "a,b\n1,2\n");
  auto missing = MetricsWriter::create(folder.path("no/m.csv"));
  EXPECT_EQ(missing.status().code(), StatusCode::Environment);
}

TEST(Metrics, QuantilesLieBetweenNeighbours) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({3}, 0.9), 3);
  EXPECT_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(quantile({0, 10}, 0.1), 1);
}

TEST(Metrics, JsonLineHasAllKeys) {
  RunSummary summary;
  summary.compileSeconds = 1.5;
  summary.compileStages = {{"passes", 0.5}, {"llvm", 0.75}};
  auto json = nlohmann::json::parse(summary.toJson());
  EXPECT_TRUE(json["loss_first"].is_null());
  MetricsRow row = rowOf(0);
  summary.add(row);
  row.loss = NAN;
  row.stepMs = 14;
  row.skipped = true;
  summary.add(row);
  std::string line = summary.toJson();
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  json = nlohmann::json::parse(line);
  EXPECT_EQ(json["step_ms_median"], 13);
  EXPECT_EQ(json["loss_first"], 2.5);
  EXPECT_EQ(json["loss_last"], "nan");
  EXPECT_EQ(json["compile_s"], 1.5);
  EXPECT_EQ(json["compile_stages_s"]["passes"], 0.5);
  EXPECT_EQ(json["compile_stages_s"]["llvm"], 0.75);
  EXPECT_EQ(json["skipped"], 1);
  EXPECT_EQ(json["applied"], 1);
  EXPECT_GT(json["peak_rss_mb"], 1);
  for (const char *key : {"step_ms_p10", "step_ms_p90"})
    EXPECT_TRUE(json.contains(key));
}

} // namespace
} // namespace mpc::rt
