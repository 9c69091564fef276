// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads an event file of TensorBoard back.
#ifndef MPC_TEST_RUNTIME_EVENTFILE_H
#define MPC_TEST_RUNTIME_EVENTFILE_H

#include "runtime/Train/TensorBoard.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace mpc::rt {

/// The data of each record, its checksums verified.
inline std::vector<std::string> recordsOf(const std::string &file) {
  std::vector<std::string> records;
  for (size_t at = 0; at < file.size();) {
    uint64_t length = 0;
    uint32_t lengthCrc = 0, dataCrc = 0;
    std::memcpy(&length, file.data() + at, 8);
    std::memcpy(&lengthCrc, file.data() + at + 8, 4);
    EXPECT_EQ(lengthCrc, maskedCrc32c(file.substr(at, 8)));
    records.push_back(file.substr(at + 12, length));
    std::memcpy(&dataCrc, file.data() + at + 12 + length, 4);
    EXPECT_EQ(dataCrc, maskedCrc32c(records.back()));
    at += 16 + length;
  }
  return records;
}

struct EventScalar {
  int64_t step = 0;
  std::string tag;
  float value = 0;
};

/// A scalar of a record: wall time (9 bytes), step, then a summary of one value
/// (a tag and a float). Lengths are below 128, and so take a byte.
inline EventScalar scalarOf(const std::string &record) {
  EventScalar scalar;
  size_t at = 10; // The key of the step is at 9.
  for (int shift = 0;; shift += 7) {
    auto byte = static_cast<unsigned char>(record[at++]);
    scalar.step |= int64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  at += 4; // Keys and lengths of the summary and of its value.
  EXPECT_EQ(record.at(at), '\x0a');
  auto length = static_cast<unsigned char>(record.at(at + 1));
  scalar.tag = record.substr(at + 2, length);
  EXPECT_EQ(record.at(at + 2 + length), '\x15');
  std::memcpy(&scalar.value, record.data() + at + 3 + length, 4);
  return scalar;
}

} // namespace mpc::rt

#endif // MPC_TEST_RUNTIME_EVENTFILE_H
