// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runners over C.
#include "mpc-c/Runner.h"

#include "runtime/CAPI/OnRunner.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>

using namespace mpc::rt;

namespace {

/// Runs `body` on the runner and checks a name, too.
template <typename Body>
MpcError *onNamed(MpcRunner *handle, const char *name, Body body) {
  return onRunner(handle, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(needs("name", name));
    return body(session, std::string_view(name));
  });
}

template <typename Managed>
void giveBack(void *tensor) {
  auto *managed = static_cast<Managed *>(tensor);
  if (managed->deleter)
    managed->deleter(managed);
}

Status bindTensor(Session &session, Direction direction, std::string_view name,
                  const DLTensor *tensor, TensorOwner &owner) {
  MPC_ASSIGN_OR_RETURN(CallerTensor given, callerTensor(name, tensor));
  return session.bindings().bind(direction, given, owner);
}

MpcError *bindBorrowed(MpcRunner *runner, Direction direction, const char *name,
                       const DLTensor *tensor) {
  return onNamed(runner, name, [&](Session &session, std::string_view known) {
    TensorOwner none(nullptr, giveBack<DLManagedTensor>);
    return bindTensor(session, direction, known, tensor, none);
  });
}

/// Fails where the tensor may not be used in this way.
Status checkManaged(const DLManagedTensorVersioned &tensor,
                    Direction direction) {
  if (tensor.version.major != DLPACK_MAJOR_VERSION)
    return invalidInput(fmt::format("the tensor is of DLPack {}.{}, expected "
                                    "{}.x",
                                    tensor.version.major, tensor.version.minor,
                                    DLPACK_MAJOR_VERSION));
  if (direction == Direction::Output &&
      (tensor.flags & DLPACK_FLAG_BITMASK_READ_ONLY))
    return invalidInput("the tensor is read-only and cannot be an output");
  return {};
}
Status checkManaged(const DLManagedTensor &, Direction) { return {}; }

template <typename Managed>
MpcError *bindManaged(MpcRunner *runner, Direction direction, const char *name,
                      Managed *tensor) {
  return onNamed(
      runner, name, [&](Session &session, std::string_view known) -> Status {
        MPC_RETURN_IF_ERROR(needs("tensor", tensor));
        MPC_RETURN_IF_ERROR(checkManaged(*tensor, direction));
        TensorOwner owner(tensor, giveBack<Managed>);
        Status status =
            bindTensor(session, direction, known, &tensor->dl_tensor, owner);
        if (!status.ok())
          (void)owner.release(); // The tensor still belongs to the caller.
        return status;
      });
}

MpcError *unbind(MpcRunner *runner, Direction direction, const char *name) {
  return onNamed(runner, name, [&](Session &session, std::string_view known) {
    return session.bindings().unbind(direction, known);
  });
}

MpcError *shareOnDevice(MpcRunner *runner, const char *name, Access access,
                        DLManagedTensorVersioned **tensor) {
  return onNamed(runner, name,
                 [&](Session &session, std::string_view known) -> Status {
                   MPC_RETURN_IF_ERROR(needs("tensor", tensor));
                   MPC_ASSIGN_OR_RETURN(TensorView view,
                                        session.deviceState(known, access));
                   *tensor = shareTensor(view, session.shared_from_this(),
                                         access, {kDLCUDA, kDeviceNumber});
                   return {};
                 });
}

Result<double> scalarOf(const TensorView &view) {
  double value = 0;
  if (view.desc.numElements() != 1)
    return invalidInput(fmt::format("output {} is {}, not a single number",
                                    quote(view.desc.name),
                                    toString(view.desc)));
  (void)convert(view.data, view.desc.dtype, &value, DType::F64, 1);
  return value;
}

/// Checks a result's struct before anything runs.
Status checkResult(MpcStepResult *result) {
  MpcStepResult none;
  return result ? takeStruct("result", result, &none, sizeof none) : Status();
}

Status fillResult(const MpcStepResult &known, MpcStepResult *result) {
  return result ? fillInfo("result", known, result) : Status();
}

} // namespace

MpcError *mpcRunnerCreate(const MpcProgram *program,
                          const MpcRunnerOptions *options, MpcRunner **runner) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(LoadedProgram * loaded, objectOf(program));
    MPC_RETURN_IF_ERROR(needs("runner", runner));
    MpcRunnerOptions known = {};
    MPC_RETURN_IF_ERROR(takeOptions(options, known));
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<Session> session,
                         Session::create(loaded->program, known));
    return giveHandle(std::move(session), runner);
  });
}

MpcError *mpcRunnerCreateShared(const MpcProgram *program, MpcRunner *runner,
                                const MpcRunnerOptions *options,
                                MpcRunner **other) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_ASSIGN_OR_RETURN(LoadedProgram * loaded, objectOf(program));
    MPC_RETURN_IF_ERROR(needs("other", other));
    MpcRunnerOptions known = {};
    MPC_RETURN_IF_ERROR(takeOptions(options, known));
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<Session> made,
                         session.createShared(loaded->program, known));
    return giveHandle(std::move(made), other);
  });
}

void mpcRunnerDestroy(MpcRunner *runner) {
  auto session = std::static_pointer_cast<Session>(
      removeHandle(HandleKind::Runner, runner));
  // Shared tensors may keep the session alive, and so may a call that is still
  // running. They still need its tensors.
  if (session)
    (void)session->use([&]() -> Status {
      session->bindings().clear();
      return {};
    });
}

MpcError *mpcRunnerLoadWeights(MpcRunner *runner, const char *path) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    return session.loadWeights(path);
  });
}

MpcError *mpcRunnerBindInput(MpcRunner *runner, const char *name,
                             const DLTensor *tensor) {
  return bindBorrowed(runner, Direction::Input, name, tensor);
}

MpcError *mpcRunnerBindOutput(MpcRunner *runner, const char *name,
                              const DLTensor *tensor) {
  return bindBorrowed(runner, Direction::Output, name, tensor);
}

MpcError *mpcRunnerBindInputManaged(MpcRunner *runner, const char *name,
                                    DLManagedTensorVersioned *tensor) {
  return bindManaged(runner, Direction::Input, name, tensor);
}

MpcError *mpcRunnerBindOutputManaged(MpcRunner *runner, const char *name,
                                     DLManagedTensorVersioned *tensor) {
  return bindManaged(runner, Direction::Output, name, tensor);
}

MpcError *mpcRunnerBindInputUnversioned(MpcRunner *runner, const char *name,
                                        DLManagedTensor *tensor) {
  return bindManaged(runner, Direction::Input, name, tensor);
}

MpcError *mpcRunnerBindOutputUnversioned(MpcRunner *runner, const char *name,
                                         DLManagedTensor *tensor) {
  return bindManaged(runner, Direction::Output, name, tensor);
}

MpcError *mpcRunnerUnbindInput(MpcRunner *runner, const char *name) {
  return unbind(runner, Direction::Input, name);
}

MpcError *mpcRunnerUnbindOutput(MpcRunner *runner, const char *name) {
  return unbind(runner, Direction::Output, name);
}

MpcError *mpcRunnerStep(MpcRunner *runner, MpcStepResult *result) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(checkResult(result));
    MPC_ASSIGN_OR_RETURN(MpcStepResult known, session.step());
    return fillResult(known, result);
  });
}

MpcError *mpcRunnerAccumulate(MpcRunner *runner, double *loss) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_ASSIGN_OR_RETURN(double known, session.accumulate());
    if (loss)
      *loss = known;
    return {};
  });
}

MpcError *mpcRunnerApply(MpcRunner *runner, MpcStepResult *result) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(checkResult(result));
    MPC_ASSIGN_OR_RETURN(MpcStepResult known, session.apply());
    return fillResult(known, result);
  });
}

MpcError *mpcRunnerEvaluate(MpcRunner *runner) {
  return onRunner(runner, [](Session &session) { return session.evaluate(); });
}

MpcError *mpcRunnerMeasure(MpcRunner *runner, int64_t numRows) {
  return onRunner(runner,
                  [&](Session &session) { return session.measure(numRows); });
}

MpcError *mpcRunnerGetNumMetrics(MpcRunner *runner, size_t *count) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(needs("count", count));
    MPC_ASSIGN_OR_RETURN(MetricSums * metrics, session.metrics());
    *count = metrics->names().size();
    return {};
  });
}

MpcError *mpcRunnerGetMetric(MpcRunner *runner, size_t index, const char **name,
                             double *value) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_ASSIGN_OR_RETURN(MetricSums * metrics, session.metrics());
    size_t count = metrics->names().size();
    if (index >= count)
      return usageError(fmt::format("metric {} of {}", index, count));
    if (name)
      *name = metrics->names()[index].c_str();
    if (value)
      *value = metrics->values()[index];
    return {};
  });
}

MpcError *mpcRunnerResetMetrics(MpcRunner *runner) {
  return onRunner(runner, [](Session &session) -> Status {
    MPC_ASSIGN_OR_RETURN(MetricSums * metrics, session.metrics());
    metrics->reset();
    return {};
  });
}

MpcError *mpcRunnerReadScalar(MpcRunner *runner, const char *name,
                              double *value) {
  return onNamed(runner, name,
                 [&](Session &session, std::string_view known) -> Status {
                   MPC_RETURN_IF_ERROR(needs("value", value));
                   MPC_ASSIGN_OR_RETURN(TensorView view, session.output(known));
                   MPC_ASSIGN_OR_RETURN(*value, scalarOf(view));
                   return {};
                 });
}

MpcError *mpcRunnerReadOutput(MpcRunner *runner, const char *name,
                              const DLTensor *target) {
  return onNamed(runner, name,
                 [&](Session &session, std::string_view known) -> Status {
                   MPC_ASSIGN_OR_RETURN(TensorView view, session.output(known));
                   return copyTensor(view, target);
                 });
}

MpcError *mpcRunnerSetOptimizer(MpcRunner *runner,
                                const MpcOptimizer *optimizer) {
  return onRunner(runner, [&](Session &session) -> Status {
    MpcOptimizer known = {};
    if (optimizer)
      MPC_RETURN_IF_ERROR(
          takeStruct("optimizer", optimizer, &known, sizeof known));
    if (optimizer)
      MPC_RETURN_IF_ERROR(needs("optimizer.update",
                                reinterpret_cast<const void *>(known.update)));
    return session.optimizer().set(known);
  });
}

MpcError *mpcRunnerGetProgress(MpcRunner *runner, MpcProgress *progress) {
  return onRunner(runner, [&](Session &session) {
    return fillInfo("progress", session.progress(), progress);
  });
}

MpcError *mpcRunnerReadState(MpcRunner *runner, const char *name,
                             const DLTensor *target) {
  return onNamed(runner, name,
                 [&](Session &session, std::string_view known) -> Status {
                   return session.readState(known, [&](const TensorView &view) {
                     return copyTensor(view, target);
                   });
                 });
}

MpcError *mpcRunnerWriteState(MpcRunner *runner, const char *name,
                              const DLTensor *source) {
  return onNamed(
      runner, name, [&](Session &session, std::string_view known) -> Status {
        MPC_ASSIGN_OR_RETURN(CallerTensor host, hostTensor(known, source));
        return session.writeState(host.view());
      });
}

MpcError *mpcRunnerShareState(MpcRunner *runner, const char *name,
                              DLManagedTensorVersioned **tensor) {
  return onNamed(
      runner, name, [&](Session &session, std::string_view known) -> Status {
        MPC_RETURN_IF_ERROR(needs("tensor", tensor));
        MPC_ASSIGN_OR_RETURN(TensorView view, session.shareState(known));
        *tensor = shareTensor(view, session.shared_from_this(), Access::Read);
        return {};
      });
}

MpcError *mpcRunnerEditState(MpcRunner *runner, const char *name,
                             DLManagedTensorVersioned **tensor) {
  return onNamed(
      runner, name, [&](Session &session, std::string_view known) -> Status {
        MPC_RETURN_IF_ERROR(needs("tensor", tensor));
        MPC_ASSIGN_OR_RETURN(TensorView view, session.editState(known));
        *tensor = shareTensor(view, session.shared_from_this(), Access::Write);
        return {};
      });
}

MpcError *mpcRunnerShareDeviceState(MpcRunner *runner, const char *name,
                                    DLManagedTensorVersioned **tensor) {
  return shareOnDevice(runner, name, Access::Read, tensor);
}

MpcError *mpcRunnerEditDeviceState(MpcRunner *runner, const char *name,
                                   DLManagedTensorVersioned **tensor) {
  return shareOnDevice(runner, name, Access::Write, tensor);
}

MpcError *mpcRunnerSetStream(MpcRunner *runner, void *stream) {
  return onRunner(runner,
                  [&](Session &session) { return session.setStream(stream); });
}

MpcError *mpcRunnerReadNumber(MpcRunner *runner, const char *name,
                              double *value) {
  return onNamed(runner, name,
                 [&](Session &session, std::string_view known) -> Status {
                   MPC_RETURN_IF_ERROR(needs("value", value));
                   MPC_ASSIGN_OR_RETURN(*value, session.readNumber(known));
                   return {};
                 });
}

MpcError *mpcRunnerWriteNumber(MpcRunner *runner, const char *name,
                               double value) {
  return onNamed(runner, name, [&](Session &session, std::string_view known) {
    return session.writeNumber(known, value);
  });
}

MpcError *mpcRunnerUpdateScale(MpcRunner *runner, const char *scaler,
                               double newScale) {
  return onRunner(runner, [&](Session &session) {
    return session.updateScale(newScale, scaler ? scaler : "");
  });
}
