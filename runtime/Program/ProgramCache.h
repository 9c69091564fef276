// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiled programs kept from one process to the next, by a key.
#ifndef MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H
#define MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mpc::rt {

/// A folder of program files that is this user's alone. What is in it is run,
/// so that a folder or a file that somebody else owns or can write is never
/// used. Safe for any number of processes at once: a file appears whole, and
/// whoever writes a key last writes the same.
class ProgramCache {
public:
  /// $MPC_CACHE_DIR, else $XDG_CACHE_HOME/mpc, else ~/.cache/mpc; empty where
  /// MPC_CACHE_DIR is set to nothing, or no folder is known.
  static std::string defaultFolder();

  /// How many bytes of programs are kept where MPC_CACHE_SIZE does not say it,
  /// in MiB.
  static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30;
  /// What it says. An error where that is no number.
  static Result<uint64_t> defaultLimit();

  /// Makes the folder where there is none; a cache of no folder is empty and
  /// stays so. An error says why the folder is not used.
  static Result<ProgramCache> open(const std::string &folder,
                                   uint64_t limit = kDefaultLimit);

  /// Null where there is none, and where it cannot be used: it is damaged, of
  /// another version, or not this user's alone.
  [[nodiscard]] std::shared_ptr<Program> find(const std::string &key) const;

  /// Then removes what was not found for longest, until the others are within
  /// the limit; what is stored stays. Fails where there is no place to write;
  /// that need not stop anybody.
  Status store(const std::string &key,
               const std::shared_ptr<const Program> &program) const;

private:
  ProgramCache(std::string folder, uint64_t limit)
      : folder_(std::move(folder)), limit_(limit) {}
  [[nodiscard]] std::string fileOf(const std::string &key) const;
  void evict(const std::string &kept) const;

  std::string folder_;
  uint64_t limit_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H
