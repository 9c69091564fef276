// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program files in a private folder.
#include "runtime/Program/ProgramCache.h"

#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

std::string ProgramCache::defaultFolder() {
  if (std::getenv("MPC_CACHE_DIR"))
    return environment("MPC_CACHE_DIR");
  if (std::string cache = environment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/mpc";
  std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/mpc";
}

Result<ProgramCache> ProgramCache::open(const std::string &folder) {
  if (folder.empty())
    return ProgramCache("");
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
    return environmentError(escape(folder) +
                            ": is not used, since others own it or can write "
                            "to it");
  return ProgramCache(folder);
}

std::string ProgramCache::fileOf(const std::string &key) const {
  return folder_ + "/" + key + ".mpc";
}

std::shared_ptr<Program> ProgramCache::find(const std::string &key) const {
  if (folder_.empty())
    return nullptr;
  Result<MappedFile> opened = MappedFile::openPrivate(fileOf(key));
  if (!opened.ok())
    return nullptr;
  auto file = std::make_shared<MappedFile>(*std::move(opened));
  Result<ProgramVariants> programs = parseProgramFile({file, file->bytes()});
  if (!programs.ok() || programs->size() != 1)
    return nullptr;
  return std::make_shared<Program>(*programs->front());
}

Status
ProgramCache::store(const std::string &key,
                    const std::shared_ptr<const Program> &program) const {
  if (folder_.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(std::string text, encodeProgramFile({&program, 1}));
  MPC_ASSIGN_OR_RETURN(AtomicFile file,
                       AtomicFile::create(fileOf(key), text.size()));
  MPC_RETURN_IF_ERROR(file.append(text));
  return file.commit();
}

} // namespace mpc::rt
