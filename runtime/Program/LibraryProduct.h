// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The command for products that a library of the device may compute.
#ifndef MPC_RUNTIME_PROGRAM_LIBRARYPRODUCT_H
#define MPC_RUNTIME_PROGRAM_LIBRARYPRODUCT_H

#include "runtime/Program/Commands.h"
#include "runtime/Support/MatrixProduct.h"

#include <cstdint>
#include <optional>

namespace mpc::rt {

/// A part of a product: where it begins in one of its launch's buffers.
struct ProductPlace {
  uint32_t buffer = 0;
  uint64_t offset = 0; ///< In bytes.
};

/// Where the parts of a product lie.
struct ProductPlaces {
  ProductPlace a, b, d;
  std::optional<ProductPlace> bias = {}, input = {};
};

/// A kernel of a GPU that computes a product of matrices. cuBLASLt computes it
/// in the kernel's place where a device has that library and is not slower by
/// it. It rounds once; the kernel rounds the sum, and then what is made of it.
class LibraryProduct final : public DeviceKernel {
public:
  /// The library gets `scratchBytes` of memory while it computes the product,
  /// of which the kernel knows nothing.
  LibraryProduct(const DeviceKernel &kernel, const MatrixProduct &product,
                 const ProductPlaces &places, uint64_t scratchBytes);
  static const CommandRow kRow;

  /// Whether a product may write there: choose() runs it before anything else
  /// has run, when state holds values already.
  static bool mayWrite(const BufferRef &buffer) {
    return buffer.space == Space::Arena || buffer.space == Space::Output;
  }

  [[nodiscard]] const MatrixProduct &product() const { return product_; }
  [[nodiscard]] const ProductPlaces &places() const { return places_; }

  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string describe() const override;
  void write(nlohmann::json &fields) const override;
  [[nodiscard]] std::string fault(const Program &program,
                                  const Launch &launch) const override;
  [[nodiscard]] std::shared_ptr<const Command>
  shifted(const CodeShift &shift) const override;
  [[nodiscard]] uint64_t scratchBytes() const override { return scratchBytes_; }
  Status choose(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override;
  Status record(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override;

private:
  MatrixProduct product_;
  ProductPlaces places_;
  uint64_t scratchBytes_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_LIBRARYPRODUCT_H
