# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Times calls of compiled functions whose work is next to nothing, beside eager PyTorch.

usage: calls.py [--blocks N] [NAME...]

Prints microseconds of the thread's CPU time for a call, as rows of Markdown: minima of blocks of calls, which
run in turns on one thread.
"""

import argparse
import time

import torch
from torch import nn

import tssa

CALLS = 300  # in a block


def add_one(x):
    return x + 1


def scaled_sigmoid(x, y, z):
    return torch.sigmoid(x) * y + z


def increment(x):
    x += 1


def write_slice(x, y):
    x[1:3] = y
    return x[:2]


def add_all(a, b, c, d, e, f, g, h):
    return a + b + c + d + e + f + g + h


def add_list(tensors):
    total = tensors[0]
    for tensor in tensors[1:]:
        total = total + tensor
    return total


def scale(x, factor, shift):
    return x * factor + shift


class Layers(nn.Module):
    """A module of 20 parameters."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(4, 4) for _ in range(10)))

    def forward(self, x):
        return self.layers(x)


def make_rows():
    """Returns {name: (program, arguments)}."""
    x, y, z = (torch.rand(4, 4) for _ in range(3))
    eight = [torch.rand(4, 4) for _ in range(8)]
    return {"x+1": (add_one, (x,)), "sigmoid(x)*y+z": (scaled_sigmoid, (x, y, z)), "x+=1": (increment, (x.clone(),)),
            "slice write": (write_slice, (x.clone(), torch.rand(2, 4))), "8 tensors": (add_all, tuple(eight)),
            "list of 8": (add_list, (eight,)), "2 numbers": (scale, (x, 1.5, 2)),
            "20 parameters": (Layers().eval(), (x,))}


def time_block(program, arguments):
    """Returns the microseconds of a call."""
    start = time.thread_time_ns()
    for _ in range(CALLS):
        program(*arguments)
    return (time.thread_time_ns() - start) / CALLS / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| program | eager | tssa | tssa, open sizes |\n|---|---|---|---|")
    for name, (program, arguments) in make_rows().items():
        if options.names and name not in options.names:
            continue
        ways = [program, tssa.compile(program, threads=1), tssa.compile(program, threads=1, dynamic=True)]
        with torch.no_grad():
            times = [[time_block(way, arguments) for way in ways] for _ in range(options.blocks)]
        print(f"| {name} | " + " | ".join(f"{min(column):.1f}" for column in zip(*times)) + " |", flush=True)


if __name__ == "__main__":
    main()
