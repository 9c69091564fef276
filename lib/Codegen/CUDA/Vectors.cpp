// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses are vectors, and their text.
#include "lib/Codegen/CUDA/Vectors.h"

#include "lib/Codegen/CUDA/ScalarText.h"

using namespace mlir;
using namespace mpc::cuda;
using mpc::kernel::Access;
using mpc::kernel::Linear;

bool mpc::cuda::isVector(const Access &access, unsigned numDims,
                         int64_t vector) {
  if (vector == 1 || numDims == 0)
    return false;
  std::optional<Linear> linear = getLinear(access.index, numDims);
  if (!linear || linear->offset % vector != 0 || linear->strides.back() != 1 ||
      !isAligned(access.tensor, vector))
    return false;
  return llvm::all_of(ArrayRef(linear->strides).drop_back(),
                      [&](int64_t stride) { return stride % vector == 0; });
}

static Type elementTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

std::string mpc::cuda::vectorText(Value tensor, int64_t vector) {
  return llvm::formatv("mpc_vector<{0}, {1}>",
                       getStorageText(elementTypeOf(tensor)), vector);
}

static std::string placeOf(KernelText &text, const Access &access,
                           int64_t vector, ArrayRef<std::string> dims) {
  return text.pointer(access.tensor, vector) + " + " +
         text.index(access.index, dims);
}

std::string mpc::cuda::loadVector(KernelText &text, const Access &access,
                                  int64_t vector, ArrayRef<std::string> dims) {
  return vectorText(access.tensor, vector) + "::load(" +
         placeOf(text, access, vector, dims) + ")";
}

void mpc::cuda::storeVector(KernelText &text, const Access &access,
                            int64_t vector, ArrayRef<std::string> dims,
                            const std::string &value) {
  text.line("{0}.store({1});", value, placeOf(text, access, vector, dims));
}

std::string mpc::cuda::elementOf(Value tensor, const std::string &vector,
                                 const std::string &lane) {
  std::string element = vector + ".at[" + lane + "]";
  return elementTypeOf(tensor).isInteger(1) ? "bool(" + element + ")" : element;
}
