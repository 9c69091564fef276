// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compiled program: one state layout, the entries that run on it, the
/// launches of each entry, and the facts about its step that a run needs. It is
/// plain data. The compiler or the reader of a file fills it in, and the Runner
/// runs it. See docs/rationale/program.md.
#ifndef MPC_RUNTIME_PROGRAM_PROGRAM_H
#define MPC_RUNTIME_PROGRAM_PROGRAM_H

#include "runtime/Program/Launch.h"
#include "runtime/Program/ProbeSite.h"
#include "runtime/Program/StateRole.h"
#include "runtime/Support/CudaArch.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/SharedBytes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mpc::rt {

/// The CPU for which a program is compiled, and the code.
struct CpuTarget {
  /// One of cpuLevels(), or "host" for the machine that compiled it.
  std::string cpu;
  /// The cpuIdentity() of that machine, where `cpu` is "host"; else empty.
  std::string machine = {};
  /// Machine code that runs wherever it is loaded, from a page on. It contains
  /// no address and refers to no outside symbol.
  SharedBytes image = {};
  /// The ContentHash of the image, which is verified before the image runs;
  /// empty for an image that this process made.
  std::string imageHash = {};
};

/// Some kernels of a program for a GPU.
struct DeviceModule {
  SharedBytes source; ///< CUDA C++ without includes, for NVRTC.
  /// Machine code for the target's architecture; may be empty.
  SharedBytes cubin;
};

/// The GPU for which a program is compiled, and the code.
struct CudaTarget {
  CudaArch arch;
  std::vector<DeviceModule> modules = {};
};

using Target = std::variant<CpuTarget, CudaTarget>;

/// The target's name on a command line: "x86-64-v4", "host", "cuda:sm_90".
[[nodiscard]] std::string nameOf(const Target &target);

/// The purpose of an entry.
enum class EntryRole : uint8_t {
  Other,
  Init,       ///< Computes the state that follows from parameters.
  Eval,       ///< Evaluates, and leaves the state unchanged.
  Step,       ///< An optimizer step of one batch.
  Accumulate, ///< Adds the gradients of one batch of a window.
  Apply,      ///< Ends a window: updates by the accumulated gradients.
  Measure, ///< Evaluates one batch for the sums of an evaluation over a file.
};

/// The role of the entry with this name: "step" is a Step.
[[nodiscard]] EntryRole entryRole(std::string_view name);

/// Shapes of tensors by their names.
using TensorShapes = std::map<std::string, std::vector<int64_t>, std::less<>>;

/// The valid values of an integer input: [lower, upper). Class labels and token
/// numbers index memory, so that values outside must be found before a run.
struct InputBound {
  std::string name;
  int64_t lower = 0;
  int64_t upper = 0;
  /// An excluded label, which may lie outside of the range.
  std::optional<int64_t> except = {};
  /// Along each axis, how many of the first and of the last elements the
  /// program does not read: any number may stand there. Empty where it reads
  /// all of the input.
  std::vector<int64_t> skipFirst = {}, skipLast = {};

  [[nodiscard]] bool holds(int64_t value) const {
    return (value >= lower && value < upper) || value == except;
  }
  /// Whether the program reads this element, in row-major order, of the input
  /// in this shape.
  [[nodiscard]] bool isRead(std::span<const int64_t> shape,
                            int64_t element) const;
  bool operator==(const InputBound &) const = default;
};

/// Whether the unread elements of `bound` are given for the input's axes.
[[nodiscard]] bool fits(const InputBound &bound, const TensorDesc &input);

/// The statistics by which a model normalizes, on which its results depend.
enum class ModelMode : uint8_t { Either, Inference, Training };

/// A function of (state, inputs) to (state, outputs).
struct Entry {
  std::string name; ///< "init", "step", "eval", ...
  EntryRole role = EntryRole::Other;
  ModelMode mode = ModelMode::Either; ///< The mode of an evaluation.
  std::vector<TensorDesc> inputs;
  std::vector<TensorDesc> outputs;
  uint64_t arenaBytes = 0;
  std::vector<Launch> launches;
  /// In the order of their launches; none has launches of another.
  std::vector<LaunchLoop> loops;
  /// The site of each output of a probe. A file does not contain them.
  std::vector<ProbeSite> sites;

  /// Calls `body` with the number of each launch and the turn of its loop, 0
  /// outside of loops, in the order in which they run. Ends with the first
  /// error.
  template <typename Body>
  Status forEachRun(Body body) const;

  /// Whether the entry takes two rates, for the cases that the step before was
  /// applied or skipped, and chooses one by its state.
  [[nodiscard]] bool choosesRate() const;
  /// Whether each input named in `shapes` has the shape given there.
  [[nodiscard]] bool takes(const TensorShapes &shapes) const;
  /// The shapes of the inputs that are data: all except learning rates.
  [[nodiscard]] TensorShapes dataShapes() const;
};

template <typename Body>
Status Entry::forEachRun(Body body) const {
  auto loop = loops.begin();
  for (size_t next = 0; next < launches.size();) {
    if (loop == loops.end() || next < loop->first) {
      MPC_RETURN_IF_ERROR(body(next++, uint64_t(0)));
      continue;
    }
    for (uint64_t turn = 0; turn < loop->turns; ++turn)
      for (size_t i = 0; i < loop->count; ++i)
        MPC_RETURN_IF_ERROR(body(loop->first + i, turn));
    next = loop->first + loop->count;
    ++loop;
  }
  return {};
}

/// A tensor of the state: its place in a slab, and its meaning.
struct StateTensor {
  TensorDesc desc;
  StateRole role = StateRole::Parameter;
  uint32_t slab = 0;
  uint64_t offset = 0; ///< In bytes from the slab's beginning.
  /// Whether a loss scaler's scale may be any f64; else it is one that f32 has
  /// too.
  bool hasWideScale = false;
  /// The tensor to which this one belongs: the parameter of a slot, or the
  /// buffer of pending changes. For numbers and loss scalers it is the symbol
  /// of the optimizer or scaler, where a module has several; else empty.
  std::string owner = {};
  /// Its name among the tensors of its owner: the slot "momentum", the number
  /// "beta1". Empty for weights, buffers and loss scalers.
  std::string key = {};
};

/// The name of a number of the state for Runner::readNumber: "beta1", or
/// "critic.beta1" where its optimizer or scaler is one of several.
[[nodiscard]] std::string numberName(std::string_view owner,
                                     std::string_view key);

/// One contiguous, 64-byte aligned range of memory. Of a slab with several
/// parts each rank has one, of `bytes`, and only that is what launches see.
/// Tensors lie in the parts joined.
struct Slab {
  std::string name;
  uint64_t bytes = 0;
  uint32_t parts = 1;
  /// The first content of each part, of its size; empty for zeros.
  SharedBytes initial = {};

  [[nodiscard]] uint64_t wholeBytes() const { return bytes * parts; }
};

struct Constant {
  std::string name;
  SharedBytes bytes;
};

/// The source of a state tensor's first value.
enum class InitialKind : uint8_t {
  Zeros,
  Ones,
  Uniform,  ///< Drawn from [-argument, argument).
  Normal,   ///< Drawn with mean 0 and deviation `argument`.
  Values,   ///< The program's own values.
  External, ///< The values of a file: the program has none.
  Seed,     ///< The run's seed, for stochastic rounding.
};

/// The first value of a state tensor, where it differs from its slab's.
struct InitialValue {
  /// The tensor's name and shape. The element type is that of `values`; the
  /// parameter's master may be wider.
  TensorDesc desc;
  InitialKind kind = InitialKind::Zeros;
  double argument = 0;
  /// The stream of random numbers, of which each tensor has its own.
  uint64_t stream = 0;
  SharedBytes values = {};
};

/// The facts about a step for the loop around it.
struct StepProtocol {
  /// The batches of one step, on each rank: see stepEntries().
  int64_t accumulate = 1;
  uint32_t ranks = 1; ///< The processes that share the batches of a step.
  /// Whether a skipped step may change more than the loss scale, or changes the
  /// scale before reading it.
  bool keepState = false;
  /// The name of the loss scale's floor for Runner::readNumber; empty for none.
  std::string floorName = {};
  /// The parameters that the caller updates, each with the output that is its
  /// gradient. Empty where the step updates all itself.
  std::map<std::string, std::string> callerUpdates = {};
  /// The recipe of the step: see RecipeRecord.h. Empty where it is not known.
  std::string rule = {};
};

/// A number of the state that the user gave by a flag.
struct GivenNumber {
  std::string flag; ///< "--beta1"
  std::string name; ///< The name for Runner::readNumber: "beta1".
  double value = 0;
};

/// A file that a compilation has read or looked for.
struct SourceFile {
  std::string path;
  /// The ContentHash of its bytes; empty where it did not exist.
  std::string hash;
};

/// The facts by which a tool finds a program by its command line alone: see
/// DirectStart.
struct StartRecord {
  std::vector<SourceFile> files;
  std::vector<GivenNumber> given;
};

/// The defaults of a run, for flags that its command line does not give: flags
/// and their values, as "--lr" and "0.01".
using RunDefaults = std::map<std::string, std::string, std::less<>>;

struct Program {
  std::vector<Slab> slabs;
  std::vector<StateTensor> state;
  std::vector<Constant> constants;
  std::vector<Entry> entries;
  /// The valid values of inputs by name, in any entry.
  std::vector<InputBound> bounds;
  std::vector<InitialValue> initialValues;
  /// Further names of parameters that modules of the model share, each with the
  /// parameter's own name.
  std::map<std::string, std::string> tied;
  StepProtocol protocol;
  RunDefaults runDefaults;
  /// The recipe by which it was compiled, as IR: an amp.recipe.
  std::string recipe;
  std::vector<std::string> warnings; ///< The warnings of its compilation.
  StartRecord start;                 ///< Empty except in the compile cache.
  Target target;

  /// The target if it is a CPU, or if it is a GPU; else null.
  [[nodiscard]] const CpuTarget *cpu() const {
    return std::get_if<CpuTarget>(&target);
  }
  [[nodiscard]] const CudaTarget *cuda() const {
    return std::get_if<CudaTarget>(&target);
  }

  /// The entry of that name; null where there is none.
  [[nodiscard]] const Entry *findEntry(std::string_view name) const;
  [[nodiscard]] const StateTensor *findState(std::string_view name) const;
  // A program may have several entries of a role, each for another batch shape.
  // The result is the first that takes `shapes`; null where none does.
  [[nodiscard]] const Entry *findEntry(EntryRole role,
                                       const TensorShapes &shapes = {}) const;
  [[nodiscard]] std::vector<const Entry *> findEntries(EntryRole role) const;
  /// The entries of an optimizer step of `batches`, in order. The first runs on
  /// each batch, and a second one runs once after the last. Empty where there
  /// is no step.
  [[nodiscard]] std::vector<const Entry *>
  stepEntries(int64_t batches, const TensorShapes &shapes = {}) const;
  /// The entries that may run on a batch of such a step: one for each shape.
  [[nodiscard]] std::vector<const Entry *> batchEntries(int64_t batches) const;
  /// The entries of one evaluation. For a program that has only a step, these
  /// are its entries on one batch.
  [[nodiscard]] std::vector<const Entry *>
  evalEntries(const TensorShapes &shapes = {}) const;
  /// The entry that evaluates a batch beside the step and leaves the state
  /// unchanged; null where there is only the step.
  [[nodiscard]] const Entry *
  measureEntry(const TensorShapes &shapes = {}) const;
  /// The role of measureEntry().
  [[nodiscard]] EntryRole measureRole() const;
};

/// The data that an entry takes: "x f32[32x64], target i64[32]".
[[nodiscard]] std::string describeData(const Entry &entry);
/// The data of several entries: "x f32[32x64] or x f32[5x64]".
[[nodiscard]] std::string
describeData(const std::vector<const Entry *> &entries);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAM_H
