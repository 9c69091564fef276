// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of independent pieces into which scalar loops can be cut.
#include "lib/Codegen/CPU/LoopUnits.h"

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Storage.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

ArrayRef<int64_t> mpc::cpu::getChunkDims(const Statement &statement) {
  unsigned dims = 0;
  int64_t units = 1;
  while (dims < statement.numDims() && !statement.reduced[dims] && units < 64)
    units *= statement.extents[dims++];
  return ArrayRef(statement.extents).take_front(dims);
}

/// Whether each iteration of the first `dims` dimensions writes elements of its
/// own, and the iteration itself initialises every element that needs it.
static bool isIndependent(const Statement &statement, unsigned output,
                          unsigned dims, const OutputPlace &place) {
  auto linear = getLinear(statement.outputs[output].index, statement.numDims());
  if (!linear || place.destination < 0)
    return false;
  for (unsigned dim = 0; dim < dims; ++dim)
    if (linear->strides[dim] == 0)
      return false;
  return place.inPlace || statement.coversOutput(output);
}

static int64_t countGenericUnits(FuncOp kernel, const Statement &statement,
                                 const Storage &storage) {
  ArrayRef<int64_t> dims = getChunkDims(statement);
  for (unsigned out = 0; out < statement.outputs.size(); ++out)
    if (!isIndependent(statement, out, dims.size(), storage.getPlace(0, out)))
      return 1;
  int64_t units = 1;
  for (int64_t extent : dims)
    units *= extent;
  return units;
}

/// Whether the values that the kernel returns lie in their destinations.
static bool liesInDestinations(FuncOp kernel, const Storage &storage) {
  return llvm::all_of(llvm::enumerate(kernel.getReturn().getValues()),
                      [&](auto returned) {
                        return storage.getDestination(returned.value()) ==
                               static_cast<int>(returned.index());
                      });
}

int64_t mpc::cpu::countUnits(const Statement &statement) {
  auto cumsum = dyn_cast<CumsumOp>(statement.op);
  if (!cumsum)
    return statement.numParallel();
  auto type = cast<RankedTensorType>(cumsum.getInput().getType());
  return type.getDimSize(0) *
         llvm::divideCeil(type.getDimSize(2), CumsumOp::kBlock);
}

int64_t mpc::cpu::countLoopUnits(kernel::FuncOp kernel, const Body &body) {
  if (body.statements.size() != 1)
    return 1;
  const Statement &statement = body.statements.front();
  Storage storage(kernel, body);
  if (!liesInDestinations(kernel, storage))
    return 1;
  if (statement.generic())
    return countGenericUnits(kernel, statement, storage);
  return storage.getPlace(0, 0).inPlace ? countUnits(statement) : 1;
}

/// Whether different parallel indices write different elements of an output,
/// and all elements are written.
static bool isOneToOne(const Statement &statement, unsigned output) {
  if (!statement.coversOutput(output))
    return false;
  Linear linear =
      *getLinear(statement.outputs[output].index, statement.numDims());
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    if ((linear.strides[dim] == 0) != statement.reduced[dim])
      return false;
  return true;
}

static bool hasStrideUpTo(int64_t most, const Access &access,
                          const Statement &statement, unsigned dim) {
  if (!access.index.isFunctionOfDim(dim))
    return true;
  std::optional<Linear> linear = getLinear(access.index, statement.numDims());
  return linear && linear->strides[dim] >= 1 && linear->strides[dim] <= most;
}

// The least elements of a line that are worth a vector.
static constexpr int64_t kLeastLine = 3;

static bool isLaneDim(const Statement &statement, unsigned dim) {
  auto fits = [&](int64_t most) {
    return [&statement, dim, most](const Access &access) {
      return hasStrideUpTo(most, access, statement, dim);
    };
  };
  return !statement.reduced[dim] && statement.extents[dim] >= kLeastLine &&
         llvm::all_of(statement.outputs, fits(1)) &&
         llvm::all_of(statement.inputs, fits(2));
}

std::optional<unsigned> mpc::cpu::findLaneDim(FuncOp kernel, const Body &body) {
  if (body.statements.size() != 1 || !body.statements.front().generic())
    return std::nullopt;
  const Statement &statement = body.statements.front();
  Storage storage(kernel, body);
  if (!liesInDestinations(kernel, storage) || isRowReduction(statement) ||
      !getLongSum(statement, Unit::FMA, 1).cuts.empty())
    return std::nullopt;
  for (unsigned out = 0; out < statement.outputs.size(); ++out)
    if (storage.getPlace(0, out).destination < 0 || !isOneToOne(statement, out))
      return std::nullopt;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    if (isLaneDim(statement, dim))
      return dim;
  return std::nullopt;
}
