// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded recipes: how they are taken apart and compared, and those of files
// that have flags.
#include "runtime/Program/RecipeRecord.h"

#include <gtest/gtest.h>

using namespace mpc::rt;

namespace {

TEST(RecipeRecord, ClausesAreFoundBehindBracketsAndQuotes) {
  Clauses clauses = clausesOf(
      R"x(loss<bce, of = "y)>"> no_dropout keep_fp32(["a\\", "b\22)"]) l1)x");
  EXPECT_EQ(clauses, (Clauses{{"loss", R"x(loss<bce, of = "y)>">)x"},
                              {"no_dropout", "no_dropout"},
                              {"keep_fp32", R"x(keep_fp32(["a\\", "b\22)"]))x"},
                              {"l1", "l1"}}));
  EXPECT_TRUE(clausesOf("").empty());
}

TEST(RecipeRecord, TheWordOfAClauseIsItsFirst) {
  Clauses clauses =
      clausesOf(R"(loss_scale<torch> optimizer<"keras-adam", amsgrad> l1)");
  EXPECT_EQ(wordOf(clauses, kPolicyClause), "torch");
  EXPECT_EQ(wordOf(clauses, kOptimizerClause), "keras-adam");
  EXPECT_EQ(wordOf(clauses, "l1"), "");
  EXPECT_EQ(wordOf(clauses, "l2"), "");
}

TEST(RecipeRecord, AChangeNamesTheClauseAndBothValues) {
  Clauses before = clausesOf("precision(fp16) optimizer<adam> l1 seed(1)");
  Clauses now = clausesOf("precision(bf16) optimizer<adam> clip<global>");
  EXPECT_EQ(describeChange(before, before), "");
  EXPECT_EQ(describeChange(before, now),
            "clip<global> in place of no clip, no l1 in place of l1, "
            "precision(bf16) in place of precision(fp16), no seed in place of "
            "seed(1)");
}

// A step that a module writes out has no optimizer in its recipe.
TEST(RecipeRecord, OfAStepWrittenOutOnlyWhatBothSayCounts) {
  Clauses own = clausesOf("precision(fp16) autocast(\"mpc\")");
  Clauses whole = clausesOf("precision(fp32) optimizer<adam> clip<global>");
  EXPECT_EQ(describeChange(own, whole),
            "precision(fp32) in place of precision(fp16)");
}

// As mpc wrote them before it recorded recipes.
TEST(RecipeRecord, OldFlagsBecomeClauses) {
  OldRule flags = {{"--loss", "cross_entropy:log\"its"},
                   {"--reduction", "sum"},
                   {"--ignore-index", "-100"},
                   {"--class-weights", "1,0.5"},
                   {"--label-smoothing", "0.10000000000000001"},
                   {"--loss-delta", "1"},
                   {"--class-axis", ""},
                   {"--no-dropout", "on"},
                   {"--precision", "bf16"},
                   {"--autocast-policy", "mpc"},
                   {"--keep-fp32", "b a\\.c"},
                   {"--lower", ""},
                   {"--cost-aware", "off"},
                   {"--output-dtype", ""},
                   {"--weight-cast", "round"},
                   {"--loss-scale", "torch"},
                   {"--optimizer", "sgd"},
                   {"--opt-arg", "nesterov momentum"},
                   {"--clip-global-norm", "on"},
                   {"--clip-norm", "off"},
                   {"--clip-norm-order", "torch"},
                   {"--larc", ""},
                   {"--l1", "off"},
                   {"--ema", "on"},
                   {"--master-weights", "off"},
                   {"--slot-dtype", "bf16"},
                   {"--accumulate", "2"},
                   {"--lr-schedule", "cosine"}};
  EXPECT_EQ(
      recordOfFlags(flags),
      R"(loss<cross_entropy, of = "log\22its", reduction = sum, )"
      R"(ignore_index = -100, class_weights = [1.0, 0.5], )"
      R"(label_smoothing = 0.1> no_dropout precision(bf16) autocast("mpc") )"
      R"(keep_fp32(["a\\.c", "b"]) round_weights loss_scale<torch> )"
      R"(optimizer<sgd, momentum, nesterov> accumulate(2) )"
      R"(clip<global, order = torch> ema no_masters slots(bf16))");
  EXPECT_EQ(flags, (OldRule{{"--lr-schedule", "cosine"}}));
}

TEST(RecipeRecord, OldNamesThatAreNoWordsAreQuoted) {
  OldRule flags = {{"--optimizer", "keras-adam"}, {"--larc", "apex-clip"}};
  EXPECT_EQ(recordOfFlags(flags), "optimizer<\"keras-adam\"> larc<apex_clip>");
}

} // namespace
