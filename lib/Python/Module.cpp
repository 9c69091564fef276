// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc_compiler._runtime: the functions of include/mpc-c for Python.
#include "lib/Python/Data.h"
#include "lib/Python/Error.h"
#include "lib/Python/Runtime.h"
#include "lib/Python/Watch.h"
#include "mpc-c/Schedule.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace mpc::python;
using namespace nb::literals;

static void addInfos(nb::module_ &m) {
  nb::class_<TensorInfo>(m, "TensorInfo",
                         "An input, an output, or a tensor of the state.")
      .def_ro("name", &TensorInfo::name)
      .def_ro("dtype", &TensorInfo::dtype,
              "As NumPy calls it: 'float32', 'bfloat16', 'int64', ...")
      .def_ro("shape", &TensorInfo::shape)
      .def("__repr__", [](const TensorInfo &info) {
        return nb::str("TensorInfo(name={!r}, dtype={!r}, shape={!r})")
            .format(info.name, info.dtype, info.shape);
      });
  nb::class_<Entry>(m, "Entry", "A function from state and inputs to outputs.")
      .def_ro("name", &Entry::name)
      .def_ro("role", &Entry::role)
      .def_ro("inputs", &Entry::inputs)
      .def_ro("outputs", &Entry::outputs);
  nb::class_<StateInfo>(m, "StateInfo", "A tensor of the state.")
      .def_ro("tensor", &StateInfo::tensor)
      .def_ro("role", &StateInfo::role)
      .def_ro("is_saved", &StateInfo::isSaved, "Whether checkpoints hold it.")
      .def_ro("owner", &StateInfo::owner, "The tensor that it belongs to.")
      .def_ro("key", &StateInfo::key, "What it is called among its owner's.");
  nb::class_<StateRecord>(m, "StateRecord", "What a tensor of a checkpoint is.")
      .def_ro("role", &StateRecord::role)
      .def_ro("owner", &StateRecord::owner)
      .def_ro("key", &StateRecord::key);
  m.attr("ENTRY_EVAL") = int(MPC_ENTRY_EVAL);
  m.attr("ENTRY_STEP") = int(MPC_ENTRY_STEP);
  m.attr("ENTRY_ACCUMULATE") = int(MPC_ENTRY_ACCUMULATE);
  m.attr("ENTRY_APPLY") = int(MPC_ENTRY_APPLY);
  m.attr("ENTRY_MEASURE") = int(MPC_ENTRY_MEASURE);
  m.attr("STATE_PARAMETER") = int(MPC_STATE_PARAMETER);
  m.attr("STATE_SLOT") = int(MPC_STATE_SLOT);
  m.attr("STATE_BUFFER") = int(MPC_STATE_BUFFER);
  m.attr("STATE_LOSS_SCALE") = int(MPC_STATE_LOSS_SCALE);
  m.attr("STATE_OPTIMIZER") = int(MPC_STATE_OPTIMIZER);
  m.attr("STATE_HYPER_PARAMETER") = int(MPC_STATE_HYPER_PARAMETER);
  m.attr("STATE_SETTING") = int(MPC_STATE_SETTING);
  m.attr("STATE_AVERAGE") = int(MPC_STATE_AVERAGE);
  nb::list settings;
  for (size_t i = 0; const char *name = mpcLossScaleSettingName(i); ++i)
    settings.append(name);
  m.attr("LOSS_SCALE_SETTINGS") = nb::tuple(settings);
}

static void addProgram(nb::module_ &m) {
  nb::class_<Program>(m, "Program", "A compiled program, which never changes.")
      .def_static("load", &Program::load, "path"_a, "cpu"_a = "")
      .def_static("load_bytes", &Program::loadBytes, "data"_a, "cpu"_a = "")
      .def_prop_ro("cpu", [](const Program &p) { return p.info().cpu; })
      .def_prop_ro("recipe", [](const Program &p) { return p.info().recipe; })
      .def_prop_ro("batches_per_step",
                   [](const Program &p) { return p.info().batchesPerStep; })
      .def_prop_ro(
          "needs_optimizer",
          [](const Program &p) { return p.info().needsOptimizer != 0; })
      .def("entries", &Program::entries)
      .def("state", &Program::state)
      .def("tied", &Program::tied,
           "Further names of parameters that modules share.")
      .def("without_values", &Program::withoutValues, "names"_a,
           "The program without the initial values of these parameters and "
           "buffers, which the caller writes into each runner.");
}

static void addStepResult(nb::module_ &m) {
  nb::class_<MpcStepResult>(
      m, "StepResult",
      "The result of a step. A number that the program does not return is NaN.")
      .def_ro("step", &MpcStepResult::step,
              "Steps done before this one, skipped ones too.")
      .def_ro("loss", &MpcStepResult::loss,
              "Unscaled, before the update; the mean over the step's batches.")
      .def_ro("scale", &MpcStepResult::scale,
              "The loss scale that was in force.")
      .def_ro("grad_norm", &MpcStepResult::gradNorm,
              "Of the unscaled gradients, before clipping.")
      .def_ro("good_steps", &MpcStepResult::goodSteps,
              "The loss-scale policy's counter, after the step.")
      .def_prop_ro(
          "found_inf", [](const MpcStepResult &r) { return r.foundInf != 0; },
          "Whether a gradient was infinite or NaN.")
      .def_prop_ro(
          "skipped", [](const MpcStepResult &r) { return r.skipped != 0; },
          "Whether the weights stayed as they were.")
      .def_prop_ro(
          "scale_error",
          [](const MpcStepResult &r) { return r.scaleError != 0; },
          "Whether the loss-scale policy has given up.")
      .def(
          "item", [](const MpcStepResult &r) { return r.loss; },
          "The loss, as of a scalar tensor.")
      .def("__float__", [](const MpcStepResult &r) { return r.loss; })
      .def("__repr__", [](const MpcStepResult &r) {
        return nb::str("StepResult(step={}, loss={:.6g}, scale={:.6g}, "
                       "grad_norm={:.6g}, skipped={})")
            .format(r.step, r.loss, r.scale, r.gradNorm, r.skipped != 0);
      });
}

static void addUpdate(nb::module_ &m) {
  nb::class_<Update>(m, "Update", "What an optimizer is called with.")
      .def_prop_ro(
          "step", [](const Update &u) { return u.numbers.step; },
          "Steps done before this one, skipped ones too.")
      .def_prop_ro(
          "applied", [](const Update &u) { return u.numbers.applied; },
          "Those of them that were not skipped.")
      .def_prop_ro("lr", [](const Update &u) { return u.numbers.lr; })
      .def_prop_ro(
          "scale", [](const Update &u) { return u.numbers.scale; },
          "The loss scale that the gradients had.")
      .def_prop_ro(
          "grad_norm", [](const Update &u) { return u.numbers.gradNorm; },
          "Of the unscaled gradients, before clipping.")
      .def_prop_ro(
          "found_inf", [](const Update &u) { return u.numbers.foundInf != 0; },
          "Whether a gradient was infinite or NaN.")
      .def_prop_ro(
          "skipped", [](const Update &u) { return u.numbers.skipped != 0; },
          "Whether the parameters should stay as they are.")
      .def_ro("parameters", &Update::parameters,
              "float32 arrays by name, to be changed in place. They are the "
              "same in each step, and may be kept.")
      .def_ro("gradients", &Update::gradients,
              "float32 arrays by name, of the same shapes: unscaled, and "
              "clipped as the step is told to.");
}

/// An optimizer may refer to the step to which it belongs.
static int traverseRunner(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  nb::handle optimizer = nb::inst_ptr<Runner>(self)->optimizer();
  Py_VISIT(optimizer.ptr());
  return 0;
}
static int clearRunner(PyObject *self) {
  nb::inst_ptr<Runner>(self)->clearOptimizer();
  return 0;
}
static PyType_Slot runnerSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traverseRunner)},
    {Py_tp_clear, reinterpret_cast<void *>(clearRunner)},
    {0, nullptr}};

static void addRanks(nb::module_ &m) {
  nb::class_<Ranks>(m, "Ranks", "Processes that train together.")
      .def_static("join_mpi", &Ranks::joinMpi, "timeout"_a, "patience"_a)
      .def_static("join_nccl", &Ranks::joinNccl, "rank"_a, "size"_a, "device"_a,
                  "rendezvous"_a, "timeout"_a, "patience"_a)
      .def_static("create", &Ranks::create, "rank"_a, "size"_a, "exchange"_a)
      .def_prop_ro("rank", &Ranks::rank)
      .def_prop_ro("size", &Ranks::size);
}

static void addRunner(nb::module_ &m) {
  nb::class_<Runner>(m, "Runner", nb::type_slots(runnerSlots),
                     "The state of a training, and its steps.")
      .def(nb::init<const Program &, int, uint64_t, const Ranks *>(),
           "program"_a, "num_threads"_a = 0, "seed"_a = 0,
           "ranks"_a.none() = nullptr, nb::keep_alive<1, 5>())
      .def("broadcast_state", &Runner::broadcastState)
      .def("save_part", &Runner::savePart, "in_parts"_a = false,
           "Takes part where rank 0 saves a checkpoint.")
      .def(nb::init<const Program &, const Runner &, uint64_t>(), "program"_a,
           "shares"_a, "seed"_a = 0)
      .def("load_weights", &Runner::loadWeights, "path"_a)
      .def(
          "bind_input",
          [](Runner &runner, const std::string &name, const RunSource &array,
             bool isBF16) {
            runner.bindInput(name, nb::ndarray<nb::ro>(array), isBF16);
          },
          "name"_a, "array"_a, "is_bf16"_a = false)
      .def(
          "bind_output",
          [](Runner &runner, const std::string &name, const RunTarget &array) {
            runner.bindOutput(name, nb::ndarray<nb::ro>(array));
          },
          "name"_a, "array"_a.noconvert())
      .def("step", &Runner::step)
      .def("accumulate", &Runner::accumulate)
      .def("apply", &Runner::apply)
      .def("evaluate", &Runner::evaluate)
      .def("measure", &Runner::measure, "num_rows"_a = 0)
      .def("reset_metrics", &Runner::resetMetrics)
      .def("metrics", &Runner::metrics)
      .def(
          "read_output",
          [](Runner &runner, const std::string &name, const Target &array,
             bool isBF16) {
            runner.readOutput(name, nb::ndarray<nb::ro>(array), isBF16);
          },
          "name"_a, "target"_a.noconvert(), "is_bf16"_a = false)
      .def(
          "read_state",
          [](Runner &runner, const std::string &name, const Target &array,
             bool isBF16) {
            runner.readState(name, nb::ndarray<nb::ro>(array), isBF16);
          },
          "name"_a, "target"_a.noconvert(), "is_bf16"_a = false)
      .def(
          "write_state",
          [](Runner &runner, const std::string &name, const Source &array,
             bool isBF16) {
            runner.writeState(name, nb::ndarray<nb::ro>(array), isBF16);
          },
          "name"_a, "source"_a, "is_bf16"_a = false)
      .def("share_state", &Runner::shareState, "name"_a,
           "A DLPack capsule of the tensor where it lies, read-only.")
      .def("edit_state", &Runner::editState, "name"_a,
           "The same, to be written between two runs.")
      .def("share_device_state", &Runner::shareDeviceState, "name"_a,
           "As share_state, in memory of the GPU that the program is for.")
      .def("edit_device_state", &Runner::editDeviceState, "name"_a)
      .def("set_stream", &Runner::setStream, "stream"_a,
           "The CUstream in whose order memory of the GPU is used.")
      .def("read_number", &Runner::readNumber, "name"_a)
      .def("write_number", &Runner::writeNumber, "name"_a, "value"_a)
      .def("update_scale", &Runner::updateScale, "new_scale"_a, "scaler"_a = "")
      .def("set_optimizer", &Runner::setOptimizer, "update"_a.none(),
           "owner"_a.none(), "on_skipped"_a = false)
      .def("start_profile", &Runner::startProfile)
      .def("stop_profile", &Runner::stopProfile)
      .def("profile", &Runner::profile, "as_table"_a)
      .def("write_timeline", &Runner::writeTimeline, "path"_a)
      .def("progress", &Runner::progress)
      .def("take_messages", &Runner::takeMessages);
}

static void addCheckpoints(nb::module_ &m) {
  nb::class_<Checkpoints>(m, "Checkpoints", "A folder of checkpoints, locked.")
      .def(nb::init<const std::string &>(), "path"_a)
      .def("save", &Checkpoints::save, "runner"_a, "position"_a = Position(),
           "in_parts"_a = false)
      .def("load_newest", &Checkpoints::loadNewest, "runner"_a)
      .def("take_messages", &Checkpoints::takeMessages);
  m.def("join_checkpoint", &joinCheckpoint, "folder"_a, "file"_a,
        "Writes a checkpoint in parts as one file.");
}

static double learningRate(const std::vector<std::string> &flags,
                           int64_t totalSteps, int64_t appliedSteps) {
  std::vector<const char *> texts;
  for (const std::string &flag : flags)
    texts.push_back(flag.c_str());
  double rate = 0;
  check(mpc::Status(mpcLearningRate(texts.data(), texts.size(), totalSteps,
                                    appliedSteps, &rate)));
  return rate;
}

NB_MODULE(_runtime, m) {
  // A loss or a weight that a script keeps until Python ends is no leak.
  nb::set_leak_warnings(false);
  m.doc() = "A thin layer over libmpc-runtime. Use the package mpc_compiler.";
  m.attr("__version__") = mpcRuntimeVersion();
  addInfos(m);
  addProgram(m);
  addStepResult(m);
  addUpdate(m);
  addRanks(m);
  addRunner(m);
  addCheckpoints(m);
  addData(m);
  addWatch(m);
  m.def("read_records", readRecords, "path"_a,
        "What each tensor of a checkpoint is, by name.");
  m.def("learning_rate", learningRate, "flags"_a, "total_steps"_a,
        "applied_steps"_a);
}
