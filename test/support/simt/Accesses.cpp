// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether an access is to memory that the kernel has, and orders with others.
#include "test/support/simt/Block.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <utility>

namespace simt {
namespace {

const char *nameOf(Access kind) {
  switch (kind) {
  case Access::Read:
    return "a read";
  case Access::Write:
    return "a write";
  case Access::Atomic:
    return "an atomic access";
  }
  return "";
}

/// The last of `ranges`, which ascend, that begins at or before `at`.
const Range *before(const std::vector<Range> &ranges, uintptr_t at) {
  auto above = std::upper_bound(
      ranges.begin(), ranges.end(), at,
      [](uintptr_t value, const Range &range) { return value < range.begin; });
  return above == ranges.begin() ? nullptr : &*(above - 1);
}

/// "line 12" of the kernel's text for an address in its code, as far as the
/// machine has a tool that reads debug information.
std::string sourceLine(const void *code) {
  Dl_info info{};
  if (!code || ::dladdr(code, &info) == 0)
    return {};
  auto offset = static_cast<const char *>(code) -
                static_cast<const char *>(info.dli_fbase) - 1;
  std::string command =
      fmt::format("addr2line -e {} {:#x} 2>/dev/null", info.dli_fname, offset);
  FILE *pipe = ::popen(command.c_str(), "r");
  if (!pipe)
    return {};
  std::array<char, 256> answer{};
  bool read = std::fgets(answer.data(), answer.size(), pipe) != nullptr;
  (void)::pclose(pipe);
  const char *colon = read ? std::strrchr(answer.data(), ':') : nullptr;
  int line = colon ? std::atoi(colon + 1) : 0;
  return line != 0 ? fmt::format("line {}", line) : std::string();
}

Fault::Kind kindOf(Conflict conflict) {
  switch (conflict) {
  case Conflict::InFlight:
    return Fault::Kind::InFlight;
  case Conflict::Unwritten:
    return Fault::Kind::Unwritten;
  case Conflict::None:
  case Conflict::Race:
    break;
  }
  return Fault::Kind::Race;
}

} // namespace

bool Block::isShared(uintptr_t at, size_t bytes) const {
  return std::any_of(shared_.begin(), shared_.end(), [&](const Range &range) {
    return range.holds(at, bytes);
  });
}

bool Block::isGlobal(uintptr_t at, size_t bytes) const {
  const Range *range = before(launch_.memory, at);
  return range && range->holds(at, bytes);
}

/// The thread's own stack, and constants of the module.
bool Block::isOther(uintptr_t at, size_t bytes, Access kind) const {
  if (threads_[current_].fiber.holds(at))
    return true;
  return kind == Access::Read &&
         std::any_of(
             launch_.image.begin(), launch_.image.end(),
             [&](const Range &range) { return range.holds(at, bytes); });
}

std::string Block::describeAddress(uintptr_t at) const {
  for (size_t i = 0; i < shared_.size(); ++i)
    if (shared_[i].bytes != 0 && at >= shared_[i].begin &&
        at - shared_[i].begin < shared_[i].bytes + 4096)
      return fmt::format("byte {} of {} bytes of {} shared memory",
                         at - shared_[i].begin, shared_[i].bytes,
                         i == 0 ? "dynamic" : "static");
  if (const Range *range = before(launch_.memory, at);
      range && at - range->begin < range->bytes + (size_t{1} << 20))
    return fmt::format("byte {} of an allocation of {} bytes",
                       at - range->begin, range->bytes);
  return fmt::format("address {:#x}, which is no device memory", at);
}

/// "a read of 4 bytes (sum.cu:12) at byte 8 of 4 bytes of static shared
/// memory".
std::string Block::describeAccess(const char *what, uintptr_t at, size_t bytes,
                                  int line) const {
  std::string where =
      line != 0 ? fmt::format("line {}", line) : sourceLine(code_);
  return fmt::format("{} of {} bytes{} at {}", what, bytes,
                     where.empty() ? where : " (" + where + ")",
                     describeAddress(at));
}

void Block::access(const void *at, size_t bytes, Access kind,
                   const void *code) {
  auto address = reinterpret_cast<uintptr_t>(at);
  if (threads_[current_].fiber.holds(address))
    return;
  code_ = code;
  // The host's compiler copies a struct of 12 bytes by one call, which are
  // accesses of 4 on a device.
  size_t widest = bytes & -bytes;
  if (bytes <= 16 && address % widest != 0)
    requireAlignment(at, widest, 0);
  checkAccess(address, bytes, kind, 0);
}

void Block::requireAlignment(const void *at, size_t bytes, int line) {
  auto address = reinterpret_cast<uintptr_t>(at);
  if (address % bytes == 0)
    return;
  std::string text = describeAccess("an access", address, bytes, line);
  text += ", which is not aligned";
  fail(Fault::Kind::Misaligned, std::move(text));
}

void Block::checkAccess(uintptr_t at, size_t bytes, Access kind, int line) {
  line_ = line;
  if (isShared(at, bytes))
    return checkShadow(sharedShadow_, at, bytes, kind);
  if (isGlobal(at, bytes))
    return checkShadow(globalShadow_, at, bytes, kind);
  if (isOther(at, bytes, kind))
    return;
  std::string text = describeAccess(nameOf(kind), at, bytes, line);
  text += ", outside of memory";
  fail(Fault::Kind::OutOfBounds, std::move(text));
}

void Block::checkShadow(Shadow &shadow, uintptr_t at, size_t bytes,
                        Access kind) {
  // What plain accesses have done is not known.
  if (!launch_.module.checked)
    return;
  Moment other;
  Conflict conflict = shadow.access(at, bytes, kind, now(), other);
  if (conflict == Conflict::None)
    return;
  std::string text = describeAccess(nameOf(kind), at, bytes, line_);
  if (conflict == Conflict::Race)
    text += fmt::format(" races with thread {} of block {}", other.thread,
                        other.block);
  else if (conflict == Conflict::InFlight)
    text += fmt::format(", to which an asynchronous copy of thread {} is under "
                        "way",
                        other.thread);
  else
    text += ", which nobody has written";
  fail(kindOf(conflict), std::move(text));
}

} // namespace simt
