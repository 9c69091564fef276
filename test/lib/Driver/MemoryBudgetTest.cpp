// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --memory-budget: what it means, and the search for what a step may keep.
#include "lib/Driver/MemoryBudget.h"

#include <gtest/gtest.h>

using namespace mpc;

TEST(MemoryBudget, BytesInAllUnits) {
  for (auto [text, bytes] : {std::pair("1000", uint64_t(1000)),
                             {"7B", 7},
                             {"2K", 2048},
                             {"2KiB", 2048},
                             {"2KB", 2000},
                             {"96MiB", 96 << 20},
                             {"3MB", 3'000'000},
                             {"1.5GiB", 3ull << 29},
                             {"2GB", 2'000'000'000}}) {
    auto budget = parseMemoryBudget(text);
    ASSERT_TRUE(budget.ok()) << budget.status().message();
    EXPECT_EQ(budget->bytes, bytes) << text;
    EXPECT_FALSE(budget->fraction) << text;
    EXPECT_EQ(budget->text, text);
  }
}

TEST(MemoryBudget, Fractions) {
  for (auto [text, part] : {std::pair("0.6", 0.6), {"1.0", 1.0}, {".5", 0.5}}) {
    auto budget = parseMemoryBudget(text);
    ASSERT_TRUE(budget.ok()) << budget.status().message();
    EXPECT_EQ(budget->fraction, part) << text;
  }
}

TEST(MemoryBudget, OtherTextIsRefused) {
  for (const char *text : {"", "much", "0", "0.0", "1.5", "-1", "MiB", "3XB",
                           "1e9", "1.2.3", "99999999999GiB", "0.5 "}) {
    auto budget = parseMemoryBudget(text);
    ASSERT_FALSE(budget.ok()) << text;
    EXPECT_EQ(budget.status().code(), rt::StatusCode::Usage);
    EXPECT_NE(budget.status().message().find(text), std::string::npos);
  }
}

/// A step that takes half of what it may keep, and 300 to 1,000 bytes.
static rt::Result<int64_t> planHalf(std::optional<int64_t> memory) {
  return memory ? 300 + std::min<int64_t>(*memory / 2, 700) : 1000;
}

TEST(MemoryBudget, AStepThatFitsKeepsWhatItNeeds) {
  auto memory = fitMemory({"1000", 1000, {}}, planHalf);
  ASSERT_TRUE(memory.ok());
  EXPECT_FALSE(*memory);
}

TEST(MemoryBudget, TheMostThatFitsIsKept) {
  auto memory = fitMemory({"600", 600, {}}, planHalf);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(*memory, 600);
  // 1.25 times the budget fits, too, where the arena takes half of it.
  memory = fitMemory({"900", 900, {}}, planHalf);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(*memory, 1125);
}

TEST(MemoryBudget, AnArenaMayGrowWhereLessIsKept) {
  auto plan = [](std::optional<int64_t> memory) -> rt::Result<int64_t> {
    return memory && *memory > 100 && *memory < 500 ? 400 : 1000;
  };
  auto memory = fitMemory({"500", 500, {}}, plan);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(*memory, 400);
}

TEST(MemoryBudget, AFractionIsOfTheStepWithoutABudget) {
  auto memory = fitMemory({"0.4", 0, 0.4}, planHalf);
  ASSERT_TRUE(memory.ok());
  ASSERT_TRUE(*memory);
  EXPECT_LE(*planHalf(*memory), 400);
  EXPECT_GT(**memory, 0);
}

TEST(MemoryBudget, TheErrorNamesTheLeast) {
  auto memory = fitMemory({"0.2", 0, 0.2}, planHalf);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().code(), rt::StatusCode::Usage);
  EXPECT_EQ(memory.status().message(),
            "--memory-budget=0.2: the step needs at least 300 bytes beside its "
            "state (1000 bytes without a budget); give that much, or a smaller "
            "batch");
}

TEST(MemoryBudget, AFailedPlanIsHandedOn) {
  auto fail = [](std::optional<int64_t>) -> rt::Result<int64_t> {
    return rt::internalError("no plan");
  };
  auto memory = fitMemory({"1K", 1024, {}}, fail);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().message(), "no plan");
}
