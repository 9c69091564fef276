// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Damaged copies of a program file, as disks and transfers make them.
#ifndef MPC_TEST_RUNTIME_PROGRAM_DAMAGE_H
#define MPC_TEST_RUNTIME_PROGRAM_DAMAGE_H

#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Random.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace mpc::rt::test {

/// Counts what becomes of damaged copies of one file.
class DamageCampaign {
public:
  /// Whether a copy is refused as it should be.
  using Refuses = std::function<bool(const std::string &copy)>;

  explicit DamageCampaign(std::string file, Refuses refuses = refusesToParse)
      : file_(std::move(file)), refuses_(std::move(refuses)) {}

  static bool refusesToParse(const std::string &copy) {
    Result<ProgramVariants> programs = parseProgramFile(
        SharedBytes::of(std::vector<char>(copy.begin(), copy.end())));
    return !programs.ok() && !programs.status().message().empty();
  }

  /// 700 copies and more.
  void run() {
    flipBits(400);
    cut(120);
    zeroBlocks(4096, 100);
    zeroBlocks(64, 100);
    swap(40);
    grow();
  }

  [[nodiscard]] size_t numTried() const { return tried_; }
  /// What was wrong.
  [[nodiscard]] const std::vector<std::string> &faults() const {
    return faults_;
  }

private:
  void tryCopy(std::string copy, const std::string &how) {
    if (copy == file_)
      return; // Zeros that were zeros.
    ++tried_;
    if (!refuses_(copy))
      faults_.push_back(how + ": is taken, or refused without a word");
  }

  void flipBits(int count) {
    for (int i = 0; i < count; ++i) {
      // Half of them in the header and the table, which are small.
      uint64_t range =
          i % 2 ? file_.size() : std::min<size_t>(file_.size(), 512);
      uint64_t bit = random_.below(range * 8);
      std::string copy = file_;
      copy[bit / 8] = static_cast<char>(copy[bit / 8] ^ (1 << bit % 8));
      tryCopy(std::move(copy), fmt::format("bit {} flipped", bit));
    }
  }

  void cut(int count) {
    for (int i = 0; i < count; ++i) {
      uint64_t length =
          i < 70 ? static_cast<uint64_t>(i) : random_.below(file_.size());
      tryCopy(file_.substr(0, length), fmt::format("cut at {}", length));
    }
  }

  void zeroBlocks(size_t size, int count) {
    for (int i = 0; i < count; ++i) {
      size_t begin = random_.below(file_.size() / size + 1) * size;
      std::string copy = file_;
      std::fill(copy.begin() +
                    static_cast<int64_t>(std::min(begin, copy.size())),
                copy.begin() +
                    static_cast<int64_t>(std::min(begin + size, copy.size())),
                '\0');
      tryCopy(std::move(copy), fmt::format("{} zeros at {}", size, begin));
    }
  }

  /// The part behind a place in front of the one before it.
  void swap(int count) {
    for (int i = 0; i < count; ++i) {
      size_t middle =
          i == 0 ? file_.size() / 2 : 1 + random_.below(file_.size() - 1);
      tryCopy(file_.substr(middle) + file_.substr(0, middle),
              fmt::format("halves swapped at {}", middle));
    }
  }

  void grow() {
    tryCopy(file_ + '\0', "a zero more");
    tryCopy(file_ + file_, "twice");
    tryCopy(std::string(64, '\0') + file_, "zeros in front");
  }

  std::string file_;
  Refuses refuses_;
  size_t tried_ = 0;
  std::vector<std::string> faults_;
  Random random_{7};
};

} // namespace mpc::rt::test

#endif // MPC_TEST_RUNTIME_PROGRAM_DAMAGE_H
