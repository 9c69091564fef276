// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of a file as a whole, and of nodes that are wrong.
#include "test/lib/Import/ONNX/OneNode.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/OpLibrary.h"
#include "mlir/Parser/Parser.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

//===----------------------------------------------------------------------===//
// The file as a whole
//===----------------------------------------------------------------------===//

TEST(OnnxImporter, NamesInputsOutputsAndParameters) {
  Outcome outcome =
      importWritten(ModelWriter()
                        .opset(20)
                        .input("x", kF32, {int64_t(8), int64_t(4)})
                        .weight("fc.weight", {3, 4})
                        .weight("fc.bias", {3})
                        .node("Gemm", {"x", "fc.weight", "fc.bias"}, {"logits"},
                              {A::integer("transB", 1)})
                        .output("logits", kF32, {int64_t(8), int64_t(3)}));
  EXPECT_TRUE(contains(outcome, "nn.parameter @fc.weight : tensor<3x4xf32>"));
  EXPECT_TRUE(contains(
      outcome, "func.func @model(%arg0: tensor<8x4xf32> {nn.name = \"x\"}) -> "
               "(tensor<8x3xf32> {nn.name = \"logits\"})"));
  EXPECT_TRUE(contains(outcome, "nn.linear %arg0, %0 bias %1"));
  EXPECT_EQ(outcome.parameters,
            (std::vector<std::string>{"fc.weight", "fc.bias"}));
}

TEST(OnnxImporter, NamesAnOpThatIsNewerThanTheFile) {
  EXPECT_EQ(errorOf({"Gelu", {{"x", {2}}}, {}, {}, {"y"}, 19}),
            "this op is imported from opset 20 on");
  EXPECT_EQ(errorOf({"Cast",
                     {{"x", {2}}},
                     {A::integer("to", 1), A::integer("saturate", 1)},
                     {},
                     {"y"},
                     18}),
            "attribute 'saturate' is not known (known: to:i)");
}

TEST(OnnxImporter, SaysWhatToDoWithoutAnOp) {
  auto errorIn = [](const std::string &domain) {
    return importWritten(ModelWriter()
                             .opset(20)
                             .input("x", kF32, {int64_t(2)})
                             .node("Scaler", {"x"}, {"y"}, {}, "n", domain)
                             .output("y"))
        .error;
  };
  EXPECT_EQ(errorIn("com.microsoft"),
            "m.onnx: node 'n' (Scaler, opset 20): domain 'com.microsoft' is "
            "not supported, only ai.onnx is; ONNX Runtime's optimizer made "
            "this op: give the file from before it");
  EXPECT_EQ(errorIn("ai.onnx.ml"),
            "m.onnx: node 'n' (Scaler, opset 20): domain 'ai.onnx.ml' is not "
            "supported, only ai.onnx is; what is not trained by gradients "
            "runs on the data before the model sees them");
  EXPECT_EQ(errorOf({"QLinearConv", {{"x", {2}}, {"s", {}}}}),
            "this op is not supported; it is of a quantized model: export the "
            "model before it is quantized");
}

TEST(OnnxImporter, SaysANoteOnceAFile) {
  Outcome outcome =
      importWritten(ModelWriter()
                        .opset(12)
                        .input("x", kF32, {int64_t(2)})
                        .ints("off", {0})
                        .node("Cast", {"off"}, {"t"}, {A::integer("to", 9)})
                        .node("Dropout", {"x", "", "t"}, {"y"}, {}, "first")
                        .node("Dropout", {"y", "", "t"}, {"z"}, {}, "second")
                        .node("Dropout", {"z", "", "t"}, {"w"}, {}, "third")
                        .output("w"));
  ASSERT_TRUE(outcome.ok()) << outcome.error;
  EXPECT_EQ(outcome.notes,
            std::vector<std::string>{
                "node 'first' (Dropout): passes its input on in training too, "
                "as its input 'training_mode' is false (and 2 more)"});
}

TEST(OnnxImporter, NamesWhatIsNotSupported) {
  EXPECT_EQ(errorOf({"Softmaxx", {{"x", {2}}}}),
            "this op is not supported; similar ones are: Softmax");
  EXPECT_EQ(
      importWritten(ModelWriter()
                        .opset(20)
                        .input("x", kF32, {int64_t(2)})
                        .node("FFT", {"x"}, {"y"}, {}, "n", "my.domain")
                        .output("y"))
          .error,
      "m.onnx: node 'n' (FFT, opset 20): domain 'my.domain' is not "
      "supported, only ai.onnx is; define it by --op-library=FILE.mlir, or "
      "give the file a function of that domain and name, made of ops of "
      "ai.onnx");
  EXPECT_EQ(importWritten(ModelWriter()
                              .opset(20)
                              .input("x", kF32, {int64_t(2)})
                              .node("NonMaxSuppression", {"x"}, {"y"})
                              .node("Unique", {"y"}, {"z"})
                              .output("z"))
                .error,
            "m.onnx: node 'n' (NonMaxSuppression, opset 20): this op is not "
            "supported; the size of its result depends on the data, and a step "
            "is compiled for fixed shapes: select by a mask (torch.where; "
            "(x * mask).sum() / mask.sum() for x[mask].mean()), or compute it "
            "outside of the model (unsupported in this file: "
            "NonMaxSuppression, Unique)");
}

/// Defines my.domain::Soft by an op that does not verify: a library from a file
/// is verified when it is read, so that none can hold it.
std::shared_ptr<const OpLibrary> invalidLibrary(mlir::MLIRContext &context) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(func.func @soft(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
             attributes {nn.op = "my.domain::Soft", nn.rule = "keep-f32"} {
           %y = nn.softmax %x axis(1) : tensor<2x3xf32>
           return %y : tensor<2x3xf32>
         })",
      &context);
  module->walk([](mpc::nn::SoftmaxOp op) { op.setAxis(5); });
  auto library = std::make_shared<OpLibrary>();
  EXPECT_FALSE(llvm::errorToBool(library->add(std::move(module), "lib.mlir")));
  return library;
}

TEST(OnnxImporter, IRThatDoesNotVerifyIsAnInternalFault) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mpc::nn::NNDialect, mlir::func::FuncDialect>();
  ModelOptions options;
  options.library = invalidLibrary(context);
  ModelWriter writer;
  writer.opset(20)
      .input("x", kF32, {int64_t(2), int64_t(3)})
      .node("Soft", {"x"}, {"y"}, {}, "n", "my.domain")
      .output("y");
  Outcome outcome = importInto(context, writer.bytes(), options);
  EXPECT_EQ(outcome.fault, ImportFault::Internal);
  EXPECT_EQ(outcome.error,
            "m.onnx: node 'n': 'nn.softmax' op has no axis 5 (the importer has "
            "made IR that does not verify)");
}

TEST(OnnxImporter, AnOpOfALibraryHasAllItsInputs) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mpc::nn::NNDialect, mlir::func::FuncDialect>();
  ModelOptions options;
  options.library = invalidLibrary(context);
  ModelWriter writer;
  writer.opset(20).node("Soft", {""}, {"y"}, {}, "n", "my.domain").output("y");
  Outcome outcome = importInto(context, writer.bytes(), options);
  EXPECT_TRUE(llvm::StringRef(outcome.error)
                  .ends_with("input 0 is left out, which op libraries know "
                             "nothing of"))
      << outcome.error;
}

TEST(OnnxImporter, ChecksNodesAgainstTheirRow) {
  EXPECT_EQ(errorOf({"Relu", {{"x", {2}}}, {A::integer("axis", 1)}}),
            "attribute 'axis' is not known (known: none)");
  EXPECT_EQ(errorOf({"Softmax", {{"x", {2}}}, {A::real("axis", 1)}}),
            "attribute 'axis' is not of its kind (AttributeProto type 1, "
            "expected 2)");
  EXPECT_EQ(errorOf({"Add", {{"x", {2}}}}),
            "has 1 inputs, expected at least 2");
  EXPECT_EQ(errorOf({"Relu", {{"x", {2}}, {"y", {2}}}, {}, {}, {"z"}}),
            "has 2 inputs, expected at most 1");
  EXPECT_EQ(errorOf({"Add", {{"", {}}, {"x", {2}}}}), "input 0 is missing");
  EXPECT_EQ(errorOf({"Relu", {{"x", {2}}}, {}, {}, {"y", "z"}}),
            "output 1 ('z') is used, but not supported");
}

TEST(OnnxImporter, RefusesGraphsThatAreNoGraphs) {
  ModelWriter start;
  start.opset(20).input("x", kF32, {int64_t(2)});
  EXPECT_EQ(importWritten(ModelWriter(start)).error,
            "m.onnx: the graph has no outputs");
  EXPECT_EQ(importWritten(ModelWriter(start).output("y")).error,
            "m.onnx: output 'y' is not a tensor that the graph computes");
  EXPECT_EQ(importWritten(ModelWriter(start)
                              .node("Relu", {"x"}, {"y"})
                              .output("y", kF32, {int64_t(3)}))
                .error,
            "m.onnx: output 'y' is declared with shape [3], the graph computes "
            "[2]");
  EXPECT_EQ(importWritten(ModelWriter(start)
                              .node("Relu", {"x"}, {"y"})
                              .output("y", kI64, {int64_t(2)}))
                .error,
            "m.onnx: output 'y' is declared int64, the graph computes float");
  EXPECT_EQ(importWritten(ModelWriter(start)
                              .value("h", kF32, {int64_t(3)})
                              .node("Relu", {"x"}, {"h"})
                              .node("Relu", {"h"}, {"y"})
                              .output("y"))
                .error,
            "m.onnx: value 'h' is declared with shape [3], the graph computes "
            "[2]");
  EXPECT_EQ(importWritten(ModelWriter(start)
                              .value("h", kI64, {int64_t(2)})
                              .node("Relu", {"x"}, {"h"})
                              .node("Relu", {"h"}, {"y"})
                              .output("y"))
                .error,
            "m.onnx: value 'h' is declared int64, the graph computes float");
}

// Whatever bytes a name holds, messages stay printable.
TEST(OnnxImporter, EscapesNames) {
  EXPECT_EQ(importWritten(ModelWriter()
                              .opset(20)
                              .input("x", kF32, {int64_t(2)})
                              .node("Relu", {"\x1b[2J"}, {"y"}, {}, "a\nb"))
                .error,
            "m.onnx: node 'a\\0Ab' (Relu, opset 20): uses '\\1B[2J', which "
            "nothing before it defines");
}

TEST(OnnxImporter, RefusesTypesThatNnLacks) {
  EXPECT_EQ(
      importWritten(ModelWriter()
                        .opset(20)
                        .input("x", kF32, {int64_t(1)})
                        .initializer(testTensor("u", ElemType::Complex64, {1},
                                                "12345678"))
                        .node("Cast", {"u"}, {"y"}, {A::integer("to", 1)})
                        .output("y"))
          .error,
      "m.onnx: node 'n' (Cast, opset 20): initializer 'u': element type "
      "complex64 is not supported (float, float16, bfloat16, double, integers "
      "of 8 to 64 bits and bool are)");
  EXPECT_EQ(errorOf({"Cast", {{"x", {2}}}, {A::integer("to", 17)}}),
            "a cast to float8e4m3fn is not supported");
}

} // namespace
