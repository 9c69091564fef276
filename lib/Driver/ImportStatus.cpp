// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The status code of each fault.
#include "lib/Driver/ImportStatus.h"

#include "lib/Import/ImportError.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mpc;

static rt::StatusCode codeOf(ImportFault fault) {
  switch (fault) {
  case ImportFault::Input:
    return rt::StatusCode::InvalidInput;
  case ImportFault::Usage:
    return rt::StatusCode::Usage;
  case ImportFault::Environment:
    return rt::StatusCode::Environment;
  case ImportFault::Internal:
    return rt::StatusCode::Internal;
  }
  llvm_unreachable("unknown fault");
}

rt::Status mpc::statusOf(llvm::Error error) {
  std::string message;
  ImportFault fault = takeError(std::move(error), message);
  return rt::Status(codeOf(fault), message);
}
