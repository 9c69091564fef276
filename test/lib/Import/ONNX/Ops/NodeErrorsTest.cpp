// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nodes are refused for whose faults no other test of their family has.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

constexpr ElemType kUndefined = ElemType::Undefined;

/// The error of a node of PyTorch's or of the operator set, without its place.
std::string errorOfNode(ModelWriter &writer, const std::string &op,
                        const std::vector<std::string> &inputs,
                        const std::vector<A> &attributes = {},
                        const std::vector<std::string> &outputs = {"y"},
                        int64_t opset = 20) {
  writer.opset(opset).node(op, inputs, outputs, attributes);
  for (const std::string &output : outputs)
    writer.output(output);
  std::string error = importWritten(writer).error;
  size_t end = error.find("): ");
  return end == std::string::npos ? error : error.substr(end + 3);
}

// Forms and settings come from what an exporter wrote beside the graph.
TEST(NodeErrors, AFileHasNoFormsAndSettings) {
  EXPECT_EQ(
      errorOf(
          {"Pow", {{"x", {4}}, {"e", {}}}, {A::integer("flat_at_pole", 1)}}),
      "attribute 'flat_at_pole' is not known (known: none)");
  EXPECT_EQ(errorOf({"LogAddExp", {{"a", {4}}, {"b", {4}}}})
                .rfind("this op is not supported; ", 0),
            0u);
  std::string ops = describeOnnxOps();
  EXPECT_NE(ops.find("LogSoftmax "), std::string::npos);
  EXPECT_EQ(ops.find("LogAddExp "), std::string::npos);
}

TEST(NodeErrors, ConstantsHaveALimit) {
  ModelWriter writer;
  writer.opset(20)
      .ints("start", {0})
      .ints("limit", {1 << 22})
      .ints("step", {1});
  for (std::string number : {"0", "1", "2"})
    writer.node("Range", {"start", "limit", "step"}, {"y" + number}, {},
                "n" + number);
  EXPECT_EQ(importWritten(writer.output("y2")).error,
            "m.onnx: node 'n2' (Range, opset 20): the constants that this "
            "file's ops make pass 64 MiB");
}

TEST(NodeErrors, OfElementwiseOps) {
  EXPECT_EQ(errorOf({"Celu", {{"x", {4}}}, {A::real("alpha", 0)}}),
            "attribute 'alpha' is 0");
  EXPECT_EQ(errorOf({"And", {{"a", {2}}, {"b", {2}}}}),
            "the operands are float, expected bool");
  EXPECT_EQ(errorOf({"Where", {{"c", {2}}, {"a", {2}}, {"b", {2}}}}),
            "the condition is float, expected bool");
  EXPECT_EQ(errorOf({"Cast", {{"x", {4}}}, {A::integer("to", -1)}}),
            "attribute 'to' is -1");
}

TEST(NodeErrors, OfContractions) {
  EXPECT_EQ(errorOf({"Gemm", {{"a", {2, 3, 4}}, {"b", {4, 5}}}}),
            "A is 2x3x4 and B is 4x5, expected matrices");
  EXPECT_EQ(errorOf({"MatMul", {{"a", {}}, {"b", {4}}}}),
            "an operand is a scalar");
  EXPECT_EQ(errorOf({"Conv", {{"x", {1, 4, 9}}, {"w", {6, 4}}}}),
            "the weight is 6x4, the input 1x4x9");
  EXPECT_EQ(errorOf({"Conv",
                     {{"x", {1, 4, 9}}, {"w", {6, 4, 3}}},
                     {A::integers("kernel_shape", {5})}}),
            "attribute 'kernel_shape' is 5, the weight is 6x4x3");
}

/// What of an error follows the shape of a result that is refused; the whole
/// error where it is another.
std::string refusedShape(const OneNode &test) {
  std::string error = errorOf(test);
  const std::string before = "the result's shape ",
                    after = " is negative or too large";
  if (error.rfind(before, 0) != 0 || !llvm::StringRef(error).ends_with(after))
    return error;
  return error.substr(before.size(),
                      error.size() - before.size() - after.size());
}

constexpr int64_t k10 = 1 << 10, k20 = 1 << 20, k28 = 1 << 28, k30 = 1 << 30;

// More than 2^56 elements have no size in bytes. Inputs are below that.
TEST(NodeErrors, OfResultsThatAreTooLarge) {
  const std::string huge = "1073741824x1073741824";
  const std::string large = "1073741824x268435456";
  EXPECT_EQ(refusedShape({"Add", {{"a", {k30, 1}}, {"b", {1, k30}}}}), huge);
  EXPECT_EQ(refusedShape({"MatMul", {{"a", {k30, 1}}, {"b", {1, k30}}}}), huge);
  EXPECT_EQ(refusedShape({"Einsum",
                          {{"a", {k30}}, {"b", {k30}}},
                          {A::text("equation", "i,j->ij")}}),
            huge);
  // The product is small, an operand with all leading axes is not.
  EXPECT_EQ(refusedShape(
                {"MatMul", {{"a", {k20, 1, 1, k20}}, {"b", {1, k20, k20, 1}}}}),
            "1048576x1048576x1x1048576");
  EXPECT_EQ(refusedShape({"Conv", {{"x", {k30, 1, 2}}, {"w", {k28, 1, 1}}}}),
            large + "x2");
  EXPECT_EQ(
      refusedShape({"ConvTranspose", {{"x", {k30, 1, 4}}, {"w", {1, k28, 3}}}}),
      large + "x6");
  EXPECT_EQ(refusedShape({"ConvTranspose",
                          {{"x", {k30, 2, 4}}, {"w", {2, k28 / 2, 3}}},
                          {A::integer("group", 2)}}),
            large + "x6");
  // What the input is spread to.
  EXPECT_EQ(refusedShape({"ConvTranspose",
                          {{"x", {16384, 4096, 3}}, {"w", {4096, 1, 1}}},
                          {A::integers("strides", {k30})}}),
            "16384x4096x2147483649");
  EXPECT_EQ(refusedShape({"MaxPool",
                          {{"x", {k30, k20 * 8, 4}}},
                          {A::integers("kernel_shape", {9}),
                           A::integers("pads", {8, 8})}}),
            "1073741824x8388608x12");
  EXPECT_EQ(
      refusedShape({"RandomUniform", {}, {A::integers("shape", {k30, k30})}}),
      huge);
}

TEST(NodeErrors, OfMovementThatMakesTooMuch) {
  const std::string huge = "1073741824x1073741824";
  auto withInts = [](const std::string &op, std::vector<int64_t> shape,
                     std::vector<int64_t> numbers) {
    return refusedShape({op, {{"x", std::move(shape)}}, {}, {{"n", numbers}}});
  };
  EXPECT_EQ(withInts("Expand", {1}, {k30, k30}), huge);
  EXPECT_EQ(withInts("Expand", {k30, 1}, {1, k30}), huge);
  EXPECT_EQ(withInts("Expand", {1}, {2, -3}), "2x-3");
  // An empty axis does not make the others small.
  EXPECT_EQ(withInts("Expand", {1}, {0, k30, k30}), "0x" + huge);
  EXPECT_EQ(withInts("Expand", {1}, {k30, 0, k30}), "1073741824x0x1073741824");
  EXPECT_EQ(withInts("Tile", {1, 1}, {k30, k30}), huge);
  EXPECT_EQ(withInts("Tile", {k30, k20}, {k10, 1}), "1024x1073741824x1048576");
  EXPECT_EQ(withInts("Pad", {k20, 1}, {0, int64_t(1) << 40, 0, 0}),
            "1048576x1099511627777");
  EXPECT_EQ(withInts("CenterCropPad", {k30, 4}, {k30, k30}), huge);
  EXPECT_EQ(refusedShape({"ConstantOfShape", {}, {}, {{"n", {k30, k30}}}}),
            huge);
  EXPECT_EQ(withInts("AffineGrid", {1, 2, 3}, {1, 1, k30, k30}), "1x" + huge);
  EXPECT_EQ(refusedShape({"Resize",
                          {{"x", {32768, 32768, 4, 4}}, {"", {}}, {"", {}}},
                          {},
                          {{"n", {32768, 32768, 32768, 32768}}}}),
            "32768x32768x32768x32768");
  EXPECT_EQ(refusedShape({"Gather", {{"x", {4, k30}}, {"i", {k30}, kI64}}}),
            huge);
  EXPECT_EQ(
      refusedShape({"GatherND", {{"x", {4, k30}}, {"i", {k30, 1}, kI64}}}),
      huge);
  // Of two of 2^55 elements the sum is the most there may be.
  const std::vector<int64_t> half = {k30, k28 / 8};
  OneNode concat = {"Concat", {{"a", half}, {"b", half}}};
  concat.attributes = {A::integer("axis", 0)};
  EXPECT_EQ(import(concat).error, "");
  concat.inputs.push_back({"c", half});
  EXPECT_EQ(refusedShape(concat), "3221225472x33554432");
}

TEST(NodeErrors, OfMoreThan64Axes) {
  std::vector<int64_t> ones(64, 1);
  EXPECT_EQ(import({"Expand", {{"x", {1}}}, {}, {{"n", ones}}}).error, "");
  ones.push_back(1);
  std::string text = "1";
  for (int i = 0; i < 64; ++i)
    text += "x1";
  EXPECT_EQ(refusedShape({"Expand", {{"x", {1}}}, {}, {{"n", ones}}}), text);
}

TEST(NodeErrors, OfWindows) {
  auto conv = [](const std::string &op, std::vector<TestAttribute> attributes) {
    return errorOf(
        {op, {{"x", {1, 4, 9}}, {"w", {4, 4, 3}}}, std::move(attributes)});
  };
  EXPECT_EQ(conv("Conv", {A::text("auto_pad", "SAME")}),
            "attribute 'auto_pad' is 'SAME', expected NOTSET, VALID, "
            "SAME_UPPER or SAME_LOWER");
  EXPECT_EQ(conv("ConvTranspose", {A::text("auto_pad", "SAME")}),
            "attribute 'auto_pad' is 'SAME'");
  EXPECT_EQ(conv("ConvTranspose", {A::integers("output_shape", {9, 9})}),
            "attribute 'output_shape' has 2 numbers, expected 1");
  EXPECT_EQ(conv("ConvTranspose", {A::integers("output_shape", {0})}),
            "the output size is 0 on spatial axis 0");
  EXPECT_EQ(conv("ConvTranspose", {A::integers("pads", {6, 5})}),
            "the output has size 0 on spatial axis 0");
  auto pool = [](std::vector<int64_t> kernel, std::vector<int64_t> pads) {
    return errorOf({"MaxPool",
                    {{"x", {1, 1, 6, 6}}},
                    {A::integers("kernel_shape", std::move(kernel)),
                     A::integers("pads", std::move(pads))}});
  };
  EXPECT_EQ(pool({2}, {0, 0, 0, 0}),
            "attribute 'kernel_shape' must have 2 numbers");
  EXPECT_EQ(pool({2, 2}, {2, 0, 0, 0}), "a pad is as large as the window");
  EXPECT_EQ(errorOf({"AveragePool",
                     {{"x", {1, 1, 3000, 3000}}},
                     {A::integers("kernel_shape", {3, 3}),
                      A::integers("pads", {1, 1, 1, 1})}}),
            "the pool's output is too large for its pads");
}

TEST(NodeErrors, OfShapes) {
  auto shaped = [](const std::string &op, std::vector<int64_t> from,
                   std::vector<int64_t> to) {
    return errorOf({op, {{"x", std::move(from)}}, {}, {{"to", std::move(to)}}});
  };
  EXPECT_EQ(shaped("Reshape", {4}, {2, 2, 0}),
            "the shape copies axis 2 of an input of rank 1");
  EXPECT_EQ(shaped("Expand", {4}, {3}), "cannot expand 4 to 3");
  EXPECT_EQ(shaped("Tile", {4, 3}, {2}),
            "has 1 repeats for an input of rank 2");
  EXPECT_EQ(shaped("Squeeze", {4, 3}, {0}), "axis 0 of 4x3 has not size 1");
  EXPECT_EQ(errorOf({"Transpose", {{"x", {4, 3}}}, {A::integers("perm", {0})}}),
            "attribute 'perm' has 1 axes, the input has rank 2");
  ModelWriter matrix;
  matrix.input("x", kF32, {int64_t(4)})
      .initializer(testTensor("to", kI64, {1, 2}, rawOf<int64_t>({2, 2})));
  EXPECT_EQ(errorOfNode(matrix, "Reshape", {"x", "to"}),
            "the shape must be a vector of integers, found int64[1x2]");
}

TEST(NodeErrors, OfParts) {
  EXPECT_EQ(
      errorOf(
          {"Slice", {{"x", {4, 3}}}, {}, {{"starts", {0, 0}}, {"ends", {1}}}}),
      "has 2 starts, 1 ends, 2 axes and 2 steps for rank 2");
  EXPECT_EQ(errorOf({"Split",
                     {{"x", {4}}},
                     {A::integer("num_outputs", 3)},
                     {},
                     {"y", "z"}}),
            "attribute 'num_outputs' is 3, the node has 2 outputs");
  ModelWriter parts;
  parts.input("x", kF32, {int64_t(4)})
      .node("Constant", {}, {"none"}, {A::integer("value_int", 0)});
  EXPECT_EQ(errorOfNode(parts, "SplitToSequence", {"x", "none"}),
            "the part has size 0");
  ModelWriter sequence;
  sequence.input("x", kF32, {int64_t(4)})
      .ints("five", {5})
      .node("SequenceConstruct", {"x", "x"}, {"two"}, {}, "made");
  EXPECT_EQ(errorOfNode(sequence, "SequenceAt", {"two", "five"}),
            "position 5 is out of range for a sequence of 2");
  EXPECT_EQ(errorOf({"Concat", {{"a", {4}}, {"b", {4}}}}),
            "attribute 'axis' is missing");
}

TEST(NodeErrors, OfPads) {
  EXPECT_EQ(errorOf({"Pad",
                     {{"x", {0, 3}}},
                     {A::text("mode", "edge")},
                     {{"pads", {1, 0, 0, 0}}}}),
            "axis 0 of 0x3 cannot be padded from its elements");
  EXPECT_EQ(
      errorOf({"Pad", {{"x", {3}}}, {}, {{"pads", {int64_t(1) << 41, 0}}}}),
      "a pad is out of range");
  ModelWriter unknown;
  unknown.input("x", kF32, {int64_t(3)})
      .input("value", kF32, {})
      .ints("pads", {1, 1});
  EXPECT_EQ(errorOfNode(unknown, "Pad", {"x", "pads", "value"}),
            "the value of the padding must be one known number");
}

TEST(NodeErrors, OfIndices) {
  EXPECT_EQ(errorOf({"Gather", {{"x", {0, 3}}, {"i", {2}, kI64}}}),
            "gathers from an empty axis");
  EXPECT_EQ(
      errorOf({"OneHot", {{"i", {2}, kI64}, {"d", {}, kI64}, {"v", {2}}}}),
      "the depth must be one known number");
  ModelWriter three;
  three.input("i", kI64, {int64_t(2)})
      .input("v", kF32, {int64_t(3)})
      .ints("d", {4});
  EXPECT_EQ(errorOfNode(three, "OneHot", {"i", "d", "v"}),
            "the depth is 4, the values are 3, expected 2");
  EXPECT_EQ(errorOf({"Trilu", {{"x", {4}}}}),
            "the input is 4, expected at least two axes");
  EXPECT_EQ(errorOf({"Trilu", {{"x", {16384, 16384}}}}),
            "the matrix is 16384x16384 (at most 2^26 elements)");
}

TEST(NodeErrors, OfNormalizationsAndLosses) {
  EXPECT_EQ(errorOf({"GroupNormalization",
                     {{"x", {2, 4, 5}}, {"s", {4}}, {"b", {4}}},
                     {A::integer("num_groups", 3)},
                     {},
                     {"y"},
                     21}),
            "4 channels do not split into 3 groups");
  EXPECT_EQ(errorOf({"LpNormalization", {{"x", {4}}}, {A::integer("p", 3)}}),
            "attribute 'p' is 3, expected 1 or 2");
  auto loss = [](std::vector<In> inputs) {
    return errorOf({"SoftmaxCrossEntropyLoss", std::move(inputs)});
  };
  EXPECT_EQ(loss({{"x", {4}}, {"t", {}, kI64}}),
            "the scores are 4, expected batch, classes and more");
  EXPECT_EQ(loss({{"x", {4, 10}}, {"t", {4}, kI64}, {"w", {9}}}),
            "the weight is 9, expected 10");
  EXPECT_EQ(loss({{"x", {4, 10}}, {"t", {4}}}),
            "the target is float, expected int32 or int64");
}

TEST(NodeErrors, OfConstants) {
  EXPECT_EQ(errorOf({"Constant",
                     {},
                     {A::integer("value_int", 1), A::real("value_float", 1)}}),
            "has 2 attributes, expected one");
  EXPECT_EQ(errorOf({"ConstantOfShape",
                     {},
                     {A::tensor("value", testTensor("v", kF32, {2},
                                                    rawOf<float>({1, 2})))},
                     {{"to", {3}}}}),
            "attribute 'value' must be one number of a supported type");
  EXPECT_EQ(
      errorOf(
          {"Range", {}, {}, {{"start", {0}}, {"limit", {4}}, {"step", {0}}}}),
      "the step is 0 or the type bool");
}

TEST(NodeErrors, OfQuantization) {
  auto quantize = [](int64_t scales, std::vector<TestAttribute> attributes) {
    return errorOf({"QuantizeLinear",
                    {{"x", {4, 3}}, {"s", {scales}}},
                    std::move(attributes),
                    {},
                    {"y"},
                    21});
  };
  EXPECT_EQ(quantize(5, {}),
            "scale and zero point are 5 for a tensor of 4x3, expected one "
            "number, one for each element of axis 1 or one for each block of "
            "it");
  EXPECT_EQ(quantize(1, {A::integer("output_dtype", 6)}),
            "quantizes to int32, expected an integer of 8 or 16 bits");
  EXPECT_EQ(quantize(1, {A::integer("output_dtype", 8)}),
            "attribute 'output_dtype' is 8 (string), which is not supported");
}

TEST(NodeErrors, OfRecurrentLayers) {
  auto layer = [](std::vector<int64_t> x) {
    return errorOf(
        {"RNN", {{"x", std::move(x)}, {"w", {1, 4, 2}}, {"r", {1, 4, 4}}}});
  };
  EXPECT_EQ(layer({3, 2}), "X is 3x2 and W is 1x4x2, expected three axes each");
  EXPECT_EQ(layer({3000, 1, 2}),
            "X is 3000x1x2: 1 to 2048 steps of a batch are supported");
  EXPECT_EQ(errorOf({"RNN",
                     {{"x", {3, 1, 2}},
                      {"w", {1, 4, 2}},
                      {"r", {1, 4, 4}},
                      {"b", {1, 8}}},
                     {},
                     {{"lengths", {9}}}}),
            "sequence_lens has 9, expected 0 to 3");
}

TEST(NodeErrors, OfSignalsAndSizes) {
  ModelWriter signal;
  signal.input("x", kF32, {int64_t(2), int64_t(4), int64_t(8), int64_t(1)})
      .ints("step", {2});
  EXPECT_EQ(errorOfNode(signal, "STFT", {"x", "step"}),
            "the signal is 2x4x8x1, expected batch, length and parts");
  EXPECT_EQ(errorOf({"Resize", {{"x", {1, 1, 4, 4}}}}),
            "has neither scales nor sizes");
  EXPECT_EQ(errorOf({"Resize", {{"x", {4, 4}}, {"", {}}, {"scales", {2}}}}),
            "the scales must be a known vector");
  ModelWriter crop;
  crop.input("x", kF32, {int64_t(4), int64_t(4)})
      .ints("sizes", {8, 8})
      .node("Constant", {}, {"roi"}, {A::reals("value_floats", {0, 1})});
  EXPECT_EQ(errorOfNode(crop, "Resize", {"x", "roi", "", "sizes"},
                        {A::text("coordinate_transformation_mode",
                                 "tf_crop_and_resize")}),
            "the roi has 2 numbers for 2 axes");
}

TEST(NodeErrors, OfMoreOutputsThanAnOptimizerHas) {
  ModelWriter writer;
  writer.opset(20).opset(1, "ai.onnx.preview.training");
  writer.input("rate", kF32, {}).input("steps", kI64, {});
  for (const char *name : {"x", "g", "h"})
    writer.input(name, kF32, {int64_t(2)});
  writer
      .node("Adagrad", {"rate", "steps", "x", "g", "h"}, {"y", "sum", "more"},
            {}, "n", "ai.onnx.preview.training")
      .output("y");
  EXPECT_EQ(importWritten(writer).error,
            "m.onnx: node 'n' (Adagrad, opset 1): output 2 ('more') is not "
            "computed");
}

TEST(NodeErrors, OfFlexAttention) {
  ModelWriter writer;
  std::vector<TestDim> shape = {int64_t(2), int64_t(4), int64_t(3), int64_t(6)};
  writer.opset(28).opset(1, "ai.onnx.preview");
  for (const char *name : {"q", "k", "v"})
    writer.input(name, kF32, shape);
  writer
      .node("FlexAttention", {"q", "k", "v"}, {"y"},
            {A::integer("softmax_precision", 7)}, "n", "ai.onnx.preview")
      .output("y");
  EXPECT_EQ(importWritten(writer).error,
            "m.onnx: node 'n' (FlexAttention, opset 1): attribute "
            "'softmax_precision' is int64");
}

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

/// A Scan with one state, which `body` changes, over the rows of x.
std::string scanned(const ModelWriter &body) {
  return errorOf(
      {"Scan",
       {{"s", {2}}, {"x", {3, 2}}},
       {A::integer("num_scan_inputs", 1), A::graph("body", body.graph())},
       {},
       {"last", "y"}});
}

TEST(NodeErrors, OfWhatAScanStacks) {
  ModelWriter growing;
  growing.input("a", kUndefined, {})
      .input("row", kUndefined, {})
      .node("Concat", {"a", "a"}, {"b"}, {A::integer("axis", 0)})
      .node("Identity", {"b"}, {"c"})
      .output("b")
      .output("c");
  EXPECT_EQ(scanned(growing),
            "'c' is float[4] in one step, float[8] in another");
  ModelWriter pairs;
  pairs.input("a", kUndefined, {})
      .input("row", kUndefined, {})
      .node("SequenceConstruct", {"a", "row"}, {"c"})
      .output("a")
      .output("c");
  EXPECT_EQ(scanned(pairs), "an output that is stacked is a sequence");
}

TEST(NodeErrors, OfAScanWithoutSamples) {
  ModelWriter body, writer;
  body.input("s", kUndefined, {})
      .input("a", kUndefined, {})
      .node("Add", {"s", "a"}, {"c"})
      .output("c");
  writer.weight("state", {0, 5}).weight("x", {0, 3, 5});
  EXPECT_EQ(errorOfNode(writer, "Scan", {"", "state", "x"},
                        {A::integer("num_scan_inputs", 1),
                         A::graph("body", body.graph())},
                        {"y"}, 8),
            "input 0x3x5 has no samples");
}

TEST(NodeErrors, OfSequenceMap) {
  ModelWriter body;
  body.input("a", kUndefined, {})
      .input("b", kUndefined, {})
      .node("Add", {"a", "b"}, {"c"})
      .output("c");
  auto mapped = [&](const std::string &first) {
    ModelWriter writer;
    writer.input("x", kF32, {int64_t(4)})
        .node("SequenceConstruct", {"x", "x"}, {"two"}, {}, "two")
        .node("SequenceConstruct", {"x", "x", "x"}, {"three"}, {}, "three");
    return errorOfNode(writer, "SequenceMap", {first, "three"},
                       {A::graph("body", body.graph())});
  };
  EXPECT_EQ(mapped("x"), "the input is not a sequence");
  EXPECT_EQ(mapped("two"), "the sequences have 2 and 3 elements");
}

// No graph of the file is nested as deep as those of its functions together.
TEST(NodeErrors, OfGraphsThatFunctionsNest) {
  ModelWriter writer;
  writer.opset(20)
      .opset(1, "f")
      .input("x", kF32, {int64_t(2)})
      .input("c", kBool, {})
      .node("f3", {"x", "c"}, {"y"}, {}, "n", "f")
      .output("y");
  for (int i = 1; i <= 3; ++i) {
    std::string node = i == 1 ? testNode("Exp", {"x"}, {"r"})
                              : testNode("f" + std::to_string(i - 1),
                                         {"x", "c"}, {"r"}, {}, "inner", "f");
    for (int depth = 0; depth < 25; ++depth)
      node = testNode(
          "If", {"c"}, {"r"},
          {A::graph("then_branch",
                    ModelWriter().field(1, node).output("r").graph()),
           A::graph(
               "else_branch",
               ModelWriter().node("Tanh", {"x"}, {"r"}).output("r").graph())});
    writer.function({"f", "f" + std::to_string(i), {"x", "c"}, {"r"}, {node}});
  }
  std::string error = importWritten(writer).error;
  EXPECT_NE(error.find("is nested more than 64 deep"), std::string::npos)
      << error;
}

} // namespace
