// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights beyond the range of their copies.
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

/// How many elements are finite in both, and further from 0 in the weight than
/// its copy's type goes.
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

/// What to say of the weight of `copy`; empty for nothing.
std::string describe(const Runner &runner, std::string_view name,
                     const TensorDesc &copy) {
  Result<TensorView> weight = runner.readState(name);
  Result<TensorView> low = runner.readState(copy.name);
  if (!weight.ok() || !low.ok() || weight->desc.dtype != DType::F32)
    return "";
  int64_t count = countSaturated(*weight, *low);
  if (count == 0)
    return "";
  return fmt::format("weight {}: {} of {} elements are beyond {}, the largest "
                     "{}, and computed "
                     "with as that; --weight-cast=round makes them infinite",
                     quote(name), count, copy.numElements(),
                     largestOf(copy.dtype), mpc::rt::name(copy.dtype));
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
