# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lit format that keeps how long a processor was busy with each test."""
import os
import pathlib
import resource

import lit.formats


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class TimedShTest(lit.formats.ShTest):
    """ShTest, which leaves FILE.seconds beside the folder of what the test writes. A busy machine
    takes no more of a processor, and lit runs one test at a time in a process."""

    def execute(self, test, lit_config):
        before = processor_seconds()
        result = super().execute(test, lit_config)
        kept = pathlib.Path(f"{test.getExecPath()}.seconds")
        os.makedirs(kept.parent, exist_ok=True)
        kept.write_text(f"{processor_seconds() - before:.2f}\n")
        return result
