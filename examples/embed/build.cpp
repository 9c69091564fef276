// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a model op by op, compiles its training step, and trains it, in C++
// without exceptions:
//
//   build-cpp PRECISION STEPS
//
// A network of two layers learns on which side of a circle a point lies. It
// prints the loss as it falls and, at the end, how many of the points it has
// right.
#include <mpc/Compiler.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int64_t kPoints = 256, kHidden = 32;

int fail(const mpc::Status &status) {
  std::fprintf(stderr, "build-cpp: error: %s\n", status.message());
  return status.code();
}

/// Adds ops to a model until one fails, and keeps why. Its functions give 0
/// from then on.
class Layers {
public:
  explicit Layers(mpc::Model &model) : model_(model) {}

  mpc::Status takeStatus() { return std::move(status_); }

  void parameter(const std::string &name, const std::string &type,
                 const std::string &init) {
    op("nn.parameter", {},
       "{sym_name = \"" + name + "\", type = " + type + ", init = #nn.init<" +
           init + ">}");
  }
  MpcValue get(const std::string &name, const std::string &type) {
    return op("nn.get", {}, "{parameter = @" + name + "}", {type});
  }
  MpcValue begin(const std::string &type) {
    auto arguments = model_.beginFunction("model", {{"x", type}});
    return keep(std::move(arguments));
  }
  void end(MpcValue result) {
    if (status_.ok())
      status_ = model_.endFunction({{"logits", result}});
  }
  /// The op's first result.
  MpcValue op(const std::string &name, const std::vector<MpcValue> &operands,
              const std::string &attributes = "",
              const std::vector<std::string> &types = {}) {
    if (!status_.ok())
      return 0;
    return keep(model_.addOp(name, operands, attributes, types));
  }

private:
  MpcValue keep(mpc::Expected<std::vector<MpcValue>> values) {
    if (values.ok())
      return values->empty() ? 0 : values->front();
    status_ = std::move(values).status();
    return 0;
  }

  mpc::Model &model_;
  mpc::Status status_;
};

/// logits = tanh(x * w1' + b1) * w2' + b2
mpc::Status addModel(mpc::Model &model) {
  const std::string w1 = "tensor<32x2xf32>", b1 = "tensor<32xf32>";
  const std::string w2 = "tensor<2x32xf32>", b2 = "tensor<2xf32>";
  Layers layers(model);
  layers.parameter("w1", w1, "uniform 0.7");
  layers.parameter("b1", b1, "uniform 0.7");
  layers.parameter("w2", w2, "uniform 0.17");
  layers.parameter("b2", b2, "zeros");
  MpcValue x = layers.begin("tensor<256x2xf32>");
  MpcValue hidden =
      layers.op("nn.linear", {x, layers.get("w1", w1), layers.get("b1", b1)});
  MpcValue active = layers.op("nn.tanh", {hidden});
  layers.end(layers.op("nn.linear",
                       {active, layers.get("w2", w2), layers.get("b2", b2)}));
  return layers.takeStatus();
}

struct Data {
  std::vector<float> x;
  std::vector<int64_t> inside;
};

/// A grid of points of [-1, 1] x [-1, 1].
Data makeData() {
  Data data;
  for (int64_t i = 0; i < kPoints; ++i) {
    float a = float(i % 16) / 7.5f - 1, b = float(i / 16) / 7.5f - 1;
    data.x.insert(data.x.end(), {a, b});
    data.inside.push_back(a * a + b * b < 0.5f);
  }
  return data;
}

mpc::Status train(mpc::Runner &runner, int64_t steps) {
  for (int64_t i = 1; i <= steps; ++i) {
    auto result = runner.step();
    if (!result.ok())
      return std::move(result).status();
    if (i == 1 || i % 100 == 0)
      std::printf("step %lld  loss %.4f\n", (long long)i, result->loss);
  }
  return mpc::Status();
}

/// Compiles the evaluation of the same model, gives it the weights, and counts.
mpc::Status count(mpc::Model &model, const mpc::Runner &trained, Data &data) {
  auto program = model.compile({"--eval"});
  if (!program.ok())
    return std::move(program).status();
  auto runner = mpc::Runner::create(*program);
  if (!runner.ok())
    return std::move(runner).status();
  std::vector<float> memory(kHidden * 2), logits(kPoints * 2);
  for (auto [name, shape] :
       std::vector<std::pair<const char *, std::vector<int64_t>>>{
           {"w1", {32, 2}}, {"b1", {32}}, {"w2", {2, 32}}, {"b2", {2}}}) {
    mpc::Tensor weight(memory.data(), shape);
    mpc::Status status = trained.readState(name, weight);
    if (status.ok())
      status = runner->writeState(name, weight);
    if (!status.ok())
      return status;
  }
  mpc::Status status = runner->bindInput("x", {data.x.data(), {kPoints, 2}});
  if (status.ok())
    status = runner->bindOutput("logits", {logits.data(), {kPoints, 2}});
  if (status.ok())
    status = runner->evaluate();
  if (!status.ok())
    return status;
  int64_t right = 0;
  for (int64_t i = 0; i < kPoints; ++i)
    right += (logits[2 * i + 1] > logits[2 * i]) == (data.inside[i] == 1);
  std::printf("right %lld of %lld\n", (long long)right, (long long)kPoints);
  return mpc::Status();
}

int run(const std::string &precision, int64_t steps) {
  auto model = mpc::Model::create("circle");
  if (!model.ok())
    return fail(model.status());
  if (mpc::Status status = addModel(*model); !status.ok())
    return fail(status);
  auto program = model->compile({"--loss=cross_entropy", "--optimizer=adamw",
                                 "--precision=" + precision});
  if (!program.ok())
    return fail(program.status());
  auto runner = mpc::Runner::create(*program);
  if (!runner.ok())
    return fail(runner.status());
  Data data = makeData();
  mpc::Status status = runner->bindInput("x", {data.x.data(), {kPoints, 2}});
  if (status.ok())
    status = runner->bindInput("target", {data.inside.data(), {kPoints}});
  if (status.ok())
    status = runner->writeNumber("lr", 0.01);
  if (status.ok())
    status = train(*runner, steps);
  if (status.ok())
    status = count(*model, *runner, data);
  return status.ok() ? 0 : fail(status);
}

} // namespace

int main(int count, char **arguments) {
  if (count == 3)
    return run(arguments[1], std::atol(arguments[2]));
  std::fprintf(stderr, "usage: build-cpp PRECISION STEPS\n");
  return MPC_ERROR_USAGE;
}
