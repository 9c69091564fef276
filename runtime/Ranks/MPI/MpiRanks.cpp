// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages by an MPI library, and a thread that answers other ranks.
#include "runtime/Ranks/MPI/MpiRanks.h"

#include "runtime/Ranks/MPI/Module.h"
#include "runtime/Support/Text.h"

#include <condition_variable>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace mpc::rt {
namespace {

using Seconds = std::chrono::duration<double>;

/// How often the answering thread looks for questions.
constexpr std::chrono::milliseconds kLook{20};
/// A wait begins without sleeping, since most last no longer.
constexpr Seconds kBusy{0.002};
constexpr std::chrono::microseconds kNap{20};
/// A launcher that ends its ranks kills them a second later.
constexpr Seconds kEnd{0.5};

Status failure(const std::string &message) {
  return Status(StatusCode::Peer, message);
}

/// Gives up what the life of this object takes, where that is too long.
class Deadline {
public:
  Deadline(const MpiOptions &options, const char *what)
      : thread_([&options, what](const std::stop_token &stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any wake;
          Seconds limit = options.patience.silence;
          (void)wake.wait_for(lock, stop, limit, [] { return false; });
          if (!stop.stop_requested() && options.giveUp)
            options.giveUp(fmt::format(
                "MPI has not {} after {:.1f} s: another rank is missing", what,
                limit.count()));
        }) {}

private:
  std::jthread thread_;
};

class MpiRanks final : public Ranks {
public:
  MpiRanks(const MpcMpiModule &module, uint32_t rank, uint32_t size,
           MpiOptions options, bool answers)
      : Ranks(rank, size), module_(module), options_(std::move(options)),
        rollCall_(options_.patience), heard_(size) {
    if (answers)
      watchdog_ = std::jthread([this](std::stop_token stop) { watch(stop); });
  }
  ~MpiRanks() override { MpiRanks::end(); }
  void end() override;

protected:
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) override;

private:
  /// A wait of this rank for others.
  struct Wait {
    Clock::time_point begin = Clock::now();
    /// When it was asked to end, and when others were asked last; the clock's
    /// epoch for never.
    Clock::time_point toEnd, asked;

    [[nodiscard]] Seconds time() const { return Clock::now() - begin; }
  };

  Status check(int error, const char *what);
  Status begin(std::span<const Outgoing> sends,
               std::span<const Incoming> receives);
  Result<bool> test();
  Status judge(Wait &wait);
  Status giveUp(const Wait &wait, std::vector<RollCall::Answer> answers);
  void ask();
  std::vector<RollCall::Answer> answers();
  void watch(const std::stop_token &stop);
  void takeNotes();

  const MpcMpiModule &module_;
  MpiOptions options_;
  RollCall rollCall_;
  /// Whether messages are lost, or MPI has ended. Some may still be under way
  /// to memory that the caller has given back, so that nothing may move them:
  /// no call of the module follows.
  bool failed_ = false;
  std::mutex mutex_; ///< For calls of the module, `failed_` and `heard_`.
  /// An answer of another rank.
  struct Heard {
    RankReport report;
    Clock::time_point when;
  };
  /// The last answer of each rank; empty where it has given none.
  std::vector<std::optional<Heard>> heard_;
  std::condition_variable_any wake_;
  std::jthread watchdog_; ///< It stops before the rest is destroyed.
};

/// A library cannot be closed while a rank is missing: it waits for it.
void MpiRanks::end() {
  if (watchdog_.joinable()) {
    watchdog_.request_stop();
    watchdog_.join();
  }
  if (failed_)
    return;
  failed_ = true;
  Deadline deadline(options_, "ended");
  module_.close();
}

Status MpiRanks::check(int error, const char *what) {
  if (error == 0)
    return {};
  failed_ = true;
  char text[256] = "";
  module_.describe(error, text, sizeof(text));
  return failure(fmt::format("{}: {}", what, escape(text)));
}

Status MpiRanks::begin(std::span<const Outgoing> sends,
                       std::span<const Incoming> receives) {
  std::vector<MpcMpiMessage> out, in;
  for (const Outgoing &one : sends)
    // C has one type for both directions, and sent bytes are only read.
    out.push_back(
        {one.to, const_cast<std::byte *>(one.bytes.data()), one.bytes.size()});
  for (const Incoming &one : receives)
    in.push_back({one.from, one.bytes.data(), one.bytes.size()});
  std::lock_guard lock(mutex_);
  return check(module_.begin(out.data(), out.size(), in.data(), in.size()),
               "sending and receiving");
}

Result<bool> MpiRanks::test() {
  int isDone = 0;
  std::lock_guard lock(mutex_);
  MPC_RETURN_IF_ERROR(check(module_.test(&isDone), "sending and receiving"));
  return isDone != 0;
}

Status MpiRanks::exchange(std::span<const Outgoing> sends,
                          std::span<const Incoming> receives) {
  if (failed_)
    return failure("the ranks have lost each other");
  MPC_RETURN_IF_ERROR(begin(sends, receives));
  for (Wait wait;;) {
    MPC_ASSIGN_OR_RETURN(bool isDone, test());
    if (isDone)
      return {};
    MPC_RETURN_IF_ERROR(judge(wait));
    if (wait.time() < kBusy)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kNap);
  }
}

/// Decides whether to wait on.
Status MpiRanks::judge(Wait &wait) {
  constexpr Clock::time_point kNever;
  if (wait.toEnd == kNever && options_.isToEnd && options_.isToEnd())
    wait.toEnd = Clock::now();
  bool isToEnd = wait.toEnd != kNever && Clock::now() - wait.toEnd >= kEnd;
  if (!isToEnd && !rollCall_.isDue(wait.time()))
    return {};
  // A rank that has answered may die later, so that it is asked again.
  if (wait.asked == kNever || rollCall_.isDue(Clock::now() - wait.asked)) {
    ask();
    wait.asked = Clock::now();
  }
  std::vector<RollCall::Answer> answers = this->answers();
  return isToEnd || rollCall_.isOver(wait.time(), answers)
             ? giveUp(wait, std::move(answers))
             : Status();
}

Status MpiRanks::giveUp(const Wait &wait,
                        std::vector<RollCall::Answer> answers) {
  std::lock_guard lock(mutex_);
  failed_ = true;
  return failure(describeWait(wait.time(), answers));
}

/// Asks all ranks. Those that do not answer are the fault, and so are no errors
/// of sending.
void MpiRanks::ask() {
  RankReport question = report();
  question.isQuestion = 1;
  std::lock_guard lock(mutex_);
  for (uint32_t rank = 0; rank < size(); ++rank)
    if (rank != this->rank())
      (void)module_.sendNote(rank, &question, sizeof(question));
}

/// What is known of the ranks whose messages are missing.
std::vector<RollCall::Answer> MpiRanks::answers() {
  std::vector<RollCall::Answer> answers;
  std::lock_guard lock(mutex_);
  takeNotes();
  for (uint32_t rank = 0; rank < size(); ++rank) {
    if (rank == this->rank() || !module_.isWaitingFor(rank))
      continue;
    const std::optional<Heard> &heard = heard_[rank];
    bool isAlive =
        heard && Clock::now() - heard->when < options_.patience.silence;
    answers.push_back({rank, isAlive, heard ? heard->report : RankReport()});
  }
  return answers;
}

/// Answers questions, and keeps answers. The caller holds the lock.
void MpiRanks::takeNotes() {
  RankReport note;
  uint32_t peer = 0;
  for (int found = 1;;) {
    if (module_.takeNote(&peer, &note, sizeof(note), &found) != 0 || !found)
      return;
    if (peer >= size())
      continue;
    if (note.isQuestion == 0) {
      heard_[peer] = {note, Clock::now()};
      continue;
    }
    RankReport answer = report();
    (void)module_.sendNote(peer, &answer, sizeof(answer));
  }
}

void MpiRanks::watch(const std::stop_token &stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested() && !failed_) {
    takeNotes();
    wake_.wait_for(lock, stop, kLook, [] { return false; });
  }
}

/// The folder of a file, without links; empty where there is none.
std::string folderOf(const char *file) {
  std::unique_ptr<char, decltype(&::free)> real(::realpath(file, nullptr),
                                                &::free);
  std::string path = real ? real.get() : "";
  return path.substr(0, path.find_last_of('/') + 1);
}

/// The module's file: in lib/mpc, beside the program or the library that this
/// code is in.
std::string findModule(const std::string &library) {
  Dl_info own = {};
  std::string name = "mpc/mpc-mpi-" + library + ".so";
  (void)::dladdr(reinterpret_cast<void *>(&findModule), &own);
  std::string folder = folderOf(own.dli_fname ? own.dli_fname : "");
  if (folder.empty())
    folder = folderOf("/proc/self/exe");
  std::string beside = folder + name;
  return ::access(beside.c_str(), R_OK) == 0 ? beside
                                             : folder + "../lib/" + name;
}

/// Loads the module. Its library finds parts of itself only where its symbols
/// are for all.
Result<const MpcMpiModule *> load(const std::string &library) {
  std::string path = findModule(library);
  void *module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void *address = module ? ::dlsym(module, "mpcMpiModule") : nullptr;
  if (!address)
    return environmentError(fmt::format("--ranks: no module for {}: {}",
                                        library, escape(::dlerror())));
  const MpcMpiModule *functions =
      reinterpret_cast<decltype(&mpcMpiModule)>(address)();
  if (functions->version != MPC_MPI_MODULE_VERSION)
    return environmentError(
        fmt::format("--ranks: {} is of version {}, expected {}", escape(path),
                    functions->version, MPC_MPI_MODULE_VERSION));
  return functions;
}

} // namespace

Result<std::unique_ptr<Ranks>> openMpi(const MpiOptions &options) {
  MPC_ASSIGN_OR_RETURN(const MpcMpiModule *module, load(options.library));
  uint32_t rank = 0, size = 0;
  int hasThreads = 0;
  int error = 0;
  {
    Deadline deadline(options, "started");
    error = module->open(&rank, &size, &hasThreads);
  }
  if (error != 0) {
    char text[256] = "";
    module->describe(error, text, sizeof(text));
    return environmentError(fmt::format("--ranks: {} does not start: {}",
                                        options.library, escape(text)));
  }
  return std::unique_ptr<Ranks>(std::make_unique<MpiRanks>(
      *module, rank, size, options, hasThreads != 0 && size > 1));
}

} // namespace mpc::rt
