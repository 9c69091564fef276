// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of checkpoints over C.
#include "mpc-c/Checkpoints.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/Data.h"
#include "runtime/CAPI/OnRunner.h"
#include "runtime/CAPI/Session.h"
#include "runtime/CAPI/StateInfo.h"
#include "runtime/Program/StateRecord.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Train/CheckpointParts.h"

using namespace mpc::rt;

namespace {

template <typename Body>
MpcError *onBoth(MpcCheckpoints *checkpoints, MpcRunner *runner, Body body) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(OpenCheckpoints * open, objectOf(checkpoints));
    MPC_ASSIGN_OR_RETURN(Session * session, objectOf(runner));
    return session->use([&] { return body(*open->folder, *session); });
  });
}

MpcError *save(MpcCheckpoints *checkpoints, MpcRunner *runner,
               const MpcDataPosition *position, CheckpointForm form) {
  auto save = [&](CheckpointFolder *folder, Session &session) -> Status {
    MPC_ASSIGN_OR_RETURN(LoaderState data, loaderState(position));
    return session.save(folder, data, form);
  };
  if (!checkpoints)
    return onRunner(runner,
                    [&](Session &session) { return save(nullptr, session); });
  return onBoth(checkpoints, runner,
                [&](CheckpointFolder &folder, Session &session) {
                  return save(&folder, session);
                });
}

} // namespace

MpcError *mpcCheckpointsOpen(const char *path,
                             const MpcCheckpointsOptions *options,
                             MpcCheckpoints **checkpoints) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    MPC_RETURN_IF_ERROR(needs("checkpoints", checkpoints));
    MpcCheckpointsOptions known = {};
    MPC_RETURN_IF_ERROR(takeOptions(options, known));
    Log log{known.log, known.logContext};
    auto open = std::make_shared<OpenCheckpoints>();
    MPC_ASSIGN_OR_RETURN(
        open->folder,
        CheckpointFolder::open(path, [log](const std::string &text) {
          log.write(MPC_LOG_WARNING, text);
        }));
    return giveHandle(std::move(open), checkpoints);
  });
}

void mpcCheckpointsDestroy(MpcCheckpoints *checkpoints) {
  (void)removeHandle(HandleKind::Checkpoints, checkpoints);
}

MpcError *mpcCheckpointsSave(MpcCheckpoints *checkpoints, MpcRunner *runner,
                             const MpcDataPosition *position) {
  return save(checkpoints, runner, position, CheckpointForm::File);
}

MpcError *mpcCheckpointsSaveInParts(MpcCheckpoints *checkpoints,
                                    MpcRunner *runner,
                                    const MpcDataPosition *position) {
  return save(checkpoints, runner, position, CheckpointForm::Parts);
}

MpcError *mpcCheckpointsLoadNewest(MpcCheckpoints *checkpoints,
                                   MpcRunner *runner, MpcDataPosition *position,
                                   int *found) {
  return onBoth(checkpoints, runner,
                [&](CheckpointFolder &folder, Session &session) -> Status {
                  MPC_RETURN_IF_ERROR(needs("found", found));
                  MpcDataPosition none;
                  // First, since a bad struct must change nothing.
                  if (position)
                    MPC_RETURN_IF_ERROR(
                        takeStruct("position", position, &none, sizeof none));
                  MPC_ASSIGN_OR_RETURN(std::optional<LoaderState> data,
                                       session.loadNewest(folder));
                  *found = data.has_value();
                  return data && position
                             ? fillInfo("position", dataPosition(*data),
                                        position)
                             : Status();
                });
}

MpcError *mpcCheckpointJoin(const char *folder, const char *file) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("folder", folder));
    MPC_RETURN_IF_ERROR(needs("file", file));
    return joinParts(folder, file);
  });
}

MpcError *mpcCheckpointReadRecords(const char *path,
                                   MpcStateRecordFunction function,
                                   void *context) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    MPC_RETURN_IF_ERROR(
        needs("function", reinterpret_cast<const void *>(function)));
    MPC_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
    MPC_ASSIGN_OR_RETURN(StateRecord records, readStateRecord(file));
    for (const auto &[name, tensor] : records) {
      MpcStateRecord record = recordInfo(name, tensor);
      function(context, &record);
    }
    return {};
  });
}
