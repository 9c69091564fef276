// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilation over C, and calls that are wrong.
#include "test/capi/CompilerTest.h"

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace mpc::test {
namespace {

const std::string kDigits =
    std::string(MPC_TEST_INPUTS) + "/workloads/digits-mlp.onnx";

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A loss of a step on zeros, of digits-mlp.
double lossOnZeros(const Program &program) {
  std::vector<float> x(256 * 64);
  std::vector<int64_t> target(256);
  Runner runner = get(Runner::create(program));
  succeed(runner.bindInput("x", {x.data(), {256, 64}}));
  succeed(runner.bindInput("target", {target.data(), {256}}));
  succeed(runner.writeNumber("lr", 0.1));
  return get(runner.step()).loss;
}

TEST(Compiler, AFileOfOnnxTrains) {
  Model model = get(Model::load(kDigits));
  Program program = get(model.compile({"--precision=fp16"}));
  double loss = lossOnZeros(program);
  // Ten classes, and weights that favour none.
  EXPECT_NEAR(loss, 2.3, 0.3);
  // The file has what the program in memory has.
  auto path = std::filesystem::temp_directory_path() /
              ("mpc-compiler-test-" + std::to_string(::getpid()) + ".mpc");
  succeed(model.compileFile({"--precision=fp16"}, path));
  EXPECT_EQ(lossOnZeros(get(Program::load(path))), loss);
  std::filesystem::remove(path);
}

TEST(Compiler, AModelIsWrittenWithOtherValues) {
  auto folder = std::filesystem::temp_directory_path() /
                ("mpc-compiler-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::string path = folder / "written.onnx";
  Model model = get(Model::load(kDigits));
  double loss = lossOnZeros(get(model.compile({})));
  // Nothing is another; its data lies in one file beside now.
  succeed(model.writeOnnx({}, path));
  EXPECT_TRUE(std::filesystem::exists(path + ".data"));
  Model written = get(Model::load(path));
  EXPECT_EQ(lossOnZeros(get(written.compile({}))), loss);
  // Logits that are all 3 are a guess among ten classes.
  std::vector<float> zeros(10 * 512), bias(10, 3);
  Tensor weights(zeros.data(), {10, 512}), biases(bias.data(), {10});
  succeed(model.writeOnnx(
      {{"fc3.weight", weights.get()}, {"fc3.bias", biases.get()}}, path));
  Model other = get(Model::load(path));
  EXPECT_NEAR(lossOnZeros(get(other.compile({}))), std::log(10.0), 1e-6);
  EXPECT_EQ(failureOf(model.writeOnnx({{"none", biases.get()}}, path)),
            "1: " + kDigits +
                ": the graph has no initializer 'none', so that the file "
                "cannot hold all that is trained; --export-weights can");
  EXPECT_EQ(failureOf(mpcModelWriteOnnx(model.get(), 1, nullptr, nullptr,
                                        path.c_str())),
            "2: names is NULL");
  EXPECT_EQ(
      failureOf(mpcModelWriteOnnx(model.get(), 0, nullptr, nullptr, nullptr)),
      "2: path is NULL");
  std::filesystem::remove_all(folder);
}

TEST(Compiler, BytesHoldTheirWeights) {
  std::string bytes = read(kDigits);
  Model model = get(Model::loadOnnx(bytes.data(), bytes.size(), "digits"));
  // This file's weights lie beside it.
  EXPECT_NE(failureOf(model.compile({}).status())
                .find("a model without a folder has no external data"),
            std::string::npos);
  Model broken = get(Model::loadOnnx("xxxx", 4, "broken"));
  EXPECT_EQ(failureOf(broken.compile({}).status()).rfind("1: broken", 0), 0u);
}

/// What torch.export makes of (x * w).sum(), w a parameter of two numbers.
const char *const kExported = R"({
  "schema_version": {"major": 8, "minor": 20},
  "graph_module": {
    "graph": {
      "inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
      "outputs": [{"as_tensor": {"name": "sum_1"}}],
      "nodes": [
        {"target": "torch.ops.aten.mul.Tensor",
         "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}},
                    {"name": "other", "arg": {"as_tensor": {"name": "p_w"}}}],
         "outputs": [{"as_tensor": {"name": "mul"}}], "metadata": {}},
        {"target": "torch.ops.aten.sum.default",
         "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "mul"}}}],
         "outputs": [{"as_tensor": {"name": "sum_1"}}], "metadata": {}}],
      "tensor_values": {
        "p_w": {"dtype": 7, "sizes": [{"as_int": 2}]},
        "x": {"dtype": 7, "sizes": [{"as_int": 2}]},
        "mul": {"dtype": 7, "sizes": [{"as_int": 2}]},
        "sum_1": {"dtype": 7, "sizes": []}}},
    "signature": {
      "input_specs": [
        {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}},
        {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
      "output_specs": [
        {"user_output": {"arg": {"as_tensor": {"name": "sum_1"}}}}]}}})";

TEST(Compiler, AnExportedProgramTrains) {
  Model model =
      get(Model::loadExported(kExported, std::strlen(kExported), "product"));
  std::vector<std::string> flags = {"--loss=output:sum_1", "--optimizer=sgd"};
  EXPECT_EQ(failureOf(model.compile(flags).status()),
            "1: product: tensor 'w' has no value");
  float w[] = {2, 3}, x[] = {1, 10};
  succeed(model.setValue("w", {w, {2}}));
  Runner runner = get(Runner::create(get(model.compile(flags))));
  succeed(runner.bindInput("x", {x, {2}}));
  succeed(runner.writeNumber("lr", 0.5));
  EXPECT_EQ(get(runner.step()).loss, 2 * 1 + 3 * 10);
  // The gradient is x: w is 2 - 0.5 and 3 - 5 now.
  EXPECT_EQ(get(runner.step()).loss, 1.5 * 1 - 2 * 10);
  Model broken = get(Model::loadExported("xxxx", 4, "broken"));
  EXPECT_EQ(failureOf(broken.compile({}).status()),
            "1: broken: the program is not JSON");
}

TEST(Compiler, FlagsAreThoseOfTheTool) {
  Model model = buildLinear(LinearCase());
  auto failure = [&](std::vector<std::string> flags) {
    return failureOf(model.compile(flags).status());
  };
  EXPECT_EQ(failure({"--precision=fp17"}).rfind("2: --precision", 0), 0u)
      << failure({"--precision=fp17"});
  EXPECT_EQ(failure({"--optimizer=sgdd"}).rfind("2: --optimizer='sgdd'", 0), 0u)
      << failure({"--optimizer=sgdd"});
  EXPECT_EQ(failure({"--nothing"}).rfind("2: ", 0), 0u);
  EXPECT_EQ(failure({"--help"}).rfind("2: ", 0), 0u);
  EXPECT_EQ(failure({"--loss=mse", "--momentum=0.9"}),
            "2: --momentum: adamw has none");
}

TEST(Compiler, EachFlagIsListedWithItsHelp) {
  std::vector<MpcFlagInfo> flags = get(Model::flags());
  auto find = [&](std::string_view name) {
    for (const MpcFlagInfo &flag : flags)
      if (flag.name == name)
        return std::string(flag.type) + "; " + flag.help + "; " + flag.group;
    return std::string("none");
  };
  EXPECT_EQ(find("--clip-norm"), "X; Largest norm of each gradient; Optimizer");
  EXPECT_EQ(find("--clip-norm-order").rfind("f64|torch; How the norm", 0), 0u);
  EXPECT_EQ(find("--nesterov"), "; Nesterov's momentum; Optimizer");
  EXPECT_NE(find("--growth-interval"), "none");
  EXPECT_NE(find("--batch-size"), "none");
  EXPECT_EQ(find("--help"), "none");
}

TEST(CompilerMisuse, AFlagThatIsNotThere) {
  size_t count = 0;
  ASSERT_EQ(mpcCompileCountFlags(&count), nullptr);
  MpcFlagInfo info = {};
  info.structSize = sizeof info;
  MpcError *error = mpcCompileGetFlag(count, &info);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(mpcErrorGetMessage(error),
            "there is no flag number " + std::to_string(count));
  mpcErrorDestroy(error);
  for (MpcError *null :
       {mpcCompileCountFlags(nullptr), mpcCompileGetFlag(0, nullptr)}) {
    EXPECT_NE(null, nullptr);
    mpcErrorDestroy(null);
  }
}

TEST(Compiler, TellsWhichExportedOpsItReads) {
  auto reads = [](const char *target) {
    return get(Model::readsExportedOp(target));
  };
  EXPECT_TRUE(reads("torch.ops.aten.linear.default"));
  EXPECT_TRUE(reads("torch.ops.aten.relu_.default"));
  EXPECT_TRUE(reads("torch.ops.aten.multiply.Tensor"));
  EXPECT_TRUE(reads("torch.ops.aten._assert_scalar.default"));
  EXPECT_TRUE(reads("torch.ops.higher_order.wrap_with_autocast"));
  EXPECT_FALSE(reads("torch.ops.aten.frobnicate.default"));
  EXPECT_FALSE(reads("_operator.le"));
  EXPECT_FALSE(reads(""));
}

TEST(Compiler, WarningsAreLogged) {
  std::string seen;
  Model model = buildLinear(LinearCase());
  (void)get(
      model.compile({"--loss=mse", "--no-decay=nothing"},
                    [&](MpcLogLevel, const char *text) { seen += text; }));
  EXPECT_NE(seen.find("'nothing'"), std::string::npos) << seen;
}

TEST(Compiler, ExplainsPrecisions) {
  Model model = buildLinear(LinearCase());
  std::vector<std::string> flags = {"--precision=bf16", "--loss=mse"};
  EXPECT_NE(get(model.explain(flags)).find("linear"), std::string::npos);
  EXPECT_EQ(get(model.explain(flags, MPC_EXPLAIN_JSON)).front(), '{');
  EXPECT_EQ(get(model.explain(flags, MPC_EXPLAIN_HTML)).front(), '<');
}

TEST(Compiler, InstallsNoHandlerOfSignals) {
  struct sigaction before = {}, after = {};
  before.sa_handler = [](int) {};
  sigaction(SIGSEGV, &before, nullptr);
  (void)get(buildLinear(LinearCase()).compile({"--loss=mse"}));
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  std::signal(SIGSEGV, SIG_DFL);
}

TEST(Compiler, ThreadsCompileSideBySide) {
  LinearCase given;
  std::vector<std::thread> threads;
  for (const char *precision : {"--precision=fp32", "--precision=fp32"})
    threads.emplace_back([&given, precision] {
      Model model = buildLinear(given);
      expectStep(
          get(model.compile({"--loss=mse", "--optimizer=sgd", precision})),
          given, "w");
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CompilerMisuse, AnyPointerMayBeNull) {
  MpcModel *model = nullptr;
  const char *text = nullptr, *name = "x";
  MpcProgram *program = nullptr;
  MpcValue value = 0;
  float memory = 0;
  int reads = 0;
  DLTensor tensor = {};
  tensor.data = &memory;
  tensor.device = {kDLCPU, 0};
  tensor.dtype = {kDLFloat, 32, 1};
  ASSERT_EQ(mpcModelCreate("misused", &model), nullptr);
  auto op = sized<MpcOp>();
  MpcError *errors[] = {
      mpcModelLoad(nullptr, &model),
      mpcModelLoad("x", nullptr),
      mpcModelLoadOnnx(nullptr, 1, "x", &model),
      mpcModelLoadOnnx("x", 1, nullptr, &model),
      mpcModelLoadOnnx("x", 1, "x", nullptr),
      mpcModelReadsExportedOp(nullptr, &reads),
      mpcModelReadsExportedOp("torch.ops.aten.relu.default", nullptr),
      mpcModelLoadExported(nullptr, 1, "x", &model),
      mpcModelLoadExported("x", 1, nullptr, &model),
      mpcModelLoadExported("x", 1, "x", nullptr),
      mpcModelParse(nullptr, "x", &model),
      mpcModelParse("x", nullptr, &model),
      mpcModelParse("x", "x", nullptr),
      mpcModelCreate(nullptr, &model),
      mpcModelCreate("x", nullptr),
      mpcModelSetValue(nullptr, "w", &tensor),
      mpcModelSetValue(model, nullptr, &tensor),
      mpcModelSetValue(model, "w", nullptr),
      mpcModelBeginFunction(nullptr, "f", 0, nullptr, nullptr, nullptr),
      mpcModelBeginFunction(model, nullptr, 0, nullptr, nullptr, nullptr),
      mpcModelBeginFunction(model, "f", 1, nullptr, &name, &value),
      mpcModelBeginFunction(model, "f", 1, &name, nullptr, &value),
      mpcModelBeginFunction(model, "f", 1, &name, &name, nullptr),
      mpcModelAddOp(nullptr, &op, nullptr, 0, nullptr),
      mpcModelAddOp(model, nullptr, nullptr, 0, nullptr),
      mpcModelAddOp(model, &op, nullptr, 0, nullptr),
      mpcModelGetType(nullptr, 0, &text),
      mpcModelGetType(model, 0, nullptr),
      mpcModelEndFunction(nullptr, 0, nullptr, nullptr),
      mpcModelEndFunction(model, 1, nullptr, &name),
      mpcModelEndFunction(model, 1, &value, nullptr),
      mpcModelGetText(nullptr, &text),
      mpcModelGetText(model, nullptr),
      mpcCompile(nullptr, nullptr, 0, nullptr, &program),
      mpcCompile(model, nullptr, 1, nullptr, &program),
      mpcCompile(model, nullptr, 0, nullptr, nullptr),
      mpcCompileFile(nullptr, nullptr, 0, nullptr, "x"),
      mpcCompileFile(model, nullptr, 0, nullptr, nullptr),
      mpcModelExplain(nullptr, nullptr, 0, MPC_EXPLAIN_TEXT, &text),
      mpcModelExplain(model, nullptr, 0, MPC_EXPLAIN_TEXT, nullptr),
  };
  for (size_t i = 0; i < std::size(errors); ++i) {
    std::string failure = failureOf(errors[i]);
    EXPECT_EQ(failure.rfind("2: ", 0), 0u) << i << ": " << failure;
    EXPECT_NE(failure.find("NULL"), std::string::npos) << i << ": " << failure;
  }
  mpcModelDestroy(model);
  EXPECT_EQ(failureOf(mpcModelGetText(model, &text)),
            "2: the handle of a model is invalid, or was destroyed");
  mpcModelDestroy(model);
  mpcModelDestroy(nullptr);
}

TEST(CompilerMisuse, FilesAndTextsThatAreNone) {
  auto failure = [](Model model) {
    return failureOf(model.compile({"--loss=mse"}).status());
  };
  EXPECT_NE(failure(get(Model::load("/none.onnx"))).find("/none.onnx"),
            std::string::npos);
  EXPECT_NE(failure(get(Model::load("/none.txt"))).find("is neither an .onnx"),
            std::string::npos);
  EXPECT_NE(failure(get(Model::parse("func.func", "mine"))).find("mine:1:"),
            std::string::npos);
  EXPECT_EQ(failureOf(get(Model::load(kDigits)).text().status()),
            "2: the model has no text: it is not MLIR's");
  float one = 1;
  EXPECT_EQ(failureOf(get(Model::load(kDigits)).setValue("w", {&one, {}})),
            "2: the values of this model are those of its file; write to the "
            "state of a runner instead");
  int64_t whole = 1;
  EXPECT_EQ(failureOf(buildLinear(LinearCase()).setValue("w", {&whole, {}})),
            "1: tensor 'w' has elements that are not floating-point numbers, "
            "as those of a parameter must be");
}

TEST(Compiler, TellsItsVersion) {
  EXPECT_STREQ(mpcCompilerVersion(), mpcRuntimeVersion());
}

} // namespace
} // namespace mpc::test
