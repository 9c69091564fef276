// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State of which each rank has a part.
#include "runtime/Program/Commands.h"
#include "runtime/Program/Inspection.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/CheckpointParts.h"
#include "runtime/Train/RankAgreement.h"
#include "test/runtime/Ranks/ThreadRanks.h"
#include "test/runtime/TempFolder.h"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace mpc::rt {
namespace {

using test::onRanks;
using test::ThreadRanks;

/// The elements of a part, which are some pages.
constexpr int64_t kPart = int64_t(1) << 20;
constexpr uint64_t kBytes = kPart * sizeof(float);

/// A program of 2 ranks with a slot of one and a half parts, beside a whole
/// weight. "init" copies the first element of a rank's part to the weight.
std::shared_ptr<Program> makeProgram() {
  auto program = std::make_shared<Program>();
  program->target = CpuTarget{"x86-64-v3"};
  std::vector<float> ones(kPart, 1.0f);
  program->slabs = {{"slots", kBytes, 2,
                     SharedBytes::of(std::vector<uint8_t>(
                         reinterpret_cast<uint8_t *>(ones.data()),
                         reinterpret_cast<uint8_t *>(ones.data()) + kBytes))},
                    {"weights", 64}};
  program->state = {{{"w", DType::F32, {1}}, StateRole::Parameter, 1, 0},
                    {{"w/slot", DType::F32, {kPart + kPart / 2}},
                     StateRole::Slot,
                     0,
                     0,
                     false,
                     "w",
                     "slot"}};
  Entry init;
  init.name = "init";
  init.role = EntryRole::Init;
  init.launches = {{"copy",
                    "",
                    {{Space::State, 0, 0, 4}, {Space::State, 1, 0, 4}},
                    1,
                    std::make_shared<Copy>()}};
  program->entries = {init};
  return program;
}

std::unique_ptr<Runner> makeRunner(Ranks *ranks) {
  RunnerOptions options{1};
  options.ranks = ranks;
  auto runner = Runner::create(makeProgram(), options);
  EXPECT_TRUE(runner.ok()) << runner.status().message();
  return runner.ok() ? std::move(*runner) : nullptr;
}

float *slotOf(Runner &runner) {
  return reinterpret_cast<float *>(runner.editState("w/slot")->data());
}

float weightOf(Runner &runner) {
  return *reinterpret_cast<float *>(runner.editState("w")->data());
}

TEST(DividedState, BeginsOnEachRankWithItsPartOfTheFirst) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    float *slot = slotOf(*runner);
    EXPECT_EQ(slot[0], 1);
    EXPECT_EQ(slot[kPart], 1);
    if (ranks.isFirst())
      std::iota(slot, slot + kPart + kPart / 2, 5.0f);
    std::optional<TrainPosition> position;
    ASSERT_TRUE(shareStart(&ranks, *runner, position).ok());
    int64_t own = ranks.rank() * kPart;
    EXPECT_EQ(slot[own], 5.0f + static_cast<float>(own));
    EXPECT_EQ(slot[own + kPart / 2 - 1],
              5.0f + static_cast<float>(own + kPart / 2 - 1));
    // Memory of the other's part is given back, and its pages are zero.
    EXPECT_EQ(slot[(1 - ranks.rank()) * kPart + kPart / 4], 0);
    // What is derived comes from the rank's own part.
    EXPECT_EQ(weightOf(*runner), 5.0f + static_cast<float>(own));
  });
}

TEST(DividedState, IsWholeOnTheFirstForAWhile) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    float *slot = slotOf(*runner);
    int64_t own = ranks.rank() * kPart;
    std::fill_n(slot + own, kPart, 10.0f + static_cast<float>(ranks.rank()));
    int calls = 0;
    Status status = withWholeState(*runner, [&]() -> Status {
      ++calls;
      EXPECT_EQ(slot[0], 10);
      EXPECT_EQ(slot[kPart], 11);
      EXPECT_EQ(slot[kPart + kPart / 2 - 1], 11);
      return usageError("said on the first");
    });
    EXPECT_EQ(calls, ranks.isFirst() ? 1 : 0);
    EXPECT_EQ(status.ok(), !ranks.isFirst());
    EXPECT_EQ(slot[own], 10.0f + static_cast<float>(ranks.rank()));
    EXPECT_EQ(slot[own + kPart / 2 - 1],
              10.0f + static_cast<float>(ranks.rank()));
    if (ranks.isFirst()) {
      EXPECT_EQ(slot[kPart + kPart / 4], 0);
    }
  });
}

TEST(DividedState, IsNotComparedBetweenRanks) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    slotOf(*runner)[ranks.rank() * kPart] = 3.0f + ranks.rank();
    EXPECT_TRUE(compareStates(&ranks, *runner).ok());
    if (!ranks.isFirst())
      (*runner->editState("w"))[0] ^= std::byte{1};
    EXPECT_EQ(compareStates(&ranks, *runner).code(), StatusCode::Peer);
  });
}

TEST(DividedState, IsDerivedByAllRanksTogether) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    slotOf(*runner)[ranks.rank() * kPart] = 7;
    ASSERT_TRUE(runner->deriveAlone().ok());
    EXPECT_EQ(weightOf(*runner), 0);
    ASSERT_TRUE(runner->derive().ok());
    EXPECT_EQ(weightOf(*runner), 7);
  });
}

TEST(DividedState, NeedsAsManyRanksAsItHasParts) {
  Status alone = Runner::create(makeProgram()).status();
  EXPECT_EQ(alone.code(), StatusCode::Usage);
  EXPECT_EQ(alone.message(), "the program is for 2 ranks, and there is one");
  onRanks(3, [](ThreadRanks &ranks) {
    RunnerOptions options{1};
    options.ranks = &ranks;
    EXPECT_EQ(Runner::create(makeProgram(), options).status().message(),
              "the program is for 2 ranks, and there are 3");
  });
}

/// A disk that is full for one rank.
class FullDisk : public Io {
public:
  ssize_t write(int /*fd*/, const void * /*data*/,
                size_t /*bytes*/) const override {
    errno = ENOSPC;
    return -1;
  }
};

/// A disk on which a finished folder cannot be renamed.
class NoRename : public Io {
public:
  int rename(const char *from, const char *to) const override {
    if (!std::string_view(from).ends_with(".tmp"))
      return Io::rename(from, to);
    errno = EIO;
    return -1;
  }
};

/// The step of a whole checkpoint in parts; the error of another.
std::string stepOf(const std::string &path) {
  auto parts = CheckpointParts::open(path, CheckpointParts::Check::Bytes);
  return parts.ok() ? parts->metadata().at("step") : parts.status().message();
}

/// What each rank writes to its part of the slot.
void fill(Runner &runner, const Ranks &ranks) {
  float *own = slotOf(runner) + ranks.rank() * kPart;
  std::iota(own, own + kPart / 2, 100.0f * (ranks.rank() + 1));
}

TEST(DividedState, IsSavedByEachRankAndReadByEach) {
  TempFolder folder;
  std::string path = folder.path("ckpt-00000003");
  onRanks(2, [&](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    fill(*runner, ranks);
    Metadata metadata = {{"format", "mpc-checkpoint"}};
    // Twice: the later one takes the place of the first.
    for (int i = 0; i < 2; ++i)
      EXPECT_TRUE(
          saveParts(&ranks, *runner, ranks.isFirst() ? path : "", metadata)
              .ok());
    auto other = makeRunner(&ranks);
    auto parts = CheckpointParts::open(path, CheckpointParts::Check::Bytes);
    ASSERT_TRUE(parts.ok()) << parts.status().message();
    EXPECT_EQ(parts->metadata(), metadata);
    slotOf(*other)[(1 - ranks.rank()) * kPart] = 9;
    ASSERT_TRUE(readOwnParts(*parts, *other).ok());
    const float *slot = slotOf(*other);
    EXPECT_EQ(slot[ranks.rank() * kPart + 7], 100 * (ranks.rank() + 1) + 7);
    // It is not this rank's to read.
    EXPECT_EQ(slot[(1 - ranks.rank()) * kPart], 9);
  });
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  EXPECT_FALSE(std::filesystem::exists(path + ".former"));
  ASSERT_TRUE(joinParts(path, folder.path("one.safetensors")).ok());
  auto file = SafetensorsFile::open(folder.path("one.safetensors"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->verifyContentHash().ok());
  EXPECT_EQ(file->metadata().at("format"), "mpc-checkpoint");
  ASSERT_EQ(file->tensors().size(), 2u);
  const auto *slot = static_cast<const float *>(file->find("w/slot")->data);
  EXPECT_EQ(slot[3], 103);
  EXPECT_EQ(slot[kPart + 3], 203);
  EXPECT_EQ(slot[kPart - 1], 1);
}

TEST(DividedState, IsNotSavedWhereOneRankCannot) {
  TempFolder folder;
  std::string path = folder.path("ckpt-00000003");
  onRanks(2, [&](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    fill(*runner, ranks);
    ASSERT_TRUE(
        saveParts(&ranks, *runner, ranks.isFirst() ? path : "", {{"step", "3"}})
            .ok());
    FullDisk full;
    Status status =
        saveParts(&ranks, *runner, ranks.isFirst() ? path : "", {{"step", "4"}},
                  ranks.isFirst() ? Io::system() : full);
    EXPECT_EQ(status.code(),
              ranks.isFirst() ? StatusCode::Peer : StatusCode::Environment);
  });
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  auto former = CheckpointParts::open(path, CheckpointParts::Check::Bytes);
  ASSERT_TRUE(former.ok()) << former.status().message();
  EXPECT_EQ(former->metadata().at("step"), "3");
}

TEST(DividedState, ReplacesAFormerCheckpointOnlyByAWholeOne) {
  TempFolder folder;
  std::string path = folder.path("ckpt-00000003");
  onRanks(2, [&](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    auto save = [&](std::string step, const Io &io) {
      return saveParts(&ranks, *runner, ranks.isFirst() ? path : "",
                       {{"step", std::move(step)}}, io);
    };
    ASSERT_TRUE(save("3", Io::system()).ok());
    EXPECT_FALSE(save("4", NoRename()).ok());
    if (ranks.isFirst()) {
      EXPECT_EQ(stepOf(path), "3");
      // What a process leaves that ends in the middle of the replacement.
      std::filesystem::copy(path, path + ".former");
    }
    ASSERT_TRUE(save("5", Io::system()).ok());
  });
  EXPECT_EQ(stepOf(path), "5");
  EXPECT_FALSE(std::filesystem::exists(path + ".former"));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(DividedState, AnInterruptedReplacementLosesNothing) {
  TempFolder folder;
  std::string path = folder.path("ckpt-00000003");
  onRanks(2, [&](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    ASSERT_TRUE(
        saveParts(&ranks, *runner, ranks.isFirst() ? path : "", {{"step", "3"}})
            .ok());
  });
  auto open = [&] {
    auto opened =
        CheckpointFolder::open(folder.path(), [](const std::string &) {});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
  };
  // A process has ended between the two renames.
  std::filesystem::rename(path, path + ".former");
  open();
  EXPECT_EQ(stepOf(path), "3");
  // And one after them.
  std::filesystem::copy(path, path + ".former");
  std::filesystem::copy(path, path + ".tmp");
  open();
  EXPECT_EQ(stepOf(path), "3");
  EXPECT_FALSE(std::filesystem::exists(path + ".former"));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(DividedState, PartsThatDoNotBelongTogetherAreNoCheckpoint) {
  TempFolder folder;
  std::string paths[] = {folder.path("ckpt-00000001"),
                         folder.path("ckpt-00000002")};
  onRanks(2, [&](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    fill(*runner, ranks);
    for (const std::string &path : paths) {
      slotOf(*runner)[ranks.rank() * kPart] += 1;
      ASSERT_TRUE(
          saveParts(&ranks, *runner, ranks.isFirst() ? path : "", {}).ok());
    }
  });
  auto failure = [&] {
    auto parts = CheckpointParts::open(paths[0], CheckpointParts::Check::Bytes);
    return parts.ok() ? "" : parts.status().message();
  };
  EXPECT_EQ(failure(), "");
  std::string part = "/part-00001-of-00002.safetensors";
  // A byte of the part, then another save's part, then none.
  std::string bytes = *readInput(paths[0] + part);
  std::string damaged = bytes;
  damaged.back() ^= 1;
  writeText(paths[0] + part, damaged);
  EXPECT_NE(failure().find("does not match its hash"), std::string::npos);
  writeText(paths[0] + part, bytes);
  EXPECT_EQ(failure(), "");
  writeText(paths[0] + part, readText(paths[1] + part));
  EXPECT_NE(failure().find("is a part of another checkpoint"),
            std::string::npos);
  std::filesystem::remove(paths[0] + part);
  EXPECT_NE(failure().find("part-00001"), std::string::npos);
  std::filesystem::remove(paths[1] + "/manifest.safetensors");
  EXPECT_FALSE(isInParts(paths[1]));
}

/// The error of a folder with a part that has elements `begin` and the next of
/// "w", and with this manifest, in which HASH is the part's.
std::string faultOf(int begin, const std::string &tensors, std::string files) {
  TempFolder folder;
  const float two[] = {1, 2};
  TensorView w{{"w", DType::F32, {2}}, two};
  std::string part = folder.path("part");
  EXPECT_TRUE(
      writeSafetensors(part, {&w, 1},
                       {{{"parts.begins", fmt::format("{{\"w\":{}}}", begin)}},
                        /*contentHash=*/true})
          .ok());
  std::string hash = SafetensorsFile::open(part)->metadata().at("content_hash");
  for (size_t at; (at = files.find("HASH")) != std::string::npos;)
    files.replace(at, 4, hash);
  EXPECT_TRUE(
      writeSafetensors(folder.path("manifest.safetensors"), {},
                       {{{"parts.tensors", tensors}, {"parts.files", files}},
                        /*contentHash=*/true})
          .ok());
  auto parts =
      CheckpointParts::open(folder.path(), CheckpointParts::Check::Bytes);
  return parts.ok() ? "" : parts.status().message();
}

TEST(DividedState, OfADamagedManifestIsRefused) {
  const std::string w = R"([{"name": "w", "dtype": "F32", "shape": [2]}])";
  const std::string part = R"([{"file": "part", "hash": "HASH"}])";
  EXPECT_EQ(faultOf(0, w, part), "");
  auto expect = [](const std::string &fault, const char *message) {
    EXPECT_NE(fault.find(message), std::string::npos) << fault;
  };
  for (const char *tensors :
       {"", "{}", "[1]", R"([{"name": "w", "dtype": "F31", "shape": [2]}])",
        R"([{"name": "w", "dtype": "F32", "shape": [-2]}])",
        R"([{"name": "w", "dtype": "F32", "shape": "2"}])",
        R"([{"dtype": "F32", "shape": [2]}])"})
    expect(faultOf(0, tensors, part), "its list of tensors is damaged");
  for (const char *files : {"", "[]", "{}"})
    expect(faultOf(0, w, files), "names no file");
  for (const char *files :
       {"[1]", R"([{"file": "part"}])", R"([{"file": 1, "hash": "HASH"}])",
        R"([{"file": "../part", "hash": "HASH"}])"})
    expect(faultOf(0, w, files), "its list of files is damaged");
  for (const char *tensors :
       {R"([{"name": "v", "dtype": "F32", "shape": [2]}])",
        R"([{"name": "w", "dtype": "F16", "shape": [2]}])"})
    expect(faultOf(0, tensors, part), "tensor 'w' is not that of the manifest");
  for (int begin : {1, 2})
    expect(faultOf(begin, w, part), "its parts do not make up tensor 'w'");
  expect(faultOf(0, R"([{"name": "w", "dtype": "F32", "shape": [3]}])", part),
         "its parts do not make up tensor 'w'");
  expect(faultOf(0, w,
                 R"([{"file": "part", "hash": "HASH"},
                     {"file": "part", "hash": "HASH"}])"),
         "its parts do not make up tensor 'w'");
  expect(faultOf(0, w, R"([{"file": "part", "hash": "12"}])"),
         "is a part of another checkpoint");
}

TEST(DividedState, IsInAFile) {
  std::shared_ptr<const Program> programs[] = {makeProgram()};
  auto sections = encodeManifest(programs);
  ASSERT_TRUE(sections.ok());
  auto read = parseManifest(*sections);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->front()->slabs[0].parts, 2u);
  EXPECT_EQ(read->front()->slabs[0].wholeBytes(), 2 * kBytes);
  EXPECT_EQ(read->front()->slabs[1].parts, 1u);
  std::string text = describeProgram(*programs[0]);
  EXPECT_NE(text.find("w/slot f32[1572864] slot in slab 0 at 0, divided "
                      "among 2 ranks\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("state: 4.0 MiB in 2 slabs"), std::string::npos) << text;
}

} // namespace
} // namespace mpc::rt
