// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes on with a training of train.c, in C++ without exceptions:
//
//   train-cpp STEP.mpc DATA STEPS LR CHECKPOINTS
//
// The program's inputs are x f32[batch x features], target i64[batch] and lr.
#include <mpc/Runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

int fail(const mpc::Status &status) {
  std::fprintf(stderr, "train-cpp: error: %s\n", status.message());
  return status.code();
}

template <typename T>
std::vector<T> readElements(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> elements(file ? size_t(file.tellg()) / sizeof(T) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(elements.data()),
            std::streamsize(elements.size() * sizeof(T)));
  return elements;
}

struct Data {
  std::vector<float> x;
  std::vector<int64_t> target;
};

/// Binds the next batch where it lies, and moves on.
mpc::Status bindBatch(mpc::Runner &runner, Data &data,
                      MpcDataPosition &position) {
  int64_t batch = position.batchSize;
  int64_t features = int64_t(data.x.size()) / position.samples;
  if (position.position + batch > position.samples) {
    ++position.epoch;
    position.position = 0;
  }
  int64_t first = position.position;
  position.position += batch;
  mpc::Status status = runner.bindInput(
      "x", mpc::Tensor(data.x.data() + first * features, {batch, features}));
  if (!status.ok())
    return status;
  return runner.bindInput("target",
                          mpc::Tensor(data.target.data() + first, {batch}));
}

mpc::Status train(mpc::Runner &runner, Data &data, MpcDataPosition &position,
                  int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    if (mpc::Status status = bindBatch(runner, data, position); !status.ok())
      return status;
    mpc::Expected<MpcStepResult> result = runner.step();
    if (!result.ok())
      return std::move(result).status();
    if (i + 1 == steps)
      std::printf("step %lld  loss %.4g\n", (long long)result->step + 1,
                  result->loss);
  }
  return mpc::Status();
}

int run(char **arguments) {
  auto program = mpc::Program::load(arguments[1]);
  if (!program.ok())
    return fail(program.status());
  auto runner = mpc::Runner::create(*program);
  if (!runner.ok())
    return fail(runner.status());
  auto checkpoints = mpc::Checkpoints::open(arguments[5]);
  if (!checkpoints.ok())
    return fail(checkpoints.status());
  auto position = checkpoints->loadNewest(*runner);
  if (!position.ok())
    return fail(position.status());
  std::string folder = arguments[2];
  Data data{readElements<float>(folder + "/x.bin"),
            readElements<int64_t>(folder + "/target.bin")};
  if (!*position || int64_t(data.target.size()) != (*position)->samples) {
    std::fprintf(stderr, "train-cpp: error: %s: no checkpoint of this data\n",
                 arguments[5]);
    return MPC_ERROR_INVALID_INPUT;
  }
  MpcDataPosition &place = **position;
  mpc::Status status = runner->writeNumber("lr", std::atof(arguments[4]));
  if (status.ok())
    status = train(*runner, data, place, std::atol(arguments[3]));
  if (status.ok())
    status = checkpoints->save(*runner, place);
  return status.ok() ? 0 : fail(status);
}

} // namespace

int main(int count, char **arguments) {
  if (count == 6)
    return run(arguments);
  std::fprintf(stderr, "usage: train-cpp STEP.mpc DATA STEPS LR CHECKPOINTS\n");
  return MPC_ERROR_USAGE;
}
