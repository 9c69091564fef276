// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs to files and back, and manifests that are whole but wrong.
#include "runtime/Program/Manifest.h"

#include "runtime/Program/Commands.h"
#include "runtime/Program/FieldReader.h"
#include "runtime/Program/StateRecord.h"
#include "runtime/Runner/Runner.h"
#include "test/runtime/Program/FileOfTestProgram.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

ProgramVariants readBack() {
  auto programs = parseProgramFile(test::bytesOf(test::encodeTestProgram()));
  EXPECT_TRUE(programs.ok()) << programs.status().message();
  return programs.ok() ? *programs : ProgramVariants();
}

TEST(ProgramFile, GivesBackTheProgram) {
  ProgramVariants programs = readBack();
  ASSERT_EQ(programs.size(), 2u);
  const Program &program = *programs[1];
  EXPECT_EQ(nameOf(program.target), "x86-64-v4");
  EXPECT_EQ(program.protocol.accumulate, 4);
  EXPECT_TRUE(program.protocol.keepState);
  EXPECT_EQ(program.protocol.floorName, "critic.min_scale");
  EXPECT_EQ(program.protocol.callerUpdates.at("w"), "grad.w");
  EXPECT_EQ(program.protocol.rule, "optimizer<sgd>");
  EXPECT_EQ(program.runDefaults, (RunDefaults{{"--lr", "0.5"}}));
  EXPECT_EQ(program.entries[0].mode, ModelMode::Either);
  EXPECT_EQ(program.entries[1].mode, ModelMode::Training);
  EXPECT_EQ(program.recipe, "--precision=fp16");
  EXPECT_EQ(program.bounds[0].lower, -3);
  EXPECT_EQ(program.bounds[0].except, -100);
  EXPECT_FALSE(program.bounds[1].except);
  EXPECT_EQ(program.bounds[0].skipFirst, std::vector<int64_t>{1});
  EXPECT_EQ(program.bounds[0].skipLast, std::vector<int64_t>{2});
  EXPECT_TRUE(program.bounds[1].skipFirst.empty());
  ASSERT_EQ(program.initialValues.size(), 2u);
  EXPECT_EQ(program.initialValues[0].desc.dtype, DType::F16);
  EXPECT_EQ(program.initialValues[0].values.size(), 6u);
  EXPECT_EQ(program.initialValues[1].argument, 0.125);
  EXPECT_EQ(program.initialValues[1].stream, 3u);
  const Launch &launch = program.entries[1].launches[1];
  EXPECT_EQ(launch.symbol, "update");
  EXPECT_EQ(launch.buffers.size(), 11u);
  EXPECT_EQ(launch.buffers[2].offset, uint64_t(test::kVelocity));
  EXPECT_EQ(program.state[3].role, StateRole::LossScale);
  EXPECT_TRUE(program.state[3].hasWideScale);
  EXPECT_FALSE(program.state[4].hasWideScale);
}

// Plain chunks have no tile in the file.
TEST(ProgramFile, GivesBackTilesOfChunks) {
  for (int64_t tile : {1, 3}) {
    nlohmann::json fields = {{"work", "map"}, {"flops", 0}};
    HostKernel({16, 12, 4, tile}, {"map"}).write(fields);
    EXPECT_EQ(fields.contains("tile"), tile != 1);
    FieldReader reader;
    auto read = std::dynamic_pointer_cast<const HostKernel>(
        HostKernel::kRow.read(fields, reader));
    ASSERT_TRUE(reader.status().ok() && read);
    EXPECT_EQ(read->place().chunks, 12);
    EXPECT_EQ(read->place().tile, tile);
    auto moved = std::dynamic_pointer_cast<const HostKernel>(
        read->shifted({.imageBytes = 32}));
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->place().codeOffset, 48u);
    EXPECT_EQ(moved->place().tile, tile);
  }
}

TEST(ProgramFile, GivesBackOwnersAndKeysOfTheState) {
  std::shared_ptr<Program> written = test::makeFullProgram("x86-64-v3");
  ProgramVariants programs = readBack();
  ASSERT_FALSE(programs.empty());
  const std::vector<StateTensor> &state = programs[0]->state;
  ASSERT_EQ(state.size(), written->state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    EXPECT_EQ(state[i].owner, written->state[i].owner) << state[i].desc.name;
    EXPECT_EQ(state[i].key, written->state[i].key) << state[i].desc.name;
  }
  EXPECT_EQ(recordOf(*programs[0]).at("w/momentum"),
            (TensorRecord{StateRole::Slot, "w", "velocity"}));
}

// Features: F10.
TEST(ProgramFile, AWideScaleIsSetAsItIs) {
  ProgramVariants programs = readBack();
  ASSERT_EQ(programs.size(), 2u);
  auto runner = Runner::create(programs[0], {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  // No f32.
  ASSERT_TRUE((*runner)->updateScale(0.1).ok());
  EXPECT_EQ(*(*runner)->readNumber("scale"), 0.1);
}

TEST(ProgramFile, EqualBytesAreThereOnce) {
  ProgramVariants programs = readBack();
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0]->constants[0].bytes.data(),
            programs[1]->constants[1].bytes.data());
}

TEST(ProgramFile, RunsWhatItHolds) {
  ProgramVariants programs = readBack();
  ASSERT_EQ(programs.size(), 2u);
  auto runner = Runner::create(programs[0], {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  float weights[] = {1, 2, 3};
  ASSERT_TRUE((*runner)->writeState({{"w", DType::F32, {3}}, weights}).ok());
  ASSERT_TRUE((*runner)->derive().ok());
  auto copy = (*runner)->readState("w/f16");
  EXPECT_EQ(static_cast<const uint16_t *>(copy->data)[2], 0x4200);
}

TEST(ProgramFile, IsTheSameEachTime) {
  EXPECT_EQ(test::encodeTestProgram(), test::encodeTestProgram());
}

TEST(ProgramFile, ProgramsOfOneFileAgree) {
  auto one = test::makeFullProgram("x86-64-v3");
  auto other = test::makeFullProgram("x86-64-v4");
  other->state[1].offset = 96;
  ProgramVariants programs = {one, other};
  EXPECT_EQ(encodeProgramFile(programs).status().message(),
            "the program for 'x86-64-v4' differs in its state");
}

TEST(ProgramFile, ANameThatIsNoTextIsRefused) {
  auto program = test::makeFullProgram("x86-64-v3");
  program->entries[1].launches[0].sources = "\xff";
  ProgramVariants programs = {program};
  EXPECT_EQ(encodeProgramFile(programs).status().message(),
            "the program cannot be written to a file: a name is not UTF-8, or "
            "a number is not finite");
}

/// The fault of a manifest in which `from` is replaced by `to`, all else whole.
std::string faultWith(const std::string &from, const std::string &to) {
  ProgramVariants programs = {test::makeFullProgram("x86-64-v3")};
  std::vector<Section> sections = *encodeManifest(programs);
  const SharedBytes &bytes = sections[0].bytes;
  std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " in " << text;
  sections[0].bytes = test::bytesOf(text.replace(place, from.size(), to));
  return parseManifest(sections).status().message();
}

// The space, its index, offset and bytes, and in a loop stride and period.
TEST(Manifest, APlaceThatIsNoneIsRefused) {
  for (const char *place :
       {"[0,0,0,0]", "[\"input\",-1,0,0]", "[\"input\",4294967296,0,0]",
        "[\"input\",0,-1,0]", "[\"input\",0,0,-1]", "[\"input\",0,0,0.5]",
        "[\"input\",0,0]", "[\"input\",0,0,0,4]", "[\"input\",0,0,0,0.5,2]",
        "[\"input\",0,0,0,\"4\",2]", "[\"input\",0,0,0,4,-2]",
        "[\"input\",0,0,0,4,4294967296]", "[\"input\",0,0,0,4,2,0]", "7"})
    EXPECT_EQ(faultWith("[\"input\",0,0,0]", place),
              "manifest: 'buffers' is not a list of places in memory")
        << place;
  EXPECT_EQ(faultWith("[\"input\",0,0,0]", "[\"input\",0,0,0,-4,2]"), "");
}

TEST(Manifest, AFieldOfAnotherTypeOrRangeIsRefused) {
  EXPECT_EQ(faultWith("\"mode\":\"training\"", "\"mode\":\"sleeping\""),
            "manifest: 'mode' is not one of the words known for it");
  EXPECT_EQ(faultWith("\"bytes\":128,", "\"bytes\":128,\"parts\":0,"),
            "manifest: 'parts' is not a number of parts that memory can hold");
  EXPECT_EQ(faultWith("\"bytes\":128,",
                      "\"bytes\":18446744073709551615,\"parts\":2,"),
            "manifest: 'parts' is not a number of parts that memory can hold");
  EXPECT_EQ(faultWith("\"accumulate\":4", "\"accumulate\":0"),
            "manifest: 'accumulate' is not a number of batches");
  EXPECT_EQ(faultWith("\"accumulate\":4", "\"accumulate\":4,\"ranks\":0"),
            "manifest: 'ranks' is not a number of processes");
  EXPECT_EQ(faultWith("\"slab\":0", "\"slab\":4294967296"),
            "manifest: 'slab' is not an index");
  EXPECT_EQ(faultWith("\"lower\":-3", "\"lower\":9223372036854775808"),
            "manifest: 'lower' is not a whole number");
  EXPECT_EQ(faultWith("\"dtype\":\"F32\"", "\"dtype\":\"F33\""),
            "manifest: 'dtype' is not an element type");
  EXPECT_EQ(faultWith("\"shape\":[4,3]", "\"shape\":[4,-3]"),
            "manifest: 'shape' is not a list of sizes");
  EXPECT_EQ(faultWith("\"shape\":[4,3]", "\"shape\":[4294967296,4294967296]"),
            "manifest: 'shape' is not that of a tensor that fits in memory");
  EXPECT_EQ(faultWith("\"target\":\"cpu\"", "\"target\":\"abacus\""),
            "manifest: 'target' is not cpu or cuda");
  EXPECT_EQ(faultWith("[\"input\",0,0,0]", "[\"inptu\",0,0,0]"),
            "manifest: 'buffers' is not a list of places in memory");
  EXPECT_EQ(faultWith("\"bytes\":12000,\"data\"", "\"bytes\":12001,\"data\""),
            "manifest: 'data' is not a section of the constant's size");
  EXPECT_EQ(faultWith("\"--lr\":\"0.5\"", "\"--lr\":0.5"),
            "manifest: '--lr' is not a text");
  EXPECT_EQ(faultWith("\"run\":{\"--lr\":\"0.5\"}", "\"run\":[]"),
            "manifest: 'run' is not an object of flags");
  EXPECT_EQ(faultWith("\"code\":", "\"code\":9"),
            "manifest: 'code' is not a section of that kind");
  EXPECT_EQ(faultWith("\"slab\":0", "\"slab\":-1"),
            "manifest: 'slab' is not a whole number from 0 on");
  EXPECT_EQ(faultWith("\"dtype\":\"F16\",\"kind\":\"values\"",
                      "\"dtype\":\"F32\",\"kind\":\"values\""),
            "manifest: 'values' is not a section of the tensor's size");
  EXPECT_EQ(faultWith("\"rule\":\"optimizer<sgd>\"", "\"rule\":7"),
            "manifest: 'rule' is not a text");
  EXPECT_EQ(
      faultWith("\"rule\":\"optimizer<sgd>\"", "\"rule\":{\"--optimizer\":7}"),
      "manifest: '--optimizer' is not a text");
  EXPECT_EQ(faultWith("[\"nothing to fear\"]", "[7]"),
            "manifest: 'warnings' is not a list of texts");
  EXPECT_EQ(
      faultWith("\"target\":\"cpu\"", "\"arch\":\"7\",\"target\":\"cuda\""),
      "manifest: 'arch' is not an architecture, as \"90\" of sm_90");
  EXPECT_EQ(faultWith("\"kind\":\"host_kernel\"", "\"kind\":\"kernel\""),
            "manifest: 'kind' is not the name of a known kind of launch");
  EXPECT_EQ(faultWith("\"role\":\"step\"", "\"role\":\"stride\""),
            "manifest: 'role' is not one of the words known for it");
  EXPECT_EQ(faultWith("\"bounds\":[{", "\"bounds\":{\"x\":[{"),
            "manifest is not a JSON object");
  for (const char *unread :
       {R"({"first":[1,0],"last":[2,0]})", R"({"first":[1],"last":[]})"})
    EXPECT_EQ(faultWith(R"("unread":{"first":[1],"last":[2]})",
                        std::string("\"unread\":") + unread),
              "manifest: 'unread' is not a number for each axis of the input");
  EXPECT_EQ(faultWith(R"("first":[1])", R"("first":[-1])"),
            "manifest: 'first' is not a list of sizes");
  EXPECT_EQ(faultWith("\"recipe\":", "\"recip\":"),
            "manifest: 'recipe' is not a text");
}

TEST(Manifest, EachTargetHasAllEntries) {
  std::string none = R"({"arena_bytes":0,"launches":[]},)";
  EXPECT_EQ(faultWith("\"entries\":[{\"arena_bytes\"",
                      "\"entries\":[" + none + "{\"arena_bytes\""),
            "manifest: 'entries' is not as long as that of all targets");
  std::string more =
      R"({"inputs":[],"name":"more","outputs":[],"role":"other"},)";
  EXPECT_EQ(faultWith("\"entries\":[{\"inputs\"",
                      "\"entries\":[" + more + "{\"inputs\""),
            "manifest: 'entries' is not as long as that of all targets");
  EXPECT_EQ(faultWith("\"variants\":[", "\"variants\":{},\"others\":["),
            "manifest: 'variants' is not a list of programs");
}

TEST(Manifest, ItIsTheFirstSectionAndNoOther) {
  ProgramVariants programs = {test::makeFullProgram("x86-64-v3")};
  std::vector<Section> sections = *encodeManifest(programs);
  for (size_t index : {size_t(0), size_t(1)}) {
    std::vector<Section> others = sections;
    others[index].kind = index == 0 ? SectionKind::Data : SectionKind::Manifest;
    EXPECT_EQ(parseManifest(others).status().message(),
              "has no manifest as its first section, or several");
  }
}

TEST(Manifest, ADeepOneIsRefused) {
  std::string deep = "\"bounds\":" + std::string(100000, '[');
  EXPECT_EQ(faultWith("\"bounds\":[", deep), "manifest is not a JSON object");
}

} // namespace
} // namespace mpc::rt
