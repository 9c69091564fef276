// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs over C: loading, and queries.
#include "mpc-c/Program.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/Session.h"
#include "runtime/CAPI/StateInfo.h"
#include "runtime/CAPI/TensorInfo.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Runner/ProgramChoice.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <set>

using namespace mpc::rt;

namespace {

/// The program for a CPU, or for a GPU if that is asked for or there is no
/// other.
Result<std::shared_ptr<const Program>> choose(const ProgramVariants &variants,
                                              std::string_view wanted) {
  bool hasHostCode =
      std::any_of(variants.begin(), variants.end(),
                  [](const auto &program) { return program->cpu(); });
  if (wanted == "cuda" || (wanted.empty() && !hasHostCode))
    return chooseForDevice(variants);
  return chooseProgram(variants, std::string(wanted));
}

Status load(const ProgramVariants &variants, const MpcProgramOptions *given,
            MpcProgram **out) {
  MpcProgramOptions options = {};
  MPC_RETURN_IF_ERROR(takeOptions(given, options));
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<const Program> program,
                       choose(variants, options.cpu ? options.cpu : ""));
  return giveHandle(std::make_shared<LoadedProgram>(std::move(program)), out);
}

/// The programs of a file whose bytes are copied.
Result<ProgramVariants> parseCopy(const void *bytes, size_t size) {
  MPC_ASSIGN_OR_RETURN(HostBuffer buffer,
                       HostBuffer::allocate(size, "a program"));
  auto copy = std::make_shared<HostBuffer>(std::move(buffer));
  std::memcpy(copy->data(), bytes, size);
  return parseProgramFile({copy, {copy->data(), size}});
}

/// A program that shares no memory with this one, without initial values of
/// these names.
Result<ProgramVariants> withoutValues(const Program &program,
                                      std::set<std::string_view> names) {
  auto rest = std::make_shared<Program>(program);
  for (InitialValue &initial : rest->initialValues)
    if (initial.kind == InitialKind::Values &&
        names.erase(initial.desc.name) != 0) {
      initial.kind = InitialKind::External;
      initial.values = {};
    }
  if (!names.empty())
    return usageError("the program has no initial value of " +
                      quote(*names.begin()));
  std::shared_ptr<const Program> only = std::move(rest);
  MPC_ASSIGN_OR_RETURN(std::string file, encodeProgramFile({&only, 1}));
  return parseCopy(file.data(), file.size());
}

/// Runs `body` on the program of a handle.
template <typename Body>
MpcError *query(const MpcProgram *handle, Body body) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(LoadedProgram * loaded, objectOf(handle));
    return body(*loaded->program);
  });
}

template <typename T>
Result<const T *> element(const char *what, const std::vector<T> &all,
                          size_t index) {
  if (index < all.size())
    return &all[index];
  return usageError(
      fmt::format("{} {}: the program has {}", what, index, all.size()));
}

/// The inputs that a caller sees. Of two rates there is only one, which sets
/// both; a rank's first batch follows from the ranks.
std::vector<const TensorDesc *> inputsOf(const Entry &entry) {
  std::vector<const TensorDesc *> inputs;
  for (const TensorDesc &input : entry.inputs)
    if (input.name != step::kRateAfterSkip && input.name != step::kFirstBatch)
      inputs.push_back(&input);
  return inputs;
}

static_assert(int(MPC_ENTRY_OTHER) == int(EntryRole::Other) &&
              int(MPC_ENTRY_INIT) == int(EntryRole::Init) &&
              int(MPC_ENTRY_EVAL) == int(EntryRole::Eval) &&
              int(MPC_ENTRY_STEP) == int(EntryRole::Step) &&
              int(MPC_ENTRY_ACCUMULATE) == int(EntryRole::Accumulate) &&
              int(MPC_ENTRY_APPLY) == int(EntryRole::Apply) &&
              int(MPC_ENTRY_MEASURE) == int(EntryRole::Measure));

} // namespace

const char *mpcRuntimeVersion(void) { return MPC_VERSION; }

MpcError *mpcProgramLoad(const char *path, const MpcProgramOptions *options,
                         MpcProgram **program) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    MPC_RETURN_IF_ERROR(needs("program", program));
    // "-" is a file here, since standard input belongs to the host program.
    std::string file = std::strcmp(path, "-") == 0 ? "./-" : path;
    MPC_ASSIGN_OR_RETURN(ProgramVariants variants, readProgramFile(file));
    return load(variants, options, program).withContext(escape(file));
  });
}

MpcError *mpcProgramLoadBytes(const void *bytes, size_t size,
                              const MpcProgramOptions *options,
                              MpcProgram **program) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("bytes", bytes));
    MPC_RETURN_IF_ERROR(needs("program", program));
    MPC_ASSIGN_OR_RETURN(ProgramVariants variants, parseCopy(bytes, size));
    return load(variants, options, program);
  });
}

void mpcProgramDestroy(MpcProgram *program) {
  (void)removeHandle(HandleKind::Program, program);
}

MpcError *mpcProgramGetInfo(const MpcProgram *program, MpcProgramInfo *info) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(LoadedProgram * handle, objectOf(program));
    const Program &loaded = *handle->program;
    MpcProgramInfo known = {};
    known.cpu = handle->target.c_str();
    known.recipe = loaded.recipe.c_str();
    known.numEntries = loaded.entries.size();
    known.numStateTensors = loaded.state.size();
    known.numBounds = loaded.bounds.size();
    known.numWarnings = loaded.warnings.size();
    int64_t batches = loaded.protocol.accumulate;
    known.batchesPerStep = loaded.stepEntries(batches).empty() ? 0 : batches;
    known.numTied = loaded.tied.size();
    known.needsOptimizer = !loaded.protocol.callerUpdates.empty();
    return fillInfo("info", known, info);
  });
}

MpcError *mpcProgramGetWarning(const MpcProgram *program, size_t index,
                               const char **text) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_RETURN_IF_ERROR(needs("text", text));
    MPC_ASSIGN_OR_RETURN(const std::string *warning,
                         element("warning", loaded.warnings, index));
    *text = warning->c_str();
    return {};
  });
}

MpcError *mpcProgramGetTied(const MpcProgram *program, size_t index,
                            const char **name, const char **parameter) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needs("parameter", parameter));
    if (index >= loaded.tied.size())
      return usageError(fmt::format("tied name {}: the program has {}", index,
                                    loaded.tied.size()));
    auto found = std::next(loaded.tied.begin(), std::ptrdiff_t(index));
    *name = found->first.c_str();
    *parameter = found->second.c_str();
    return {};
  });
}

MpcError *mpcProgramWithoutValues(const MpcProgram *program, size_t numNames,
                                  const char *const *names,
                                  MpcProgram **other) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_RETURN_IF_ERROR(needs("other", other));
    std::set<std::string_view> without;
    for (size_t i = 0; i < numNames; ++i) {
      MPC_RETURN_IF_ERROR(needs("names", names));
      MPC_RETURN_IF_ERROR(needs("names", names[i]));
      without.insert(names[i]);
    }
    MPC_ASSIGN_OR_RETURN(ProgramVariants variants,
                         withoutValues(loaded, std::move(without)));
    MpcProgramOptions options{sizeof(MpcProgramOptions), "cuda"};
    if (const CpuTarget *target = loaded.cpu())
      options.cpu = target->cpu.c_str();
    return load(variants, &options, other);
  });
}

MpcError *mpcProgramGetEntry(const MpcProgram *program, size_t entry,
                             MpcEntryInfo *info) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_ASSIGN_OR_RETURN(const Entry *found,
                         element("entry", loaded.entries, entry));
    MpcEntryInfo known = {};
    known.name = found->name.c_str();
    known.role = static_cast<MpcEntryRole>(found->role);
    known.numInputs = inputsOf(*found).size();
    known.numOutputs = found->outputs.size();
    return fillInfo("info", known, info);
  });
}

MpcError *mpcProgramFindEntry(const MpcProgram *program, const char *name,
                              size_t *entry) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needs("entry", entry));
    const Entry *found = loaded.findEntry(std::string_view(name));
    if (!found)
      return invalidInput("the program has no entry " + quote(name));
    *entry = static_cast<size_t>(found - loaded.entries.data());
    return {};
  });
}

MpcError *mpcProgramGetInput(const MpcProgram *program, size_t entry,
                             size_t index, MpcTensorInfo *info) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_ASSIGN_OR_RETURN(const Entry *found,
                         element("entry", loaded.entries, entry));
    std::vector<const TensorDesc *> inputs = inputsOf(*found);
    MPC_ASSIGN_OR_RETURN(const TensorDesc *const *desc,
                         element("input", inputs, index));
    return fillTensor(**desc, info);
  });
}

MpcError *mpcProgramGetOutput(const MpcProgram *program, size_t entry,
                              size_t index, MpcTensorInfo *info) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_ASSIGN_OR_RETURN(const Entry *found,
                         element("entry", loaded.entries, entry));
    MPC_ASSIGN_OR_RETURN(const TensorDesc *desc,
                         element("output", found->outputs, index));
    return fillTensor(*desc, info);
  });
}

MpcError *mpcProgramGetBound(const MpcProgram *program, size_t index,
                             MpcBoundInfo *info) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_ASSIGN_OR_RETURN(const InputBound *bound,
                         element("bound", loaded.bounds, index));
    MpcBoundInfo known = {};
    known.input = bound->name.c_str();
    known.lower = bound->lower;
    known.upper = bound->upper;
    known.hasExcept = bound->except.has_value();
    known.except = bound->except.value_or(0);
    known.rank = bound->skipFirst.size();
    if (known.rank != 0) {
      known.skipFirst = bound->skipFirst.data();
      known.skipLast = bound->skipLast.data();
    }
    return fillInfo("info", known, info);
  });
}

const char *mpcLossScaleSettingName(size_t index) {
  return index < kNumSettings ? settingKey(static_cast<Setting>(index)).data()
                              : nullptr;
}

MpcError *mpcProgramGetState(const MpcProgram *program, size_t index,
                             MpcTensorInfo *info) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_ASSIGN_OR_RETURN(const StateTensor *tensor,
                         element("state tensor", loaded.state, index));
    return fillTensor(tensor->desc, info);
  });
}

MpcError *mpcProgramGetStateRole(const MpcProgram *program, size_t index,
                                 MpcStateRole *role, int *isSavedOut) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_RETURN_IF_ERROR(needs("role", role));
    MPC_RETURN_IF_ERROR(needs("isSaved", isSavedOut));
    MPC_ASSIGN_OR_RETURN(const StateTensor *tensor,
                         element("state tensor", loaded.state, index));
    *role = static_cast<MpcStateRole>(tensor->role);
    *isSavedOut = isSaved(tensor->role);
    return {};
  });
}

MpcError *mpcProgramGetStateRecord(const MpcProgram *program, size_t index,
                                   MpcStateRecord *record) {
  return query(program, [&](const Program &loaded) -> Status {
    MPC_ASSIGN_OR_RETURN(const StateTensor *tensor,
                         element("state tensor", loaded.state, index));
    return fillInfo("record", recordInfo(tensor->desc.name, *tensor), record);
  });
}
