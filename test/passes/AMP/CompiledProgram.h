// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs compiled from a module, run on arrays by name.
#ifndef MPC_TEST_PASSES_AMP_COMPILEDPROGRAM_H
#define MPC_TEST_PASSES_AMP_COMPILEDPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Runner/Runner.h"
#include "test/support/Compile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mpc::test {

/// A program and its state. Tensors are bytes, by name.
class CompiledProgram {
public:
  using Tensors = std::map<std::string, std::vector<std::byte>>;

  /// Runs `pipeline`, a text, and the kernel pipeline on `module`. Fails the
  /// test on any error, and is then empty.
  CompiledProgram(mlir::ModuleOp module, llvm::StringRef pipeline,
                  KernelForm form = {});

  explicit operator bool() const { return runner_ != nullptr; }

  /// Runs an entry on its inputs; the outputs. Inputs that it does not have
  /// are left out.
  Tensors run(const std::string &entry, const Tensors &inputs);
  Tensors state() const;
  /// Sets a parameter; call `derive` after the last.
  void set(const std::string &name, const std::vector<float> &values);
  void derive();

private:
  std::unique_ptr<rt::Runner> runner_;
};

template <typename T>
std::vector<std::byte> toBytes(const std::vector<T> &values) {
  auto data = reinterpret_cast<const std::byte *>(values.data());
  return {data, data + values.size() * sizeof(T)};
}
template <typename T>
std::vector<T> fromBytes(const std::vector<std::byte> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(),
            reinterpret_cast<std::byte *>(values.data()));
  return values;
}

} // namespace mpc::test

#endif // MPC_TEST_PASSES_AMP_COMPILEDPROGRAM_H
