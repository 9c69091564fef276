// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which command lines are one, and which programs of them are kept.
#include "runtime/CommandLine/DirectStart.h"

#include "runtime/CommandLine/Tool.h"
#include "test/runtime/Program/FileOfTestProgram.h"
#include "test/runtime/TempFolder.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

using Words = std::vector<std::string>;

Words wordsOf(std::vector<const char *> arguments) {
  arguments.insert(arguments.begin(), "tool");
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::string data;
  bool json = false;
  app.add_option("--data", data);
  app.add_flag("--json", json);
  int argc = static_cast<int>(arguments.size());
  EXPECT_TRUE(parseFlags(app, argc, arguments.data()).ok());
  return wordsOfProgram(app, argc, arguments.data());
}

TEST(DirectStartTest, WordsOfARunCountByTheirPlacesAlone) {
  EXPECT_EQ(wordsOf({"m.onnx", "--data", "a", "--lower", "b"}),
            (Words{"m.onnx", "", "", "--lower", "b"}));
  EXPECT_EQ(wordsOf({"m.onnx", "--data=a", "--json"}),
            wordsOf({"m.onnx", "--json", "--data=c"}));
  EXPECT_NE(wordsOf({"--lower", "b", "--data", "a"}),
            wordsOf({"--lower", "--data", "a", "b"}));
  EXPECT_EQ(wordsOf({"--data", "a", "a"}).size(), 3u);
}

class DirectStartFileTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("MPC_CACHE_DIR", folder_.path("cache").c_str(), 1);
    writeText(key_.compiler, "the compiler");
    writeText(model_, "model");
  }
  void TearDown() override { ::unsetenv("MPC_CACHE_DIR"); }

  void store(const DirectStart &start, const Program &program) {
    start.store(program, {{{model_, ""}, {model_ + ".values", ""}},
                          {{"--beta1", "beta1", 0.5}}});
  }
  /// As in a start that begins when all files are written.
  void store() {
    store(DirectStart(key_, later_), *test::makeFullProgram("x86-64-v3"));
  }
  std::shared_ptr<const Program> find() { return DirectStart(key_).find(); }

  TempFolder folder_;
  std::string model_ = folder_.path("m.onnx");
  DirectStart::Time later_ =
      std::chrono::system_clock::now() + std::chrono::hours(1);
  DirectKey key_ = {"tool", folder_.path("compiler.so"), {"m.onnx", ""}};
};

TEST_F(DirectStartFileTest, GivesTheProgramWithWhatAStartNeeds) {
  EXPECT_EQ(find(), nullptr);
  store();
  std::shared_ptr<const Program> program = find();
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->start.given.at(0).value, 0.5);
  EXPECT_EQ(program->recipe, "--precision=fp16");
}

TEST_F(DirectStartFileTest, FilesAreWhatTheyWere) {
  store();
  writeText(model_, "model of another kind");
  EXPECT_EQ(find(), nullptr);
  writeText(model_, "model");
  EXPECT_NE(find(), nullptr);
  writeText(model_ + ".values", "values");
  EXPECT_EQ(find(), nullptr);
}

TEST_F(DirectStartFileTest, FilesThatFlagsNameAreWhatTheyWere) {
  std::string weights = folder_.path("weights.safetensors");
  writeText(weights, "1 2");
  key_.words.push_back("--class-weights=" + weights);
  store();
  EXPECT_NE(find(), nullptr);
  writeText(weights, "1 3");
  EXPECT_EQ(find(), nullptr);
}

TEST_F(DirectStartFileTest, ToolCompilerAndWordsAreThose) {
  store();
  for (DirectKey other : {DirectKey{"other", key_.compiler, key_.words},
                          DirectKey{"tool", model_, key_.words},
                          DirectKey{"tool", key_.compiler, {"m.onnx"}},
                          DirectKey{"tool", key_.compiler, {"", "m.onnx"}}})
    EXPECT_EQ(DirectStart(other).find(), nullptr);
  writeText(key_.compiler, "another compiler");
  EXPECT_EQ(find(), nullptr);
}

TEST_F(DirectStartFileTest, AFileOfTheSameTimeIsNotKept) {
  DirectStart start(key_);
  writeText(model_, "model");
  store(start, *test::makeFullProgram("x86-64-v3"));
  EXPECT_EQ(find(), nullptr);
}

TEST_F(DirectStartFileTest, ManyValuesAreNotKept) {
  std::shared_ptr<Program> program = test::makeFullProgram("x86-64-v3");
  program->initialValues[0].values =
      SharedBytes::of(std::vector<char>(DirectStart::kMaxValueBytes + 1));
  store(DirectStart(key_, later_), *program);
  EXPECT_EQ(find(), nullptr);
}

TEST_F(DirectStartFileTest, WithoutACacheNothingIsKept) {
  ::setenv("MPC_CACHE_DIR", "", 1);
  store();
  EXPECT_EQ(find(), nullptr);
  store(DirectStart(), *test::makeFullProgram("x86-64-v3"));
  EXPECT_EQ(DirectStart().find(), nullptr);
}

} // namespace
} // namespace mpc::rt
