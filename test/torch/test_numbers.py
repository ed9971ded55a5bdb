# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Python's ints and floats that only a run knows: right, or an error where 64 bits do not hold them."""

import itertools
import math
import unittest

import torch

import tssa

MOST = 2**63 - 1
EDGES = (0, 1, -1, 7, 2**31, -2**31, 2**32 + 1, 3037000499, 3037000500, 2**62, -2**62, MOST - 1, MOST, -MOST, -2**63)
BINARY = {"add": lambda x: int(x[0]) + int(x[1]), "sub": lambda x: int(x[0]) - int(x[1]),
          "mul": lambda x: int(x[0]) * int(x[1]), "twice": lambda x: 2 * int(x[0]), "next": lambda x: int(x[0]) + 1,
          "neg": lambda x: -int(x[0]), "abs": lambda x: abs(int(x[0])), "invert": lambda x: ~int(x[0]),
          "square": lambda x: int(x[0])**2, "cube": lambda x: int(x[0])**3}
NEAR = 1024  # products of at most so much below the limit may count as beyond it


def factorial(x):
    made = 1
    for i in range(1, int(x[0]) + 1):
        made *= i
    return made


def hashed(x):
    made = 7
    for i in range(x.size(0)):
        made = made * 31 + int(x[i])
    return made % 1000003


def steps(x):
    n, count = int(x[0]), 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def of_an_argument(x, n):
    return x * ((n**5) % 97)


class Numbers(unittest.TestCase):
    def agree(self, function, *arguments, may_fail=False):
        """Checks that a result is that of eager mode, or a run fails if that does not fit.

        may_fail: whether numbers on the way may not fit.
        """
        want = function(*arguments)
        compiled = self.compiled.setdefault(function, tssa.compile(function))
        if not may_fail and -2**63 + NEAR <= want <= MOST - NEAR:
            self.assertTrue(torch.equal(torch.as_tensor(compiled(*arguments)), torch.as_tensor(want)), want)
            return
        try:
            made = compiled(*arguments)
        except tssa.Error as error:
            self.assertNotIsInstance(error, tssa.UnsupportedError)
            self.assertIn("an int leaves the range of 64 bits", str(error))
        else:
            self.assertEqual(made, want)

    def setUp(self):
        self.compiled = {}

    def test_edges(self):
        for name, function in BINARY.items():
            for left, right in itertools.product(EDGES, EDGES):
                with self.subTest(name, left=left, right=right):
                    self.agree(function, torch.tensor([left, right]))

    def test_sums_are_exact(self):
        for left, right in ((MOST, 0), (MOST - 1, 1), (-2**63, 0), (MOST, -2**63)):
            self.assertEqual(tssa.compile(BINARY["add"])(torch.tensor([left, right])), left + right)

    def test_loops(self):
        for count in (0, 5, 20, 21, 25, 66):
            self.agree(factorial, torch.tensor([count]))
        for values in (torch.arange(3), torch.arange(12), torch.arange(40)):
            self.agree(hashed, values, may_fail=len(values) > 3)
        for start in (1, 27, 97, 2**40 + 1):
            self.agree(steps, torch.tensor([start]))

    def test_arguments(self):
        compiled = tssa.compile(of_an_argument, dynamic=True)
        x = torch.ones(2)
        for n in (2, 3, 100, -7):
            self.assertTrue(torch.equal(compiled(x, n), of_an_argument(x, n)))
        with self.assertRaisesRegex(tssa.Error, "an int leaves the range of 64 bits"):
            compiled(x, 2**20)

    def test_floats_as_ints(self):
        compiled = tssa.compile(lambda x: int(float(x[0])))
        for value in (0.0, -1.5, 2.0**62, -2.0**63):
            self.assertEqual(compiled(torch.tensor([value], dtype=torch.float64)), int(value))
        for value in (2.0**63, 1e30, -1e30, math.inf, math.nan):
            with self.assertRaisesRegex(tssa.Error, "an int leaves the range of 64 bits"):
                compiled(torch.tensor([value], dtype=torch.float64))


if __name__ == "__main__":
    unittest.main()
