// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples from files over C: batches for a training, and evaluations.
#include "runtime/CAPI/Data.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/CallerTensor.h"
#include "runtime/CAPI/Session.h"
#include "runtime/CAPI/TensorInfo.h"
#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/BatchShape.h"
#include "runtime/Train/StepCalls.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

using namespace mpc::rt;

namespace {

/// Runs `body` on the object of a handle, which one thread uses at a time.
template <typename Handle, typename Body>
MpcError *onFiles(Handle *handle, Body body) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(auto *object, objectOf(handle));
    if (object->isInUse.test_and_set(std::memory_order_acquire))
      return usageError(fmt::format("the {} is in use, by another thread or by "
                                    "the call from which this one is made",
                                    HandleTraits<Handle>::kName));
    struct Release {
      std::atomic_flag &flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } release{object->isInUse};
    return body(*object);
  });
}

Result<std::vector<std::string>>
takeNames(const char *what, const char *const *names, size_t count) {
  std::vector<std::string> taken;
  for (size_t i = 0; i < count; ++i) {
    MPC_RETURN_IF_ERROR(needs(what, names));
    MPC_RETURN_IF_ERROR(needs(what, names[i]));
    taken.emplace_back(names[i]);
  }
  return taken;
}

/// 0 leaves samples out, 1 fills their batch up, 2 makes a smaller batch.
Result<LastBatch> lastBatchOf(const char *what, int32_t number) {
  if (number >= int(LastBatch::Drop) && number <= int(LastBatch::Smaller))
    return static_cast<LastBatch>(number);
  return usageError(fmt::format("{} is {}, expected 0, 1 or 2", what, number));
}

Result<DataOptions> takeData(const char *const *files, size_t numFiles,
                             const MpcDataOptions *given) {
  MpcDataOptions known = {};
  MPC_RETURN_IF_ERROR(takeOptions(given, known));
  DataOptions options;
  MPC_ASSIGN_OR_RETURN(options.files, takeNames("files", files, numFiles));
  MPC_ASSIGN_OR_RETURN(options.shared, takeNames("options.shared", known.shared,
                                                 known.numShared));
  options.seed = known.seed;
  options.order =
      known.sequential ? SampleOrder::Sequential : SampleOrder::Shuffle;
  MPC_ASSIGN_OR_RETURN(options.lastBatch,
                       lastBatchOf("options.wraps", known.wraps));
  if (known.batchSize < 0)
    return usageError(fmt::format(
        "options.batchSize is {}, expected at least 0", known.batchSize));
  options.batchSize = known.batchSize;
  for (std::string &file : options.files)
    // "-" is a file here, since standard input belongs to the host program.
    if (file == "-")
      file = "./-";
  return options;
}

/// The inputs that the program's step takes from these files; an error where it
/// has no step.
Result<std::vector<TensorDesc>> inputsFor(const Program &program,
                                          const DataFiles &files,
                                          const DataOptions &options) {
  int64_t accumulate = program.protocol.accumulate;
  std::vector<const Entry *> entries = program.batchEntries(accumulate);
  if (entries.empty())
    return std::vector<TensorDesc>();
  MPC_ASSIGN_OR_RETURN(const Entry *entry,
                       chooseByData(entries, files, options));
  return dataInputs(program, accumulate, entry->dataShapes());
}

Status giveData(Result<DataLoader> loader, MpcData **data) {
  MPC_RETURN_IF_ERROR(loader.status());
  return giveHandle(std::make_shared<OpenData>(*std::move(loader)), data);
}

/// Batches of the files' tensors with `names`, or of all.
Result<std::vector<TensorDesc>> batchesOf(const DataFiles &files,
                                          const std::vector<std::string> &names,
                                          const DataOptions &options,
                                          int64_t batchSize) {
  auto has = [](const std::vector<std::string> &all, const std::string &name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  std::vector<TensorDesc> tensors;
  for (TensorDesc &desc : files.tensors()) {
    if (!names.empty() && !has(names, desc.name))
      continue;
    if (!desc.shape.empty() && !has(options.shared, desc.name))
      desc.shape[0] = batchSize;
    if (!checkedBytes(desc.shape, desc.dtype))
      return usageError(
          fmt::format("a batch of {} samples of {} is larger than any memory",
                      batchSize, quote(desc.name)));
    tensors.push_back(std::move(desc));
  }
  if (names.empty())
    return tensors;
  std::vector<TensorDesc> ordered;
  for (const std::string &name : names) {
    auto known =
        std::find_if(tensors.begin(), tensors.end(),
                     [&](const TensorDesc &desc) { return desc.name == name; });
    if (known == tensors.end()) // A missing tensor is reported when it is read.
      MPC_RETURN_IF_ERROR(files.read(name).status());
    else
      ordered.push_back(*known);
  }
  return ordered;
}

Result<size_t> checkTensor(const OpenData &data, size_t index) {
  if (index < data.loader.numInputs())
    return index;
  return usageError(fmt::format("tensor {}: a batch has {} tensors", index,
                                data.loader.numInputs()));
}

} // namespace

Result<LoaderState> mpc::rt::loaderState(const MpcDataPosition *given) {
  MpcDataPosition position = {};
  if (given)
    MPC_RETURN_IF_ERROR(
        takeStruct("position", given, &position, sizeof position));
  for (int64_t count : {position.epoch, position.position, position.samples,
                        position.batchSize})
    if (count < 0)
      return usageError(fmt::format(
          "position: {} is not a number of samples or epochs", count));
  MPC_ASSIGN_OR_RETURN(LastBatch lastBatch,
                       lastBatchOf("position.wraps", position.wraps));
  SampleOrder order =
      position.shuffled ? SampleOrder::Shuffle : SampleOrder::Sequential;
  return LoaderState{position.seed,    position.epoch,     position.position,
                     position.samples, position.batchSize, order,
                     lastBatch};
}

MpcDataPosition mpc::rt::dataPosition(const LoaderState &state) {
  MpcDataPosition position = {};
  position.seed = state.seed;
  position.epoch = state.epoch;
  position.position = state.position;
  position.samples = state.samples;
  position.batchSize = state.batchSize;
  position.shuffled = state.order == SampleOrder::Shuffle;
  position.wraps = static_cast<int32_t>(state.lastBatch);
  return position;
}

MpcError *mpcDataOpen(const MpcProgram *program, const char *const *files,
                      size_t numFiles, const MpcDataOptions *options,
                      MpcData **data) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(LoadedProgram * loaded, objectOf(program));
    MPC_RETURN_IF_ERROR(needs("data", data));
    MPC_ASSIGN_OR_RETURN(DataOptions known, takeData(files, numFiles, options));
    const Program &of = *loaded->program;
    known.bounds = of.bounds;
    MPC_ASSIGN_OR_RETURN(DataFiles opened, DataFiles::open(known.files));
    MPC_ASSIGN_OR_RETURN(std::vector<TensorDesc> inputs,
                         inputsFor(of, opened, known));
    return giveData(DataLoader::open(std::move(opened), known, inputs), data);
  });
}

MpcError *mpcDataOpenTensors(const char *const *files, size_t numFiles,
                             const char *const *names, size_t numNames,
                             int64_t batchSize, const MpcDataOptions *options,
                             MpcData **data) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("data", data));
    if (batchSize < 1)
      return usageError(
          fmt::format("batchSize is {}, expected at least 1", batchSize));
    MPC_ASSIGN_OR_RETURN(DataOptions known, takeData(files, numFiles, options));
    MPC_ASSIGN_OR_RETURN(auto wanted, takeNames("names", names, numNames));
    MPC_ASSIGN_OR_RETURN(DataFiles opened, DataFiles::open(known.files));
    MPC_ASSIGN_OR_RETURN(std::vector<TensorDesc> tensors,
                         batchesOf(opened, wanted, known, batchSize));
    if (tensors.empty())
      return invalidInput(opened.label() + ": has no tensor");
    return giveData(DataLoader::open(std::move(opened), known, tensors), data);
  });
}

void mpcDataDestroy(MpcData *data) {
  (void)removeHandle(HandleKind::Data, data);
}

MpcError *mpcDataGetInfo(MpcData *data, MpcDataInfo *info) {
  return onFiles(data, [&](OpenData &open) {
    MpcDataInfo known = {};
    known.numTensors = open.loader.numInputs();
    known.numSamples = open.loader.numSamples();
    known.batchSize = open.loader.batchSize();
    known.batchesPerEpoch = open.loader.batchesPerEpoch();
    known.batchesLeft = open.loader.batchesLeft();
    return fillInfo("info", known, info);
  });
}

MpcError *mpcDataGetTensor(MpcData *data, size_t index, MpcTensorInfo *info) {
  return onFiles(data, [&](OpenData &open) -> Status {
    MPC_ASSIGN_OR_RETURN(size_t tensor, checkTensor(open, index));
    return fillTensor(open.loader.input(tensor), info);
  });
}

MpcError *mpcDataNext(MpcData *data) {
  return onFiles(data, [](OpenData &open) -> Status {
    MPC_RETURN_IF_ERROR(open.loader.next());
    open.describeBatch();
    return {};
  });
}

MpcError *mpcDataGetMemory(MpcData *data, size_t index, DLTensor *memory) {
  return onFiles(data, [&](OpenData &open) -> Status {
    MPC_RETURN_IF_ERROR(needs("memory", memory));
    MPC_ASSIGN_OR_RETURN(size_t tensor, checkTensor(open, index));
    // DLPack has only one kind of pointer. The header says who may write there.
    *memory = toDLPack(open.tensors[tensor],
                       const_cast<void *>(open.loader.batch(tensor)));
    return {};
  });
}

MpcError *mpcDataGetPosition(MpcData *data, MpcDataPosition *position) {
  return onFiles(data, [&](OpenData &open) {
    return fillInfo("position", dataPosition(open.loader.state()), position);
  });
}

MpcError *mpcDataSetPosition(MpcData *data, const MpcDataPosition *position) {
  return onFiles(data, [&](OpenData &open) -> Status {
    MPC_RETURN_IF_ERROR(needs("position", position));
    MPC_ASSIGN_OR_RETURN(LoaderState state, loaderState(position));
    return open.loader.restore(state);
  });
}

MpcError *mpcEvaluationOpen(const MpcProgram *program, const char *const *files,
                            size_t numFiles, const MpcDataOptions *options,
                            MpcEvaluation **evaluation) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(LoadedProgram * loaded, objectOf(program));
    MPC_RETURN_IF_ERROR(needs("evaluation", evaluation));
    MPC_ASSIGN_OR_RETURN(DataOptions known, takeData(files, numFiles, options));
    known.bounds = loaded->program->bounds;
    auto open = std::make_shared<OpenEvaluation>();
    open->program = loaded->program;
    MPC_ASSIGN_OR_RETURN(open->files,
                         FileEvaluation::open(*open->program, known));
    return giveHandle(std::move(open), evaluation);
  });
}

void mpcEvaluationDestroy(MpcEvaluation *evaluation) {
  (void)removeHandle(HandleKind::Evaluation, evaluation);
}

MpcError *mpcEvaluationGetInfo(MpcEvaluation *evaluation,
                               MpcEvaluationInfo *info) {
  return onFiles(evaluation, [&](OpenEvaluation &open) {
    MpcEvaluationInfo known = {};
    known.numSamples = open.files->numSamples();
    known.batchSize = open.files->batchSize();
    known.numLeftOut = open.files->numLeftOut();
    known.numMetrics = open.files->metrics().size();
    return fillInfo("info", known, info);
  });
}

MpcError *mpcEvaluationRun(MpcEvaluation *evaluation, MpcRunner *runner) {
  return onFiles(evaluation, [&](OpenEvaluation &open) -> Status {
    MPC_ASSIGN_OR_RETURN(Session * session, objectOf(runner));
    return session->use([&]() -> Status {
      if (!session->isOf(*open.program))
        return usageError(
            "the evaluation was opened for a program other than the runner's");
      MPC_ASSIGN_OR_RETURN(open.values, session->evaluate(*open.files));
      std::string leftOut = open.files->describeLeftOut();
      if (!leftOut.empty() && !open.isTold)
        session->log().write(MPC_LOG_NOTE, leftOut);
      open.isTold = true;
      return {};
    });
  });
}

MpcError *mpcEvaluationGetMetric(MpcEvaluation *evaluation, size_t index,
                                 const char **name, double *value,
                                 int *isByBatch) {
  return onFiles(evaluation, [&](OpenEvaluation &open) -> Status {
    const std::vector<std::string> &names = open.files->metrics();
    if (index >= names.size())
      return usageError(fmt::format("metric {} of {}", index, names.size()));
    std::vector<std::string> byBatch = open.files->byBatch();
    if (name)
      *name = names[index].c_str();
    if (value)
      *value = open.values.empty() ? std::numeric_limits<double>::quiet_NaN()
                                   : open.values[index];
    if (isByBatch)
      *isByBatch = std::find(byBatch.begin(), byBatch.end(), names[index]) !=
                   byBatch.end();
    return {};
  });
}
