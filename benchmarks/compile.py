#!/usr/bin/env python3
"""Measures how long tssa-compile takes, and how much memory.

usage: compile.py MODEL.onnx... [--bin DIR] [--baseline DIR] [--runs 5] [-- OPTION...]

Each compilation is a process of its own; builds take turns. A row has the medians of CPU seconds (user and system
time of all threads), wall seconds and peak memory, and with --baseline the ratios to that build. OPTIONs, such as
--threads=1 or --cache-dir=DIR, are for the build of --bin only.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

MEASURES = ("CPU s", "wall s", "MB")


def measure(tool, model, output, options):
    """CPU seconds, wall seconds and peak MB of one compilation."""
    start = time.monotonic()
    process = subprocess.Popen([tool, model, "-o", output, *options])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{tool} {model} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def medians(rows):
    return [statistics.median(column) for column in zip(*rows)]


def compare(model, builds, runs, output):
    """The medians of each build."""
    rows = [[] for _ in builds]
    for _ in range(runs):
        for row, (tool, options) in zip(rows, builds):
            row.append(measure(tool, model, output, options))
    return [medians(row) for row in rows]


def main():
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--baseline")
    parser.add_argument("--runs", type=int, default=5)
    line = parser.parse_args(arguments[:split])
    builds = [(os.path.join(line.bin, "tssa-compile"), arguments[split + 1:])]
    if line.baseline:
        builds.append((os.path.join(line.baseline, "tssa-compile"), []))
    ratios = []
    print("| model | " + " | ".join(MEASURES) + (" | ratios |" if line.baseline else " |"))
    print("|---" * (len(MEASURES) + len(builds)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for model in line.models:
            own, *others = compare(model, builds, line.runs, os.path.join(folder, "model.so"))
            cells = [os.path.basename(model), f"{own[0]:.2f}", f"{own[1]:.2f}", f"{own[2]:.0f}"]
            for other in others:
                ratios.append([mine / theirs for mine, theirs in zip(own, other)])
                cells.append(", ".join(f"{ratio:.2f}" for ratio in ratios[-1]))
            print("| " + " | ".join(cells) + " |", flush=True)
    if ratios:
        means = [math.exp(statistics.mean(map(math.log, column))) for column in zip(*ratios)]
        print("geometric means of the ratios: " + ", ".join(f"{mean:.3f}" for mean in means))


if __name__ == "__main__":
    main()
