// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Architectures of NVIDIA GPUs: a number, and a letter for code of that
/// architecture alone. The rules come from the CUDA C++ Programming Guide,
/// "Application Compatibility" and "Feature Set Compiler Targets".
#ifndef MPC_RUNTIME_SUPPORT_CUDAARCH_H
#define MPC_RUNTIME_SUPPORT_CUDAARCH_H

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace mpc::rt {

struct CudaArch {
  int number = 0; ///< 90 for sm_90.
  /// 'a' for code with features of this architecture alone. 'f' for code with
  /// features of this and later architectures of the same major number. 0 for
  /// neither.
  char letter = '\0';

  bool operator==(const CudaArch &) const = default;

  /// "90", "90a"
  [[nodiscard]] std::string text() const {
    return std::to_string(number) + (letter ? std::string(1, letter) : "");
  }
  /// "sm_90a"
  [[nodiscard]] std::string name() const { return "sm_" + text(); }

  /// Whether machine code for this architecture runs on a GPU of number
  /// `device`. It also runs on later minor numbers of the same major one,
  /// unless it is for one architecture alone.
  [[nodiscard]] bool runsOn(int device) const {
    return letter == 'a' ? device == number
                         : device / 10 == number / 10 && device >= number;
  }
  /// Whether text for this architecture can be compiled for a GPU of number
  /// `device`: for any later one, unless it uses features that may be missing
  /// there.
  [[nodiscard]] bool compilesFor(int device) const {
    return letter ? runsOn(device) : device >= number;
  }

  /// The architecture of "90" or "90a"; empty for any other text.
  [[nodiscard]] static std::optional<CudaArch> parse(std::string_view text) {
    CudaArch arch;
    if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
      arch.letter = text.back();
      text.remove_suffix(1);
    }
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), arch.number);
    bool isNumber = error == std::errc() && end == text.data() + text.size();
    if (!isNumber || arch.number < 50 || arch.number > 999)
      return std::nullopt;
    return arch;
  }
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_CUDAARCH_H
