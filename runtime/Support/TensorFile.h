// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Named tensors out of a .safetensors, .npz or .npy file.
#ifndef MPC_RUNTIME_SUPPORT_TENSORFILE_H
#define MPC_RUNTIME_SUPPORT_TENSORFILE_H

#include "runtime/Support/DType.h"
#include "runtime/Support/Npy.h"
#include "runtime/Support/SharedBytes.h"
#include "runtime/Support/Status.h"
#include "runtime/Support/ZipFile.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// A tensor's bytes in the layout of its file.
class StoredTensor {
public:
  StoredTensor() = default;
  StoredTensor(TensorDesc desc, ArrayLayout layout, SharedBytes bytes)
      : desc_(std::move(desc)), layout_(layout), bytes_(std::move(bytes)) {}

  [[nodiscard]] const TensorDesc &desc() const { return desc_; }
  /// The elements of row `row` of the first dimension in memory's order: in
  /// place, or copied to `scratch`. A scalar has one row.
  [[nodiscard]] const std::byte *row(int64_t row,
                                     std::vector<std::byte> &scratch) const;
  /// All elements, in the same way.
  [[nodiscard]] const std::byte *all(std::vector<std::byte> &scratch) const;
  /// Tells the system that this row will soon be read.
  void expectRow(int64_t row) const;

private:
  [[nodiscard]] int64_t numRows() const;
  void gather(int64_t row, std::byte *target) const;

  TensorDesc desc_;
  ArrayLayout layout_;
  SharedBytes bytes_;
};

/// A checked, mapped file. Its first bytes tell its format. Copies share it.
class TensorFile {
public:
  /// A tensor of the file.
  struct Item {
    TensorDesc desc;
    std::string fault; ///< The reason why it cannot be read; empty if it can.
  };

  /// The array of a .npy file is called `name`, or like the file without its
  /// extension. With a name, a file of another format is an error. Errors name
  /// the file.
  static Result<TensorFile> open(const std::string &path,
                                 const std::string &name = "");

  [[nodiscard]] const std::string &path() const { return path_; }
  [[nodiscard]] const std::vector<Item> &items() const { return items_; }
  /// Null where there is none of that name.
  [[nodiscard]] const Item *find(std::string_view name) const;
  /// "'x' f32[8x2], 'target' i64[8]", for messages.
  [[nodiscard]] std::string describe() const;

  /// A tensor of the file, ready to be read. Packed tensors are unpacked.
  Result<StoredTensor> read(const Item &item) const;

private:
  /// The place of an item's bytes: in the file, or in a member of the archive.
  struct Place {
    ArrayLayout layout;
    SharedBytes bytes;
    std::optional<ZipMember> member;
    size_t headerBytes = 0; ///< The size of the member's header.
  };

  Status readSafetensors(MappedFile file);
  Status readArray(MappedFile file, std::string name);
  Status readArchive(MappedFile file);
  void addArray(std::string name, const Result<NpyHeader> &header, Place place);

  std::string path_;
  std::vector<Item> items_;
  std::vector<Place> places_; ///< The places in the order of items_.
  std::optional<ZipFile> zip_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_TENSORFILE_H
