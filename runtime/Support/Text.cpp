// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of names, numbers and sizes.
#include "runtime/Support/Text.h"

#include <cmath>
#include <fmt/format.h>
#include <system_error>

namespace mpc::rt {

std::string escape(std::string_view text) {
  constexpr size_t kLimit = 200;
  std::string result;
  for (char c : text.substr(0, kLimit)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  if (text.size() > kLimit)
    result += "...";
  return result;
}

std::string quote(std::string_view text) { return "'" + escape(text) + "'"; }

std::string shortestDecimal(double value) {
  // fmt would keep the sign of a NaN.
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}
std::string shortestDecimal(float value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return fmt::format("{} bytes", bytes);
  constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string joinSome(const std::vector<std::string> &items) {
  constexpr size_t kLimit = 20;
  std::string result;
  for (size_t i = 0; i < items.size() && i < kLimit; ++i)
    result += (i ? ", " : "") + items[i];
  if (items.size() > kLimit)
    result += fmt::format(" and {} more", items.size() - kLimit);
  return result;
}

std::string errnoMessage(int error) {
  return std::error_code(error, std::generic_category()).message();
}

} // namespace mpc::rt
