// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that meet in a file or at a port, as threads.
#include "runtime/Ranks/NCCL/Rendezvous.h"
#include "test/runtime/TempFolder.h"

#include <algorithm>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mpc::rt::nccl {
namespace {

using Seconds = Rendezvous::Seconds;

/// A rank that comes to a place, as one of `size`.
struct Guest {
  uint32_t rank, size;
};

Result<Ids> makeIds() {
  Ids ids;
  ids.host.bytes[0] = 'h';
  ids.device.bytes[127] = 'd';
  return ids;
}

Result<Ids> meet(const std::string &place, Guest guest, Seconds limit) {
  MPC_ASSIGN_OR_RETURN(auto rendezvous,
                       openRendezvous(place, guest.rank, guest.size));
  return rendezvous->share(makeIds, limit);
}

/// What comes of it for each guest. All leave together.
std::vector<Result<Ids>> meetAll(const std::string &place,
                                 const std::vector<Guest> &guests,
                                 Seconds limit = Seconds(20)) {
  std::vector<Result<Ids>> results(guests.size(), Result<Ids>(Ids()));
  std::vector<std::unique_ptr<Rendezvous>> kept(guests.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < guests.size(); ++i)
    threads.emplace_back([&, i] {
      kept[i] = *openRendezvous(place, guests[i].rank, guests[i].size);
      results[i] = kept[i]->share(makeIds, limit);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

void expectIds(const std::vector<Result<Ids>> &results) {
  for (const Result<Ids> &result : results) {
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->host.bytes[0], 'h');
    EXPECT_EQ(result->device.bytes[127], 'd');
  }
}

/// The messages of errors; empty for none.
std::vector<std::string> faults(const std::vector<Result<Ids>> &results) {
  std::vector<std::string> messages;
  for (const Result<Ids> &result : results)
    messages.push_back(result.ok() ? "" : result.status().message());
  return messages;
}

/// A port of this machine, and a socket that has it.
class TakenPort {
public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr *>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    EXPECT_EQ(
        ::getsockname(socket_, reinterpret_cast<sockaddr *>(&address), &size),
        0);
    place_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~TakenPort() { release(); }
  void release() {
    if (socket_ >= 0)
      ::close(std::exchange(socket_, -1));
  }
  [[nodiscard]] const std::string &place() const { return place_; }

private:
  int socket_;
  std::string place_;
};

std::string freePlace() {
  TakenPort port;
  return port.place();
}

TEST(Rendezvous, AllHaveTheIdsOfRankZero) {
  TempFolder folder;
  std::string file = folder.path("meet");
  for (const std::string &place : {file, freePlace()})
    expectIds(meetAll(place, {{0, 3}, {1, 3}, {2, 3}}));
  // The place is free again.
  EXPECT_NE(::access(file.c_str(), F_OK), 0);
  expectIds(meetAll(file, {{0, 2}, {1, 2}}));
}

TEST(Rendezvous, AFileThatIsThereIsOfOthers) {
  TempFolder folder;
  std::string file = folder.path("meet");
  auto first = openRendezvous(file, 0, 2);
  ASSERT_TRUE((*first)->share(makeIds, Seconds(1)).ok());
  EXPECT_EQ(meet(file, {0, 2}, Seconds(1)).status().message(),
            "--rendezvous: " + file +
                " is there already, of a training that goes on or that was "
                "killed: remove it, or name another");
  EXPECT_EQ(::access(file.c_str(), F_OK), 0);
  EXPECT_EQ(meet(folder.path("no/folder"), {0, 2}, Seconds(1)).status().code(),
            StatusCode::Environment);
}

TEST(Rendezvous, WhoIsMissingIsNamed) {
  TempFolder folder;
  EXPECT_EQ(meet(folder.path("meet"), {1, 2}, Seconds(0.05)).status().message(),
            "--rendezvous: rank 0 has not written " + folder.path("meet") +
                " after 0.1 s");
  std::string place = freePlace();
  EXPECT_EQ(faults(meetAll(place, {{0, 4}, {2, 4}}, Seconds(0.5))).front(),
            "--rendezvous: not at " + place + " yet: rank 1, 3");
  EXPECT_EQ(meet(place, {1, 2}, Seconds(0.05)).status().message(),
            "--rendezvous: rank 0 does not answer at " + place);
}

TEST(Rendezvous, ANumberIsThereOnce) {
  std::string place = freePlace();
  EXPECT_EQ(faults(meetAll(place, {{0, 3}, {1, 3}, {1, 3}})).front(),
            "--rendezvous: two processes at " + place + " are rank 1");
  place = freePlace();
  std::vector<std::string> said = faults(meetAll(place, {{0, 2}, {1, 3}}));
  EXPECT_EQ(said[0], "--rendezvous: rank 1 of 3 has come to " + place +
                         ", where 2 ranks meet");
}

TEST(Rendezvous, APortThatIsTakenIsNamed) {
  TakenPort port;
  Status status = meet(port.place(), {0, 2}, Seconds(1)).status();
  EXPECT_EQ(status.code(), StatusCode::Environment);
  EXPECT_EQ(status.message(), "--rendezvous: cannot listen at " + port.place() +
                                  ": Address already in use");
}

// Whoever speaks first may be no rank at all.
TEST(Rendezvous, StrangersAreNoRanks) {
  std::string place = freePlace();
  std::thread stranger([&] {
    for (int tries = 0; tries < 1000; ++tries) {
      int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address = {};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(
          static_cast<uint16_t>(std::stoi(place.substr(place.find(':') + 1))));
      bool isThere = ::connect(socket, reinterpret_cast<sockaddr *>(&address),
                               sizeof(address)) == 0;
      char hello[] = "GET / HTTP/1.1\r\n\r\n";
      if (isThere)
        (void)::send(socket, hello, sizeof(hello), MSG_NOSIGNAL);
      ::close(socket);
      if (isThere)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  Result<Ids> zero = Ids(), one = Ids();
  std::thread first([&] { zero = meet(place, {0, 2}, Seconds(20)); });
  stranger.join();
  one = meet(place, {1, 2}, Seconds(20));
  first.join();
  EXPECT_TRUE(zero.ok()) << zero.status().message();
  EXPECT_TRUE(one.ok()) << one.status().message();
}

TEST(Rendezvous, AnIdThatCannotBeMadeIsTold) {
  TempFolder folder;
  auto rendezvous = openRendezvous(folder.path("meet"), 0, 2);
  auto made = (*rendezvous)
                  ->share([]() -> Result<Ids> { return usageError("none"); },
                          Seconds(1));
  EXPECT_EQ(made.status().message(), "none");
  EXPECT_NE(::access(folder.path("meet").c_str(), F_OK), 0);
}

} // namespace
} // namespace mpc::rt::nccl
