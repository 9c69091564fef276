// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transform of gradients that the compiler does not know: an op of another
// dialect, all in this file, in steps that are fused, unfused and naive, in
// windows of batches, and tried again after a skip.
#include "CompiledProgram.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/Gradient.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::test;

namespace {

//===----------------------------------------------------------------------===//
// The transform
//===----------------------------------------------------------------------===//

/// `g / |g|`, norms of whole tensors, and half of the parameter where it sees
/// weight decay.
class NormalizeOp
    : public mlir::Op<NormalizeOp, mlir::OpTrait::OneOperand,
                      mlir::OpTrait::OneResult, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::ZeroSuccessors,
                      amp::GradientTransformInterface::Trait> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "test.normalize"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }

  bool needsTensors() { return true; }
  bool needsParameters() { return true; }

  mlir::Value buildGroup(mlir::OpBuilder &builder,
                         const amp::GradientGroup &group) {
    nn::GradientBuilder g(builder, getLoc());
    mlir::Value norms =
        amp::buildNorms(builder, getLoc(), group.gradients, group.blocks);
    mlir::Value factors =
        g.cast(g.div(g.splat(norms, 1.0), norms), builder.getF32Type());
    mlir::Value unit = amp::buildScaled(builder, getLoc(), group.gradients,
                                        factors, group.blocks);
    if (!group.decay)
      return unit;
    mlir::Value half = g.splat(group.parameters, 0.5);
    return g.add(unit, g.mul(group.parameters, half));
  }
};

class TestDialect : public mlir::Dialect {
public:
  explicit TestDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                mlir::TypeID::get<TestDialect>()) {
    addOperations<NormalizeOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "test"; }
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

constexpr double kRate = 0.25;
constexpr double kScale = 8.0;
constexpr size_t kSizes[] = {5000, 3}; ///< Of w, which decays, and of b.

constexpr const char *kState = R"(
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
nn.parameter @b : tensor<3xf32> = #nn.init<zeros>
amp.scaler @scaler policy("torch") settings {init_scale = 8.0}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w, @b] no_decay [@b]
)";

constexpr const char *kUpdate = R"(
  %scale = amp.get_scale @scaler : tensor<f32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %u = amp.unscale %g by %inverse : !amp.gradients<@optimizer>
  %n = "test.normalize"(%u)
      : (!amp.gradients<@optimizer>) -> !amp.gradients<@optimizer>
  %found, %norm = amp.check %n : !amp.gradients<@optimizer>
  amp.apply %n lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  return %found : tensor<i1>
})";

constexpr const char *kArguments =
    R"(%w: tensor<5000xf16> {nn.name = "grad.w"},
       %b: tensor<3xf16> {nn.name = "grad.b"})";
constexpr const char *kGather = R"(
  %g = amp.gather %w, %b : tensor<5000xf16>, tensor<3xf16>
      -> !amp.gradients<@optimizer>)";
constexpr const char *kSignature =
    R"(%lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<i1> {nn.name = "found_inf"}) {)";

std::string stepText() {
  return std::string(kState) + "func.func @step(" + kArguments + ", " +
         kSignature + kGather + kUpdate;
}

std::string windowText() {
  return std::string(kState) + "func.func @accumulate(" + kArguments + ") {" +
         kGather + R"(
  amp.accumulate %g : !amp.gradients<@optimizer>
  return
}
func.func @apply()" +
         kSignature + R"(
  %g = amp.take_gradients : !amp.gradients<@optimizer>)" +
         kUpdate;
}

using Tensor = std::vector<float>;
using Batch = std::array<Tensor, 2>; ///< Of w and of b.

/// Scaled gradients that f16 holds exactly: eighths, times the scale.
Batch makeBatch(int seed) {
  Batch batch;
  for (size_t tensor = 0; tensor != 2; ++tensor)
    for (size_t i = 0; i != kSizes[tensor]; ++i)
      batch[tensor].push_back(
          static_cast<float>(static_cast<int>((i * 7 + seed * 13) % 31) - 15));
  return batch;
}

std::vector<std::byte> toHalves(const Tensor &values) {
  std::vector<uint16_t> halves;
  for (float value : values) {
    llvm::APFloat half(value);
    bool loses = false;
    half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                 &loses);
    halves.push_back(
        static_cast<uint16_t>(half.bitcastToAPInt().getZExtValue()));
  }
  return toBytes(halves);
}

class UserTransform : public testing::TestWithParam<KernelForm> {
protected:
  CompiledProgram compile(const std::string &text) {
    context_ = makeContext();
    context_->getOrLoadDialect<TestDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context_.get());
    EXPECT_TRUE(module);
    CompiledProgram program(*module, "mpc-state-pipeline", GetParam());
    for (size_t tensor = 0; tensor != 2; ++tensor)
      weights_[tensor].assign(kSizes[tensor], 0.75);
    program.set("w", Tensor(kSizes[0], 0.75f));
    program.set("b", Tensor(kSizes[1], 0.75f));
    program.derive();
    return program;
  }

  static CompiledProgram::Tensors inputs(const Batch &batch) {
    return {{"grad.w", toHalves(batch[0])},
            {"grad.b", toHalves(batch[1])},
            {"lr", toBytes(std::vector<float>{kRate})}};
  }

  static bool skipped(const CompiledProgram::Tensors &outputs) {
    return outputs.at("found_inf").front() != std::byte{0};
  }

  /// The step in double, on the sum of some batches.
  void stepInDouble(const std::vector<Batch> &batches) {
    for (size_t tensor = 0; tensor != 2; ++tensor) {
      std::vector<double> sum(kSizes[tensor], 0.0);
      double square = 0.0;
      for (size_t i = 0; i != sum.size(); ++i) {
        for (const Batch &batch : batches)
          sum[i] += batch[tensor][i] / kScale;
        square += sum[i] * sum[i];
      }
      for (size_t i = 0; i != sum.size(); ++i)
        weights_[tensor][i] -=
            kRate * (sum[i] / std::sqrt(square) +
                     (tensor == 0 ? 0.5 * weights_[tensor][i] : 0.0));
    }
  }

  void expectWeights(const CompiledProgram &program) {
    CompiledProgram::Tensors state = program.state();
    const char *names[] = {"w", "b"};
    for (size_t tensor = 0; tensor != 2; ++tensor) {
      auto found = fromBytes<float>(state.at(names[tensor]));
      for (size_t i = 0; i != kSizes[tensor]; ++i)
        ASSERT_NEAR(found[i], weights_[tensor][i], 4e-7)
            << names[tensor] << " " << i;
    }
  }

  std::unique_ptr<mlir::MLIRContext> context_;
  std::array<std::vector<double>, 2> weights_;
};

} // namespace

TEST_P(UserTransform, Steps) {
  CompiledProgram program = compile(stepText());
  ASSERT_TRUE(program);
  for (int seed : {1, 2, 3}) {
    EXPECT_FALSE(skipped(program.run("step", inputs(makeBatch(seed)))));
    stepInDouble({makeBatch(seed)});
    expectWeights(program);
  }
}

// What overflows is skipped, and what is tried again on the batch is the step
// that a run without the overflow makes, to the bit.
TEST_P(UserTransform, IsTriedAgain) {
  CompiledProgram program = compile(stepText()), smooth = compile(stepText());
  ASSERT_TRUE(program && smooth);
  Batch bad = makeBatch(1);
  bad[1][2] = std::numeric_limits<float>::infinity();
  auto before = program.state();
  EXPECT_TRUE(skipped(program.run("step", inputs(bad))));
  EXPECT_EQ(program.state().at("w"), before.at("w"));
  // The scale has fallen to a half, and with it what is scaled.
  Batch again = makeBatch(1);
  for (Tensor &tensor : again)
    for (float &value : tensor)
      value /= 2;
  EXPECT_FALSE(skipped(program.run("step", inputs(again))));
  EXPECT_FALSE(skipped(smooth.run("step", inputs(makeBatch(1)))));
  EXPECT_EQ(program.state().at("w"), smooth.state().at("w"));
  EXPECT_EQ(program.state().at("b"), smooth.state().at("b"));
}

// Features: J10.
TEST_P(UserTransform, EndsAWindow) {
  CompiledProgram program = compile(windowText());
  ASSERT_TRUE(program);
  for (int seed : {1, 5}) {
    std::vector<Batch> batches = {makeBatch(seed), makeBatch(seed + 1)};
    for (const Batch &batch : batches)
      program.run("accumulate", inputs(batch));
    EXPECT_FALSE(skipped(program.run("apply", inputs(batches.front()))));
    stepInDouble(batches);
    expectWeights(program);
  }
}

INSTANTIATE_TEST_SUITE_P(All, UserTransform,
                         testing::Values(KernelForm{},
                                         KernelForm{.fuse = false},
                                         KernelForm{.naive = true}),
                         [](const testing::TestParamInfo<KernelForm> &info) {
                           return info.param.naive  ? "Naive"
                                  : info.param.fuse ? "Fused"
                                                    : "Unfused";
                         });
