// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checkpoints: one safetensors file each, with all state of a training run
/// and a hash of its content.
#ifndef MPC_RUNTIME_TRAIN_CHECKPOINT_H
#define MPC_RUNTIME_TRAIN_CHECKPOINT_H

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
  std::string metric;  ///< "loss": what it is best by.
  bool larger = false; ///< Which value is better.
  double value = std::numeric_limits<double>::quiet_NaN(); ///< NaN: none yet.
  int64_t step = 0;        ///< Steps done when it was found.
  int64_t withoutGain = 0; ///< Evaluations since then.

  bool operator==(const BestEvaluation &) const = default;
};

/// How far a training run is, apart from the program's state.
struct TrainPosition {
  int64_t step = 0;         ///< Steps done, skipped ones too.
  int64_t applied = 0;      ///< Steps that changed the parameters.
  int64_t skippedInRow = 0; ///< Skipped since the last applied one.
  LoaderState loader;
  /// Nodes that have come to compute in fp32: AtFloor::Fp32.
  std::vector<std::string> keptFp32 = {};
  std::optional<BestEvaluation> best = {};

  bool operator==(const TrainPosition &) const = default;
};

/// The folder that a run keeps its checkpoints in: `ckpt-<step>.safetensors`,
/// the two newest. Locked against other writers while this lives.
class CheckpointFolder {
public:
  /// Told of a damaged checkpoint that was passed over, and of changes.
  using Warning = std::function<void(const std::string &message)>;

  /// Makes the folder where only its last component is missing, locks it, and
  /// removes temporary files of writers that died.
  static Result<CheckpointFolder> open(std::string path, Warning warn,
                                       const Io &io = Io::system());

  /// By which rule this run trains: saved, and compared with what a checkpoint
  /// says. Empty for nothing known.
  void setRule(TrainingRule rule) { rule_ = std::move(rule); }

  /// Writes a checkpoint of this position and then removes all but the two
  /// newest good ones. When it returns, the checkpoint is on disk.
  Status save(const Runner &runner, const TrainPosition &position);
  /// Writes the same to bestFile(), in place of what it had.
  Status saveBest(const Runner &runner, const TrainPosition &position);

  /// Loads the newest whole checkpoint into the runner; empty where the folder
  /// holds none. Damaged ones are passed over with a warning; one that does
  /// not fit the program, and a folder of damaged ones only, are errors. A
  /// warning says by what the rule differs, and what begins anew for that.
  Result<std::optional<TrainPosition>> loadNewest(Runner &runner);

  /// Steps of the checkpoints in the folder, whole or not, newest first.
  [[nodiscard]] std::vector<int64_t> steps() const;
  [[nodiscard]] const std::string &path() const { return path_; }
  [[nodiscard]] std::string fileOf(int64_t step) const;
  /// `best.safetensors`, which only saveBest() replaces.
  [[nodiscard]] std::string bestFile() const;

private:
  CheckpointFolder(std::string path, Warning warn, FolderLock lock,
                   const Io &io)
      : path_(std::move(path)), warn_(std::move(warn)), lock_(std::move(lock)),
        io_(&io) {}
  void removeOld();
  Status write(const std::string &file, const Runner &runner,
               const TrainPosition &position) const;
  Result<TrainPosition> loadFile(const SafetensorsFile &file, int64_t step,
                                 Runner &runner);

  std::string path_;
  Warning warn_;
  FolderLock lock_;
  const Io *io_;
  TrainingRule rule_;
  std::vector<int64_t> good_; ///< Loaded or saved by this, oldest first.
};

/// Checks what no training step produces: a scale that is negative, a
/// negative counter. Names the field.
Status checkStateFields(const Program &program,
                        std::span<const TensorView> tensors);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_CHECKPOINT_H
