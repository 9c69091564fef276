// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's messages as onnx.proto declares them: the names of their fields, for
/// what is said of damaged files, and which of them may be repeated.
#ifndef MPC_LIB_IMPORT_ONNX_MESSAGETYPES_H
#define MPC_LIB_IMPORT_ONNX_MESSAGETYPES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mpc::onnx {

struct FieldType {
  uint32_t number;
  const char *name;
  bool repeated = false;
};

struct MessageType {
  const char *name;
  llvm::ArrayRef<FieldType> fields;

  /// Null for a field that is newer than this table.
  const FieldType *find(uint32_t number) const {
    for (const FieldType &field : fields)
      if (field.number == number)
        return &field;
    return nullptr;
  }
};

namespace message {

inline constexpr bool repeated = true;

inline constexpr FieldType modelFields[] = {{1, "ir_version"},
                                            {2, "producer_name"},
                                            {3, "producer_version"},
                                            {4, "domain"},
                                            {5, "model_version"},
                                            {6, "doc_string"},
                                            {7, "graph"},
                                            {8, "opset_import", repeated},
                                            {14, "metadata_props", repeated},
                                            {20, "training_info", repeated},
                                            {25, "functions", repeated},
                                            {26, "configuration", repeated}};
inline const MessageType model{"ModelProto", modelFields};

inline constexpr FieldType opsetFields[] = {{1, "domain"}, {2, "version"}};
inline const MessageType opset{"OperatorSetIdProto", opsetFields};

inline constexpr FieldType graphFields[] = {
    {1, "node", repeated},
    {2, "name"},
    {5, "initializer", repeated},
    {10, "doc_string"},
    {11, "input", repeated},
    {12, "output", repeated},
    {13, "value_info", repeated},
    {14, "quantization_annotation", repeated},
    {15, "sparse_initializer", repeated},
    {16, "metadata_props", repeated}};
inline const MessageType graph{"GraphProto", graphFields};

inline constexpr FieldType nodeFields[] = {
    {1, "input", repeated},
    {2, "output", repeated},
    {3, "name"},
    {4, "op_type"},
    {5, "attribute", repeated},
    {6, "doc_string"},
    {7, "domain"},
    {8, "overload"},
    {9, "metadata_props", repeated},
    {10, "device_configurations", repeated}};
inline const MessageType node{"NodeProto", nodeFields};

inline constexpr FieldType attributeFields[] = {
    {1, "name"},
    {2, "f"},
    {3, "i"},
    {4, "s"},
    {5, "t"},
    {6, "g"},
    {7, "floats", repeated},
    {8, "ints", repeated},
    {9, "strings", repeated},
    {10, "tensors", repeated},
    {11, "graphs", repeated},
    {13, "doc_string"},
    {14, "tp"},
    {15, "type_protos", repeated},
    {20, "type"},
    {21, "ref_attr_name"},
    {22, "sparse_tensor"},
    {23, "sparse_tensors", repeated}};
inline const MessageType attribute{"AttributeProto", attributeFields};

inline constexpr FieldType functionFields[] = {
    {1, "name"},
    {4, "input", repeated},
    {5, "output", repeated},
    {6, "attribute", repeated},
    {7, "node", repeated},
    {8, "doc_string"},
    {9, "opset_import", repeated},
    {10, "domain"},
    {11, "attribute_proto", repeated},
    {12, "value_info", repeated},
    {13, "overload"},
    {14, "metadata_props", repeated}};
inline const MessageType function{"FunctionProto", functionFields};

inline constexpr FieldType tensorFields[] = {{1, "dims", repeated},
                                             {2, "data_type"},
                                             {3, "segment"},
                                             {4, "float_data", repeated},
                                             {5, "int32_data", repeated},
                                             {6, "string_data", repeated},
                                             {7, "int64_data", repeated},
                                             {8, "name"},
                                             {9, "raw_data"},
                                             {10, "double_data", repeated},
                                             {11, "uint64_data", repeated},
                                             {12, "doc_string"},
                                             {13, "external_data", repeated},
                                             {14, "data_location"},
                                             {16, "metadata_props", repeated}};
inline const MessageType tensor{"TensorProto", tensorFields};

inline constexpr FieldType sparseTensorFields[] = {
    {1, "values"}, {2, "indices"}, {3, "dims", repeated}};
inline const MessageType sparseTensor{"SparseTensorProto", sparseTensorFields};

inline constexpr FieldType stringPairFields[] = {{1, "key"}, {2, "value"}};
inline const MessageType stringPair{"StringStringEntryProto", stringPairFields};

inline constexpr FieldType valueInfoFields[] = {
    {1, "name"},
    {2, "type"},
    {3, "doc_string"},
    {4, "metadata_props", repeated}};
inline const MessageType valueInfo{"ValueInfoProto", valueInfoFields};

inline constexpr FieldType typeFields[] = {
    {1, "tensor_type"}, {4, "sequence_type"},      {5, "map_type"},
    {6, "denotation"},  {8, "sparse_tensor_type"}, {9, "optional_type"}};
inline const MessageType type{"TypeProto", typeFields};

inline constexpr FieldType tensorTypeFields[] = {{1, "elem_type"},
                                                 {2, "shape"}};
inline const MessageType tensorType{"TypeProto.Tensor", tensorTypeFields};

inline constexpr FieldType shapeFields[] = {{1, "dim", repeated}};
inline const MessageType shape{"TensorShapeProto", shapeFields};

inline constexpr FieldType dimensionFields[] = {
    {1, "dim_value"}, {2, "dim_param"}, {3, "denotation"}};
inline const MessageType dimension{"TensorShapeProto.Dimension",
                                   dimensionFields};

} // namespace message

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_MESSAGETYPES_H
