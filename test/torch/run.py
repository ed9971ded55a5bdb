# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the tests of this folder, or those whose names are given; the last line has the counts."""

import os
import sys
import unittest

os.environ.setdefault("TSSA_CACHE", "0")  # what is tested is compiled now


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main():
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(".")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.passed} passed, {failed} failed, {len(result.skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
