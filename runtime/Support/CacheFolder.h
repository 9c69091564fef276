// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files kept from one process to the next, in a folder that is one user's.
#ifndef MPC_RUNTIME_SUPPORT_CACHEFOLDER_H
#define MPC_RUNTIME_SUPPORT_CACHEFOLDER_H

#include "runtime/Support/File.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mpc::rt {

/// A folder that is this user's alone. What is in it is run, so that a folder
/// or a file that somebody else owns or can write is never used. Safe for any
/// number of processes at once: a file appears whole, and whoever writes a name
/// last writes the same.
class CacheFolder {
public:
  /// $MPC_CACHE_DIR, else $XDG_CACHE_HOME/mpc, else ~/.cache/mpc; empty where
  /// MPC_CACHE_DIR is set to nothing, or no folder is known.
  static std::string defaultPath();

  /// How many bytes are kept where MPC_CACHE_SIZE does not say it, in MiB.
  static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30;
  /// What it says. An error where that is no number.
  static Result<uint64_t> defaultLimit();

  /// Ends of the names of files that eviction may remove: of programs, and of
  /// images of a GPU.
  static constexpr std::string_view kProgram = ".mpc", kImage = ".image";

  /// Makes the folder where there is none; a cache of no folder is empty and
  /// stays so. An error says why the folder is not used.
  static Result<CacheFolder> open(const std::string &path,
                                  uint64_t limit = kDefaultLimit);
  /// The default folder, with the default limit.
  static Result<CacheFolder> open();

  /// Empty where there is none, and where it is not this user's alone. Counts
  /// as a use.
  [[nodiscard]] std::optional<MappedFile> find(const std::string &name) const;

  /// Then removes what was not found for longest, until the others are within
  /// the limit; what is stored stays. Fails where there is no place to write;
  /// that need not stop anybody.
  Status store(const std::string &name, std::string_view content) const;

private:
  CacheFolder(std::string path, uint64_t limit)
      : path_(std::move(path)), limit_(limit) {}
  void evict(const std::string &kept) const;

  std::string path_;
  uint64_t limit_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_CACHEFOLDER_H
