# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Guards on products of open sizes become facts about single sizes, and calls in which they fail are recorded anew."""

import unittest

import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, Mod

import tssa
from tssa._equalities import explain

a, b, c, d = sympy.symbols("a b c d", positive=True, integer=True)
DIMS = {a: 0, b: 1, c: 0, d: 1}


def tensor(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def split_channels(x):
    p = x.view(x.size(0), 3, -1, x.size(2)).permute(0, 1, 3, 2).contiguous()
    p[..., 0] = torch.sigmoid(p[..., 0])
    p[..., 2:].mul_(2)
    return p


def rows_of(x, like):
    return x.permute(0, 2, 1).reshape(like.size(0), like.size(1) * 4)


def gates(x, h):
    i, f, g, o = (x @ h.t()).chunk(4, 1)
    return i.sigmoid() * f + g.tanh() * o


def heads(x, w):
    q, k = (x @ w).view(x.size(0), 2, 4, x.size(1) // 4).unbind(1)
    return (q * k).reshape(x.size(0), x.size(1)) @ x.t()


def scale_rows(x, y):
    for i in range(x.size(0)):
        y[i] = y[i] + x[i].sum()
    return y


def clears_every_second(x):
    x[::2].masked_fill_(x[::2] > 1, 1)
    return x


class Explanations(unittest.TestCase):
    def check(self, condition, values, equalities, divided=None):
        facts = explain(condition, values, DIMS)
        self.assertEqual((facts.equalities, facts.divided), (equalities, divided))

    def test_equal_products(self):
        self.check(sympy.Eq(a * b, c * d), {a: 2, b: 5, c: 5, d: 2}, [sympy.Eq(a, d), sympy.Eq(b, c)])
        self.check(sympy.Eq(a * b, 4 * c), {a: 7, b: 4, c: 7}, [sympy.Eq(a, c), sympy.Eq(b, 4)])
        self.check(sympy.Eq(a * b, 6), {a: 3, b: 2}, [sympy.Eq(a, 3), sympy.Eq(b, 2)])
        self.check(sympy.Ne(a * b * c, b * d), {a: 2, b: 3, c: 1, d: 2}, [sympy.Eq(a, d), sympy.Eq(c, 1)])
        self.check(sympy.Eq(6 * a * b, 4 * c * a), {a: 5, b: 2, c: 3}, [sympy.Eq(b, 2), sympy.Eq(c, 3)])

    def test_equal_sizes_of_the_same_dim_belong_together(self):
        self.check(sympy.Eq(a * b, c * d), {b: 2, a: 2, c: 2, d: 2}, [sympy.Eq(b, d), sympy.Eq(a, c)])
        self.check(sympy.Eq(a * b, 4 * d), {a: 4, b: 4, d: 4}, [sympy.Eq(b, d), sympy.Eq(a, 4)])

    def test_a_multiple(self):
        self.check(sympy.Eq(24 * a * c, a * b), {a: 2, b: 48, c: 2}, [sympy.Eq(24 * c, b)])

    def test_quotients(self):
        self.check(sympy.Eq(a * b, 8 * a * FloorDiv(b, 8)), {a: 2, b: 16}, [], (b, 8))
        self.check(sympy.Gt(a - FloorDiv(a + 3, 4), b), {a: 8, b: 2}, [], (a, 4))

    def test_divisibility(self):
        self.check(sympy.Eq(Mod(a * b, 3 * c), 0), {a: 2, b: 9, c: 2}, [sympy.Eq(a, c)], (b, 3))
        self.check(sympy.Eq(Mod(a * b, c), 0), {a: 2, b: 9, c: 9}, [sympy.Eq(b, c)])

    def test_what_is_left_alone(self):
        for condition, values in ((sympy.Eq(a * b, c), {a: 2, b: 3, c: 6}), (sympy.Eq(a * b, c * d), {a: 2, b: 6, c: 3, d: 4}),
                                  (sympy.Eq(a * b, c), {a: 2, b: 3, c: 5}), (sympy.Eq(a + b, c), {a: 2, b: 3, c: 5}),
                                  (sympy.Lt(a * b, c), {a: 2, b: 3, c: 7}), (sympy.Eq(Mod(a * b, 6), 0), {a: 2, b: 3}),
                                  (sympy.Eq(a * b, c * d), {a: 2, b: 3, c: 2}), (sympy.Eq(24 * c, b), {b: 48, c: 2}),
                                  (sympy.Eq(24 * a * c, a * b), {a: 2, b: 47, c: 2}),
                                  (sympy.Eq(a * b, 8 * FloorDiv(b, 8)), {a: 1, b: 15}), (sympy.Gt(FloorDiv(a, 2), b), {a: 8, b: 2}),
                                  (sympy.Gt(FloorDiv(a + 3, 4), b), {a: 7, b: 1})):
            self.assertIsNone(explain(condition, values, DIMS))


class Programs(unittest.TestCase):
    def check(self, program, calls, num_binaries):
        compiled = tssa.compile(program, dynamic=True)
        for arguments in calls:
            expected = program(*(value.clone() for value in arguments))
            torch.testing.assert_close(compiled(*(value.clone() for value in arguments)), expected)
        self.assertEqual(compiled.num_binaries, num_binaries)

    def test_a_dim_that_is_split(self):
        self.check(split_channels, [(tensor(2, 12, 5),), (tensor(1, 15, 7),), (tensor(4, 9, 3),)], 1)

    def test_a_dim_too_small_for_its_window(self):
        self.check(split_channels, [(tensor(2, 12, 5),), (tensor(2, 3, 5),)], 2)

    def test_a_dim_that_cannot_be_split(self):
        compiled = tssa.compile(split_channels, dynamic=True)
        compiled(tensor(2, 12, 5))
        with self.assertRaises(RuntimeError):
            compiled(tensor(1, 10, 5))

    def test_chunks(self):
        calls = [(tensor(2, 5), tensor(8, 5)), (tensor(3, 4), tensor(20, 4))]
        self.check(gates, calls, 1)

    def test_every_second_element(self):
        """PyTorch asks for the strides whether two divides the size, and does not rely on the answer."""
        self.check(clears_every_second, [(tensor(4),), (tensor(5),), (tensor(7),)], 1)

    def test_heads(self):
        calls = [(tensor(2, 8), tensor(8, 16)), (tensor(3, 12), tensor(12, 24))]
        self.check(heads, calls, 1)
        with self.assertRaises(RuntimeError):
            self.check(heads, [*calls, (tensor(3, 12), tensor(12, 16))], 1)

    def test_sizes_that_are_equal_in_the_example(self):
        calls = [(tensor(2, 4, 3), tensor(2, 3)), (tensor(5, 4, 7), tensor(5, 7))]
        self.check(rows_of, calls, 1)
        self.check(rows_of, [*calls, (tensor(2, 6, 4), tensor(3, 4))], 2)

    def test_a_loop_over_all_of_a_dim(self):
        self.check(scale_rows, [(tensor(3, 4), tensor(3, 5)), (tensor(2, 6), tensor(2, 1))], 1)
        self.check(scale_rows, [(tensor(3, 4), tensor(3, 5)), (tensor(2, 4), tensor(3, 5))], 2)


if __name__ == "__main__":
    unittest.main()
