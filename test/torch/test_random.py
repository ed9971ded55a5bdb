# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs agree with eager PyTorch; TSSA_FULL=1 tries more of them.

Each is compiled with --verify-each-stage: the program as imported, evaluated with its
writes, the functional one and those of all later stages agree with the binary. Some are compiled with
a transformation forced on, whatever its cost says.
"""

import copy
import os
import unittest
from unittest import mock

import torch
import tssa
from tssa import _tool

import random_programs
from support import AgreementTest, load

IS_FULL = os.environ.get("TSSA_FULL") == "1"
COUNT = 10000 if IS_FULL else 80
# Of these, names are often one of two storages.
CHOOSING = 2000 if IS_FULL else 100
FORCED = ("hoist-batch", "parallelize-loops", "expand-updates", "store-windows", "absorb-permutations",
          "merge-vertically", "merge-horizontally", "fuse-cells", "skew-loops", "split-reductions",
          "split-rows", "merge-launches")


def forced_on(seed):
    """The transformations that are forced on for this program: one for every third, each in turn."""
    return (FORCED[seed // 3 % len(FORCED)],) if seed % 3 == 1 else ()


def make_arguments(seed, rows, layout="contiguous", kind="float32"):
    generator = torch.Generator().manual_seed(seed)

    def make(*sizes):
        made = torch.randn(*sizes, generator=generator) * (3 if kind == "int64" else 1)
        return made.to(getattr(torch, kind))

    columns = 0 if layout == "empty" else rows - 1
    x, y, z = make(rows, columns), make(rows, columns), make(rows)
    if layout == "transposed":
        x = x.t().contiguous().t()
    elif layout == "strided":
        x = torch.stack([x, y]).transpose(0, 1)[:, 0]
    elif layout == "stepped":
        x = torch.stack([x, y], 2)[..., 0]
    elif layout == "expanded":
        x = x[:1].expand(rows, columns)
    return [x, x if layout == "twice" else y, z]


class RandomPrograms(AgreementTest):
    @classmethod
    def setUpClass(cls):
        cls.refused, cls.tried = {}, 0

    @classmethod
    def tearDownClass(cls):
        # Less than one in a hundred is.
        assert len(cls.refused) <= max(4, cls.tried // 50), f"{len(cls.refused)} of {cls.tried} are refused"

    def run_seed(self, seed, chooses=False):
        source, layout, kind = random_programs.generate(seed, chooses)
        program = load(source, f"program_{seed}.py")
        type(self).tried += 1
        options = ("--verify-each-stage", *(f"--force={name}" for name in forced_on(seed)))
        compile_file, broken = _tool.compile_file, []

        def compile_verified(source, output, target, given=(), *others, **named):
            try:
                compile_file(source, output, target, [*given, *options], *others, **named)
            except tssa.UnsupportedError:
                raise
            except tssa.Error as error:  # another recording may not fail, and would hide it
                broken.append(str(error))
                raise

        self.enterContext(mock.patch.object(_tool, "compile_file", compile_verified))
        try:
            self.compare(program, seed, layout, kind)
        except tssa.UnsupportedError as error:
            type(self).refused[seed] = str(error).splitlines()[-1]
        except AssertionError:
            if kind != "float32":
                raise
            # Fifteen doublings and remainders make much of an ulp: then f64 agrees, and f32 roughly.
            self.compare(program, seed, layout, kind, rtol=1e-2, atol=1e-2)
            self.compare(program, seed, layout, "float64", rtol=1e-9, atol=1e-9)
        self.assertEqual(broken, [])

    def compare(self, program, seed, layout, kind, **tolerance):
        # Where a transformation is forced, sizes are fixed. With those that differ opened, there are three binaries.
        sizes, dynamic = ((4, 2), (4, 0), (5, 3)), None if IS_FULL or seed % 6 == 0 else True
        if forced_on(seed):
            sizes, dynamic = ((4, 2),), False
        compiled = tssa.compile(program, dynamic=dynamic)
        for rows, k in sizes:
            arguments = (*make_arguments(seed, rows, layout, kind), k)
            if self.is_defined(program, arguments):  # parts of fixed sizes may fit the first one only
                self.check(program, arguments, compiled, **tolerance)

    @staticmethod
    def is_defined(program, arguments):
        try:
            program(*copy.deepcopy(arguments))
        except (RuntimeError, IndexError):
            return False
        return True


def add_test(seed, chooses):
    name = f"test_{'choosing_' if chooses else ''}{seed:04}"
    setattr(RandomPrograms, name, lambda self: self.run_seed(seed, chooses))


for seed in range(COUNT):
    add_test(seed, False)
for seed in range(CHOOSING):
    add_test(seed, True)

if __name__ == "__main__":
    unittest.main()
