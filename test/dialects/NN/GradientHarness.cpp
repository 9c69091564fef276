// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles functions on nn tensors with their gradients, and runs them.
#include "GradientHarness.h"

#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Driver/Compilation.h"
#include "lib/Driver/Dialects.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace mpc;
using namespace mpc::test;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &semanticsOf(const std::string &type) {
  if (type == "f16")
    return llvm::APFloat::IEEEhalf();
  if (type == "bf16")
    return llvm::APFloat::BFloat();
  if (type == "f32")
    return llvm::APFloat::IEEEsingle();
  return llvm::APFloat::IEEEdouble();
}

static llvm::APFloat convert(const std::string &type, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number;
}

double mpc::test::roundTo(const std::string &type, double value) {
  return convert(type, value).convertToDouble();
}

double mpc::test::ulpOf(const std::string &type, double value) {
  const llvm::fltSemantics &semantics = semanticsOf(type);
  int digits = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics));
  int least = llvm::APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - digits + 1);
}

static int64_t bytesOf(const std::string &type) {
  if (type == "f16" || type == "bf16")
    return 2;
  return type == "f32" ? 4 : 8;
}

static std::vector<uint8_t> encode(const std::string &type,
                                   const Numbers &numbers) {
  int64_t size = bytesOf(type);
  std::vector<uint8_t> bytes(numbers.size() * size + 1);
  for (auto [index, number] : llvm::enumerate(numbers)) {
    uint64_t bits = type == "i64"
                        ? static_cast<uint64_t>(static_cast<int64_t>(number))
                        : convert(type, number).bitcastToAPInt().getZExtValue();
    std::memcpy(bytes.data() + index * size, &bits, size);
  }
  return bytes;
}

static Numbers decode(const std::string &type,
                      const std::vector<uint8_t> &bytes) {
  int64_t size = bytesOf(type);
  Numbers numbers;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    llvm::APInt word(8 * size, bits);
    numbers.push_back(
        type == "i64"
            ? static_cast<double>(word.getSExtValue())
            : llvm::APFloat(semanticsOf(type), word).convertToDouble());
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// CompiledModule
//===----------------------------------------------------------------------===//

static std::string typeName(mlir::Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// The content of a global, i1 in a byte each.
static std::vector<uint8_t> contentOf(mlir::memref::GlobalOp global) {
  auto elements =
      mlir::cast<mlir::DenseElementsAttr>(*global.getInitialValue());
  unsigned bits = elements.getElementType().getIntOrFloatBitWidth();
  int64_t size = std::max(bits / 8, 1u);
  std::vector<uint8_t> bytes(elements.getNumElements() * size);
  int64_t at = 0;
  for (mlir::Attribute element : elements.getValues<mlir::Attribute>()) {
    auto number = mlir::dyn_cast<mlir::FloatAttr>(element);
    llvm::APInt word = number
                           ? number.getValue().bitcastToAPInt()
                           : mlir::cast<mlir::IntegerAttr>(element).getValue();
    uint64_t value = word.getZExtValue();
    std::memcpy(bytes.data() + at, &value, size);
    at += size;
  }
  return bytes;
}

CompiledModule::Place CompiledModule::readPlace(mlir::ModuleOp module,
                                                mlir::Value memory) {
  if (auto get = memory.getDefiningOp<mlir::memref::GetGlobalOp>()) {
    auto [it, isNew] = constants_.try_emplace(get.getName().str());
    if (isNew)
      it->second =
          contentOf(module.lookupSymbol<mlir::memref::GlobalOp>(get.getName()));
    return {-1, 0, &it->second};
  }
  auto view = memory.getDefiningOp<mlir::memref::ViewOp>();
  llvm::APInt shift;
  if (!view ||
      !matchPattern(view.getByteShift(), mlir::m_ConstantInt(&shift))) {
    ADD_FAILURE() << "memory without a constant place";
    return {};
  }
  auto argument = mlir::cast<mlir::BlockArgument>(view.getSource());
  return {static_cast<int>(argument.getArgNumber()), shift.getSExtValue(),
          nullptr};
}

void CompiledModule::readEntries(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    Entry &entry = entries_[function.getName().str()];
    for (auto argument : llvm::drop_begin(function.getArguments())) {
      unsigned index = argument.getArgNumber();
      auto buffer = function.getArgAttrOfType<kernel::BufferAttr>(
          index, kernel::KernelDialect::BufferAttrHelper::getNameStr());
      mlir::RankedTensorType type = buffer.getType();
      bool isOutput = buffer.getRole() == kernel::BufferRole::Output;
      (isOutput ? entry.outputs : entry.inputs)
          .push_back({typeName(type.getElementType()), type.getNumElements()});
    }
    entry.arenaBytes =
        mlir::cast<mlir::MemRefType>(function.getArgumentTypes().front())
            .getNumElements();
    for (mlir::Operation &op : function.getBody().front()) {
      Step step;
      if (auto launch = mlir::dyn_cast<kernel::LaunchOp>(op))
        step.kernel = launch.getKernel().str();
      else if (auto copy = mlir::dyn_cast<mlir::memref::CopyOp>(op))
        step.bytes =
            copy.getSource().getType().getNumElements() *
            std::max(copy.getSource().getType().getElementTypeBitWidth() / 8,
                     1u);
      else
        continue;
      for (mlir::Value operand : op.getOperands())
        step.places.push_back(readPlace(module, operand));
      entry.steps.push_back(std::move(step));
    }
  }
}

bool CompiledModule::build(mlir::MLIRContext &context, const std::string &text,
                           const std::function<void(mlir::ModuleOp)> &inspect) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return false;
  llvm::Expected<cpu::CpuTarget> target = cpu::getCpuTarget("host");
  if (!target) {
    ADD_FAILURE() << llvm::toString(target.takeError());
    return false;
  }
  std::vector<std::string> warnings;
  Compilation lowering(module, warnings, /*survivesCrashes=*/true);
  if (inspect)
    lowering.after("nn-differentiate", inspect);
  cpu::AttachTargetPassOptions attach;
  attach.lanes = target->lanes;
  lowering.passes().addPass(cpu::createAttachTargetPass(attach));
  buildAutodiffPipeline(lowering.passes());
  buildKernelPipeline(lowering.passes());
  if (rt::Status status = lowering.run(); !status.ok()) {
    ADD_FAILURE() << status.message();
    return false;
  }
  readEntries(*module);
  for (mlir::Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*module->getBody())))
    if (!mlir::isa<kernel::FuncOp>(op))
      op.erase();
  mlir::PassManager emission(&context);
  buildEmissionPipeline(emission);
  if (failed(emission.run(*module)))
    return false;
  llvm::Expected<cpu::CompiledKernels> result =
      cpu::compileKernels(*module, *target);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return false;
  }
  compiled_ = std::move(*result);
  return true;
}

CompiledModule::CompiledModule(
    const std::string &text,
    const std::function<void(mlir::MLIRContext &)> &prepare,
    const std::function<void(mlir::ModuleOp)> &inspect) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  if (prepare)
    prepare(context);
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    errors += d.str() + "\n";
    return mlir::success();
  });
  if (!build(context, text, inspect))
    ADD_FAILURE() << "does not compile: " << errors;
}

void CompiledModule::runStep(const Step &step,
                             const std::vector<uint8_t *> &arguments) const {
  std::vector<void *> buffers;
  for (const Place &place : step.places)
    buffers.push_back(place.constant
                          ? const_cast<uint8_t *>(place.constant->data())
                          : arguments[place.argument] + place.offset);
  if (step.kernel.empty()) {
    std::memcpy(buffers[1], buffers[0], step.bytes);
    return;
  }
  auto found = compiled_.kernels.find(step.kernel);
  ASSERT_NE(found, compiled_.kernels.end()) << "no kernel " << step.kernel;
  const cpu::CompiledKernel &kernel = found->second;
  std::vector<char> scratch(kernel.scratchBytes + 64, '\x7f');
  auto aligned = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(scratch.data()), 64));
  kernel.function(buffers.data(), 0, kernel.chunks, aligned);
}

std::vector<Numbers>
CompiledModule::run(const std::string &name,
                    const std::vector<Numbers> &inputs) const {
  auto found = entries_.find(name);
  if (found == entries_.end()) {
    ADD_FAILURE() << "no function " << name;
    return {};
  }
  const Entry &entry = found->second;
  // Filled with garbage: nothing may be read before it is written.
  std::vector<std::vector<uint8_t>> memory{
      std::vector<uint8_t>(entry.arenaBytes, 0x7f)};
  EXPECT_EQ(inputs.size(), entry.inputs.size());
  for (auto [tensor, numbers] : llvm::zip(entry.inputs, inputs)) {
    EXPECT_EQ(static_cast<size_t>(tensor.count), numbers.size()) << name;
    memory.push_back(encode(tensor.type, numbers));
  }
  for (const Tensor &tensor : entry.outputs)
    memory.emplace_back(tensor.count * bytesOf(tensor.type), 0x7f);
  std::vector<uint8_t *> arguments;
  for (std::vector<uint8_t> &bytes : memory)
    arguments.push_back(bytes.data());
  for (const Step &step : entry.steps)
    runStep(step, arguments);
  std::vector<Numbers> results;
  for (auto [index, tensor] : llvm::enumerate(entry.outputs))
    results.push_back(
        decode(tensor.type, memory[1 + entry.inputs.size() + index]));
  return results;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string tensorOf(const std::string &shape, const std::string &type) {
  return "tensor<" + (shape.empty() ? type : shape + "x" + type) + ">";
}

namespace {

/// Parameters of a function under construction, and those that it has a
/// gradient of.
struct Signature {
  std::vector<std::string> names, types;
  std::vector<size_t> floating;

  void add(const std::string &name, const std::string &type) {
    if (type.find("i64") == std::string::npos)
      floating.push_back(names.size());
    names.push_back("%" + name);
    types.push_back(type);
  }
  std::string declaration() const {
    std::vector<std::string> parts;
    for (auto [name, type] : llvm::zip(names, types))
      parts.push_back(name + ": " + type);
    return "(" + llvm::join(parts, ", ") + ")";
  }
  std::vector<std::string> floatingTypes() const {
    std::vector<std::string> result;
    for (size_t index : floating)
      result.push_back(types[index]);
    return result;
  }
};

} // namespace

/// A public function `name` with the results of `callee` and its VJP by all
/// floating arguments. Appends the seeds to `signature` and the gradients'
/// types to `results`.
static std::string vjpText(const std::string &name, const std::string &callee,
                           Signature &signature,
                           std::vector<std::string> &results,
                           const std::string &seedPrefix) {
  Signature inner = signature;
  std::vector<std::string> seeds, numbers, all = results;
  for (auto [index, type] : llvm::enumerate(results)) {
    signature.add(seedPrefix + std::to_string(index), type);
    seeds.push_back(signature.names.back());
  }
  for (size_t index : inner.floating)
    numbers.push_back(std::to_string(index));
  std::vector<std::string> gradients = inner.floatingTypes();
  llvm::append_range(all, gradients);
  std::vector<std::string> values;
  for (size_t index = 0; index < all.size(); ++index)
    values.push_back("%v#" + std::to_string(index));
  std::string types = llvm::join(all, ", ");
  std::string text =
      "func.func @" + name + signature.declaration() + " -> (" + types +
      ") {\n  %v:" + std::to_string(all.size()) + " = nn.vjp @" + callee + "(" +
      llvm::join(inner.names, ", ") + ") seed(" + llvm::join(seeds, ", ") +
      ") wrt [] args [" + llvm::join(numbers, ", ") + "] : (" +
      llvm::join(inner.types, ", ") + "), (" + llvm::join(results, ", ") +
      ") -> " + types + "\n  return " + llvm::join(values, ", ") + " : " +
      types + "\n}\n";
  results = all;
  return text;
}

std::string mpc::test::gradientText(const GradientCase &test, size_t index,
                                    const std::string &type, bool second) {
  std::string suffix = std::to_string(index) + "_" + type;
  Signature signature;
  for (auto [number, argument] : llvm::enumerate(test.arguments))
    signature.add(
        std::string(1, static_cast<char>('a' + number)),
        tensorOf(argument.shape, argument.integers.empty() ? type : "i64"));
  std::string body = test.body;
  std::string compute = type == "f64" ? "f64" : "f32";
  for (auto [from, to] : {std::pair("$T", type), std::pair("$C", compute)})
    for (size_t at; (at = body.find(from)) != std::string::npos;)
      body.replace(at, 2, to);
  std::vector<std::string> results{tensorOf(test.result, type)};
  std::string text = "func.func private @f" + suffix + signature.declaration() +
                     " -> " + results.front() + " {\n" + body +
                     "\n  return %r : " + results.front() + "\n}\n";
  text += vjpText("g" + suffix, "f" + suffix, signature, results, "s");
  if (second)
    text += vjpText("h" + suffix, "g" + suffix, signature, results, "t");
  return text;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static size_t countOf(const std::string &shape) {
  size_t count = 1;
  for (llvm::StringRef size : llvm::split(shape, 'x')) {
    size_t number = 1;
    (void)size.getAsInteger(10, number);
    count *= number;
  }
  return count;
}

static Numbers randomNumbers(std::mt19937 &engine, size_t count,
                             Domain domain) {
  Numbers numbers(count);
  if (domain == Domain::Distinct || domain == Domain::Shifted) {
    double shift = domain == Domain::Shifted ? 1.0 / 32 : 0.0;
    for (size_t i = 0; i < count; ++i)
      numbers[i] =
          (2.0 * static_cast<double>(i) - static_cast<double>(count)) / 16 +
          1.0 / 16 + shift;
    std::shuffle(numbers.begin(), numbers.end(), engine);
    return numbers;
  }
  for (double &number : numbers) {
    double unit = static_cast<double>(engine()) / 4294967296.0;
    if (domain == Domain::Positive)
      number = 0.3 + 2.2 * unit;
    else
      number = unit < 0.5 ? -2.0 + 3.8 * unit : 0.1 + 3.8 * (unit - 0.5);
  }
  return numbers;
}

std::vector<Numbers> mpc::test::gradientInputs(const GradientCase &test,
                                               bool second,
                                               const std::string &type) {
  std::mt19937 engine(1);
  std::vector<Numbers> inputs, gradients;
  for (const Argument &argument : test.arguments) {
    if (!argument.integers.empty()) {
      inputs.emplace_back(argument.integers.begin(), argument.integers.end());
      continue;
    }
    inputs.push_back(
        randomNumbers(engine, countOf(argument.shape), argument.domain));
    gradients.push_back(
        randomNumbers(engine, countOf(argument.shape), Domain::Any));
  }
  size_t count = countOf(test.result);
  inputs.push_back(randomNumbers(engine, count, Domain::Any));
  if (second) {
    inputs.push_back(randomNumbers(engine, count, Domain::Any));
    llvm::append_range(inputs, gradients);
  }
  for (Numbers &numbers : inputs)
    for (double &number : numbers)
      number = roundTo(type, number);
  return inputs;
}

/// <seeds, results>, where there are as many results as seeds.
static double seededSum(llvm::ArrayRef<Numbers> seeds,
                        llvm::ArrayRef<Numbers> results) {
  double sum = 0.0;
  for (auto [seed, result] : llvm::zip(seeds, results))
    for (auto [s, y] : llvm::zip(seed, result))
      sum += s * y;
  return sum;
}

double mpc::test::directionalError(const CompiledModule &module,
                                   const std::string &entry,
                                   const std::vector<Numbers> &inputs,
                                   const std::vector<size_t> &floating,
                                   size_t numSeeds) {
  // The cube root of the rounding error, as central differences want it.
  constexpr double kStep = 1e-5;
  std::mt19937 engine(2);
  std::vector<Numbers> directions(inputs.size());
  for (size_t index : floating)
    directions[index] =
        randomNumbers(engine, inputs[index].size(), Domain::Any);
  auto seeds = llvm::ArrayRef(inputs).take_back(numSeeds);
  auto along = [&](double distance) {
    std::vector<Numbers> moved = inputs;
    for (size_t index : floating)
      for (auto [x, v] : llvm::zip(moved[index], directions[index]))
        x += distance * v;
    return seededSum(seeds, module.run(entry, moved));
  };
  double numeric = (along(kStep) - along(-kStep)) / (2 * kStep);
  std::vector<Numbers> results = module.run(entry, inputs);
  double analytic = 0.0, magnitude = 0.0;
  EXPECT_EQ(results.size(), numSeeds + floating.size());
  for (auto [index, gradient] :
       llvm::zip(floating, llvm::ArrayRef(results).drop_front(numSeeds)))
    for (auto [g, v] : llvm::zip(gradient, directions[index])) {
      analytic += g * v;
      magnitude += std::abs(g * v);
    }
  return std::abs(analytic - numeric) / std::max(magnitude, 1e-3);
}
