// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tests of libmpc-compiler share.
#ifndef MPC_TEST_CAPI_COMPILERTEST_H
#define MPC_TEST_CAPI_COMPILERTEST_H

#include "mpc/Compiler.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace mpc::test {

/// The value, or a failure of the test with the message.
template <typename T>
T get(Expected<T> expected) {
  if (!expected.ok())
    throw std::runtime_error(expected.status().message());
  return *std::move(expected);
}

inline void succeed(const Status &status) {
  EXPECT_TRUE(status.ok()) << status.message();
}

/// What a call failed with: its code, then its message.
inline std::string failureOf(const Status &status) {
  return std::to_string(status.code()) + ": " + status.message();
}
inline std::string failureOf(MpcError *error) {
  return failureOf(Status(error));
}

/// Inputs and weights of y = x * w, and what SGD makes of them.
struct LinearCase {
  std::vector<float> x = {1, 2, -1, 0.5f};          // [2 x 2]
  std::vector<float> target = {0.5f, -1, 2, 0.25f}; // [2 x 2]
  std::vector<float> w = {0.1f, -0.2f, 0.3f, 0.4f}; // [2 out x 2 in]

  /// Mean squared error over all four, in float64.
  [[nodiscard]] double loss() const {
    double sum = 0;
    for (int row = 0; row < 2; ++row)
      for (int out = 0; out < 2; ++out)
        sum += error(row, out) * error(row, out);
    return sum / 4;
  }
  /// w - lr * d loss / d w.
  [[nodiscard]] double stepped(int out, int in, double lr) const {
    double gradient = 0;
    for (int row = 0; row < 2; ++row)
      gradient += 2 * error(row, out) * double(x[row * 2 + in]) / 4;
    return double(w[out * 2 + in]) - lr * gradient;
  }

private:
  [[nodiscard]] double error(int row, int out) const {
    double y = 0;
    for (int in = 0; in < 2; ++in)
      y += double(x[row * 2 + in]) * double(w[out * 2 + in]);
    return y - double(target[row * 2 + out]);
  }
};

/// Trains `program` for a step of that case, by SGD of rate 0.1.
inline void expectStep(const Program &program, const LinearCase &given,
                       const std::string &weight) {
  Runner runner = get(Runner::create(program));
  succeed(runner.bindInput("x", {given.x.data(), {2, 2}}));
  succeed(runner.bindInput("target", {given.target.data(), {2, 2}}));
  succeed(runner.writeNumber("lr", 0.1));
  MpcStepResult result = get(runner.step());
  EXPECT_NEAR(result.loss, given.loss(), 1e-6);
  std::vector<float> after(4);
  succeed(runner.readState(weight, {after.data(), {2, 2}}));
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(after[i], given.stepped(i / 2, i % 2, 0.1), 1e-6) << i;
}

/// The model of that case, built; its weight is @w.
inline Model buildLinear(const LinearCase &given) {
  Model model = get(Model::create("linear"));
  get(model.addOp("nn.parameter", {},
                  "{sym_name = \"w\", type = tensor<2x2xf32>, "
                  "init = #nn.init<external>}"));
  MpcValue x = get(model.beginFunction("model", {{"x", "tensor<2x2xf32>"}}))[0];
  MpcValue w = get(
      model.addOp("nn.get", {}, "{parameter = @w}", {"tensor<2x2xf32>"}))[0];
  MpcValue y = get(model.addOp("nn.linear", {x, w}))[0];
  succeed(model.endFunction({{"y", y}}));
  succeed(model.setValue("w", {given.w.data(), {2, 2}}));
  return model;
}

} // namespace mpc::test

#endif // MPC_TEST_CAPI_COMPILERTEST_H
