// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that contradict themselves.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

/// y = Relu(x)
ModelWriter relu() {
  return ModelWriter()
      .opset(20)
      .input("x", kF32, {int64_t(2)})
      .node("Relu", {"x"}, {"y"})
      .output("y");
}

std::string errorOfFile(const ModelWriter &writer) {
  std::string error = importWritten(writer).error;
  return error.rfind("m.onnx: ", 0) == 0 ? error.substr(8) : error;
}

TEST(ModelChecks, KnowsTheVersionsOfFiles) {
  auto with = [](int64_t version) {
    return errorOfFile(relu().irVersion(version));
  };
  EXPECT_EQ(with(3), "");
  EXPECT_EQ(with(14), "");
  EXPECT_EQ(with(15), "ir_version is 15, expected 1 to 14");
  EXPECT_EQ(with(1000000), "ir_version is 1000000, expected 1 to 14");
  EXPECT_EQ(with(0), "ir_version is 0, expected 1 to 14");
  EXPECT_EQ(with(-1), "ir_version is -1, expected 1 to 14");
}

TEST(ModelChecks, KnowsTheOpsets) {
  auto with = [](int64_t opset) {
    return import({"Relu", {{"x", {2}}}, {}, {}, {"y"}, opset});
  };
  EXPECT_EQ(with(0).error,
            "m.onnx: opset 0 is older than the oldest supported, 1; convert "
            "the file with onnx.version_converter or export it with "
            "opset_version=20");
  EXPECT_TRUE(with(6).ok());
  EXPECT_TRUE(with(28).ok());
  EXPECT_TRUE(with(28).notes.empty());
  EXPECT_EQ(with(29).error,
            "m.onnx: opset 29 is newer than the newest known, 28: its ops may "
            "have other signatures; export the file with opset_version=20");
  EXPECT_EQ(errorOfFile(ModelWriter().opset(1, "ai.onnx.ml")),
            "the file imports no opset of ai.onnx (supported: 1 to 28)");
  EXPECT_EQ(errorOfFile(relu().opset(18, "ai.onnx")),
            "opset_import gives domain 'ai.onnx' the versions 20 and 18");
  EXPECT_EQ(errorOfFile(relu().opset(1, "com.me").opset(2, "com.me")),
            "opset_import gives domain 'com.me' the versions 1 and 2");
  // The two names of one domain, of one mind.
  EXPECT_EQ(errorOfFile(relu().opset(20, "ai.onnx")), "");
}

TEST(ModelChecks, RefusesNamesThatAreGivenTwice) {
  ModelWriter start;
  start.opset(20).input("x", kF32, {int64_t(2)});
  EXPECT_EQ(errorOfFile(ModelWriter(start).weight("w", {2}).weight("w", {2})),
            "two initializers are named 'w'");
  EXPECT_EQ(errorOfFile(ModelWriter(start).input("x", kF32, {int64_t(2)})),
            "two inputs are named 'x'");
  EXPECT_EQ(errorOfFile(relu().output("y")), "two outputs are named 'y'");
  EXPECT_EQ(errorOfFile(ModelWriter(start)
                            .value("h", kF32, {int64_t(2)})
                            .value("h", kF32, {int64_t(2)})),
            "two value_info are named 'h'");
  EXPECT_EQ(
      errorOfFile(ModelWriter(start).bufferRecord("index").value("index", kF32,
                                                                 {int64_t(2)})),
      "two value_info are named 'index'; the exporter called a result as a "
      "parameter or buffer is called: give that another name in the module");
  EXPECT_EQ(errorOfFile(relu().node("Relu", {"x"}, {"y"})),
            "'y' is defined twice");
  EXPECT_EQ(errorOfFile(ModelWriter(start).node("Relu", {"x"}, {"x"})),
            "'x' is defined twice");
  EXPECT_EQ(errorOfFile(
                ModelWriter(start).weight("w", {2}).node("Relu", {"x"}, {"w"})),
            "'w' is defined twice");
}

TEST(ModelChecks, RefusesDeclarationsThatDiffer) {
  ModelWriter start;
  start.opset(20).input("x", kF32, {int64_t(2), std::string("n")});
  EXPECT_EQ(errorOfFile(ModelWriter(start).value("x", kI64, {int64_t(2), "n"})),
            "'x' is declared float[2xn] and int64[2xn]");
  EXPECT_EQ(
      errorOfFile(ModelWriter(start).output("x", kF32, {int64_t(3), "n"})),
      "'x' is declared float[2xn] and float[3xn]");
  EXPECT_EQ(errorOfFile(ModelWriter(start).weight("x", {2})),
            "'x' is declared float[2] and float[2xn]");
  EXPECT_EQ(errorOfFile(ModelWriter(start).value("h", kF32, {int64_t(-7)})),
            "value_info 'h': dimension 0 is -7");
  EXPECT_EQ(
      errorOfFile(ModelWriter(start).output("y", static_cast<ElemType>(99),
                                            {int64_t(1)})),
      "output 'y': elem_type is 99, which is not an element type of ONNX");
}

TEST(ModelChecks, RefusesNodesOutOfOrder) {
  ModelWriter start;
  start.opset(20).input("x", kF32, {int64_t(2)});
  std::string node = "node 'n' (Relu, opset 20): ";
  EXPECT_EQ(errorOfFile(ModelWriter(start).node("Relu", {"h"}, {"y"})),
            node + "uses 'h', which nothing before it defines");
  EXPECT_EQ(errorOfFile(ModelWriter(start).node("Relu", {"y"}, {"y"})),
            node + "uses 'y', which it defines itself");
  EXPECT_EQ(errorOfFile(ModelWriter(start)
                            .node("Relu", {"b"}, {"a"})
                            .node("Relu", {"a"}, {"b"}, {}, "second")),
            node + "uses 'b', which node 'second' behind it defines (a cycle, "
                   "or nodes that are not sorted)");
}

TEST(ModelChecks, RefusesAttributesThatSayTwoThings) {
  auto with = [](const std::vector<A> &attributes) {
    std::string error =
        errorOfFile(ModelWriter()
                        .opset(20)
                        .input("x", kF32, {int64_t(2)})
                        .node("Softmax", {"x"}, {"y"}, attributes)
                        .output("y"));
    return error.substr(error.find("): ") + 3);
  };
  auto raw = [&](auto add) {
    return with({A::raw([&](pbf_writer &w) {
      w.add_bytes(1, "axis");
      add(w);
    })});
  };
  EXPECT_EQ(with({A::integer("axis", 0), A::integer("axis", -1)}),
            "attribute 'axis' is given twice");
  EXPECT_EQ(raw([](pbf_writer &w) {
              w.add_int64(3, 0);
              w.add_float(2, 1);
            }),
            "attribute 'axis' holds both f and i");
  EXPECT_EQ(raw([](pbf_writer &w) {
              w.add_float(2, 1);
              w.add_int32(20, 2);
            }),
            "attribute 'axis' is of type INT, but holds f");
  EXPECT_EQ(
      raw([](pbf_writer &w) { w.add_int32(20, 99); }),
      "attribute 'axis' has type 99, which is not an attribute type of ONNX");
  EXPECT_EQ(raw([](pbf_writer &) {}),
            "attribute 'axis' has neither type nor value");
  EXPECT_EQ(raw([](pbf_writer &w) { w.add_bytes(21, "outer"); }),
            "attribute 'axis' refers to one of a function, and is in none");
  // A file that does not say the type is taken at the value's.
  EXPECT_EQ(raw([](pbf_writer &w) { w.add_float(2, 1); }),
            "attribute 'axis' is not of its kind (AttributeProto type 1, "
            "expected 2)");
}

} // namespace
