// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every default of every policy and optimizer against a table that names the
// source of each.
#include "dialects/AMP/Optimizers.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

using namespace mpc;

namespace {

using Name = std::pair<std::string, std::string>; ///< Owner and setting.

/// The table's values; reports rows without a source.
std::map<Name, double> readTable() {
  std::map<Name, double> table;
  std::ifstream file(MPC_TEST_INPUTS "/loss_scale/defaults.csv");
  std::string line;
  std::getline(file, line); // The names of the columns.
  while (std::getline(file, line)) {
    std::istringstream row(line);
    std::string owner, setting, value, source;
    std::getline(row, owner, ',');
    std::getline(row, setting, ',');
    std::getline(row, value, ',');
    std::getline(row, source);
    EXPECT_FALSE(source.empty()) << line;
    EXPECT_TRUE(table.try_emplace({owner, setting}, std::stod(value)).second)
        << line;
  }
  return table;
}

/// What the tables of policies and optimizers hold.
std::map<Name, double> collectDefaults() {
  std::map<Name, double> defaults;
  for (const rt::PolicyInfo &policy : rt::allPolicies()) {
    rt::Settings settings = rt::settingsOf(policy.kind);
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      if (policy.reads(setting))
        defaults[{std::string(policy.name),
                  std::string(rt::settingKey(setting))}] = settings[setting];
    }
  }
  for (const amp::Optimizer *optimizer : amp::allOptimizers())
    for (const amp::NamedNumber &hyper : optimizer->hypers)
      defaults[{optimizer->name.str(), hyper.name.str()}] = hyper.value;
  return defaults;
}

} // namespace

// Features: E4.
TEST(Defaults, AreThoseOfTheirSources) {
  std::map<Name, double> expected = readTable(), found = collectDefaults();
  for (const auto &[name, value] : found) {
    auto row = expected.find(name);
    ASSERT_NE(row, expected.end())
        << name.first << " " << name.second << " has no row";
    EXPECT_TRUE(value == row->second ||
                (std::isnan(value) && std::isnan(row->second)))
        << name.first << " " << name.second << " is " << value << ", expected "
        << row->second;
  }
  for (const auto &[name, value] : expected)
    EXPECT_TRUE(found.count(name))
        << name.first << " " << name.second << " is no default of anything";
}
