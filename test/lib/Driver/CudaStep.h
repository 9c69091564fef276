// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A small classifier whose step is compiled for both devices, on the test
/// driver.
#ifndef MPC_TEST_LIB_DRIVER_CUDASTEP_H
#define MPC_TEST_LIB_DRIVER_CUDASTEP_H

#include "lib/Driver/Request.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Device/CUDA/Library.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Train/InitialWeights.h"
#include "test/lib/Driver/WidePlaces.h"
#include "test/support/cuda/FakeDriver.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>

namespace mpc {

constexpr int64_t kBatch = 8, kFeatures = 64, kClasses = 10;

inline rt::cuda::test::FakeDriver &fakeDriver() {
  static rt::cuda::Library library = *rt::cuda::Library::open({MPC_FAKE_CUDA});
  rt::cuda::test::FakeDriver *(*get)() = nullptr;
  EXPECT_TRUE(library.find(rt::cuda::test::kFakeDriverSymbol, get).ok());
  return *get();
}

/// A classifier of 64 features, its step compiled for both devices.
class CudaStep : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("MPC_CUDA_DRIVER", MPC_FAKE_CUDA, 1);
    ::setenv("MPC_NVRTC", MPC_FAKE_NVRTC, 1);
    ::setenv("MPC_CUBLASLT", "off", 1);
    ::setenv("MPC_CACHE_DIR", "", 1);
    fake_.reset({});
    std::mt19937 engine(3);
    std::normal_distribution<float> numbers;
    for (float &value : x_)
      value = numbers(engine);
    for (int64_t &label : target_)
      label = static_cast<int64_t>(engine() % kClasses);
  }

  /// One compilation serves all tests that ask for it with the same NVRTC.
  std::shared_ptr<rt::Program> compile(Precision precision,
                                       const std::string &target) {
    static std::map<std::tuple<Precision, std::string, std::string>,
                    std::shared_ptr<rt::Program>>
        programs;
    auto &program = programs[{precision, target, std::getenv("MPC_NVRTC")}];
    if (program)
      return program;
    CompileRequest request;
    request.modelPath = MPC_TEST_INPUTS "/models/mlp.onnx";
    request.recipe.clauses["--precision"] = stringifyPrecision(precision).str();
    request.recipe.clauses["--clip-global-norm"] = 1.0;
    if (precision == Precision::FP16)
      request.recipe.clauses["--growth-interval"] = 2.0;
    return program = compileAnew(request, target);
  }

  /// `wide` makes places of 64 bits in all kernels.
  static std::shared_ptr<rt::Program> compileAnew(CompileRequest request,
                                                  const std::string &target,
                                                  bool wide = false) {
    request.context = std::make_shared<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
    if (wide)
      widenPlaces(*request.context);
    request.target.cpu = target;
    request.target.runsHere = false;
    CompileReport report;
    auto program = compileProgram(request, report);
    EXPECT_TRUE(program.ok()) << program.status().message();
    return *program;
  }

  std::unique_ptr<rt::Runner>
  makeRunner(const std::shared_ptr<rt::Program> &program) {
    auto runner = rt::Runner::create(program, {1});
    EXPECT_TRUE(runner.ok()) << runner.status().message();
    EXPECT_TRUE(rt::initializeState(**runner, "", 7).ok());
    return *std::move(runner);
  }

  rt::EntryCall makeCall(rt::Runner &runner) {
    auto call = rt::EntryCall::bind(
        runner, *runner.program().findEntry(rt::EntryRole::Step),
        [&](const rt::TensorDesc &input) -> const void * {
          if (rt::step::isRate(input.name))
            return &lr_;
          return input.name == "target" ? static_cast<const void *>(target_)
                                        : x_;
        });
    EXPECT_TRUE(call.ok()) << call.status().message();
    return *std::move(call);
  }

  /// Every parameter and slot, and what else a checkpoint holds.
  static void expectSameState(rt::Runner &one, rt::Runner &other,
                              double tolerance) {
    auto a = one.exportState(), b = other.exportState();
    ASSERT_TRUE(a.ok() && b.ok());
    ASSERT_EQ(a->size(), b->size());
    for (size_t i = 0; i < a->size(); ++i) {
      const rt::TensorDesc &desc = (*a)[i].desc;
      for (int64_t k = 0; k < desc.numElements(); ++k) {
        auto at = [&](const rt::TensorView &view) {
          return desc.dtype == rt::DType::F64
                     ? static_cast<const double *>(view.data)[k]
                     : static_cast<const float *>(view.data)[k];
        };
        if (desc.dtype == rt::DType::F64 || desc.dtype == rt::DType::F32) {
          ASSERT_NEAR(at((*a)[i]), at((*b)[i]),
                      tolerance * (1 + std::abs(at((*b)[i]))))
              << desc.name << " " << k;
        }
      }
    }
  }

  rt::cuda::test::FakeDriver &fake_ = fakeDriver();
  float lr_ = 1e-2f;
  float x_[kBatch * kFeatures];
  int64_t target_[kBatch];
};

} // namespace mpc

#endif // MPC_TEST_LIB_DRIVER_CUDASTEP_H
