// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that meet in a file or at a port.
#include "runtime/Ranks/NCCL/Rendezvous.h"

#include "runtime/Support/Text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mpc::rt::nccl {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a rank looks whether rank 0 is there.
constexpr std::chrono::milliseconds kLook{10};
constexpr std::chrono::seconds kToAnswer{1};

std::string lastError() { return std::strerror(errno); }

/// A file descriptor that is closed with the object. Movable.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool isOpen() const { return number_ >= 0; }

private:
  int number_;
};

//===----------------------------------------------------------------------===//
// A file
//===----------------------------------------------------------------------===//

class FileRendezvous final : public Rendezvous {
public:
  FileRendezvous(std::string path, uint32_t rank)
      : path_(std::move(path)), rank_(rank) {}
  ~FileRendezvous() override {
    if (isOurs_)
      ::unlink(path_.c_str());
  }

  Result<Ids> share(const std::function<Result<Ids>()> &make,
                    Seconds limit) override {
    return rank_ == 0 ? write(make) : read(limit);
  }

private:
  /// Nobody sees a file that is half written.
  Result<Ids> write(const std::function<Result<Ids>()> &make) {
    if (::access(path_.c_str(), F_OK) == 0)
      return usageError(fmt::format(
          "--rendezvous: {} is there already, of a training that goes on or "
          "that was killed: remove it, or name another",
          escape(path_)));
    MPC_ASSIGN_OR_RETURN(Ids ids, make());
    std::string draft = fmt::format("{}.{}", path_, ::getpid());
    Descriptor file(::open(draft.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                           S_IRUSR | S_IWUSR));
    if (!file.isOpen() ||
        ::write(file.get(), &ids, sizeof(ids)) != sizeof(ids) ||
        ::link(draft.c_str(), path_.c_str()) != 0) {
      std::string reason = lastError();
      ::unlink(draft.c_str());
      return environmentError(fmt::format("--rendezvous: cannot write {}: {}",
                                          escape(path_), reason));
    }
    ::unlink(draft.c_str());
    isOurs_ = true;
    return ids;
  }

  Result<Ids> read(Seconds limit) {
    Ids ids;
    for (Clock::time_point begin = Clock::now(); Clock::now() - begin < limit;
         std::this_thread::sleep_for(kLook)) {
      Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
      if (file.isOpen() && ::read(file.get(), &ids, sizeof(ids)) == sizeof(ids))
        return ids;
    }
    return Status(StatusCode::Peer,
                  fmt::format("--rendezvous: rank 0 has not written {} after "
                              "{:.1f} s",
                              escape(path_), limit.count()));
  }

  std::string path_;
  uint32_t rank_;
  bool isOurs_ = false;
};

//===----------------------------------------------------------------------===//
// A port
//===----------------------------------------------------------------------===//

/// The first words of a rank to rank 0.
struct Greeting {
  static constexpr uint64_t kMagic = 0x31444e5a5643504d; // "MPCVZND1"

  uint64_t magic = kMagic;
  uint32_t rank = 0, size = 0;
};

/// What rank 0 answers, once all are there.
struct Answer {
  uint32_t isRefused = 0;
  Ids ids;
};

/// Sends or receives all of `value`; false where the other side ends before, or
/// the time.
template <typename T>
bool moveAll(int socket, T &value, bool sends, Clock::time_point end) {
  auto *bytes = reinterpret_cast<char *>(&value);
  for (size_t done = 0; done < sizeof(T);) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd wait{socket, static_cast<short>(sends ? POLLOUT : POLLIN), 0};
    if (left.count() <= 0 ||
        ::poll(&wait, 1, static_cast<int>(left.count())) <= 0)
      return false;
    ssize_t moved =
        sends ? ::send(socket, bytes + done, sizeof(T) - done, MSG_NOSIGNAL)
              : ::recv(socket, bytes + done, sizeof(T) - done, 0);
    if (moved <= 0)
      return false;
    done += static_cast<size_t>(moved);
  }
  return true;
}

class PortRendezvous final : public Rendezvous {
public:
  PortRendezvous(std::string host, std::string port, uint32_t rank,
                 uint32_t size)
      : host_(std::move(host)), port_(std::move(port)), rank_(rank),
        size_(size) {}

  Result<Ids> share(const std::function<Result<Ids>()> &make,
                    Seconds limit) override {
    Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    return rank_ == 0 ? serve(make, end) : ask(end);
  }

private:
  using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

  [[nodiscard]] std::string place() const {
    return escape(host_ + ":" + port_);
  }

  /// The addresses of the place; of this machine where `isOwn`.
  Result<Addresses> find(bool isOwn) const {
    addrinfo hints = {}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = isOwn ? AI_PASSIVE : 0;
    int error = ::getaddrinfo(isOwn ? nullptr : host_.c_str(), port_.c_str(),
                              &hints, &found);
    if (error != 0)
      return environmentError(
          fmt::format("--rendezvous: {}: {}", place(), ::gai_strerror(error)));
    return Addresses(found, &::freeaddrinfo);
  }

  Result<Descriptor> listen() const {
    MPC_ASSIGN_OR_RETURN(Addresses addresses, find(/*isOwn=*/true));
    std::string reason = "no address";
    for (addrinfo *one = addresses.get(); one; one = one->ai_next) {
      Descriptor socket(
          ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      int yes = 1;
      (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes,
                         sizeof(yes));
      if (socket.isOpen() &&
          ::bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0 &&
          ::listen(socket.get(), static_cast<int>(size_)) == 0)
        return socket;
      reason = lastError();
    }
    return environmentError(
        fmt::format("--rendezvous: cannot listen at {}: {}", place(), reason));
  }

  Result<Ids> serve(const std::function<Result<Ids>()> &make,
                    Clock::time_point end) const {
    MPC_ASSIGN_OR_RETURN(Descriptor door, listen());
    std::vector<Descriptor> guests(size_);
    Status all = receive(door.get(), guests, end);
    Result<Ids> made = all.ok() ? make() : Result<Ids>(all);
    Answer answer;
    answer.isRefused = made.ok() ? 0 : 1;
    if (made.ok())
      answer.ids = *made;
    // Also after the end of the time all are told.
    end = std::max(end, Clock::now() + kToAnswer);
    for (const Descriptor &guest : guests)
      if (guest.isOpen() &&
          !moveAll(guest.get(), answer, /*sends=*/true, end) && made.ok())
        made = Status(StatusCode::Peer,
                      "--rendezvous: a rank has left " + place());
    return made;
  }

  /// Waits until all others have greeted. Whoever says something else is no
  /// rank. One that is too many is the last of `guests`.
  Status receive(int door, std::vector<Descriptor> &guests,
                 Clock::time_point end) const {
    for (uint32_t known = 1; known < size_;) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - Clock::now());
      pollfd wait{door, POLLIN, 0};
      if (left.count() <= 0 ||
          ::poll(&wait, 1, static_cast<int>(left.count())) <= 0)
        return missing(guests);
      Descriptor guest(::accept4(door, nullptr, nullptr, SOCK_CLOEXEC));
      Greeting greeting;
      if (!guest.isOpen() ||
          !moveAll(guest.get(), greeting, /*sends=*/false, end) ||
          greeting.magic != Greeting::kMagic)
        continue;
      if (Status fault = judge(greeting, guests); !fault.ok()) {
        guests.push_back(std::move(guest));
        return fault;
      }
      guests[greeting.rank] = std::move(guest);
      ++known;
    }
    return {};
  }

  /// Whether a rank is one of those that are awaited.
  [[nodiscard]] Status judge(const Greeting &greeting,
                             const std::vector<Descriptor> &guests) const {
    if (greeting.size != size_ || greeting.rank >= size_)
      return usageError(fmt::format(
          "--rendezvous: rank {} of {} has come to {}, where {} ranks meet",
          greeting.rank, greeting.size, place(), size_));
    if (greeting.rank == 0 || guests[greeting.rank].isOpen())
      return usageError(
          fmt::format("--rendezvous: two processes at {} are rank {}", place(),
                      greeting.rank));
    return {};
  }

  [[nodiscard]] Status missing(const std::vector<Descriptor> &guests) const {
    std::string text;
    for (size_t rank = 1; rank < guests.size(); ++rank)
      if (!guests[rank].isOpen())
        text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
    return Status(
        StatusCode::Peer,
        fmt::format("--rendezvous: not at {} yet: rank {}", place(), text));
  }

  Result<Ids> ask(Clock::time_point end) const {
    MPC_ASSIGN_OR_RETURN(Addresses addresses, find(/*isOwn=*/false));
    Greeting greeting;
    greeting.rank = rank_;
    greeting.size = size_;
    for (; Clock::now() < end; std::this_thread::sleep_for(kLook)) {
      for (addrinfo *one = addresses.get(); one; one = one->ai_next) {
        Descriptor socket(
            ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        Answer answer;
        if (!socket.isOpen() ||
            ::connect(socket.get(), one->ai_addr, one->ai_addrlen) != 0 ||
            !moveAll(socket.get(), greeting, /*sends=*/true, end) ||
            !moveAll(socket.get(), answer, /*sends=*/false, end))
          continue;
        // Rank 0 says why.
        if (answer.isRefused != 0)
          return Status(StatusCode::Peer,
                        "--rendezvous: rank 0 has refused the ranks at " +
                            place());
        return answer.ids;
      }
    }
    return Status(StatusCode::Peer,
                  "--rendezvous: rank 0 does not answer at " + place());
  }

  std::string host_, port_;
  uint32_t rank_, size_;
};

} // namespace

Result<std::unique_ptr<Rendezvous>>
openRendezvous(const std::string &place, uint32_t rank, uint32_t size) {
  size_t colon = place.rfind(':');
  bool isPort =
      colon != std::string::npos && colon + 1 < place.size() &&
      place.find('/') == std::string::npos &&
      place.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (!isPort)
    return std::unique_ptr<Rendezvous>(
        std::make_unique<FileRendezvous>(place, rank));
  return std::unique_ptr<Rendezvous>(std::make_unique<PortRendezvous>(
      place.substr(0, colon), place.substr(colon + 1), rank, size));
}

} // namespace mpc::rt::nccl
