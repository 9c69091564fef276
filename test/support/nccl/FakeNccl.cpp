// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A test double of NCCL: messages between processes by sockets of this machine.
// They are moved when the test driver comes to them in its stream.
// MPC_FAKE_NCCL has words apart by spaces: `fail=SYMBOL:USE:CODE`, that use of
// a call fails; `error=USE:CODE`, the comm has that asynchronous error from
// that group on, and its messages never end; `late=MILLISECONDS`, messages
// begin so much later; `slow=USE`, the first answers about a group are that it
// is in progress.
#include "runtime/Ranks/NCCL/Api.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mpc::rt::nccl {
namespace {

/// A message that a group has.
struct Message {
  char *bytes;
  size_t size;
  int peer;
  bool isSent;
};

struct Settings {
  std::map<std::string, std::pair<int, Code>> failures;
  int errorAt = 0;
  Code error = code::kSuccess;
  std::chrono::milliseconds late{0};
  int slow = 0;

  Settings() {
    const char *text = std::getenv("MPC_FAKE_NCCL");
    std::string rest = text ? text : "";
    while (!rest.empty()) {
      std::string word = take(rest, ' ');
      std::string key = take(word, '=');
      if (key == "fail") {
        std::string symbol = take(word, ':');
        int use = std::stoi(take(word, ':'));
        failures[symbol] = {use, std::stoi(word)};
      } else if (key == "error") {
        errorAt = std::stoi(take(word, ':'));
        error = std::stoi(word);
      } else if (key == "late") {
        late = std::chrono::milliseconds(std::stoi(word));
      } else if (key == "slow") {
        slow = std::stoi(word);
      } else {
        std::fprintf(stderr, "MPC_FAKE_NCCL: no setting '%s'\n", key.c_str());
        std::abort();
      }
    }
  }

  static std::string take(std::string &text, char separator) {
    size_t end = std::min(text.find(separator), text.size());
    std::string part = text.substr(0, end);
    text.erase(0, end + 1);
    return part;
  }

  static Settings &get() {
    static Settings settings;
    return settings;
  }
};

/// The injected failure of this use of a call.
Code enter(const char *symbol) {
  auto found = Settings::get().failures.find(symbol);
  return found != Settings::get().failures.end() && --found->second.first == 0
             ? found->second.second
             : code::kSuccess;
}

struct Comm {
  int rank = 0;
  std::vector<int> sockets; ///< By rank; -1 for this one.
  std::atomic<bool> isAborted = false;
  std::atomic<Code> error = code::kSuccess;
  std::atomic<int> unsettled = 0; ///< Questions to answer "in progress".
  /// Groups that the driver has been given. A graph runs one many times.
  std::deque<std::pair<Comm *, std::vector<Message>>> groups;
};

/// Comms live as long as the process: what is under way may look at one that
/// has ended.
Comm *makeComm() {
  static std::mutex mutex;
  static auto &comms = *new std::deque<Comm>;
  std::lock_guard lock(mutex);
  return &comms.emplace_back();
}

/// A connected socket of each pair of ranks, of which the higher one calls.
bool connectAll(Comm &comm, int ranks, const std::string &name) {
  auto addressOf = [&](int rank) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    // An abstract name, which leaves no file.
    std::snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s.%d",
                  name.c_str(), rank);
    return address;
  };
  comm.sockets.assign(static_cast<size_t>(ranks), -1);
  int door = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un own = addressOf(comm.rank);
  if (::bind(door, reinterpret_cast<sockaddr *>(&own), sizeof(own)) != 0 ||
      ::listen(door, ranks) != 0)
    return false;
  for (int peer = 0; peer < comm.rank; ++peer) {
    sockaddr_un address = addressOf(peer);
    int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (::connect(socket, reinterpret_cast<sockaddr *>(&address),
                     sizeof(address)) != 0) {
      if (comm.isAborted)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    (void)::write(socket, &comm.rank, sizeof(comm.rank));
    comm.sockets[static_cast<size_t>(peer)] = socket;
  }
  for (int rest = ranks - 1 - comm.rank; rest > 0; --rest) {
    pollfd wait{door, POLLIN, 0};
    while (::poll(&wait, 1, 10) == 0)
      if (comm.isAborted)
        return false;
    int socket = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC), peer = 0;
    if (::read(socket, &peer, sizeof(peer)) != sizeof(peer))
      return false;
    comm.sockets[static_cast<size_t>(peer)] = socket;
  }
  ::close(door);
  return true;
}

/// Moves all messages of a group. What a rank that has ended does not send is
/// waited for until somebody aborts.
void move(Comm &comm, std::vector<Message> left) {
  std::this_thread::sleep_for(Settings::get().late);
  while (!left.empty() && !comm.isAborted) {
    // Of each direction and peer only the first message is under way.
    std::vector<pollfd> waits;
    std::vector<size_t> firsts;
    for (size_t i = 0; i < left.size(); ++i) {
      bool isFirst = std::none_of(
          left.begin(), left.begin() + static_cast<ptrdiff_t>(i),
          [&](const Message &other) {
            return other.peer == left[i].peer && other.isSent == left[i].isSent;
          });
      if (!isFirst)
        continue;
      firsts.push_back(i);
      waits.push_back({comm.sockets[static_cast<size_t>(left[i].peer)],
                       static_cast<short>(left[i].isSent ? POLLOUT : POLLIN),
                       0});
    }
    if (comm.error != code::kSuccess ||
        ::poll(waits.data(), waits.size(), 10) <= 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    for (size_t k = 0; k < firsts.size(); ++k) {
      if (waits[k].revents == 0)
        continue;
      Message &one = left[firsts[k]];
      ssize_t moved =
          one.isSent ? ::send(waits[k].fd, one.bytes, one.size,
                              MSG_NOSIGNAL | MSG_DONTWAIT)
                     : ::recv(waits[k].fd, one.bytes, one.size, MSG_DONTWAIT);
      if (moved > 0) {
        one.bytes += moved;
        one.size -= static_cast<size_t>(moved);
      } else if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
        comm.error = code::kRemoteError;
      }
    }
    std::erase_if(left, [](const Message &one) { return one.size == 0; });
  }
}

/// The test driver, which this process has opened already.
using HostFunction = cuda::DriverCode (*)(cuda::StreamHandle, void (*)(void *),
                                          void *);
HostFunction hostFunction() {
  const char *path = std::getenv("MPC_CUDA_DRIVER");
  void *driver = ::dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  return driver ? reinterpret_cast<HostFunction>(
                      ::dlsym(driver, "cuLaunchHostFunc"))
                : nullptr;
}

/// The group that is being put together.
struct Group {
  Comm *comm = nullptr;
  cuda::StreamHandle stream = nullptr;
  std::vector<Message> messages;
};
thread_local Group pending;
std::atomic<int> groups = 0;

Code add(void *bytes, size_t size, int peer, CommHandle handle,
         cuda::StreamHandle stream, bool isSent) {
  auto *comm = reinterpret_cast<Comm *>(handle);
  if (pending.comm && (pending.comm != comm || pending.stream != stream))
    return code::kInvalidUsage;
  if (peer < 0 || static_cast<size_t>(peer) >= comm->sockets.size() ||
      peer == comm->rank)
    return code::kInvalidUsage;
  pending.comm = comm;
  pending.stream = stream;
  pending.messages.push_back({static_cast<char *>(bytes), size, peer, isSent});
  return code::kSuccess;
}

} // namespace
} // namespace mpc::rt::nccl

using namespace mpc::rt::nccl;
namespace cuda = mpc::rt::cuda;

extern "C" {

const char *ncclGetErrorString(Code value) {
  switch (value) {
  case code::kSystemError:
    return "unhandled system error";
  case code::kRemoteError:
    return "remote process exited or there was a network error";
  default:
    return "error of the test NCCL";
  }
}

Code ncclGetVersion(int *version) {
  *version = 22703;
  return enter("ncclGetVersion");
}

Code ncclGetUniqueId(UniqueId *id) {
  static std::atomic<int> number = 0;
  std::snprintf(id->bytes, sizeof(id->bytes), "mpc-fake-nccl-%d-%d", ::getpid(),
                ++number);
  return enter("ncclGetUniqueId");
}

Code ncclCommInitRankConfig(CommHandle *handle, int ranks, UniqueId id,
                            int rank, Config *config) {
  if (Code failed = enter("ncclCommInitRankConfig"))
    return failed;
  if (config->size != sizeof(Config) || config->magic != 0xcafebeef ||
      config->blocking != 0)
    return code::kInvalidUsage;
  Comm *comm = makeComm();
  comm->rank = rank;
  *handle = reinterpret_cast<CommHandle>(comm);
  // Who does not wait asks.
  comm->error = code::kInProgress;
  std::thread([=] {
    comm->error = connectAll(*comm, ranks, id.bytes) ? code::kSuccess
                                                     : code::kSystemError;
  }).detach();
  return code::kInProgress;
}

Code ncclCommGetAsyncError(CommHandle handle, Code *error) {
  auto *comm = reinterpret_cast<Comm *>(handle);
  *error = comm->error;
  if (comm->unsettled > 0) {
    --comm->unsettled;
    *error = code::kInProgress;
  }
  return enter("ncclCommGetAsyncError");
}

Code ncclCommFinalize(CommHandle) { return enter("ncclCommFinalize"); }

Code ncclCommDestroy(CommHandle handle) {
  for (int socket : reinterpret_cast<Comm *>(handle)->sockets)
    ::close(socket);
  return enter("ncclCommDestroy");
}

// What is under way may still look at the comm.
Code ncclCommAbort(CommHandle handle) {
  reinterpret_cast<Comm *>(handle)->isAborted = true;
  return enter("ncclCommAbort");
}

Code ncclGroupStart() { return enter("ncclGroupStart"); }

Code ncclSend(const void *from, size_t count, int, int peer, CommHandle comm,
              cuda::StreamHandle stream) {
  if (Code failed = enter("ncclSend"))
    return failed;
  return add(const_cast<void *>(from), count, peer, comm, stream, true);
}

Code ncclRecv(void *to, size_t count, int, int peer, CommHandle comm,
              cuda::StreamHandle stream) {
  if (Code failed = enter("ncclRecv"))
    return failed;
  return add(to, count, peer, comm, stream, false);
}

Code ncclGroupEnd() {
  Group group = std::exchange(pending, {});
  if (Code failed = enter("ncclGroupEnd"))
    return failed;
  if (!group.comm)
    return code::kSuccess;
  Settings &settings = Settings::get();
  if (++groups == settings.errorAt)
    group.comm->error = settings.error;
  if (groups == settings.slow)
    group.comm->unsettled = 3;
  static HostFunction launch = hostFunction();
  if (!launch)
    return code::kSystemError;
  auto &kept =
      group.comm->groups.emplace_back(group.comm, std::move(group.messages));
  auto run = [](void *data) {
    auto &[comm, messages] =
        *static_cast<std::pair<Comm *, std::vector<Message>> *>(data);
    move(*comm, messages);
  };
  if (launch(group.stream, run, &kept) != 0)
    return code::kSystemError;
  return group.comm->unsettled > 0 ? code::kInProgress : code::kSuccess;
}

} // extern "C"
