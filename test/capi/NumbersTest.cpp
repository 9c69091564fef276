// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the C ABI that are compiled into programs: a library that gives
// one another meaning breaks those that were built before.
#include "mpc-c/Compiler.h"
#include "mpc-c/DLPack.h"
#include "mpc-c/Error.h"
#include "mpc-c/Program.h"
#include "mpc-c/Runner.h"
#include "mpc-c/Tensor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace {

/// The numbers, as plain as a caller in another language writes them.
template <typename... Enumerators>
std::vector<int> numbersOf(Enumerators... enumerators) {
  return {static_cast<int>(enumerators)...};
}

std::vector<int> upTo(int last) {
  std::vector<int> numbers;
  for (int i = 0; i <= last; ++i)
    numbers.push_back(i);
  return numbers;
}

// The exit codes of the tools (docs/command-line.md).
TEST(CAPINumbers, OfErrors) {
  EXPECT_EQ(numbersOf(MPC_ERROR_NONE, MPC_ERROR_INVALID_INPUT, MPC_ERROR_USAGE,
                      MPC_ERROR_ENVIRONMENT, MPC_ERROR_PEER, MPC_ERROR_DIVERGED,
                      MPC_ERROR_INTERNAL),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 70}));
}

TEST(CAPINumbers, OfProgramsAndTheirTensors) {
  EXPECT_EQ(numbersOf(MPC_DTYPE_F64, MPC_DTYPE_F32, MPC_DTYPE_F16,
                      MPC_DTYPE_BF16, MPC_DTYPE_I64, MPC_DTYPE_I32,
                      MPC_DTYPE_I16, MPC_DTYPE_I8, MPC_DTYPE_U8, MPC_DTYPE_BOOL,
                      MPC_DTYPE_U16, MPC_DTYPE_U32, MPC_DTYPE_U64),
            upTo(12));
  EXPECT_EQ(numbersOf(MPC_ENTRY_OTHER, MPC_ENTRY_INIT, MPC_ENTRY_EVAL,
                      MPC_ENTRY_STEP, MPC_ENTRY_ACCUMULATE, MPC_ENTRY_APPLY,
                      MPC_ENTRY_MEASURE),
            upTo(6));
  EXPECT_EQ(numbersOf(MPC_STATE_PARAMETER, MPC_STATE_LOW_PRECISION,
                      MPC_STATE_GRADIENT, MPC_STATE_SLOT, MPC_STATE_BUFFER,
                      MPC_STATE_LOSS_SCALE, MPC_STATE_OPTIMIZER,
                      MPC_STATE_HYPER_PARAMETER, MPC_STATE_SETTING,
                      MPC_STATE_AVERAGE, MPC_STATE_PENDING),
            upTo(10));
}

TEST(CAPINumbers, OfWhatIsTold) {
  EXPECT_EQ(numbersOf(MPC_LOG_NOTE, MPC_LOG_WARNING), upTo(1));
  EXPECT_EQ(numbersOf(MPC_EXPLAIN_TEXT, MPC_EXPLAIN_JSON, MPC_EXPLAIN_HTML),
            upTo(2));
}

// As DLPack 1.0 has them (dlpack.h).
// Settings are asked for by these names: those of GradScaler, and of what
// limits it.
TEST(CAPINumbers, SettingsAreListedOnceEach) {
  std::vector<std::string> names;
  while (const char *name = mpcLossScaleSettingName(names.size()))
    names.emplace_back(name);
  for (const char *known : {"init_scale", "growth_factor", "backoff_factor",
                            "growth_interval", "min_scale", "max_scale"})
    EXPECT_EQ(std::count(names.begin(), names.end(), known), 1) << known;
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(),
            names.size());
  EXPECT_EQ(mpcLossScaleSettingName(names.size() + 1), nullptr);
  EXPECT_EQ(mpcLossScaleSettingName(SIZE_MAX), nullptr);
}

TEST(CAPINumbers, OfDLPack) {
  EXPECT_EQ(numbersOf(kDLCPU, kDLCUDA), (std::vector<int>{1, 2}));
  EXPECT_EQ(numbersOf(kDLInt, kDLUInt, kDLFloat, kDLBfloat, kDLBool),
            (std::vector<int>{0, 1, 2, 4, 6}));
  EXPECT_EQ(sizeof(DLDataType), 4u);
  EXPECT_EQ(sizeof(DLDevice), 8u);
  EXPECT_EQ(sizeof(DLTensor), 48u);
  EXPECT_EQ(offsetof(DLTensor, device), 8u);
  EXPECT_EQ(offsetof(DLTensor, ndim), 16u);
  EXPECT_EQ(offsetof(DLTensor, dtype), 20u);
  EXPECT_EQ(offsetof(DLTensor, shape), 24u);
  EXPECT_EQ(offsetof(DLTensor, strides), 32u);
  EXPECT_EQ(offsetof(DLTensor, byte_offset), 40u);
}

} // namespace
