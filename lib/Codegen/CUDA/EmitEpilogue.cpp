// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The map on a contraction's result.
#include "lib/Codegen/CUDA/EmitEpilogue.h"

#include "lib/Codegen/CUDA/ScalarText.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

using Read = llvm::function_ref<std::string(const LinearAccess &)>;

/// The values of the contraction, whose element is `sum`, and of all steps of
/// the map.
static DenseMap<Value, std::string>
computeSteps(KernelText &text, const Contraction &contraction,
             const Epilogue &epilogue, const std::string &sum, Read load) {
  DenseMap<Value, std::string> known;
  known[contraction.getResult()] = sum;
  auto read = [&](const LinearAccess &access) {
    if (!access.tensor)
      return std::string();
    std::string value = known.lookup(access.tensor);
    return value.empty() ? load(access) : value;
  };
  for (const EpilogueStep &step : epilogue.steps) {
    Texts arguments = llvm::map_to_vector(step.reads, read);
    Texts results = text.region(step.statement->generic(), arguments, {});
    for (auto [result, value] :
         llvm::zip(step.statement->op->getResults(), results))
      known[result] = value;
  }
  return known;
}

void mpc::cuda::emitEpilogue(KernelText &text, const Contraction &contraction,
                             const Epilogue &epilogue,
                             ArrayRef<std::string> dims,
                             const std::string &sum) {
  auto load = [&](const LinearAccess &access) {
    return text.load(access.tensor, text.index(access.index, dims));
  };
  DenseMap<Value, std::string> known =
      computeSteps(text, contraction, epilogue, sum, load);
  for (const EpilogueStore &store : epilogue.stores)
    text.store(store.destination, text.index(store.index, dims),
               known.lookup(store.value));
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

/// Whether each run of `count` neighbours along `group`, from a multiple of
/// `count` on, is contiguous in memory, at a multiple of `count`.
static bool isVector(const Contraction &contraction, const Linear &index,
                     Contraction::DimGroup group, int64_t count) {
  auto isWhole = [&](const StridedIndex::Part &part) {
    return part.stride % count == 0;
  };
  StridedIndex run = contraction.getStridedIndex(index.strides, group);
  if (run.parts.empty() || run.parts.back().stride != 1 ||
      run.parts.back().extent % count != 0 || index.offset % count != 0 ||
      !llvm::all_of(ArrayRef(run.parts).drop_back(), isWhole))
    return false;
  return llvm::all_of(
      ArrayRef{Contraction::Batch, Contraction::M, Contraction::N},
      [&](Contraction::DimGroup other) {
        return other == group ||
               llvm::all_of(
                   contraction.getStridedIndex(index.strides, other).parts,
                   isWhole);
      });
}

/// The most elements that a thread with 128 registers can hold of several
/// tensors.
static constexpr int64_t kLongestRun = 8;

int64_t mpc::cuda::getRunLength(const Contraction &contraction,
                                const Epilogue &epilogue,
                                Contraction::DimGroup group) {
  for (int64_t count = kLongestRun; count > 1; count /= 2)
    if (llvm::all_of(epilogue.stores, [&](const EpilogueStore &store) {
          return isAligned(store.destination, count) &&
                 isVector(contraction, store.index, group, count);
        }))
      return count;
  return 1;
}

namespace {

class RunEmitter {
public:
  RunEmitter(KernelText &text, const Contraction &contraction,
             const Epilogue &epilogue, const ResultRun &run)
      : text_(text), contraction_(contraction), epilogue_(epilogue), run_(run),
        first_(dimsAt(run.first)) {}
  void emit(const std::string &sums);

private:
  Texts dimsAt(const std::string &flat);
  bool isVectorOf(Value tensor, const Linear &index);
  void loadVectors();
  bool readsAlone();
  void emitLane(const std::string &sums, const std::string &lane);
  std::string typeOf(Value tensor);
  std::string placeOf(Value tensor, const Linear &index) {
    return text_.pointer(tensor, run_.count) + " + " +
           text_.index(index, first_);
  }

  KernelText &text_;
  const Contraction &contraction_;
  const Epilogue &epilogue_;
  const ResultRun &run_;
  Texts first_; ///< The dimensions of the first element.
  /// The vectors to which reads were loaded, and those in which stores are
  /// collected.
  llvm::SmallDenseMap<const LinearAccess *, std::string> loaded_;
  SmallVector<std::string> made_;
};

} // namespace

/// All dimensions at flat index `flat` of the run's group.
Texts RunEmitter::dimsAt(const std::string &flat) {
  Texts dims = run_.dims;
  ArrayRef<unsigned> group = contraction_.groups[run_.group];
  SmallVector<int64_t> extents = llvm::map_to_vector(
      group, [&](unsigned dim) { return contraction_.statement.extents[dim]; });
  for (auto [dim, place] : llvm::zip(group, text_.delinearize(flat, extents)))
    dims[dim] = place;
  return dims;
}

std::string RunEmitter::typeOf(Value tensor) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return formatv("mpc_vector<{0}, {1}>", getStorageText(type), run_.count);
}

bool RunEmitter::isVectorOf(Value tensor, const Linear &index) {
  return isAligned(tensor, run_.count) &&
         isVector(contraction_, index, run_.group, run_.count);
}

void RunEmitter::loadVectors() {
  for (const EpilogueStep &step : epilogue_.steps)
    for (const LinearAccess &read : step.reads)
      if (read.tensor && isVectorOf(read.tensor, read.index)) {
        std::string type = typeOf(read.tensor);
        loaded_[&read] = text_.define(
            type, "some",
            type + "::load(" + placeOf(read.tensor, read.index) + ")");
      }
}

/// Whether an element is read alone whose place in memory depends on the
/// element.
bool RunEmitter::readsAlone() {
  auto moves = [&](const LinearAccess &read) {
    return isa_and_nonnull<BlockArgument>(read.tensor) &&
           !loaded_.contains(&read) &&
           llvm::any_of(contraction_.groups[run_.group], [&](unsigned dim) {
             return read.index.strides[dim] != 0;
           });
  };
  return llvm::any_of(epilogue_.steps, [&](const EpilogueStep &step) {
    return llvm::any_of(step.reads, moves);
  });
}

void RunEmitter::emitLane(const std::string &sums, const std::string &lane) {
  Texts dims =
      readsAlone() ? dimsAt("(" + run_.first + " + " + lane + ")") : first_;
  auto load = [&](const LinearAccess &read) {
    std::string vector = loaded_.lookup(&read);
    if (vector.empty())
      return text_.load(read.tensor, text_.index(read.index, dims));
    Type type = cast<RankedTensorType>(read.tensor.getType()).getElementType();
    std::string element = vector + ".at[" + lane + "]";
    return type.isInteger(1) ? "bool(" + element + ")" : element;
  };
  DenseMap<Value, std::string> known = computeSteps(
      text_, contraction_, epilogue_, sums + ".at[" + lane + "]", load);
  for (auto [store, made] : llvm::zip(epilogue_.stores, made_))
    text_.line("{0}.at[{1}] = {2};", made, lane, known.lookup(store.value));
}

void RunEmitter::emit(const std::string &sums) {
  loadVectors();
  for (const EpilogueStore &store : epilogue_.stores) {
    made_.push_back(text_.makeName("made"));
    text_.line("{0} {1};", typeOf(store.destination), made_.back());
  }
  std::string lane = text_.makeName("lane");
  text_.line("#pragma unroll");
  text_.block(formatv("for (int {0} = 0; {0} < {1}; ++{0})", lane, run_.count),
              [&] { emitLane(sums, lane); });
  for (auto [store, made] : llvm::zip(epilogue_.stores, made_))
    text_.line("{0}.store({1});", made,
               placeOf(store.destination, store.index));
}

void mpc::cuda::emitEpilogue(KernelText &text, const Contraction &contraction,
                             const Epilogue &epilogue, const ResultRun &run,
                             const std::string &sums) {
  RunEmitter(text, contraction, epilogue, run).emit(sums);
}
