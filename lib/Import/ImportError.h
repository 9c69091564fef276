// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The error that front ends return: a message in the user's names and whose
/// fault it is.
#ifndef MPC_LIB_IMPORT_IMPORTERROR_H
#define MPC_LIB_IMPORT_IMPORTERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mpc {

/// What is at fault.
enum class ImportFault {
  Input,       ///< The file.
  Usage,       ///< A flag.
  Environment, ///< Disk, memory or permission.
  Internal,    ///< The importer.
};

/// A fault of a model file, of the flags given with it, or of the machine.
class ImportError : public llvm::ErrorInfo<ImportError> {
public:
  static char ID;

  /// Cuts what is longer than a screen.
  ImportError(ImportFault fault, std::string message);

  ImportFault fault() const { return fault_; }
  void log(llvm::raw_ostream &os) const override { os << message_; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  ImportFault fault_;
  std::string message_;
};

/// The file is at fault.
llvm::Error invalidModel(const llvm::Twine &message);
/// A flag is at fault.
llvm::Error usageFault(const llvm::Twine &message);
/// Disk, memory or permission is at fault.
llvm::Error environmentFault(const llvm::Twine &message);

/// The importer itself is at fault.
llvm::Error internalFault(const llvm::Twine &message);

/// `error`, with the same fault, and "place: " before its message.
llvm::Error prefixed(const llvm::Twine &place, llvm::Error error);

/// What `error` says is at fault, its message in `message`; consumes it.
ImportFault takeError(llvm::Error error, std::string &message);

/// `text` as it may be shown: what is not printable ASCII escaped, cut at a
/// length that no name needs.
std::string printable(llvm::StringRef text);

} // namespace mpc

/// Leaves the enclosing function with the error of `expr`, if it has one.
#define MPC_TRY(expr)                                                          \
  do {                                                                         \
    if (::llvm::Error mpcError = (expr))                                       \
      return mpcError;                                                         \
  } while (false)

#define MPC_JOIN_IMPL(a, b) a##b
#define MPC_JOIN(a, b) MPC_JOIN_IMPL(a, b)

/// Declares `decl` from the Expected `expr`, or returns its error.
#define MPC_TRY_ASSIGN(decl, expr)                                             \
  MPC_TRY_ASSIGN_IMPL(MPC_JOIN(mpcExpected, __LINE__), decl, expr)
#define MPC_TRY_ASSIGN_IMPL(expected, decl, expr)                              \
  auto expected = (expr);                                                      \
  if (!expected)                                                               \
    return expected.takeError();                                               \
  decl = std::move(*expected)

#endif // MPC_LIB_IMPORT_IMPORTERROR_H
