// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Models of one node, for tests of what it becomes.
#ifndef MPC_TEST_LIB_IMPORT_ONNX_ONENODE_H
#define MPC_TEST_LIB_IMPORT_ONNX_ONENODE_H

#include "Importing.h"

#include <gtest/gtest.h>

namespace mpc::onnx {

inline constexpr ElemType kF32 = ElemType::Float;
inline constexpr ElemType kI64 = ElemType::Int64;
inline constexpr ElemType kBool = ElemType::Bool;
using A = TestAttribute;

struct In {
  std::string name;
  std::vector<int64_t> shape;
  ElemType type = kF32;
};

/// A model of one node over graph inputs and integer initializers.
struct OneNode {
  std::string op;
  std::vector<In> inputs;
  std::vector<TestAttribute> attributes = {};
  std::vector<std::pair<std::string, std::vector<int64_t>>> ints = {};
  std::vector<std::string> outputs = {"y"};
  int64_t opset = 20;
};

inline Outcome import(const OneNode &test) {
  ModelWriter writer;
  writer.opset(test.opset);
  std::vector<std::string> names;
  for (const In &input : test.inputs) {
    names.push_back(input.name);
    if (!input.name.empty())
      writer.input(
          input.name, input.type,
          std::vector<TestDim>(input.shape.begin(), input.shape.end()));
  }
  for (const auto &[name, values] : test.ints) {
    names.push_back(name);
    writer.ints(name, values);
  }
  writer.node(test.op, names, test.outputs, test.attributes);
  for (const std::string &output : test.outputs)
    writer.output(output);
  return importWritten(writer);
}

/// The error of a one-node model without its place.
inline std::string errorOf(const OneNode &test) {
  std::string error = import(test).error;
  std::string place = "m.onnx: node 'n' (" + test.op + ", opset " +
                      std::to_string(test.opset) + "): ";
  EXPECT_EQ(error.rfind(place, 0), 0u) << error;
  return error.substr(std::min(place.size(), error.size()));
}

inline testing::AssertionResult contains(const Outcome &outcome,
                                         const std::string &text) {
  if (outcome.module.find(text) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << text << " in\n"
                                     << outcome.module << outcome.error;
}

} // namespace mpc::onnx

#endif // MPC_TEST_LIB_IMPORT_ONNX_ONENODE_H
