// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the JSON texts of an archive have in common. Nobody vouches for them.
#ifndef MPC_LIB_IMPORT_EXPORTED_JSON_H
#define MPC_LIB_IMPORT_EXPORTED_JSON_H

#include "lib/Import/Exported/Program.h"

#include <nlohmann/json.hpp>

namespace mpc::exported {

using Json = nlohmann::json;

/// The value of `text`, which messages call `what`. One that is nested too
/// deeply is refused.
llvm::Expected<Json> parseJson(llvm::StringRef text, const llvm::Twine &what);

/// The field, or null where there is none or `json` is no object.
const Json &field(const Json &json, const char *key);

/// The error of a text that says something else than the schema.
llvm::Error malformed(const llvm::Twine &what);

llvm::Expected<std::string> readText(const Json &json, const char *key);

/// {"as_int": 3}; nothing for an expression of symbols.
llvm::Expected<std::optional<int64_t>> readSize(const Json &json);

/// Calls `read` for each element of a list of `what`.
template <typename Read>
llvm::Error readEach(const Json &list, const llvm::Twine &what, Read read) {
  if (!list.is_array())
    return malformed("expected a list of " + what);
  for (const Json &element : list)
    MPC_TRY(read(element));
  return llvm::Error::success();
}

llvm::Expected<TensorMeta> readTensorMeta(const Json &json);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_JSON_H
