#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a profile and a timeline with the program that ran, and with each other.

    check_profile.py INSPECT.json PROFILE.json TIMELINE.json --runs ENTRY:N... [--threads=N] [--gpu] [--wall=SECONDS]

INSPECT.json is what `mpc-inspect --json` says of the program. Prints each fault; exit 1 where there
is one. Nothing here is shared with what wrote the files.
"""
import argparse
import collections
import json
import sys

RUNS, LAUNCHES, WORKERS = 0, 1, 2
# A time in the files is rounded to a nanosecond.
NANOSECOND_US = 1e-3


class Faults:
    def __init__(self):
        self.count = 0

    def check(self, holds, *text):
        if not holds:
            self.count += 1
            print("FAIL", *text)


def tracks_of(trace):
    """By thread, its events in the order of time."""
    tracks = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            tracks[event["tid"]].append(event)
    for events in tracks.values():
        events.sort(key=lambda event: (event["ts"], event["ts"] + event["dur"]))
    return tracks


def check_tracks(tracks, threads, faults):
    faults.check(set(tracks) <= set(range(WORKERS + threads)), "threads", sorted(tracks))
    for thread, events in tracks.items():
        for before, after in zip(events, events[1:]):
            end = before["ts"] + before["dur"]
            faults.check(end <= after["ts"] + NANOSECOND_US, "thread", thread, "overlaps at", after["ts"])
            faults.check(before["dur"] >= 0, "thread", thread, "goes back at", before["ts"])


def check_runs(tracks, program, runs, faults):
    """Each launch of an entry is once in each run, within it, in the program's order."""
    launches = iter(tracks[LAUNCHES])
    seen = collections.Counter()
    entries = {entry["name"]: entry for entry in program["entries"]}
    for run in tracks[RUNS]:
        name = run["name"]
        faults.check(run["args"]["run"] == seen[name], "run", name, seen[name])
        seen[name] += 1
        end = run["ts"] + run["dur"] + NANOSECOND_US
        for number, launch in enumerate(entries[name]["launches"]):
            event = next(launches)
            args = event["args"]
            found = (args["entry"], args["launch"], event["name"], args["nodes"])
            faults.check(found == (name, number, launch["symbol"], launch["sources"]), "launch", found)
            faults.check(run["ts"] <= event["ts"] and event["ts"] + event["dur"] <= end, "outside of its run", found)
    faults.check(next(launches, None) is None, "launches outside of any run")
    faults.check(seen == runs, "runs", dict(seen))


def check_workers(tracks, faults):
    """What a worker does is within the launch of which it is a part."""
    spans = {(e["args"]["entry"], e["args"]["run"], e["args"]["launch"]): e for e in tracks[LAUNCHES]}
    for thread in sorted(set(tracks) - {RUNS, LAUNCHES}):
        for event in tracks[thread]:
            whole = spans[(event["args"]["entry"], event["args"]["run"], event["args"]["launch"])]
            inside = whole["ts"] <= event["ts"] and event["ts"] + event["dur"] <= whole["ts"] + whole["dur"] + NANOSECOND_US
            faults.check(inside, "worker", thread, "outside of its launch at", event["ts"])


def check_profile(profile, program, tracks, runs, on_gpu, faults):
    """The profile's sums are those of the timeline, and its facts those of the program."""
    sums = collections.Counter()
    for event in tracks[LAUNCHES]:
        sums[event["args"]["entry"], event["args"]["launch"]] += event["dur"] / 1e3
    rows = {(row["entry"], row["launch"]): row for row in profile["launches"]}
    faults.check(set(rows) == set(sums) and len(rows) == len(profile["launches"]), "other launches")
    entries = {entry["name"]: entry for entry in program["entries"]}
    for (name, number), row in rows.items():
        launch = entries[name]["launches"][number]
        facts = (row["symbol"], row["nodes"], row["flops"], row["runs"])
        faults.check(facts == (launch["symbol"], launch["sources"], launch.get("flops", 0), runs[name]), facts)
        bytes_read = sum(buffer["bytes"] for buffer in launch["buffers"][:launch["reads"]])
        bytes_written = sum(buffer["bytes"] for buffer in launch["buffers"][launch["reads"]:])
        faults.check((row["bytes_read"], row["bytes_written"]) == (bytes_read, bytes_written), "bytes", facts)
        faults.check(abs(row["total_ms"] - sums[name, number]) < 1e-5 * runs[name], "total", facts)
        faults.check(row["least_ms"] <= row["median_ms"] <= row["total_ms"] + 1e-9, "median", facts)
        faults.check(abs(row["gflop_s"] * row["median_ms"] * 1e6 - row["flops"]) <= 1e-6 * row["flops"], "rate", facts)
        if on_gpu:
            faults.check((row["busy"], row["of_ceiling"]) == (None, None), "of a GPU", facts)
        else:
            faults.check(0 < row["busy"] <= 1 + 1e-9, "busy", facts)
            faults.check((row["of_ceiling"] or 0) > 0, "ceiling", facts)
    totals = [row["total_ms"] for row in profile["launches"]]
    faults.check(totals == sorted(totals, reverse=True), "not in order")


def check_sums(profile, wall, faults):
    launches = sum(row["total_ms"] for row in profile["launches"])
    entries = sum(entry["total_ms"] for entry in profile["entries"])
    faults.check(launches <= entries <= profile["wall_ms"], "sums", launches, entries, profile["wall_ms"])
    faults.check(profile["wall_ms"] <= wall * 1e3, "wall", profile["wall_ms"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs=3)
    parser.add_argument("--runs", nargs="+", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--gpu", action="store_true", help="no threads, and no peaks")
    parser.add_argument("--wall", type=float, default=1e9)
    args = parser.parse_args()
    program, profile, trace = (json.load(open(path)) for path in args.files)
    runs = {name: int(count) for name, count in (word.split(":") for word in args.runs)}
    faults = Faults()
    tracks = tracks_of(trace)
    check_tracks(tracks, args.threads, faults)
    check_runs(tracks, program, runs, faults)
    check_workers(tracks, faults)
    check_profile(profile, program, tracks, runs, args.gpu, faults)
    check_sums(profile, args.wall, faults)
    print(len(tracks[LAUNCHES]), "launches,", faults.count, "faults")
    return faults.count > 0


if __name__ == "__main__":
    sys.exit(main())
