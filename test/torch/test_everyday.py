# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs as people write them (everyday.py), and those with two buffers (two_buffers.py), are right."""

import unittest

import everyday
import tssa
import two_buffers
from support import AgreementTest


class Everyday(AgreementTest):
    def run_calls(self, compiled, function, calls):
        compiled.__name__ = function.__name__ if hasattr(function, "__name__") else type(function).__name__
        for arguments in calls:
            self.check(function, arguments, compiled)


def add_test(name, function, calls):
    def test(self):
        self.run_calls(tssa.compile(function), function, calls)

    setattr(Everyday, f"test_{name}", test)


def add_module_test(kind, calls):
    def test(self):
        reference, compiled = kind().eval(), tssa.compile(kind().eval())
        self.run_calls(compiled, reference, calls)

    setattr(Everyday, f"test_{kind.__name__}", test)


for name, (function, calls) in {**everyday.PROGRAMS, **two_buffers.PROGRAMS}.items():
    add_test(name, function, calls)
for kind, calls in everyday.MODULES.items():
    add_module_test(kind, calls)

if __name__ == "__main__":
    unittest.main()
