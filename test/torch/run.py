# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the tests of this folder, or those whose names are given, in a process for each core.

usage: run.py [--both] [--dynamic] [TEST...]

Where a test does not say what is open, it takes the default of tssa.compile; with --dynamic it takes
dynamic=True, and with --both it runs twice. The last line has the counts.
"""

import argparse
import concurrent.futures
import gc
import io
import itertools
import multiprocessing
import os
import sys
import time
import unittest

os.environ.setdefault("TSSA_CACHE", "0")  # what is tested is compiled now

PART = 40  # tests of one class that run together
SLOWEST = 10  # parts that are named with their seconds


class Result(unittest.TextTestResult):
    """Also fails a test after which something keeps a fake tensor or a symbol of a recording."""

    passed = 0

    def stopTest(self, test):
        super().stopTest(test)
        test.__dict__.pop("_outcome", None)
        if list_kept() and not is_collected():
            self.failures.append((test, f"kept: {[*map(repr, list_kept()[:4])]}"))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def list_kept():
    """The fake tensors and symbols that tssa.compile has made and that live."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.fx.experimental.sym_node import SymNode

    kinds = {FakeTensor, SymNode}
    if kinds.isdisjoint(map(type, gc.get_objects())):
        return []
    made = [value for value in gc.get_objects() if type(value) in kinds]
    owners = [value.fake_mode if type(value) is FakeTensor else value for value in made]
    return [value for value, owner in zip(made, owners) if type(owner.shape_env).__module__.startswith("tssa.")]


def is_collected():
    """Collects what no one refers to. Returns whether nothing is left."""
    for _ in range(3):  # a tensor that PyTorch holds, too, outlives a collection
        gc.collect()
        if not list_kept():
            return True
    return False


def list_tests(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from list_tests(test)
        else:
            yield test.id()


def split(names):
    """Parts of a test class each, by its name."""
    for _, part in itertools.groupby(names, lambda name: name.rpartition(".")[0]):
        part = list(part)
        yield from (part[i:i + PART] for i in range(0, len(part), PART))


def run(names, dynamic):
    """(what is printed, tests that passed, failed and were skipped, seconds)"""
    import tssa

    start = time.monotonic()
    tssa.compile.__kwdefaults__["dynamic"] = dynamic
    stream = io.StringIO()
    tests = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(stream=stream, verbosity=0, resultclass=Result).run(tests)
    failed = len(result.failures) + len(result.errors)
    counts = result.passed, failed, len(result.skipped)
    return stream.getvalue() if failed else "", counts, time.monotonic() - start


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    modes = (None, True) if options.both else (True,) if options.dynamic else (None,)
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(options.tests) if options.tests else loader.discover(".")
    parts = list(itertools.product(split(list_tests(tests)), modes))
    counts = [0, 0, 0]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), context) as pool:
        results = []
        for output, found, seconds in pool.map(run, *zip(*parts)):
            print(output, end="", flush=True)
            counts = [sum(pair) for pair in zip(counts, found)]
            results.append(seconds)
    slowest = sorted(zip(results, parts), key=lambda pair: pair[0], reverse=True)[:SLOWEST]
    for seconds, (names, _) in slowest:
        print(f"{seconds:6.1f} s  {names[0].rpartition('.')[0]} ({len(names)} tests)")
    print("{} passed, {} failed, {} skipped".format(*counts))
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
