// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Starts of a tool without its compiler: finds the program of a command line
/// that has run before. Compiler caches call that their direct mode.
#ifndef MPC_RUNTIME_COMMANDLINE_DIRECTSTART_H
#define MPC_RUNTIME_COMMANDLINE_DIRECTSTART_H

#include "runtime/Program/Program.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

/// Everything on which a program depends, beside the files that its compilation
/// reads.
struct DirectKey {
  std::string tool;     ///< "mpc-train"
  std::string compiler; ///< The file of the compiler.
  /// The words of the command line that decide the program: see wordsOfProgram.
  std::vector<std::string> words;
};

/// The command line with an empty word in place of each word that `app` knows.
/// `app` has the flags of a run, allows extras, and has parsed the line. Empty
/// where the words cannot be told apart.
[[nodiscard]] std::vector<std::string>
wordsOfProgram(const CLI::App &app, int argc, const char *const *argv);

/// The place of one command line in the compile cache. Relative paths are
/// relative to the working folder.
class DirectStart {
public:
  using Time = std::chrono::system_clock::time_point;

  /// An object that finds and keeps nothing.
  DirectStart() = default;
  /// `begun` is the time at which the tool was started.
  explicit DirectStart(const DirectKey &key,
                       Time begun = std::chrono::system_clock::now());

  /// The program with its StartRecord; null where there is none, or where one
  /// of its source files has changed.
  [[nodiscard]] std::shared_ptr<Program> find() const;

  /// Keeps a copy of the program with this record. Only the paths of files need
  /// be set in it; the files that the command line names are added. Nothing is
  /// kept in three cases: a file was written after the tool began, since it may
  /// have been read before; the values exceed kMaxValueBytes, because they are
  /// read faster in their own file; the cache cannot be used, which
  /// ProgramCache reports elsewhere.
  void store(const Program &program, StartRecord record) const;

  static constexpr uint64_t kMaxValueBytes = uint64_t(64) << 20;

private:
  std::string digest_; ///< The key; empty for no place.
  std::vector<std::string> words_;
  Time begun_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_DIRECTSTART_H
