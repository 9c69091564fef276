// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that are not finite, run again.
#include "runtime/Train/NanWatch.h"

#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

/// What a step is computed from, apart from its batch.
bool isRead(const StateTensor &tensor) {
  return tensor.role == StateRole::Parameter ||
         tensor.role == StateRole::Buffer;
}

Status appendTo(const std::string &path, int flags, std::string_view text) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  int error =
      fd < 0 ? errno : writeAll(Io::system(), fd, text.data(), text.size());
  if (fd >= 0)
    ::close(fd);
  if (!error)
    return {};
  return environmentError(
      fmt::format("{}: cannot write: {}", escape(path), errnoMessage(error)));
}

} // namespace

Status NanWatch::open() {
  const std::string &path = options_.report;
  if (path.empty() || path == NanWatchOptions::kTextOnly || path == "-")
    return {};
  return appendTo(path, options_.append ? O_APPEND : O_TRUNC, "");
}

Status NanWatch::write(const std::string &line) const {
  if (options_.report == NanWatchOptions::kTextOnly)
    return {};
  if (options_.report != "-")
    return appendTo(options_.report, O_APPEND, line);
  output_(line);
  return {};
}

Status NanWatch::beforeStep(const Runner &runner) {
  found_.reset();
  before_ = loader_->state();
  if (!options_.keepState || options_.report.empty() || !*probe_ ||
      reportedApplied_)
    return {};
  size_t count = 0;
  for (const StateTensor &tensor : runner.program().state) {
    if (!isRead(tensor))
      continue;
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(tensor.desc.name));
    if (kept_.size() == count)
      kept_.push_back(
          {tensor.desc, std::vector<std::byte>(view.desc.numBytes())});
    if (!kept_[count].bytes.empty())
      std::memcpy(kept_[count].bytes.data(), view.data,
                  kept_[count].bytes.size());
    ++count;
  }
  return {};
}

/// Each batch of the step in turn, until one is not finite. Afterwards the
/// loader stands where it stood.
Result<std::optional<NanFinding>> NanWatch::probe(const ProbeRequest &request) {
  if (options_.accumulate == 1)
    return (*probe_)(request);
  MPC_RETURN_IF_ERROR(loader_->restore(before_));
  std::optional<NanFinding> finding;
  for (int64_t i = 0; i < options_.accumulate; ++i) {
    MPC_RETURN_IF_ERROR(loader_->next());
    if (!finding) {
      MPC_ASSIGN_OR_RETURN(finding, (*probe_)(request));
    }
  }
  return finding;
}

Result<std::optional<NanFinding>> NanWatch::find(const Runner &runner,
                                                 double scale) {
  if (found_)
    return *found_;
  ProbeRequest request;
  request.scale = scale;
  for (const Kept &kept : kept_)
    request.state.push_back({kept.desc, kept.bytes.data()});
  if (kept_.empty())
    for (const StateTensor &tensor : runner.program().state)
      if (isRead(tensor)) {
        MPC_ASSIGN_OR_RETURN(TensorView view,
                             runner.readState(tensor.desc.name));
        request.state.push_back(view);
      }
  request.input = [&](std::string_view name) -> const void * {
    for (size_t i = 0; i < dataInputs_.size(); ++i)
      if (dataInputs_[i].name == name)
        return loader_->batch(i);
    return nullptr;
  };
  MPC_ASSIGN_OR_RETURN(found_, probe(request));
  return *found_;
}

Status NanWatch::report(const Runner &runner, const NanStep &step) {
  if (options_.report.empty() || !*probe_)
    return {};
  // From an applied one on, the parameters themselves are not finite.
  if (reportedApplied_ || reports_ > NanWatchOptions::kMaxReports)
    return {};
  if (++reports_ > NanWatchOptions::kMaxReports) {
    tell_("note", fmt::format("nan-report: {} steps are reported, further "
                              "ones are not",
                              NanWatchOptions::kMaxReports));
    return {};
  }
  reportedApplied_ = !step.skipped;
  MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding,
                       find(runner, step.scale));
  tell_("nan-report",
        fmt::format("step {}, {}, loss {}, loss scale {}: {}", step.step,
                    step.skipped ? "skipped" : "applied",
                    shortestDecimal(step.loss), shortestDecimal(step.scale),
                    describe(finding)));
  return write(toJson(step, finding));
}

Result<std::string> NanWatch::cause(const Runner &runner, double scale) {
  if (!*probe_ || (options_.keepState && kept_.empty()))
    return std::string();
  MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding, find(runner, scale));
  return "; " + describe(finding);
}

} // namespace mpc::rt
