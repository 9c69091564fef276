// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compiled program: one state layout, the entries that run on it, the
/// launches of each entry, and all that a run must know of the step. Plain
/// data; the compiler fills it in or a file is read, the Runner walks it. See
/// docs/rationale/program.md.
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

/// A CPU that a program is for, and the code for it.
struct CpuTarget {
  /// "x86-64-v3", "x86-64-v4", or "host" for the machine that compiled.
  std::string cpu;
  /// Where `cpu` is "host", the cpuIdentity() of that machine; else empty.
  std::string machine = {};
  /// Machine code that runs wherever it is loaded, from a page on: nothing in
  /// it names an address, and it refers to nothing outside.
  SharedBytes image = {};
  /// ContentHash of the image, which is compared before it runs; empty for one
  /// that this process made.
  std::string imageHash = {};
};

/// Some kernels of a program for a GPU.
struct DeviceModule {
  SharedBytes source; ///< CUDA C++ that includes nothing, for NVRTC.
  SharedBytes cubin;  ///< Of the target's architecture; may be empty.
};

/// A GPU that a program is for, and the code for it.
struct CudaTarget {
  CudaArch arch;
  std::vector<DeviceModule> modules = {};
};

using Target = std::variant<CpuTarget, CudaTarget>;

/// As a command line spells it: "x86-64-v4", "host", "cuda:sm_90".
[[nodiscard]] std::string nameOf(const Target &target);

/// What an entry is for.
enum class EntryRole : uint8_t {
  Other,
  Init,       ///< Derives what follows from the parameters.
  Eval,       ///< Evaluates, and leaves the state as it is.
  Step,       ///< An optimizer step of one batch.
  Accumulate, ///< Adds the gradients of one batch of a window.
  Apply,      ///< Ends a window: updates by the accumulated gradients.
  Measure,    ///< Tells of one batch what an evaluation over a file adds up.
};

/// The role of an entry that is called so: "step" is a Step.
[[nodiscard]] EntryRole entryRole(std::string_view name);

/// Shapes of tensors by their names.
using TensorShapes = std::map<std::string, std::vector<int64_t>, std::less<>>;

/// What an integer input may hold: [lower, upper). Class labels and token
/// numbers index memory, so that what lies outside must be found before.
struct InputBound {
  std::string name;
  int64_t lower = 0;
  int64_t upper = 0;
  /// A label that takes no part, and may lie outside.
  std::optional<int64_t> except = {};

  [[nodiscard]] bool holds(int64_t value) const {
    return (value >= lower && value < upper) || value == except;
  }
  bool operator==(const InputBound &) const = default;
};

/// A function of (state, inputs) to (state, outputs).
/// By whose statistics a model normalizes: its results depend on that.
enum class ModelMode : uint8_t { Either, Inference, Training };

struct Entry {
  std::string name; ///< "init", "step", "eval", ...
  EntryRole role = EntryRole::Other;
  ModelMode mode = ModelMode::Either; ///< Of an evaluation.
  std::vector<TensorDesc> inputs;
  std::vector<TensorDesc> outputs;
  uint64_t arenaBytes = 0;
  std::vector<Launch> launches;
  /// Of a probe: what each output tells of. A file does not have them.
  std::vector<ProbeSite> sites;

  /// Whether it is given a rate for where the step before was applied and one
  /// for where it was skipped, and chooses by its state.
  [[nodiscard]] bool choosesRate() const;
  /// Whether each input that `shapes` names has the shape that it has there.
  [[nodiscard]] bool takes(const TensorShapes &shapes) const;
  /// Those of its inputs that are data: all but learning rates.
  [[nodiscard]] TensorShapes dataShapes() const;
};

/// A tensor of the state: its place in a slab, and what it is.
struct StateTensor {
  TensorDesc desc;
  StateRole role = StateRole::Parameter;
  uint32_t slab = 0;
  uint64_t offset = 0; ///< Bytes from the slab's begin.
  /// Of a loss scaler: its scale is any f64, else one that f32 has too.
  bool hasWideScale = false;
  /// The tensor that it belongs to: the parameter of a slot, the buffer of what
  /// waits for it. Of numbers and of a loss scaler, the symbol of the optimizer
  /// or the scaler where a module has several; else empty.
  std::string owner = {};
  /// What it is called among those of its owner: the slot "momentum", the
  /// number "beta1". Empty for weights, buffers and loss scalers.
  std::string key = {};
};

/// What Runner::readNumber calls a number of the state: "beta1", or
/// "critic.beta1" where its optimizer or scaler is one of several.
[[nodiscard]] std::string numberName(std::string_view owner,
                                     std::string_view key);

/// One contiguous, 64-byte aligned range of memory.
struct Slab {
  std::string name;
  uint64_t bytes = 0;
  /// First content: as many bytes as the slab has, or none for zeros.
  SharedBytes initial = {};
};

struct Constant {
  std::string name;
  SharedBytes bytes;
};

/// Where the first value of a state tensor comes from.
enum class InitialKind : uint8_t {
  Zeros,
  Ones,
  Uniform,  ///< Drawn from [-argument, argument).
  Normal,   ///< Drawn with mean 0 and deviation `argument`.
  Values,   ///< Those that the program has.
  External, ///< The program has none: a file must.
  Seed,     ///< The run's seed, which the step rounds by.
};

/// The first value of a state tensor, where it is not that of its slab.
struct InitialValue {
  /// The tensor's name and shape; the element type is that of `values`, which
  /// a parameter's master may be wider than.
  TensorDesc desc;
  InitialKind kind = InitialKind::Zeros;
  double argument = 0;
  uint64_t stream = 0; ///< Of the random numbers: of its own for each tensor.
  SharedBytes values = {};
};

/// What the loop around a step must know of it.
struct StepProtocol {
  int64_t accumulate = 1; ///< Batches of one step: see stepEntries().
  /// A skipped step may change more than the loss scale, or change that before
  /// it reads it.
  bool keepState = false;
  /// Runner::readNumber's name of the loss scale's floor; empty for none.
  std::string floorName = {};
  /// Parameters that the caller updates, each with the output that has its
  /// gradient; none where the step updates all itself.
  std::map<std::string, std::string> callerUpdates = {};
  /// By what rule the step was made: see RecipeRecord.h. Empty where nothing is
  /// known.
  std::string rule = {};
};

/// A number of the state that the user gave by a flag.
struct GivenNumber {
  std::string flag; ///< "--beta1"
  std::string name; ///< Runner::readNumber's: "beta1".
  double value = 0;
};

/// A file that a compilation has read, or looked for.
struct SourceFile {
  std::string path;
  std::string hash; ///< ContentHash of its bytes; empty where there was none.
};

/// What a tool must know to take a program by its command line alone: see
/// DirectStart.
struct StartRecord {
  std::vector<SourceFile> files;
  std::vector<GivenNumber> given;
};

/// What a run is told where its command line does not say it: flags and their
/// words, as "--lr" and "0.01".
using RunDefaults = std::map<std::string, std::string, std::less<>>;

struct Program {
  std::vector<Slab> slabs;
  std::vector<StateTensor> state;
  std::vector<Constant> constants;
  std::vector<Entry> entries;
  std::vector<InputBound> bounds; ///< By names of inputs, in any entry.
  std::vector<InitialValue> initialValues;
  /// Further names that the model has for parameters which modules share, each
  /// with the parameter's own.
  std::map<std::string, std::string> tied;
  StepProtocol protocol;
  RunDefaults runDefaults;
  std::string recipe; ///< What it was made by, as IR: an amp.recipe.
  std::vector<std::string> warnings; ///< What its compilation warned of.
  StartRecord start;                 ///< Empty but in the compile cache.
  Target target;

  /// The target where it is a CPU, or where it is a GPU; else null.
  [[nodiscard]] const CpuTarget *cpu() const {
    return std::get_if<CpuTarget>(&target);
  }
  [[nodiscard]] const CudaTarget *cuda() const {
    return std::get_if<CudaTarget>(&target);
  }

  /// Null where there is none of that name.
  [[nodiscard]] const Entry *findEntry(std::string_view name) const;
  [[nodiscard]] const StateTensor *findState(std::string_view name) const;
  // A program may have several entries of a role, each for batches of another
  // shape. Of those that take `shapes` the first is meant; null where none
  // does.
  [[nodiscard]] const Entry *findEntry(EntryRole role,
                                       const TensorShapes &shapes = {}) const;
  [[nodiscard]] std::vector<const Entry *> findEntries(EntryRole role) const;
  /// The entries of an optimizer step of `batches`, in order: the first runs on
  /// each batch, one more once after the last. Empty where there is no step.
  [[nodiscard]] std::vector<const Entry *>
  stepEntries(int64_t batches, const TensorShapes &shapes = {}) const;
  /// What may run on a batch of such a step: one entry for each shape.
  [[nodiscard]] std::vector<const Entry *> batchEntries(int64_t batches) const;
  /// Those of one evaluation: of a program that only has a step, its entries on
  /// one batch.
  [[nodiscard]] std::vector<const Entry *>
  evalEntries(const TensorShapes &shapes = {}) const;
  /// What evaluates a batch beside the step, and leaves the state as it is;
  /// null where there is nothing but the step.
  [[nodiscard]] const Entry *
  measureEntry(const TensorShapes &shapes = {}) const;
  /// The role of measureEntry().
  [[nodiscard]] EntryRole measureRole() const;
};

/// "x f32[32x64], target i64[32]": the data that an entry takes.
[[nodiscard]] std::string describeData(const Entry &entry);
/// The same of several: "x f32[32x64] or x f32[5x64]".
[[nodiscard]] std::string
describeData(const std::vector<const Entry *> &entries);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAM_H
