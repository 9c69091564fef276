// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages by NCCL, and a thread that ends what no rank answers any more.
#include "runtime/Ranks/NCCL/NcclRanks.h"

#include "runtime/Device/CUDA/Memory.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Ranks/NCCL/Nccl.h"
#include "runtime/Ranks/NCCL/Rendezvous.h"

#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>

namespace mpc::rt {
namespace {

using Seconds = std::chrono::duration<double>;

/// How often the watching thread looks.
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::microseconds kNap{20};
/// A launcher that ends its ranks kills them soon.
constexpr Seconds kEnd{0.5};
/// So many bytes of a message between hosts lie on the GPU at a time.
constexpr uint64_t kPiece = uint64_t{16} << 20;

class NcclRanks final : public Ranks {
public:
  NcclRanks(const NcclOptions &options, std::shared_ptr<const nccl::Nccl> nccl,
            cuda::ContextRef context)
      : Ranks(options.rank, options.size), options_(options),
        nccl_(std::move(nccl)), context_(std::move(context)) {}
  ~NcclRanks() override { NcclRanks::end(); }

  Status open(nccl::Rendezvous &rendezvous);
  void end() override;

  [[nodiscard]] int device() const override { return options_.device; }
  Status exchangeOnDevice(std::span<const Outgoing> sends,
                          std::span<const Incoming> receives,
                          void *stream) override {
    return post(device_, sends, receives,
                static_cast<cuda::StreamHandle>(stream));
  }
  Status awaitDevice(const std::function<Status()> &wait) override;

protected:
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) override;

private:
  /// A communicator of NCCL; null before its beginning and after its end.
  using Comm = nccl::CommHandle;

  Status exchangePieces(std::span<const Outgoing> sends,
                        std::span<const Incoming> receives, uint64_t begin);
  Status postPieces(const std::vector<Outgoing> &sends,
                    const std::vector<Incoming> &receives);
  Status begin(Comm &comm, const nccl::UniqueId &id);
  Status post(Comm &comm, std::span<const Outgoing> sends,
              std::span<const Incoming> receives, cuda::StreamHandle stream);
  Status postGroup(Comm &comm, std::span<const Outgoing> sends,
                   std::span<const Incoming> receives,
                   cuda::StreamHandle stream);
  Status settle(Comm &comm, Seconds limit);
  Result<bool> isSettled(Comm &comm);
  [[nodiscard]] std::string faultOf(Comm comm) const;
  bool finish(Comm &comm);
  Status reserve(cuda::DeviceBuffer &buffer, uint64_t bytes);
  void startWait(Seconds limit);
  Status endWait(Status done);
  void watch(const std::stop_token &stop);
  void look();
  void fail(std::string reason);

  NcclOptions options_;
  std::shared_ptr<const nccl::Nccl> nccl_;
  cuda::ContextRef context_;
  std::optional<cuda::Stream> stream_; ///< Of messages between hosts.
  cuda::DeviceBuffer outgoing_, incoming_;

  std::mutex mutex_; ///< For all below.
  /// For messages between memories of hosts and of GPUs. Those of a step that
  /// has begun do not wait for the others, which the ranks may send before.
  Comm host_ = nullptr, device_ = nullptr;
  std::string failure_; ///< The reason why the ranks have lost each other.
  /// When the wait of this rank began, and its limit; empty where none goes on.
  std::optional<Clock::time_point> began_;
  Seconds limit_{0};
  std::optional<Clock::time_point> toEnd_; ///< When it was asked to end.
  std::condition_variable_any wake_;
  std::jthread watchdog_; ///< It stops before the rest is destroyed.
};

/// Memory of the device as messages name it. The host never reads there.
std::byte *addressOf(cuda::DevicePointer pointer) {
  return reinterpret_cast<std::byte *>(static_cast<uintptr_t>(pointer));
}

/// The piece of each message that begins at byte `begin` of it, where it has
/// one.
template <typename Message>
std::vector<Message> piecesOf(std::span<const Message> messages,
                              uint64_t begin) {
  std::vector<Message> pieces;
  for (Message one : messages)
    if (begin < one.bytes.size()) {
      one.bytes = one.bytes.subspan(
          begin, std::min<uint64_t>(kPiece, one.bytes.size() - begin));
      pieces.push_back(one);
    }
  return pieces;
}

template <typename Message>
uint64_t bytesOf(const std::vector<Message> &messages) {
  uint64_t bytes = 0;
  for (const Message &one : messages)
    bytes += one.bytes.size();
  return bytes;
}

/// The messages one behind the other in memory of the GPU.
template <typename Message>
std::vector<Message> placed(std::vector<Message> messages,
                            const cuda::DeviceBuffer &buffer) {
  cuda::DevicePointer place = buffer.pointer();
  for (Message &one : messages) {
    one.bytes = {addressOf(place), one.bytes.size()};
    place += one.bytes.size();
  }
  return messages;
}

Status lost(const std::string &reason) {
  return Status(StatusCode::Peer, reason);
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

Status NcclRanks::open(nccl::Rendezvous &rendezvous) {
  MPC_ASSIGN_OR_RETURN(stream_, cuda::Stream::create(context_));
  auto make = [&]() -> Result<nccl::Ids> {
    nccl::Ids made;
    MPC_NCCL_RETURN_IF_ERROR(*nccl_, ncclGetUniqueId, (&made.host));
    MPC_NCCL_RETURN_IF_ERROR(*nccl_, ncclGetUniqueId, (&made.device));
    return made;
  };
  MPC_ASSIGN_OR_RETURN(nccl::Ids ids,
                       rendezvous.share(make, options_.patience.silence));
  watchdog_ = std::jthread([this](std::stop_token stop) { watch(stop); });
  MPC_RETURN_IF_ERROR(begin(host_, ids.host));
  return begin(device_, ids.device);
}

Status NcclRanks::begin(Comm &comm, const nccl::UniqueId &id) {
  {
    std::lock_guard lock(mutex_);
    nccl::Config config;
    const cuda::Current current(*context_);
    MPC_RETURN_IF_ERROR(current.check("opening NCCL"));
    MPC_NCCL_RETURN_IF_ERROR(*nccl_, ncclCommInitRankConfig,
                             (&comm, static_cast<int>(size()), id,
                              static_cast<int>(rank()), &config));
  }
  return settle(comm, options_.patience.silence);
}

/// Ends a communicator, which waits for all ranks; false where one is missing.
bool NcclRanks::finish(Comm &comm) {
  {
    std::lock_guard lock(mutex_);
    if (!comm || !nccl_->check(nccl_->table().ncclCommFinalize(comm), "").ok())
      return false;
  }
  if (!settle(comm, options_.patience.silence).ok())
    return false;
  std::lock_guard lock(mutex_);
  return comm && nccl_
                     ->check(nccl_->table().ncclCommDestroy(
                                 std::exchange(comm, nullptr)),
                             "")
                     .ok();
}

void NcclRanks::end() {
  if (!watchdog_.joinable())
    return;
  bool isWhole = finish(device_) && finish(host_);
  watchdog_.request_stop();
  watchdog_.join();
  std::lock_guard lock(mutex_);
  fail(isWhole ? "the ranks have ended" : "the ranks have not ended together");
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

Status NcclRanks::postGroup(Comm &comm, std::span<const Outgoing> sends,
                            std::span<const Incoming> receives,
                            cuda::StreamHandle stream) {
  const nccl::Table &table = nccl_->table();
  for (const Incoming &one : receives)
    MPC_RETURN_IF_ERROR(nccl_->check(
        table.ncclRecv(one.bytes.data(), one.bytes.size(), nccl::kInt8,
                       static_cast<int>(one.from), comm, stream),
        "ncclRecv"));
  for (const Outgoing &one : sends)
    MPC_RETURN_IF_ERROR(nccl_->check(
        table.ncclSend(one.bytes.data(), one.bytes.size(), nccl::kInt8,
                       static_cast<int>(one.to), comm, stream),
        "ncclSend"));
  return {};
}

/// Adds messages between memories of GPUs to a stream.
Status NcclRanks::post(Comm &comm, std::span<const Outgoing> sends,
                       std::span<const Incoming> receives,
                       cuda::StreamHandle stream) {
  {
    std::lock_guard lock(mutex_);
    if (!comm)
      return lost(failure_);
    const cuda::Current current(*context_);
    MPC_RETURN_IF_ERROR(current.check("exchanging with other ranks"));
    MPC_NCCL_RETURN_IF_ERROR(*nccl_, ncclGroupStart, ());
    // A group that was begun must end.
    Status posted = postGroup(comm, sends, receives, stream);
    nccl::Code ended = nccl_->table().ncclGroupEnd();
    if (posted.ok())
      posted = nccl_->check(ended, "ncclGroupEnd");
    if (!posted.ok()) {
      // What has begun of it would wait for the rest.
      fail(posted.message());
      return posted;
    }
  }
  return settle(comm, options_.patience.others);
}

Status NcclRanks::reserve(cuda::DeviceBuffer &buffer, uint64_t bytes) {
  if (buffer.size() >= bytes)
    return {};
  buffer = {};
  MPC_ASSIGN_OR_RETURN(buffer, cuda::DeviceBuffer::allocate(
                                   context_, bytes, "messages to other ranks"));
  return {};
}

Status NcclRanks::exchange(std::span<const Outgoing> sends,
                           std::span<const Incoming> receives) {
  uint64_t longest = 0;
  for (const Outgoing &one : sends)
    longest = std::max<uint64_t>(longest, one.bytes.size());
  for (const Incoming &one : receives)
    longest = std::max<uint64_t>(longest, one.bytes.size());
  for (uint64_t begin = 0; begin < longest; begin += kPiece)
    MPC_RETURN_IF_ERROR(exchangePieces(sends, receives, begin));
  return {};
}

/// Moves a piece of each message, through memory of the GPUs. Both sides of a
/// message cut it alike. The caller's memory is in use until the stream is
/// done, also where it has got only a part of the work.
Status NcclRanks::exchangePieces(std::span<const Outgoing> sends,
                                 std::span<const Incoming> receives,
                                 uint64_t begin) {
  Status posted = postPieces(piecesOf(sends, begin), piecesOf(receives, begin));
  Status done = awaitDevice(
      [&] { return stream_->synchronize("exchanging with other ranks"); });
  return posted.ok() ? done : posted;
}

Status NcclRanks::postPieces(const std::vector<Outgoing> &sends,
                             const std::vector<Incoming> &receives) {
  MPC_RETURN_IF_ERROR(reserve(outgoing_, bytesOf(sends)));
  MPC_RETURN_IF_ERROR(reserve(incoming_, bytesOf(receives)));
  uint64_t place = 0;
  for (const Outgoing &one : sends) {
    MPC_RETURN_IF_ERROR(stream_->upload(outgoing_, place, one.bytes));
    place += one.bytes.size();
  }
  MPC_RETURN_IF_ERROR(post(host_, placed(sends, outgoing_),
                           placed(receives, incoming_), stream_->handle()));
  place = 0;
  for (const Incoming &one : receives) {
    MPC_RETURN_IF_ERROR(stream_->download(one.bytes, incoming_, place));
    place += one.bytes.size();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// What NCCL has found out of itself; empty where that is nothing. The caller
/// holds the lock.
std::string NcclRanks::faultOf(Comm comm) const {
  if (!comm)
    return "";
  nccl::Code error = nccl::code::kSuccess;
  nccl::Code answer = nccl_->table().ncclCommGetAsyncError(comm, &error);
  for (nccl::Code code : {answer, error})
    if (Status fault = nccl_->check(code, "NCCL"); !fault.ok())
      return fault.message();
  return "";
}

/// Whether the last call is done.
Result<bool> NcclRanks::isSettled(Comm &comm) {
  std::lock_guard lock(mutex_);
  if (!comm)
    return lost(failure_);
  nccl::Code error = nccl::code::kSuccess;
  MPC_NCCL_RETURN_IF_ERROR(*nccl_, ncclCommGetAsyncError, (comm, &error));
  MPC_RETURN_IF_ERROR(nccl_->check(error, "NCCL"));
  return error == nccl::code::kSuccess;
}

/// Waits until the last call is done.
Status NcclRanks::settle(Comm &comm, Seconds limit) {
  startWait(limit);
  Result<bool> done = isSettled(comm);
  for (; done.ok() && !*done; done = isSettled(comm))
    std::this_thread::sleep_for(kNap);
  return endWait(done.status());
}

Status NcclRanks::awaitDevice(const std::function<Status()> &wait) {
  startWait(options_.patience.others);
  return endWait(wait());
}

void NcclRanks::startWait(Seconds limit) {
  std::lock_guard lock(mutex_);
  began_ = Clock::now();
  limit_ = limit;
}

/// The result of a wait. What was ended meanwhile is no result.
Status NcclRanks::endWait(Status done) {
  std::lock_guard lock(mutex_);
  began_.reset();
  return failure_.empty() ? std::move(done) : lost(failure_);
}

/// Ends all messages. What waits for them on the device goes on. The caller
/// holds the lock.
void NcclRanks::fail(std::string reason) {
  if (failure_.empty())
    failure_ = std::move(reason);
  for (Comm *comm : {&host_, &device_})
    if (*comm)
      (void)nccl_->table().ncclCommAbort(std::exchange(*comm, nullptr));
}

/// Looks whether a wait is to end. The caller holds the lock.
void NcclRanks::look() {
  if (!began_)
    return;
  for (Comm *comm : {&host_, &device_})
    if (std::string fault = faultOf(*comm); !fault.empty())
      return fail(std::move(fault));
  if (!toEnd_ && options_.isToEnd && options_.isToEnd())
    toEnd_ = Clock::now();
  Seconds waited = Clock::now() - *began_;
  if (waited >= limit_ || (toEnd_ && Clock::now() - *toEnd_ >= kEnd))
    fail(fmt::format("waited {:.1f} s for another rank",
                     std::min(waited, limit_).count()));
}

void NcclRanks::watch(const std::stop_token &stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    look();
    wake_.wait_for(lock, stop, kLook, [] { return false; });
  }
}

} // namespace

Result<std::unique_ptr<Ranks>> openNccl(const NcclOptions &options) {
  MPC_ASSIGN_OR_RETURN(auto nccl, nccl::Nccl::open());
  MPC_ASSIGN_OR_RETURN(auto driver, cuda::Driver::open());
  MPC_ASSIGN_OR_RETURN(int devices, driver->deviceCount());
  if (options.device >= devices)
    return environmentError(
        fmt::format("rank {} is number {} of its machine, which has {} GPUs",
                    options.rank, options.device, devices));
  MPC_ASSIGN_OR_RETURN(cuda::ContextRef context,
                       cuda::Context::create(driver, options.device));
  MPC_ASSIGN_OR_RETURN(
      std::unique_ptr<nccl::Rendezvous> rendezvous,
      nccl::openRendezvous(options.rendezvous, options.rank, options.size));
  auto ranks =
      std::make_unique<NcclRanks>(options, std::move(nccl), std::move(context));
  MPC_RETURN_IF_ERROR(ranks->open(*rendezvous));
  return std::unique_ptr<Ranks>(std::move(ranks));
}

} // namespace mpc::rt
