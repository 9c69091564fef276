// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Products of matrices by cuBLASLt.
#ifndef MPC_RUNTIME_DEVICE_CUDA_PRODUCT_H
#define MPC_RUNTIME_DEVICE_CUDA_PRODUCT_H

#include "runtime/Device/CUDA/CublasLt.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Support/MatrixProduct.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt::cuda {

/// Where the parts of a product lie on the device; 0 for parts that it has not.
struct ProductAddresses {
  DevicePointer a = 0, b = 0, d = 0, bias = 0, input = 0;
  /// Memory that the library may use while it computes the product. The bytes
  /// are a part of the choice of an algorithm.
  DevicePointer workspace = 0;
  uint64_t workspaceBytes = 0;
};

/// A product at its addresses, as the library describes it.
class ProductPlan {
public:
  /// An error where the library refuses the description.
  static Result<ProductPlan> create(std::shared_ptr<const CublasLt> library,
                                    const MatrixProduct &product,
                                    const ProductAddresses &addresses);

  /// The algorithms that the library has for it, at most `most`, the one that
  /// it takes for the fastest first. Addresses decide by how many bytes they
  /// are aligned. An error where it has none.
  [[nodiscard]] Result<std::vector<BlasAlgorithm>>
  algorithms(const BlasDevice &device, int most) const;
  /// Whether the library can compute it by `algorithm`.
  [[nodiscard]] bool accepts(const BlasDevice &device,
                             const BlasAlgorithm &algorithm) const;
  /// Adds the product to the stream's work. May be recorded into a graph; then
  /// the library must have run this algorithm before, since it loads code at
  /// the first use.
  [[nodiscard]] Status launch(const BlasDevice &device,
                              const BlasAlgorithm &algorithm,
                              const Stream &stream) const;

  /// All on which a choice of an algorithm depends, as text, but for device,
  /// driver and library.
  [[nodiscard]] const std::string &key() const { return key_; }

  /// The library's objects, for tests.
  [[nodiscard]] BlasProductHandle description() const {
    return description_.get();
  }
  [[nodiscard]] BlasLayoutHandle layoutOfA() const { return a_.get(); }
  [[nodiscard]] BlasLayoutHandle layoutOfB() const { return b_.get(); }
  [[nodiscard]] BlasLayoutHandle layoutOfD() const { return d_.get(); }

private:
  using Description =
      BlasOwned<BlasProductHandle, &BlasTable::cublasLtMatmulDescDestroy>;
  using Layout =
      BlasOwned<BlasLayoutHandle, &BlasTable::cublasLtMatrixLayoutDestroy>;
  using Preference = BlasOwned<BlasPreferenceHandle,
                               &BlasTable::cublasLtMatmulPreferenceDestroy>;

  ProductPlan(std::shared_ptr<const CublasLt> library,
              const MatrixProduct &product, const ProductAddresses &addresses);
  Status describe();
  Status set(BlasProductAttribute attribute, const auto &value);
  Result<Layout> createLayout(const MatrixLayout &matrix, int64_t rows,
                              int64_t columns) const;
  [[nodiscard]] Result<Preference> createPreference() const;

  std::shared_ptr<const CublasLt> library_;
  MatrixProduct product_;
  ProductAddresses addresses_;
  std::string key_;
  Description description_;
  Layout a_, b_, d_;
};

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_PRODUCT_H
