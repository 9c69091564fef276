// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups in a Program.
#include "runtime/Program/Program.h"

#include <algorithm>

namespace mpc::rt {

const Entry *Program::findEntry(std::string_view name) const {
  auto it = std::find_if(entries.begin(), entries.end(),
                         [&](const Entry &e) { return e.name == name; });
  return it == entries.end() ? nullptr : &*it;
}

const StateTensor *Program::findState(std::string_view name) const {
  auto it =
      std::find_if(state.begin(), state.end(), [&](const StateTensor &tensor) {
        return tensor.desc.name == name;
      });
  return it == state.end() ? nullptr : &*it;
}

} // namespace mpc::rt
