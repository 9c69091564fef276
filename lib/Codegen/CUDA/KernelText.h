// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The common parts of emitters of CUDA kernels: the text under construction,
/// names, the memory of tensors, and the scalar ops of a region.
#ifndef MPC_LIB_CODEGEN_CUDA_KERNELTEXT_H
#define MPC_LIB_CODEGEN_CUDA_KERNELTEXT_H

#include "dialects/Kernel/Contraction.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace mpc::cuda {

/// Names or expressions, one for each value or dimension.
using Texts = llvm::SmallVector<std::string>;

/// The text of one kernel. A value is represented by its name or by a literal.
class KernelText {
public:
  explicit KernelText(kernel::FuncOp kernel);

  kernel::FuncOp kernel;

  //===--------------------------------------------------------------------===//
  // Lines
  //===--------------------------------------------------------------------===//

  /// Writes one or several lines at the current depth.
  template <typename... Values>
  void line(const char *format, const Values &...values) {
    addLine(llvm::formatv(format, values...).str());
  }
  /// Writes `head {`, the text of `body` one level deeper, and `end`. Without a
  /// head the text of `body` stays at this level.
  void block(const std::string &head, llvm::function_ref<void()> body,
             const char *end = "}");
  /// A new name: `stem` and a number.
  std::string makeName(llvm::StringRef stem);
  /// `const TYPE NAME = expression;`; returns the name.
  std::string define(const std::string &type, llvm::StringRef stem,
                     const std::string &expression);

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  /// The type that counts elements: `int` where that is enough for all tensors.
  const std::string &indexType() const { return indexType_; }
  /// `expr` at `dims`.
  std::string index(mlir::AffineExpr expr, llvm::ArrayRef<std::string> dims);
  std::string index(const kernel::Linear &linear,
                    llvm::ArrayRef<std::string> dims);
  /// The dimensions of `extents` in which the flat `element` lies.
  Texts delinearize(const std::string &element,
                    llvm::ArrayRef<int64_t> extents);
  /// Loops over `extents`, the first outermost; `body` gets their names.
  void nest(llvm::ArrayRef<int64_t> extents,
            llvm::function_ref<void(llvm::ArrayRef<std::string>)> body);

  /// The pointer for an argument of the kernel, for accesses to `count`
  /// neighbours at once.
  std::string pointer(mlir::Value tensor, int64_t count = 1);
  /// Element `index` of an argument, or the number of a fill or constant.
  std::string load(mlir::Value tensor, const std::string &index);
  void store(mlir::Value argument, const std::string &index,
             const std::string &value);
  /// The destinations of the results that equal `value`.
  llvm::SmallVector<mlir::Value> destinationsOf(mlir::Value value) const;
  /// Whether `tensor`, an argument, may be the memory of a result.
  bool isStoredOver(mlir::Value tensor) const;
  /// Whether `tensor`, an argument, may be the memory of `destination`.
  bool mayOverwrite(mlir::Value destination, mlir::Value tensor) const;
  /// Whether an input may lie in the memory of one of these destinations.
  bool mayOverwriteInput(llvm::ArrayRef<mlir::Value> destinations) const;

  //===--------------------------------------------------------------------===//
  // Regions
  //===--------------------------------------------------------------------===//

  /// Writes the scalar ops of `op`'s region and returns the results' names. An
  /// op without a spelling is reported, and makes finish() fail.
  Texts region(mlir::linalg::GenericOp op,
               llvm::ArrayRef<std::string> arguments,
               llvm::ArrayRef<std::string> indices);
  /// Writes the region of a statement at `dims`.
  Texts region(const kernel::Statement &statement,
               llvm::ArrayRef<std::string> arguments,
               llvm::ArrayRef<std::string> dims);
  /// The value that a contraction multiplies, for `element` of an operand.
  std::string factor(const kernel::Contraction &contraction, unsigned operand,
                     const std::string &element);
  /// `lhs` and `rhs` combined by `combiner`; an fma combines by a sum.
  std::string join(mlir::Operation *combiner, const std::string &lhs,
                   const std::string &rhs);
  /// The number that leaves others unchanged when combined by `combiner`.
  static std::string neutral(mlir::Operation *combiner);

  /// Asks that a multiprocessor hold `threads` threads of the kernel, or one
  /// block where that has more. This is for a kernel that would spill if more
  /// threads left fewer registers to each.
  void setResidentThreads(int64_t threads) { residentThreads_ = threads; }
  /// `__shared__ TYPE NAME[count];`
  void declareShared(const std::string &type, const std::string &name,
                     int64_t count, int64_t elementBytes);
  void fail() { failed_ = true; }
  /// Returns the whole function, for blocks of `threads`. Fails if something
  /// could not be written, which has been reported.
  mlir::FailureOr<std::string> finish(int64_t threads);

  /// The bytes of the widest access to each argument so far.
  llvm::ArrayRef<int64_t> accesses() const { return accesses_; }
  /// The inputs that share memory with no result.
  llvm::SmallVector<int64_t> argumentsAlone();
  /// The number of threads that a multiprocessor should hold, in blocks of
  /// `threads`.
  int64_t residentThreads(int64_t threads) const {
    return std::max<int64_t>(residentThreads_ / threads, 1) * threads;
  }
  int64_t staticSharedBytes() const { return staticShared_; }

private:
  void addLine(const std::string &text);
  std::string valueOf(mlir::Value value);
  std::string extract(mlir::Operation *op);
  void write(mlir::Operation &op, llvm::StringRef stem);
  std::string comment();
  std::string signature(int64_t threads);

  std::string body_;
  std::string indent_ = "  ";
  std::string indexType_;
  /// Whether functions may be approximate: all results have 16 bits.
  bool isNear_ = false;
  bool failed_ = false;
  /// The default leaves 128 registers to each thread.
  int64_t residentThreads_ = 512;
  int64_t staticShared_ = 0;
  llvm::SmallVector<int64_t> accesses_;
  llvm::StringSet<> taken_;
  llvm::StringMap<unsigned> counts_;
  llvm::DenseMap<mlir::Value, std::string> values_;
  llvm::DenseMap<mlir::Value, std::string> pointers_;
};

/// The bytes of one access to `count` neighbours of `tensor`: all of them, or
/// 16 at a time.
int64_t getAccessBytes(mlir::Value tensor, int64_t count);
/// Whether `tensor` is an argument with the alignment for such accesses.
bool isAligned(mlir::Value tensor, int64_t count);

/// "/layer/Conv" as a part of a C++ name: "layer_Conv"; "value" for an empty
/// name.
std::string toIdentifier(llvm::StringRef name);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_KERNELTEXT_H
