# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is looked at before each call: objects, and whether they refer to what they did."""
import gc
import unittest
import weakref

from mpc_compiler._runtime import Watch


class Holder:
    """Has attributes, a method, and comparisons that raise."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def value(self):
        return self.number

    def __eq__(self, other):
        raise ValueError("not to be compared")

    __hash__ = None


class WatchTest(unittest.TestCase):
    def changes(self, watch, change, restore):
        self.assertTrue(watch.is_unchanged())
        change()
        self.assertFalse(watch.is_unchanged())
        restore()
        self.assertTrue(watch.is_unchanged())

    def test_entries(self):
        first, second = Holder(), Holder()
        owner = {"number": 1.5, "text": "a", "object": first, "list": [1]}
        watch = Watch()
        for key, value in owner.items():
            watch.add_entry(owner, key, value)
        for key, value in (("number", 2.5), ("number", True), ("text", "b"), ("object", second), ("list", [1])):
            before = owner[key]
            self.changes(watch, lambda: owner.update({key: value}), lambda: owner.update({key: before}))
        # Numbers and texts are the same by their values.
        owner.update(number=float("1.5"), text="".join(["a"]))
        self.assertTrue(watch.is_unchanged())
        del owner["text"]
        self.assertFalse(watch.is_unchanged())

    def test_an_entry_that_is_none(self):
        owner = {"a": None}
        watch = Watch()
        watch.add_entry(owner, "a", None)
        self.changes(watch, lambda: owner.update(a=0), lambda: owner.update(a=None))

    def test_sizes_and_items(self):
        owner, items = {"a": 1}, [1, "b", 2.0]
        watch = Watch()
        watch.add_size(owner)
        watch.add_items(items)
        self.changes(watch, lambda: owner.update(b=2), lambda: owner.pop("b"))
        self.changes(watch, lambda: items.append(3), items.pop)
        self.changes(watch, lambda: items.__setitem__(1, "c"), lambda: items.__setitem__(1, "b"))
        self.changes(watch, items.pop, lambda: items.append(2.0))
        with self.assertRaises(TypeError):
            watch.add_size(3)

    def test_attributes_and_calls(self):
        owner = Holder(number=7)
        watch = Watch()
        watch.add_attribute(owner, "number", 7)
        self.changes(watch, lambda: setattr(owner, "number", 8), lambda: setattr(owner, "number", 7))
        watch = Watch()
        watch.add_call(owner, "value", 7)
        self.changes(watch, lambda: setattr(owner, "number", 8), lambda: setattr(owner, "number", 7))
        del owner.number
        self.assertFalse(watch.is_unchanged())
        self.assertEqual(gc.garbage, [])

    def test_what_refers_to_its_own_watch_is_collected(self):
        owner = Holder(number=7)
        owner.watch = Watch()
        owner.watch.add_entry(owner.__dict__, "number", 7)
        owner.watch.add_attribute(owner, "number", 7)
        found = weakref.ref(owner)
        del owner
        gc.collect()
        self.assertIsNone(found())


if __name__ == "__main__":
    unittest.main()
