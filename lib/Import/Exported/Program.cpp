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

/// Reads an argument or a result: {"as_KIND": value}.
class ArgumentReader {
public:
  Expected<Argument> read(const Json &json) const;

private:
  using Kind = Argument::Kind;

  /// How a kind is read.
  struct Row {
    StringLiteral key;
    Error (ArgumentReader::*read)(const Json &value, Argument &argument) const;
  };
  static const Row kRows[];

  Error readNone(const Json &, Argument &) const { return Error::success(); }
  Error readTensor(const Json &value, Argument &argument) const;
  Error readTensors(const Json &list, Argument &argument) const;
  Error readOptional(const Json &value, Argument &argument) const;
  template <Kind kind>
  Error readInteger(const Json &value, Argument &argument) const;
  Error readIntegers(const Json &list, Argument &argument) const;
  Error readFloat(const Json &value, Argument &argument) const;
  Error readFloats(const Json &list, Argument &argument) const;
  Error readComplex(const Json &value, Argument &argument) const;
  Error readBool(const Json &value, Argument &argument) const;
  Error readString(const Json &value, Argument &argument) const;
  Error readSymbol(const Json &value, Argument &argument) const;
  Error readSymbols(const Json &list, Argument &argument) const;
  Error readScalar(const Json &value, Argument &argument) const;
  Error readSubgraph(const Json &value, Argument &argument) const;
};

/// What has no row is a device, a layout or a memory format.
const ArgumentReader::Row ArgumentReader::kRows[] = {
    {"as_bool", &ArgumentReader::readBool},
    {"as_complex", &ArgumentReader::readComplex},
    {"as_float", &ArgumentReader::readFloat},
    {"as_floats", &ArgumentReader::readFloats},
    {"as_graph", &ArgumentReader::readSubgraph},
    {"as_int", &ArgumentReader::readInteger<Kind::Int>},
    {"as_ints", &ArgumentReader::readIntegers},
    {"as_none", &ArgumentReader::readNone},
    {"as_optional_tensor", &ArgumentReader::readOptional},
    {"as_optional_tensors", &ArgumentReader::readTensors},
    {"as_scalar_type", &ArgumentReader::readInteger<Kind::DType>},
    {"as_string", &ArgumentReader::readString},
    {"as_sym_bool", &ArgumentReader::readScalar},
    {"as_sym_float", &ArgumentReader::readScalar},
    {"as_sym_int", &ArgumentReader::readSymbol},
    {"as_sym_ints", &ArgumentReader::readSymbols},
    {"as_tensor", &ArgumentReader::readTensor},
    {"as_tensors", &ArgumentReader::readTensors},
};

Error ofAnotherType() { return malformed("an argument is of another type"); }

Expected<Graph> readGraph(const Json &json);

Error ArgumentReader::readTensor(const Json &value, Argument &argument) const {
  argument.kind = Kind::Tensor;
  MPC_TRY_ASSIGN(std::string name, readText(value, "name"));
  argument.names.push_back(std::move(name));
  return Error::success();
}

Error ArgumentReader::readTensors(const Json &list, Argument &argument) const {
  argument.kind = Kind::Tensors;
  return readEach(list, "tensors", [&](const Json &element) -> Error {
    if (element.is_object() && element.contains("as_none")) {
      argument.names.emplace_back();
      return Error::success();
    }
    const Json &present = field(element, "as_tensor");
    MPC_TRY_ASSIGN(std::string name,
                   readText(present.is_null() ? element : present, "name"));
    argument.names.push_back(std::move(name));
    return Error::success();
  });
}

Error ArgumentReader::readOptional(const Json &value,
                                   Argument &argument) const {
  MPC_TRY_ASSIGN(argument, read(value));
  return Error::success();
}

template <Argument::Kind kind>
Error ArgumentReader::readInteger(const Json &value, Argument &argument) const {
  if (!value.is_number_integer())
    return ofAnotherType();
  argument.kind = kind;
  argument.ints.push_back(value.get<int64_t>());
  return Error::success();
}

Error ArgumentReader::readIntegers(const Json &list, Argument &argument) const {
  argument.kind = Kind::Ints;
  return readEach(list, "numbers", [&](const Json &element) -> Error {
    if (!element.is_number_integer())
      return ofAnotherType();
    argument.ints.push_back(element.get<int64_t>());
    return Error::success();
  });
}

/// What JSON has no number for is a text: "Infinity", "-Infinity", "NaN".
Error ArgumentReader::readFloat(const Json &value, Argument &argument) const {
  argument.kind = Kind::Float;
  double &number = argument.floats.emplace_back();
  if (value.is_number())
    value.get_to(number);
  else if (!value.is_string() || !to_float(value.get<std::string>(), number))
    return ofAnotherType();
  return Error::success();
}

Error ArgumentReader::readFloats(const Json &list, Argument &argument) const {
  argument.kind = Kind::Floats;
  return readEach(list, "numbers", [&](const Json &element) -> Error {
    if (!element.is_number())
      return ofAnotherType();
    argument.floats.push_back(element.get<double>());
    return Error::success();
  });
}

Error ArgumentReader::readComplex(const Json &value, Argument &argument) const {
  MPC_TRY(readFloat(field(value, "real"), argument));
  MPC_TRY(readFloat(field(value, "imag"), argument));
  argument.kind = Kind::Complex;
  return Error::success();
}

Error ArgumentReader::readBool(const Json &value, Argument &argument) const {
  if (!value.is_boolean())
    return ofAnotherType();
  argument.kind = Kind::Bool;
  argument.ints.push_back(value.get<bool>());
  return Error::success();
}

Error ArgumentReader::readString(const Json &value, Argument &argument) const {
  if (!value.is_string())
    return ofAnotherType();
  argument.kind = Kind::Text;
  argument.text = value.get<std::string>();
  return Error::success();
}

static void addSymbol(const Json &value, Argument &argument) {
  argument.kind = Argument::Kind::Symbol;
  const Json &name = field(value, "as_name");
  if (name.is_string())
    argument.symbols.push_back(name.get<std::string>());
}

/// A size, which may be known by name alone.
Error ArgumentReader::readSymbol(const Json &value, Argument &argument) const {
  MPC_TRY_ASSIGN(std::optional<int64_t> size, readSize(value));
  argument.kind = Kind::Int;
  if (size)
    argument.ints.push_back(*size);
  else
    addSymbol(value, argument);
  return Error::success();
}

/// A truth or a floating-point number that is computed when a step runs.
Error ArgumentReader::readScalar(const Json &value, Argument &argument) const {
  addSymbol(value, argument);
  return Error::success();
}

Error ArgumentReader::readSymbols(const Json &list, Argument &argument) const {
  argument.kind = Kind::Ints;
  return readEach(list, "sizes", [&](const Json &element) -> Error {
    MPC_TRY_ASSIGN(std::optional<int64_t> size, readSize(element));
    if (size)
      argument.ints.push_back(*size);
    else
      addSymbol(element, argument);
    return Error::success();
  });
}

Error ArgumentReader::readSubgraph(const Json &value,
                                   Argument &argument) const {
  argument.kind = Kind::Graph;
  MPC_TRY_ASSIGN(Graph graph, readGraph(field(value, "graph")));
  argument.graph = std::make_shared<const Graph>(std::move(graph));
  return Error::success();
}

Expected<Argument> ArgumentReader::read(const Json &json) const {
  if (!json.is_object() || json.size() != 1)
    return malformed("expected an argument");
  Argument argument;
  argument.kind = Kind::Ignored;
  auto entry = json.begin();
  for (const Row &row : kRows) {
    if (row.key != entry.key())
      continue;
    argument.kind = Kind::None;
    MPC_TRY((this->*row.read)(entry.value(), argument));
  }
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

Expected<Node> readNode(const Json &json) {
  Node node;
  MPC_TRY_ASSIGN(node.target, readText(json, "target"));
  ArgumentReader arguments;
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

Expected<Graph> readGraph(const Json &json) {
  Graph graph;
  ArgumentReader arguments;
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
                     MPC_TRY_ASSIGN(Node node, readNode(element));
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
    return invalidModel("is not an exported program: it does not say the "
                        "version of its schema");
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
  MPC_TRY_ASSIGN(program.graph, readGraph(field(module, "graph")));
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

std::string Node::place() const {
  std::string place = printable(op());
  if (!module.empty())
    place += " in module '" + printable(module) + "'";
  if (!source.empty())
    place += " (" + printable(source) + ")";
  return place;
}

const Argument *Node::find(StringRef name) const {
  for (const NamedArgument &argument : inputs)
    if (argument.name == name)
      return argument.value.kind == Argument::Kind::None ? nullptr
                                                         : &argument.value;
  return nullptr;
}

std::optional<rt::DType> dtypeOfScalarType(int64_t scalarType) {
  for (auto [number, dtype] : kScalarTypes)
    if (number == scalarType)
      return dtype;
  return std::nullopt;
}

Expected<const TensorMeta *> metaOf(const Graph &graph, StringRef name) {
  auto meta = graph.values.find(name);
  if (meta == graph.values.end())
    return invalidModel("the file does not say what '" + printable(name) +
                        "' is");
  if (meta->second.hasSymbolicSize)
    return invalidModel("'" + printable(name) +
                        "' has a size that the export leaves open: export "
                        "without dynamic_shapes");
  return &meta->second;
}

Expected<rt::DType> dtypeOf(const TensorMeta &meta) {
  if (meta.dtype)
    return *meta.dtype;
  return invalidModel(
      "a result has a type that mpc does not have (torch's number " +
      Twine(meta.scalarType) + ")");
}

Expected<Program> readProgram(StringRef json, StringRef path) {
  Expected<Program> program = readChecked(json, path);
  if (!program)
    return prefixed(path, program.takeError());
  return program;
}

} // namespace mpc::exported
