// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the products of a program are computed on a GPU: by cuBLASLt, or by the
/// program's own kernels.
#ifndef MPC_RUNTIME_RUNNER_DEVICEPRODUCTS_H
#define MPC_RUNTIME_RUNNER_DEVICEPRODUCTS_H

#include "runtime/Device/CUDA/Product.h"
#include "runtime/Program/Machines.h"
#include "runtime/Support/CacheFolder.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace mpc::rt {

/// Chooses once for each product, and keeps the choice in the compile cache by
/// device, driver and library. Whatever the library cannot do, kernels do.
class DeviceProducts {
public:
  /// Adds the kernel that computes a product to the stream.
  using Kernel = std::function<Status()>;

  /// Measures only if `measures`, and where there is a cache: without one, each
  /// start would choose anew, perhaps otherwise. The library's own estimate
  /// decides then.
  DeviceProducts(cuda::ContextRef context, const cuda::Stream &stream,
                 bool measures)
      : context_(std::move(context)), stream_(&stream), measures_(measures) {}

  // A product's scratch memory is at `scratch`.
  /// Chooses how to compute `product`. May run it, and waits.
  Status choose(const PlacedProduct &product, DeviceAddress scratch,
                const Kernel &kernel);
  /// Adds the product to the stream, as was chosen.
  Status launch(const PlacedProduct &product, DeviceAddress scratch,
                const Kernel &kernel) const;

  /// Why kernels compute products; empty where the library computes all that
  /// are not faster by kernels, and where the user wants none.
  [[nodiscard]] std::string warning() const;

private:
  /// An algorithm of the library; empty for the program's own kernel.
  using Choice = std::optional<cuda::BlasAlgorithm>;

  bool open();
  Choice refuse(const Status &reason);
  Result<Choice> chooseFor(const cuda::ProductPlan &plan, const Kernel &kernel);
  Result<Choice> takeFirst(const cuda::ProductPlan &plan,
                           std::span<const cuda::BlasAlgorithm> algorithms);
  Result<Choice> takeFastest(const cuda::ProductPlan &plan,
                             std::span<const cuda::BlasAlgorithm> algorithms,
                             const Kernel &kernel);
  Result<float> timeOf(const Kernel &launch) const;
  [[nodiscard]] std::string fileOf(const std::string &key) const;
  [[nodiscard]] std::optional<Choice>
  findKept(const cuda::ProductPlan &plan) const;
  void keep(const std::string &key, const Choice &choice) const;

  cuda::ContextRef context_;
  const cuda::Stream *stream_;
  bool measures_;
  bool isOpened_ = false;
  std::shared_ptr<const cuda::BlasDevice>
      device_; ///< Null where it is missing.
  std::optional<CacheFolder> cache_;
  std::map<std::string, Choice> choices_; ///< By ProductPlan::key().
  /// Why the library does not compute a product, the first reason; empty where
  /// it computes all.
  std::string reason_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_DEVICEPRODUCTS_H
