// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled loss-scale policies against the same templates in C++: every
// string of events, from several starts, to the bit.
#include "CompiledProgram.h"

#include "passes/AMP/PolicyEmitter.h"
#include "runtime/LossScale/NumberBuilder.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>

using namespace mpc;
using namespace mpc::test;

namespace {

constexpr int kLength = 12; ///< Of an event string.
constexpr double kStarts[] = {1.0, 3.0, 65536.0, 0x1p127};
constexpr double kIntervals[] = {1, 2, 5};
constexpr size_t kSeeds = std::size(kStarts) * std::size(kIntervals);
constexpr size_t kBatch = kSeeds << kLength;

using State = std::array<double, rt::kNumStateSlots>;

/// A scaler in the middle of an event string.
struct Scaler {
  State state;
  rt::Settings settings;
};

double maxAbsOf(size_t index) {
  constexpr double kValues[] = {0.0, 1e-9, 0.37, 12.0, 60000.0};
  return kValues[index % std::size(kValues)];
}

class PolicyTest : public testing::TestWithParam<rt::PolicyInfo> {
protected:
  PolicyTest() : kind_(GetParam().kind), context_(makeContext()) {}

  /// An entry that steps `kBatch` scalers at once.
  CompiledProgram compile() {
    mlir::OpBuilder b(context_.get());
    mlir::Location loc = b.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    b.setInsertionPointToStart(module->getBody());
    auto function =
        mlir::func::FuncOp::create(b, loc, "step", b.getFunctionType({}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    auto results = amp::buildPolicyStep(b, loc, kind_, addInputs(function));
    addResults(b, function, results);
    return CompiledProgram(*module, "");
  }

  amp::PolicyOperands addInputs(mlir::func::FuncOp function) {
    mlir::Builder b(context_.get());
    auto add = [&](const std::string &name, mlir::Type elementType) {
      unsigned index = function.getNumArguments();
      auto type = mlir::RankedTensorType::get(kBatch, elementType);
      auto attrs =
          b.getDictionaryAttr(b.getNamedAttr("nn.name", b.getStringAttr(name)));
      (void)function.insertArgument(index, type, attrs, function.getLoc());
      return function.getArgument(index);
    };
    amp::PolicyOperands operands;
    for (size_t i = 0; i != rt::kNumStateSlots; ++i)
      operands.state[i] = add("state" + std::to_string(i), b.getF64Type());
    for (size_t i = 0; i != rt::kNumSettings; ++i)
      if (GetParam().reads(static_cast<rt::Setting>(i)))
        operands.settings[i] =
            add("setting" + std::to_string(i), b.getF64Type());
    operands.found = add("found", b.getI1Type());
    operands.maxAbs = add("max_abs", b.getF32Type());
    return operands;
  }

  void addResults(mlir::OpBuilder &b, mlir::func::FuncOp function,
                  mlir::ValueRange results) {
    mlir::func::ReturnOp::create(b, function.getLoc(), results);
    function.setFunctionType(
        b.getFunctionType(function.getArgumentTypes(), results.getTypes()));
    for (unsigned i = 0; i != results.size(); ++i)
      function.setResultAttr(i, "nn.name",
                             b.getStringAttr("state" + std::to_string(i)));
  }

  std::vector<Scaler> seeds() {
    std::vector<Scaler> scalers;
    for (double start : kStarts)
      for (double interval : kIntervals) {
        rt::SettingOverride overrides[] = {
            {rt::Setting::InitScale, start},
            {rt::Setting::GrowthInterval, interval}};
        Scaler scaler;
        scaler.settings = rt::settingsOf(kind_, overrides);
        scaler.state = rt::initialState(kind_, scaler.settings);
        scalers.push_back(scaler);
      }
    return scalers;
  }

  /// The compiled step of every scaler.
  std::vector<State> runCompiled(CompiledProgram &program,
                                 const std::vector<Scaler> &scalers,
                                 bool found) {
    CompiledProgram::Tensors inputs;
    auto column = [&](auto value) {
      std::vector<double> values(kBatch, 0.0);
      for (size_t i = 0; i != scalers.size(); ++i)
        values[i] = value(scalers[i]);
      return toBytes(values);
    };
    for (size_t i = 0; i != rt::kNumStateSlots; ++i)
      inputs["state" + std::to_string(i)] =
          column([&](const Scaler &s) { return s.state[i]; });
    for (size_t i = 0; i != rt::kNumSettings; ++i)
      inputs["setting" + std::to_string(i)] =
          column([&](const Scaler &s) { return s.settings.values[i]; });
    inputs["found"].assign(kBatch, std::byte{found});
    std::vector<float> maxAbs(kBatch);
    for (size_t i = 0; i != kBatch; ++i)
      maxAbs[i] = static_cast<float>(maxAbsOf(i));
    inputs["max_abs"] = toBytes(maxAbs);
    CompiledProgram::Tensors outputs = program.run("step", inputs);
    std::vector<State> states(scalers.size());
    for (size_t slot = 0; slot != rt::kNumStateSlots; ++slot) {
      auto values =
          fromBytes<double>(outputs.at("state" + std::to_string(slot)));
      for (size_t i = 0; i != scalers.size(); ++i)
        states[i][slot] = values[i];
    }
    return states;
  }

  State runTemplate(const Scaler &scaler, bool found, size_t index) {
    rt::NumberBuilder builder;
    return rt::stepPolicy(
        kind_, builder, scaler.state, scaler.settings.values,
        {.foundInf = found, .gradMaxAbs = static_cast<float>(maxAbsOf(index))});
  }

  rt::PolicyKind kind_;
  std::unique_ptr<mlir::MLIRContext> context_;
};

bool sameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

} // namespace

// Features: F7, X15.
TEST_P(PolicyTest, CompiledStepsEqualTheTemplate) {
  CompiledProgram program = compile();
  ASSERT_TRUE(program);
  std::vector<Scaler> scalers = seeds();
  for (int length = 0; length != kLength; ++length) {
    std::vector<Scaler> next;
    for (bool found : {false, true}) {
      std::vector<State> states = runCompiled(program, scalers, found);
      for (size_t i = 0; i != scalers.size(); ++i) {
        State want = runTemplate(scalers[i], found, i);
        for (size_t slot = 0; slot != want.size(); ++slot)
          ASSERT_TRUE(sameBits(states[i][slot], want[slot]))
              << rt::slotKey(static_cast<rt::StateSlot>(slot)) << " is "
              << states[i][slot] << ", expected " << want[slot] << " after "
              << length + 1 << " events";
        next.push_back({want, scalers[i].settings});
      }
    }
    scalers = std::move(next);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PolicyTest,
                         testing::ValuesIn(rt::allPolicies().begin(),
                                           rt::allPolicies().end()),
                         [](const testing::TestParamInfo<rt::PolicyInfo> &p) {
                           std::string name(p.param.name);
                           std::erase(name, '-');
                           return name;
                         });
