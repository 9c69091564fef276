// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of ONNX files: what is damaged or hostile ends in an error that
// says where.
#include "test/lib/Import/ONNX/Importing.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::onnx;
namespace fs = std::filesystem;

namespace {

constexpr ElemType kF32 = ElemType::Float;

std::string readFile(const std::string &name) {
  std::ifstream file(std::string(MPC_TEST_INPUTS) + "/models/" + name,
                     std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A model whose one weight is external data.
ModelWriter
withExternal(const std::vector<std::pair<std::string, std::string>> &keys) {
  return ModelWriter()
      .opset(20)
      .input("x", kF32, {int64_t(2), int64_t(4)})
      .initializer(externalTensor("fc.weight", {3, 4}, keys))
      .node("Gemm", {"x", "fc.weight"}, {"y"},
            {TestAttribute::integer("transB", 1)})
      .output("y");
}

/// A folder that goes away with the test.
class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "mpc-onnx-XXXXXX");
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_; }
  std::string write(const std::string &name, size_t bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << std::string(bytes, '\1');
    return (path_ / name).string();
  }

private:
  fs::path path_;
};

TEST(OnnxModel, RefusesWhatIsNotOnnx) {
  EXPECT_EQ(importBytes("").error, "m.onnx: the file is empty");
  EXPECT_EQ(importBytes("PK\x03\x04 something").error,
            "m.onnx: not a well-formed ONNX file: field 10 of ModelProto is "
            "followed by something that is not a field");
  EXPECT_EQ(importBytes(std::string("\x01\x02", 2)).error,
            "m.onnx: not a well-formed ONNX file: ModelProto does not begin "
            "with a field");
  EXPECT_EQ(importBytes(std::string("\x08\x0a", 2)).error,
            "m.onnx: not an ONNX file: it has no graph");
}

/// What is said of a file whose graph has these bytes.
std::string errorOfGraph(const std::string &graph) {
  std::string bytes;
  pbf_writer(bytes).add_message(7, graph);
  std::string error = importBytes(bytes).error;
  std::string prefix = "m.onnx: not a well-formed ONNX file: ";
  EXPECT_EQ(error.rfind(prefix, 0), 0u) << error;
  return error.substr(std::min(prefix.size(), error.size()));
}

TEST(OnnxModel, NamesTheFieldThatIsDamaged) {
  // Field 7, the graph, as a number.
  EXPECT_EQ(importBytes(std::string("\x38\x01", 2)).error,
            "m.onnx: not a well-formed ONNX file: graph (field 7 of "
            "ModelProto) has wire type 0, expected 2");
  EXPECT_EQ(importBytes(std::string("\x3a\x05graph", 4)).error,
            "m.onnx: not a well-formed ONNX file: graph (field 7 of "
            "ModelProto) reaches past the end of its message (cut off?)");
  // The third node's second input is cut off.
  std::string node = std::string("\x0a\x01x\x0a\x05y", 6);
  std::string graph;
  for (const std::string &bytes : {std::string(), std::string(), node})
    pbf_writer(graph).add_message(1, bytes);
  EXPECT_EQ(errorOfGraph(graph),
            "graph.node[2].input[1] (field 1 of NodeProto) reaches past the "
            "end of its message (cut off?)");
  // A number of eleven bytes.
  EXPECT_EQ(errorOfGraph(std::string("\x2a\x0d\x10") + std::string(11, '\xff') +
                         "\x01"),
            "graph.initializer[0].data_type (field 2 of TensorProto) cannot "
            "be read: varint too long exception");
  // A packed float of three bytes.
  EXPECT_EQ(errorOfGraph(std::string("\x2a\x05\x22\x03") + "abc"),
            "graph.initializer[0].float_data[0] (field 4 of TensorProto) "
            "cannot be read: invalid length exception");
  // Behind the name, a field of number 0.
  EXPECT_EQ(errorOfGraph(std::string("\x12\x01g\x02\x00", 5)),
            "graph.name (field 2 of GraphProto) is followed by something that "
            "is not a field");
}

TEST(OnnxModel, RefusesFieldsThatAreThereTwice) {
  EXPECT_EQ(errorOfGraph("\x12\x01g\x12\x01h"),
            "graph.name (field 2 of GraphProto) appears twice");
  std::string tensor = testTensor("w", kF32, {1}, "1234");
  pbf_writer(tensor).add_bytes(9, "5678");
  std::string graph;
  pbf_writer(graph).add_message(5, tensor);
  EXPECT_EQ(errorOfGraph(graph), "graph.initializer[0].raw_data (field 9 of "
                                 "TensorProto) appears twice");
  std::string model;
  pbf_writer(model).add_message(7, std::string());
  pbf_writer(model).add_message(7, std::string());
  EXPECT_EQ(importBytes(model).error,
            "m.onnx: not a well-formed ONNX file: graph (field 7 of "
            "ModelProto) appears twice");
}

TEST(OnnxModel, InputsAndAttributesHaveNames) {
  std::string info;
  pbf_writer(info).add_bytes(2, std::string());
  EXPECT_EQ(importWritten(ModelWriter().opset(20).field(11, info)).error,
            "m.onnx: a graph input or output has no name");
  auto nameless = TestAttribute::raw([](pbf_writer &w) {
    w.add_int64(3, 1);
    w.add_int32(20, 2);
  });
  std::string error = importWritten(ModelWriter()
                                        .opset(20)
                                        .node("Exp", {"x"}, {"y"}, {nameless})
                                        .output("y"))
                          .error;
  EXPECT_TRUE(llvm::StringRef(error).ends_with("an attribute has no name"))
      << error;
}

// A dimension is a number or a name, a type is one type.
TEST(OnnxModel, RefusesTypesThatAreTwo) {
  auto input = [](auto addType, auto addDimension) {
    std::string graph;
    {
      pbf_writer writer(graph);
      pbf_writer info(writer, 11);
      info.add_bytes(1, "x");
      pbf_writer type(info, 2);
      {
        pbf_writer tensor(type, 1);
        pbf_writer shape(tensor, 2);
        pbf_writer dimension(shape, 1);
        addDimension(dimension);
      }
      addType(type);
    }
    return errorOfGraph(graph);
  };
  EXPECT_EQ(input([](pbf_writer &) {},
                  [](pbf_writer &dimension) {
                    dimension.add_int64(1, 8);
                    dimension.add_bytes(2, "batch");
                  }),
            "graph.input[0].type.tensor_type.shape.dim[0].dim_param (field 2 "
            "of TensorShapeProto.Dimension) stands beside dim_value");
  EXPECT_EQ(input([](pbf_writer &type) { type.add_bytes(4, std::string()); },
                  [](pbf_writer &dimension) { dimension.add_int64(1, 8); }),
            "graph.input[0].type.sequence_type (field 4 of TypeProto) stands "
            "beside another type");
}

TEST(OnnxModel, ReadsExternalDataOfItsFolder) {
  Folder folder;
  folder.write("data/w..v2.bin", 64);
  auto model = withExternal(
      {{"location", "data/w..v2.bin"}, {"offset", "16"}, {"length", "48"}});
  EXPECT_EQ(importBytes(model.bytes(), {}, folder.path()).error, "");
}

TEST(OnnxModel, RefusesExternalDataPastTheEnd) {
  Folder folder;
  folder.write("w.bin", 48);
  auto error = [&](const std::string &offset, const std::string &length) {
    return importBytes(withExternal({{"location", "w.bin"},
                                     {"offset", offset},
                                     {"length", length}})
                           .bytes(),
                       {}, folder.path())
        .error;
  };
  EXPECT_EQ(error("16", "48"),
            "m.onnx: tensor 'fc.weight': external data 'w.bin': offset 16 and "
            "length 48 reach past the end of the file (48 bytes)");
  EXPECT_EQ(error("18446744073709551615", "48"),
            "m.onnx: tensor 'fc.weight': external data 'w.bin': offset "
            "18446744073709551615 and length 48 reach past the end of the file "
            "(48 bytes)");
  EXPECT_EQ(error("0", "47"),
            "m.onnx: tensor 'fc.weight': external data has length 47, its "
            "shape and type need 48");
  EXPECT_EQ(error("-1", "48"),
            "m.onnx: tensor 'fc.weight': external data: offset '-1' is not a "
            "number");
}

// The digest of 48 bytes of value 1, by sha1sum.
TEST(OnnxModel, ChecksTheDigestOfExternalData) {
  Folder folder;
  folder.write("w.bin", 48);
  auto error = [&](const std::string &digest) {
    return importBytes(
               withExternal({{"location", "w.bin"}, {"checksum", digest}})
                   .bytes(),
               {}, folder.path())
        .error;
  };
  std::string prefix = "m.onnx: tensor 'fc.weight': external data 'w.bin': ";
  EXPECT_EQ(error("e23606322bb753416d85858b75a29dc129042168"), "");
  EXPECT_EQ(error("E23606322BB753416D85858B75A29DC129042168"), "");
  EXPECT_EQ(error("0000000000000000000000000000000000000000"),
            prefix +
                "the file's SHA-1 is e23606322bb753416d85858b75a29dc129042168, "
                "the model says checksum "
                "0000000000000000000000000000000000000000");
  EXPECT_EQ(error("abc"), prefix + "checksum 'abc' is not a SHA-1 of 40 "
                                   "hexadecimal digits");
}

// What stands outside is as large as the tensor, so that reading it would work.
TEST(OnnxModel, RefusesExternalDataOutsideItsFolder) {
  Folder folder;
  folder.write("secret.bin", 48);
  fs::create_directories(folder.path() + "/model/sub");
  std::string inside = folder.path() + "/model";
  fs::create_symlink("../secret.bin", inside + "/link.bin");
  fs::create_symlink("..", inside + "/up");
  fs::create_hard_link(folder.path() + "/secret.bin", inside + "/hard.bin");
  ASSERT_EQ(::mkfifo((inside + "/pipe").c_str(), 0600), 0);
  const char *leaves = "the location may not leave the model's folder, nor "
                       "hold '.', '..' or empty parts";
  const char *odd = "the location is not a plain relative path of this folder";
  const char *relative = "the location must be relative to the model's folder";
  const char *link = "' is a link or not a folder; links are not followed";
  const char *hard = "the file has a second (hard) link, maybe from outside "
                     "the model's folder";
  for (auto [location, why] : std::vector<std::pair<std::string, std::string>>{
           {"../secret.bin", leaves},
           {"sub/../../secret.bin", leaves},
           {"./../secret.bin", leaves},
           {"..\\secret.bin", odd},
           {"sub//../../secret.bin", leaves},
           {"%2e%2e/secret.bin", odd},
           {"~/secret.bin", relative},
           {"C:secret.bin", odd},
           {"link.bin", link},
           {"up/secret.bin", link},
           {"hard.bin", hard},
           {"pipe", "not a regular file"},
           {"sub", "not a regular file"},
           {"", "the location is empty"},
           {".", leaves},
           {"file:../secret.bin", odd}}) {
    Outcome outcome =
        importBytes(withExternal({{"location", location}}).bytes(), {}, inside);
    EXPECT_EQ(outcome.error.rfind("m.onnx: tensor 'fc.weight': external data "
                                  "'",
                                  0),
              0u)
        << outcome.error;
    EXPECT_TRUE(llvm::StringRef(outcome.error).ends_with(why)) << outcome.error;
  }
  std::string absolute = folder.path() + "/secret.bin";
  EXPECT_NE(
      importBytes(withExternal({{"location", absolute}}).bytes(), {}, inside)
          .error.find("must be relative to the model's folder"),
      std::string::npos);
  EXPECT_NE(
      importBytes(withExternal({{"location", "none.bin"}}).bytes(), {}, inside)
          .error.find("No such file"),
      std::string::npos);
  // A model from memory has no folder.
  EXPECT_NE(importBytes(withExternal({{"location", "hard.bin"}}).bytes())
                .error.find("a model without a folder"),
            std::string::npos);
}

TEST(OnnxModel, SurvivesTruncationAnywhere) {
  std::string whole = readFile("mlp.onnx");
  ASSERT_FALSE(whole.empty());
  for (size_t size = 0; size < whole.size(); size += 97) {
    Outcome outcome = importBytes(whole.substr(0, size));
    EXPECT_TRUE(outcome.error.rfind("m.onnx: ", 0) == 0) << outcome.error;
  }
}

TEST(OnnxModel, SurvivesRandomBitFlips) {
  std::string whole = readFile("lenet.onnx");
  ASSERT_FALSE(whole.empty());
  // Most bytes are weights: half of the flips go to the structure.
  size_t structure = std::min<size_t>(whole.size(), 4096);
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    size_t at = random() % (i % 2 == 0 ? whole.size() : structure);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    Outcome outcome = importBytes(damaged);
    EXPECT_TRUE(outcome.ok() || outcome.error.rfind("m.onnx: ", 0) == 0)
        << at << ": " << outcome.error;
  }
}

} // namespace
