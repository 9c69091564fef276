// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of one kernel: its lines, its names, and the function as a whole.
#include "lib/Codegen/CUDA/KernelText.h"

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "lib/Codegen/CUDA/Vectors.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using llvm::formatv;
using mpc::kernel::Statement;

std::string mpc::cuda::toIdentifier(StringRef name) {
  std::string result;
  for (char c : name) {
    if (llvm::isAlnum(c))
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (!result.empty() && result.back() == '_')
    result.pop_back();
  if (result.empty())
    return "value";
  return llvm::isDigit(result.front()) ? "_" + result : result;
}

int64_t mpc::cuda::getAccessBytes(Value tensor, int64_t count) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return std::min(kWidestAccess, count * getStorageBytes(element));
}

bool mpc::cuda::isAligned(Value tensor, int64_t count) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return false;
  auto kernel = cast<kernel::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getAlignment(argument.getArgNumber()) %
             getAccessBytes(tensor, count) ==
         0;
}

/// Whether an int can count the elements of all tensors of `kernel`, and the
/// parallel iterations of its statements plus a block. The terms of a sum are
/// elements of a tensor.
static bool fitsInt(mpc::kernel::FuncOp kernel) {
  if (TargetAttr::lookup(kernel).getWide())
    return false;
  auto isSmall = [](int64_t count) { return count < (int64_t(1) << 30); };
  if (!llvm::all_of(kernel.getArgumentTypes(), [&](Type type) {
        return isSmall(cast<RankedTensorType>(type).getNumElements());
      }))
    return false;
  FailureOr<mpc::kernel::Body> body = mpc::kernel::getBody(kernel);
  return failed(body) ||
         llvm::all_of(body->statements, [&](const Statement &statement) {
           // Nothing counts all pairs of a query and a key.
           if (isa<mpc::kernel::AttentionOpInterface>(statement.op))
             return true;
           int64_t parallel = statement.numParallel();
           return isSmall(parallel) && isSmall(statement.numIterations() /
                                               std::max<int64_t>(parallel, 1));
         });
}

/// Whether what is computed of `kernel`'s values is rounded to 16 bits in the
/// end, and the target asks for no more.
static bool hasNearFunctions(mpc::kernel::FuncOp kernel) {
  TargetAttr target = TargetAttr::lookup(kernel);
  return !target.getExact() && !target.getNaive() &&
         llvm::all_of(kernel.getResultTypes(), [](Type type) {
           Type element = cast<RankedTensorType>(type).getElementType();
           return element.isF16() || element.isBF16();
         });
}

KernelText::KernelText(kernel::FuncOp kernel)
    : kernel(kernel), isNear_(hasNearFunctions(kernel)) {
  indexType_ = fitsInt(kernel) ? "int" : "mpc_i64";
  for (BlockArgument argument : kernel.getArguments()) {
    bool isInput = argument.getArgNumber() < kernel.getNumInputs();
    pointers_[argument] = makeName(isInput ? "input" : "output");
    accesses_.push_back(getAccessBytes(argument, 1));
  }
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void KernelText::addLine(const std::string &text) {
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef one : lines)
    body_ += indent_ + one.str() + "\n";
}

void KernelText::block(const std::string &head, llvm::function_ref<void()> body,
                       const char *end) {
  if (head.empty())
    return body();
  addLine(head + " {");
  indent_ += "  ";
  body();
  indent_.resize(indent_.size() - 2);
  addLine(end);
}

std::string KernelText::makeName(StringRef stem) {
  std::string name;
  do
    name = stem.str() + std::to_string(counts_[stem]++);
  while (!taken_.insert(name).second);
  return name;
}

std::string KernelText::define(const std::string &type, StringRef stem,
                               const std::string &expression) {
  std::string name = makeName(stem);
  line("const {0} {1} = {2};", type, name, expression);
  return name;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// A comment on the model's ops that the kernel computes.
std::string KernelText::comment() {
  std::string names, text;
  if (ArrayAttr sources = kernel.getSourcesAttr())
    names = llvm::join(
        llvm::map_range(sources.getAsRange<StringAttr>(),
                        [](StringAttr name) {
                          return llvm::StringRef(toIdentifier(name)).str();
                        }),
        ", ");
  if (names.empty())
    return "";
  std::string row = "//";
  for (StringRef word : llvm::split(names, ' ')) {
    if (row.size() + word.size() > 78) {
      text += row + "\n";
      row = "//";
    }
    row += " " + word.str();
  }
  return text + row + "\n";
}

SmallVector<int64_t> KernelText::argumentsAlone() {
  SmallVector<int64_t> alone;
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input)
    if (llvm::none_of(llvm::seq(kernel.getNumResults()), [&](unsigned result) {
          return kernel.mayAlias(input, result);
        }))
      alone.push_back(input);
  return alone;
}

std::string KernelText::signature(int64_t threads) {
  // Without a number of blocks ptxas spills to make room for more of them.
  int64_t blocks = residentThreads(threads) / threads;
  std::string text =
      formatv("extern \"C\" __global__ void __launch_bounds__({0}, {1})\n{2}(",
              threads, blocks, kernel.getSymName());
  SmallVector<std::string> parameters;
  SmallVector<int64_t> alone = argumentsAlone();
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned number = argument.getArgNumber();
    bool isAlone = llvm::is_contained(alone, number);
    parameters.push_back(formatv(
        "{0}{1} *{2}{3}", number < kernel.getNumInputs() ? "const " : "",
        getStorageText(type.getElementType()), isAlone ? "__restrict__ " : "",
        pointers_[argument]));
  }
  return text + llvm::join(parameters, ",\n    ") + ")";
}

FailureOr<std::string> KernelText::finish(int64_t threads) {
  if (failed_)
    return failure();
  return comment() + signature(threads) + " {\n" + body_ + "}\n";
}
