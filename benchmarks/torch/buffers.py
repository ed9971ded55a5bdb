# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Times the programs of test/torch/two_buffers.py at sizes of use beside eager PyTorch, TorchScript and torch.compile.

usage: buffers.py [--eager] [--rounds N] [NAME...]

The ways run in turns as in postprocessing.py; what is printed are medians of the thread's CPU time in microseconds, as rows
of Markdown. A rival that refuses the program, gives other results, or needs more than two minutes for its first calls is
left out; with --eager, only eager mode is measured. ratio: the best rival to tssa.
"""

import argparse
import contextlib
import copy
import os
import signal
import sys
import warnings

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "torch"))

import torch

import tssa
from collected import integers, tensor, uniform
from support import AgreementTest
from thread_clock import measure
from two_buffers import PROGRAMS

LIMIT = 120  # seconds
ALLOWED = {"rtol": 1e-3, "atol": 1e-3}
RIVALS = {"script": torch.jit.script, "inductor": torch.compile}
SIZES = {
    "kmeans": lambda: (tensor(5000, 8), tensor(16, 8, seed=1), 20, 1e-4),
    "sinkhorn": lambda: (uniform(200, 300) + 0.1, 50, 1e-6),
    "jacobi": lambda: (tensor(128, 128), 100, 1e-6),
    "game_of_life": lambda: ((tensor(128, 128) > 0).float(), 30),
    "diffuses_heat": lambda: (tensor(256, 256), 30, 0.2),
    "blurs_in_turns": lambda: (tensor(256, 256), 9),
    "wave_in_three_buffers": lambda: (tensor(20000), tensor(20000, seed=1), 50, 0.3),
    "beam_search_swaps_caches": lambda: (tensor(5, 64, 64), tensor(5, seed=1), 64),
    "power_iteration": lambda: (tensor(300, 300) + tensor(300, 300).t(), 50, 1e-7),
    "pagerank": lambda: ((uniform(500, 500) > 0.95).float(), 0.85, 1e-6),
    "labels_components": lambda: (uniform(64, 64) > 0.4,),
    "keeps_the_best": lambda: (tensor(4096), tensor(100, 4096, seed=1) * 0.3, 0.9),
    "searches_a_line": lambda: (tensor(4096), tensor(4096, seed=1), 60),
    "anneals": lambda: (tensor(4096), tensor(100, 4096, seed=1), uniform(100)),
    "edit_distance": lambda: (integers(4, 200), integers(4, 300, seed=1)),
    "scans_by_doubling": lambda: (tensor(4096, 16),),
    "reconstructs_by_dilation": lambda: (uniform(96, 96) > 0.98, uniform(96, 96) > 0.3),
    "relaxes_red_and_black": lambda: (tensor(16384), tensor(16384, seed=1), 40),
    "sums_by_sign": lambda: (tensor(200, 512),),
    "double_buffers_a_stream": lambda: (tensor(200, 1024), 0.5),
}


def stop(*_):
    raise TimeoutError(f"more than {LIMIT} s")


@contextlib.contextmanager
def limited():
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)


def make_rivals(function, arguments):
    """Returns {name: a rival's form of the function}; says why one is left out."""
    made, expected = {}, function(*copy.deepcopy(arguments))
    for name, compile_function in RIVALS.items():
        try:
            with limited():
                rival = compile_function(function)
                for _ in range(3):
                    torch.testing.assert_close(rival(*copy.deepcopy(arguments)), expected, **ALLOWED)
            made[name] = rival
        except Exception as error:  # whatever a rival raises is why it is left out
            print(f"{function.__name__}: {name} is left out: {str(error).splitlines()[0][:80]}")
    return made


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("names", nargs="*", default=[])
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    torch.set_num_threads(1)
    print("| program | eager | script | inductor | tssa | ratio |\n|---|--:|--:|--:|--:|--:|")
    with torch.no_grad():
        for name in options.names or PROGRAMS:
            function, _ = PROGRAMS[name]
            arguments = SIZES[name]()
            compiled = tssa.compile(function, threads=1)
            AgreementTest().check(function, arguments, compiled, **ALLOWED)
            rivals = {"eager": function, **({} if options.eager else make_rivals(function, arguments))}
            medians = measure({**rivals, "tssa": compiled}, arguments, options.rounds)
            cells = [f"{medians[way]:.0f}" if way in medians else "" for way in ("eager", *RIVALS, "tssa")]
            print(f"| {name} | {' | '.join(cells)} | {min(map(medians.get, rivals)) / medians['tssa']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
