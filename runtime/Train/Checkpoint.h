// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checkpoints: one safetensors file each, with all state of a training run
/// and a hash of its content.
#ifndef MPC_RUNTIME_TRAIN_CHECKPOINT_H
#define MPC_RUNTIME_TRAIN_CHECKPOINT_H

#include "runtime/Ranks/Ranks.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/File.h"
#include "runtime/Support/FolderLock.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/TrainingRule.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

/// The best state that evaluations have found.
struct BestEvaluation {
  std::string metric;  ///< The metric that decides: "loss".
  bool larger = false; ///< Whether larger values are better.
  /// The metric's value; NaN before the first.
  double value = std::numeric_limits<double>::quiet_NaN();
  int64_t step = 0;        ///< The number of steps at which it was found.
  int64_t withoutGain = 0; ///< The number of evaluations since then.

  bool operator==(const BestEvaluation &) const = default;
};

/// The progress of a training run, apart from the program's state.
struct TrainPosition {
  int64_t step = 0;         ///< Steps done, skipped ones too.
  int64_t applied = 0;      ///< Steps that changed the parameters.
  int64_t skippedInRow = 0; ///< Steps skipped since the last applied one.
  LoaderState loader;
  /// Nodes that compute in fp32 by now: AtFloor::Fp32.
  std::vector<std::string> keptFp32 = {};
  std::optional<BestEvaluation> best = {};

  bool operator==(const TrainPosition &) const = default;
};

/// The position as fields of a checkpoint, and read from them.
[[nodiscard]] Metadata toFields(const TrainPosition &position);
Result<TrainPosition> parsePosition(const Metadata &fields);

/// The folder of a run's checkpoints, the two newest:
/// `ckpt-<step>.safetensors`, or in parts the folder `ckpt-<step>`
/// (CheckpointParts.h). It is locked against other writers during the object's
/// lifetime.
class CheckpointFolder {
public:
  /// Receives messages on damaged checkpoints that were skipped, and on
  /// changes.
  using Warning = std::function<void(const std::string &message)>;

  /// Makes the folder if only its last component is missing, locks it, and
  /// removes temporary files of dead writers.
  static Result<CheckpointFolder> open(std::string path, Warning warn,
                                       const Io &io = Io::system());

  /// Sets the rule by which this run trains. It is saved, and compared with a
  /// loaded checkpoint's. Empty where it is not known.
  void setRule(TrainingRule rule) { rule_ = std::move(rule); }

  /// Writes a checkpoint of this position and then removes all but the two
  /// newest good ones. The checkpoint is on disk when the call returns.
  Status save(const Runner &runner, const TrainPosition &position);
  /// As save(), in parts. All ranks must call it, those without a folder by
  /// this function of the class.
  Status saveInParts(Ranks *ranks, const Runner &runner,
                     const TrainPosition &position);
  /// Writes a checkpoint to bestFile(), in place of the former one.
  Status saveBest(const Runner &runner, const TrainPosition &position);

  /// Loads the newest whole checkpoint into the runner; empty where the folder
  /// has none. Damaged ones are skipped with a warning. A checkpoint that does
  /// not fit the program is an error, and so is a folder with damaged ones
  /// only. A warning says how the rule differs, and which numbers begin anew
  /// because of that.
  Result<std::optional<TrainPosition>> loadNewest(Runner &runner);

  /// The steps of the folder's checkpoints, newest first, damaged ones
  /// included.
  [[nodiscard]] std::vector<int64_t> steps() const;
  [[nodiscard]] const std::string &path() const { return path_; }
  [[nodiscard]] std::string fileOf(int64_t step) const;
  /// The folder from which loadNewest() has loaded parts; empty where it was a
  /// file. Of a divided state only the parts of rank 0 are loaded: the others
  /// read theirs, by readOwnParts().
  [[nodiscard]] const std::string &loadedParts() const { return loadedParts_; }
  /// `best.safetensors`, which only saveBest() replaces.
  [[nodiscard]] std::string bestFile() const;

private:
  CheckpointFolder(std::string path, Warning warn, FolderLock lock,
                   const Io &io)
      : path_(std::move(path)), warn_(std::move(warn)), lock_(std::move(lock)),
        io_(&io) {}
  [[nodiscard]] std::string folderOf(int64_t step) const;
  [[nodiscard]] Metadata metadataOf(const Runner &runner,
                                    const TrainPosition &position) const;
  void addGood(int64_t step);
  void removeOld();
  void recover() const;
  Status write(const std::string &file, const Runner &runner,
               const TrainPosition &position) const;
  Result<TrainPosition> loadStep(int64_t step, Runner &runner,
                                 std::string &damage);
  Result<TrainPosition> loadState(const Metadata &metadata,
                                  std::span<const TensorView> tensors,
                                  int64_t step, Runner &runner);

  std::string path_;
  Warning warn_;
  FolderLock lock_;
  const Io *io_;
  TrainingRule rule_;
  /// The steps that this object has loaded or saved, oldest first.
  std::vector<int64_t> good_;
  std::string loadedParts_;
};

/// Checks for values that no training step produces: a negative scale, a
/// negative counter. The error names the field.
Status checkStateFields(const Program &program,
                        std::span<const TensorView> tensors);

/// How the gradients of a step were summed: a resume goes on with that.
struct SavedWindow {
  int64_t batches = 1;     ///< The batches of a step, of all ranks.
  bool isPairwise = false; ///< Whether they are summed by pairs.
};
/// That of the newest checkpoint in a folder; empty where there is none that
/// says it. Nothing is locked or checked: a resume does that.
[[nodiscard]] std::optional<SavedWindow> findSavedWindow(std::string folder);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_CHECKPOINT_H
