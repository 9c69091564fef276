// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes over a row or column read, what of it a thread keeps for
// later passes, and which results wait until all is read.
#include "lib/Codegen/CUDA/RowEmitter.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "lib/Codegen/CUDA/Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The bytes of a register, of those in which a thread keeps elements, and of
/// those for them, for sums and for all vectors of a pass. A thread has 128
/// registers.
static constexpr int64_t kRegister = 4, kMostKept = 32 * kRegister,
                         kMostHeld = 64 * kRegister;

/// Whether a pass after that of statement `number` reads its `result`.
bool RowEmitter::isReadLater(unsigned number, Value result) const {
  return llvm::any_of(llvm::enumerate(body_.statements), [&](auto later) {
    return passes_.levels[later.index()] > passes_.levels[number] &&
           llvm::is_contained(later.value().op->getOperands(), result);
  });
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// What statement `number` reads at an element: of a sum not its first value.
SmallVector<Access> RowEmitter::operandsOf(unsigned number) const {
  const Statement &statement = body_.statements[number];
  SmallVector<Access> operands(statement.inputs);
  if (rows_.kinds[number] == StageKind::Map)
    for (auto [out, output] : llvm::enumerate(statement.outputs))
      if (statement.readsOutput(out))
        operands.push_back(output);
  return operands;
}

/// The accesses to memory, each once, by which `pass` gets the elements that
/// the statements `wanted` need. Elements that an earlier pass kept need none.
SmallVector<Access> RowEmitter::readsOf(llvm::BitVector wanted,
                                        int pass) const {
  llvm::SetVector<std::pair<Value, AffineExpr>> reads;
  for (unsigned number = wanted.size(); number-- > 0;) {
    if (!wanted[number])
      continue;
    for (const Access &access : operandsOf(number)) {
      std::optional<Producer> producer = getProducer(access.tensor, body_);
      if (!producer && isa<BlockArgument>(access.tensor))
        reads.insert({access.tensor, access.index});
      if (!producer || rows_.kinds[producer->statement] != StageKind::Map)
        continue;
      bool isKept = kept_.contains(access.tensor) &&
                    passes_.levels[producer->statement] < pass;
      if (!isKept)
        wanted.set(producer->statement);
    }
  }
  return llvm::map_to_vector(
      reads, [](const auto &read) { return Access{read.first, read.second}; });
}

/// The statements whose elements `pass` needs for its sums, its stores and what
/// it keeps.
llvm::BitVector RowEmitter::statementsOf(int pass) const {
  llvm::BitVector statements(body_.statements.size());
  for (auto [number, statement] : llvm::enumerate(body_.statements)) {
    bool isSum = (rows_.kinds[number] == StageKind::Reduction ||
                  rows_.kinds[number] == StageKind::Partial) &&
                 passes_.levels[number] == pass;
    bool isMade =
        rows_.kinds[number] == StageKind::Map &&
        llvm::any_of(llvm::seq(statement.outputs.size()), [&](unsigned out) {
          return stores(pass, number, out) || keeps(pass, number, out);
        });
    if (isSum || isMade)
      statements.set(number);
  }
  return statements;
}

/// The accesses to memory of a pass: those that its statements need and no
/// pass before has kept, and those that it keeps.
SmallVector<Access> RowEmitter::readsOf(int pass) const {
  SmallVector<Access> reads;
  for (const Access &access : readsOf(statementsOf(pass), pass))
    if (!keptInputs_.contains({access.tensor, access.index}))
      reads.push_back(access);
  for (const auto &[key, kept] : keptInputs_)
    if (kept.pass == pass)
      reads.push_back({key.first, key.second});
  return reads;
}

//===----------------------------------------------------------------------===//
// Kept elements
//===----------------------------------------------------------------------===//

/// Whether an access reads an element that no other row and no other element
/// of the row has.
bool RowEmitter::isOwn(const Access &access) const {
  auto follows = [&](unsigned from, unsigned to) {
    return from == to || llvm::any_of(llvm::seq(from, to), [&](unsigned dim) {
             return access.index.isFunctionOfDim(dim);
           });
  };
  return follows(0, rows_.numOuter) &&
         follows(rows_.numOuter, rows_.numOuter + inner_.size());
}

/// Whether a region has more than a few plain operations: functions, quotients.
static bool isCostly(const Statement &statement) {
  return llvm::any_of(statement.generic().getBody()->without_terminator(),
                      [](Operation &op) {
                        return isa<math::MathDialect>(op.getDialect()) ||
                               isa<arith::DivFOp>(op);
                      });
}

/// Whether to keep an element of a map rather than what it is computed from:
/// where that has more bytes, or where computing it again is costly.
bool RowEmitter::isWorthKeeping(unsigned number, Value result) const {
  if (isCostly(body_.statements[number]))
    return true;
  llvm::BitVector one(body_.statements.size());
  one.set(number);
  int64_t bytes = 0;
  for (const Access &access : readsOf(one, passes_.levels[number] + 1))
    if (isOwn(access))
      bytes += bytesOf(access.tensor);
  return bytesOf(result) < bytes;
}

/// Keeps the elements of maps for which there are registers.
void RowEmitter::keepResults() {
  for (auto [number, statement] : llvm::enumerate(body_.statements))
    for (Value result : statement.op->getResults()) {
      int64_t bytes = each_ * std::max(kRegister, bytesOf(result));
      if (rows_.kinds[number] != StageKind::Map ||
          keptBytes_ + bytes > kMostKept || !isReadLater(number, result) ||
          !isWorthKeeping(number, result))
        continue;
      keptBytes_ += bytes;
      kept_.insert({result, text_.makeName("kept")});
    }
}

/// Keeps inputs that several passes read, as they are in memory.
void RowEmitter::keepInputs() {
  llvm::MapVector<Place, SmallVector<int>> readers;
  for (int pass = 0; pass < passes_.count; ++pass)
    for (const Access &access : readsOf(pass))
      if (isOwn(access))
        readers[{access.tensor, access.index}].push_back(pass);
  for (const auto &[place, passes] : readers) {
    int64_t bytes = each_ * bytesOf(place.first);
    if (passes.size() < 2 || keptBytes_ + bytes > kMostKept)
      continue;
    keptBytes_ += bytes;
    keptInputs_.insert({place, {text_.makeName("kept"), passes.front()}});
  }
}

/// Decides which elements stay in registers for later passes.
void RowEmitter::findKept() {
  if (each_ > kMaxKept)
    return;
  keepResults();
  keepInputs();
}

void RowEmitter::declareKept() {
  for (const auto &[result, name] : kept_)
    text_.line("{0} {1}[{2}];", elementText(result), name, each_);
  for (const auto &[place, kept] : keptInputs_)
    text_.line("{0} {1}[{2}];", vectorText(place.first, width_), kept.name,
               each_ / width_);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// The memory to which `pass` stores elements.
SmallVector<Access> RowEmitter::storesOf(int pass) const {
  SmallVector<Access> places;
  for (auto [number, statement] : llvm::enumerate(body_.statements))
    for (auto [out, result] : llvm::enumerate(statement.op->getResults()))
      if (rows_.kinds[number] == StageKind::Map && stores(pass, number, out))
        for (Value where : text_.destinationsOf(result))
          places.push_back({where, statement.outputs[out].index});
  return places;
}

bool RowEmitter::isVector(const Access &access) const {
  return mpc::cuda::isVector(access, dims_.size(), width_);
}

/// Halves accesses, of which a run then takes several after one another, until
/// a thread has registers for all vectors of a pass.
void RowEmitter::chooseWidth() {
  int64_t most = 0;
  for (int pass = 0; pass < passes_.count; ++pass) {
    int64_t bytes = 0;
    for (const Access &access :
         llvm::concat<Access>(readsOf(pass), storesOf(pass)))
      if (isVector(access) &&
          !keptInputs_.contains({access.tensor, access.index}))
        bytes += bytesOf(access.tensor);
    most = std::max(most, bytes);
  }
  int64_t held = keptBytes_;
  for (auto [number, statement] : llvm::enumerate(body_.statements))
    if (rows_.kinds[number] == StageKind::Reduction ||
        rows_.kinds[number] == StageKind::Partial)
      held += kRegister * statement.op->getNumResults();
  while (width_ > 1 && held + width_ * most > kMostHeld)
    width_ /= 2;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Whether a pass after that which stores an output reads what it may lie over.
bool RowEmitter::isStoredTooSoon(unsigned number, unsigned output) const {
  Value result = body_.statements[number].op->getResult(output);
  SmallVector<Value> destinations = text_.destinationsOf(result);
  for (int pass = storePass(number, output) + 1; pass < passes_.count; ++pass)
    for (const Access &access : readsOf(pass))
      for (Value destination : destinations)
        if (text_.mayOverwrite(destination, access.tensor))
          return true;
  return false;
}

/// Lets results wait for the last pass. What one reads there may be what
/// another lies over, so that this goes on until nothing changes.
void RowEmitter::delayStores() {
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (auto [number, statement] : llvm::enumerate(body_.statements))
      for (auto [out, result] : llvm::enumerate(statement.op->getResults()))
        if (rows_.kinds[number] == StageKind::Map &&
            isStoredTooSoon(number, out))
          isChanged |= waiting_.insert(result).second;
  }
}

/// The pass in which an output is stored.
int RowEmitter::storePass(unsigned number, unsigned output) const {
  Value result = body_.statements[number].op->getResult(output);
  return waiting_.contains(result) ? passes_.count - 1 : passes_.levels[number];
}

bool RowEmitter::stores(int pass, unsigned number, unsigned output) const {
  Value result = body_.statements[number].op->getResult(output);
  return storePass(number, output) == pass &&
         !text_.destinationsOf(result).empty();
}

bool RowEmitter::keeps(int pass, unsigned number, unsigned output) const {
  return passes_.levels[number] == pass &&
         kept_.contains(body_.statements[number].op->getResult(output));
}
