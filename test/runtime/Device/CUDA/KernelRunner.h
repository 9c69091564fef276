// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs kernels from their text on host vectors, on any device.
#ifndef MPC_TEST_RUNTIME_DEVICE_CUDA_KERNELRUNNER_H
#define MPC_TEST_RUNTIME_DEVICE_CUDA_KERNELRUNNER_H

#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Device/CUDA/Stream.h"

#include <fstream>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mpc::rt::cuda::test {

inline std::string readText(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Where the texts are on a machine without the source tree; empty: in that.
inline std::string &textFolder() {
  static std::string folder;
  return folder;
}

/// The device prelude, then `text`.
inline Source withPrelude(const std::string &name, const std::string &text) {
  static const std::string kPrelude = readText(
      textFolder().empty() ? MPC_PRELUDE : textFolder() + "/Prelude.cuh");
  return {name, kPrelude + text};
}

/// The kernels of test/Inputs/cuda/`name`.cu, with the prelude.
inline Source inputKernels(const std::string &name) {
  std::string folder =
      textFolder().empty() ? MPC_TEST_INPUTS "/cuda" : textFolder();
  return withPrelude(name + ".cu", readText(folder + "/" + name + ".cu"));
}

/// Host data that a kernel reads and writes.
struct Argument {
  std::span<std::byte> bytes; ///< Copied there and back.
  size_t offset = 0;          ///< Bytes of its allocation that lie before it.
  /// The number of an earlier argument in whose memory it is, if it is.
  std::optional<size_t> over = std::nullopt;
};

template <typename T>
Argument inOut(std::vector<T> &values) {
  return {std::as_writable_bytes(std::span<T>(values))};
}

/// A device with modules compiled for it.
class KernelRunner {
public:
  KernelRunner(ContextRef context, std::shared_ptr<const Nvrtc> nvrtc)
      : context_(std::move(context)), nvrtc_(std::move(nvrtc)) {}

  /// Compiles and loads at the first call with this text.
  Result<Function> function(const Source &source, const std::string &kernel) {
    auto found = modules_.find(source.text);
    if (found == modules_.end()) {
      MPC_ASSIGN_OR_RETURN(Target target,
                           nvrtc_->targetFor(context_->info().capability));
      MPC_ASSIGN_OR_RETURN(Image image, compileOnce(source, target));
      MPC_ASSIGN_OR_RETURN(Module module,
                           Module::load(context_, image.bytes, source.name));
      found = modules_.emplace(source.text, std::move(module)).first;
    }
    return found->second.function(kernel);
  }

  /// Copies `arrays` to the device, runs the kernel with pointers to them and
  /// then `numbers` as arguments, and copies them back.
  Status run(const Source &source, const std::string &kernel,
             const LaunchShape &shape, const std::vector<Argument> &arrays,
             std::vector<int> numbers = {}) {
    MPC_ASSIGN_OR_RETURN(Function compiled, function(source, kernel));
    MPC_RETURN_IF_ERROR(compiled.prepare(shape));
    MPC_ASSIGN_OR_RETURN(Stream stream, Stream::create(context_));
    std::vector<DeviceBuffer> buffers;
    std::vector<DevicePointer> pointers;
    std::vector<size_t> places;
    for (const Argument &array : arrays) {
      places.push_back(array.over ? places[*array.over] : buffers.size());
      if (array.over) {
        pointers.push_back(pointers[*array.over]);
        continue;
      }
      MPC_ASSIGN_OR_RETURN(
          DeviceBuffer buffer,
          DeviceBuffer::allocate(context_, array.offset + array.bytes.size(),
                                 "an argument"));
      MPC_RETURN_IF_ERROR(stream.upload(buffer, array.offset, array.bytes));
      pointers.push_back(buffer.pointer() + array.offset);
      buffers.push_back(std::move(buffer));
    }
    std::vector<void *> arguments;
    for (DevicePointer &pointer : pointers)
      arguments.push_back(&pointer);
    for (int &number : numbers)
      arguments.push_back(&number);
    MPC_RETURN_IF_ERROR(stream.launch(compiled, shape, arguments));
    for (size_t i = 0; i < arrays.size(); ++i)
      MPC_RETURN_IF_ERROR(stream.download(arrays[i].bytes, buffers[places[i]],
                                          arrays[i].offset));
    return stream.synchronize("running " + kernel);
  }

private:
  /// Images outlive runners: compiling is what takes time.
  Result<Image> compileOnce(const Source &source, Target target) {
    static std::map<std::pair<std::string, std::string>, Image> images;
    std::pair key{nvrtc_->path() + target.name(), source.text};
    auto found = images.find(key);
    if (found == images.end()) {
      MPC_ASSIGN_OR_RETURN(Image image, nvrtc_->compile(source, target));
      found = images.emplace(std::move(key), std::move(image)).first;
    }
    return found->second;
  }

  ContextRef context_;
  std::shared_ptr<const Nvrtc> nvrtc_;
  std::map<std::string, Module> modules_;
};

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_RUNTIME_DEVICE_CUDA_KERNELRUNNER_H
