// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags about a model, roles in words, and the memory of values.
#include "lib/Import/Model.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc {

StringRef toString(RoleKind kind) {
  switch (kind) {
  case RoleKind::Parameter:
    return "parameter";
  case RoleKind::Buffer:
    return "buffer";
  case RoleKind::Constant:
    return "constant";
  }
  llvm_unreachable("unknown role");
}

Error parseInputValue(StringRef text, ModelOptions &options) {
  auto [name, list] = text.rsplit('=');
  if (name.empty() || !text.contains('='))
    return usageFault("--input-value=" + printable(text) +
                      ": expected NAME=NUMBER,NUMBER,...");
  SmallVector<StringRef> parts;
  list.split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<double> numbers;
  for (StringRef part : parts)
    if (part.getAsDouble(numbers.emplace_back()))
      return usageFault("--input-value=" + printable(text) + ": '" +
                        printable(part) + "' is not a number");
  options.inputNumbers.emplace_back(name.str(), std::move(numbers));
  return Error::success();
}

Error parseInputShape(StringRef text, ModelOptions &options) {
  // A name may contain '='; the sizes may not.
  auto [name, sizes] = text.rsplit('=');
  if (name.empty() || !text.contains('='))
    return usageFault("--input-shape=" + printable(text) +
                      ": expected NAME=8x64");
  std::vector<int64_t> shape;
  SmallVector<StringRef> parts;
  if (!sizes.empty())
    sizes.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 0)
      return usageFault("--input-shape=" + printable(text) + ": '" +
                        printable(part) + "' is not a size");
    shape.push_back(size);
  }
  options.inputShapes.emplace_back(name.str(), std::move(shape));
  return Error::success();
}

MutableArrayRef<char> ModelStorage::allocate(size_t size) {
  owned_.emplace_back(size);
  return owned_.back();
}

ArrayRef<char> ModelStorage::keep(std::unique_ptr<MemoryBuffer> buffer) {
  ArrayRef<char> bytes(buffer->getBufferStart(), buffer->getBufferSize());
  mapped_.push_back(std::move(buffer));
  return bytes;
}

ArrayRef<char> ModelStorage::keep(rt::SharedBytes bytes) {
  shared_.push_back(std::move(bytes));
  return {reinterpret_cast<const char *>(shared_.back().data()),
          shared_.back().size()};
}

} // namespace mpc
