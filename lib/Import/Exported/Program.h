// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An exported program as its JSON has it: schema 8 of torch.export.save.
/// Source of the field names: torch/_export/serde/schema.py.
#ifndef MPC_LIB_IMPORT_EXPORTED_PROGRAM_H
#define MPC_LIB_IMPORT_EXPORTED_PROGRAM_H

#include "lib/Import/ImportError.h"
#include "lib/Import/Shape.h"
#include "runtime/Support/DType.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc::exported {

struct Graph;

/// The element type and the sizes of a tensor.
struct TensorMeta {
  /// Of torch's ScalarType; nothing for a type that mpc does not have.
  std::optional<rt::DType> dtype;
  int64_t scalarType = 0;
  Shape sizes;
  bool hasSymbolicSize = false;
};

/// The type of mpc that a torch.dtype is, by the number that the schema gives
/// it.
std::optional<rt::DType> dtypeOfScalarType(int64_t scalarType);

/// An argument of a node, or a result.
struct Argument {
  enum class Kind {
    None,
    Tensor,  ///< A name in `names`.
    Tensors, ///< `names`; an empty one stands for None.
    Int,     ///< In `ints`; a bool too.
    Ints,
    Float, ///< In `floats`.
    Floats,
    Complex, ///< The real and the imaginary part in `floats`.
    Bool,    ///< In `ints`.
    Text,    ///< In `text`.
    DType,   ///< A number of torch's in `ints`.
    Graph,
    Ignored, ///< A device, a layout, a memory format: nothing to compute.
    Symbol,  ///< A number that is not known when the model is exported.
  };
  Kind kind = Kind::None;
  std::vector<std::string> names = {};
  std::vector<int64_t> ints = {};
  std::vector<double> floats = {};
  std::string text = {};
  std::vector<std::string> symbols = {}; ///< Names of numbers not known.
  std::shared_ptr<const Graph> graph = nullptr;
};

struct NamedArgument {
  std::string
      name; ///< As the op's schema calls it; empty for a higher-order op.
  Argument value;
};

struct Node {
  std::string target; ///< "torch.ops.aten.linear.default"
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  /// Whether no policy changes the types in which a product is computed.
  bool keepsTypes = false;
  std::string module; ///< "encoder.layer.0"; empty for the model itself.
  std::string source; ///< "train.py:12", the user's innermost line.

  /// "linear.default", or the target where it is no op of ATen.
  [[nodiscard]] llvm::StringRef op() const;
  /// "relu.default in module 'layers.0' (train.py:7)".
  [[nodiscard]] std::string place() const;
  /// The argument; null where it is not there or None.
  [[nodiscard]] const Argument *find(llvm::StringRef name) const;
};

struct Graph {
  std::vector<Argument> inputs, outputs;
  std::vector<Node> nodes;
  llvm::StringMap<TensorMeta> values;
};

/// What the graph declares a value to be, of a size that is known. Errors have
/// no place.
llvm::Expected<const TensorMeta *> metaOf(const Graph &graph,
                                          llvm::StringRef name);

/// Its type of mpc.
llvm::Expected<rt::DType> dtypeOf(const TensorMeta &meta);

/// What an input of the graph is.
struct InputSpec {
  enum class Kind { User, Parameter, Buffer, Constant };
  Kind kind;
  std::string value; ///< Its name in the graph.
  std::string state; ///< Of what is no user's input: its name in state_dict().
};

/// What an output of the graph is.
struct OutputSpec {
  enum class Kind { User, BufferMutation };
  Kind kind;
  std::string value;
  std::string state; ///< The buffer that is written.
};

struct Program {
  std::string path; ///< What messages call it.
  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
};

/// Reads "major.minor" 8.x; a newer major version is refused by its number, and
/// fields that are not known are passed over.
llvm::Expected<Program> readProgram(llvm::StringRef json, llvm::StringRef path);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_PROGRAM_H
