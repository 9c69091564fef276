// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the instructions of a warp compute, as the PTX manual has it.
#include "runtime/Support/Rounding.h"
#include "test/support/simt/Block.h"
#include "test/support/simt/Product.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace simt {
namespace {

struct Shuffle {
  uint32_t value;
  int lane;
  uint32_t result;
};

struct Vote {
  bool yes;
  uint32_t result;
};

struct Matrices {
  uint32_t *result;
  const void *row;
};

struct Multiplication {
  float *d;
  const uint32_t *a;
  const uint32_t *b;
};

using Values = std::vector<float>;

/// Of every code of a format.
Values valuesOf(float (*valueOf)(uint16_t)) {
  Values values(1 << 16);
  for (size_t code = 0; code < values.size(); ++code)
    values[code] = valueOf(static_cast<uint16_t>(code));
  return values;
}

/// Those that a product multiplies, looked up since there are so many.
const Values &factorsOf(Product product) {
  static const Values kF16 = valuesOf(mpc::rt::valueOfF16);
  static const Values kBF16 = valuesOf(mpc::rt::valueOfBF16);
  return product == Product::M16N8K16BF16 ? kBF16 : kF16;
}

/// Rows of a (16 x k) and columns of b (k x 8) from the lanes' fragments:
/// register r of lane 4g+t holds row g + 8 (r % 2) of a, columns
/// 2t + 8 (r / 2) and the next; register r of b column g, rows 2t + 8r.
void unpack(std::span<void *const, 32> requests, const Values &values,
            Tile &tile) {
  auto element = [&](uint32_t pair, size_t which) {
    return values[pair >> (16 * which) & 0xffff];
  };
  auto k = static_cast<size_t>(tile.terms);
  for (size_t lane = 0; lane < 32; ++lane) {
    const auto &request = *static_cast<Multiplication *>(requests[lane]);
    size_t group = lane / 4, pair = lane % 4 * 2;
    for (size_t which = 0; which < 2; ++which) {
      for (size_t r = 0; r < k / 4; ++r)
        tile.a[group + r % 2 * 8][pair + r / 2 * 8 + which] =
            element(request.a[r], which);
      for (size_t r = 0; r < k / 8; ++r)
        tile.b[group][pair + r * 8 + which] = element(request.b[r], which);
    }
  }
}

/// The sum that is register i of a lane.
float &sumOf(Tile &tile, size_t lane, size_t i) {
  return tile.sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

} // namespace

void Block::wholeWarp(const char *what, int line, void *request,
                      const Compute &compute) {
  collective(what, ~uint32_t{0}, line, request, compute);
}

void Block::syncWarp(uint32_t mask, int line) {
  uint16_t &time = warpTimes_[current_ / 32];
  // A barrier of a part orders that part only, which the shadow cannot hold.
  bool whole = mask == ~uint32_t{0};
  collective("warp barrier", mask, line, nullptr,
             [&](std::span<void *const, 32>) {
               time = static_cast<uint16_t>(time + (whole ? 1 : 0));
             });
}

uint32_t Block::shuffle(uint32_t mask, uint32_t value, int lane, int line) {
  Shuffle request{value, lane, 0};
  collective("shuffle", mask, line, &request, [&](auto requests) {
    for (void *each : requests)
      if (auto *to = static_cast<Shuffle *>(each))
        if (auto *from =
                static_cast<Shuffle *>(requests[static_cast<size_t>(to->lane)]))
          to->result = from->value;
  });
  if ((mask >> lane & 1) == 0) {
    std::string text = fmt::format(
        "shuffle (line {}) from lane {}, which its mask {:#x} leaves out", line,
        lane, mask);
    fail(Fault::Kind::Misuse, std::move(text));
  }
  return request.result;
}

uint32_t Block::ballot(uint32_t mask, bool yes, int line) {
  Vote request{yes, 0};
  collective("ballot", mask, line, &request, [&](auto requests) {
    uint32_t found = 0;
    for (size_t lane = 0; lane < requests.size(); ++lane)
      if (auto *vote = static_cast<Vote *>(requests[lane]); vote && vote->yes)
        found |= 1U << lane;
    for (void *each : requests)
      if (auto *vote = static_cast<Vote *>(each))
        vote->result = found;
  });
  return request.result;
}

void Block::loadMatrices(uint32_t *matrices, const void *row, bool transposed,
                         int line) {
  requireAlignment(row, 16, line);
  checkAccess(reinterpret_cast<uintptr_t>(row), 16, Access::Read, line);
  if (!isShared(reinterpret_cast<uintptr_t>(row), 16)) {
    std::string text =
        fmt::format("ldmatrix (line {}) of memory that is not shared", line);
    fail(Fault::Kind::Misuse, std::move(text));
  }
  Matrices request{matrices, row};
  wholeWarp("ldmatrix", line, &request, [&](auto requests) {
    for (size_t lane = 0; lane < 32; ++lane)
      for (size_t m = 0; m < 4; ++m)
        for (size_t which = 0; which < 2; ++which) {
          size_t r = lane / 4, c = lane % 4 * 2 + which;
          if (transposed)
            std::swap(r, c);
          const auto &source = *static_cast<Matrices *>(requests[m * 8 + r]);
          uint16_t element = 0;
          std::memcpy(&element, static_cast<const char *>(source.row) + c * 2,
                      2);
          uint32_t &to = static_cast<Matrices *>(requests[lane])->result[m];
          to = which == 0 ? element : to | uint32_t{element} << 16;
        }
  });
}

void Block::multiply(Product product, float *d, const uint32_t *a,
                     const uint32_t *b, int line) {
  int k = product == Product::M16N8K8F16 ? 8 : 16;
  Multiplication request{d, a, b};
  wholeWarp("mma", line, &request, [&](auto requests) {
    Tile tile;
    tile.terms = k;
    unpack(requests, factorsOf(product), tile);
    auto sums = [&](size_t lane) {
      return static_cast<Multiplication *>(requests[lane])->d;
    };
    for (size_t lane = 0; lane < 32; ++lane)
      for (size_t i = 0; i < 4; ++i)
        sumOf(tile, lane, i) = sums(lane)[i];
    multiplyTile(productModelOf(launch_.arch), tile);
    for (size_t lane = 0; lane < 32; ++lane)
      for (size_t i = 0; i < 4; ++i)
        sums(lane)[i] = sumOf(tile, lane, i);
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

// The destination is taken at once, so that any access before the wait is
// found, but data come as late as they may.
void Block::copyAsync(void *to, const void *from, int bytes, int line) {
  auto target = reinterpret_cast<uintptr_t>(to);
  requireAlignment(to, 16, line);
  if (bytes < 0 || bytes > 16 || !isShared(target, 16)) {
    std::string text = fmt::format(
        "an asynchronous copy (line {}) of {} bytes to ", line, bytes);
    text += describeAddress(target);
    fail(Fault::Kind::Misuse, std::move(text));
  }
  if (bytes > 0)
    requireAlignment(from, 16, line);
  if (bytes > 0)
    checkAccess(reinterpret_cast<uintptr_t>(from), static_cast<size_t>(bytes),
                Access::Read, line);
  checkAccess(target, 16, Access::Write, line);
  if (launch_.module.checked)
    sharedShadow_.setInFlight(target, 16, true);
  threads_[current_].uncommitted.push_back({to, from, bytes, line});
}

void Block::commitCopies() {
  Thread &thread = threads_[current_];
  thread.groups.push_back(std::move(thread.uncommitted));
  thread.uncommitted.clear();
}

void Block::waitForCopies(int pending) {
  Thread &thread = threads_[current_];
  while (thread.groups.size() > static_cast<size_t>(pending)) {
    land(thread.groups.front());
    thread.groups.pop_front();
  }
}

void Block::land(const Copies &copies) {
  for (const Copy &copy : copies) {
    std::memset(copy.to, 0, 16);
    std::memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
    auto target = reinterpret_cast<uintptr_t>(copy.to);
    if (launch_.module.checked)
      sharedShadow_.setInFlight(target, 16, false);
    checkAccess(target, 16, Access::Write, copy.line);
  }
}

} // namespace simt
