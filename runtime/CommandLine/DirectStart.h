// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Starts of a tool without its compiler: the program of a command line that
/// has run before. Compiler caches call that their direct mode.
#ifndef MPC_RUNTIME_COMMANDLINE_DIRECTSTART_H
#define MPC_RUNTIME_COMMANDLINE_DIRECTSTART_H

#include "runtime/Program/Program.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

/// What a program is a function of, beside the files that making it reads.
struct DirectKey {
  std::string tool;     ///< "mpc-train"
  std::string compiler; ///< The file that makes programs.
  /// How the program is made: see wordsOfProgram.
  std::vector<std::string> words;
};

/// The command line with an empty word in the place of each that `app` knows.
/// `app` has the flags of a run, allows extras, and has parsed it. Empty where
/// the words cannot be told apart.
[[nodiscard]] std::vector<std::string>
wordsOfProgram(const CLI::App &app, int argc, const char *const *argv);

/// One command line's place in the compile cache. Paths in it are those of the
/// working folder.
class DirectStart {
public:
  using Time = std::chrono::system_clock::time_point;

  /// Nothing is found and nothing kept.
  DirectStart() = default;
  /// `begun` is when the tool was started.
  explicit DirectStart(const DirectKey &key,
                       Time begun = std::chrono::system_clock::now());

  /// The program with its StartRecord; null where there is none, or a file that
  /// it was made from is another now.
  [[nodiscard]] std::shared_ptr<Program> find() const;

  /// Keeps a copy with this record, of which only the paths of files need be
  /// set, and to which files are added that the words name. Nothing is kept
  /// where a file was written after the tool began, since what was read of it
  /// is not known; of values beyond kMaxValueBytes, which are read faster where
  /// they lie; and where the cache cannot be used, which ProgramCache tells
  /// elsewhere.
  void store(const Program &program, StartRecord record) const;

  static constexpr uint64_t kMaxValueBytes = uint64_t(64) << 20;

private:
  std::string digest_; ///< Or empty.
  std::vector<std::string> words_;
  Time begun_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_DIRECTSTART_H
