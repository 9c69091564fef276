// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function with handles that are none, and without its arguments.
// exports.py asks that each function is called in both lists.
#include "mpc-c/Ranks.h"
#include "mpc-c/Schedule.h"
#include "test/capi/CAPITest.h"
#include "test/capi/MeasuredProgram.h"
#include "test/runtime/TempFolder.h"

namespace mpc::test {
namespace {

/// What an error says, which is destroyed; or "".
std::string messageOf(MpcError *error) {
  std::string message = error ? mpcErrorGetMessage(error) : "";
  mpcErrorDestroy(error);
  return message;
}

struct Handles {
  MpcProgram *program;
  MpcRunner *runner;
  MpcCheckpoints *checkpoints;
  MpcData *data;
  MpcEvaluation *evaluation;
};

struct Call {
  const char *function;
  MpcError *error;
};

/// Places for all that a function could want, so that the handle is at fault.
struct Arguments {
  Arguments() {
    programInfo.structSize = sizeof programInfo;
    entryInfo.structSize = sizeof entryInfo;
    tensorInfo.structSize = sizeof tensorInfo;
    boundInfo.structSize = sizeof boundInfo;
    progress.structSize = sizeof progress;
    dataInfo.structSize = sizeof dataInfo;
    evaluationInfo.structSize = sizeof evaluationInfo;
    position.structSize = sizeof position;
    record.structSize = sizeof record;
    unversioned.dl_tensor = number.tensor;
    versioned.version = {1, 0};
    versioned.dl_tensor = number.tensor;
  }

  MpcProgramInfo programInfo = {};
  MpcEntryInfo entryInfo = {};
  MpcTensorInfo tensorInfo = {};
  MpcBoundInfo boundInfo = {};
  MpcProgress progress = {};
  MpcDataInfo dataInfo = {};
  MpcEvaluationInfo evaluationInfo = {};
  MpcDataPosition position = {};
  DLTensor memoryOfData = {};
  MpcData *data = nullptr;
  MpcProgram *program = nullptr;
  MpcEvaluation *evaluation = nullptr;
  const char *none = "/none";
  MpcStateRole role = MPC_STATE_SLOT;
  MpcStateRecord record = {};
  MpcRunner *runner = nullptr;
  int flag = 0;
  size_t index = 0;
  double value = 0;
  float memory = 0;
  const char *text = nullptr;
  View number{&memory, kF32Type, {}};
  DLManagedTensor unversioned = {};
  DLManagedTensorVersioned versioned = {};
  DLManagedTensorVersioned *shared = nullptr;
};

void ignoreRecord(void *, const MpcStateRecord *) {}

#define CALL(function, ...) {#function, function(__VA_ARGS__)}

/// Each function that takes a handle, with all that it could want beside it.
std::vector<Call> callAll(const Handles &h, Arguments &a) {
  return {
      CALL(mpcProgramGetInfo, h.program, &a.programInfo),
      CALL(mpcProgramGetWarning, h.program, 0, &a.text),
      CALL(mpcProgramGetTied, h.program, 0, &a.text, &a.text),
      CALL(mpcProgramWithoutValues, h.program, 0, nullptr, &a.program),
      CALL(mpcProgramGetEntry, h.program, 0, &a.entryInfo),
      CALL(mpcProgramFindEntry, h.program, "step", &a.index),
      CALL(mpcProgramGetInput, h.program, 1, 0, &a.tensorInfo),
      CALL(mpcProgramGetOutput, h.program, 1, 0, &a.tensorInfo),
      CALL(mpcProgramGetBound, h.program, 0, &a.boundInfo),
      CALL(mpcProgramGetState, h.program, 0, &a.tensorInfo),
      CALL(mpcProgramGetStateRole, h.program, 0, &a.role, &a.flag),
      CALL(mpcProgramGetStateRecord, h.program, 0, &a.record),
      CALL(mpcRunnerCreate, h.program, nullptr, &a.runner),
      CALL(mpcRunnerCreateShared, h.program, h.runner, nullptr, &a.runner),
      CALL(mpcRunnerLoadWeights, h.runner, "/none"),
      CALL(mpcRunnerBindInput, h.runner, "lr", a.number),
      CALL(mpcRunnerBindOutput, h.runner, "loss", a.number),
      CALL(mpcRunnerBindInputManaged, h.runner, "lr", &a.versioned),
      CALL(mpcRunnerBindOutputManaged, h.runner, "loss", &a.versioned),
      CALL(mpcRunnerBindInputUnversioned, h.runner, "lr", &a.unversioned),
      CALL(mpcRunnerBindOutputUnversioned, h.runner, "loss", &a.unversioned),
      CALL(mpcRunnerUnbindInput, h.runner, "lr"),
      CALL(mpcRunnerUnbindOutput, h.runner, "loss"),
      CALL(mpcRunnerStep, h.runner, nullptr),
      CALL(mpcRunnerAccumulate, h.runner, nullptr),
      CALL(mpcRunnerApply, h.runner, nullptr),
      CALL(mpcRunnerEvaluate, h.runner),
      CALL(mpcRunnerMeasure, h.runner, 0),
      CALL(mpcRunnerGetNumMetrics, h.runner, &a.index),
      CALL(mpcRunnerGetMetric, h.runner, 0, nullptr, &a.value),
      CALL(mpcRunnerResetMetrics, h.runner),
      CALL(mpcRunnerReadScalar, h.runner, "loss", &a.value),
      CALL(mpcRunnerReadOutput, h.runner, "loss", a.number),
      CALL(mpcRunnerGetProgress, h.runner, &a.progress),
      CALL(mpcRunnerReadState, h.runner, "w", a.number),
      CALL(mpcRunnerWriteState, h.runner, "w", a.number),
      CALL(mpcRunnerShareState, h.runner, "w", &a.shared),
      CALL(mpcRunnerEditState, h.runner, "w", &a.shared),
      CALL(mpcRunnerShareDeviceState, h.runner, "w", &a.shared),
      CALL(mpcRunnerEditDeviceState, h.runner, "w", &a.shared),
      CALL(mpcRunnerSetStream, h.runner, nullptr),
      CALL(mpcRunnerReadNumber, h.runner, "lr", &a.value),
      CALL(mpcRunnerWriteNumber, h.runner, "lr", 1),
      CALL(mpcRunnerUpdateScale, h.runner, nullptr, 1),
      CALL(mpcRunnerSetOptimizer, h.runner, nullptr),
      CALL(mpcRunnerBroadcastState, h.runner),
      CALL(mpcRunnerStartProfile, h.runner),
      CALL(mpcRunnerStopProfile, h.runner),
      CALL(mpcRunnerGetProfile, h.runner, MPC_PROFILE_JSON, &a.text),
      CALL(mpcRunnerWriteTimeline, h.runner, "/dev/null"),
      CALL(mpcCheckpointsSave, h.checkpoints, h.runner, nullptr),
      CALL(mpcCheckpointsSaveInParts, h.checkpoints, h.runner, nullptr),
      CALL(mpcCheckpointsLoadNewest, h.checkpoints, h.runner, nullptr, &a.flag),
      CALL(mpcDataOpen, h.program, &a.none, 1, nullptr, &a.data),
      CALL(mpcDataGetInfo, h.data, &a.dataInfo),
      CALL(mpcDataGetTensor, h.data, 0, &a.tensorInfo),
      CALL(mpcDataNext, h.data),
      CALL(mpcDataGetMemory, h.data, 0, &a.memoryOfData),
      CALL(mpcDataGetPosition, h.data, &a.position),
      CALL(mpcDataSetPosition, h.data, &a.position),
      CALL(mpcEvaluationOpen, h.program, &a.none, 1, nullptr, &a.evaluation),
      CALL(mpcEvaluationGetInfo, h.evaluation, &a.evaluationInfo),
      CALL(mpcEvaluationRun, h.evaluation, h.runner),
      CALL(mpcEvaluationGetMetric, h.evaluation, 0, &a.text, &a.value, &a.flag),
  };
}

/// Each function that has arguments which must be there, without one of them.
std::vector<Call> callWithout(const Handles &h, Arguments &a) {
  return {
      CALL(mpcProgramLoad, nullptr, nullptr, nullptr),
      CALL(mpcProgramLoad, "/none", nullptr, nullptr),
      CALL(mpcProgramLoadBytes, nullptr, 0, nullptr, nullptr),
      CALL(mpcProgramLoadBytes, "x", 1, nullptr, nullptr),
      CALL(mpcProgramGetInfo, h.program, nullptr),
      CALL(mpcProgramGetWarning, h.program, 0, nullptr),
      CALL(mpcProgramGetTied, h.program, 0, nullptr, &a.text),
      CALL(mpcProgramGetTied, h.program, 0, &a.text, nullptr),
      CALL(mpcProgramWithoutValues, h.program, 0, nullptr, nullptr),
      CALL(mpcProgramWithoutValues, h.program, 1, nullptr, &a.program),
      CALL(mpcProgramGetEntry, h.program, 0, nullptr),
      CALL(mpcProgramFindEntry, h.program, nullptr, &a.index),
      CALL(mpcProgramFindEntry, h.program, "step", nullptr),
      CALL(mpcProgramGetInput, h.program, 1, 0, nullptr),
      CALL(mpcProgramGetOutput, h.program, 1, 0, nullptr),
      CALL(mpcProgramGetBound, h.program, 0, nullptr),
      CALL(mpcProgramGetState, h.program, 0, nullptr),
      CALL(mpcProgramGetStateRole, h.program, 0, nullptr, &a.flag),
      CALL(mpcProgramGetStateRole, h.program, 0, &a.role, nullptr),
      CALL(mpcProgramGetStateRecord, h.program, 0, nullptr),
      CALL(mpcRunnerCreate, h.program, nullptr, nullptr),
      CALL(mpcRunnerCreateShared, nullptr, h.runner, nullptr, &a.runner),
      CALL(mpcRunnerCreateShared, h.program, h.runner, nullptr, nullptr),
      CALL(mpcRunnerLoadWeights, h.runner, nullptr),
      CALL(mpcRunnerBindInput, h.runner, nullptr, a.number),
      CALL(mpcRunnerBindInput, h.runner, "lr", nullptr),
      CALL(mpcRunnerBindOutput, h.runner, nullptr, a.number),
      CALL(mpcRunnerBindOutput, h.runner, "loss", nullptr),
      CALL(mpcRunnerBindInputManaged, h.runner, nullptr, &a.versioned),
      CALL(mpcRunnerBindInputManaged, h.runner, "lr", nullptr),
      CALL(mpcRunnerBindOutputManaged, h.runner, nullptr, &a.versioned),
      CALL(mpcRunnerBindOutputManaged, h.runner, "loss", nullptr),
      CALL(mpcRunnerBindInputUnversioned, h.runner, nullptr, &a.unversioned),
      CALL(mpcRunnerBindInputUnversioned, h.runner, "lr", nullptr),
      CALL(mpcRunnerBindOutputUnversioned, h.runner, nullptr, &a.unversioned),
      CALL(mpcRunnerBindOutputUnversioned, h.runner, "loss", nullptr),
      CALL(mpcRunnerUnbindInput, h.runner, nullptr),
      CALL(mpcRunnerUnbindOutput, h.runner, nullptr),
      CALL(mpcRunnerReadScalar, h.runner, nullptr, &a.value),
      CALL(mpcRunnerReadScalar, h.runner, "loss", nullptr),
      CALL(mpcRunnerReadOutput, h.runner, nullptr, a.number),
      CALL(mpcRunnerReadOutput, h.runner, "loss", nullptr),
      CALL(mpcRunnerGetNumMetrics, h.runner, nullptr),
      CALL(mpcRunnerGetProgress, h.runner, nullptr),
      CALL(mpcRunnerReadState, h.runner, nullptr, a.number),
      CALL(mpcRunnerReadState, h.runner, "w", nullptr),
      CALL(mpcRunnerWriteState, h.runner, nullptr, a.number),
      CALL(mpcRunnerWriteState, h.runner, "w", nullptr),
      CALL(mpcRunnerShareState, h.runner, nullptr, &a.shared),
      CALL(mpcRunnerEditState, h.runner, nullptr, &a.shared),
      CALL(mpcRunnerEditState, h.runner, "w", nullptr),
      CALL(mpcRunnerShareState, h.runner, "w", nullptr),
      CALL(mpcRunnerShareDeviceState, h.runner, nullptr, &a.shared),
      CALL(mpcRunnerEditDeviceState, h.runner, "w", nullptr),
      CALL(mpcRunnerReadNumber, h.runner, nullptr, &a.value),
      CALL(mpcRunnerReadNumber, h.runner, "lr", nullptr),
      CALL(mpcRunnerWriteNumber, h.runner, nullptr, 1),
      CALL(mpcCheckpointsOpen, nullptr, nullptr, nullptr),
      CALL(mpcCheckpointsOpen, "/none", nullptr, nullptr),
      CALL(mpcCheckpointJoin, nullptr, "/none"),
      CALL(mpcCheckpointJoin, "/none", nullptr),
      CALL(mpcCheckpointReadRecords, nullptr, ignoreRecord, nullptr),
      CALL(mpcCheckpointReadRecords, "/none", nullptr, nullptr),
      CALL(mpcCheckpointsSave, h.checkpoints, nullptr, nullptr),
      CALL(mpcCheckpointsSaveInParts, h.checkpoints, nullptr, nullptr),
      CALL(mpcCheckpointsLoadNewest, h.checkpoints, h.runner, nullptr, nullptr),
      CALL(mpcDataOpen, h.program, nullptr, 1, nullptr, &a.data),
      CALL(mpcDataOpen, h.program, &a.none, 1, nullptr, nullptr),
      CALL(mpcDataOpenTensors, nullptr, 1, nullptr, 0, 1, nullptr, &a.data),
      CALL(mpcDataOpenTensors, &a.none, 1, nullptr, 1, 1, nullptr, &a.data),
      CALL(mpcDataOpenTensors, &a.none, 1, nullptr, 0, 1, nullptr, nullptr),
      CALL(mpcDataGetInfo, h.data, nullptr),
      CALL(mpcDataGetTensor, h.data, 0, nullptr),
      CALL(mpcDataGetMemory, h.data, 0, nullptr),
      CALL(mpcDataGetPosition, h.data, nullptr),
      CALL(mpcDataSetPosition, h.data, nullptr),
      CALL(mpcEvaluationOpen, h.program, nullptr, 1, nullptr, &a.evaluation),
      CALL(mpcEvaluationOpen, h.program, &a.none, 1, nullptr, nullptr),
      CALL(mpcEvaluationGetInfo, h.evaluation, nullptr),
      CALL(mpcEvaluationRun, h.evaluation, nullptr),
  };
}

class CAPIMisuse : public testing::Test {
protected:
  void SetUp() override {
    handles_.program = trained_.program;
    handles_.runner = trained_.runner;
    EXPECT_SUCCESS(mpcCheckpointsOpen(folder_.path("run").c_str(), nullptr,
                                      &handles_.checkpoints));
    writeSamples(folder_.path("data.safetensors"), 6);
    std::string path = folder_.path("data.safetensors");
    const char *file = path.c_str();
    EXPECT_SUCCESS(
        mpcDataOpen(handles_.program, &file, 1, nullptr, &handles_.data));
    EXPECT_SUCCESS(mpcEvaluationOpen(handles_.program, &file, 1, nullptr,
                                     &handles_.evaluation));
    trained_.bind();
    trained_.step();
  }
  void TearDown() override { destroy(); }
  void destroy() const {
    mpcProgramDestroy(handles_.program);
    mpcRunnerDestroy(handles_.runner);
    mpcCheckpointsDestroy(handles_.checkpoints);
    mpcDataDestroy(handles_.data);
    mpcEvaluationDestroy(handles_.evaluation);
  }

  void expectAll(const std::vector<Call> &calls, const std::string &end) {
    for (const Call &call : calls) {
      Outcome outcome = outcomeOf(call.error);
      EXPECT_EQ(outcome.code, MPC_ERROR_USAGE)
          << call.function << ": " << outcome.message;
      EXPECT_TRUE(outcome.message.ends_with(end))
          << call.function << ": " << outcome.message;
    }
    EXPECT_EQ(arguments_.runner, nullptr);
    EXPECT_EQ(arguments_.shared, nullptr);
    EXPECT_EQ(arguments_.data, nullptr);
    EXPECT_EQ(arguments_.evaluation, nullptr);
  }

  rt::TempFolder folder_;
  Trained trained_{makeMeasuredProgram()};
  Handles handles_ = {};
  Arguments arguments_;
};

TEST(CAPIError, AnotherLibraryMakesOne) {
  MpcError *error = mpcErrorCreate(MPC_ERROR_DIVERGED, "the loss is NaN");
  EXPECT_EQ(mpcErrorGetCode(error), MPC_ERROR_DIVERGED);
  EXPECT_STREQ(mpcErrorGetMessage(error), "the loss is NaN");
  mpcErrorDestroy(error);
  error = mpcErrorCreate(MPC_ERROR_NONE, nullptr);
  EXPECT_EQ(mpcErrorGetCode(error), MPC_ERROR_INTERNAL);
  EXPECT_STREQ(mpcErrorGetMessage(error), "");
  mpcErrorDestroy(error);
}

TEST(CAPISchedule, RatesAndWhatIsWrong) {
  std::vector<const char *> flags = {"--lr=0.5", "--lr-schedule=multistep",
                                     "--lr-milestones=3,5", "--lr-gamma=0.5",
                                     "--warmup-steps=2"};
  double rate = 0;
  auto at = [&](int64_t step) {
    EXPECT_EQ(messageOf(mpcLearningRate(flags.data(), flags.size(), 100, step,
                                        &rate)),
              "");
    return rate;
  };
  // Milestones are counted from the end of the warm-up.
  EXPECT_EQ(at(0), 0.25);
  EXPECT_EQ(at(4), 0.5);
  EXPECT_EQ(at(5), 0.25);
  EXPECT_EQ(at(7), 0.125);
  auto fault = [&](const char *flag, int64_t step) {
    return messageOf(mpcLearningRate(&flag, 1, 100, step, &rate));
  };
  EXPECT_EQ(fault("--lr", 0), "'--lr' is not a flag with a value");
  EXPECT_EQ(fault("--momentum=1", 0),
            "'--momentum' is not a flag of a learning rate");
  EXPECT_EQ(fault("--lr-schedule=step", 0),
            "--lr-schedule=step needs --lr-step-size");
  EXPECT_EQ(fault("--lr=1", -1), "steps are counted from 0");
  EXPECT_EQ(fault(nullptr, 0), "flag is NULL");
  EXPECT_EQ(messageOf(mpcLearningRate(nullptr, 1, 100, 0, &rate)),
            "flags is NULL");
  EXPECT_EQ(messageOf(mpcLearningRate(nullptr, 0, 100, 0, nullptr)),
            "rate is NULL");
}

TEST_F(CAPIMisuse, NoHandleIsAnError) {
  expectAll(callAll({}, arguments_), " is NULL");
}

TEST_F(CAPIMisuse, AHandleThatWasDestroyedIsAnError) {
  destroy();
  // Others take their places.
  Trained another;
  expectAll(callAll(handles_, arguments_), " is invalid, or was destroyed");
  destroy();
}

TEST_F(CAPIMisuse, AHandleOfAnotherKindIsAnError) {
  Handles mixed = {reinterpret_cast<MpcProgram *>(handles_.runner),
                   reinterpret_cast<MpcRunner *>(handles_.checkpoints),
                   reinterpret_cast<MpcCheckpoints *>(handles_.program),
                   reinterpret_cast<MpcData *>(handles_.evaluation),
                   reinterpret_cast<MpcEvaluation *>(handles_.data)};
  expectAll(callAll(mixed, arguments_), " is invalid, or was destroyed");
  mpcProgramDestroy(mixed.program);
  mpcRunnerDestroy(mixed.runner);
  mpcCheckpointsDestroy(mixed.checkpoints);
  mpcDataDestroy(mixed.data);
  mpcEvaluationDestroy(mixed.evaluation);
  // All are still there.
  trained_.step();
}

TEST_F(CAPIMisuse, WhatIsNoHandleAtAllIsAnError) {
  int here = 0;
  for (uintptr_t bits : {reinterpret_cast<uintptr_t>(&here), ~uintptr_t(0),
                         ~uintptr_t(0) - 13, uintptr_t(1)}) {
    Handles none = {reinterpret_cast<MpcProgram *>(bits),
                    reinterpret_cast<MpcRunner *>(bits),
                    reinterpret_cast<MpcCheckpoints *>(bits),
                    reinterpret_cast<MpcData *>(bits),
                    reinterpret_cast<MpcEvaluation *>(bits)};
    expectAll(callAll(none, arguments_), " is invalid, or was destroyed");
  }
}

TEST_F(CAPIMisuse, AnArgumentThatIsMissingIsAnError) {
  expectAll(callWithout(handles_, arguments_), " is NULL");
}

TEST_F(CAPIMisuse, ErrorsAreHandlesToo) {
  MpcError *error = mpcRunnerStep(nullptr, nullptr);
  EXPECT_EQ(mpcErrorGetCode(error), MPC_ERROR_USAGE);
  EXPECT_STREQ(mpcErrorGetMessage(error), "the handle of a runner is NULL");
  mpcErrorDestroy(error);
  EXPECT_EQ(mpcErrorGetCode(error), MPC_ERROR_USAGE);
  EXPECT_STREQ(mpcErrorGetMessage(error),
               "the handle of an error is invalid, or was destroyed");
  mpcErrorDestroy(error);
  mpcErrorDestroy(nullptr);
  EXPECT_EQ(mpcErrorGetCode(nullptr), MPC_ERROR_NONE);
  EXPECT_STREQ(mpcErrorGetMessage(nullptr), "");
}

TEST_F(CAPIMisuse, ARunnerIsNotUsedWithinItsOwnCalls) {
  struct Context {
    MpcRunner *runner = nullptr;
    Outcome outcome = {};
  } context;
  MpcRunnerOptions options = {};
  options.log = [](void *data, MpcLogLevel, const char *) {
    auto *context = static_cast<Context *>(data);
    context->outcome = outcomeOf(mpcRunnerStep(context->runner, nullptr));
  };
  options.logContext = &context;
  Trained t(makeProgram(), options);
  context.runner = t.runner;
  EXPECT_SUCCESS(
      mpcCheckpointsSave(handles_.checkpoints, trained_.runner, nullptr));
  std::string file = folder_.path("run/ckpt-00000001.safetensors");
  EXPECT_SUCCESS(mpcRunnerLoadWeights(t.runner, file.c_str()));
  EXPECT_EQ(context.outcome.code, MPC_ERROR_USAGE);
  EXPECT_EQ(context.outcome.message,
            "the runner is in use, by another thread or by the call from which "
            "this one is made");
}

TEST(CAPIHandles, ManyLiveAtOnce) {
  std::vector<MpcError *> errors;
  for (int i = 0; i < 1000; ++i)
    errors.push_back(mpcRunnerStep(nullptr, nullptr));
  for (int i = 0; i < 1000; i += 2)
    mpcErrorDestroy(errors[i]);
  for (int i = 1; i < 1000; i += 2) {
    EXPECT_STREQ(mpcErrorGetMessage(errors[i]),
                 "the handle of a runner is NULL");
    mpcErrorDestroy(errors[i]);
  }
}

TEST(CAPIOptions, AreChecked) {
  MpcProgram *program = load(makeProgram());
  MpcRunnerOptions options = {};
  options.structSize = sizeof options;
  options.numThreads = -1;
  MpcRunner *runner = nullptr;
  EXPECT_FAILURE(mpcRunnerCreate(program, &options, &runner), MPC_ERROR_USAGE,
                 "numThreads is -1, expected 0 or more");
  mpcProgramDestroy(program);
}

MpcError *moveNothing(void *, const MpcRankMessage *, size_t,
                      const MpcRankMessage *, size_t) {
  return nullptr;
}

TEST(CAPIRanks, WrongCallsAreSaid) {
  MpcRanks *ranks = nullptr;
  EXPECT_FAILURE(mpcRanksCreateCallbacks(2, 2, moveNothing, nullptr, &ranks),
                 MPC_ERROR_USAGE, "rank 2 of 2: ranks are counted from 0");
  EXPECT_EQ(
      outcomeOf(mpcRanksCreateCallbacks(0, 1, nullptr, nullptr, &ranks)).code,
      MPC_ERROR_USAGE);
  EXPECT_EQ(outcomeOf(mpcRanksCreateMPI(nullptr, nullptr)).code,
            MPC_ERROR_USAGE);
  EXPECT_FAILURE(mpcRanksCreateMPI(nullptr, &ranks), MPC_ERROR_USAGE,
                 "no launcher has started this process: mpirun -n N in front "
                 "of the command does");
  MpcNcclOptions nccl = {};
  nccl.structSize = sizeof(nccl);
  EXPECT_EQ(outcomeOf(mpcRanksCreateNCCL(nullptr, &ranks)).code,
            MPC_ERROR_USAGE);
  EXPECT_EQ(outcomeOf(mpcRanksCreateNCCL(&nccl, nullptr)).code,
            MPC_ERROR_USAGE);
  EXPECT_FAILURE(mpcRanksCreateNCCL(&nccl, &ranks), MPC_ERROR_USAGE,
                 "rank 0 of 0: ranks are counted from 0");
  nccl.size = 2;
  EXPECT_FAILURE(mpcRanksCreateNCCL(&nccl, &ranks), MPC_ERROR_USAGE,
                 "a GPU and a rendezvous are needed: HOST:PORT, or a file that "
                 "all ranks see");
  nccl.rendezvous = "127.0.0.1:1";
  nccl.patience = -1;
  EXPECT_FAILURE(mpcRanksCreateNCCL(&nccl, &ranks), MPC_ERROR_USAGE,
                 "patience is -1, expected 0 to 1000000 seconds");
  Trained t;
  EXPECT_FAILURE(mpcRunnerBroadcastState(t.runner), MPC_ERROR_USAGE,
                 "the runner has no ranks: they are in its options");
  uint32_t rank = 0;
  EXPECT_EQ(outcomeOf(mpcRanksGetPlace(nullptr, &rank, nullptr)).code,
            MPC_ERROR_USAGE);
  mpcRanksDestroy(nullptr);
}

} // namespace
} // namespace mpc::test
