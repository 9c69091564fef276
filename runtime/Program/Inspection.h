// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Program files told to a person: what mpc-inspect prints.
#ifndef MPC_RUNTIME_PROGRAM_INSPECTION_H
#define MPC_RUNTIME_PROGRAM_INSPECTION_H

#include "runtime/Program/Cubin.h"
#include "runtime/Program/Program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

/// A kernel of a program.
struct KernelCode {
  std::string symbol;
  uint64_t offset = 0; ///< In the image; of a GPU the index of its module.
  /// Up to the next kernel, or the image's end; 0 of a GPU.
  uint64_t bytes = 0;
  size_t launches = 0; ///< How often the program's entries launch it.
  /// Of a GPU, where the program has machine code that is to be read.
  std::optional<CubinKernel> resources = {};
};

/// By their places in the image; of a GPU by module and name.
[[nodiscard]] std::vector<KernelCode> listKernels(const Program &program);

/// State, entries with their launches and arenas, kernels.
[[nodiscard]] std::string describeProgram(const Program &program);
/// The same as one JSON object.
[[nodiscard]] std::string describeProgramAsJson(const Program &program);
/// The arena over the launches of `entry`, as SVG.
[[nodiscard]] std::string drawArena(const Entry &entry);

/// The code image as an ELF object of one section, with a symbol for each
/// kernel, for a disassembler.
[[nodiscard]] std::string makeElfObject(const Program &program);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_INSPECTION_H
