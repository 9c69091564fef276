// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the names of a graph mean while it is imported. An op in place changes
/// what its operand means, and what the tensors mean that share its elements.
#ifndef MPC_LIB_IMPORT_EXPORTED_SCOPE_H
#define MPC_LIB_IMPORT_EXPORTED_SCOPE_H

#include "lib/Import/Build/TensorBuilder.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace mpc::exported {

using namespace build;

/// How the result of an op shares the elements of its operand.
enum class Sharing {
  Nothing,   ///< It has elements of its own.
  All,       ///< All in order, perhaps with other sizes.
  Part,      ///< Those from `start` to `limit` of one axis, which may go away.
  Maybe,     ///< All, or it is a copy: that depends on how the operand lies.
  Reordered, ///< In another order, more than once, or in steps.
};

/// A view: how it shares the elements of which tensor.
struct View {
  Sharing sharing = Sharing::Nothing;
  std::string base = {};
  int64_t axis = 0, start = 0, limit = 0; ///< Of Sharing::Part.
};

/// Errors have no place.
class Scope {
public:
  explicit Scope(TensorBuilder &build) : build_(build) {}

  void define(llvm::StringRef name, Operand value) {
    values_[name] = std::move(value);
  }
  /// An error where nothing defines the name, or where it may not be read.
  llvm::Expected<Operand> read(llvm::StringRef name) const;
  /// `name` shares elements with view.base.
  void share(llvm::StringRef name, View view);
  /// An op in place gave `name` the value `result`. Tensors that share what was
  /// written get it too; where it is not known whether they do, they may not be
  /// read any more.
  llvm::Error write(llvm::StringRef name, Operand result);
  /// Writing to `name` is the error `message`.
  void protect(llvm::StringRef name, std::string message) {
    protected_[name] = std::move(message);
  }
  /// Reading `name` is the error `message`.
  void forbid(llvm::StringRef name, std::string message) {
    forbidden_[name] = std::move(message);
  }
  /// `name` is state that the program keeps, and has no gradient.
  void setState(llvm::StringRef name) { state_.insert(name); }
  /// Whether `name` shows elements of such state.
  bool isState(llvm::StringRef name) const {
    return state_.contains(rootOf(name));
  }
  bool isWritten(llvm::StringRef name) const { return written_.contains(name); }
  /// The tensor whose elements `name` shows at last; itself where it shares
  /// nothing.
  llvm::StringRef rootOf(llvm::StringRef name) const;

private:
  llvm::Expected<Operand> writtenThrough(const View &view, const Operand &base,
                                         const Operand &part);
  void forbidViewsOf(llvm::StringRef base, llvm::StringRef kept);

  TensorBuilder &build_;
  llvm::StringMap<Operand> values_;
  llvm::StringMap<View> views_;
  /// The views of a tensor.
  llvm::StringMap<llvm::SmallVector<std::string>> viewsOf_;
  llvm::StringMap<std::string> protected_, forbidden_;
  llvm::StringSet<> state_, written_;
};

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_SCOPE_H
