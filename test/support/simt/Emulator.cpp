// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grid, blocks and the choice of the next warp.
#include "test/support/simt/Emulator.h"

#include "test/support/simt/Block.h"

namespace simt {

std::optional<Fault> run(const Launch &launch) {
  Block block(launch);
  *launch.module.machine = &block;
  for (uint32_t z = 0; z < launch.grid.z; ++z)
    for (uint32_t y = 0; y < launch.grid.y; ++y)
      for (uint32_t x = 0; x < launch.grid.x; ++x)
        if (auto fault = block.run({x, y, z}))
          return fault;
  return std::nullopt;
}

} // namespace simt
