// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns an error's code into its exception, which Python code defines.
#include "lib/Python/Error.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void mpc::python::check(const Status &status) {
  if (status.ok())
    return;
  nb::object error = nb::module_::import_("mpc_compiler._errors")
                         .attr("of_code")(int(status.code()), status.message());
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}
