// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the emitters of CUDA kernels share: the text being written, names,
/// places of tensors in memory, and the scalar ops of a region.
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

/// The text of one kernel. A value is known by its name or by a literal.
class KernelText {
public:
  explicit KernelText(kernel::FuncOp kernel);

  kernel::FuncOp kernel;

  //===--------------------------------------------------------------------===//
  // Lines
  //===--------------------------------------------------------------------===//

  /// A line, or several, at the present depth.
  template <typename... Values>
  void line(const char *format, const Values &...values) {
    addLine(llvm::formatv(format, values...).str());
  }
  /// `head {`, what `body` writes one step deeper, and `end`. Without a head
  /// `body` stands where it is.
  void block(const std::string &head, llvm::function_ref<void()> body,
             const char *end = "}");
  /// A name that is not taken: `stem` and a number.
  std::string makeName(llvm::StringRef stem);
  /// `const TYPE NAME = expression;`; returns the name.
  std::string define(const std::string &type, llvm::StringRef stem,
                     const std::string &expression);

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  /// What counts elements: `int` where that is enough for all tensors.
  const std::string &indexType() const { return indexType_; }
  /// `expr` at `dims`.
  std::string index(mlir::AffineExpr expr, llvm::ArrayRef<std::string> dims);
  std::string index(const kernel::Linear &linear,
                    llvm::ArrayRef<std::string> dims);
  /// The dimensions of `extents` that the flat `element` is in.
  Texts delinearize(const std::string &element,
                    llvm::ArrayRef<int64_t> extents);
  /// Loops over `extents`, the first outermost; `body` gets their names.
  void nest(llvm::ArrayRef<int64_t> extents,
            llvm::function_ref<void(llvm::ArrayRef<std::string>)> body);

  /// The pointer that an argument of the kernel is, for accesses to `count`
  /// neighbours at once.
  std::string pointer(mlir::Value tensor, int64_t count = 1);
  /// Element `index` of an argument, or of what a fill or constant says.
  std::string load(mlir::Value tensor, const std::string &index);
  void store(mlir::Value argument, const std::string &index,
             const std::string &value);
  /// The destinations of the results that `value` is.
  llvm::SmallVector<mlir::Value> destinationsOf(mlir::Value value) const;
  /// Whether `tensor`, an argument, may be the memory of a result.
  bool isStoredOver(mlir::Value tensor) const;
  /// Whether an input may lie in the memory of one of these destinations.
  bool mayOverwriteInput(llvm::ArrayRef<mlir::Value> destinations) const;

  //===--------------------------------------------------------------------===//
  // Regions
  //===--------------------------------------------------------------------===//

  /// The scalar ops of `op`'s region; the results' names. An op without a
  /// spelling is reported, and makes finish() fail.
  Texts region(mlir::linalg::GenericOp op,
               llvm::ArrayRef<std::string> arguments,
               llvm::ArrayRef<std::string> indices);
  /// The same of a statement at `dims`.
  Texts region(const kernel::Statement &statement,
               llvm::ArrayRef<std::string> arguments,
               llvm::ArrayRef<std::string> dims);
  /// What a contraction multiplies, of `element` of an operand.
  std::string factor(const kernel::Contraction &contraction, unsigned operand,
                     const std::string &element);
  /// What `combiner` makes of `lhs` and `rhs`; an fma combines by a sum.
  std::string join(mlir::Operation *combiner, const std::string &lhs,
                   const std::string &rhs);
  /// The number that `combiner` leaves others as they are with.
  static std::string neutral(mlir::Operation *combiner);

  /// A multiprocessor should hold `threads` of the kernel, or one block where
  /// that has more: for a kernel that would spill with the registers that more
  /// threads leave to each.
  void setResidentThreads(int64_t threads) { residentThreads_ = threads; }
  /// `__shared__ TYPE NAME[count];`
  void declareShared(const std::string &type, const std::string &name,
                     int64_t count, int64_t elementBytes);
  void fail() { failed_ = true; }
  /// The whole function, for blocks of `threads`; failure if something could
  /// not be written, which has been reported.
  mlir::FailureOr<std::string> finish(int64_t threads);

  /// Bytes of the widest access to each argument that was written so far.
  llvm::ArrayRef<int64_t> accesses() const { return accesses_; }
  /// Inputs that lie in no result's memory.
  llvm::SmallVector<int64_t> argumentsAlone();
  /// Of blocks of `threads`, those that a multiprocessor should hold.
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
  bool failed_ = false;
  int64_t residentThreads_ = 512; ///< 128 registers each.
  int64_t staticShared_ = 0;
  llvm::SmallVector<int64_t> accesses_;
  llvm::StringSet<> taken_;
  llvm::StringMap<unsigned> counts_;
  llvm::DenseMap<mlir::Value, std::string> values_;
  llvm::DenseMap<mlir::Value, std::string> pointers_;
};

/// Bytes that are moved at once where `count` neighbours of `tensor` are: all,
/// or 16 at a time.
int64_t getAccessBytes(mlir::Value tensor, int64_t count);
/// Whether `tensor` is an argument that is aligned for that.
bool isAligned(mlir::Value tensor, int64_t count);

/// "/layer/Conv" as a part of a C++ name: "layer_Conv"; "value" of nothing.
std::string toIdentifier(llvm::StringRef name);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_KERNELTEXT_H
