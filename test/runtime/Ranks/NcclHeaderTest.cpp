// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of NCCL against those of its header. Everything is checked
// while this file is compiled.
#include "runtime/Ranks/NCCL/Api.h"
#include "test/support/HeaderAbi.h"

#include <nccl.h>

#include <cstddef>
#include <gtest/gtest.h>

/// Ids are as many bytes.
template <>
struct mpc::rt::test::Abi<ncclUniqueId> {
  using type = mpc::rt::nccl::UniqueId;
};

namespace mpc::rt::nccl {
namespace {

#define MPC_CHECK(name, ...)                                                   \
  static_assert(test::kSameAbi<decltype(&::name), Code (*)(__VA_ARGS__)>,      \
                #name);
MPC_NCCL_SYMBOLS(MPC_CHECK)

static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(code::kSuccess == ncclSuccess);
static_assert(code::kSystemError == ncclSystemError);
static_assert(code::kInvalidUsage == ncclInvalidUsage);
static_assert(code::kRemoteError == ncclRemoteError);
static_assert(code::kInProgress == ncclInProgress);
static_assert(kInt8 == ncclInt8);

static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(Config, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(sizeof(Config) <= sizeof(ncclConfig_t));
static_assert(Config().version <= NCCL_VERSION_CODE);

TEST(NcclHeader, DeclaresWhatWeCall) {
  ncclConfig_t given = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(Config().magic, given.magic);
}

} // namespace
} // namespace mpc::rt::nccl
