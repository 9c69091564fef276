// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which entries of a program make a step, and an evaluation.
#include "runtime/Program/Program.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

std::string names(const std::vector<const Entry *> &entries) {
  std::string text;
  for (const Entry *entry : entries)
    text += (text.empty() ? "" : " ") + entry->name;
  return text;
}

Program makeProgram(std::vector<std::string> entries) {
  Program program;
  for (std::string &name : entries) {
    Entry entry;
    entry.name = name;
    entry.role = entryRole(name);
    program.entries.push_back(std::move(entry));
  }
  return program;
}

TEST(Program, AStepIsOneEntryOrAWindow) {
  Program step = makeProgram({"init", "step", "other"});
  EXPECT_EQ(names(step.stepEntries(1)), "step");
  EXPECT_EQ(names(step.stepEntries(2)), "");
  Program window = makeProgram({"apply", "accumulate"});
  EXPECT_EQ(names(window.stepEntries(1)), "accumulate apply");
  EXPECT_EQ(names(window.stepEntries(3)), "accumulate apply");
  Program both = makeProgram({"step", "accumulate", "apply"});
  EXPECT_EQ(names(both.stepEntries(1)), "step");
  EXPECT_EQ(names(both.stepEntries(2)), "accumulate apply");
  EXPECT_EQ(names(makeProgram({"apply", "eval"}).stepEntries(1)), "");
}

TEST(Program, AnEvaluationIsTheEntryOrAStepOfOneBatch) {
  EXPECT_EQ(names(makeProgram({"step", "eval"}).evalEntries()), "eval");
  EXPECT_EQ(names(makeProgram({"step"}).evalEntries()), "step");
  EXPECT_EQ(names(makeProgram({"accumulate", "apply"}).evalEntries()),
            "accumulate apply");
  EXPECT_EQ(names(makeProgram({"init"}).evalEntries()), "");
}

} // namespace
} // namespace mpc::rt
