// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form of names, numbers and sizes in messages and result files.
#ifndef MPC_RUNTIME_SUPPORT_TEXT_H
#define MPC_RUNTIME_SUPPORT_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// `text` as printable ASCII: other bytes become \xNN, and a text of more than
/// 200 bytes ends in "...". Bytes of a file can thus not control the terminal.
[[nodiscard]] std::string escape(std::string_view text);
/// escape() between single quotes.
[[nodiscard]] std::string quote(std::string_view text);

/// The shortest decimal that reads back to the same value; "inf", "-inf",
/// "nan".
[[nodiscard]] std::string shortestDecimal(double value);
[[nodiscard]] std::string shortestDecimal(float value);

/// "4.2 MiB", "17 bytes".
[[nodiscard]] std::string formatBytes(uint64_t bytes);

/// The items joined by ", "; of more than 20, the first 20 and the number of
/// the others.
[[nodiscard]] std::string joinSome(const std::vector<std::string> &items);

/// The message of an errno value.
[[nodiscard]] std::string errnoMessage(int error);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_TEXT_H
