// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order, waiting, graphs, and faults that come late.
#include "test/runtime/Device/CUDA/FakeCuda.h"

#include <gmock/gmock.h>
#include <thread>

namespace mpc::rt::cuda::test {
namespace {

using testing::Each;
using testing::HasSubstr;

class Streams : public FakeCuda {
protected:
  DeviceBuffer buffer(uint64_t bytes) {
    return *DeviceBuffer::allocate(context(), bytes, "a buffer");
  }
  Stream stream() { return *Stream::create(context()); }
};

TEST_F(Streams, WorkIsDoneInOrderWhenSomebodyWaits) {
  Stream work = stream();
  DeviceBuffer device = buffer(8);
  std::vector<std::byte> host(8, std::byte{7}), back(8, std::byte{1});
  ASSERT_TRUE(work.fill(device, std::byte{3}).ok());
  ASSERT_TRUE(work.upload(device, 4, std::span(host).first(4)).ok());
  ASSERT_TRUE(work.download(back, device, 0).ok());
  EXPECT_THAT(back, Each(std::byte{1})) << "read before it was waited for";
  ASSERT_TRUE(work.synchronize("the test").ok());
  EXPECT_THAT(std::span(back).first(4), Each(std::byte{3}));
  EXPECT_THAT(std::span(back).last(4), Each(std::byte{7}));
  EXPECT_EQ(fake().count("cuStreamSynchronize"), 1);
}

TEST_F(Streams, FreshMemoryIsPoisoned) {
  Stream work = stream();
  DeviceBuffer device = buffer(4);
  std::vector<std::byte> back(4);
  ASSERT_TRUE(work.download(back, device, 0).ok());
  ASSERT_TRUE(work.synchronize("the test").ok());
  EXPECT_THAT(back, Each(std::byte{0xff}));
}

TEST_F(Streams, ACopyPastTheEndIsOurOwnFault) {
  Stream work = stream();
  DeviceBuffer device = buffer(8);
  std::vector<std::byte> host(8);
  Status status = work.upload(device, 4, host);
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_EQ(status.message(),
            "a copy of bytes [4, 12) of a device buffer of 8 bytes");
  EXPECT_FALSE(work.download(host, device, 9).ok());
  DeviceBuffer large = buffer(9);
  EXPECT_FALSE(work.copy(device, large).ok());
}

TEST_F(Streams, WithoutAnEventAnotherStreamSeesOldData) {
  Stream writer = stream(), reader = stream();
  DeviceBuffer device = buffer(4);
  std::vector<std::byte> back(4);
  ASSERT_TRUE(writer.fill(device, std::byte{5}).ok());
  ASSERT_TRUE(reader.download(back, device, 0).ok());
  ASSERT_TRUE(reader.synchronize("the reader").ok());
  EXPECT_THAT(back, Each(std::byte{0xff}));
}

TEST_F(Streams, AnEventOrdersStreams) {
  Stream writer = stream(), reader = stream();
  Event written = *Event::create(context());
  DeviceBuffer device = buffer(4);
  std::vector<std::byte> back(4);
  ASSERT_TRUE(writer.fill(device, std::byte{5}).ok());
  ASSERT_TRUE(writer.record(written).ok());
  ASSERT_TRUE(reader.wait(written).ok());
  ASSERT_TRUE(reader.download(back, device, 0).ok());
  EXPECT_FALSE(*written.reached());
  ASSERT_TRUE(reader.synchronize("the reader").ok());
  EXPECT_THAT(back, Each(std::byte{5}));
  EXPECT_TRUE(*written.reached());
}

TEST_F(Streams, TimeIsTakenBetweenTimedEvents) {
  Stream work = stream();
  Event start = *Event::create(context(), Event::Timing::On);
  Event end = *Event::create(context(), Event::Timing::On);
  Event untimed = *Event::create(context());
  ASSERT_TRUE(work.record(start).ok());
  ASSERT_TRUE(work.record(end).ok());
  EXPECT_THAT(end.millisecondsSince(start).status().message(),
              HasSubstr("CUDA_ERROR_NOT_READY"));
  ASSERT_TRUE(end.synchronize().ok());
  EXPECT_GT(*end.millisecondsSince(start), 0.0F);
  EXPECT_FALSE(end.millisecondsSince(untimed).ok());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST_F(Streams, AGraphRunsWhatWasRecordedAsOftenAsItIsLaunched) {
  Stream work = stream();
  DeviceBuffer from = buffer(4), to = buffer(4);
  PinnedBuffer host = *PinnedBuffer::allocate(context(), 4, "the input");
  std::vector<std::byte> back(4);
  auto graph = work.capture([&] {
    MPC_RETURN_IF_ERROR(work.upload(from, 0, host.bytes()));
    return work.copy(to, from);
  });
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->nodes(), 2U);
  for (auto value : {std::byte{1}, std::byte{2}}) {
    host.data()[0] = value;
    ASSERT_TRUE(work.launch(*graph).ok());
    ASSERT_TRUE(work.download(back, to, 0).ok());
    ASSERT_TRUE(work.synchronize("a launch").ok());
    EXPECT_EQ(back[0], value);
  }
  EXPECT_EQ(fake().count("cuMemcpyDtoDAsync_v2"), 1);
  EXPECT_EQ(fake().count("cuGraphLaunch"), 2);
}

TEST_F(Streams, AStreamThatWaitsForARecordingJoinsIt) {
  Stream work = stream(), side = stream();
  Event fork = *Event::create(context()), join = *Event::create(context());
  DeviceBuffer first = buffer(4), second = buffer(4);
  auto record = [&](bool joins) {
    return work.capture([&] {
      MPC_RETURN_IF_ERROR(work.record(fork));
      MPC_RETURN_IF_ERROR(side.wait(fork));
      MPC_RETURN_IF_ERROR(side.fill(second, std::byte{2}));
      MPC_RETURN_IF_ERROR(work.fill(first, std::byte{1}));
      MPC_RETURN_IF_ERROR(side.record(join));
      return joins ? work.wait(join) : Status();
    });
  };
  auto whole = record(true);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole->nodes(), 2U);
  EXPECT_THAT(record(false).status().message(),
              HasSubstr("recording a graph: cuStreamEndCapture failed: "
                        "CUDA_ERROR_STREAM_CAPTURE_UNJOINED (904)"));
}

TEST_F(Streams, WaitingOnTheHostInARecordingIsAnError) {
  Stream work = stream();
  auto graph = work.capture([&] { return work.synchronize("the recording"); });
  EXPECT_THAT(graph.status().message(),
              HasSubstr("the recording: cuStreamSynchronize failed: "
                        "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)"));
  // The recording has ended all the same.
  EXPECT_TRUE(work.synchronize("after it").ok());
}

TEST_F(Streams, AllocatingInARecordingIsAnError) {
  Stream work = stream();
  auto graph = work.capture([&] {
    return DeviceBuffer::allocate(context(), 4, "too late").status();
  });
  EXPECT_THAT(graph.status().message(),
              HasSubstr("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"));
}

TEST_F(Streams, AFailureOfTheWorkEndsTheRecording) {
  Stream work = stream();
  DeviceBuffer device = buffer(4);
  auto graph = work.capture([&] {
    (void)work.fill(device, std::byte{1});
    return invalidInput("the model is at fault");
  });
  EXPECT_EQ(graph.status().message(), "the model is at fault");
  EXPECT_TRUE(work.fill(device, std::byte{1}).ok());
  EXPECT_TRUE(work.synchronize("after it").ok());
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST_F(Streams, ALostContextIsToldByEveryCall) {
  Stream work = stream();
  DeviceBuffer device = buffer(4);
  fake().failAt("cuStreamSynchronize", 1, code::kEccUncorrectable);
  EXPECT_EQ(work.synchronize("step 7").message(),
            "cuda:0 (Test Device): step 7: cuStreamSynchronize failed: "
            "CUDA_ERROR_ECC_UNCORRECTABLE (214), uncorrectable ECC error "
            "encountered; this process cannot use the device any more");
  EXPECT_FALSE(work.synchronize("step 8").ok());
  EXPECT_THAT(work.fill(device, std::byte{1}).message(),
              HasSubstr("CUDA_ERROR_ECC_UNCORRECTABLE (214)"));
  expectLeftovers();
}

// By what cuda.h says of each code.
TEST_F(Streams, WhatIsLostIsWhatTheMessageSays) {
  for (auto [value, isLost] : {std::pair(2, false),
                               {701, false},
                               {700, true},
                               {702, true},
                               {709, true},
                               {710, true},
                               {714, true},
                               {715, true},
                               {717, true},
                               {718, true},
                               {719, true},
                               {720, false}}) {
    useMachine({});
    Stream work = stream();
    DeviceBuffer device = buffer(4);
    fake().failAt("cuStreamSynchronize", 1, value);
    std::string message = work.synchronize("step 7").message();
    bool tells =
        message.find("cannot use the device any more") != std::string::npos;
    EXPECT_EQ(tells, isLost) << message;
    EXPECT_EQ(work.fill(device, std::byte{1}).ok(), !isLost) << value;
  }
  expectLeftovers();
}

TEST_F(Streams, CallsInAnotherThreadFindTheirContext) {
  Stream work = stream();
  DeviceBuffer device = buffer(4);
  Status status;
  std::thread([&] { status = work.fill(device, std::byte{1}); }).join();
  EXPECT_TRUE(status.ok()) << status.message();
}

} // namespace
} // namespace mpc::rt::cuda::test
