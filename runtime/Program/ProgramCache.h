// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiled programs kept from one process to the next, by a key.
#ifndef MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H
#define MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

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

  /// Makes the folder where there is none; a cache of no folder is empty and
  /// stays so. An error says why the folder is not used.
  static Result<ProgramCache> open(const std::string &folder);

  /// Null where there is none, and where it cannot be used: it is damaged, of
  /// another version, or not this user's alone.
  [[nodiscard]] std::shared_ptr<Program> find(const std::string &key) const;

  /// Fails where there is no place to write; that need not stop anybody.
  Status store(const std::string &key,
               const std::shared_ptr<const Program> &program) const;

private:
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::string fileOf(const std::string &key) const;

  std::string folder_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H
