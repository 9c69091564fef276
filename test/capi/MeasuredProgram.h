// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The program of CAPITest.h with an entry "measure" beside its step.
#ifndef MPC_TEST_CAPI_MEASUREDPROGRAM_H
#define MPC_TEST_CAPI_MEASUREDPROGRAM_H

#include "runtime/Support/Safetensors.h"
#include "test/capi/CAPITest.h"

#include <algorithm>

namespace mpc::test {

/// buffers: x, target, rows, weight; then loss/sum, loss/count, the largest.
inline void measure(void *const *buffers, int64_t, int64_t, void *) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *target = static_cast<const float *>(buffers[1]);
  int64_t rows = *static_cast<const int64_t *>(buffers[2]);
  auto *weight = static_cast<const float *>(buffers[3]);
  auto *sum = static_cast<double *>(buffers[4]);
  auto *count = static_cast<double *>(buffers[5]);
  auto *largest = static_cast<float *>(buffers[6]);
  *sum = *count = *largest = 0;
  for (int64_t b = 0; b < kBatch; ++b) {
    float error = x[b * kFeatures] * weight[0] - target[b];
    *largest = std::max(*largest, error);
    *sum += b < rows ? error : 0;
    *count += b < rows;
  }
}

/// It tells "loss", of samples, and "largest", of whole batches.
inline std::shared_ptr<rt::Program> makeMeasuredProgram() {
  using namespace rt;
  std::shared_ptr<rt::Program> program = makeProgram();
  Entry entry;
  entry.name = "measure";
  entry.role = EntryRole::Measure;
  entry.inputs = {{"x", DType::F32, {kBatch, kFeatures}},
                  {"target", DType::F32, {kBatch}},
                  {"measure/rows", DType::I64, {}}};
  entry.outputs = {{"loss/sum", DType::F64, {}},
                   {"loss/count", DType::F64, {}},
                   {"largest", DType::F32, {}}};
  Launch launch;
  launch.symbol = "measure";
  launch.command = rt::test::makeKernel(*program, measure);
  for (uint32_t i = 0; i < 3; ++i)
    launch.buffers.push_back({Space::Input, i, 0});
  launch.buffers.push_back({Space::State, 0, rt::test::kWeight});
  for (uint32_t i = 0; i < 3; ++i)
    launch.buffers.push_back({Space::Output, i, 0});
  launch.numRead = 4;
  entry.launches = {launch};
  program->entries.push_back(entry);
  return program;
}

/// Writes x f32[samples x kFeatures] and target f32[samples], both i of sample
/// number i.
inline void writeSamples(const std::string &path, int64_t samples) {
  std::vector<float> x, target;
  for (int64_t i = 0; i < samples; ++i) {
    x.insert(x.end(), kFeatures, static_cast<float>(i));
    target.push_back(static_cast<float>(i));
  }
  std::vector<rt::TensorView> tensors = {
      {{"x", rt::DType::F32, {samples, kFeatures}}, x.data()},
      {{"target", rt::DType::F32, {samples}}, target.data()}};
  EXPECT_TRUE(rt::writeSafetensors(path, tensors).ok());
}

} // namespace mpc::test

#endif // MPC_TEST_CAPI_MEASUREDPROGRAM_H
