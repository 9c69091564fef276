// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes and takes apart the errors of the front ends.
#include "lib/Import/ONNX/ImportError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mpc::onnx {

char ImportError::ID = 0;

Error invalidModel(const Twine &message) {
  return make_error<ImportError>(rt::StatusCode::InvalidInput, message.str());
}

Error usageFault(const Twine &message) {
  return make_error<ImportError>(rt::StatusCode::Usage, message.str());
}

Error environmentFault(const Twine &message) {
  return make_error<ImportError>(rt::StatusCode::Environment, message.str());
}

rt::StatusCode takeError(Error error, std::string &message) {
  rt::StatusCode code = rt::StatusCode::Ok;
  handleAllErrors(
      std::move(error),
      [&](const ImportError &fault) {
        code = fault.code();
        message = fault.message();
      },
      [&](const ErrorInfoBase &fault) {
        code = rt::StatusCode::InvalidInput;
        message = fault.message();
      });
  return code;
}

std::string printable(StringRef text) {
  constexpr size_t longest = 256;
  std::string result;
  raw_string_ostream os(result);
  printEscapedString(text.take_front(longest), os);
  if (text.size() > longest)
    os << "...";
  return result;
}

} // namespace mpc::onnx
