// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Puts the averages that a training keeps of its weights in the weights'
/// place.
#ifndef MPC_RUNTIME_TRAIN_AVERAGEDWEIGHTS_H
#define MPC_RUNTIME_TRAIN_AVERAGEDWEIGHTS_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mpc::rt {

class AveragedWeights {
public:
  /// Whether a program keeps averages (--ema) of some parameters.
  [[nodiscard]] static bool has(const Program &program);

  /// Puts each average in the place of its parameter. The state that follows
  /// from parameters then follows from the averages.
  Status swapIn(Runner &runner);
  /// Restores the parameters, to the bit.
  Status swapOut(Runner &runner);

private:
  struct Saved {
    std::string name;
    std::vector<std::byte> bytes;
  };
  Status save(Runner &runner);

  std::vector<Saved> saved_; ///< The parameters and their 16-bit copies.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_AVERAGEDWEIGHTS_H
