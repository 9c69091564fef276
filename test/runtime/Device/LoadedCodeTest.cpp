// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that is loaded, run, and kept from being written.
#include "runtime/Device/CPU/LoadedCode.h"
#include "runtime/Support/Hash.h"

#include <gtest/gtest.h>
#include <vector>

namespace mpc::rt {
namespace {

/// A function at 4: mov $7, %eax; ret.
std::vector<std::byte> makeImage() {
  std::vector<std::byte> image(16, std::byte{0xcc});
  const uint8_t code[] = {0xb8, 7, 0, 0, 0, 0xc3};
  for (size_t i = 0; i < sizeof code; ++i)
    image[4 + i] = std::byte{code[i]};
  return image;
}

TEST(LoadedCode, RunsACopyOfTheImage) {
  std::vector<std::byte> image = makeImage();
  Result<LoadedCode> loaded = LoadedCode::load(image);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  image.assign(image.size(), std::byte{0xcc});
  LoadedCode moved = *std::move(loaded);
  EXPECT_EQ(moved.at<int (*)()>(4)(), 7);
}

TEST(LoadedCode, CannotBeWritten) {
  Result<LoadedCode> loaded = LoadedCode::load(makeImage());
  ASSERT_TRUE(loaded.ok());
  EXPECT_DEATH(*loaded->at<volatile char *>(0) = 0, "");
}

TEST(LoadedCode, CodeWithAnotherHashIsRefused) {
  std::vector<std::byte> image = makeImage();
  std::string hash = ContentHash::of(image.data(), image.size());
  EXPECT_TRUE(LoadedCode::load(image, hash).ok());
  image[9] ^= std::byte{1};
  Result<LoadedCode> loaded = LoadedCode::load(image, hash);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().message(),
            "the machine code is damaged: its hash does not match");
}

TEST(LoadedCode, AnEmptyImageIsNoFault) {
  EXPECT_TRUE(LoadedCode::load({}).ok());
}

} // namespace
} // namespace mpc::rt
