// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that are kept, and files in the cache that are not used.
#include "runtime/Device/CUDA/ImageCache.h"

#include "runtime/Support/Hash.h"
#include "test/runtime/Device/CUDA/FakeCuda.h"
#include "test/runtime/TempFolder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <thread>

namespace mpc::rt::cuda::test {
namespace {

namespace fs = std::filesystem;

constexpr Target kSm90 = {{90}, Target::Kind::Cubin};

Source kernelNamed(const std::string &name) {
  return {name + ".cu",
          "extern \"C\" __global__ void " + name + "(int *x) { *x = 1; }\n"};
}

class ImageCache : public testing::Test {
protected:
  void SetUp() override { ::setenv("MPC_CACHE_DIR", path_.c_str(), 1); }
  void TearDown() override { ::setenv("MPC_CACHE_DIR", "", 1); }

  std::vector<Image> compile(const std::vector<Source> &sources,
                             Target target = kSm90) {
    auto images = compileOnce(*fakeNvrtc(), sources, target);
    EXPECT_TRUE(images.ok()) << images.status().message();
    return images.ok() ? *images : std::vector<Image>();
  }

  std::vector<fs::path> files() {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(path_))
      found.push_back(entry.path());
    return found;
  }

  /// Puts `image` in the place of the one that is kept.
  void replace(const std::string &image, const std::string &digest) {
    std::ofstream(files().front(), std::ios::binary) << digest << image;
  }

  /// Whether the next compilation of `source` takes what replace() has put.
  bool takes(const std::string &image, const Source &source) {
    std::vector<Image> images = compile({source});
    return std::string(images.front().bytes.begin(),
                       images.front().bytes.end()) == image;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("cache");
};

TEST_F(ImageCache, AnImageIsTakenWhereItWasKept) {
  Source source = kernelNamed("k");
  compile({source});
  ASSERT_EQ(files().size(), 1U);
  std::string other = "another image";
  replace(other, ContentHash::of(other.data(), other.size()));
  EXPECT_TRUE(takes(other, source));
}

TEST_F(ImageCache, ADamagedFileIsCompiledAnew) {
  Source source = kernelNamed("k");
  std::vector<char> image = compile({source}).front().bytes;
  replace("another image", std::string(ContentHash::kDigits, '0'));
  EXPECT_FALSE(takes("another image", source));
  replace("", "short");
  EXPECT_FALSE(takes("", source));
  EXPECT_GT(fs::file_size(files().front()), image.size());
}

TEST_F(ImageCache, AFileThatOthersCanWriteIsNotUsed) {
  Source source = kernelNamed("k");
  compile({source});
  std::string other = "another image";
  replace(other, ContentHash::of(other.data(), other.size()));
  fs::permissions(files().front(), fs::perms::others_write,
                  fs::perm_options::add);
  EXPECT_FALSE(takes(other, source));
}

TEST_F(ImageCache, AFolderThatOthersCanWriteIsNotUsed) {
  fs::create_directory(path_);
  fs::permissions(path_, fs::perms::all);
  EXPECT_EQ(compile({kernelNamed("k")}).size(), 1U);
  EXPECT_TRUE(files().empty());
}

TEST_F(ImageCache, EqualTextsAreOneAndOthersAreNot) {
  std::vector<Image> images =
      compile({kernelNamed("a"), kernelNamed("b"), kernelNamed("a")});
  EXPECT_EQ(files().size(), 2U);
  EXPECT_EQ(images[0].bytes, images[2].bytes);
  EXPECT_NE(images[0].bytes, images[1].bytes);
}

TEST_F(ImageCache, TheTargetIsPartOfTheKey) {
  compile({kernelNamed("k")});
  compile({kernelNamed("k")}, {{80}, Target::Kind::Cubin});
  compile({kernelNamed("k")}, {{90}, Target::Kind::Ptx});
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(ImageCache, SeveralAtOnceKeepOne) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [&] { EXPECT_EQ(compile({kernelNamed("k")}).size(), 1U); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(ImageCache, ATextThatDoesNotCompileIsNotKept) {
  std::vector<Source> broken = {kernelNamed("k"), {"bad.cu", "!"}};
  EXPECT_FALSE(compileOnce(*fakeNvrtc(), broken, kSm90).ok());
  EXPECT_TRUE(files().empty());
}

TEST_F(ImageCache, WithoutAFolderEveryTextIsCompiled) {
  ::setenv("MPC_CACHE_DIR", "", 1);
  EXPECT_EQ(compile({kernelNamed("k")}).size(), 1U);
  EXPECT_FALSE(fs::exists(path_));
}

} // namespace
} // namespace mpc::rt::cuda::test
