// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small integers for kernels, and comparisons of what they make of them.
#include "benchmarks/gpu/KernelValues.h"

#include "runtime/Support/Rounding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <utility>

using namespace mpc;
using namespace mpc::rt;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static constexpr std::string_view kEndOfPrelude = "// End of the prelude.\n";

static std::string_view sourceOf(const Program &program, const Launch &launch) {
  uint32_t module = launch.as<DeviceKernel>()->module();
  const SharedBytes &text = program.cuda()->modules[module].source;
  std::string_view all(reinterpret_cast<const char *>(text.data()),
                       text.size());
  size_t end = all.find(kEndOfPrelude);
  return end == std::string_view::npos ? all : all.substr(end);
}

Result<std::string_view> gpu::textOf(const Program &program,
                                     const Launch &launch) {
  std::string_view text = sourceOf(program, launch);
  size_t begin = text.find("\n" + launch.symbol + "(");
  size_t end = text.find("\n}\n", std::min(begin, text.size()));
  if (end == std::string_view::npos)
    return invalidInput(
        fmt::format("the text has no kernel '{}'", launch.symbol));
  begin += launch.symbol.size() + 1;
  return text.substr(begin, end - begin);
}

/// Which of the two types of 16 bits the program computes with.
static DType narrowType(const Program &program) {
  auto isBf16 = [](const DeviceModule &module) {
    std::string_view all(reinterpret_cast<const char *>(module.source.data()),
                         module.source.size());
    size_t end = std::min(all.find(kEndOfPrelude), all.size());
    return all.find("bf16", end) != std::string_view::npos;
  };
  const std::vector<DeviceModule> &modules = program.cuda()->modules;
  return std::any_of(modules.begin(), modules.end(), isBf16) ? DType::BF16
                                                             : DType::F16;
}

static std::optional<DType> typeOf(std::string_view parameter, DType narrow) {
  const std::array<std::pair<std::string_view, DType>, 7> spellings = {
      {{"float *", DType::F32},
       {"double *", DType::F64},
       {"mpc_u16 *", narrow},
       {"mpc_u64 *", DType::I64},
       {"mpc_u32 *", DType::I32},
       {"mpc_u8 *", DType::Bool},
       {"bool *", DType::Bool}}};
  for (auto [spelling, type] : spellings)
    if (parameter.find(spelling) != std::string_view::npos)
      return type;
  return std::nullopt;
}

Result<std::vector<DType>> gpu::parameterTypes(const Program &program,
                                               const Launch &launch) {
  MPC_ASSIGN_OR_RETURN(std::string_view text, textOf(program, launch));
  std::string_view list = text.substr(1, text.find(')') - 1);
  DType narrow = narrowType(program);
  std::vector<DType> types;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    std::optional<DType> type = typeOf(list.substr(0, comma), narrow);
    if (!type)
      return invalidInput(
          fmt::format("kernel '{}' has a parameter of no known type: {}",
                      launch.symbol, std::string(list.substr(0, comma))));
    types.push_back(*type);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  if (types.size() != launch.buffers.size())
    return invalidInput(fmt::format("kernel '{}' has {} parameters, its launch "
                                    "{} buffers",
                                    launch.symbol, types.size(),
                                    launch.buffers.size()));
  return types;
}

//===----------------------------------------------------------------------===//
// Small integers
//===----------------------------------------------------------------------===//

/// Of Steele, Lea and Flood's splitmix64.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

static int64_t numberAt(const gpu::Filling &filling, uint64_t element) {
  uint64_t drawn = mix(filling.seed * 0x100000001b3U + element);
  bool isOne = filling.elements == 1;
  switch (filling.type) {
  case DType::Bool:
    return isOne ? filling.round : static_cast<int64_t>(drawn % 2);
  case DType::I64:
  case DType::I32:
    return static_cast<int64_t>(drawn % static_cast<uint64_t>(filling.bound));
  default:
    // Numbers of a run, as a scale, are positive.
    if (isOne)
      return static_cast<int64_t>(1 + drawn % 4);
    return filling.round == 0 ? static_cast<int64_t>(drawn % 5)
                              : static_cast<int64_t>(drawn % 9) - 4;
  }
}

template <typename Element, typename Encode>
static std::vector<std::byte> encodeAll(const gpu::Filling &filling,
                                        Encode encode) {
  std::vector<std::byte> bytes(std::min(filling.elements, gpu::kPeriod) *
                               sizeof(Element));
  for (uint64_t i = 0; i * sizeof(Element) < bytes.size(); ++i) {
    Element element = encode(numberAt(filling, i));
    std::memcpy(&bytes[i * sizeof(Element)], &element, sizeof element);
  }
  return bytes;
}

std::vector<std::byte> gpu::smallIntegers(const Filling &filling) {
  auto plain = [&]<typename T>(T) {
    return encodeAll<T>(filling, [](int64_t x) { return static_cast<T>(x); });
  };
  switch (filling.type) {
  case DType::F64:
    return plain(double());
  case DType::F32:
    return plain(float());
  case DType::F16:
    return encodeAll<uint16_t>(
        filling, [](int64_t x) { return roundToF16(static_cast<float>(x)); });
  case DType::BF16:
    return encodeAll<uint16_t>(
        filling, [](int64_t x) { return roundToBF16(static_cast<float>(x)); });
  case DType::I64:
    return plain(int64_t());
  case DType::I32:
    return plain(int32_t());
  default:
    return plain(uint8_t());
  }
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

namespace {

/// An element as a value and as it stands in memory.
struct Read {
  double value = 0;
  uint64_t bits = 0;
};

} // namespace

static Read readAt(DType type, const std::byte *at) {
  Read read;
  std::memcpy(&read.bits, at, byteSize(type));
  switch (type) {
  case DType::F64:
    read.value = std::bit_cast<double>(read.bits);
    break;
  case DType::F32:
    read.value = std::bit_cast<float>(static_cast<uint32_t>(read.bits));
    break;
  case DType::F16:
    read.value = valueOfF16(static_cast<uint16_t>(read.bits));
    break;
  case DType::BF16:
    read.value = valueOfBF16(static_cast<uint16_t>(read.bits));
    break;
  default:
    read.value = static_cast<double>(static_cast<int64_t>(read.bits));
  }
  return read;
}

/// Of sums of up to 2^20 terms of any sign, far above what their order does
/// and far below what a term that is missing does.
static constexpr double kCloseF32 = 0x1p-12;

static double allowance(DType type) {
  switch (type) {
  case DType::F16:
    return 0x1p-9;
  case DType::BF16:
    return 0x1p-6;
  case DType::F32:
  case DType::F64:
    return kCloseF32;
  default:
    return 0;
  }
}

/// `least` is what a difference may be, however small the value.
static bool agree(DType type, Read a, Read b, gpu::Agreement wanted,
                  double least) {
  if (a.bits == b.bits || (std::isnan(a.value) && std::isnan(b.value)))
    return true;
  if (wanted == gpu::Agreement::Bits)
    return false;
  if (a.value == b.value || wanted == gpu::Agreement::Value)
    return a.value == b.value;
  if (!std::isfinite(a.value) || !std::isfinite(b.value))
    return false;
  double size = std::max({std::abs(a.value), std::abs(b.value), least});
  return std::abs(a.value - b.value) <= allowance(type) * size;
}

/// The mean magnitude of what is finite: sums that nearly cancel are off by a
/// share of that and not of themselves.
static double usualMagnitude(DType type, std::span<const std::byte> bytes) {
  double sum = 0;
  uint64_t count = 0;
  for (size_t at = 0; at < bytes.size(); at += byteSize(type))
    if (double value = readAt(type, &bytes[at]).value; std::isfinite(value)) {
      sum += std::abs(value);
      ++count;
    }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

static std::string print(DType type, Read read) {
  return fmt::format("{:.9g} (0x{:0{}x})", read.value, read.bits,
                     2 * byteSize(type));
}

static std::optional<gpu::Difference>
findInSlice(DType type, std::span<const std::byte> expected,
            std::span<const std::byte> got, gpu::Agreement wanted) {
  using gpu::Agreement, gpu::Difference;
  if (std::memcmp(expected.data(), got.data(), expected.size()) == 0)
    return std::nullopt;
  double least =
      wanted == Agreement::Close ? usualMagnitude(type, expected) : 0;
  std::optional<Difference> found;
  size_t width = byteSize(type);
  for (size_t at = 0; at < expected.size(); at += width) {
    Read a = readAt(type, &expected[at]), b = readAt(type, &got[at]);
    if (agree(type, a, b, wanted, least))
      continue;
    if (!found)
      found = Difference{at / width, 0, print(type, a), print(type, b)};
    ++found->count;
  }
  return found;
}

std::optional<gpu::Difference>
gpu::findDifference(DType type, std::span<const std::byte> expected,
                    std::span<const std::byte> got, Agreement wanted) {
  // Gigabytes of sums that are close: each processor has a slice.
  constexpr size_t kWorthAThread = size_t{1} << 20;
  size_t threads = std::clamp<size_t>(expected.size() / kWorthAThread, 1,
                                      std::thread::hardware_concurrency() + 1);
  size_t bytes = (expected.size() / threads / 8 + 1) * 8;
  std::vector<std::optional<Difference>> found(threads);
  std::vector<std::thread> workers;
  for (size_t i = 0; i < threads; ++i)
    workers.emplace_back([&, i] {
      size_t begin = std::min(i * bytes, expected.size());
      size_t size = std::min(bytes, expected.size() - begin);
      found[i] = findInSlice(type, expected.subspan(begin, size),
                             got.subspan(begin, size), wanted);
      if (found[i])
        found[i]->element += begin / byteSize(type);
    });
  std::optional<Difference> first;
  for (size_t i = 0; i < threads; ++i) {
    workers[i].join();
    if (first && found[i])
      first->count += found[i]->count;
    else if (found[i])
      first = found[i];
  }
  return first;
}
