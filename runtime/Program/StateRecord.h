// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A checkpoint's description of each of its tensors: the role, the owner and
/// the key, as in StateTensor. It is a field of the file's metadata.
#ifndef MPC_RUNTIME_PROGRAM_STATERECORD_H
#define MPC_RUNTIME_PROGRAM_STATERECORD_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <map>
#include <span>
#include <string>

namespace mpc::rt {

/// The description of one tensor: see StateTensor.
struct TensorRecord {
  StateRole role = StateRole::Parameter;
  std::string owner = {};
  std::string key = {};

  bool operator==(const TensorRecord &) const = default;
};

/// The records by the tensors' names.
using StateRecord = std::map<std::string, TensorRecord, std::less<>>;

/// The record of the tensors in a checkpoint of `program`.
[[nodiscard]] StateRecord recordOf(const Program &program);

/// The record as a field of a checkpoint's metadata.
[[nodiscard]] Metadata toFields(const StateRecord &record);

/// The record of a file with these fields and tensors. Each tensor has a row
/// then, and each owner that is a tensor is one of them. A file written before
/// checkpoints had a record gets the one of recordOfNames().
Result<StateRecord> parseStateRecord(const Metadata &fields,
                                     std::span<const TensorView> tensors);
/// The record of a whole file. Errors name the file.
Result<StateRecord> readStateRecord(const SafetensorsFile &file);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_STATERECORD_H
