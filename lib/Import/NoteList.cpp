// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Counts equal notes.
#include "lib/Import/NoteList.h"

using namespace llvm;

namespace mpc {

void NoteList::add(std::string subject, StringRef text) {
  auto [place, isNew] = places_.try_emplace(text, notes_.size());
  if (isNew)
    notes_.push_back({std::move(subject), text.str()});
  ++notes_[place->second].count;
}

std::vector<std::string> NoteList::lines() const {
  std::vector<std::string> lines;
  for (const Note &note : notes_) {
    std::string more =
        note.count > 1 ? " (and " + std::to_string(note.count - 1) + " more)"
                       : "";
    lines.push_back(note.subject + " " + note.text + more);
  }
  return lines;
}

} // namespace mpc
