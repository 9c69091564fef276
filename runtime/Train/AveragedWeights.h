// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The averages that a training keeps of its weights, in the weights' place.
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

  /// Puts each average in the place of its parameter; what follows from the
  /// parameters follows from the averages then.
  Status swapIn(Runner &runner);
  /// Puts back what was there, to the bit.
  Status swapOut(Runner &runner);

private:
  struct Saved {
    std::string name;
    std::vector<std::byte> bytes;
  };
  Status save(Runner &runner);

  std::vector<Saved> saved_; ///< Parameters and their copies in 16 bits.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_AVERAGEDWEIGHTS_H
