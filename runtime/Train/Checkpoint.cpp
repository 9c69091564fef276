// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saving, choosing and loading of checkpoints.
#include "runtime/Train/Checkpoint.h"

#include "runtime/LossScale/ScalarState.h"
#include "runtime/Program/StateRecord.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/CheckpointParts.h"
#include "runtime/Train/SavedState.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace mpc::rt {
namespace {

constexpr std::string_view kFormat = "mpc-checkpoint";
constexpr std::string_view kBestMetric = "best.metric";
constexpr int64_t kFormatVersion = 1;
constexpr size_t kKept = 2;
/// The largest counter. Counters are f64 in the state, which has exact integers
/// up to here.
constexpr int64_t kMaxCounter = int64_t(1) << 53;

/// Reads a list of names. It is missing where no node was kept in fp32.
Status readKeptFp32(const Metadata &metadata, std::vector<std::string> &names) {
  auto it = metadata.find("kept_fp32");
  if (it == metadata.end())
    return {};
  auto json = nlohmann::json::parse(it->second, nullptr, false);
  bool isList = json.is_array();
  for (const auto &name : isList ? json : nlohmann::json::array()) {
    isList = isList && name.is_string();
    if (isList)
      names.push_back(name.get<std::string>());
  }
  if (!isList)
    return invalidInput("field 'kept_fp32' is not a list of names");
  return {};
}

Result<std::string> fieldOf(const Metadata &metadata, std::string_view key) {
  auto it = metadata.find(key);
  if (it == metadata.end())
    return invalidInput(fmt::format("field {} is missing", quote(key)));
  return it->second;
}

template <typename T>
Status readNumber(const Metadata &metadata, std::string_view key, T limit,
                  T &out) {
  MPC_ASSIGN_OR_RETURN(std::string text, fieldOf(metadata, key));
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < T(0) ||
      out > limit)
    return invalidInput(fmt::format("field {} is {}, expected 0 to {}",
                                    quote(key), quote(text), limit));
  return {};
}

/// Reads one of `words` by its name.
template <typename Word>
Status readWord(const Metadata &metadata, std::string_view key,
                std::initializer_list<Word> words, Word &out) {
  MPC_ASSIGN_OR_RETURN(std::string text, fieldOf(metadata, key));
  for (Word word : words)
    if (name(word) == text) {
      out = word;
      return {};
    }
  return invalidInput(fmt::format("field {} is {}", quote(key), quote(text)));
}

/// Reads the best evaluation. It is missing where none was looked for.
Status readBest(const Metadata &metadata, std::optional<BestEvaluation> &out) {
  auto metric = metadata.find(kBestMetric);
  if (metric == metadata.end())
    return {};
  BestEvaluation best;
  best.metric = metric->second;
  MPC_ASSIGN_OR_RETURN(std::string goal, fieldOf(metadata, "best.goal"));
  MPC_ASSIGN_OR_RETURN(std::string value, fieldOf(metadata, "best.value"));
  if (goal != "min" && goal != "max")
    return invalidInput(fmt::format("field 'best.goal' is {}", quote(goal)));
  best.larger = goal == "max";
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), best.value);
  if (error != std::errc() || end != value.data() + value.size())
    return invalidInput(fmt::format("field 'best.value' is {}", quote(value)));
  MPC_RETURN_IF_ERROR(
      readNumber(metadata, "best.step", kMaxCounter, best.step));
  MPC_RETURN_IF_ERROR(
      readNumber(metadata, "best.without_gain", kMaxCounter, best.withoutGain));
  out = std::move(best);
  return {};
}

Status checkVersion(const Metadata &metadata) {
  MPC_ASSIGN_OR_RETURN(std::string format, fieldOf(metadata, "format"));
  if (format != kFormat)
    return invalidInput("is not a checkpoint of mpc");
  int64_t version = 0;
  MPC_RETURN_IF_ERROR(
      readNumber(metadata, "format_version", kMaxCounter, version));
  if (version > kFormatVersion)
    return invalidInput(fmt::format("was written by a newer mpc (format {}, "
                                    "this one reads up to {})",
                                    version, kFormatVersion));
  return {};
}

/// The range of an optimizer's counters. An f64 has exact integers up to here.
constexpr SlotInfo kCount = {StateSlot::Counter, "", SlotKind::Count, 0,
                             double(kMaxCounter)};

Status checkNumber(const StateTensor &tensor, std::string_view field,
                   const SlotInfo &range, double value) {
  if (range.holds(value))
    return {};
  return invalidInput(
      fmt::format("field {} of {} is {}, expected {} to {}", quote(field),
                  quote(tensor.desc.name), shortestDecimal(value),
                  shortestDecimal(range.low), shortestDecimal(range.high)));
}

Status checkStateTensor(const StateTensor &tensor,
                        std::span<const double> values) {
  if (tensor.role == StateRole::LossScale)
    for (size_t i = 0; i < std::min(values.size(), kNumStateSlots); ++i) {
      const SlotInfo &slot = slotInfo(static_cast<StateSlot>(i));
      MPC_RETURN_IF_ERROR(checkNumber(tensor, slot.key, slot, values[i]));
    }
  if (tensor.role == StateRole::Optimizer)
    for (size_t i = 0; i < values.size(); ++i)
      MPC_RETURN_IF_ERROR(
          checkNumber(tensor, std::to_string(i), kCount, values[i]));
  return {};
}

constexpr std::string_view kPrefix = "ckpt-", kSuffix = ".safetensors";

/// The step in the name of a checkpoint, which is a file or a folder of parts;
/// empty for another name.
std::optional<int64_t> stepOfName(std::string_view name) {
  if (!name.starts_with(kPrefix))
    return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.ends_with(kSuffix))
    name.remove_suffix(kSuffix.size());
  int64_t step = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0)
    return std::nullopt;
  return step;
}

std::string partsIn(const std::string &folder, int64_t step) {
  return fmt::format("{}/{}{:08}", folder, kPrefix, step);
}

/// The file of a checkpoint, or its folder where it is in parts.
std::string fileIn(const std::string &folder, int64_t step) {
  std::string parts = partsIn(folder, step);
  return isInParts(parts) ? parts : parts + std::string(kSuffix);
}

/// The steps of a folder's checkpoints, newest first.
std::vector<int64_t> stepsIn(const std::string &folder) {
  std::vector<int64_t> result;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error))
    if (auto step = stepOfName(it->path().filename().native());
        step &&
        (it->path().extension() == kSuffix || isInParts(it->path().native())))
      result.push_back(*step);
  std::sort(result.rbegin(), result.rend());
  // After an error there may be both kinds of one step.
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Opens a file of which no byte has changed; the error says why not.
Result<SafetensorsFile> openWhole(const std::string &path) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  MPC_RETURN_IF_ERROR(file.verifyContentHash());
  return file;
}

} // namespace

Metadata toFields(const TrainPosition &position) {
  const LoaderState &loader = position.loader;
  Metadata metadata = {
      {"format", std::string(kFormat)},
      {"format_version", std::to_string(kFormatVersion)},
      {"step", std::to_string(position.step)},
      {"applied", std::to_string(position.applied)},
      {"skipped_in_row", std::to_string(position.skippedInRow)},
      {"data.seed", std::to_string(loader.seed)},
      {"data.epoch", std::to_string(loader.epoch)},
      {"data.position", std::to_string(loader.position)},
      {"data.samples", std::to_string(loader.samples)},
      {"data.batch_size", std::to_string(loader.batchSize)},
      {"data.order", std::string(name(loader.order))},
      {"data.last_batch", std::string(name(loader.lastBatch))}};
  if (!position.keptFp32.empty())
    metadata["kept_fp32"] = nlohmann::json(position.keptFp32).dump();
  if (position.best) {
    const BestEvaluation &best = *position.best;
    metadata[std::string(kBestMetric)] = best.metric;
    metadata["best.goal"] = best.larger ? "max" : "min";
    metadata["best.value"] = shortestDecimal(best.value);
    metadata["best.step"] = std::to_string(best.step);
    metadata["best.without_gain"] = std::to_string(best.withoutGain);
  }
  return metadata;
}

Result<TrainPosition> parsePosition(const Metadata &metadata) {
  TrainPosition position;
  LoaderState &loader = position.loader;
  struct {
    const char *key;
    int64_t *value;
  } fields[] = {{"step", &position.step},
                {"applied", &position.applied},
                {"skipped_in_row", &position.skippedInRow},
                {"data.epoch", &loader.epoch},
                {"data.position", &loader.position},
                {"data.samples", &loader.samples},
                {"data.batch_size", &loader.batchSize}};
  for (auto &field : fields)
    MPC_RETURN_IF_ERROR(
        readNumber(metadata, field.key, kMaxCounter, *field.value));
  MPC_RETURN_IF_ERROR(readNumber(metadata, "data.seed",
                                 std::numeric_limits<uint64_t>::max(),
                                 loader.seed));
  MPC_RETURN_IF_ERROR(readKeptFp32(metadata, position.keptFp32));
  MPC_RETURN_IF_ERROR(readBest(metadata, position.best));
  MPC_RETURN_IF_ERROR(readWord(metadata, "data.order",
                               {SampleOrder::Shuffle, SampleOrder::Sequential},
                               loader.order));
  // An older version of mpc dropped the last batch without recording that.
  if (metadata.contains("data.last_batch"))
    MPC_RETURN_IF_ERROR(
        readWord(metadata, "data.last_batch",
                 {LastBatch::Drop, LastBatch::Wrap, LastBatch::Smaller},
                 loader.lastBatch));
  return position;
}

Status checkStateFields(const Program &program,
                        std::span<const TensorView> tensors) {
  for (const TensorView &view : tensors) {
    const StateTensor *tensor = program.findState(view.desc.name);
    if (!tensor || view.desc.dtype != DType::F64)
      continue; // importState compares names and types.
    std::vector<double> values(static_cast<size_t>(view.desc.numElements()));
    if (!values.empty())
      std::memcpy(values.data(), view.data, values.size() * sizeof(double));
    MPC_RETURN_IF_ERROR(checkStateTensor(*tensor, values));
  }
  return {};
}

Result<CheckpointFolder> CheckpointFolder::open(std::string path, Warning warn,
                                                const Io &io) {
  if (path.empty())
    path = ".";
  struct stat info;
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    return environmentError(fmt::format("{}: cannot create the folder: {}",
                                        escape(path), errnoMessage(errno)));
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return environmentError(escape(path) + ": is not a folder");
  MPC_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::take(path));
  removeOrphanTempFiles(path, io);
  CheckpointFolder folder(std::move(path), std::move(warn), std::move(lock),
                          io);
  folder.recover();
  return folder;
}

/// Removes folders that writers have left, who had the lock. One that was about
/// to be replaced has its name again.
void CheckpointFolder::recover() const {
  std::vector<std::string> left;
  std::error_code error;
  std::filesystem::directory_iterator it(path_, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::string kind = it->path().extension().native();
    if (stepOfName(it->path().stem().native()) &&
        (kind == ".tmp" || kind == ".former"))
      left.push_back(it->path().native());
  }
  for (const std::string &folder : left) {
    std::string name = std::filesystem::path(folder).replace_extension();
    if (folder == formerOf(name) && isInParts(folder) && !isInParts(name))
      io_->rename(folder.c_str(), name.c_str());
    else
      removeParts(folder, *io_);
  }
}

std::string CheckpointFolder::fileOf(int64_t step) const {
  return fileIn(path_, step);
}

std::string CheckpointFolder::folderOf(int64_t step) const {
  return partsIn(path_, step);
}

std::vector<int64_t> CheckpointFolder::steps() const { return stepsIn(path_); }

std::string CheckpointFolder::bestFile() const {
  return path_ + "/best.safetensors";
}

Status CheckpointFolder::saveBest(const Runner &runner,
                                  const TrainPosition &position) {
  return write(bestFile(), runner, position);
}

Metadata CheckpointFolder::metadataOf(const Runner &runner,
                                      const TrainPosition &position) const {
  Metadata metadata = toFields(position);
  metadata.merge(toFields(rule_));
  metadata.merge(toFields(recordOf(runner.program())));
  return metadata;
}

Status CheckpointFolder::write(const std::string &file, const Runner &runner,
                               const TrainPosition &position) const {
  SafetensorsWriteOptions options{metadataOf(runner, position), true};
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> state, runner.exportState());
  return writeSafetensors(file, state, options, *io_);
}

Status CheckpointFolder::save(const Runner &runner,
                              const TrainPosition &position) {
  std::string folder = folderOf(position.step);
  MPC_RETURN_IF_ERROR(write(folder + std::string(kSuffix), runner, position));
  if (isInParts(folder))
    removeParts(folder, *io_);
  addGood(position.step);
  return {};
}

Status CheckpointFolder::saveInParts(Ranks *ranks, const Runner &runner,
                                     const TrainPosition &position) {
  std::string folder = folderOf(position.step);
  MPC_RETURN_IF_ERROR(
      saveParts(ranks, runner, folder, metadataOf(runner, position), *io_));
  io_->unlink((folder + std::string(kSuffix)).c_str());
  addGood(position.step);
  return {};
}

void CheckpointFolder::addGood(int64_t step) {
  std::erase(good_, step);
  good_.push_back(step);
  removeOld();
}

/// Removes all but the newest good checkpoints. Damaged ones are removed too,
/// and so are those of a later step than the one from which this run went on:
/// the next resume would find them first.
void CheckpointFolder::removeOld() {
  if (good_.size() > kKept)
    good_.erase(good_.begin(), good_.end() - kKept);
  for (int64_t step : steps())
    if (std::find(good_.begin(), good_.end(), step) == good_.end()) {
      io_->unlink((folderOf(step) + std::string(kSuffix)).c_str());
      removeParts(folderOf(step), *io_);
    }
}

Result<TrainPosition>
CheckpointFolder::loadState(const Metadata &metadata,
                            std::span<const TensorView> tensors, int64_t step,
                            Runner &runner) {
  MPC_RETURN_IF_ERROR(checkVersion(metadata));
  MPC_ASSIGN_OR_RETURN(TrainPosition position, parsePosition(metadata));
  if (position.step != step)
    return invalidInput(fmt::format("holds step {}", position.step));
  MPC_RETURN_IF_ERROR(checkStateFields(runner.program(), tensors));
  MPC_ASSIGN_OR_RETURN(TrainingRule saved, parseTrainingRule(metadata));
  MPC_ASSIGN_OR_RETURN(StateRecord record, parseStateRecord(metadata, tensors));
  MPC_ASSIGN_OR_RETURN(SavedState state,
                       fitState(runner, tensors, record, saved, rule_));
  Status status = runner.importState(state.tensors);
  std::string change = describeChange(saved, rule_);
  if (!status.ok())
    return Status(status.code(),
                  status.message() +
                      (change.empty() ? "" : "; this run has " + change) +
                      "; --init=FILE without --resume begins anew with the "
                      "weights of a checkpoint");
  std::string where = escape(fileOf(step)) + ": ";
  if (!saved.isKnown() && rule_.isKnown())
    warn_(where + "does not say by which rule it was trained; this run's rule "
                  "is assumed");
  if (!change.empty())
    warn_(where + "the run goes on with " + change);
  for (const std::string &text : state.changes)
    warn_(where + text);
  return position;
}

/// Loads the checkpoint of a step. `damage` says why it is not whole.
Result<TrainPosition> CheckpointFolder::loadStep(int64_t step, Runner &runner,
                                                 std::string &damage) {
  std::string path = fileOf(step);
  if (path != folderOf(step)) {
    Result<SafetensorsFile> file = openWhole(path);
    if (file.ok())
      return loadState(file->metadata(), file->tensors(), step, runner);
    damage = file.status().message();
    return file.status();
  }
  auto parts = CheckpointParts::open(path, CheckpointParts::Check::Bytes);
  if (!parts.ok()) {
    damage = parts.status().message();
    return parts.status();
  }
  MPC_ASSIGN_OR_RETURN(JoinedTensors joined, join(*parts, &runner));
  loadedParts_ = path;
  return loadState(parts->metadata(), joined.views, step, runner);
}

Result<std::optional<TrainPosition>>
CheckpointFolder::loadNewest(Runner &runner) {
  std::vector<int64_t> candidates = steps();
  for (int64_t step : candidates) {
    std::string damage;
    Result<TrainPosition> position = loadStep(step, runner, damage);
    if (!damage.empty()) {
      warn_(fmt::format("passed over a checkpoint: {}", damage));
      continue;
    }
    if (!position.ok())
      return position.status().withContext(escape(fileOf(step)));
    good_ = {step};
    return std::optional(*position);
  }
  if (!candidates.empty())
    return invalidInput(fmt::format("{}: none of its {} checkpoints is whole",
                                    escape(path_), candidates.size()));
  return std::optional<TrainPosition>();
}

std::optional<SavedWindow> findSavedWindow(std::string folder) {
  if (folder.empty())
    folder = ".";
  for (int64_t step : stepsIn(folder)) {
    std::string path = fileIn(folder, step);
    if (isInParts(path))
      path += fmt::format("/{}", kManifestFile);
    auto file = SafetensorsFile::open(path);
    if (!file.ok())
      continue;
    auto rule = parseTrainingRule(file->metadata());
    if (!rule.ok())
      continue;
    std::string batches = wordOf(rule->recipe, "accumulate");
    SavedWindow window{.isPairwise = rule->recipe.contains("pairwise")};
    auto [end, error] = std::from_chars(
        batches.data(), batches.data() + batches.size(), window.batches);
    if (error != std::errc() || end != batches.data() + batches.size() ||
        window.batches < 1)
      return std::nullopt;
    return window;
  }
  return std::nullopt;
}

} // namespace mpc::rt
