// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a library may not do when a pass is at fault. What a tool does:
// reproducer.test.
#include "lib/Driver/Compilation.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "test/runtime/TempFolder.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace mpc {
namespace {

/// Fails without saying why, which is a bug.
struct SilentPass
    : mlir::PassWrapper<SilentPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SilentPass)
  [[nodiscard]] llvm::StringRef getArgument() const override {
    return "test-silent";
  }
  void runOnOperation() override { signalPassFailure(); }
};

/// The message of such a compilation, and how many files it leaves in the
/// working folder.
std::pair<std::string, size_t> runSilent(bool isTool) {
  rt::TempFolder folder;
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path("."));
  mlir::MLIRContext context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  std::vector<std::string> warnings;
  Compilation compilation(module, warnings, isTool);
  compilation.passes().addPass(std::make_unique<SilentPass>());
  rt::Status status = compilation.run();
  auto files = std::distance(std::filesystem::directory_iterator("."), {});
  std::filesystem::current_path(before);
  EXPECT_EQ(status.code(), rt::StatusCode::Internal);
  return {status.message(), static_cast<size_t>(files)};
}

TEST(Compilation, OnlyAToolWritesAReproducer) {
  auto [told, files] = runSilent(/*isTool=*/true);
  EXPECT_EQ(files, 1u);
  EXPECT_NE(told.find("mpc-opt --run-reproducer"), std::string::npos) << told;
  auto [said, none] = runSilent(/*isTool=*/false);
  EXPECT_EQ(none, 0u);
  EXPECT_EQ(said,
            "a bug in mpc: pass 'test-silent' failed without saying why\n"
            "mpc-compile of the same model and flags writes a reproducer");
}

} // namespace
} // namespace mpc
