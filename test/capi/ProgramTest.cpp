// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program says of itself, and which files are none.
#include "test/capi/CAPITest.h"
#include "test/runtime/TempFolder.h"

#include <cstring>

namespace mpc::test {
namespace {

template <typename Info>
Info sized() {
  Info info = {};
  info.structSize = sizeof info;
  return info;
}

class CAPIProgram : public testing::Test {
protected:
  void SetUp() override { program_ = load(makeProgram()); }
  void TearDown() override { mpcProgramDestroy(program_); }

  MpcProgram *program_ = nullptr;
};

TEST_F(CAPIProgram, IsDescribed) {
  auto info = sized<MpcProgramInfo>();
  EXPECT_SUCCESS(mpcProgramGetInfo(program_, &info));
  EXPECT_STREQ(info.cpu, "host");
  EXPECT_STREQ(info.recipe, "--precision=fp16");
  EXPECT_EQ(info.numEntries, 3u);
  EXPECT_EQ(info.numStateTensors, 7u);
  EXPECT_EQ(info.numBounds, 1u);
  EXPECT_EQ(info.numWarnings, 0u);
  EXPECT_EQ(info.batchesPerStep, 1);
  EXPECT_STREQ(mpcRuntimeVersion(), MPC_VERSION);
}

TEST_F(CAPIProgram, TellsItsEntriesAndTheirTensors) {
  size_t index = 0;
  EXPECT_SUCCESS(mpcProgramFindEntry(program_, "step", &index));
  EXPECT_EQ(index, 1u);
  auto entry = sized<MpcEntryInfo>();
  EXPECT_SUCCESS(mpcProgramGetEntry(program_, index, &entry));
  EXPECT_STREQ(entry.name, "step");
  EXPECT_EQ(entry.role, MPC_ENTRY_STEP);
  EXPECT_EQ(entry.numInputs, 3u);
  EXPECT_EQ(entry.numOutputs, 5u);
  auto tensor = sized<MpcTensorInfo>();
  EXPECT_SUCCESS(mpcProgramGetInput(program_, index, 0, &tensor));
  EXPECT_STREQ(tensor.name, "x");
  EXPECT_EQ(tensor.dtype, MPC_DTYPE_F32);
  ASSERT_EQ(tensor.rank, 2);
  EXPECT_EQ(tensor.shape[0], kBatch);
  EXPECT_EQ(tensor.shape[1], kFeatures);
  EXPECT_EQ(tensor.bytes, 48u);
  EXPECT_SUCCESS(mpcProgramGetInput(program_, index, 2, &tensor));
  EXPECT_STREQ(tensor.name, "lr");
  EXPECT_EQ(tensor.rank, 0);
  EXPECT_EQ(tensor.shape, nullptr);
  EXPECT_SUCCESS(mpcProgramGetOutput(program_, index, 2, &tensor));
  EXPECT_STREQ(tensor.name, "found_inf");
  EXPECT_EQ(tensor.dtype, MPC_DTYPE_BOOL);
}

TEST_F(CAPIProgram, TellsItsStateAndBounds) {
  auto tensor = sized<MpcTensorInfo>();
  EXPECT_SUCCESS(mpcProgramGetState(program_, 2, &tensor));
  EXPECT_STREQ(tensor.name, "w/f16");
  EXPECT_EQ(tensor.dtype, MPC_DTYPE_F16);
  const MpcStateRole roles[] = {MPC_STATE_PARAMETER,      MPC_STATE_SLOT,
                                MPC_STATE_LOW_PRECISION,  MPC_STATE_LOSS_SCALE,
                                MPC_STATE_OPTIMIZER,      MPC_STATE_GRADIENT,
                                MPC_STATE_HYPER_PARAMETER};
  for (size_t i = 0; i < std::size(roles); ++i) {
    MpcStateRole role = MPC_STATE_BUFFER;
    int isSaved = -1;
    EXPECT_SUCCESS(mpcProgramGetStateRole(program_, i, &role, &isSaved));
    EXPECT_EQ(role, roles[i]) << i;
    EXPECT_EQ(isSaved, i != 2 && i != 5) << i;
  }
  auto record = sized<MpcStateRecord>();
  EXPECT_SUCCESS(mpcProgramGetStateRecord(program_, 1, &record));
  EXPECT_STREQ(record.name, "w/momentum");
  EXPECT_EQ(record.role, MPC_STATE_SLOT);
  EXPECT_STREQ(record.owner, "w");
  EXPECT_STREQ(record.key, "momentum");
  auto bound = sized<MpcBoundInfo>();
  EXPECT_SUCCESS(mpcProgramGetBound(program_, 0, &bound));
  EXPECT_STREQ(bound.input, "label");
  EXPECT_EQ(bound.lower, 0);
  EXPECT_EQ(bound.upper, kFeatures);
  EXPECT_EQ(bound.hasExcept, 1);
  EXPECT_EQ(bound.except, -100);
  EXPECT_EQ(bound.rank, 0u);
  EXPECT_EQ(bound.skipFirst, nullptr);
}

TEST_F(CAPIProgram, WhatItLacksIsAnError) {
  size_t index = 7;
  EXPECT_FAILURE(mpcProgramFindEntry(program_, "none", &index),
                 MPC_ERROR_INVALID_INPUT, "the program has no entry 'none'");
  EXPECT_EQ(index, 7u);
  auto entry = sized<MpcEntryInfo>();
  EXPECT_FAILURE(mpcProgramGetEntry(program_, 3, &entry), MPC_ERROR_USAGE,
                 "entry 3: the program has 3");
  auto tensor = sized<MpcTensorInfo>();
  EXPECT_FAILURE(mpcProgramGetInput(program_, 9, 0, &tensor), MPC_ERROR_USAGE,
                 "entry 9: the program has 3");
  EXPECT_FAILURE(mpcProgramGetInput(program_, 1, 3, &tensor), MPC_ERROR_USAGE,
                 "input 3: the program has 3");
  EXPECT_FAILURE(mpcProgramGetOutput(program_, 1, 5, &tensor), MPC_ERROR_USAGE,
                 "output 5: the program has 5");
  EXPECT_FAILURE(mpcProgramGetState(program_, 7, &tensor), MPC_ERROR_USAGE,
                 "state tensor 7: the program has 7");
  auto bound = sized<MpcBoundInfo>();
  EXPECT_FAILURE(mpcProgramGetBound(program_, 1, &bound), MPC_ERROR_USAGE,
                 "bound 1: the program has 1");
  const char *text = nullptr;
  EXPECT_FAILURE(mpcProgramGetWarning(program_, 0, &text), MPC_ERROR_USAGE,
                 "warning 0: the program has 0");
}

TEST_F(CAPIProgram, StructsHaveVersions) {
  // One that a newer caller made longer.
  struct {
    MpcProgramInfo info;
    char more[16];
  } longer;
  std::memset(&longer, 0x5a, sizeof longer);
  longer.info.structSize = sizeof longer;
  EXPECT_SUCCESS(mpcProgramGetInfo(program_, &longer.info));
  EXPECT_EQ(longer.info.numEntries, 3u);
  EXPECT_EQ(longer.info.structSize, sizeof longer);
  for (char byte : longer.more)
    EXPECT_EQ(byte, 0);
  MpcProgramInfo none = {};
  EXPECT_FAILURE(mpcProgramGetInfo(program_, &none), MPC_ERROR_USAGE,
                 "info: structSize is 0, expected 80: set it to the struct's "
                 "size");
  // One of a caller that was built before the last field was there.
  MpcProgramInfo shorter;
  std::memset(&shorter, 0x5a, sizeof shorter);
  shorter.structSize = offsetof(MpcProgramInfo, numTied);
  EXPECT_SUCCESS(mpcProgramGetInfo(program_, &shorter));
  EXPECT_EQ(shorter.numEntries, 3u);
  EXPECT_EQ(shorter.numTied, 0x5a5a5a5a5a5a5a5au);
  MpcRunner *early = nullptr;
  MpcRunnerOptions earlier = {};
  earlier.structSize = offsetof(MpcRunnerOptions, log);
  earlier.log = reinterpret_cast<MpcLogFunction>(&early); // Is not looked at.
  EXPECT_SUCCESS(mpcRunnerCreate(program_, &earlier, &early));
  mpcRunnerDestroy(early);
  struct {
    MpcRunnerOptions options;
    int64_t more;
  } asking = {};
  asking.options.structSize = sizeof asking;
  MpcRunner *runner = nullptr;
  EXPECT_SUCCESS(mpcRunnerCreate(program_, &asking.options, &runner));
  mpcRunnerDestroy(runner);
  asking.more = 1;
  EXPECT_FAILURE(mpcRunnerCreate(program_, &asking.options, &runner),
                 MPC_ERROR_USAGE,
                 "options: asks for something that only a newer version of "
                 "this library has");
}

TEST(CAPILoad, TakesFilesAndBytes) {
  rt::TempFolder folder;
  rt::writeText(folder.path("step.mpc"), fileOf(makeProgram()));
  MpcProgram *program = nullptr;
  EXPECT_SUCCESS(
      mpcProgramLoad(folder.path("step.mpc").c_str(), nullptr, &program));
  MpcRunner *runner = nullptr;
  EXPECT_SUCCESS(mpcRunnerCreate(program, nullptr, &runner));
  // The runner keeps what it needs.
  mpcProgramDestroy(program);
  double scale = 0;
  EXPECT_SUCCESS(mpcRunnerReadNumber(runner, "scale", &scale));
  EXPECT_EQ(scale, 8);
  mpcRunnerDestroy(runner);
}

TEST(CAPILoad, RefusesWhatIsNoProgramOfThisMachine) {
  rt::TempFolder folder;
  MpcProgram *program = nullptr;
  std::string path = folder.path("none.mpc");
  Outcome missing = outcomeOf(mpcProgramLoad(path.c_str(), nullptr, &program));
  EXPECT_EQ(missing.code, MPC_ERROR_INVALID_INPUT);
  EXPECT_EQ(missing.message.find(path), 0u) << missing.message;
  rt::writeText(path, std::string(100, 'x'));
  EXPECT_FAILURE(mpcProgramLoad(path.c_str(), nullptr, &program),
                 MPC_ERROR_INVALID_INPUT,
                 path + ": is not a program file: it does not begin as one");
  std::string file = fileOf(makeProgram());
  file[file.size() / 2] ^= 1;
  EXPECT_EQ(outcomeOf(mpcProgramLoadBytes(file.data(), file.size(), nullptr,
                                          &program))
                .code,
            MPC_ERROR_INVALID_INPUT);
  file = fileOf(makeProgram());
  MpcProgramOptions options = {sizeof options, "x86-64-v4"};
  EXPECT_FAILURE(
      mpcProgramLoadBytes(file.data(), file.size(), &options, &program),
      MPC_ERROR_ENVIRONMENT,
      "holds no code that is for 'x86-64-v4' and runs here: it is for host");
  EXPECT_EQ(program, nullptr);
}

TEST(CAPILoad, TellsTheFurtherNamesOfAParameter) {
  std::shared_ptr<rt::Program> program = makeProgram();
  program->tied = {{"head.weight", "w"}, {"last.weight", "w"}};
  Trained trained(program);
  auto info = sized<MpcProgramInfo>();
  EXPECT_SUCCESS(mpcProgramGetInfo(trained.program, &info));
  EXPECT_EQ(info.numTied, 2u);
  const char *name = nullptr, *parameter = nullptr;
  EXPECT_SUCCESS(mpcProgramGetTied(trained.program, 1, &name, &parameter));
  EXPECT_STREQ(name, "last.weight");
  EXPECT_STREQ(parameter, "w");
  EXPECT_FAILURE(mpcProgramGetTied(trained.program, 2, &name, &parameter),
                 MPC_ERROR_USAGE, "tied name 2: the program has 2");
}

TEST(CAPILoad, WarningsOfTheCompilationAreLogged) {
  std::shared_ptr<rt::Program> program = makeProgram();
  program->warnings = {"watch out"};
  std::string seen;
  MpcRunnerOptions options = {};
  options.log = [](void *context, MpcLogLevel level, const char *message) {
    *static_cast<std::string *>(context) +=
        std::to_string(level) + ":" + message;
  };
  options.logContext = &seen;
  Trained trained(program, options);
  EXPECT_EQ(seen, "1:watch out");
  const char *text = nullptr;
  EXPECT_SUCCESS(mpcProgramGetWarning(trained.program, 0, &text));
  EXPECT_STREQ(text, "watch out");
}

} // namespace
} // namespace mpc::test
