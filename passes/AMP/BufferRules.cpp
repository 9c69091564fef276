// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of a training on ranks.
#include "passes/AMP/BufferRules.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/OpInterfaces.h"
#include "passes/AMP/EntryBuilder.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

//===----------------------------------------------------------------------===//
// What a batch adds
//===----------------------------------------------------------------------===//

static bool reads(Value value, nn::ParameterOp buffer) {
  auto get = value.getDefiningOp<nn::GetOp>();
  return get && get.getParameter() == buffer.getSymName();
}

static RankedTensorType typeOf(nn::ParameterOp buffer) {
  return cast<RankedTensorType>(buffer.getType());
}

/// The running statistics of an op. The op computes from zeros, in place of the
/// buffer, what the batch adds.
static std::optional<BufferRule> findStatistics(nn::ParameterOp buffer,
                                                OpOperand &next) {
  auto op = next.get().getDefiningOp<mpc::TrainingOpInterface>();
  if (!op || !typeOf(buffer).getElementType().isF32())
    return std::nullopt;
  for (mpc::RunningState state : op.getRunningState()) {
    if (state.next != next.get() || !reads(state.old->get(), buffer))
      continue;
    OpBuilder b(op);
    state.old->set(
        nn::GradientBuilder(b, op.getLoc()).splat(typeOf(buffer), 0.0));
    return BufferRule{state.decay, /*count=*/{}};
  }
  return std::nullopt;
}

/// A count to which each batch adds the same.
static std::optional<BufferRule> findCount(nn::ParameterOp buffer,
                                           OpOperand &next) {
  auto add = next.get().getDefiningOp<nn::AddOp>();
  if (!add || !isa<IntegerType>(typeOf(buffer).getElementType()))
    return std::nullopt;
  for (auto [old, added] : {std::pair(add.getLhs(), add.getRhs()),
                            std::pair(add.getRhs(), add.getLhs())})
    if (auto constant = added.getDefiningOp<nn::ConstantOp>();
        constant && reads(old, buffer)) {
      next.set(added);
      return BufferRule{1.0, constant};
    }
  return std::nullopt;
}

/// Whether an op that computes something reads `buffer` in the loss.
static bool isRead(func::FuncOp loss, nn::ParameterOp buffer) {
  return loss
      .walk([&](nn::GetOp get) {
        bool isDead = !reads(get, buffer) ||
                      llvm::all_of(get->getUsers(), [](Operation *user) {
                        return user->use_empty() && isPure(user);
                      });
        return isDead ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

LogicalResult mpc::amp::findBufferRules(StepPlan &plan) {
  func::FuncOp loss = plan.loss;
  Operation *terminator = loss.getBody().front().getTerminator();
  for (auto [index, buffer] : llvm::enumerate(plan.results)) {
    if (!buffer)
      continue;
    OpOperand &next = terminator->getOpOperand(index + 1);
    std::optional<BufferRule> rule = findStatistics(buffer, next);
    if (!rule)
      rule = findCount(buffer, next);
    if (!rule || isRead(loss, buffer))
      return buffer.emitError("'")
             << buffer.getSymName()
             << "' follows in each batch from what the one before left, and "
                "ranks have batches of their own: train it on one rank";
    plan.rules.push_back(*rule);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What all batches add
//===----------------------------------------------------------------------===//

namespace {

/// Computes the statistics of all layers together, as one vector.
class Statistics {
public:
  Statistics(EntryBuilder &entry, ArrayRef<unsigned> members)
      : entry_(entry), g_(entry.g), members_(members) {
    for (unsigned member : members)
      width_ += typeOf(entry.plan.buffers[member]).getNumElements();
  }

  /// Sets the members of `values`.
  void advance(ValueRange added, MutableArrayRef<Value> values) {
    Value batches = gather(added);
    Value all = sumOver(batches);
    int64_t begin = 0;
    for (unsigned member : members_) {
      RankedTensorType type = typeOf(entry_.plan.buffers[member]);
      int64_t end = begin + type.getNumElements();
      values[member] = g_.reshape(slice(all, begin, end), type.getShape());
      begin = end;
    }
  }

private:
  /// One row for each batch of all ranks.
  Value gather(ValueRange added) {
    SmallVector<Value> own;
    int64_t rows = 0;
    for (unsigned member : members_) {
      RankedTensorType type = typeOf(entry_.plan.buffers[member]);
      rows = cast<RankedTensorType>(added[member].getType()).getNumElements() /
             type.getNumElements();
      own.push_back(g_.reshape(added[member], {rows, type.getNumElements()}));
    }
    auto ranks = static_cast<int64_t>(entry_.recipe.getRanks());
    auto type =
        RankedTensorType::get({rows * ranks, width_}, entry_.b.getF32Type());
    return AllGatherOp::create(
        entry_.b, entry_.loc, type,
        nn::ConcatOp::create(entry_.b, entry_.loc, own, 1), ranks);
  }

  /// The buffers after all `batches`, in the order of ops in which a window of
  /// one process changes them (StepWriter.cpp).
  Value sumOver(Value batches) {
    Value buffers = readAll(), decay = decays();
    Value change = g_.splat(buffers, 0.0);
    int64_t rows = cast<RankedTensorType>(batches.getType()).getDimSize(0);
    batches = g_.reshape(batches, {rows * width_});
    for (int64_t row = 0; row != rows; ++row) {
      Value old = g_.add(buffers, change);
      Value next = g_.add(g_.mul(old, decay),
                          slice(batches, row * width_, (row + 1) * width_));
      change = g_.sub(next, buffers);
    }
    return g_.add(buffers, change);
  }

  Value readAll() {
    SmallVector<Value> parts;
    for (unsigned member : members_) {
      nn::ParameterOp buffer = entry_.plan.buffers[member];
      parts.push_back(
          g_.reshape(entry_.read(buffer), {typeOf(buffer).getNumElements()}));
    }
    return nn::ConcatOp::create(entry_.b, entry_.loc, parts, 0);
  }

  Value decays() {
    SmallVector<float> values;
    for (unsigned member : members_)
      values.append(typeOf(entry_.plan.buffers[member]).getNumElements(),
                    static_cast<float>(entry_.plan.rules[member].decay));
    auto type = RankedTensorType::get({width_}, entry_.b.getF32Type());
    return nn::ConstantOp::create(
        entry_.b, entry_.loc, type,
        DenseElementsAttr::get(type, ArrayRef<float>(values)));
  }

  Value slice(Value vector, int64_t begin, int64_t end) {
    return nn::SliceOp::create(entry_.b, entry_.loc, vector, {begin}, {end},
                               {1});
  }

  EntryBuilder &entry_;
  nn::GradientBuilder &g_;
  ArrayRef<unsigned> members_;
  int64_t width_ = 0;
};

} // namespace

SmallVector<Value> mpc::amp::advanceBuffers(EntryBuilder &entry,
                                            ValueRange added) {
  const StepPlan &plan = entry.plan;
  SmallVector<Value> values(plan.buffers.size());
  SmallVector<unsigned> statistics;
  for (auto [index, rule] : llvm::enumerate(plan.rules)) {
    if (!rule.count) {
      statistics.push_back(index);
      continue;
    }
    Value each = entry.b.clone(*rule.count)->getResult(0);
    values[index] = entry.g.add(
        entry.read(plan.buffers[index]),
        entry.g.scale(each, static_cast<double>(entry.recipe.getAccumulate())));
  }
  if (!statistics.empty())
    Statistics(entry, statistics).advance(added, values);
  return values;
}
