// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs, runners and checkpoints for mpc_compiler._runtime. They are thin,
/// with exceptions for errors. Python code builds the classes for users on
/// them.
#ifndef MPC_LIB_PYTHON_RUNTIME_H
#define MPC_LIB_PYTHON_RUNTIME_H

#include "lib/Python/Tensors.h"
#include "mpc/Runtime.h"

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mpc::python {

/// The level and the text of a message from the library.
using Message = std::pair<int, std::string>;
using Messages = std::vector<Message>;

struct Entry {
  std::string name;
  int role;
  std::vector<TensorInfo> inputs, outputs;
};

/// The arguments of an optimizer's call.
struct Update {
  MpcUpdate numbers;
  nb::dict parameters, gradients;
};

struct StateInfo {
  TensorInfo tensor;
  int role;
  bool isSaved;
  std::string owner, key;
};

/// Writes a checkpoint in parts as one file.
void joinCheckpoint(const std::string &folder, const std::string &file);

/// The description of a tensor in a checkpoint: see MpcStateRecord.
struct StateRecord {
  int role;
  std::string owner, key;
};
/// The records of a checkpoint, by the tensor's name.
std::map<std::string, StateRecord> readRecords(const std::string &path);

class Program {
public:
  explicit Program(mpc::Program program) : program_(std::move(program)) {}

  static Program load(const std::string &path, const std::string &cpu);
  static Program loadBytes(nb::bytes bytes, const std::string &cpu);

  [[nodiscard]] const mpc::Program &get() const { return program_; }
  [[nodiscard]] MpcProgramInfo info() const;
  [[nodiscard]] std::vector<Entry> entries() const;
  [[nodiscard]] std::vector<StateInfo> state() const;
  [[nodiscard]] std::map<std::string, std::string> tied() const;
  [[nodiscard]] Program
  withoutValues(const std::vector<std::string> &names) const;

private:
  mpc::Program program_;
};

/// The position of a training in its data: MpcDataPosition without its size.
using Position = std::map<std::string, int64_t>;
MpcDataPosition toC(const Position &given);
Position toPosition(MpcDataPosition position);

class Ranks {
public:
  static std::unique_ptr<Ranks> joinMpi(double timeout, double patience);
  static std::unique_ptr<Ranks> joinNccl(uint32_t rank, uint32_t size,
                                         int device,
                                         const std::string &rendezvous,
                                         double timeout, double patience);
  /// Ranks whose messages `exchange` moves: a function of two lists of pairs, a
  /// rank and its bytes as a memoryview; those to send, and those to fill.
  static std::unique_ptr<Ranks> create(uint32_t rank, uint32_t size,
                                       nb::object exchange);

  [[nodiscard]] const mpc::Ranks *get() const { return &*ranks_; }
  [[nodiscard]] uint32_t rank() const { return ranks_->rank(); }
  [[nodiscard]] uint32_t size() const { return ranks_->size(); }

private:
  nb::object exchange_;
  std::optional<mpc::Ranks> ranks_;
};

class Runner {
public:
  /// `ranks` may be null.
  Runner(const Program &program, int numThreads, uint64_t seed,
         const Ranks *ranks);
  /// A runner that shares the state of `other`.
  Runner(const Program &program, const Runner &other, uint64_t seed);

  [[nodiscard]] mpc::Runner &get() { return runner_; }
  void loadWeights(const std::string &path);
  void bindInput(const std::string &name, nb::ndarray<nb::ro> array,
                 bool isBF16);
  void bindOutput(const std::string &name, nb::ndarray<nb::ro> array);
  MpcStepResult step();
  double accumulate();
  MpcStepResult apply();
  void evaluate();
  void measure(int64_t numRows);
  void resetMetrics();
  /// The metrics since the last call, by name.
  std::map<std::string, double> metrics();
  void readOutput(const std::string &name, nb::ndarray<nb::ro> target,
                  bool isBF16);
  void readState(const std::string &name, nb::ndarray<nb::ro> target,
                 bool isBF16);
  void writeState(const std::string &name, nb::ndarray<nb::ro> source,
                  bool isBF16);
  nb::capsule shareState(const std::string &name);
  nb::capsule editState(const std::string &name);
  nb::capsule shareDeviceState(const std::string &name);
  nb::capsule editDeviceState(const std::string &name);
  void setStream(uintptr_t stream);
  /// Gives all ranks the state of rank 0.
  void broadcastState();
  /// Takes part where rank 0 saves a checkpoint, as a file or in parts.
  void savePart(bool inParts);
  double readNumber(const std::string &name);
  void writeNumber(const std::string &name, double value);
  void updateScale(double newScale, const std::string &scaler);
  /// Makes each step call `update` with an Update. `owner` keeps the memory of
  /// the arrays alive; None ends the registration.
  void setOptimizer(nb::object update, nb::object owner, bool onSkipped);
  /// The Python object to which this one refers, for Python's garbage
  /// collector.
  [[nodiscard]] nb::handle optimizer() const { return optimizer_; }
  void clearOptimizer() { optimizer_.reset(); }
  void startProfile();
  void stopProfile();
  /// The profile as a table for people, or as JSON.
  std::string profile(bool asTable);
  void writeTimeline(const std::string &path);
  /// The number of steps, of applied steps, and of steps skipped since the last
  /// applied one.
  std::tuple<int64_t, int64_t, int64_t> progress();
  /// The messages since the last call.
  Messages takeMessages();

private:
  mpc::Status callOptimizer(const MpcUpdate &numbers);
  /// A step's value; throws an exception that the optimizer raised in it.
  template <typename Call>
  auto finish(Call call);

  /// Both keep their addresses when this object moves.
  std::unique_ptr<Messages> messages_ = std::make_unique<Messages>();
  mpc::Runner runner_;
  std::map<std::string, ArrayTensor> bound_, boundOutputs_;
  nb::object optimizer_, memory_;
  nb::dict parameters_, gradients_; ///< Arrays by name, which are made once.
  std::exception_ptr raised_;
};

class Checkpoints {
public:
  explicit Checkpoints(const std::string &path);

  void save(Runner &runner, const Position &position, bool inParts);
  /// Loads the newest checkpoint; empty where the folder has none.
  std::optional<Position> loadNewest(Runner &runner);
  Messages takeMessages();

private:
  std::unique_ptr<Messages> messages_ = std::make_unique<Messages>();
  mpc::Checkpoints checkpoints_;
};

} // namespace mpc::python

#endif // MPC_LIB_PYTHON_RUNTIME_H
