// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts over stdio, with the operating system's reason in each error.
#include "tools/mpc-scale/TextIo.h"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <system_error>

namespace mpc {
namespace {

std::string reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

/// A missing file is the caller's mistake; a refusing disk is not.
rt::Status readFailure(const std::string &path, int error) {
  std::string message = fmt::format("{}: cannot read: {}", path, reason(error));
  return error == EIO || error == ENOMEM || error == EACCES
             ? rt::environmentError(std::move(message))
             : rt::invalidInput(std::move(message));
}

} // namespace

rt::Result<std::string> readText(const std::string &path) {
  std::FILE *file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!file)
    return readFailure(path, errno);
  std::string text;
  char buffer[65536];
  errno = 0;
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, got);
  const int error = std::ferror(file) ? errno : 0;
  if (file != stdin)
    std::fclose(file);
  if (error != 0)
    return readFailure(path, error);
  return text;
}

rt::Status writeText(const std::string &path, std::string_view text) {
  std::FILE *file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  int error = file ? 0 : errno;
  if (file && std::fwrite(text.data(), 1, text.size(), file) != text.size())
    error = errno;
  if (file && std::fflush(file) != 0 && error == 0)
    error = errno;
  if (file && file != stdout && std::fclose(file) != 0 && error == 0)
    error = errno;
  if (error != 0)
    return rt::environmentError(
        fmt::format("{}: cannot write: {}", path, reason(error)));
  return {};
}

} // namespace mpc
