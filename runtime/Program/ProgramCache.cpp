// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program files in a private folder.
#include "runtime/Program/ProgramCache.h"

#include "runtime/Program/ProgramFile.h"

#include <optional>

namespace mpc::rt {

static std::string fileOf(const std::string &key) {
  return key + std::string(CacheFolder::kProgram);
}

Result<ProgramCache> ProgramCache::open(const std::string &folder,
                                        uint64_t limit) {
  MPC_ASSIGN_OR_RETURN(CacheFolder opened, CacheFolder::open(folder, limit));
  return ProgramCache(std::move(opened));
}

std::shared_ptr<Program> ProgramCache::find(const std::string &key) const {
  std::optional<MappedFile> opened = folder_.find(fileOf(key));
  if (!opened)
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
  MPC_ASSIGN_OR_RETURN(std::string text, encodeProgramFile({&program, 1}));
  return folder_.store(fileOf(key), text);
}

} // namespace mpc::rt
