// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whole texts from files and stdin, and to files and stdout.
#ifndef MPC_TOOLS_MPC_SCALE_TEXTIO_H
#define MPC_TOOLS_MPC_SCALE_TEXTIO_H

#include "runtime/Support/Status.h"

#include <string>
#include <string_view>

namespace mpc {

/// The content of `path`; `-` is stdin.
[[nodiscard]] rt::Result<std::string> readText(const std::string &path);

/// Writes all of `text` to `path`; `-` is stdout.
[[nodiscard]] rt::Status writeText(const std::string &path,
                                   std::string_view text);

} // namespace mpc

#endif // MPC_TOOLS_MPC_SCALE_TEXTIO_H
