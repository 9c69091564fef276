// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validators of flags. CLI11's own accept NaN and trailing text.
#include "runtime/CommandLine/Validators.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {
namespace {

template <typename T>
bool readAll(const std::string &text, T &out) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

/// A validator whose error says what was expected. It does not change the type
/// in --help.
CLI::Validator expecting(std::string what,
                         std::function<bool(const std::string &)> accepts) {
  return CLI::Validator(
      [what = std::move(what),
       accepts = std::move(accepts)](std::string &text) -> std::string {
        if (accepts(text))
          return "";
        return fmt::format("expected {}, found {}", what, quote(text));
      },
      "");
}

CLI::Validator numberIn(std::string what, bool (*inRange)(double)) {
  return expecting(std::move(what), [inRange](const std::string &text) {
    double value = 0;
    return readAll(text, value) && std::isfinite(value) && inRange(value);
  });
}

} // namespace

CLI::Validator wholeNumber(int64_t lowest) {
  return expecting(fmt::format("a whole number of at least {}", lowest),
                   [lowest](const std::string &text) {
                     int64_t value = 0;
                     return readAll(text, value) && value >= lowest;
                   });
}

CLI::Validator positiveNumber() {
  return numberIn("a finite number above 0", [](double x) { return x > 0; });
}

CLI::Validator nonNegativeNumber() {
  return numberIn("a finite number of at least 0",
                  [](double x) { return x >= 0; });
}

CLI::Validator unitNumber() {
  return numberIn("a number of at least 0 and below 1",
                  [](double x) { return x >= 0 && x < 1; });
}

CLI::Validator shareNumber() {
  return numberIn("a number from 0 to 1",
                  [](double x) { return x >= 0 && x <= 1; });
}

CLI::Validator nonEmptyPath() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        return text.empty() ? "expected a path" : "";
      },
      "");
}

CLI::Validator oneOf(std::vector<std::string> words) {
  std::string list = fmt::format("{}", fmt::join(words, ", "));
  return expecting(
      "one of " + list, [words = std::move(words)](const std::string &text) {
        return std::find(words.begin(), words.end(), text) != words.end();
      });
}

} // namespace mpc::rt
