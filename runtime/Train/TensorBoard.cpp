// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TFRecord framing and the three protobuf messages for a scalar. The messages
// are small and fixed, so that they are written by hand.
#include "runtime/Train/TensorBoard.h"

#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr std::array<uint32_t, 256> makeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit)
      // The polynomial of Castagnoli, reflected.
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    table[i] = crc;
  }
  return table;
}

template <typename T>
std::string bytesOf(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

/// Wire types of protobuf fields.
enum class Wire { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

std::string key(int field, Wire wire) {
  return varint(static_cast<uint64_t>(field) << 3 |
                static_cast<uint64_t>(wire));
}
std::string bytesField(int field, std::string_view value) {
  return key(field, Wire::Bytes) + varint(value.size()) + std::string(value);
}

/// Event: wall_time = 1, step = 2, file_version = 3, summary = 5.
std::string eventHead(double wallTime, int64_t step) {
  return key(1, Wire::Fixed64) + bytesOf(wallTime) + key(2, Wire::Varint) +
         varint(static_cast<uint64_t>(step));
}

} // namespace

uint32_t maskedCrc32c(std::string_view data) {
  static constexpr std::array<uint32_t, 256> kTable = makeCrcTable();
  uint32_t crc = ~uint32_t(0);
  for (char c : data)
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8;
}

Result<TensorBoardWriter> TensorBoardWriter::create(const std::string &folder,
                                                    double wallTime) {
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return environmentError(fmt::format("{}: cannot create the folder: {}",
                                        escape(folder), errnoMessage(errno)));
  std::string path = fmt::format("{}/events.out.tfevents.{:010}.mpc.{}", folder,
                                 static_cast<int64_t>(wallTime), ::getpid());
  int fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0)
    return environmentError(fmt::format("{}: cannot create: {}", escape(path),
                                        errnoMessage(errno)));
  TensorBoardWriter writer(std::move(path), fd);
  MPC_RETURN_IF_ERROR(
      writer.record(eventHead(wallTime, 0) + bytesField(3, "brain.Event:2")));
  return writer;
}

TensorBoardWriter::~TensorBoardWriter() {
  if (fd_ >= 0)
    ::close(fd_);
}

Status TensorBoardWriter::scalar(std::string_view tag, int64_t step,
                                 float value, double wallTime) {
  // Summary: value = 1; Summary.Value: tag = 1, simple_value = 2.
  std::string one = bytesField(1, tag) + key(2, Wire::Fixed32) + bytesOf(value);
  return record(eventHead(wallTime, step) + bytesField(5, bytesField(1, one)));
}

Status TensorBoardWriter::record(const std::string &event) {
  std::string length = bytesOf<uint64_t>(event.size());
  std::string text = length + bytesOf(maskedCrc32c(length)) + event +
                     bytesOf(maskedCrc32c(event));
  if (int error = writeAll(Io::system(), fd_, text.data(), text.size()))
    return environmentError(fmt::format("{}: cannot write: {}", escape(path_),
                                        errnoMessage(error)));
  return {};
}

} // namespace mpc::rt
