// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles functions on nn tensors with their gradients, and runs them.
#include "GradientHarness.h"

#include "lib/Driver/Compilation.h"
#include "mlir/Parser/Parser.h"
#include "passes/NN/Passes.h"
#include "passes/Pipelines.h"
#include "runtime/Runner/EntryCall.h"
#include "test/support/Compile.h"
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

using Inspect = std::function<void(mlir::ModuleOp)>;

static rt::Result<std::unique_ptr<rt::Runner>>
compile(mlir::MLIRContext &context, const std::string &text,
        const Inspect &inspect) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return rt::invalidInput("does not parse:\n" + text);
  std::vector<std::string> warnings;
  if (inspect) {
    Compilation differentiation(module, warnings, /*isTool=*/true);
    differentiation.passes().addPass(nn::createDifferentiatePass());
    MPC_RETURN_IF_ERROR(differentiation.run());
    inspect(*module);
  }
  Compilation autodiff(module, warnings, /*isTool=*/true);
  buildAutodiffPipeline(autodiff.passes());
  MPC_RETURN_IF_ERROR(autodiff.run());
  return compileEntries(*module, [](mlir::OpPassManager &) {});
}

CompiledModule::CompiledModule(
    const std::string &text,
    const std::function<void(mlir::MLIRContext &)> &prepare,
    const Inspect &inspect) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  if (prepare)
    prepare(*context);
  auto runner = compile(*context, text, inspect);
  if (runner.ok())
    runner_ = std::move(*runner);
  else
    ADD_FAILURE() << runner.status().message();
}

/// Runs the call into memory that is filled with garbage.
static std::vector<std::vector<uint8_t>> runInto(rt::EntryCall &call) {
  std::vector<std::vector<uint8_t>> results;
  for (auto [index, desc] : llvm::enumerate(call.entry().outputs)) {
    results.emplace_back(desc.numBytes(), 0x7f);
    call.setOutput(index, results.back().data());
  }
  rt::Status status = call.run();
  EXPECT_TRUE(status.ok()) << status.message();
  return results;
}

std::vector<Numbers>
CompiledModule::run(const std::string &name,
                    const std::vector<Numbers> &inputs) const {
  const rt::Entry *entry =
      runner_ ? runner_->program().findEntry(name) : nullptr;
  if (!entry || entry->inputs.size() != inputs.size()) {
    ADD_FAILURE() << "no function " << name << " of " << inputs.size();
    return {};
  }
  auto call = rt::EntryCall::create(*runner_, *entry);
  std::vector<std::vector<uint8_t>> memory;
  for (auto [index, desc, numbers] : llvm::enumerate(entry->inputs, inputs)) {
    EXPECT_EQ(static_cast<size_t>(desc.numElements()), numbers.size()) << name;
    memory.push_back(encode(std::string(rt::name(desc.dtype)), numbers));
    call->setInput(index, memory.back().data());
  }
  std::vector<std::vector<uint8_t>> results = runInto(*call);
  // The first run left its values in the arena: what reads memory that it has
  // not written finds others there now.
  EXPECT_EQ(results, runInto(*call)) << name;
  std::vector<Numbers> numbers;
  for (auto [desc, bytes] : llvm::zip(entry->outputs, results))
    numbers.push_back(decode(std::string(rt::name(desc.dtype)), bytes));
  return numbers;
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
