// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances between flags.
#include "runtime/CommandLine/NearestFlag.h"

#include <algorithm>
#include <cctype>

namespace mpc::rt {
namespace {

/// A flag without its dashes and its value, in our spelling.
std::string lettersOf(std::string_view flag) {
  flag = flag.substr(0, flag.find('='));
  flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
  std::string letters;
  for (char c : flag)
    letters += c == '_' ? '-' : static_cast<char>(std::tolower(c & 0x7f));
  return letters;
}

/// The least number of letters that are added, left out, replaced or exchanged
/// with the next (optimal string alignment).
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t &least = rows[i][j];
      least = std::max(i, j);
      if (i == 0 || j == 0)
        continue;
      least = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1,
                        rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        least = std::min(least, rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

/// The distance for a missing last word after a hyphen.
constexpr size_t kForgotten = 1;

size_t differenceOf(const std::string &word, const std::string &flag) {
  return flag.starts_with(word + "-") ? kForgotten : distance(word, flag);
}

} // namespace

std::string nearestFlag(std::string_view word,
                        const std::vector<std::string> &known) {
  const std::string letters = lettersOf(word);
  // Words of one or two letters are close to anything.
  if (!word.starts_with('-') || letters.size() < 2)
    return "";
  size_t least = std::max<size_t>(1, letters.size() / 3) + 1;
  std::string nearest;
  for (const std::string &flag : known) {
    size_t difference = differenceOf(letters, lettersOf(flag));
    if (difference < least) {
      least = difference;
      nearest = flag;
    }
  }
  return nearest;
}

} // namespace mpc::rt
