// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files kept from one process to the next, in a folder of one user.
#ifndef MPC_RUNTIME_SUPPORT_CACHEFOLDER_H
#define MPC_RUNTIME_SUPPORT_CACHEFOLDER_H

#include "runtime/Support/File.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mpc::rt {

/// A folder of this user alone. Cached files are executed, so that a folder or
/// a file that somebody else owns or can write is never used. Safe for any
/// number of processes at once: a file appears whole, and all writers of a name
/// write the same bytes.
class CacheFolder {
public:
  /// $MPC_CACHE_DIR, else $XDG_CACHE_HOME/mpc, else ~/.cache/mpc; empty where
  /// MPC_CACHE_DIR is set to an empty text, or where no folder is known.
  static std::string defaultPath();

  /// The bytes that are kept unless MPC_CACHE_SIZE gives another number, in
  /// MiB.
  static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30;
  /// The limit by MPC_CACHE_SIZE. An error where that is not a number.
  static Result<uint64_t> defaultLimit();

  /// The extensions of files that eviction may remove: of programs, of images
  /// for a GPU, and of choices that were measured on one.
  static constexpr std::string_view kProgram = ".mpc", kImage = ".image",
                                    kChoice = ".choice";

  /// Makes the folder if it does not exist. The cache of an empty path stays
  /// empty. An error says why the folder is not used.
  static Result<CacheFolder> open(const std::string &path,
                                  uint64_t limit = kDefaultLimit);
  /// The default folder, with the default limit.
  static Result<CacheFolder> open();

  /// The file; empty where it does not exist or does not belong to this user
  /// alone. Counts as a use.
  [[nodiscard]] std::optional<MappedFile> find(const std::string &name) const;

  /// Stores the file, and then removes the files that were unused for longest
  /// until the others are within the limit. The stored file stays. Fails where
  /// it cannot be written; a caller may ignore that.
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
