// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs steps again that were not finite.
#include "runtime/Train/NanWatch.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/StepCalls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {

Status NanWatch::open() {
  const std::string &path = options_.report;
  if (path.empty() || path == NanWatchOptions::kTextOnly || path == "-")
    return {};
  MPC_ASSIGN_OR_RETURN(
      file_,
      OutputStream::open(path, options_.append ? OutputStream::Begin::Continue
                                               : OutputStream::Begin::New));
  return {};
}

Status NanWatch::write(const std::string &line) {
  if (file_)
    return file_->append(line);
  if (options_.report == "-")
    output_(line);
  return {};
}

Status NanWatch::beforeStep(const Runner &runner, bool expectsFault) {
  found_.reset();
  before_ = loader_->state();
  bool isAsked = !options_.report.empty() && !reportedApplied_;
  if (options_.keepState && *probe_ && (isAsked || expectsFault))
    return keep(runner);
  kept_.clear();
  return {};
}

Status NanWatch::keep(const Runner &runner) {
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> views, runner.exportState());
  kept_.resize(views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    kept_[i].desc = views[i].desc;
    kept_[i].bytes.resize(views[i].desc.numBytes());
    if (!kept_[i].bytes.empty())
      std::memcpy(kept_[i].bytes.data(), views[i].data, kept_[i].bytes.size());
  }
  return {};
}

/// The entry that runs on the loader's current batch.
std::string_view NanWatch::batchEntry() const {
  return loader_->rows() == loader_->batchSize() ? options_.entries.front()
                                                 : options_.restEntry;
}

/// Runs each batch of the step in turn, and then the entry that ends it, always
/// to the end, so that no gradients are left over for the next request.
/// Afterwards the loader is at its former position.
Result<std::optional<NanFinding>> NanWatch::probe(ProbeRequest request) {
  request.entry = batchEntry();
  auto number = [&](std::optional<NanFinding> &finding, int64_t batch) {
    if (finding && finding->rank)
      finding->batch = *finding->rank * options_.accumulate + batch;
  };
  if (options_.entries.size() == 1 && options_.accumulate == 1) {
    MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding, (*probe_)(request));
    number(finding, 0);
    return finding;
  }
  std::optional<NanFinding> first;
  auto run = [&]() -> Status {
    MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding, (*probe_)(request));
    if (!first)
      first = std::move(finding);
    request.state.clear();
    request.scale.reset();
    return {};
  };
  MPC_RETURN_IF_ERROR(loader_->restore(before_));
  loader_->skip(options_.batchesBefore);
  for (int64_t i = 0; i < options_.accumulate; ++i) {
    MPC_RETURN_IF_ERROR(loader_->next());
    request.entry = batchEntry();
    bool isFirst = !first;
    MPC_RETURN_IF_ERROR(run());
    if (isFirst)
      number(first, i);
  }
  loader_->skip(options_.batchesBehind);
  for (size_t i = 1; i < options_.entries.size(); ++i) {
    request.entry = options_.entries[i];
    MPC_RETURN_IF_ERROR(run());
  }
  return first;
}

Result<std::optional<NanFinding>> NanWatch::find(const Runner &runner,
                                                 const NanStep &step) {
  if (found_)
    return *found_;
  ProbeRequest request;
  for (const Kept &kept : kept_)
    request.state.push_back({kept.desc, kept.bytes.data()});
  if (kept_.empty()) {
    MPC_ASSIGN_OR_RETURN(request.state, runner.exportState());
    request.scale = step.scale;
  }
  request.input = [&](std::string_view name) -> const void * {
    if (step::isRate(name))
      return &step.lr;
    if (name == step::kFirstBatch)
      return &options_.batchesBefore;
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
  // After such a step was applied, the parameters themselves are not finite.
  if (reportedApplied_ || reports_ > NanWatchOptions::kMaxReports)
    return {};
  if (++reports_ > NanWatchOptions::kMaxReports) {
    tell_("note", fmt::format("nan-report: {} steps are reported, further "
                              "ones are not",
                              NanWatchOptions::kMaxReports));
    return {};
  }
  reportedApplied_ = !step.skipped;
  MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding, find(runner, step));
  tell_("nan-report",
        fmt::format("step {}, {}, loss {}, loss scale {}: {}", step.step,
                    step.skipped ? "skipped" : "applied",
                    shortestDecimal(step.loss), shortestDecimal(step.scale),
                    describe(finding)));
  return write(toJson(step, finding));
}

/// A sentence on the cause. If it cannot be found, the error of which it is a
/// part must still be reported.
std::string NanWatch::cause(const Runner &runner, const NanStep &step) {
  if (!*probe_ || (options_.keepState && kept_.empty()))
    return "";
  Result<std::optional<NanFinding>> finding = find(runner, step);
  if (!finding.ok())
    return "; it cannot be run again: " + finding.status().message();
  return "; " + describe(*finding);
}

} // namespace mpc::rt
