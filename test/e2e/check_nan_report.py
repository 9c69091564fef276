# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds one line of a NaN report to fields: python check_nan_report.py FILE LINE PATH=VALUE...

PATH is a dotted path into the line's object, VALUE is JSON. Prints each that differs and exits 1.
"""
import functools
import json
import sys

path, line = sys.argv[1], int(sys.argv[2])
with open(path) as file:
    report = [json.loads(text) for text in file][line]
wrong = 0
for text in sys.argv[3:]:
    name, value = text.split("=", 1)
    found = functools.reduce(lambda part, key: part and part[key], name.split("."), report)
    if found != json.loads(value):
        print(f"{name} is {json.dumps(found)}, expected {value}")
        wrong = 1
sys.exit(wrong)
