// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program files: a container with a manifest in it.
#include "runtime/Program/ProgramFile.h"

#include "runtime/Program/Manifest.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"

namespace mpc::rt {

Result<std::string>
encodeProgramFile(std::span<const std::shared_ptr<const Program>> programs) {
  MPC_ASSIGN_OR_RETURN(std::vector<Section> sections, encodeManifest(programs));
  return encodeContainer(sections);
}

Status
writeProgramFile(const std::string &path,
                 std::span<const std::shared_ptr<const Program>> programs) {
  MPC_ASSIGN_OR_RETURN(std::vector<Section> sections, encodeManifest(programs));
  uint64_t bytes = 0;
  for (const Section &section : sections)
    bytes += section.bytes.size();
  MPC_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path, bytes));
  MPC_RETURN_IF_ERROR(appendContainer(
      sections, [&](std::string_view part) { return file.append(part); }));
  return file.commit();
}

Result<ProgramVariants> parseProgramFile(const SharedBytes &file) {
  MPC_ASSIGN_OR_RETURN(std::vector<Section> sections, parseContainer(file));
  return parseManifest(sections);
}

Result<ProgramVariants> readProgramFile(const std::string &path) {
  Result<MappedFile> opened =
      path == "-" ? MappedFile::readStandardInput() : MappedFile::open(path);
  if (!opened.ok())
    return opened.status();
  auto file = std::make_shared<MappedFile>(*std::move(opened));
  Result<ProgramVariants> programs = parseProgramFile({file, file->bytes()});
  if (!programs.ok())
    return programs.status().withContext(escape(file->path()));
  return programs;
}

} // namespace mpc::rt
