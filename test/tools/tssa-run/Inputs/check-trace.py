# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that a file has Chrome's Trace Event format, and prints how many events it has.

usage: check-trace.py TRACE.json [--inspect=FILE]

Every event has ph, name, ts, pid and tid; complete events (X) have a dur that is not negative, and on one track they nest or
do not overlap; counters (C) are numbers; each thread has a name. With what tssa-run --inspect --json prints, each launch of
the program's first variant has an event in each run, with its kernel and nodes.
"""

import argparse
import collections
import json
import numbers
import sys


def check_fields(event):
    for key, kind in (("ph", str), ("name", str), ("ts", numbers.Real), ("pid", int), ("tid", int)):
        if not isinstance(event.get(key), kind):
            yield f"has no {key} that is {kind.__name__}"
    if event.get("ph") == "X" and not (isinstance(event.get("dur"), numbers.Real) and event["dur"] >= 0):
        yield "has no dur of 0 or more"
    if event.get("ph") == "C" and not (event.get("args") and all(type(x) in (int, float) for x in event["args"].values())):
        yield "has no numbers as its args"
    if event.get("ph") not in ("X", "C", "M", "i"):
        yield "has an unknown ph"


def nanoseconds(event):
    """The begin and the end of a complete event: whole numbers, which have no error of rounding."""
    begin = round(event["ts"] * 1000)
    return begin, begin + round(event["dur"] * 1000)


def check_track(events):
    """Yields what overlaps on one track without being within the other."""
    open_ends = []
    for begin, end, name in sorted(((*nanoseconds(e), e["name"]) for e in events), key=lambda x: (x[0], -x[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            yield f"the event {name} at {begin} ns ends after the one that it is in"
        open_ends.append(end)


def check_launches(events, program):
    """Yields the launches of the program that a run lacks."""
    found = collections.defaultdict(set)
    for event in events:
        if event.get("cat") == "launch":
            args = event["args"]
            found[args["run"]].add((args["launch"], args["kernel"], tuple(args["nodes"])))
    runs = {event["args"]["run"] for event in events if event.get("cat") == "run"}
    for run in runs:
        for number, launch in enumerate(program["variants"][0]["launches"]):
            if (number, launch["kernel"], tuple(node["name"] for node in launch["nodes"])) not in found[run]:
                yield f"run {run} has no launch {number} ({launch['kernel']})"


def check(trace, program):
    events = trace["traceEvents"]
    for number, event in enumerate(events):
        yield from (f"event {number} {problem}" for problem in check_fields(event))
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    for track, there in tracks.items():
        if track not in named:
            yield f"the track {track} has no name"
        yield from check_track(there)
    if program:
        yield from check_launches(events, program)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--inspect", help="what tssa-run --inspect --json prints")
    options = parser.parse_args()
    with open(options.trace, encoding="utf-8") as file:
        trace = json.load(file)
    program = None
    if options.inspect:
        with open(options.inspect, encoding="utf-8") as file:
            program = json.load(file)
    problems = list(check(trace, program))
    print("\n".join(problems[:20]))
    kinds = collections.Counter(event.get("cat") for event in trace["traceEvents"] if event["ph"] in "XC")
    print(", ".join(f"{kinds[kind]} {kind}" for kind in ("run", "launch", "part", "memory")))
    return 1 if problems or not kinds["run"] else 0


sys.exit(main())
