// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.map: a thread computes one element, or a few neighbours, of all
// statements.
#include "lib/Codegen/CUDA/Emitters.h"

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "lib/Codegen/CUDA/Vectors.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// `body` with dimensions merged that every access walks as one.
static std::vector<Statement> mergeAll(const Body &body) {
  std::vector<Statement> statements = body.statements;
  mergeDims(statements, 0, statements.front().numDims());
  return statements;
}

std::pair<int64_t, int64_t> mpc::cuda::countMapUnits(const Body &body) {
  std::vector<Statement> statements = mergeAll(body);
  int64_t count = statements.front().numIterations();
  // The narrowest type decides. Wider types take several accesses.
  int64_t vector = 1;
  for (const Statement &statement : statements)
    for (Value operand : statement.op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType());
          type && isa<BlockArgument>(operand) && type.getNumElements() == count)
        vector = std::max(vector, kWidestAccess /
                                      getStorageBytes(type.getElementType()));
  int64_t last = count == 1 ? 1 : statements.front().extents.back();
  while (vector > 1 && last % vector != 0)
    vector /= 2;
  return {count, std::min<int64_t>(vector, 8)};
}

namespace {

class MapEmitter {
public:
  MapEmitter(KernelText &text, const Body &body, MapAttr schedule)
      : text_(text), statements_(mergeAll(body)), schedule_(schedule) {
    findDestinations();
  }
  void emit();

private:
  /// A result, and the memory where it is stored.
  struct Destination {
    Value result;
    Access access;
  };

  void findDestinations();
  void emitElements(const std::string &element);
  void emitElement(ArrayRef<std::string> dims, const std::string &lane);
  std::string read(const Access &access, ArrayRef<std::string> dims,
                   const std::string &lane);
  void loadVectors(ArrayRef<std::string> dims);
  void declareResults();
  void storeVectors(ArrayRef<std::string> dims);
  void computeStatement(const Statement &statement, ArrayRef<std::string> dims,
                        const std::string &lane);
  void storeElement(const Destination &destination, ArrayRef<std::string> dims,
                    const std::string &lane);
  bool isVector(const Access &access) const;

  KernelText &text_;
  std::vector<Statement> statements_;
  MapAttr schedule_;
  SmallVector<Destination> destinations_;
  /// The values of the current element.
  DenseMap<Value, std::string> forwarded_;
  /// The vectors from which destinations are stored.
  DenseMap<Value, std::string> made_;
  /// The vectors to which accesses were loaded.
  DenseMap<std::pair<Value, AffineExpr>, std::string> vectors_;
};

} // namespace

bool MapEmitter::isVector(const Access &access) const {
  return mpc::cuda::isVector(access, statements_.front().numDims(),
                             schedule_.getVector());
}

/// Finds the memory of all results, in the order of the statements.
void MapEmitter::findDestinations() {
  for (const Statement &statement : statements_)
    for (auto [number, result] : llvm::enumerate(statement.op->getResults()))
      for (Value where : text_.destinationsOf(result))
        destinations_.push_back(
            {result, {where, statement.outputs[number].index}});
}

void MapEmitter::loadVectors(ArrayRef<std::string> dims) {
  auto add = [&](const Access &access) {
    std::pair key(access.tensor, access.index);
    if (!isVector(access) || vectors_.contains(key))
      return;
    vectors_[key] =
        text_.define(vectorText(access.tensor, schedule_.getVector()), "some",
                     loadVector(text_, access, schedule_.getVector(), dims));
  };
  for (const Statement &statement : statements_) {
    for (const Access &input : statement.inputs)
      add(input);
    for (auto [number, output] : llvm::enumerate(statement.outputs))
      if (statement.readsOutput(number))
        add(output);
  }
}

/// Declares the vectors in which results are collected.
void MapEmitter::declareResults() {
  for (const Destination &destination : destinations_) {
    if (!isVector(destination.access))
      continue;
    Value where = destination.access.tensor;
    std::string name = text_.makeName("made");
    text_.line("{0} {1};", vectorText(where, schedule_.getVector()), name);
    made_[where] = name;
  }
}

void MapEmitter::storeVectors(ArrayRef<std::string> dims) {
  for (const Destination &destination : destinations_) {
    const Access &access = destination.access;
    std::string name = made_.lookup(access.tensor);
    if (!name.empty())
      storeVector(text_, access, schedule_.getVector(), dims, name);
  }
}

std::string MapEmitter::read(const Access &access, ArrayRef<std::string> dims,
                             const std::string &lane) {
  if (std::string value = forwarded_.lookup(access.tensor); !value.empty())
    return value;
  std::string vector = vectors_.lookup({access.tensor, access.index});
  return vector.empty()
             ? text_.load(access.tensor, text_.index(access.index, dims))
             : elementOf(access.tensor, vector, lane);
}

void MapEmitter::computeStatement(const Statement &statement,
                                  ArrayRef<std::string> dims,
                                  const std::string &lane) {
  Texts arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(read(input, dims, lane));
  for (auto [number, output] : llvm::enumerate(statement.outputs))
    arguments.push_back(statement.readsOutput(number) ? read(output, dims, lane)
                                                      : std::string());
  Texts results = text_.region(statement, arguments, dims);
  for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
    forwarded_[result] = value;
}

void MapEmitter::storeElement(const Destination &destination,
                              ArrayRef<std::string> dims,
                              const std::string &lane) {
  const Access &access = destination.access;
  std::string value = forwarded_.lookup(destination.result);
  std::string vector = made_.lookup(access.tensor);
  if (vector.empty())
    return text_.store(access.tensor, text_.index(access.index, dims), value);
  text_.line("{0}.at[{1}] = {2};", vector, lane, value);
}

/// Emits all statements at `dims`. All reads come before the first store.
void MapEmitter::emitElement(ArrayRef<std::string> dims,
                             const std::string &lane) {
  for (const Statement &statement : statements_)
    computeStatement(statement, dims, lane);
  for (const Destination &destination : destinations_)
    storeElement(destination, dims, lane);
  forwarded_.clear();
}

/// Emits the elements from `element` on that one thread computes.
void MapEmitter::emitElements(const std::string &element) {
  ArrayRef<int64_t> extents = statements_.front().extents;
  int64_t vector = schedule_.getVector();
  Texts dims = text_.delinearize(element, extents);
  if (vector == 1)
    return emitElement(dims, "0");
  loadVectors(dims);
  declareResults();
  text_.line("#pragma unroll");
  std::string lane = text_.makeName("lane");
  std::string head =
      llvm::formatv("for (int {0} = 0; {0} < {1}; ++{0})", lane, vector);
  text_.block(head, [&] {
    Texts at = dims;
    at.back() = "(" + dims.back() + " + " + lane + ")";
    emitElement(at, lane);
  });
  storeVectors(dims);
}

void MapEmitter::emit() {
  int64_t count = statements_.front().numIterations();
  int64_t vector = schedule_.getVector();
  std::string place = llvm::formatv("{0}(blockIdx.x) * {1} + threadIdx.x",
                                    text_.indexType(), schedule_.getThreads());
  if (vector > 1)
    place = llvm::formatv("({0}) * {1}", place, vector);
  std::string element = text_.define(text_.indexType(), "element", place);
  bool isWhole =
      schedule_.getChunks() * schedule_.getThreads() * vector == count;
  std::string guard =
      isWhole ? "" : llvm::formatv("if ({0} < {1})", element, count).str();
  text_.block(guard, [&] { emitElements(element); });
}

void mpc::cuda::emitMap(KernelText &text, const Body &body, MapAttr schedule) {
  MapEmitter(text, body, schedule).emit();
}
