// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's messages as onnx.proto declares them: the names of their fields, for
/// errors about damaged files, and which fields may be repeated.
#ifndef MPC_LIB_IMPORT_ONNX_READ_MESSAGETYPES_H
#define MPC_LIB_IMPORT_ONNX_READ_MESSAGETYPES_H

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

  /// Null for a field that this table does not have.
  const FieldType *find(uint32_t number) const {
    for (const FieldType &field : fields)
      if (field.number == number)
        return &field;
    return nullptr;
  }
};

namespace message {

inline constexpr bool kRepeated = true;

inline constexpr FieldType kModelFields[] = {{1, "ir_version"},
                                             {2, "producer_name"},
                                             {3, "producer_version"},
                                             {4, "domain"},
                                             {5, "model_version"},
                                             {6, "doc_string"},
                                             {7, "graph"},
                                             {8, "opset_import", kRepeated},
                                             {14, "metadata_props", kRepeated},
                                             {20, "training_info", kRepeated},
                                             {25, "functions", kRepeated},
                                             {26, "configuration", kRepeated}};
inline const MessageType kModel{"ModelProto", kModelFields};

inline constexpr FieldType kOpsetFields[] = {{1, "domain"}, {2, "version"}};
inline const MessageType kOpset{"OperatorSetIdProto", kOpsetFields};

inline constexpr FieldType kGraphFields[] = {
    {1, "node", kRepeated},
    {2, "name"},
    {5, "initializer", kRepeated},
    {10, "doc_string"},
    {11, "input", kRepeated},
    {12, "output", kRepeated},
    {13, "value_info", kRepeated},
    {14, "quantization_annotation", kRepeated},
    {15, "sparse_initializer", kRepeated},
    {16, "metadata_props", kRepeated}};
inline const MessageType kGraph{"GraphProto", kGraphFields};

inline constexpr FieldType kNodeFields[] = {
    {1, "input", kRepeated},
    {2, "output", kRepeated},
    {3, "name"},
    {4, "op_type"},
    {5, "attribute", kRepeated},
    {6, "doc_string"},
    {7, "domain"},
    {8, "overload"},
    {9, "metadata_props", kRepeated},
    {10, "device_configurations", kRepeated}};
inline const MessageType kNode{"NodeProto", kNodeFields};

inline constexpr FieldType kAttributeFields[] = {
    {1, "name"},
    {2, "f"},
    {3, "i"},
    {4, "s"},
    {5, "t"},
    {6, "g"},
    {7, "floats", kRepeated},
    {8, "ints", kRepeated},
    {9, "strings", kRepeated},
    {10, "tensors", kRepeated},
    {11, "graphs", kRepeated},
    {13, "doc_string"},
    {14, "tp"},
    {15, "type_protos", kRepeated},
    {20, "type"},
    {21, "ref_attr_name"},
    {22, "sparse_tensor"},
    {23, "sparse_tensors", kRepeated}};
inline const MessageType kAttribute{"AttributeProto", kAttributeFields};

inline constexpr FieldType kFunctionFields[] = {
    {1, "name"},
    {4, "input", kRepeated},
    {5, "output", kRepeated},
    {6, "attribute", kRepeated},
    {7, "node", kRepeated},
    {8, "doc_string"},
    {9, "opset_import", kRepeated},
    {10, "domain"},
    {11, "attribute_proto", kRepeated},
    {12, "value_info", kRepeated},
    {13, "overload"},
    {14, "metadata_props", kRepeated}};
inline const MessageType kFunction{"FunctionProto", kFunctionFields};

inline constexpr FieldType kTensorFields[] = {
    {1, "dims", kRepeated},
    {2, "data_type"},
    {3, "segment"},
    {4, "float_data", kRepeated},
    {5, "int32_data", kRepeated},
    {6, "string_data", kRepeated},
    {7, "int64_data", kRepeated},
    {8, "name"},
    {9, "raw_data"},
    {10, "double_data", kRepeated},
    {11, "uint64_data", kRepeated},
    {12, "doc_string"},
    {13, "external_data", kRepeated},
    {14, "data_location"},
    {16, "metadata_props", kRepeated}};
inline const MessageType kTensor{"TensorProto", kTensorFields};

inline constexpr FieldType kSparseTensorFields[] = {
    {1, "values"}, {2, "indices"}, {3, "dims", kRepeated}};
inline const MessageType kSparseTensor{"SparseTensorProto",
                                       kSparseTensorFields};

inline constexpr FieldType kStringPairFields[] = {{1, "key"}, {2, "value"}};
inline const MessageType kStringPair{"StringStringEntryProto",
                                     kStringPairFields};

inline constexpr FieldType kValueInfoFields[] = {
    {1, "name"},
    {2, "type"},
    {3, "doc_string"},
    {4, "metadata_props", kRepeated}};
inline const MessageType kValueInfo{"ValueInfoProto", kValueInfoFields};

inline constexpr FieldType kTypeFields[] = {
    {1, "tensor_type"}, {4, "sequence_type"},      {5, "map_type"},
    {6, "denotation"},  {8, "sparse_tensor_type"}, {9, "optional_type"}};
inline const MessageType kType{"TypeProto", kTypeFields};

inline constexpr FieldType kTensorTypeFields[] = {{1, "elem_type"},
                                                  {2, "shape"}};
inline const MessageType kTensorType{"TypeProto.Tensor", kTensorTypeFields};

inline constexpr FieldType kShapeFields[] = {{1, "dim", kRepeated}};
inline const MessageType kShape{"TensorShapeProto", kShapeFields};

inline constexpr FieldType kDimensionFields[] = {
    {1, "dim_value"}, {2, "dim_param"}, {3, "denotation"}};
inline const MessageType kDimension{"TensorShapeProto.Dimension",
                                    kDimensionFields};

} // namespace message

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_MESSAGETYPES_H
