// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the runtime's products of #cuda.product.
#include "lib/Driver/CudaProducts.h"

#include "runtime/Program/LibraryProduct.h"

using namespace mlir;
using namespace mpc;

static rt::DType dtypeOf(Type type) {
  if (type.isF32())
    return rt::DType::F32;
  return type.isF16() ? rt::DType::F16 : rt::DType::BF16;
}

static rt::MatrixLayout layoutOf(cuda::MatrixAttr matrix) {
  return {dtypeOf(matrix.getType()), matrix.getTransposed(),
          matrix.getLeading(), matrix.getBatchStride()};
}

static rt::ProductPlace placeOf(cuda::MatrixAttr matrix) {
  return {matrix.getParameter(), static_cast<uint64_t>(matrix.getOffset()) *
                                     rt::byteSize(dtypeOf(matrix.getType()))};
}

static rt::MatrixProduct productOf(cuda::ProductAttr product) {
  rt::MatrixProduct result{product.getRows(),        product.getColumns(),
                           product.getDepth(),       product.getBatch(),
                           layoutOf(product.getA()), layoutOf(product.getB()),
                           layoutOf(product.getD())};
  result.hasBias = product.getBias() != nullptr;
  if (product.getInput())
    result.input = layoutOf(product.getInput());
  result.isGradient = product.getGradient();
  return result;
}

static rt::ProductPlaces placesOf(cuda::ProductAttr product) {
  rt::ProductPlaces places{placeOf(product.getA()), placeOf(product.getB()),
                           placeOf(product.getD())};
  if (product.getBias())
    places.bias = placeOf(product.getBias());
  if (product.getInput())
    places.input = placeOf(product.getInput());
  return places;
}

/// What a library can use beside a product: it may divide sums into parts, of
/// which it keeps a few of each element.
static uint64_t usefulScratch(const rt::MatrixProduct &product) {
  constexpr uint64_t kParts = 8;
  return static_cast<uint64_t>(product.rows) *
         static_cast<uint64_t>(product.columns) *
         static_cast<uint64_t>(product.batch) * sizeof(float) * kParts;
}

std::shared_ptr<const rt::Command>
mpc::createLibraryProduct(cuda::ProductAttr product,
                          const rt::DeviceKernel &kernel,
                          const rt::Launch &launch, uint64_t mostScratch) {
  auto isTried = [&](cuda::MatrixAttr matrix) {
    return rt::LibraryProduct::mayWrite(launch.buffers[matrix.getParameter()]);
  };
  bool writesInput = product.getInput() && !product.getGradient();
  if (!isTried(product.getD()) || (writesInput && !isTried(product.getInput())))
    return nullptr;
  rt::MatrixProduct made = productOf(product);
  return std::make_shared<rt::LibraryProduct>(
      kernel, made, placesOf(product),
      std::min(mostScratch, usefulScratch(made)));
}
