#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the event files of a folder against a table of metrics, read by nothing of ours.

    python tensorboard_events.py METRICS.csv FOLDER...

Records are framed as TFRecord has them (length, masked CRC-32C of it, data, masked CRC-32C of that), and
their data are messages tensorboard.Event in the wire format of Protocol Buffers. Each cell of the table
but step, good_steps and step_ms is a scalar of its step, once and as float32; an empty cell is none.
"""
import csv
import pathlib
import struct
import sys

import numpy as np

NO_SCALARS = {"step", "good_steps", "step_ms"}


def crc32c(data):
    """By bits, of the polynomial of Castagnoli."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        head, (length,) = data[at : at + 8], struct.unpack_from("<Q", data, at)
        body = data[at + 12 : at + 12 + length]
        (head_crc,), (body_crc,) = (struct.unpack_from("<I", data, place) for place in (at + 8, at + 12 + length))
        assert (head_crc, body_crc) == (masked(head), masked(body)), f"a checksum at byte {at}"
        yield body
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """Number and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length, "a field beyond its message"
        else:
            form = {1: "<d", 5: "<f"}[kind]
            value, at = struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
        yield key >> 3, value


def scalars(path):
    """(step, tag) -> values, of Event (wall_time 1, step 2, file_version 3, summary 5), Summary (value 1)
    and Summary.Value (tag 1, simple_value 2)."""
    first, *rest = records(path.read_bytes())
    assert dict(fields(first))[3] == b"brain.Event:2", first
    found, before = {}, 0.0
    for record in rest:
        event = dict(fields(record))
        assert event[1] >= before > -1, "time goes back"
        before = event[1]
        for number, value in fields(event[5]):
            assert number == 1, number
            one = dict(fields(value))
            found.setdefault((event.get(2, 0), one[1].decode()), []).append(np.float32(one[2]))
    return found


def main(table, *folders):
    assert crc32c(b"123456789") == 0xE3069283
    found = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).iterdir()):
            for key, values in scalars(path).items():
                found.setdefault(key, []).extend(values)
    expected = {}
    with open(table) as file:
        for row in csv.DictReader(file):
            for name, cell in row.items():
                if name not in NO_SCALARS and cell:
                    expected[int(row["step"]), name] = np.float32(cell)
    faults = [f"{key}: {found.get(key)}, expected {value}" for key, value in expected.items()
              if not (len(found.get(key, [])) == 1 and np.array_equal(found[key][0], value, equal_nan=True))]
    faults += [f"{key}: is in no row" for key in found.keys() - expected.keys()]
    for fault in faults[:5]:
        print("FAIL", fault)
    evaluated = sum(tag.startswith("eval_") for _, tag in found)
    print(f"{len(found)} scalars, {evaluated} of evaluations, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
