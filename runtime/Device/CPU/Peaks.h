// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What this machine can do at most, measured: arithmetic and memory.
#ifndef MPC_RUNTIME_DEVICE_CPU_PEAKS_H
#define MPC_RUNTIME_DEVICE_CPU_PEAKS_H

#include "runtime/Device/CPU/ThreadPool.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The rate of a multiply unit in loops over registers.
struct UnitPeak {
  std::string unit; ///< "fma f32", "vdpbf16ps".
  /// Operations a second, where a multiplication with its addition counts as
  /// two.
  double flops = 0;
};

/// The rate at which data of a size is read and written.
struct MemoryPeak {
  uint64_t bytes = 0;        ///< The size of the data, of all workers together.
  double bytesPerSecond = 0; ///< The better of reading and copying.
};

/// The peaks of a pool's workers together. Empty where they are not known.
struct MachinePeaks {
  /// FMA first, then further units of this CPU.
  std::vector<UnitPeak> units;
  /// By ascending size, from the caches to the memory.
  std::vector<MemoryPeak> memory;

  [[nodiscard]] bool isKnown() const { return !units.empty(); }
  /// The rate of a unit, or of FMA where the unit is not known; 0 where that is
  /// not known either.
  [[nodiscard]] double flops(std::string_view unit = {}) const {
    for (const UnitPeak &peak : units)
      if (peak.unit == unit)
        return peak.flops;
    return units.empty() ? 0 : units.front().flops;
  }
  /// The best rate at which that much data can be moved; 0 where it is not
  /// known. Data of a size between two is judged by the smaller one.
  [[nodiscard]] double bandwidth(uint64_t bytes) const;
};

/// Measures for about a third of a second, with the best of a few tries. A CPU
/// below x86-64-v3 has no peaks.
Result<MachinePeaks> measurePeaks(ThreadPool &pool);

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_PEAKS_H
