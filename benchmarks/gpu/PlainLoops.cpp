// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of kernels that compute the same: by tiles, and by plain loops.
#include "benchmarks/gpu/PlainLoops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

using namespace mpc;
using namespace mpc::gpu;
using namespace mpc::rt;

namespace {

/// Which memory of the plain program holds what some memory of ours does. The
/// arena is planned anew for each; all else is at the same place.
class Correspondence {
public:
  void add(const BufferRef &ours, const BufferRef &plain) {
    writes_.emplace_back(ours, plain);
  }
  [[nodiscard]] std::optional<BufferRef> plainOf(const BufferRef &ours) const {
    if (ours.space != Space::Arena)
      return ours;
    for (size_t i = writes_.size(); i-- > 0;) {
      const auto &[from, to] = writes_[i];
      if (ours.offset < from.offset || ours.offset >= from.offset + from.bytes)
        continue;
      BufferRef found = to;
      found.offset += ours.offset - from.offset;
      found.bytes = ours.bytes;
      return found;
    }
    return std::nullopt;
  }

private:
  std::vector<std::pair<BufferRef, BufferRef>> writes_;
};

/// Launches of ours, the last of which has the plain one's results.
struct Pair {
  std::vector<const Launch *> ours;
  const Launch *plain = nullptr;
};

class Comparison {
public:
  Comparison(KernelBench &bench, KernelBench &plain, Proof &proof)
      : bench_(bench), plain_(plain), proof_(proof) {}
  /// Before the first entry.
  Status allocate();

  Status compareEntry(const Entry &ours, const Entry &plain);

private:
  Status compare(const Pair &pair);
  Result<bool> isNew(const Pair &pair, bool &isSame);
  Result<std::optional<std::vector<std::vector<size_t>>>>
  numbersOf(const Pair &pair, const Layout &ours);
  Status compareOutputs(const Pair &pair, const Layout &ours,
                        const Layout &plain, int round);
  Status compareOutput(const Pair &pair, const Layout &ours,
                       const Layout &plain, size_t result, int round);

  KernelBench &bench_, &plain_;
  Proof &proof_;
  Correspondence memory_;
  std::set<std::string> done_;
  /// Of the expected and of our result, which may be larger than the host.
  std::array<cuda::PinnedBuffer, 2> parts_;
};

} // namespace

static constexpr uint64_t kPart = uint64_t{64} << 20;

Status Comparison::allocate() {
  for (cuda::PinnedBuffer &part : parts_) {
    MPC_ASSIGN_OR_RETURN(part, cuda::PinnedBuffer::allocate(bench_.context(),
                                                            kPart, "a result"));
  }
  return {};
}

/// Of an argument that an earlier launch of the pair wrote.
static constexpr size_t kOwn = ~size_t{0};

static bool isSame(const BufferRef &a, const BufferRef &b) {
  return a.space == b.space && a.index == b.index && a.offset == b.offset &&
         a.bytes == b.bytes;
}

//===----------------------------------------------------------------------===//
// What agrees how much
//===----------------------------------------------------------------------===//

/// Whether a decimal of the text is a whole number of 1024ths.
static bool isCoarse(std::string_view decimal) {
  double value = std::strtod(std::string(decimal).c_str(), nullptr) * 1024;
  return value == std::floor(value);
}

/// Whether all that the kernel adds up is exact for small integers: it has no
/// function, no quotient and no fraction that binary numbers only come near to.
static bool addsExactly(std::string_view text) {
  for (const char *inexact :
       {"mpc_exp", "mpc_log", "mpc_tanh", "mpc_erf", "mpc_sqrt", "mpc_pow",
        "mpc_sin", "mpc_cos", " / ", "mpc_float(0x"})
    if (text.find(inexact) != std::string_view::npos)
      return false;
  for (size_t at = text.find('.'); at != std::string_view::npos;
       at = text.find('.', at + 1)) {
    size_t begin = text.find_last_not_of("0123456789", at - 1) + 1;
    size_t end = text.find_first_not_of("0123456789e+-", at + 1);
    if (begin < at && !isCoarse(text.substr(begin, end - begin)))
      return false;
  }
  return true;
}

/// Terms of a sum of the kernel, at most.
static uint64_t countTerms(const Launch &launch,
                           const std::vector<Argument> &arguments) {
  uint64_t most = 0, results = ~uint64_t{0};
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i < launch.numRead)
      most = std::max(most, arguments[i].elements());
    else
      results =
          std::min(results, std::max<uint64_t>(arguments[i].elements(), 1));
  return std::max(most, workOf(launch).flops / 2) / results;
}

/// `ours` and `text` are of the kernel and of its plain form.
static Agreement agreementOf(const Launch &launch, std::string_view ours,
                             std::string_view text,
                             const std::vector<Argument> &arguments) {
  const std::string kind = workOf(launch).kind;
  // Attention's functions are the prelude's, not the text's.
  bool isApproximate = ours.find("mpc_near_") != std::string_view::npos;
  if (kind == "attention" || isApproximate)
    return Agreement::Close;
  bool isSum = kind == "rows" || kind == "columns" || kind == "contraction";
  if (!isSum)
    return Agreement::Bits;
  // Three factors of at most 4: f32 holds whole numbers up to 2^24.
  bool isExact =
      addsExactly(text) && countTerms(launch, arguments) < (uint64_t{1} << 18);
  return isExact ? Agreement::Value : Agreement::Close;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// False where the same texts have been compared; `isSame` says that ours is
/// the plain one.
Result<bool> Comparison::isNew(const Pair &pair, bool &isSame) {
  std::string key;
  for (const Launch *launch : pair.ours) {
    MPC_ASSIGN_OR_RETURN(std::string_view text,
                         textOf(bench_.program(), *launch));
    key += text;
  }
  MPC_ASSIGN_OR_RETURN(std::string_view plain,
                       textOf(plain_.program(), *pair.plain));
  isSame =
      key == plain && pair.ours.front()->as<DeviceKernel>()->grid().blocks ==
                          pair.plain->as<DeviceKernel>()->grid().blocks;
  return done_.insert(key + "|" + std::string(plain)).second;
}

/// For each argument of ours which one of the plain kernel it is; empty where
/// that is not clear.
Result<std::optional<std::vector<std::vector<size_t>>>>
Comparison::numbersOf(const Pair &pair, const Layout &ours) {
  std::vector<std::vector<size_t>> numbers;
  for (size_t part = 0; part < pair.ours.size(); ++part) {
    const Launch &launch = *pair.ours[part];
    bool isLast = part + 1 == pair.ours.size();
    std::vector<size_t> &own = numbers.emplace_back();
    for (size_t i = 0; i < launch.buffers.size(); ++i) {
      if (isLast && i >= launch.numRead) {
        own.push_back(pair.plain->numRead + i - launch.numRead);
        continue;
      }
      if (pair.ours.size() == 1) {
        own.push_back(i);
        continue;
      }
      auto isWritten = [&](const BufferRef &ref) {
        return !isLast ? i >= launch.numRead : isSame(ref, launch.buffers[i]);
      };
      const Launch &first = *pair.ours.front();
      if (std::any_of(first.buffers.begin() + first.numRead,
                      first.buffers.end(), isWritten)) {
        own.push_back(kOwn);
        continue;
      }
      std::optional<BufferRef> wanted = memory_.plainOf(launch.buffers[i]);
      auto end = pair.plain->buffers.begin() + pair.plain->numRead;
      auto found = std::find_if(
          pair.plain->buffers.begin(), end,
          [&](const BufferRef &ref) { return wanted && isSame(ref, *wanted); });
      if (found == end)
        return std::optional<std::vector<std::vector<size_t>>>();
      own.push_back(static_cast<size_t>(found - pair.plain->buffers.begin()));
    }
  }
  return std::optional(numbers);
}

Status Comparison::compare(const Pair &pair) {
  const Launch &launch = *pair.ours.back();
  bool isPlain = false;
  MPC_ASSIGN_OR_RETURN(bool wanted, isNew(pair, isPlain));
  if (!wanted)
    return {};
  if (isPlain) {
    proof_.skip(launch, "the plain form is the same text");
    return {};
  }
  MPC_ASSIGN_OR_RETURN(Layout ours, layOut(bench_.program(), pair.ours));
  MPC_ASSIGN_OR_RETURN(Layout plain, layOut(plain_.program(), {pair.plain}));
  MPC_ASSIGN_OR_RETURN(auto numbers, numbersOf(pair, ours));
  if (!numbers) {
    proof_.skip(launch, "which operands its two launches share is not clear");
    return {};
  }
  for (int round : {0, 1}) {
    MPC_RETURN_IF_ERROR(bench_.prepare(ours));
    MPC_RETURN_IF_ERROR(plain_.prepare(plain));
    const std::vector<Argument> &given = plain.arguments.front();
    auto fillingFor = [&](size_t number) {
      return fillingOf(plain_.program(), given[number], number, round);
    };
    for (size_t i = given.size(); i-- > 0;)
      MPC_RETURN_IF_ERROR(plain_.fill(plain, given[i], fillingFor(i)));
    for (size_t part = pair.ours.size(); part-- > 0;)
      for (size_t i = ours.arguments[part].size(); i-- > 0;)
        if (size_t number = (*numbers)[part][i]; number != kOwn)
          MPC_RETURN_IF_ERROR(
              bench_.fill(ours, ours.arguments[part][i], fillingFor(number)));
    MPC_RETURN_IF_ERROR(plain_.run(plain, *pair.plain, 0));
    for (size_t part = 0; part < pair.ours.size(); ++part)
      MPC_RETURN_IF_ERROR(bench_.run(ours, *pair.ours[part], part));
    MPC_RETURN_IF_ERROR(bench_.checkGuards(ours));
    MPC_RETURN_IF_ERROR(compareOutputs(pair, ours, plain, round));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Status Comparison::compareOutputs(const Pair &pair, const Layout &ours,
                                  const Layout &plain, int round) {
  size_t results = pair.plain->buffers.size() - pair.plain->numRead;
  if (pair.ours.back()->buffers.size() - pair.ours.back()->numRead != results)
    return invalidInput("the two have not as many results");
  for (size_t result = 0; result < results; ++result)
    MPC_RETURN_IF_ERROR(compareOutput(pair, ours, plain, result, round));
  return {};
}

Status Comparison::compareOutput(const Pair &pair, const Layout &ours,
                                 const Layout &plain, size_t result,
                                 int round) {
  const Argument &got =
      ours.arguments.back()[pair.ours.back()->numRead + result];
  const Argument &expected =
      plain.arguments.front()[pair.plain->numRead + result];
  if (got.range.bytes != expected.range.bytes || got.type != expected.type)
    return invalidInput("results differ in size or type");
  MPC_ASSIGN_OR_RETURN(std::string_view text,
                       textOf(plain_.program(), *pair.plain));
  MPC_ASSIGN_OR_RETURN(std::string_view last,
                       textOf(bench_.program(), *pair.ours.back()));
  Agreement wanted =
      agreementOf(*pair.plain, last, text, plain.arguments.front());
  proof_.elements += got.elements();
  for (uint64_t at = 0; at < got.range.bytes; at += kPart) {
    uint64_t bytes = std::min(kPart, got.range.bytes - at);
    std::span<std::byte> a = parts_[0].bytes().first(bytes);
    std::span<std::byte> b = parts_[1].bytes().first(bytes);
    MPC_RETURN_IF_ERROR(plain_.read(plain, expected, at, a));
    MPC_RETURN_IF_ERROR(bench_.read(ours, got, at, b));
    if (auto found = findDifference(got.type, a, b, wanted)) {
      found->element += at / byteSize(got.type);
      proof_.add(*pair.ours.back(), pair.ours.back()->numRead + result,
                 got.type, *found, fmt::format("round {}", round));
      return {};
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

Status Comparison::compareEntry(const Entry &ours, const Entry &plain) {
  size_t next = 0;
  for (const Launch &wanted : plain.launches) {
    Pair pair{{}, &wanted};
    auto isLast = [&](const Launch &launch) {
      bool areKernels = launch.as<DeviceKernel>() && wanted.as<DeviceKernel>();
      return (areKernels || launch.command->kind() == wanted.command->kind()) &&
             launch.symbol == wanted.symbol;
    };
    do {
      if (next == ours.launches.size())
        return invalidInput(fmt::format(
            "nothing computes what the plain kernel '{}' does", wanted.symbol));
      pair.ours.push_back(&ours.launches[next++]);
    } while (!isLast(*pair.ours.back()));
    bool isKernel = wanted.as<DeviceKernel>() != nullptr;
    if (isKernel && proof_.isWanted(*pair.ours.back())) {
      const Launch &last = *pair.ours.back();
      if (Status status = compare(pair); !status.ok())
        proof_.add(last, status);
      proof_.finish(last);
      if (proof_.isLost())
        return {};
    }
    const Launch &last = *pair.ours.back();
    size_t results = wanted.as<Fill>() ? 1 : 0;
    size_t first = isKernel ? wanted.numRead : 1;
    size_t own = isKernel ? last.numRead : 1;
    if (results == 1)
      memory_.add(last.buffers[0], wanted.buffers[0]);
    else
      for (size_t i = 0;
           first + i < wanted.buffers.size() && own + i < last.buffers.size();
           ++i)
        memory_.add(last.buffers[own + i], wanted.buffers[first + i]);
  }
  return {};
}

Status gpu::comparePlain(KernelBench &bench, KernelBench &plain, Proof &proof) {
  Comparison comparison(bench, plain, proof);
  MPC_RETURN_IF_ERROR(comparison.allocate());
  for (const Entry &entry : plain.program().entries) {
    const Entry *ours = bench.program().findEntry(entry.name);
    if (!ours)
      return invalidInput(fmt::format("has no entry '{}'", entry.name));
    MPC_RETURN_IF_ERROR(comparison.compareEntry(*ours, entry));
  }
  return {};
}
