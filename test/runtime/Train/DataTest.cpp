// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order, conversion, errors and resumption of the data loader.
#include "runtime/Train/Data.h"

#include "runtime/Support/Safetensors.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/ZipWriter.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <vector>

namespace mpc::rt {
namespace {

/// A data file with x f32[samples x 2] = {2i, 2i + 1} and target u8 = i % 10.
class DataTest : public testing::Test {
protected:
  void write(int64_t samples) {
    std::vector<float> x(static_cast<size_t>(samples) * 2);
    std::iota(x.begin(), x.end(), 0.0f);
    std::vector<uint8_t> target;
    for (int64_t i = 0; i < samples; ++i)
      target.push_back(static_cast<uint8_t>(i % 10));
    std::vector<TensorView> views = {
        {{"x", DType::F32, {samples, 2}}, x.data()},
        {{"target", DType::U8, {samples}}, target.data()}};
    ASSERT_TRUE(writeSafetensors(path_, views).ok());
  }

  Result<DataLoader> open(SampleOrder order, uint64_t seed = 1) {
    options_.files = {path_};
    options_.order = order;
    options_.seed = seed;
    return DataLoader::open(options_, inputs_);
  }

  /// The samples of the next batch.
  static std::vector<int> next(DataLoader &loader) {
    Status status = loader.next();
    EXPECT_TRUE(status.ok()) << status.message();
    auto *x = static_cast<const float *>(loader.batch(0));
    auto *target = static_cast<const int64_t *>(loader.batch(1));
    std::vector<int> samples;
    for (int64_t b = 0; b < loader.rows(); ++b) {
      samples.push_back(static_cast<int>(x[2 * b] / 2));
      EXPECT_EQ(x[2 * b + 1], x[2 * b] + 1);
      EXPECT_EQ(target[b], samples.back() % 10);
    }
    return samples;
  }

  std::string fault(SampleOrder order = SampleOrder::Sequential) {
    Result<DataLoader> loader = open(order);
    if (loader.ok())
      return "";
    EXPECT_EQ(loader.status().code(), StatusCode::InvalidInput);
    return loader.status().message();
  }

  TempFolder folder_;
  std::string path_ = folder_.path("data.safetensors");
  DataOptions options_;
  std::vector<TensorDesc> inputs_ = {{"x", DType::F32, {4, 2}},
                                     {"target", DType::I64, {4}}};
};

TEST_F(DataTest, SequentialDropsTheRestAndStartsAgain) {
  write(11);
  Result<DataLoader> loader = open(SampleOrder::Sequential);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(loader->batchesPerEpoch(), 2);
  for (int batch = 0; batch < 7; ++batch) {
    int first = batch % 2 * 4;
    EXPECT_EQ(next(*loader),
              (std::vector<int>{first, first + 1, first + 2, first + 3}));
  }
  EXPECT_EQ(loader->state().epoch, 3);
}

TEST_F(DataTest, WrapFillsTheLastBatchWithTheFirstSamplesOfTheEpoch) {
  write(11);
  options_.lastBatch = LastBatch::Wrap;
  Result<DataLoader> loader = open(SampleOrder::Sequential);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(loader->batchesPerEpoch(), 3);
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(next(*loader), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(next(*loader), (std::vector<int>{4, 5, 6, 7}));
    EXPECT_EQ(next(*loader), (std::vector<int>{8, 9, 10, 0}));
    EXPECT_EQ(loader->state().epoch, epoch);
    EXPECT_EQ(loader->state().position, 11);
  }
  // Each epoch has all samples, in an order of its own.
  loader = open(SampleOrder::Shuffle);
  std::vector<int> before;
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> samples;
    for (int batch = 0; batch < 3; ++batch)
      for (int sample : next(*loader))
        samples.push_back(sample);
    EXPECT_EQ(samples[11], samples[0]);
    samples.pop_back();
    EXPECT_NE(samples, before);
    before = samples;
    std::sort(samples.begin(), samples.end());
    for (int i = 0; i < 11; ++i)
      EXPECT_EQ(samples[static_cast<size_t>(i)], i);
  }
}

TEST_F(DataTest, SmallerHasTheLastSamplesAsABatchOfTheirOwn) {
  write(11);
  options_.lastBatch = LastBatch::Smaller;
  Result<DataLoader> loader = open(SampleOrder::Sequential);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(loader->batchesPerEpoch(), 3);
  EXPECT_EQ(loader->restRows(), 3);
  EXPECT_EQ(loader->inputOf(0, loader->restRows()).shape,
            (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(loader->rows(), 4);
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(next(*loader), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(next(*loader), (std::vector<int>{4, 5, 6, 7}));
    EXPECT_EQ(next(*loader), (std::vector<int>{8, 9, 10}));
    EXPECT_EQ(loader->state().position, 11);
  }
  // Each epoch has all samples once, and begins anew behind a place of it.
  loader = open(SampleOrder::Shuffle);
  std::vector<int> samples;
  for (int batch = 0; batch < 3; ++batch)
    for (int sample : next(*loader))
      samples.push_back(sample);
  std::sort(samples.begin(), samples.end());
  for (int i = 0; i < 11; ++i)
    EXPECT_EQ(samples[static_cast<size_t>(i)], i);
  LoaderState end = loader->state();
  std::vector<int> following = next(*loader);
  ASSERT_TRUE(loader->restore(end).ok());
  EXPECT_EQ(next(*loader), following);
  // Of whole batches there is no rest.
  write(8);
  loader = open(SampleOrder::Sequential);
  EXPECT_EQ(loader->restRows(), 0);
  EXPECT_EQ(loader->batchesPerEpoch(), 2);
}

TEST_F(DataTest, WrapOfWholeBatchesIsAsDrop) {
  write(8);
  std::vector<int> batches[2];
  for (LastBatch lastBatch : {LastBatch::Drop, LastBatch::Wrap}) {
    options_.lastBatch = lastBatch;
    Result<DataLoader> loader = open(SampleOrder::Shuffle);
    EXPECT_EQ(loader->batchesPerEpoch(), 2);
    for (int batch = 0; batch < 5; ++batch)
      for (int sample : next(*loader))
        batches[static_cast<int>(lastBatch)].push_back(sample);
  }
  EXPECT_EQ(batches[0], batches[1]);
}

TEST_F(DataTest, WrapOfFewerSamplesThanABatch) {
  write(3);
  EXPECT_EQ(fault(), path_ + ": holds 3 samples, fewer than one batch of 4");
  options_.lastBatch = LastBatch::Wrap;
  Result<DataLoader> loader = open(SampleOrder::Sequential);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(next(*loader), (std::vector<int>{0, 1, 2, 0}));
  write(0);
  EXPECT_EQ(fault(), path_ + ": holds 0 samples, fewer than one batch of 4");
}

TEST_F(DataTest, SamplesOfSeveralFilesAreOneBehindTheOther) {
  write(23);
  std::vector<std::string> whole = {path_};
  // The same samples in parts of three formats, of which one has none.
  auto part = [&](const char *name, int64_t first, int64_t samples,
                  bool isDeflated) {
    std::vector<double> x;
    std::vector<int16_t> target;
    for (int64_t i = first; i < first + samples; ++i) {
      x.insert(x.end(), {2.0 * i, 2.0 * i + 1});
      target.push_back(static_cast<int16_t>(i % 10));
    }
    std::string count = std::to_string(samples);
    writeText(
        folder_.path(name),
        test::ZipWriter()
            .add("x.npy",
                 test::npy("<f8", "(" + count + ", 2)", test::bytesOf(x)),
                 isDeflated)
            .add("target.npy",
                 test::npy("<i2", "(" + count + ",)", test::bytesOf(target)),
                 isDeflated)
            .bytes());
  };
  part("part-1.npz", 0, 9, false);
  part("part-2.npz", 9, 0, true);
  part("part-3.npz", 9, 14, true);
  for (SampleOrder order : {SampleOrder::Shuffle, SampleOrder::Sequential})
    for (LastBatch lastBatch : {LastBatch::Drop, LastBatch::Wrap}) {
      options_.lastBatch = lastBatch;
      Result<DataLoader> one = open(order);
      options_.files = {folder_.path("part-*.npz")};
      Result<DataLoader> several = DataLoader::open(options_, inputs_);
      ASSERT_TRUE(several.ok()) << several.status().message();
      for (int batch = 0; batch < 4; ++batch)
        EXPECT_EQ(next(*one), next(*several));
      // A place in the one is a place in the others.
      ASSERT_TRUE(several->restore(one->state()).ok());
      for (int batch = 0; batch < 20; ++batch)
        EXPECT_EQ(next(*one), next(*several));
    }
}

TEST_F(DataTest, ErrorsNameTheFileOfSeveral) {
  write(5);
  auto npy = [&](const char *name, const char *type, const char *shape,
                 size_t bytes) {
    writeText(folder_.path(name),
              test::npy(type, shape, std::string(bytes, '\1')));
    return folder_.path(name);
  };
  options_.lastBatch = LastBatch::Wrap;
  auto faultOf = [&](std::vector<std::string> files) {
    options_.files = std::move(files);
    Result<DataLoader> loader = DataLoader::open(options_, inputs_);
    Status status = loader.ok() ? loader->next() : loader.status();
    if (status.ok() && loader.ok())
      status = loader->next();
    return status.message();
  };
  EXPECT_EQ(faultOf({path_, "x=" + npy("more.npy", "<f4", "(2, 3)", 24)}),
            folder_.path("more.npy") +
                ": tensor 'x': expected f32[Nx2], found f32[2x3]");
  EXPECT_EQ(faultOf({path_, "x=" + npy("more.npy", "<f4", "(2, 2)", 16)}),
            path_ + " and 1 more: tensors 'x' and 'target' have different "
                    "numbers of samples (7 and 5); name a tensor that all "
                    "samples share by --shared-input");
  EXPECT_EQ(faultOf({npy("x.npy", "<f4", "(2, 2)", 16),
                     npy("y.npy", "<u1", "(2,)", 2)}),
            folder_.path("x.npy") + " and 1 more: no tensor 'target'; the "
                                    "files have 'x', 'y'");
  options_.bounds = {{"target", 0, 10}};
  writeText(folder_.path("bad.npz"),
            test::ZipWriter()
                .add("x.npy", test::npy("<f4", "(2, 2)", std::string(16, '\0')))
                .add("target.npy", test::npy("|u1", "(2,)", "\3\13"))
                .bytes());
  options_.order = SampleOrder::Sequential;
  EXPECT_EQ(faultOf({path_, folder_.path("bad.npz")}),
            folder_.path("bad.npz") +
                ": tensor 'target', sample 1: 11 is not in 0 to 9");
}

TEST_F(DataTest, FilesWhoseSamplesDoNotGoTogetherAreRefused) {
  // As many of each in all, but a sample's parts would be of different ones.
  float x[12] = {};
  auto file = [&](const char *name, int64_t xs, int64_t targets) {
    std::vector<TensorView> views = {{{"x", DType::F32, {xs, 2}}, x},
                                     {{"target", DType::F32, {targets}}, x}};
    EXPECT_TRUE(writeSafetensors(folder_.path(name), views).ok());
    return folder_.path(name);
  };
  inputs_ = {{"x", DType::F32, {1, 2}}, {"target", DType::F32, {1}}};
  options_.files = {file("a", 2, 3), file("b", 3, 2)};
  EXPECT_EQ(DataLoader::open(options_, inputs_).status().message(),
            folder_.path("a") + ": tensors 'x' and 'target' have different "
                                "numbers of samples (2 and 3); name a tensor "
                                "that all samples share by --shared-input");
}

TEST_F(DataTest, WhatIsSharedIsTheSameInAllFiles) {
  float x[4] = {1, 2, 3, 4}, edges[2] = {5, 6};
  auto file = [&](const char *name) {
    std::vector<TensorView> views = {{{"x", DType::F32, {2, 2}}, x},
                                     {{"edges", DType::F32, {2}}, edges}};
    EXPECT_TRUE(writeSafetensors(folder_.path(name), views).ok());
    return folder_.path(name);
  };
  inputs_ = {{"x", DType::F32, {4, 2}}, {"edges", DType::F32, {2}}};
  options_.shared = {"edges"};
  options_.files = {file("a"), file("b")};
  Result<DataLoader> loader = DataLoader::open(options_, inputs_);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(loader->numSamples(), 4);
  EXPECT_EQ(static_cast<const float *>(loader->batch(1))[1], 6);
  edges[1] = 7;
  file("b");
  EXPECT_EQ(DataLoader::open(options_, inputs_).status().message(),
            folder_.path("b") +
                ": tensor 'edges' is shared by all batches, "
                "but differs in " +
                folder_.path("a"));
}

// A file of 1 TiB, of which only the batches are read.
TEST_F(DataTest, ReadsWhatDoesNotFitInMemory) {
  constexpr int64_t kSamples = int64_t(1) << 20, kRow = int64_t(1) << 18;
  std::string header = test::npy("<f4", "(1048576, 262144)", "");
  std::string path = folder_.path("x.npy");
  writeText(path, header);
  auto place = [&](int64_t sample, int64_t element) {
    return header.size() +
           static_cast<size_t>(sample * kRow + element) * sizeof(float);
  };
  std::error_code error;
  std::filesystem::resize_file(path, place(kSamples, 0), error);
  if (error)
    GTEST_SKIP() << "no file of 1 TiB here: " << error.message();
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (int64_t sample : {0, 1, 1048575}) {
    auto value = static_cast<float>(sample + 1);
    file.seekp(static_cast<std::streamoff>(place(sample, 262143)));
    file.write(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  file.close();
  inputs_ = {{"x", DType::F32, {2, kRow}}};
  options_.files = {path};
  options_.order = SampleOrder::Sequential;
  Result<DataLoader> loader = DataLoader::open(options_, inputs_);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  ASSERT_TRUE(loader->next().ok());
  auto *x = static_cast<const float *>(loader->batch(0));
  EXPECT_EQ(x[kRow - 1], 1);
  EXPECT_EQ(x[2 * kRow - 1], 2);
  LoaderState last = loader->state();
  last.position = kSamples - 2;
  ASSERT_TRUE(loader->restore(last).ok());
  ASSERT_TRUE(loader->next().ok());
  EXPECT_EQ(x[2 * kRow - 1], 1048576);
}

TEST_F(DataTest, ShuffleUsesEachSampleAtMostOnceAnEpoch) {
  write(102);
  Result<DataLoader> loader = open(SampleOrder::Shuffle);
  ASSERT_TRUE(loader.ok());
  std::vector<std::vector<int>> epochs(3);
  std::vector<int> seen(102);
  for (std::vector<int> &epoch : epochs) {
    for (int batch = 0; batch < 25; ++batch)
      for (int sample : next(*loader))
        epoch.push_back(sample);
    std::vector<int> sorted = epoch;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
    EXPECT_NE(sorted, epoch);
    for (int sample : epoch)
      ++seen[static_cast<size_t>(sample)];
  }
  EXPECT_NE(epochs[0], epochs[1]);
  // The two dropped samples differ from epoch to epoch.
  EXPECT_GE(*std::min_element(seen.begin(), seen.end()), 1);

  Result<DataLoader> same = open(SampleOrder::Shuffle);
  Result<DataLoader> other = open(SampleOrder::Shuffle, 2);
  std::vector<int> first(epochs[0].begin(), epochs[0].begin() + 4);
  EXPECT_EQ(next(*same), first);
  EXPECT_NE(next(*other), first);
}

// Not only those of neighbours: a generator that is seeded by half the number
// of the epoch, or by its last bits, repeats an order later.
TEST_F(DataTest, ShuffleOrdersOfAllEpochsDiffer) {
  write(20);
  for (uint64_t seed : {0, 1, 2}) {
    Result<DataLoader> loader = open(SampleOrder::Shuffle, seed);
    ASSERT_TRUE(loader.ok());
    std::set<std::vector<int>> orders;
    for (int epoch = 0; epoch < 300; ++epoch) {
      std::vector<int> order;
      for (int batch = 0; batch < 5; ++batch)
        for (int sample : next(*loader))
          order.push_back(sample);
      EXPECT_TRUE(orders.insert(order).second) << seed << " " << epoch;
    }
  }
}

TEST_F(DataTest, ShuffleIsUniform) {
  write(4);
  inputs_ = {{"x", DType::F32, {1, 2}}};
  // 24 orders of 4 samples, 240 expected each.
  std::map<std::vector<int>, int> orders;
  Result<DataLoader> loader = open(SampleOrder::Shuffle);
  for (int epoch = 0; epoch < 5760; ++epoch) {
    std::vector<int> order;
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(loader->next().ok());
      order.push_back(
          static_cast<int>(static_cast<const float *>(loader->batch(0))[0]));
    }
    ++orders[order];
  }
  ASSERT_EQ(orders.size(), 24u);
  double chiSquared = 0;
  for (auto &[order, count] : orders)
    chiSquared += (count - 240.0) * (count - 240.0) / 240;
  EXPECT_LT(chiSquared, 49.7); // 23 degrees of freedom, p = 0.001
}

TEST_F(DataTest, RestoredLoaderGivesTheSameBatches) {
  write(22);
  for (SampleOrder order : {SampleOrder::Shuffle, SampleOrder::Sequential})
    for (int before = 0; before < 24; ++before) {
      options_.lastBatch = before < 12 ? LastBatch::Drop : LastBatch::Wrap;
      Result<DataLoader> unbroken = open(order);
      for (int i = 0; i < before; ++i)
        next(*unbroken);
      Result<DataLoader> resumed = open(order);
      ASSERT_TRUE(resumed->restore(unbroken->state()).ok());
      for (int i = 0; i < 12; ++i)
        ASSERT_EQ(next(*resumed), next(*unbroken)) << before << " " << i;
      EXPECT_EQ(resumed->state(), unbroken->state());
    }
}

TEST_F(DataTest, RestoreRefusesAPlaceInOtherData) {
  write(22);
  Result<DataLoader> loader = open(SampleOrder::Shuffle);
  auto faultOf = [&](auto change) {
    LoaderState state = loader->state();
    change(state);
    return loader->restore(state).message();
  };
  EXPECT_EQ(faultOf([](LoaderState &s) { s.samples = 21; }),
            "cannot continue with other data: the number of samples was 21, "
            "now 22");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.batchSize = 8; }),
            "cannot continue with other data: --batch-size was 8, now 4");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.order = SampleOrder::Sequential; }),
            "cannot continue with other data: --order was sequential, now "
            "shuffle");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.lastBatch = LastBatch::Wrap; }),
            "cannot continue with other data: --last-batch was wrap, now drop");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.position = 22; }),
            "position 22 of epoch 0 is not a place in the data");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.seed = 9; }),
            "cannot continue with other data: --seed was 9, now 1");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.position = 3; }),
            "position 3 of epoch 0 is not a place in the data");
  EXPECT_EQ(faultOf([](LoaderState &s) { s.position = -4; }),
            "position -4 of epoch 0 is not a place in the data");
}

TEST_F(DataTest, ErrorsNameFileTensorWantedAndFound) {
  write(11);
  inputs_[1].name = "labels";
  EXPECT_EQ(fault(), path_ + ": no tensor 'labels'; the file has 'x' "
                             "f32[11x2], 'target' u8[11]");
  inputs_[1] = {"target", DType::I64, {4, 1}};
  EXPECT_EQ(fault(),
            path_ + ": tensor 'target': expected i64[Nx1], found u8[11]");
  inputs_[1] = {"x", DType::I64, {4, 2}};
  EXPECT_EQ(fault(),
            path_ + ": tensor 'x': expected i64[Nx2], found f32[11x2]");
  inputs_[1] = {"target", DType::I64, {5}};
  EXPECT_EQ(fault(), "inputs 'x' and 'target' have different first dimensions "
                     "(4 and 5); the first dimension is the batch, except for "
                     "inputs that --shared-input names");
  inputs_[1] = {"target", DType::F32, {}};
  EXPECT_EQ(fault(), "input 'target' is f32[]: its first dimension is not a "
                     "batch; name it by --shared-input if all batches share "
                     "it");
  inputs_ = {};
  EXPECT_EQ(fault(), "the program takes no data: it has no input but lr");
  inputs_ = {{"x", DType::F32, {12, 2}}};
  EXPECT_EQ(fault(), path_ + ": holds 11 samples, fewer than one batch of 12");
}

// Of which a file of a few bytes may have any number.
TEST_F(DataTest, SamplesWithoutElementsAreRefused) {
  std::string path = folder_.path("x.npy");
  writeText(path, test::npy("<f4", "(1152921504606846976, 0)", ""));
  inputs_ = {{"x", DType::F32, {4, 0}}};
  options_.files = {path};
  EXPECT_EQ(DataLoader::open(options_, inputs_).status().message(),
            path + ": a sample has no elements");
}

TEST_F(DataTest, DifferentNumbersOfSamples) {
  float x[4] = {};
  std::vector<TensorView> views = {{{"x", DType::F32, {2, 2}}, x},
                                   {{"target", DType::F32, {4}}, x}};
  ASSERT_TRUE(writeSafetensors(path_, views).ok());
  inputs_ = {{"x", DType::F32, {1, 2}}, {"target", DType::F32, {1}}};
  EXPECT_EQ(fault(), path_ + ": tensors 'x' and 'target' have different "
                             "numbers of samples (2 and 4); name a tensor that "
                             "all samples share by --shared-input");
}

TEST_F(DataTest, SharedInputsAreWholeInEveryBatch) {
  write(11);
  inputs_[1] = {"target", DType::I64, {11}};
  options_.shared = {"target"};
  Result<DataLoader> loader = open(SampleOrder::Shuffle);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(loader->batchSize(), 4);
  for (int batch = 0; batch < 5; ++batch) {
    ASSERT_TRUE(loader->next().ok());
    auto *target = static_cast<const int64_t *>(loader->batch(1));
    for (int i = 0; i < 11; ++i)
      EXPECT_EQ(target[i], i % 10);
  }
  inputs_[1].shape = {4};
  EXPECT_EQ(fault(),
            path_ + ": tensor 'target': expected i64[4], found u8[11]");
}

TEST_F(DataTest, WhereAllInputsAreSharedThereIsOneSample) {
  write(11);
  inputs_ = {{"x", DType::F32, {11, 2}}};
  options_.shared = {"x"};
  Result<DataLoader> loader = open(SampleOrder::Shuffle);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(loader->batchSize(), 1);
  EXPECT_EQ(loader->batchesPerEpoch(), 1);
  for (int batch = 0; batch < 3; ++batch) {
    ASSERT_TRUE(loader->next().ok());
    EXPECT_EQ(static_cast<const float *>(loader->batch(0))[21], 21);
  }
}

TEST_F(DataTest, ValuesOutsideTheirBoundAreFound) {
  write(11);
  options_.bounds = {{"target", 0, 9}};
  Result<DataLoader> loader = open(SampleOrder::Sequential);
  ASSERT_TRUE(loader.ok());
  next(*loader);
  next(*loader);
  inputs_[0].shape[0] = inputs_[1].shape[0] = 10;
  loader = open(SampleOrder::Sequential);
  EXPECT_EQ(loader->next().message(),
            path_ + ": tensor 'target', sample 9: 9 is not in 0 to 8");
}

TEST_F(DataTest, OfAPartThatIsReadAllBoundsHold) {
  int64_t labels[] = {9, 1, 2, 9, 3, 4};
  std::vector<TensorView> views = {{{"labels", DType::I64, {2, 3}}, labels}};
  inputs_ = {{"labels", DType::I64, {1, 3}}};
  auto second = [&](std::vector<InputBound> bounds) {
    EXPECT_TRUE(writeSafetensors(path_, views).ok());
    options_.bounds = std::move(bounds);
    Result<DataLoader> loader = open(SampleOrder::Sequential);
    EXPECT_TRUE(loader.ok() && loader->next().ok());
    return loader->next().message();
  };
  std::string fault = path_ + ": tensor 'labels', sample 1: ";
  EXPECT_EQ(second({{"labels", 0, 5, {}, {0, 1}, {0, 0}}}), "");
  EXPECT_EQ(second({{"labels", 0, 4, {}, {0, 1}, {0, 0}}}),
            fault + "4 is not in 0 to 3");
  EXPECT_EQ(second({{"labels", 0, 4, {}, {0, 1}, {0, 1}}}), "");
  EXPECT_EQ(second({{"labels", 0, 3, {}, {0, 1}, {0, 0}}, {"labels", 0, 10}}),
            fault + "3 is not in 0 to 2");
}

TEST_F(DataTest, ValuesThatDoNotFitAreFound) {
  int64_t target[] = {1, 300};
  std::vector<TensorView> views = {{{"target", DType::I64, {2}}, target}};
  ASSERT_TRUE(writeSafetensors(path_, views).ok());
  inputs_ = {{"target", DType::U8, {2}}};
  Result<DataLoader> loader = open(SampleOrder::Sequential);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(loader->next().message(),
            path_ + ": tensor 'target', sample 1: 300 does not fit u8");
}

} // namespace
} // namespace mpc::rt
