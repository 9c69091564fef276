// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what objects refer to with what they referred to.
#include "lib/Python/Watch.h"

#include <algorithm>

namespace mpc::python {

using namespace nb::literals;

void Watch::addEntry(nb::dict owner, nb::object key, nb::object value) {
  entries_.push_back({std::move(owner), std::move(key), std::move(value)});
}

void Watch::addAttribute(nb::object owner, nb::str name, nb::object value) {
  attributes_.push_back({std::move(owner), std::move(name), std::move(value)});
}

void Watch::addCall(nb::object owner, nb::str method, nb::object value) {
  calls_.push_back({std::move(owner), std::move(method), std::move(value)});
}

void Watch::addSize(nb::object owner) {
  Py_ssize_t size = PyObject_Size(owner.ptr());
  if (size < 0)
    throw nb::python_error();
  sizes_.push_back({std::move(owner), size});
}

void Watch::addItems(nb::list owner) {
  for (size_t i = 0; i < owner.size(); ++i)
    items_.push_back({owner, nb::int_(i), owner[i]});
  addSize(owner);
}

/// Whether both are one object, or equal numbers or texts. `found` is null
/// where there is nothing, or an error was raised.
static bool isSame(PyObject *found, const nb::object &known) {
  if (!found)
    PyErr_Clear();
  if (!found || found == known.ptr())
    return found;
  bool isPlain =
      PyLong_Check(found) || PyFloat_Check(found) || PyUnicode_Check(found);
  if (!isPlain || Py_TYPE(found) != Py_TYPE(known.ptr()))
    return false;
  int equal = PyObject_RichCompareBool(found, known.ptr(), Py_EQ);
  if (equal < 0)
    PyErr_Clear();
  return equal > 0;
}

bool Watch::isUnchanged() const {
  auto hasSize = [](const Size &one) {
    Py_ssize_t size = PyObject_Size(one.owner.ptr());
    if (size < 0)
      PyErr_Clear();
    return size == one.size;
  };
  auto hasEntry = [](const Known &one) {
    // A borrowed reference, which a comparison in Python could end.
    nb::object found =
        nb::borrow(PyDict_GetItemWithError(one.owner.ptr(), one.key.ptr()));
    return isSame(found.ptr(), one.value);
  };
  auto hasItem = [](const Known &one) {
    nb::object found =
        nb::steal(PyObject_GetItem(one.owner.ptr(), one.key.ptr()));
    return isSame(found.ptr(), one.value);
  };
  auto hasAttribute = [](const Known &one) {
    nb::object found =
        nb::steal(PyObject_GetAttr(one.owner.ptr(), one.key.ptr()));
    return isSame(found.ptr(), one.value);
  };
  auto gives = [](const Known &one) {
    nb::object found = nb::steal(
        PyObject_CallMethodObjArgs(one.owner.ptr(), one.key.ptr(), nullptr));
    return isSame(found.ptr(), one.value);
  };
  return std::all_of(sizes_.begin(), sizes_.end(), hasSize) &&
         std::all_of(entries_.begin(), entries_.end(), hasEntry) &&
         std::all_of(items_.begin(), items_.end(), hasItem) &&
         std::all_of(attributes_.begin(), attributes_.end(), hasAttribute) &&
         std::all_of(calls_.begin(), calls_.end(), gives);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  return nb::inst_ptr<Watch>(self)->visit(
      [&](PyObject *object) { return visit(object, arg); });
}

static int clear(PyObject *self) {
  // What is let go of may ask for this object again: it is empty by then.
  Watch old = std::move(*nb::inst_ptr<Watch>(self));
  *nb::inst_ptr<Watch>(self) = Watch();
  return 0;
}

void addWatch(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clear)},
      {0, nullptr}};
  nb::class_<Watch>(m, "Watch", nb::type_slots(slots),
                    "What objects refer to, and whether it is still the same.")
      .def(nb::init<>())
      .def("add_entry", &Watch::addEntry, "owner"_a, "key"_a, "value"_a.none())
      .def("add_attribute", &Watch::addAttribute, "owner"_a, "name"_a,
           "value"_a.none())
      .def("add_call", &Watch::addCall, "owner"_a, "method"_a, "value"_a.none())
      .def("add_size", &Watch::addSize, "owner"_a)
      .def("add_items", &Watch::addItems, "owner"_a)
      .def("is_unchanged", &Watch::isUnchanged);
}

} // namespace mpc::python
