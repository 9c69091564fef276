// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/CPU/Memory.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mpc::rt;

// Within a page, up to and from the ends of pages, of one page and of several.
TEST(HostBuffer, WhatIsGivenBackIsZeroAndTheRestIsKept) {
  constexpr uint64_t kSize = 5 * 4096;
  for (uint64_t begin : {0, 1, 100, 4032, 4096, 5000})
    for (uint64_t end : {5000, 8191, 8192, 12300, 20480}) {
      auto buffer = HostBuffer::allocate(kSize, "a test");
      ASSERT_TRUE(buffer.ok());
      std::memset(buffer->data(), 7, kSize);
      buffer->giveBack(begin, end);
      for (uint64_t i = 0; i < kSize; ++i)
        ASSERT_EQ(buffer->data()[i], std::byte(begin <= i && i < end ? 0 : 7))
            << begin << " to " << end << ", byte " << i;
    }
}
