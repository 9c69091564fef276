// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What Python objects refer to, and whether it is still the same: many checks
/// before each call, which cost more than the call in Python's own loops.
#ifndef MPC_LIB_PYTHON_WATCH_H
#define MPC_LIB_PYTHON_WATCH_H

#include <nanobind/nanobind.h>
#include <vector>

namespace mpc::python {

namespace nb = nanobind;

/// Keeps all that it compares alive, so that no other object is taken for one
/// of them. Values are the same where they are one object, or equal numbers or
/// texts.
class Watch {
public:
  /// What a dict has under a key.
  void addEntry(nb::dict owner, nb::object key, nb::object value);
  /// What an object has as an attribute.
  void addAttribute(nb::object owner, nb::str name, nb::object value);
  /// What a method without arguments gives.
  void addCall(nb::object owner, nb::str method, nb::object value);
  /// How many elements a list or a dict has, and what those of a list are.
  void addSize(nb::object owner);
  void addItems(nb::list owner);

  [[nodiscard]] bool isUnchanged() const;

  /// For Python's collector of reference cycles: a module that is watched may
  /// refer to what watches it.
  template <typename Visitor>
  int visit(Visitor visitor) const {
    for (const auto *all : {&entries_, &attributes_, &calls_, &items_})
      for (const Known &one : *all)
        for (const nb::object *part : {&one.owner, &one.key, &one.value})
          if (int result = visitor(part->ptr()))
            return result;
    for (const Size &one : sizes_)
      if (int result = visitor(one.owner.ptr()))
        return result;
    return 0;
  }

private:
  struct Known {
    nb::object owner, key, value;
  };
  struct Size {
    nb::object owner;
    Py_ssize_t size;
  };

  std::vector<Known> entries_, attributes_, calls_;
  std::vector<Size> sizes_;
  /// The index of each item of a list is its key.
  std::vector<Known> items_;
};

void addWatch(nb::module_ &m);

} // namespace mpc::python

#endif // MPC_LIB_PYTHON_WATCH_H
