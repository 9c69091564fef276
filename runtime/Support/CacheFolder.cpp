// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names, use times and eviction of cached files.
#include "runtime/Support/CacheFolder.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace mpc::rt {
namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

std::string CacheFolder::defaultPath() {
  if (std::getenv("MPC_CACHE_DIR"))
    return environment("MPC_CACHE_DIR");
  if (std::string cache = environment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/mpc";
  std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/mpc";
}

Result<uint64_t> CacheFolder::defaultLimit() {
  std::string text = environment("MPC_CACHE_SIZE");
  if (text.empty())
    return kDefaultLimit;
  constexpr uint64_t kMiB = uint64_t(1) << 20;
  uint64_t size = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() ||
      size > std::numeric_limits<uint64_t>::max() / kMiB)
    return usageError("MPC_CACHE_SIZE=" + quote(text) +
                      " is not a number of MiB");
  return size * kMiB;
}

Result<CacheFolder> CacheFolder::open(const std::string &folder,
                                      uint64_t limit) {
  if (folder.empty())
    return CacheFolder("", limit);
  std::error_code error;
  std::filesystem::path parent =
      std::filesystem::path(folder).lexically_normal().parent_path();
  if (!parent.empty())
    std::filesystem::create_directories(parent, error);
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return environmentError(escape(folder) +
                            ": cannot make the folder: " + errnoMessage(errno));
  struct stat info;
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return environmentError(escape(folder) + ": is not a folder");
  if (!isPrivate(info))
    return environmentError(
        escape(folder) +
        ": is not used, since other users own it or can write to it");
  return CacheFolder(folder, limit);
}

Result<CacheFolder> CacheFolder::open() {
  MPC_ASSIGN_OR_RETURN(uint64_t limit, defaultLimit());
  return open(defaultPath(), limit);
}

std::optional<MappedFile> CacheFolder::find(const std::string &name) const {
  if (path_.empty())
    return std::nullopt;
  std::string path = path_ + "/" + name;
  Result<MappedFile> file = MappedFile::openPrivate(path);
  if (!file.ok())
    return std::nullopt;
  // Sets the time of the last use, which decides about eviction.
  (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return *std::move(file);
}

Status CacheFolder::store(const std::string &name,
                          std::string_view content) const {
  if (path_.empty())
    return {};
  std::string path = path_ + "/" + name;
  MPC_ASSIGN_OR_RETURN(AtomicFile file,
                       AtomicFile::create(path, content.size()));
  MPC_RETURN_IF_ERROR(file.append(content));
  MPC_RETURN_IF_ERROR(file.commit());
  evict(path);
  return {};
}

/// Other processes may evict at the same time. A file that is gone already is
/// no error, and a mapped file stays usable.
void CacheFolder::evict(const std::string &kept) const {
  namespace fs = std::filesystem;
  struct Entry {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (auto it = fs::directory_iterator(path_, error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code failed;
    fs::path end = it->path().extension();
    bool isEntry = (end == kProgram || end == kImage || end == kChoice) &&
                   it->symlink_status(failed).type() == fs::file_type::regular;
    Entry entry = {isEntry ? it->last_write_time(failed) : fs::file_time_type(),
                   isEntry ? it->file_size(failed) : 0, it->path()};
    if (!isEntry || failed)
      continue;
    total += entry.bytes;
    if (entry.path != kept)
      entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= limit_)
      return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

} // namespace mpc::rt
