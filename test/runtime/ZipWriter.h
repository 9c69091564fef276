// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Zip archives and NumPy arrays as bytes, right or wrong.
#ifndef MPC_TEST_RUNTIME_ZIPWRITER_H
#define MPC_TEST_RUNTIME_ZIPWRITER_H

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <zlib.h>

namespace mpc::rt::test {

/// `value` in `size` bytes, the lowest first.
inline std::string littleEndian(uint64_t value, size_t size) {
  std::string text(size, '\0');
  std::memcpy(text.data(), &value, size);
  return text;
}

inline void patch(std::string &bytes, size_t offset, uint64_t value,
                  size_t size) {
  bytes.replace(offset, size, littleEndian(value, size));
}

inline std::string deflate(const std::string &content) {
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in =
      const_cast<Bytef *>(reinterpret_cast<const Bytef *>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Writes members one by one, and then the directory.
class ZipWriter {
public:
  explicit ZipWriter(bool isZip64 = false) : isZip64_(isZip64) {}

  /// What stands in local headers of members added from here on, and in the
  /// directory in front of sizes in 64 bits: fields of others. Last a member's
  /// comment.
  ZipWriter &setExtra(std::string local, std::string directory,
                      std::string comment = "") {
    localExtra_ = std::move(local);
    extra_ = std::move(directory);
    comment_ = std::move(comment);
    return *this;
  }

  /// `sizeSaid` is what the archive says of the content's size.
  ZipWriter &add(const std::string &name, const std::string &content,
                 bool isDeflated = false, int64_t sizeSaid = -1) {
    std::string packed = isDeflated ? deflate(content) : content;
    uint64_t bytes = sizeSaid < 0 ? content.size() : uint64_t(sizeSaid);
    uint32_t crc = static_cast<uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef *>(content.data()),
                static_cast<uInt>(content.size())));
    std::string middle = littleEndian(isDeflated ? 8 : 0, 2) +
                         littleEndian(0, 4) + littleEndian(crc, 4) +
                         size32(packed.size()) + size32(bytes) +
                         littleEndian(name.size(), 2);
    std::string extra = extra_;
    if (isZip64_)
      extra += littleEndian(1, 2) + littleEndian(24, 2) +
               littleEndian(bytes, 8) + littleEndian(packed.size(), 8) +
               littleEndian(body_.size(), 8);
    directory_ += littleEndian(0x02014b50, 4) + littleEndian(45, 2) +
                  littleEndian(45, 2) + littleEndian(0, 2) + middle +
                  littleEndian(extra.size(), 2) +
                  littleEndian(comment_.size(), 2) + std::string(8, '\0') +
                  size32(body_.size()) + name + extra + comment_;
    body_ += littleEndian(0x04034b50, 4) + littleEndian(45, 2) +
             littleEndian(0, 2) + middle + littleEndian(localExtra_.size(), 2) +
             name + localExtra_ + packed;
    ++count_;
    return *this;
  }

  [[nodiscard]] std::string bytes(const std::string &comment = "") const {
    std::string end;
    uint64_t place = body_.size(), size = directory_.size();
    if (isZip64_)
      end = littleEndian(0x06064b50, 4) + littleEndian(44, 8) +
            littleEndian(45, 2) + littleEndian(45, 2) + littleEndian(0, 8) +
            littleEndian(count_, 8) + littleEndian(count_, 8) +
            littleEndian(size, 8) + littleEndian(place, 8) +
            littleEndian(0x07064b50, 4) + littleEndian(0, 4) +
            littleEndian(place + size, 8) + littleEndian(1, 4);
    uint64_t count = isZip64_ ? 0xffff : count_;
    return body_ + directory_ + end + littleEndian(0x06054b50, 4) +
           littleEndian(0, 4) + littleEndian(count, 2) +
           littleEndian(count, 2) + size32(size) + size32(place) +
           littleEndian(comment.size(), 2) + comment;
  }

  [[nodiscard]] size_t directoryOffset() const { return body_.size(); }

private:
  [[nodiscard]] std::string size32(uint64_t size) const {
    return littleEndian(isZip64_ ? 0xffffffff : size, 4);
  }

  bool isZip64_;
  std::string body_, directory_, localExtra_, extra_, comment_;
  uint64_t count_ = 0;
};

/// An array of NumPy's with this literal as its header.
inline std::string npyOf(const std::string &literal, const std::string &data,
                         int version = 1) {
  std::string text = literal;
  size_t fixed = version == 1 ? 10 : 12;
  text.append(63 - (fixed + text.size()) % 64, ' ');
  text += '\n';
  return "\x93NUMPY" + std::string(1, static_cast<char>(version)) +
         std::string(1, '\0') + littleEndian(text.size(), fixed - 8) + text +
         data;
}

inline std::string npy(const std::string &type, const std::string &shape,
                       const std::string &data, bool isColumnMajor = false) {
  return npyOf("{'descr': '" + type +
                   "', 'fortran_order': " + (isColumnMajor ? "True" : "False") +
                   ", 'shape': " + shape + ", }",
               data);
}

template <typename T>
std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

} // namespace mpc::rt::test

#endif // MPC_TEST_RUNTIME_ZIPWRITER_H
