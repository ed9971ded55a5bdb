# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Times of the ways, which take turns in one process."""

import statistics
import time

from paper import ways as all_ways

#: length of a block of calls, and the least number of calls
SECONDS, LEAST = 0.15, 3


def clock_of(threads):
    """At one thread its CPU time, which other work on the machine hardly affects; at more wall time."""
    return time.thread_time if threads == 1 else time.perf_counter


def block(run, arguments, clock, seconds=SECONDS):
    """(median, least) of the calls of a block, in milliseconds."""
    times, begin = [], time.perf_counter()
    while len(times) < LEAST or time.perf_counter() - begin < seconds:
        start = clock()
        run(*arguments)
        times.append(clock() - start)
    return statistics.median(times) * 1e3, min(times) * 1e3


def take_turns(runs, arguments, threads, rounds):
    """{label: {median of the blocks' medians, least, the blocks' medians}}"""
    clock, blocks = clock_of(threads), {label: [] for label in runs}
    for _ in range(rounds):
        for label, run in runs.items():
            blocks[label].append(block(run, arguments, clock))
    return {label: {"median": statistics.median(median for median, _ in found), "min": min(low for _, low in found),
                    "blocks": [round(median, 6) for median, _ in found]} for label, found in blocks.items()}


def measure(name, function, arguments, ways, options, seq):
    """{label: figures of take_turns, or {"failure": why there are none}}"""
    runs, found = {}, {}
    for label, way in ways.items():
        reason = all_ways.is_left_out(label, name, seq)
        run = None
        if not reason:
            run, reason = all_ways.ready(way, function, arguments, options.threads, options.limit)
        if run:
            runs[label] = run
        found[label] = {"failure": reason}
    return {**found, **take_turns(runs, arguments, options.threads, options.rounds)}
