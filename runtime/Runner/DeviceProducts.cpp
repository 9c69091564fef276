// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses among the algorithms of cuBLASLt and the program's own kernels.
#include "runtime/Runner/DeviceProducts.h"

#include "runtime/Support/Hash.h"

#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace mpc::rt {
namespace {

/// How many of the library's algorithms are measured, and how often each runs
/// behind a first time, in which its code is loaded.
constexpr int kMostAlgorithms = 8, kRuns = 3;

/// A time counts as shorter where it is this part of another one, or less: what
/// comes first stays unless it is clearly slower.
constexpr float kShorter = 0.98F;

/// What is kept for the program's own kernel.
constexpr std::string_view kOwnKernel = "kernel";

cuda::ProductAddresses addressesOf(const PlacedProduct &product,
                                   DeviceAddress scratch) {
  return {product.a,     product.b, product.d,           product.bias,
          product.input, scratch,   product.scratchBytes};
}

} // namespace

/// Opens the library at the first product.
bool DeviceProducts::open() {
  if (std::exchange(isOpened_, true))
    return device_ != nullptr;
  auto start = [&]() -> Status {
    MPC_ASSIGN_OR_RETURN(auto library, cuda::CublasLt::open());
    MPC_ASSIGN_OR_RETURN(
        device_, cuda::BlasDevice::create(std::move(library), context_));
    return {};
  };
  if (Status started = start(); !started.ok())
    reason_ = started.message();
  Result<CacheFolder> cache = CacheFolder::open();
  if (cache.ok() && !CacheFolder::defaultPath().empty())
    cache_ = *std::move(cache);
  return device_ != nullptr;
}

/// The program's own kernel, for that reason.
DeviceProducts::Choice DeviceProducts::refuse(const Status &reason) {
  if (reason_.empty())
    reason_ = fmt::format("cuBLASLt {}: {}", device_->library()->version(),
                          reason.message());
  return std::nullopt;
}

std::string DeviceProducts::warning() const {
  if (reason_.empty() || cuda::CublasLt::isOff())
    return "";
  return fmt::format("{} products are computed by mpc's own kernels: {}",
                     device_ ? "some" : "all", reason_);
}

Status DeviceProducts::choose(const PlacedProduct &product,
                              DeviceAddress scratch, const Kernel &kernel) {
  if (!open())
    return {};
  auto plan = cuda::ProductPlan::create(device_->library(), product.product,
                                        addressesOf(product, scratch));
  if (!plan.ok()) {
    refuse(plan.status());
    return {};
  }
  if (choices_.contains(plan->key()))
    return {};
  MPC_ASSIGN_OR_RETURN(choices_[plan->key()], chooseFor(*plan, kernel));
  return {};
}

Result<DeviceProducts::Choice>
DeviceProducts::chooseFor(const cuda::ProductPlan &plan, const Kernel &kernel) {
  if (std::optional<Choice> kept = findKept(plan)) {
    // The first use of an algorithm loads its code.
    return *kept ? takeFirst(plan, {&**kept, 1}) : *kept;
  }
  auto algorithms = plan.algorithms(*device_, kMostAlgorithms);
  if (!algorithms.ok())
    return refuse(algorithms.status());
  if (!measures_ || !cache_)
    return takeFirst(plan, *algorithms);
  MPC_ASSIGN_OR_RETURN(Choice choice, takeFastest(plan, *algorithms, kernel));
  keep(plan.key(), choice);
  return choice;
}

/// The first algorithm that the library runs.
Result<DeviceProducts::Choice>
DeviceProducts::takeFirst(const cuda::ProductPlan &plan,
                          std::span<const cuda::BlasAlgorithm> algorithms) {
  Status refused;
  for (const cuda::BlasAlgorithm &algorithm : algorithms) {
    refused = plan.launch(*device_, algorithm, *stream_);
    MPC_RETURN_IF_ERROR(stream_->synchronize("trying a product"));
    if (refused.ok())
      return Choice(algorithm);
  }
  return refuse(refused);
}

/// Milliseconds of a few launches, behind a first one.
Result<float> DeviceProducts::timeOf(const Kernel &launch) const {
  MPC_RETURN_IF_ERROR(launch());
  MPC_ASSIGN_OR_RETURN(cuda::Event start,
                       cuda::Event::create(context_, cuda::Event::Timing::On));
  MPC_ASSIGN_OR_RETURN(cuda::Event end,
                       cuda::Event::create(context_, cuda::Event::Timing::On));
  MPC_RETURN_IF_ERROR(stream_->record(start));
  for (int run = 0; run < kRuns; ++run)
    MPC_RETURN_IF_ERROR(launch());
  MPC_RETURN_IF_ERROR(stream_->record(end));
  MPC_RETURN_IF_ERROR(stream_->synchronize("timing a product"));
  return end.millisecondsSince(start);
}

/// The fastest of the algorithms that the library runs and of the kernel.
Result<DeviceProducts::Choice>
DeviceProducts::takeFastest(const cuda::ProductPlan &plan,
                            std::span<const cuda::BlasAlgorithm> algorithms,
                            const Kernel &kernel) {
  Choice fastest;
  float least = std::numeric_limits<float>::infinity();
  for (const cuda::BlasAlgorithm &algorithm : algorithms) {
    Result<float> time =
        timeOf([&] { return plan.launch(*device_, algorithm, *stream_); });
    if (!time.ok() || *time > kShorter * least)
      continue;
    least = *time;
    fastest = algorithm;
  }
  MPC_ASSIGN_OR_RETURN(float own, timeOf(kernel));
  return own <= kShorter * least ? Choice() : fastest;
}

Status DeviceProducts::launch(const PlacedProduct &product,
                              DeviceAddress scratch,
                              const Kernel &kernel) const {
  if (!device_)
    return kernel();
  auto plan = cuda::ProductPlan::create(device_->library(), product.product,
                                        addressesOf(product, scratch));
  if (!plan.ok())
    return kernel();
  auto choice = choices_.find(plan->key());
  return choice == choices_.end() || !choice->second
             ? kernel()
             : plan->launch(*device_, *choice->second, *stream_);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// The name of the file for a product, from all on which its times depend.
std::string DeviceProducts::fileOf(const std::string &key) const {
  const cuda::DeviceInfo &device = context_->info();
  std::string all =
      fmt::format("{}, sm_{}, driver {}, cuBLASLt {}, {}", device.name,
                  device.capability.number(), context_->driver().version(),
                  device_->library()->version(), key);
  return ContentHash::of(all.data(), all.size()) +
         std::string(CacheFolder::kChoice);
}

/// The choice of an earlier process, if the library still accepts it.
std::optional<DeviceProducts::Choice>
DeviceProducts::findKept(const cuda::ProductPlan &plan) const {
  auto file =
      cache_ && measures_ ? cache_->find(fileOf(plan.key())) : std::nullopt;
  if (!file)
    return std::nullopt;
  auto bytes = file->bytes();
  cuda::BlasAlgorithm algorithm;
  if (std::string_view(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size()) == kOwnKernel)
    return Choice();
  if (bytes.size() != sizeof(algorithm))
    return std::nullopt;
  std::memcpy(&algorithm, bytes.data(), sizeof(algorithm));
  if (!plan.accepts(*device_, algorithm))
    return std::nullopt;
  return Choice(algorithm);
}

void DeviceProducts::keep(const std::string &key, const Choice &choice) const {
  std::string content(kOwnKernel);
  if (choice)
    content.assign(reinterpret_cast<const char *>(&*choice), sizeof(*choice));
  // A full disk is no reason to fail.
  (void)!cache_->store(fileOf(key), content).ok();
}

} // namespace mpc::rt
