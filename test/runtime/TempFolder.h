// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A folder for one test, gone afterwards.
#ifndef MPC_TEST_RUNTIME_TEMPFOLDER_H
#define MPC_TEST_RUNTIME_TEMPFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace mpc::rt {

class TempFolder {
public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "mpc-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;

  std::string path(const std::string &name = "") const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename().string());
    return result;
  }

private:
  std::string path_;
};

inline std::string readText(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Changes one byte of a file where it lies.
inline void writeByte(const std::string &path, size_t place, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(place));
  file.put(byte);
}

} // namespace mpc::rt

#endif // MPC_TEST_RUNTIME_TEMPFOLDER_H
