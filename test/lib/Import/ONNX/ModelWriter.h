// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes small ONNX models, well-formed or not, for the tests of the reader.
#ifndef MPC_TEST_LIB_IMPORT_ONNX_MODELWRITER_H
#define MPC_TEST_LIB_IMPORT_ONNX_MODELWRITER_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mpc::onnx {

using protozero::pbf_writer;

/// A size, or a name for an open one.
using TestDim = std::variant<int64_t, std::string>;

/// The bytes of an AttributeProto.
struct TestAttribute {
  std::string bytes;

  static TestAttribute integer(const std::string &name, int64_t value) {
    return make(name, 2, [&](pbf_writer &w) { w.add_int64(3, value); });
  }
  static TestAttribute real(const std::string &name, float value) {
    return make(name, 1, [&](pbf_writer &w) { w.add_float(2, value); });
  }
  static TestAttribute text(const std::string &name, const std::string &value) {
    return make(name, 3, [&](pbf_writer &w) { w.add_bytes(4, value); });
  }
  static TestAttribute integers(const std::string &name,
                                const std::vector<int64_t> &values) {
    return make(name, 7, [&](pbf_writer &w) {
      for (int64_t value : values)
        w.add_int64(8, value);
    });
  }
  static TestAttribute reals(const std::string &name,
                             const std::vector<float> &values) {
    return make(name, 6, [&](pbf_writer &w) {
      for (float value : values)
        w.add_float(7, value);
    });
  }
  static TestAttribute texts(const std::string &name,
                             const std::vector<std::string> &values) {
    return make(name, 8, [&](pbf_writer &w) {
      for (const std::string &value : values)
        w.add_bytes(9, value);
    });
  }
  /// Field by field, as a writer that makes mistakes does.
  static TestAttribute raw(auto add) {
    TestAttribute attribute;
    pbf_writer writer(attribute.bytes);
    add(writer);
    return attribute;
  }
  /// The bytes of a GraphProto.
  static TestAttribute graph(const std::string &name,
                             const std::string &value) {
    return make(name, 5, [&](pbf_writer &w) { w.add_message(6, value); });
  }
  /// In a function: what the call says of its attribute `source`.
  static TestAttribute reference(const std::string &name,
                                 const std::string &source) {
    return raw([&](pbf_writer &w) {
      w.add_bytes(1, name);
      w.add_bytes(21, source);
    });
  }
  static TestAttribute tensor(const std::string &name,
                              const std::string &value) {
    return make(name, 4, [&](pbf_writer &w) { w.add_message(5, value); });
  }

private:
  static TestAttribute make(const std::string &name, int type, auto add) {
    TestAttribute attribute;
    pbf_writer writer(attribute.bytes);
    writer.add_bytes(1, name);
    add(writer);
    writer.add_int32(20, type);
    return attribute;
  }
};

/// The bytes of a TensorProto whose data is `raw`.
inline std::string testTensor(const std::string &name, ElemType type,
                              const std::vector<int64_t> &shape,
                              const std::string &raw) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (int64_t size : shape)
    writer.add_int64(1, size);
  writer.add_int32(2, static_cast<int32_t>(type));
  writer.add_bytes(8, name);
  writer.add_bytes(9, raw);
  return bytes;
}

template <typename T>
std::string rawOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}

/// The bytes of a TensorProto with external data.
inline std::string
externalTensor(const std::string &name, const std::vector<int64_t> &shape,
               const std::vector<std::pair<std::string, std::string>> &keys) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (int64_t size : shape)
    writer.add_int64(1, size);
  writer.add_int32(2, static_cast<int32_t>(ElemType::Float));
  writer.add_bytes(8, name);
  for (const auto &[key, value] : keys) {
    pbf_writer entry(writer, 13);
    entry.add_bytes(1, key);
    entry.add_bytes(2, value);
  }
  writer.add_int32(14, 1);
  return bytes;
}

/// The bytes of a NodeProto.
inline std::string testNode(const std::string &opType,
                            const std::vector<std::string> &inputs,
                            const std::vector<std::string> &outputs,
                            const std::vector<TestAttribute> &attributes = {},
                            const std::string &name = "n",
                            const std::string &domain = "") {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const std::string &input : inputs)
    writer.add_bytes(1, input);
  for (const std::string &output : outputs)
    writer.add_bytes(2, output);
  writer.add_bytes(3, name);
  writer.add_bytes(4, opType);
  for (const TestAttribute &attribute : attributes)
    writer.add_message(5, attribute.bytes);
  if (!domain.empty())
    writer.add_bytes(7, domain);
  return bytes;
}

/// A FunctionProto, of opset 20.
struct TestFunction {
  std::string domain, name;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> nodes;
  /// Attributes with what they are where a call says nothing.
  std::vector<TestAttribute> defaults = {};

  std::string bytes() const {
    std::string text;
    pbf_writer writer(text);
    writer.add_bytes(1, name);
    for (const std::string &input : inputs)
      writer.add_bytes(4, input);
    for (const std::string &output : outputs)
      writer.add_bytes(5, output);
    for (const std::string &node : nodes)
      writer.add_message(7, node);
    {
      pbf_writer opset(writer, 9);
      opset.add_bytes(1, "");
      opset.add_int64(2, 20);
    }
    writer.add_bytes(10, domain);
    for (const TestAttribute &attribute : defaults)
      writer.add_message(11, attribute.bytes);
    return text;
  }
};

class ModelWriter {
public:
  ModelWriter &opset(int64_t version, const std::string &domain = "") {
    opsets_.emplace_back(domain, version);
    return *this;
  }
  ModelWriter &input(const std::string &name, ElemType type,
                     const std::vector<TestDim> &shape) {
    pbf_writer(graph_).add_message(11, valueInfo(name, type, shape));
    return *this;
  }
  ModelWriter &output(const std::string &name, ElemType type,
                      const std::vector<TestDim> &shape) {
    pbf_writer(graph_).add_message(12, valueInfo(name, type, shape));
    return *this;
  }
  /// What the file says of a value in between.
  ModelWriter &value(const std::string &name, ElemType type,
                     const std::vector<TestDim> &shape) {
    pbf_writer(graph_).add_message(13, valueInfo(name, type, shape));
    return *this;
  }
  /// The record of PyTorch's exporter that initializer `name` is a buffer.
  ModelWriter &bufferRecord(const std::string &name) {
    std::string info, entry;
    pbf_writer pair(entry);
    pair.add_bytes(1, "pkg.torch.export.graph_signature.InputSpec.kind");
    pair.add_bytes(2, "BUFFER");
    pbf_writer writer(info);
    writer.add_bytes(1, name);
    writer.add_message(4, entry);
    pbf_writer(graph_).add_message(13, info);
    return *this;
  }
  /// Field `number` of the graph, as it is.
  ModelWriter &field(uint32_t number, const std::string &bytes) {
    pbf_writer(graph_).add_message(number, bytes);
    return *this;
  }
  ModelWriter &irVersion(int64_t version) {
    irVersion_ = version;
    return *this;
  }
  /// An output that says nothing but its name.
  ModelWriter &output(const std::string &name) {
    pbf_writer writer(graph_);
    pbf_writer info(writer, 12);
    info.add_bytes(1, name);
    return *this;
  }
  ModelWriter &initializer(const std::string &tensor) {
    pbf_writer(graph_).add_message(5, tensor);
    return *this;
  }
  /// Float zeros.
  ModelWriter &weight(const std::string &name,
                      const std::vector<int64_t> &shape) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return initializer(
        testTensor(name, ElemType::Float, shape, std::string(count * 4, '\0')));
  }
  ModelWriter &ints(const std::string &name,
                    const std::vector<int64_t> &values) {
    return initializer(testTensor(name, ElemType::Int64,
                                  {static_cast<int64_t>(values.size())},
                                  rawOf(values)));
  }
  ModelWriter &node(const std::string &opType,
                    const std::vector<std::string> &inputs,
                    const std::vector<std::string> &outputs,
                    const std::vector<TestAttribute> &attributes = {},
                    const std::string &name = "n",
                    const std::string &domain = "") {
    return field(1,
                 testNode(opType, inputs, outputs, attributes, name, domain));
  }
  ModelWriter &function(const TestFunction &function) {
    functions_.push_back(function.bytes());
    return *this;
  }

  /// The graph alone, as an attribute holds it.
  const std::string &graph() const { return graph_; }

  std::string bytes() const {
    std::string model;
    pbf_writer writer(model);
    writer.add_int64(1, irVersion_);
    writer.add_message(7, graph_);
    for (const auto &[domain, version] : opsets_) {
      pbf_writer entry(writer, 8);
      entry.add_bytes(1, domain);
      entry.add_int64(2, version);
    }
    for (const std::string &function : functions_)
      writer.add_message(25, function);
    return model;
  }

private:
  static std::string valueInfo(const std::string &name, ElemType type,
                               const std::vector<TestDim> &shape) {
    std::string bytes;
    pbf_writer info(bytes);
    info.add_bytes(1, name);
    pbf_writer proto(info, 2);
    pbf_writer tensor(proto, 1);
    tensor.add_int32(1, static_cast<int32_t>(type));
    // A scalar has a shape, too: one without a dimension.
    std::string dimsBytes;
    pbf_writer dims(dimsBytes);
    for (const TestDim &dim : shape) {
      pbf_writer entry(dims, 1);
      if (const auto *size = std::get_if<int64_t>(&dim))
        entry.add_int64(1, *size);
      else
        entry.add_bytes(2, std::get<std::string>(dim));
    }
    tensor.add_message(2, dimsBytes);
    tensor.commit();
    proto.commit();
    return bytes;
  }

  int64_t irVersion_ = 10;
  std::string graph_;
  std::vector<std::string> functions_;
  std::vector<std::pair<std::string, int64_t>> opsets_;
};

} // namespace mpc::onnx

#endif // MPC_TEST_LIB_IMPORT_ONNX_MODELWRITER_H
