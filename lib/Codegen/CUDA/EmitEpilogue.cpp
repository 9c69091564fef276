// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The map on a contraction's result.
#include "lib/Codegen/CUDA/EmitEpilogue.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

void mpc::cuda::emitEpilogue(KernelText &text, const Contraction &contraction,
                             const Epilogue &epilogue,
                             ArrayRef<std::string> dims,
                             const std::string &sum) {
  DenseMap<Value, std::string> known;
  known[contraction.getResult()] = sum;
  auto read = [&](const LinearAccess &access) {
    if (!access.tensor)
      return std::string();
    std::string value = known.lookup(access.tensor);
    return !value.empty()
               ? value
               : text.load(access.tensor, text.index(access.index, dims));
  };
  for (const EpilogueStep &step : epilogue.steps) {
    Texts arguments = llvm::map_to_vector(step.reads, read);
    Texts results = text.region(step.statement->generic(), arguments, {});
    for (auto [result, value] :
         llvm::zip(step.statement->op->getResults(), results))
      known[result] = value;
  }
  for (const EpilogueStore &store : epilogue.stores)
    text.store(store.destination, text.index(store.index, dims),
               known.lookup(store.value));
}
