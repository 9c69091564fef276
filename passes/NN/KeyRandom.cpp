// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-key-random: adds arguments from which random numbers follow.
#include "passes/NN/Passes.h"

#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::nn {
#define GEN_PASS_DEF_KEYRANDOMPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

/// Adds the arguments for key, step and batch.
static SmallVector<Value> addArguments(func::FuncOp function) {
  Builder b(function.getContext());
  auto type = RankedTensorType::get({}, b.getI64Type());
  SmallVector<Value> arguments;
  for (StringRef part : kRandomParts) {
    unsigned index = function.getNumArguments();
    NamedAttribute what = b.getNamedAttr(kRandom, b.getStringAttr(part));
    (void)function.insertArgument(index, type, b.getDictionaryAttr(what),
                                  function.getLoc());
    arguments.push_back(function.getArgument(index));
  }
  return arguments;
}

/// Adds the arguments to `model` and makes `ops` draw from them.
static void giveKey(func::FuncOp model, ArrayRef<RandomInterface> ops) {
  int64_t numStreams = 0;
  for (RandomInterface op : ops)
    numStreams = std::max<int64_t>(numStreams, int64_t{op.getStream()} + 1);
  SmallVector<Value> key = addArguments(model);
  auto b = OpBuilder::atBlockBegin(&model.getBody().front());
  key[1] = RandomCountersOp::create(
      b, model.getLoc(), RankedTensorType::get(numStreams, b.getI64Type()),
      key[1]);
  for (RandomInterface op : ops)
    op.getRandomKeyMutable().assign(key);
}

namespace {

struct KeyRandomPass : mpc::nn::impl::KeyRandomPassBase<KeyRandomPass> {
  using KeyRandomPassBase::KeyRandomPassBase;

  void runOnOperation() override {
    auto model = getOperation().lookupSymbol<func::FuncOp>(kModelFunction);
    if (!model || model.isDeclaration())
      return;
    SmallVector<RandomInterface> ops;
    model.walk([&](RandomInterface op) {
      bool isLeftOut = op.isTrainingOnly() && !dropout;
      if (op.draws() && op.getRandomKeyMutable().empty() && !isLeftOut)
        ops.push_back(op);
    });
    if (!ops.empty())
      giveKey(model, ops);
  }
};

} // namespace
