// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A damaged program file is refused, whatever the damage.
#include "test/runtime/Program/Damage.h"

#include "test/runtime/Program/FileOfTestProgram.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(ProgramFileDamage, EveryDamagedCopyIsRefused) {
  test::DamageCampaign campaign(test::encodeTestProgram());
  campaign.run();
  EXPECT_GE(campaign.numTried(), 700u);
  EXPECT_EQ(campaign.faults(), std::vector<std::string>());
}

} // namespace
} // namespace mpc::rt
