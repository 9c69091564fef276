// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is no machine code of a GPU. Real code is read in SassTest.cpp.
#include "runtime/Program/Cubin.h"

#include <gtest/gtest.h>
#include <string>

namespace mpc::rt {
namespace {

TEST(Cubin, AnotherFileIsRefused) {
  for (const std::string &text : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(4096, 'x'),
                                  "\x7f"
                                  "ELF" +
                                      std::string(4096, '\xff')})
    EXPECT_EQ(readCubin(std::as_bytes(std::span(text))).status().message(),
              "is no machine code of a GPU, or is damaged");
}

} // namespace
} // namespace mpc::rt
