# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Times the programs beside eager PyTorch, TorchScript and torch.compile.

usage: compare_torch.py [--threads N] [--batch N] [--seq N] [--rounds N] [--no-inductor]
                        [PROGRAM...]

All ways of one program run in turns, pinned to the same cores, so that noise of the machine
meets all alike; what is printed are medians in ms and their ratios to TSSA's.
"""

import argparse
import copy
import os
import statistics
import time
import warnings

warnings.filterwarnings("ignore")

import torch

import tssa
from programs import PROGRAMS, make_inputs


def flatten(value):
    if isinstance(value, (list, tuple)):
        return [leaf for element in value for leaf in flatten(element)]
    return [value]


def check(expected, actual):
    for left, right in zip(flatten(expected), flatten(actual)):
        torch.testing.assert_close(right, left, rtol=1e-3, atol=1e-3)


def make_ways(function, options):
    ways = {"tssa": tssa.compile(function, threads=options.threads), "eager": function,
            "script": torch.jit.script(function)}
    if not options.no_inductor:
        ways["inductor"] = torch.compile(function)
    return ways


def measure(name, options):
    arguments = make_inputs(name, options.batch, options.seq)
    ways = make_ways(PROGRAMS[name], options)
    expected = PROGRAMS[name](*copy.deepcopy(arguments))
    for way, run in list(ways.items()):
        try:
            for _ in range(3):
                check(expected, run(*copy.deepcopy(arguments)))
        except Exception as error:  # a rival that fails is no rival, and says so
            print(f"  {name}: {way} fails: {str(error).splitlines()[0]}")
            if way == "tssa":
                raise
            del ways[way]
    times = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, run in ways.items():
            start = time.perf_counter()
            run(*arguments)
            times[way].append(time.perf_counter() - start)
    medians = {way: statistics.median(values) * 1e3 for way, values in times.items()}
    cells = [f"{way} {ms:8.3f} ms ({ms / medians['tssa']:5.2f})" for way, ms in medians.items()]
    print(f"{name:16}", *cells, f"binaries {ways['tssa'].num_binaries}", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seq", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("programs", nargs="*", default=[])
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    torch.set_num_threads(options.threads)
    with torch.no_grad():
        for name in options.programs or PROGRAMS:
            measure(name, options)


if __name__ == "__main__":
    main()
