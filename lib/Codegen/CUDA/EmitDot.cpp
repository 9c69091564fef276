// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.dot: a contraction with one thread for each element of its result.
#include "lib/Codegen/CUDA/EmitEpilogue.h"
#include "lib/Codegen/CUDA/Emitters.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

static SmallVector<int64_t> getExtents(const Statement &statement,
                                       ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(
      dims, [&](unsigned dim) { return statement.extents[dim]; });
}

/// The sum at `dims`, whose reduced dimensions the loops set.
static std::string emitSum(KernelText &text, const Contraction &contraction,
                           Texts dims) {
  const Statement &statement = contraction.statement;
  std::string sum = text.makeName("sum");
  text.line("float {0} = 0.0f;", sum);
  ArrayRef<unsigned> reduced = contraction.groups[Contraction::K];
  text.nest(getExtents(statement, reduced), [&](ArrayRef<std::string> at) {
    for (auto [dim, name] : llvm::zip(reduced, at))
      dims[dim] = name;
    Texts arguments;
    for (const Access &input : statement.inputs)
      arguments.push_back(
          text.load(input.tensor, text.index(input.index, dims)));
    arguments.push_back(sum);
    text.line("{0} = {1};", sum, text.region(statement, arguments, dims)[0]);
  });
  return sum;
}

void mpc::cuda::emitDot(KernelText &text, const Body &body, DotAttr schedule) {
  Contraction contraction = *matchContraction(body.statements.front());
  const Statement &statement = contraction.statement;
  Epilogue epilogue = getEpilogue(text.kernel, body);
  SmallVector<unsigned> outer = contraction.getResultDims();
  int64_t count = statement.numParallel();
  std::string element =
      text.define(text.indexType(), "element",
                  llvm::formatv("{0}(blockIdx.x) * {1} + threadIdx.x",
                                text.indexType(), schedule.getThreads()));
  text.block(llvm::formatv("if ({0} < {1})", element, count), [&] {
    Texts dims(statement.numDims());
    Texts places = text.delinearize(element, getExtents(statement, outer));
    for (auto [dim, place] : llvm::zip(outer, places))
      dims[dim] = place;
    std::string sum = emitSum(text, contraction, dims);
    emitEpilogue(text, contraction, epilogue, dims, sum);
  });
}
