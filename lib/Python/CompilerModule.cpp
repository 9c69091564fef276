// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc_compiler._compiler: the functions of mpc-c/Compiler.h for Python. It is a
// separate module, so that a process that only runs programs loads no LLVM.
#include "lib/Python/Error.h"
#include "lib/Python/Runtime.h"
#include "lib/Python/Tensors.h"
#include "mpc/Compiler.h"

#include <deque>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

using namespace mpc::python;
using namespace nb::literals;
using Flags = std::vector<std::string>;

namespace {

mpc::LogFunction logTo(Messages &messages) {
  return [&messages](MpcLogLevel level, const char *text) {
    messages.emplace_back(int(level), text);
  };
}

std::pair<Program, Messages> compile(mpc::Model &model, const Flags &flags) {
  Messages messages;
  auto program = [&] {
    nb::gil_scoped_release release;
    return model.compile(flags, logTo(messages));
  }();
  return {Program(valueOf(std::move(program))), std::move(messages)};
}

Messages compileFile(mpc::Model &model, const Flags &flags,
                     const std::string &path) {
  Messages messages;
  mpc::Status status = [&] {
    nb::gil_scoped_release release;
    return model.compileFile(flags, path, logTo(messages));
  }();
  check(status);
  return messages;
}

void setValue(mpc::Model &model, const std::string &name, const Source &value) {
  ArrayTensor tensor(nb::ndarray<nb::ro>(value), /*isBF16=*/false);
  check(mpc::Status(mpcModelSetValue(model.get(), name.c_str(), tensor.get())));
}

/// A name, its tensor, and whether the tensor is bfloat16 in 16-bit integers.
using Value = std::tuple<std::string, Source, bool>;

void writeOnnx(mpc::Model &model, const std::vector<Value> &values,
               const std::string &path) {
  std::deque<ArrayTensor> tensors;
  std::vector<std::pair<std::string, const DLTensor *>> named;
  for (const auto &[name, array, isBF16] : values)
    named.emplace_back(
        name, tensors.emplace_back(nb::ndarray<nb::ro>(array), isBF16).get());
  mpc::Status status = [&] {
    nb::gil_scoped_release release;
    return model.writeOnnx(named, path);
  }();
  check(status);
}

/// The name, value type, help and group of each flag.
using FlagTexts =
    std::tuple<std::string, std::string, std::string, std::string>;

std::vector<FlagTexts> allFlags() {
  std::vector<FlagTexts> texts;
  for (const MpcFlagInfo &flag : valueOf(mpc::Model::flags()))
    texts.emplace_back(flag.name, flag.type, flag.help, flag.group);
  return texts;
}

} // namespace

NB_MODULE(_compiler, m) {
  // A loss or a weight that a script keeps until Python ends is no leak.
  nb::set_leak_warnings(false);
  m.doc() = "A thin layer over libmpc-compiler. Use the package mpc_compiler.";
  // This module defines the class Program.
  nb::module_::import_("mpc_compiler._runtime");
  m.attr("__version__") = mpcCompilerVersion();
  m.def("flags", allFlags);
  nb::class_<mpc::Model>(m, "Model", "A model before it is compiled.")
      .def_static(
          "load",
          [](const std::string &path) {
            return valueOf(mpc::Model::load(path));
          },
          "path"_a)
      .def_static(
          "load_onnx",
          [](nb::bytes data, const std::string &name) {
            return valueOf(
                mpc::Model::loadOnnx(data.c_str(), data.size(), name));
          },
          "data"_a, "name"_a)
      .def_static(
          "load_exported",
          [](nb::bytes json, const std::string &name) {
            return valueOf(
                mpc::Model::loadExported(json.c_str(), json.size(), name));
          },
          "json"_a, "name"_a)
      .def_static(
          "reads_exported_op",
          [](const std::string &target) {
            return valueOf(mpc::Model::readsExportedOp(target));
          },
          "target"_a)
      .def_static(
          "parse",
          [](const std::string &text, const std::string &name) {
            return valueOf(mpc::Model::parse(text, name));
          },
          "text"_a, "name"_a)
      .def("set_value", setValue, "name"_a, "value"_a)
      .def("compile", compile, "flags"_a)
      .def("compile_file", compileFile, "flags"_a, "path"_a)
      .def("write_onnx", writeOnnx, "values"_a, "path"_a)
      .def(
          "explain",
          [](mpc::Model &model, const Flags &flags, int format) {
            return valueOf(
                model.explain(flags, static_cast<MpcExplainFormat>(format)));
          },
          "flags"_a, "format"_a = 0);
}
