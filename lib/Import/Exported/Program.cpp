// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the JSON of an exported program.
#include "lib/Import/Exported/Json.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mpc::exported {

namespace {

constexpr int64_t kMajorVersion = 8;
/// torch's ScalarType by the numbers of the schema.
constexpr std::pair<int64_t, rt::DType> kScalarTypes[] = {
    {1, rt::DType::U8},   {2, rt::DType::I8},  {3, rt::DType::I16},
    {4, rt::DType::I32},  {5, rt::DType::I64}, {6, rt::DType::F16},
    {7, rt::DType::F32},  {8, rt::DType::F64}, {12, rt::DType::Bool},
    {13, rt::DType::BF16}};

class ArgumentReader {
public:
  explicit ArgumentReader(size_t depth) : depth_(depth) {}

  Expected<Argument> read(const Json &json);

private:
  Error readValue(StringRef key, const Json &value, Argument &argument);
  Error readNames(const Json &list, Argument &argument);
  Error readSymbols(const Json &list, Argument &argument);

  size_t depth_; ///< Graphs around this argument.
};

Expected<Graph> readGraph(const Json &json, size_t depth);

Error ArgumentReader::readNames(const Json &list, Argument &argument) {
  argument.kind = Argument::Kind::Tensors;
  return readEach(list, "tensors", [&](const Json &element) -> Error {
    const Json &present = field(element, "as_tensor");
    if (element.is_object() && element.contains("as_none")) {
      argument.names.emplace_back();
      return Error::success();
    }
    MPC_TRY_ASSIGN(std::string name,
                   readText(present.is_null() ? element : present, "name"));
    argument.names.push_back(std::move(name));
    return Error::success();
  });
}

/// Sizes, some of which may be known by name alone.
Error ArgumentReader::readSymbols(const Json &list, Argument &argument) {
  argument.kind = Argument::Kind::Ints;
  return readEach(list, "sizes", [&](const Json &element) -> Error {
    MPC_TRY_ASSIGN(std::optional<int64_t> size, readSize(element));
    if (size)
      argument.ints.push_back(*size);
    else
      argument.kind = Argument::Kind::Symbol;
    return Error::success();
  });
}

Error ArgumentReader::readValue(StringRef key, const Json &value,
                                Argument &argument) {
  using Kind = Argument::Kind;
  auto numbers = [&](Kind kind, auto &into, bool isRight) -> Error {
    if (!isRight)
      return malformed("argument '" + key + "' is of another type");
    argument.kind = kind;
    value.get_to(into.emplace_back());
    return Error::success();
  };
  auto lists = [&](Kind kind, auto &into, auto isRight) -> Error {
    argument.kind = kind;
    return readEach(value, "numbers", [&](const Json &element) -> Error {
      if (!isRight(element))
        return malformed("argument '" + key + "' is of another type");
      element.get_to(into.emplace_back());
      return Error::success();
    });
  };
  auto isInteger = [](const Json &json) { return json.is_number_integer(); };
  auto isNumber = [](const Json &json) { return json.is_number(); };
  if (key == "as_none")
    return Error::success();
  if (key == "as_tensor") {
    argument.kind = Kind::Tensor;
    MPC_TRY_ASSIGN(std::string name, readText(value, "name"));
    argument.names.push_back(std::move(name));
    return Error::success();
  }
  if (key == "as_tensors" || key == "as_optional_tensors")
    return readNames(value, argument);
  if (key == "as_optional_tensor") {
    MPC_TRY_ASSIGN(argument, read(value));
    return Error::success();
  }
  if (key == "as_int")
    return numbers(Kind::Int, argument.ints, value.is_number_integer());
  if (key == "as_float") {
    // What JSON has no number for is a text: "Infinity", "-Infinity", "NaN".
    argument.kind = Kind::Float;
    if (value.is_string())
      return to_float(value.get<std::string>(), argument.floats.emplace_back())
                 ? Error::success()
                 : malformed("argument '" + key + "' is no number");
    return numbers(Kind::Float, argument.floats, value.is_number());
  }
  if (key == "as_bool") {
    if (!value.is_boolean())
      return malformed("argument '" + key + "' is of another type");
    argument.kind = Kind::Bool;
    argument.ints.push_back(value.get<bool>());
    return Error::success();
  }
  if (key == "as_scalar_type")
    return numbers(Kind::DType, argument.ints, value.is_number_integer());
  if (key == "as_ints")
    return lists(Kind::Ints, argument.ints, isInteger);
  if (key == "as_floats")
    return lists(Kind::Floats, argument.floats, isNumber);
  if (key == "as_string") {
    if (!value.is_string())
      return malformed("argument '" + key + "' is of another type");
    argument.kind = Kind::Text;
    argument.text = value.get<std::string>();
    return Error::success();
  }
  if (key == "as_sym_int") {
    MPC_TRY_ASSIGN(std::optional<int64_t> size, readSize(value));
    argument.kind = size ? Kind::Int : Kind::Symbol;
    if (size)
      argument.ints.push_back(*size);
    return Error::success();
  }
  if (key == "as_sym_ints")
    return readSymbols(value, argument);
  if (key == "as_graph") {
    argument.kind = Kind::Graph;
    MPC_TRY_ASSIGN(Graph graph, readGraph(field(value, "graph"), depth_ + 1));
    argument.graph = std::make_shared<const Graph>(std::move(graph));
    return Error::success();
  }
  argument.kind = Kind::Ignored;
  return Error::success();
}

/// {"as_KIND": value}
Expected<Argument> ArgumentReader::read(const Json &json) {
  if (!json.is_object() || json.size() != 1)
    return malformed("expected an argument");
  Argument argument;
  MPC_TRY(readValue(json.begin().key(), json.begin().value(), argument));
  return argument;
}

/// "L__self__,,M;L__self___a,a,torch.nn.Linear": the innermost module's path.
std::string moduleOf(StringRef stack) {
  StringRef innermost = stack.rsplit(';').second;
  if (innermost.empty())
    innermost = stack;
  return innermost.split(',').second.split(',').first.str();
}

/// The line of the user's among those of a traceback: the last that lies in no
/// library. Folders stay behind: a message says the file's name.
std::string sourceOf(StringRef trace) {
  std::string found;
  SmallVector<StringRef> lines;
  trace.split(lines, '\n');
  for (StringRef line : lines) {
    StringRef text = line.trim();
    if (!text.consume_front("File \"") || text.contains("/site-packages/") ||
        text.contains("/dist-packages/"))
      continue;
    auto [path, rest] = text.split("\", line ");
    StringRef file = path.rsplit('/').second;
    found = ((file.empty() ? path : file) + ":" + rest.split(',').first).str();
  }
  return found;
}

Expected<Node> readNode(const Json &json, size_t depth) {
  Node node;
  MPC_TRY_ASSIGN(node.target, readText(json, "target"));
  ArgumentReader arguments(depth);
  MPC_TRY(readEach(
      field(json, "inputs"), "inputs", [&](const Json &input) -> Error {
        NamedArgument &named = node.inputs.emplace_back();
        MPC_TRY_ASSIGN(named.name, readText(input, "name"));
        MPC_TRY_ASSIGN(named.value, arguments.read(field(input, "arg")));
        return Error::success();
      }));
  MPC_TRY(readEach(field(json, "outputs"), "outputs",
                   [&](const Json &output) -> Error {
                     MPC_TRY_ASSIGN(Argument value, arguments.read(output));
                     node.outputs.push_back(std::move(value));
                     return Error::success();
                   }));
  const Json &metadata = field(json, "metadata");
  if (field(metadata, "nn_module_stack").is_string())
    node.module = moduleOf(metadata["nn_module_stack"].get<std::string>());
  if (field(metadata, "stack_trace").is_string())
    node.source = sourceOf(metadata["stack_trace"].get<std::string>());
  return node;
}

Expected<Graph> readGraph(const Json &json, size_t depth) {
  Graph graph;
  ArgumentReader arguments(depth);
  auto readList = [&](const char *key, std::vector<Argument> &into) {
    return readEach(field(json, key), key, [&](const Json &element) -> Error {
      MPC_TRY_ASSIGN(Argument value, arguments.read(element));
      into.push_back(std::move(value));
      return Error::success();
    });
  };
  MPC_TRY(readList("inputs", graph.inputs));
  MPC_TRY(readList("outputs", graph.outputs));
  MPC_TRY(readEach(field(json, "nodes"), "nodes",
                   [&](const Json &element) -> Error {
                     MPC_TRY_ASSIGN(Node node, readNode(element, depth));
                     graph.nodes.push_back(std::move(node));
                     return Error::success();
                   }));
  const Json &values = field(json, "tensor_values");
  if (!values.is_object())
    return malformed("a graph has no 'tensor_values'");
  for (const auto &[name, meta] : values.items()) {
    MPC_TRY_ASSIGN(graph.values[name], readTensorMeta(meta));
  }
  return graph;
}

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

/// What stands at the field that the object's only key names.
struct Tagged {
  StringRef tag;
  const Json &value;
};

Expected<Tagged> readTagged(const Json &json) {
  if (!json.is_object() || json.size() != 1)
    return malformed("expected an entry of the signature");
  auto entry = json.begin();
  return Tagged{entry.key(), entry.value()};
}

/// The name of {"name": NAME} or {"as_tensor": {"name": NAME}}.
Expected<std::string> readValueName(const Json &arg) {
  const Json &tensor = field(arg, "as_tensor");
  return readText(tensor.is_null() ? arg : tensor, "name");
}

Error readInputSpec(const Json &json, std::vector<InputSpec> &specs) {
  using Kind = InputSpec::Kind;
  MPC_TRY_ASSIGN(Tagged entry, readTagged(json));
  const Json &arg = field(entry.value, "arg");
  InputSpec spec{Kind::User, {}, {}};
  const char *nameKey = nullptr;
  if (entry.tag == "parameter") {
    spec.kind = Kind::Parameter;
    nameKey = "parameter_name";
  } else if (entry.tag == "buffer") {
    spec.kind = Kind::Buffer;
    nameKey = "buffer_name";
  } else if (entry.tag == "tensor_constant") {
    spec.kind = Kind::Constant;
    nameKey = "tensor_constant_name";
  } else if (entry.tag == "constant_input") {
    // A Python number or None, which the exporter has compiled in.
    return Error::success();
  } else if (entry.tag != "user_input") {
    return invalidModel("inputs of kind '" + printable(entry.tag) +
                        "' are not supported");
  } else if (field(arg, "as_tensor").is_null()) {
    return Error::success();
  }
  MPC_TRY_ASSIGN(spec.value, readValueName(arg));
  if (nameKey) {
    MPC_TRY_ASSIGN(spec.state, readText(entry.value, nameKey));
  }
  specs.push_back(std::move(spec));
  return Error::success();
}

Error readOutputSpec(const Json &json, std::vector<OutputSpec> &specs) {
  MPC_TRY_ASSIGN(Tagged entry, readTagged(json));
  const Json &arg = field(entry.value, "arg");
  OutputSpec spec{OutputSpec::Kind::User, {}, {}};
  if (entry.tag == "buffer_mutation") {
    spec.kind = OutputSpec::Kind::BufferMutation;
    MPC_TRY_ASSIGN(spec.state, readText(entry.value, "buffer_name"));
  } else if (entry.tag == "user_output" || entry.tag == "loss_output") {
    if (field(arg, "as_tensor").is_null() && field(arg, "name").is_null())
      return Error::success();
  } else {
    return invalidModel("outputs of kind '" + printable(entry.tag) +
                        "' are not supported");
  }
  MPC_TRY_ASSIGN(spec.value, readValueName(arg));
  specs.push_back(std::move(spec));
  return Error::success();
}

Error checkVersion(const Json &json) {
  const Json &major = field(field(json, "schema_version"), "major");
  if (!major.is_number_integer())
    return invalidModel("is no exported program: it says no version of its "
                        "schema");
  if (major.get<int64_t>() == kMajorVersion)
    return Error::success();
  return invalidModel("has version " + Twine(major.get<int64_t>()) +
                      " of the schema of exported programs, this mpc reads " +
                      Twine(kMajorVersion) +
                      "; export it with another version of PyTorch");
}

Expected<Program> readChecked(StringRef text, StringRef path) {
  MPC_TRY_ASSIGN(Json json, parseJson(text, "the program"));
  MPC_TRY(checkVersion(json));
  Program program;
  program.path = path.str();
  const Json &module = field(json, "graph_module");
  MPC_TRY_ASSIGN(program.graph, readGraph(field(module, "graph"), 0));
  const Json &signature = field(module, "signature");
  MPC_TRY(readEach(
      field(signature, "input_specs"), "input specs",
      [&](const Json &spec) { return readInputSpec(spec, program.inputs); }));
  MPC_TRY(readEach(
      field(signature, "output_specs"), "output specs",
      [&](const Json &spec) { return readOutputSpec(spec, program.outputs); }));
  return program;
}

} // namespace

StringRef Node::op() const {
  StringRef name = target;
  name.consume_front("torch.ops.aten.");
  return name;
}

std::optional<rt::DType> dtypeOfScalarType(int64_t scalarType) {
  for (auto [number, dtype] : kScalarTypes)
    if (number == scalarType)
      return dtype;
  return std::nullopt;
}

Expected<Program> readProgram(StringRef json, StringRef path) {
  Expected<Program> program = readChecked(json, path);
  if (!program)
    return prefixed(path, program.takeError());
  return program;
}

} // namespace mpc::exported
