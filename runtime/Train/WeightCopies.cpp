// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds weights beyond the range of their 16-bit copies.
#include "runtime/Train/WeightCopies.h"

#include "runtime/Support/Convert.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Text.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace mpc::rt {
namespace {

float largestOf(DType type) {
  return static_cast<float>(formatOf(type)->largest());
}

/// The number of elements that are finite in both, where the weight's magnitude
/// exceeds the range of the copy's type.
int64_t countSaturated(const TensorView &weight, const TensorView &copy) {
  const float largest = largestOf(copy.desc.dtype);
  const auto *values = static_cast<const float *>(weight.data);
  const auto *halves = static_cast<const std::byte *>(copy.data);
  int64_t count = 0;
  for (int64_t i = 0; i < weight.desc.numElements(); ++i) {
    if (!(std::fabs(values[i]) > largest) || !std::isfinite(values[i]))
      continue;
    float low = 0;
    (void)convert(halves + i * 2, copy.desc.dtype, &low, DType::F32, 1);
    count += std::isfinite(low);
  }
  return count;
}

/// A warning about the weight of `copy`; empty for none.
std::string describe(const Runner &runner, std::string_view name,
                     const TensorDesc &copy) {
  Result<TensorView> weight = runner.readState(name);
  Result<TensorView> low = runner.readState(copy.name);
  if (!weight.ok() || !low.ok() || weight->desc.dtype != DType::F32)
    return "";
  int64_t count = countSaturated(*weight, *low);
  if (count == 0)
    return "";
  return fmt::format(
      "weight {}: {} of {} elements are beyond {}, the largest {}, and are "
      "computed as that number; --weight-cast=round makes them infinite",
      quote(name), count, copy.numElements(), largestOf(copy.dtype),
      mpc::rt::name(copy.dtype));
}

} // namespace

void SaturationWatch::look(const Runner &runner) {
  for (const StateTensor &tensor : runner.program().state) {
    if (tensor.role != StateRole::LowPrecision)
      continue;
    if (known_.contains(tensor.owner))
      continue;
    if (std::string text = describe(runner, tensor.owner, tensor.desc);
        !text.empty()) {
      known_.insert(tensor.owner);
      warn_(text);
    }
  }
}

} // namespace mpc::rt
