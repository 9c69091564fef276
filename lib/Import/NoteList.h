// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Collects the messages of an import, each once.
#ifndef MPC_LIB_IMPORT_NOTELIST_H
#define MPC_LIB_IMPORT_NOTELIST_H

#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mpc {

/// Notes in the order in which they were first said.
class NoteList {
public:
  /// Adds `text` about `subject`. Of several subjects with one text the first
  /// is named and the others are counted.
  void add(std::string subject, llvm::StringRef text);

  /// "SUBJECT TEXT (and 3 more)" for each text.
  std::vector<std::string> lines() const;

private:
  struct Note {
    std::string subject, text;
    size_t count = 0;
  };

  std::vector<Note> notes_;
  llvm::StringMap<size_t> places_;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_NOTELIST_H
