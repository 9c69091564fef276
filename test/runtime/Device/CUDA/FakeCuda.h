// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A machine with a GPU for tests: the test driver and the test NVRTC, opened
/// as the real ones are.
#ifndef MPC_TEST_RUNTIME_DEVICE_CUDA_FAKECUDA_H
#define MPC_TEST_RUNTIME_DEVICE_CUDA_FAKECUDA_H

#include "runtime/Device/CUDA/Library.h"
#include "test/runtime/Device/CUDA/KernelRunner.h"
#include "test/support/cuda/FakeDriver.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace mpc::rt::cuda::test {

/// The controls of the test driver.
inline FakeDriver &fakeDriver() {
  static Library library = *Library::open({MPC_FAKE_CUDA});
  static FakeDriver *driver = [] {
    FakeDriver *(*get)() = nullptr;
    EXPECT_TRUE(library.find(kFakeDriverSymbol, get).ok());
    return get();
  }();
  return *driver;
}

/// Starts every test with a fresh machine, and ends it with nothing left over.
class FakeCuda : public ::testing::Test {
protected:
  void SetUp() override {
    // The library of this machine knows nothing of the test driver.
    ::setenv("MPC_CUBLASLT", "off", 1);
    useMachine({});
  }
  void TearDown() override {
    context_.reset();
    if (checksAlive_) {
      EXPECT_EQ(fake().alive(), 0);
    }
  }

  static FakeDriver &fake() { return fakeDriver(); }
  void useMachine(const FakeMachine &machine) {
    context_.reset();
    fake().reset(machine);
  }
  /// Opens the device at the first use.
  const ContextRef &context() {
    if (!context_)
      context_ = *Context::create(*Driver::open(MPC_FAKE_CUDA), 0);
    return context_;
  }
  /// After a lost context objects cannot be destroyed, which is no leak.
  void expectLeftovers() { checksAlive_ = false; }

private:
  ContextRef context_;
  bool checksAlive_ = true;
};

/// What a runner opens by itself is the test driver and the test NVRTC, and
/// nothing is kept from one test to the next.
class FakeCudaOfProcess : public FakeCuda {
protected:
  void SetUp() override {
    ::setenv("MPC_CUDA_DRIVER", MPC_FAKE_CUDA, 1);
    ::setenv("MPC_NVRTC", MPC_FAKE_NVRTC, 1);
    ::setenv("MPC_CACHE_DIR", "", 1);
    FakeCuda::SetUp();
  }
};

/// The test NVRTC.
inline std::shared_ptr<const Nvrtc> fakeNvrtc() {
  static std::shared_ptr<const Nvrtc> nvrtc = *Nvrtc::open(MPC_FAKE_NVRTC);
  return nvrtc;
}

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_RUNTIME_DEVICE_CUDA_FAKECUDA_H
