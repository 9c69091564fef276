// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The zip archive that torch.export.save writes: the JSON of the program, and
/// its weights and constants as raw bytes.
#ifndef MPC_LIB_IMPORT_EXPORTED_ARCHIVE_H
#define MPC_LIB_IMPORT_EXPORTED_ARCHIVE_H

#include "lib/Import/Model.h"

namespace mpc::exported {

struct Archive {
  std::string json;
  /// By the names of state_dict(); the bytes belong to `storage`.
  std::vector<ModelTensor> values;
  ModelStorage storage;
};

/// Two names of one storage have the same bytes: see ModelTensor::bytes.
llvm::Expected<Archive> readArchive(llvm::StringRef path);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_ARCHIVE_H
