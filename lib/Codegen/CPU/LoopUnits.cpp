// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Into how many independent pieces scalar loops can be cut.
#include "lib/Codegen/CPU/LoopUnits.h"

#include "lib/Codegen/CPU/Storage.h"

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
/// own, and no element has to be initialised by anybody else.
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

int64_t mpc::cpu::countLoopUnits(kernel::FuncOp kernel, const Body &body) {
  if (body.statements.size() != 1)
    return 1;
  const Statement &statement = body.statements.front();
  Storage storage(kernel, body);
  for (auto [result, value] : llvm::enumerate(kernel.getReturn().getValues()))
    if (storage.getDestination(value) != static_cast<int>(result))
      return 1;
  if (statement.generic())
    return countGenericUnits(kernel, statement, storage);
  return storage.getPlace(0, 0).inPlace ? statement.numParallel() : 1;
}
