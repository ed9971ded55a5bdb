# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""CPU time of calls on one thread, of several ways in turns."""

import copy
import statistics
import time


def time_call(function, arguments):
    """CPU time of one call, in microseconds."""
    arguments = copy.deepcopy(arguments)
    start = time.thread_time_ns()
    function(*arguments)
    return (time.thread_time_ns() - start) / 1e3


def measure(ways, arguments, rounds):
    """{name: median in microseconds}; the ways take turns."""
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, function in ways.items():
            times[name].append(time_call(function, arguments))
    return {name: statistics.median(values) for name, values in times.items()}
