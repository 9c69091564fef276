// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Creates errors of the importers, and takes them apart.
#include "lib/Import/ImportError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mpc {

char ImportError::ID = 0;

ImportError::ImportError(ImportFault fault, std::string message)
    : fault_(fault), message_(std::move(message)) {
  constexpr size_t kLongest = 2048;
  if (message_.size() > kLongest)
    message_ = message_.substr(0, kLongest - 3) + "...";
}

Error invalidModel(const Twine &message) {
  return make_error<ImportError>(ImportFault::Input, message.str());
}

Error usageFault(const Twine &message) {
  return make_error<ImportError>(ImportFault::Usage, message.str());
}

Error environmentFault(const Twine &message) {
  return make_error<ImportError>(ImportFault::Environment, message.str());
}

Error internalFault(const Twine &message) {
  return make_error<ImportError>(ImportFault::Internal, message.str());
}

ImportFault takeError(Error error, std::string &message) {
  ImportFault fault = ImportFault::Input;
  handleAllErrors(
      std::move(error),
      [&](const ImportError &info) {
        fault = info.fault();
        message = info.message();
      },
      [&](const ErrorInfoBase &info) { message = info.message(); });
  return fault;
}

Error prefixed(const Twine &place, Error error) {
  std::string text;
  ImportFault fault = takeError(std::move(error), text);
  return make_error<ImportError>(fault, (place + ": " + text).str());
}

std::string printable(StringRef text) {
  constexpr size_t kLongest = 256;
  std::string result;
  raw_string_ostream os(result);
  printEscapedString(text.take_front(kLongest), os);
  if (text.size() > kLongest)
    os << "...";
  return result;
}

} // namespace mpc
