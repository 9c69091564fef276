// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The error that importers return: a message in the user's names, and the kind
/// of fault.
#ifndef MPC_LIB_IMPORT_IMPORTERROR_H
#define MPC_LIB_IMPORT_IMPORTERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mpc {

/// The kind of fault.
enum class ImportFault {
  Input,       ///< The file is wrong.
  Usage,       ///< A flag is wrong.
  Environment, ///< Disk, memory or permission failed.
  Internal,    ///< The importer has a bug.
};

/// A fault of a model file, of the flags given with it, or of the machine.
class ImportError : public llvm::ErrorInfo<ImportError> {
public:
  static char ID;

  /// Truncates messages that are longer than a screen.
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

/// The kind of fault of `error`, and its text in `message`; consumes the error.
ImportFault takeError(llvm::Error error, std::string &message);

/// `text` in printable ASCII, truncated at a length that no name needs.
std::string printable(llvm::StringRef text);

} // namespace mpc

/// Returns from the enclosing function with the error of `expr`, if it has one.
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
