#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants messages in the sources of a scratch tree and looks at what reader_errors.py says."""
import pathlib
import tempfile
import unittest

import reader_errors


class ReaderErrors(unittest.TestCase):
    def faults(self, source, test=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in (("lib/Import/A/A.cpp", source), ("test/lib/ATest.cpp", test)):
                (root / path).parent.mkdir(parents=True)
                (root / path).write_text(text)
            return [fault.split("'", 1)[1][:-1] for fault in reader_errors.faults(root)]

    def test_a_message_that_no_test_quotes_is_found(self):
        source = 'return node.fail("has " + Twine(n) + " feathers for " + toString(heads) +\n    " heads");'
        self.assertEqual(["feathers for"], self.faults(source))
        self.assertEqual([], self.faults(source, 'EXPECT_EQ(error, "has 3 feathers for 2 heads");'))

    def test_literals_of_several_lines_are_one(self):
        source = 'return invalidModel("the file is much "\n                    "too long");'
        self.assertEqual(["the file is much too long"], self.faults(source))
        self.assertEqual([], self.faults(source, '"m: the file is "\n  "much too long"'))

    def test_places_of_a_format_are_no_text(self):
        source = 'return invalidInput(fmt::format("field {} is not a list of names", key));'
        self.assertEqual([], self.faults(source, '"field \'a\' is not a list of names"'))
        self.assertEqual(["is not a list of names"], self.faults(source))

    def test_each_side_of_a_choice_counts(self):
        source = 'return fail(one ? "one has no shape" : "the others have none");'
        self.assertEqual(["the others have none"], self.faults(source, '"one has no shape"'))

    def test_a_text_that_is_returned_is_a_message(self):
        source = 'std::string faultOf() { return "does not lie where it should"; }'
        self.assertEqual(["does not lie where it should"], self.faults(source))
        self.assertEqual([], self.faults('std::string name() { return "float16"; }'))

    def test_of_a_long_message_the_begin_is_enough(self):
        source = 'fail("the location may not leave the folder of the model");'
        self.assertEqual([], self.faults(source, "{{.*}}the location may not leave"))
        self.assertEqual(1, len(self.faults(source, "the location may")))


if __name__ == "__main__":
    unittest.main()
