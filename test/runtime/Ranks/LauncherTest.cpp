// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What launchers leave in the environment.
#include "runtime/Ranks/Launcher.h"

#include <gtest/gtest.h>
#include <map>

namespace mpc::rt {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<LaunchedRank>> find(const Variables &variables,
                                         bool hasNccl = false) {
  return findLauncher(
      [&](const char *name) -> const char * {
        auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      hasNccl);
}

TEST(Launcher, NoneIsNone) {
  auto found = find({});
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

TEST(Launcher, OpenMpi) {
  auto found = find({{"OMPI_COMM_WORLD_RANK", "3"},
                     {"OMPI_COMM_WORLD_SIZE", "8"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                     {"PMIX_RANK", "3"}});
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->library, "openmpi");
  EXPECT_EQ((*found)->rank, 3u);
  EXPECT_EQ((*found)->size, 8u);
  EXPECT_EQ((*found)->localSize, 4u);
  EXPECT_EQ((*found)->localRank, 2u);
}

TEST(Launcher, Mpich) {
  auto found = find({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->library, "mpich");
  EXPECT_EQ((*found)->size, 2u);
}

TEST(Launcher, Slurm) {
  auto found = find({{"PMIX_RANK", "1"}, {"SLURM_NTASKS", "2"}});
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->launcher, "srun");
  // A batch script has these without srun, and runs alone.
  found = find({{"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "0"}});
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

TEST(Launcher, TorchrunIsRefused) {
  auto found = find(
      {{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"TORCHELASTIC_RUN_ID", "none"}});
  EXPECT_EQ(found.status().code(), StatusCode::Usage);
  EXPECT_EQ(found.status().message(),
            "torchrun has started 4 processes, which would train alone: give "
            "--ranks=nccl for GPUs, start them by mpirun -n 4, or give "
            "--ranks=off");
}

TEST(Launcher, TorchrunHasRanksForNccl) {
  Variables variables = {{"RANK", "5"},
                         {"WORLD_SIZE", "8"},
                         {"LOCAL_WORLD_SIZE", "4"},
                         {"LOCAL_RANK", "1"},
                         {"MASTER_ADDR", "node0"},
                         {"MASTER_PORT", "29500"},
                         {"TORCHELASTIC_RUN_ID", "none"}};
  auto found = find(variables, /*hasNccl=*/true);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->launcher, "torchrun");
  EXPECT_EQ((*found)->rank, 5u);
  EXPECT_EQ((*found)->size, 8u);
  EXPECT_EQ((*found)->localSize, 4u);
  EXPECT_EQ((*found)->localRank, 1u);
  EXPECT_EQ((*found)->rendezvous, "node0:29501");
  variables["MASTER_PORT"] = "x";
  EXPECT_EQ(find(variables, true).status().message(),
            "MASTER_PORT=x is not a number");
  variables.erase("MASTER_PORT");
  EXPECT_EQ((*find(variables, true))->rendezvous, "");
  // mpirun's own variables are asked first.
  variables["PMI_RANK"] = "0";
  variables["PMI_SIZE"] = "2";
  EXPECT_EQ((*find(variables, true))->launcher, "mpirun");
}

TEST(Launcher, WhatIsNoNumberIsRefused) {
  auto found = find({{"PMI_RANK", "one"}, {"PMI_SIZE", "2"}});
  EXPECT_EQ(found.status().message(), "PMI_RANK=one is not a number");
  found = find({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}});
  EXPECT_EQ(found.status().message(), "PMI_RANK=2, but PMI_SIZE=2");
}

} // namespace
} // namespace mpc::rt
