// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads cases, compiles them in several forms and compares their results.
#include "test/support/Values.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "passes/Pipelines.h"
#include "runtime/Runner/Runner.h"
#include "test/support/Compile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace mlir;
using namespace mpc;

namespace {

/// What one result has to be.
struct Expected {
  DenseElementsAttr values;
  RankedTensorType type;
  double ulps = 0.0; ///< 0: `values` rounded once, to the bit.
  double at = 0.0;
};

/// A function, with what goes in and what has to come out.
struct Case {
  Location location;
  std::vector<DenseElementsAttr> inputs;
  std::vector<Expected> results;
};

using Cases = std::map<std::string, Case>;

/// How a module is compiled.
struct Form {
  const char *name;
  bool fuse, constants;
};

/// Scalar loops (--naive) are held against fused kernels elsewhere.
constexpr Form kForms[] = {{"fused", true, false}, {"constants", false, true}};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static FailureOr<DenseElementsAttr>
readValues(Attribute attribute, func::FuncOp function, const Twine &where) {
  if (auto values = dyn_cast_or_null<DenseElementsAttr>(attribute))
    return values;
  return function.emitError() << where << " has no values.are";
}

static double readNumber(Attribute attribute) {
  auto number = dyn_cast_or_null<FloatAttr>(attribute);
  return number ? number.getValueAsDouble() : 0.0;
}

static FailureOr<Expected> readExpected(func::FuncOp function, unsigned index) {
  std::string where = ("result " + Twine(index)).str();
  FailureOr<DenseElementsAttr> values =
      readValues(function.getResultAttr(index, "values.are"), function, where);
  if (failed(values))
    return failure();
  Expected expected;
  expected.values = *values;
  expected.type = cast<RankedTensorType>(function.getResultTypes()[index]);
  expected.ulps = readNumber(function.getResultAttr(index, "values.ulps"));
  expected.at = readNumber(function.getResultAttr(index, "values.at"));
  Type element = expected.type.getElementType();
  Type wanted = isa<FloatType>(element)
                    ? Float64Type::get(function.getContext())
                    : element;
  if (values->getType() != expected.type.clone(wanted))
    return function.emitError()
           << where << ": expected values.are of "
           << expected.type.clone(wanted) << ", found " << values->getType();
  return expected;
}

static FailureOr<Case> readCase(func::FuncOp function) {
  Case result{function.getLoc(), {}, {}};
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string where = ("argument " + Twine(i)).str();
    FailureOr<DenseElementsAttr> values =
        readValues(function.getArgAttr(i, "values.are"), function, where);
    if (failed(values))
      return failure();
    if (values->getType() != function.getArgumentTypes()[i])
      return function.emitError() << where << ": expected values.are of "
                                  << function.getArgumentTypes()[i]
                                  << ", found " << values->getType();
    result.inputs.push_back(*values);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    FailureOr<Expected> expected = readExpected(function, i);
    if (failed(expected))
      return failure();
    result.results.push_back(*expected);
  }
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  return result;
}

static FailureOr<Cases> readCases(ModuleOp module) {
  Cases cases;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    FailureOr<Case> read = readCase(function);
    if (failed(read))
      return failure();
    cases.emplace(function.getName().str(), *read);
  }
  if (cases.empty())
    return module.emitError() << "expected a public function, found none";
  return cases;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static bool hasGradient(func::FuncOp function) {
  return function.walk([](nn::VJPOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Puts the values of the arguments into the functions, where folders see them.
/// Gradients are left out: they are made of ops whose own files fold them.
static void makeConstants(ModuleOp module, const Cases &cases) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    auto found = cases.find(function.getName().str());
    if (found == cases.end())
      continue;
    if (hasGradient(function)) {
      function.erase();
      continue;
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    for (auto [argument, values] :
         llvm::zip(function.getArguments(), found->second.inputs))
      argument.replaceAllUsesWith(
          nn::ConstantOp::create(builder, function.getLoc(), values));
  }
}

/// The elements in memory, i1 in a byte each.
static std::vector<uint8_t> encode(DenseElementsAttr values) {
  std::vector<uint8_t> bytes;
  unsigned size =
      std::max(values.getElementType().getIntOrFloatBitWidth() / 8, 1u);
  for (Attribute element : values.getValues<Attribute>()) {
    auto number = dyn_cast<FloatAttr>(element);
    uint64_t word = (number ? number.getValue().bitcastToAPInt()
                            : cast<IntegerAttr>(element).getValue())
                        .getZExtValue();
    for (unsigned i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  return bytes;
}

/// Runs the entry; one buffer a result, filled with garbage before.
static rt::Result<std::vector<rt::HostBuffer>>
run(rt::Runner &runner, const rt::Entry &entry, const Case &test) {
  std::vector<rt::HostBuffer> inputs, results;
  std::vector<const void *> from;
  std::vector<void *> to;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    std::vector<uint8_t> bytes = encode(test.inputs[i]);
    MPC_ASSIGN_OR_RETURN(
        rt::HostBuffer buffer,
        rt::HostBuffer::allocate(std::max<size_t>(bytes.size(), 1), "input"));
    if (!bytes.empty())
      std::memcpy(buffer.data(), bytes.data(), bytes.size());
    inputs.push_back(std::move(buffer));
    from.push_back(inputs.back().data());
  }
  for (const rt::TensorDesc &desc : entry.outputs) {
    size_t size = std::max<size_t>(desc.numBytes(), 1);
    MPC_ASSIGN_OR_RETURN(rt::HostBuffer buffer,
                         rt::HostBuffer::allocate(size, "result"));
    std::memset(buffer.data(), 0x7f, size);
    results.push_back(std::move(buffer));
    to.push_back(results.back().data());
  }
  MPC_RETURN_IF_ERROR(runner.run(entry.name, from, to));
  return results;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// The distance of neighbours at the magnitude of `value`.
static double ulpOf(const llvm::fltSemantics &semantics, double value) {
  int digits = static_cast<int>(APFloat::semanticsPrecision(semantics));
  int least = APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - digits + 1);
}

static APFloat rounded(double value, const llvm::fltSemantics &semantics) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

/// How far `got` is from `want`, in units in the last place: 0 where it is
/// `want` rounded once, infinite where no distance can be told. The sign of a
/// zero counts where a result is exact: the other zero is half a unit off.
static double distance(const APFloat &got, double want, double at) {
  const llvm::fltSemantics &semantics = got.getSemantics();
  APFloat nearest = rounded(want, semantics);
  if (got.bitwiseIsEqual(nearest) || (got.isNaN() && nearest.isNaN()))
    return 0.0;
  if (!got.isFinite() || !nearest.isFinite())
    return HUGE_VAL;
  double unit = ulpOf(semantics, std::max(std::fabs(want), at));
  double off = std::fabs(got.convertToDouble() - want);
  return std::max(off, ulpOf(semantics, 0.0) / 2) / unit;
}

namespace {

/// One run of one case, for messages.
struct Finding {
  const Case &test;
  llvm::StringRef function;
  const Form &form;
  size_t result;
};

} // namespace

static InFlightDiagnostic report(const Finding &at, size_t element) {
  return mlir::emitError(at.test.location)
         << "@" << at.function << " (" << at.form.name << "), result "
         << at.result << ", element " << element << ": ";
}

static std::string text(double value) {
  if (std::isnan(value))
    return "nan"; // Whatever its sign.
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%.9g", value);
  return result;
}

static int compareFloats(const Finding &at, const Expected &expected,
                         const void *data) {
  auto type = cast<FloatType>(expected.type.getElementType());
  unsigned bytes = type.getWidth() / 8;
  int faults = 0;
  for (auto [i, wanted] :
       llvm::enumerate(expected.values.getValues<double>())) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const uint8_t *>(data) + i * bytes, bytes);
    APFloat got(type.getFloatSemantics(), APInt(8 * bytes, word));
    double off = distance(got, wanted, expected.at);
    if (off <= expected.ulps)
      continue;
    ++faults;
    report(at, i) << "expected " << text(wanted) << ", found "
                  << text(got.convertToDouble()) << ", which is " << text(off)
                  << " units in the last place off; allowed are "
                  << text(expected.ulps);
  }
  return faults;
}

static int compareIntegers(const Finding &at, const Expected &expected,
                           const void *data) {
  unsigned bits = expected.type.getElementTypeBitWidth();
  unsigned bytes = std::max(bits / 8, 1u);
  int faults = 0;
  for (auto [i, wanted] : llvm::enumerate(expected.values.getValues<APInt>())) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const uint8_t *>(data) + i * bytes, bytes);
    APInt got(bytes * 8, word);
    if (got == wanted.zext(bytes * 8))
      continue;
    ++faults;
    report(at, i) << "expected " << llvm::toString(wanted, 10, bits > 1)
                  << ", found " << llvm::toString(got, 10, bits > 1);
  }
  return faults;
}

static int compareCase(rt::Runner &runner, const rt::Entry &entry,
                       const Case &test, const Form &form) {
  auto results = run(runner, entry, test);
  if (!results.ok()) {
    mlir::emitError(test.location) << results.status().message();
    return 1;
  }
  int faults = 0;
  for (auto [i, expected] : llvm::enumerate(test.results)) {
    Finding at{test, entry.name, form, i};
    const void *data = (*results)[i].data();
    faults += isa<FloatType>(expected.type.getElementType())
                  ? compareFloats(at, expected, data)
                  : compareIntegers(at, expected, data);
  }
  return faults;
}

static int checkForm(ModuleOp original, const Cases &cases, const Form &form) {
  OwningOpRef<ModuleOp> module(original.clone());
  if (form.constants)
    makeConstants(*module, cases);
  auto runner =
      test::compileEntries(*module, buildAutodiffPipeline, {.fuse = form.fuse});
  if (!runner.ok()) {
    original.emitError() << form.name << ": " << runner.status().message();
    return 1;
  }
  int faults = 0;
  for (const rt::Entry &entry : (*runner)->program().entries)
    faults += compareCase(**runner, entry, cases.at(entry.name), form);
  return faults;
}

/// A file must hold the op that it is named after.
static bool holdsItsOp(ModuleOp module, llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::stem(path);
  auto found = module.walk([&](Operation *op) {
    return op->getName().stripDialect() == name ? WalkResult::interrupt()
                                                : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    mlir::emitError(FileLineColLoc::get(module.getContext(), path, 1, 1))
        << "expected an op " << name << ", found none";
  return found.wasInterrupted();
}

int mpc::test::checkValues(MLIRContext &context, const std::string &path) {
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(path, sources, &context);
  if (!module || !holdsItsOp(*module, path))
    return 1;
  FailureOr<Cases> cases = readCases(*module);
  if (failed(cases))
    return 1;
  int faults = 0;
  for (const Form &form : kForms)
    faults += checkForm(*module, *cases, form);
  llvm::outs() << path << ": " << cases->size() << " functions, " << faults
               << " faults\n";
  return faults;
}
