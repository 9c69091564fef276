// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batches of an evaluation, from the first sample to the last.
#include "runtime/Train/FileEvaluation.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/BatchShape.h"
#include "runtime/Train/RankAgreement.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace mpc::rt {
namespace {

/// The row count that means a whole batch. A shared target has rows that are
/// not the batch's.
constexpr int64_t kAllRows = std::numeric_limits<int64_t>::max();

std::vector<TensorDesc> dataInputs(const Entry &entry) {
  std::vector<TensorDesc> inputs;
  for (const TensorDesc &input : entry.inputs)
    if (input.name != step::kCountedRows)
      inputs.push_back(input);
  return inputs;
}

/// The training's shared inputs that this entry has too.
std::vector<std::string> sharedInputs(const std::vector<std::string> &shared,
                                      const std::vector<TensorDesc> &inputs) {
  std::vector<std::string> known;
  for (const TensorDesc &input : inputs)
    if (std::find(shared.begin(), shared.end(), input.name) != shared.end())
      known.push_back(input.name);
  return known;
}

} // namespace

Result<std::unique_ptr<FileEvaluation>>
FileEvaluation::open(const Program &program, DataOptions data) {
  if (!program.measureEntry())
    return invalidInput("the program has no evaluation beside its step");
  MPC_ASSIGN_OR_RETURN(DataFiles files, DataFiles::open(data.files));
  std::vector<const Entry *> entries =
      program.findEntries(program.measureRole());
  auto chosen = chooseByData(entries, files, data);
  data.batchSize = 0;
  if (!chosen.ok())
    chosen = chooseByData(entries, files, data);
  MPC_RETURN_IF_ERROR(chosen.status());
  const Entry *entry = *chosen;
  std::vector<TensorDesc> inputs = dataInputs(*entry);
  data.shared = sharedInputs(data.shared, inputs);
  data.order = SampleOrder::Sequential;
  data.lastBatch = LastBatch::Wrap;
  MPC_ASSIGN_OR_RETURN(DataLoader loader, DataLoader::open(data, inputs));
  std::unique_ptr<FileEvaluation> made(new FileEvaluation(std::move(loader)));
  made->shapes_ = entry->dataShapes();
  made->sums_ = MetricSums(*entry, made->loader_.batchSize());
  if (made->metrics().empty())
    return invalidInput("entry " + quote(entry->name) +
                        " yields no number that tells how good the model is");
  // Opens the data again, so that a file without a whole batch is reported.
  if (!made->sums_.countsAllSamples()) {
    data.lastBatch = LastBatch::Drop;
    MPC_ASSIGN_OR_RETURN(made->loader_, DataLoader::open(data, inputs));
  }
  return made;
}

Status FileEvaluation::bind(Runner &runner) {
  runner_ = &runner;
  size_t next = 0;
  auto find = [&](const TensorDesc &input) -> const void * {
    return input.name == step::kCountedRows ? &rows_ : loader_.batch(next++);
  };
  MPC_ASSIGN_OR_RETURN(
      EntryCall call,
      EntryCall::bind(runner, *runner.program().measureEntry(shapes_), find));
  call_ = std::make_unique<EntryCall>(std::move(call));
  return {};
}

int64_t FileEvaluation::numLeftOut() const {
  return byBatch().empty() ? 0 : loader_.numSamples() % loader_.batchSize();
}

std::string FileEvaluation::describeLeftOut() const {
  if (numLeftOut() == 0)
    return "";
  std::vector<std::string> quoted;
  for (const std::string &name : byBatch())
    quoted.push_back(quote(name));
  return fmt::format(
      "the last {} of {} samples do not fill a batch and are left out of {}, "
      "which the program has for whole batches only",
      numLeftOut(), numSamples(), joinSome(quoted));
}

Result<std::vector<MetricSums::Part>> FileEvaluation::measure(int64_t first,
                                                              int64_t last) {
  std::vector<Part> all;
  int64_t batch = loader_.batchSize();
  loader_.skip(first);
  for (int64_t i = first; i < last; ++i) {
    MPC_RETURN_IF_ERROR(loader_.next());
    int64_t rows = std::min(batch, loader_.numSamples() - i * batch);
    rows_ = rows == batch ? kAllRows : rows;
    MPC_RETURN_IF_ERROR(call_->run());
    std::vector<Part> parts = sums_.partsOf(*call_, rows);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  loader_.skip(loader_.batchesPerEpoch() - last);
  return all;
}

Result<std::vector<MetricSums::Part>>
FileEvaluation::measureOnRanks(Ranks &ranks) {
  ranks.enter(RankPlace::Evaluating);
  int64_t batches = loader_.batchesPerEpoch(), size = ranks.size();
  int64_t share = (batches + size - 1) / size;
  int64_t first = std::min(share * ranks.rank(), batches);
  auto own = measure(first, std::min(first + share, batches));
  MPC_RETURN_IF_ERROR(agree(&ranks, own.status()));
  own->resize(static_cast<size_t>(share) * metrics().size());
  MPC_ASSIGN_OR_RETURN(std::vector<Part> all, ranks.gatherValues(*own));
  // Only the last ranks have fewer batches.
  all.resize(static_cast<size_t>(batches) * metrics().size());
  return all;
}

Result<std::vector<double>> FileEvaluation::run() {
  Ranks *ranks = runner_->ranks();
  MPC_ASSIGN_OR_RETURN(std::vector<Part> parts,
                       ranks ? measureOnRanks(*ranks)
                             : measure(0, loader_.batchesPerEpoch()));
  sums_.reset();
  size_t count = metrics().size();
  for (size_t begin = 0; begin < parts.size(); begin += count)
    sums_.add(std::span(parts).subspan(begin, count));
  return sums_.values();
}

} // namespace mpc::rt
