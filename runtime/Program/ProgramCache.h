// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiled programs kept from one process to the next, by a key.
#ifndef MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H
#define MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H

#include "runtime/Program/Program.h"
#include "runtime/Support/CacheFolder.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mpc::rt {

/// A CacheFolder of program files.
class ProgramCache {
public:
  /// As CacheFolder::open.
  static Result<ProgramCache> open(const std::string &folder,
                                   uint64_t limit = CacheFolder::kDefaultLimit);

  /// Null where there is none, or where the file cannot be used: it is damaged,
  /// has another version, or does not belong to this user alone.
  [[nodiscard]] std::shared_ptr<Program> find(const std::string &key) const;

  /// As CacheFolder::store.
  Status store(const std::string &key,
               const std::shared_ptr<const Program> &program) const;

private:
  explicit ProgramCache(CacheFolder folder) : folder_(std::move(folder)) {}

  CacheFolder folder_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAMCACHE_H
