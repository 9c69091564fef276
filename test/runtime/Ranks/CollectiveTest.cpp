// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives as launches of a program.
#include "runtime/Program/Commands.h"
#include "runtime/Program/Inspection.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Runner/Runner.h"
#include "test/runtime/Ranks/ThreadRanks.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

using test::onRanks;
using test::ThreadRanks;

/// A program whose entry "eval" gives each of 2 ranks its half of `x`, which
/// has 3 numbers, and joins the halves of rank 0 again.
std::shared_ptr<Program> makeProgram() {
  auto program = std::make_shared<Program>();
  program->target = CpuTarget{"x86-64-v3"};
  Parts parts{2, 12, 8};
  Entry entry;
  entry.name = "eval";
  entry.inputs = {{"x", DType::F32, {3}}};
  entry.outputs = {{"parts", DType::F32, {4}}, {"whole", DType::F32, {3}}};
  entry.launches = {{"all_to_all",
                     "",
                     {{Space::Input, 0, 0, 12}, {Space::Output, 0, 0, 16}},
                     1,
                     std::make_shared<Collective>(CollectiveKind::AllToAll,
                                                  std::vector{parts})},
                    {"all_gather",
                     "",
                     {{Space::Output, 0, 0, 8}, {Space::Output, 1, 0, 12}},
                     1,
                     std::make_shared<Collective>(CollectiveKind::AllGather,
                                                  std::vector{parts})}};
  program->entries = {entry};
  return program;
}

/// The message of a program whose collective has other parts.
std::string faultOf(Parts parts) {
  auto program = makeProgram();
  program->entries[0].launches[0].command = std::make_shared<Collective>(
      CollectiveKind::AllToAll, std::vector{parts});
  return Runner::create(program).status().message();
}

TEST(Collective, MovesPartsBetweenRanks) {
  onRanks(2, [](ThreadRanks &ranks) {
    RunnerOptions options{1};
    options.ranks = &ranks;
    auto runner = Runner::create(makeProgram(), options);
    ASSERT_TRUE(runner.ok()) << runner.status().message();
    float first = ranks.isFirst() ? 1 : 10;
    std::vector<float> x = {first, first + 1, first + 2}, parts(4, -1),
                       whole(3);
    const void *inputs[] = {x.data()};
    void *outputs[] = {parts.data(), whole.data()};
    ASSERT_TRUE((*runner)->run("eval", inputs, outputs).ok());
    // Rank 1 has a part of one number.
    EXPECT_EQ(parts, ranks.isFirst() ? (std::vector<float>{1, 2, 10, 11})
                                     : (std::vector<float>{3, -1, 12, -1}));
    EXPECT_EQ(whole, (std::vector<float>{1, 2, 3}));
  });
}

TEST(Collective, TakesTheOwnPart) {
  auto program = makeProgram();
  Entry &entry = program->entries[0];
  entry.outputs = {{"part", DType::F32, {2}}};
  entry.launches = {
      {"take_part",
       "",
       {{Space::Input, 0, 0, 12}, {Space::Output, 0, 0, 8}},
       1,
       std::make_shared<Collective>(CollectiveKind::TakePart,
                                    std::vector{Parts{2, 12, 8}})}};
  onRanks(2, [&](ThreadRanks &ranks) {
    RunnerOptions options{1};
    options.ranks = &ranks;
    auto runner = Runner::create(program, options);
    ASSERT_TRUE(runner.ok()) << runner.status().message();
    std::vector<float> x = {1, 2, 3}, part(2, -1);
    const void *inputs[] = {x.data()};
    void *outputs[] = {part.data()};
    ASSERT_TRUE((*runner)->run("eval", inputs, outputs).ok());
    EXPECT_EQ(part, ranks.isFirst() ? (std::vector<float>{1, 2})
                                    : (std::vector<float>{3, 0}));
    EXPECT_EQ(ranks.sentBytes, 0u);
  });
  entry.launches[0].buffers[1].bytes = 12;
  EXPECT_NE(Runner::create(program).status().message().find(
                "moves 12 bytes to 12, expected 12 to 8"),
            std::string::npos);
}

TEST(Collective, AFileHasTheSizesOfEachTensor) {
  std::shared_ptr<const Program> programs[] = {makeProgram()};
  auto sections = *encodeManifest(programs);
  auto with = [&](const std::string &from, const std::string &to) {
    const SharedBytes &bytes = sections[0].bytes;
    std::string text(reinterpret_cast<const char *>(bytes.data()),
                     bytes.size());
    size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << text;
    text.replace(place, from.size(), to);
    auto changed = sections;
    changed[0].bytes =
        SharedBytes::of(std::vector<uint8_t>(text.begin(), text.end()));
    return parseManifest(changed);
  };
  EXPECT_EQ(
      with("\"part_bytes\":[8]", "\"part_bytes\":[8,8]").status().message(),
      "manifest: 'part_bytes' is not a size for each tensor");
  // One tensor may have its sizes without a list.
  auto single = with("\"part_bytes\":[8]", "\"part_bytes\":8");
  ASSERT_TRUE(single.ok()) << single.status().message();
  EXPECT_EQ(single->front()
                ->entries[0]
                .launches[0]
                .as<Collective>()
                ->parts()[0]
                .partBytes,
            8u);
}

TEST(Collective, IsInAFileAndInItsInspection) {
  std::shared_ptr<const Program> programs[] = {makeProgram()};
  auto read = parseManifest(*encodeManifest(programs));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto *collective =
      read->front()->entries[0].launches[1].as<Collective>();
  ASSERT_TRUE(collective);
  EXPECT_EQ(collective->collective(), CollectiveKind::AllGather);
  EXPECT_EQ(collective->parts()[0].ranks, 2u);
  EXPECT_EQ(collective->parts()[0].wholeBytes, 12u);
  EXPECT_EQ(collective->parts()[0].partBytes, 8u);
  EXPECT_NE(describeProgram(*programs[0])
                .find("collective    all_to_all, 2 ranks, 12 bytes in parts of "
                      "8:"),
            std::string::npos)
      << describeProgram(*programs[0]);
}

TEST(Collective, NeedsAsManyRanksAsItHas) {
  auto runner = Runner::create(makeProgram());
  ASSERT_TRUE(runner.ok());
  std::vector<float> x(3), parts(4), whole(3);
  const void *inputs[] = {x.data()};
  void *outputs[] = {parts.data(), whole.data()};
  Status status = (*runner)->run("eval", inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::Usage);
  EXPECT_EQ(status.message(), "the program is for 2 ranks, and there is one");
}

TEST(Collective, RanksOfHostsMoveNothingBetweenGpus) {
  onRanks(2, [](ThreadRanks &ranks) {
    EXPECT_EQ(ranks.exchangeOnDevice({}, {}, nullptr).message(),
              "these ranks exchange what lies in memory of the host: a step "
              "for a GPU needs --ranks=nccl");
  });
}

TEST(Collective, PartsThatDoNotFitAreRefused) {
  EXPECT_NE(faultOf({0, 12, 8}).find("it is among 0 ranks"), std::string::npos);
  EXPECT_NE(faultOf({2, 12, 5}).find("2 parts of 5 bytes do not hold 12"),
            std::string::npos);
  EXPECT_NE(faultOf({2, 12, UINT64_MAX / 2 + 1}).find("do not hold 12"),
            std::string::npos);
  EXPECT_NE(
      faultOf({2, 12, 12}).find("moves 12 bytes to 16, expected 12 to 24"),
      std::string::npos);
}

} // namespace
} // namespace mpc::rt
