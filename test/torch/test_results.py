# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Results that are an argument on one path only: they are the same objects as in eager mode."""

import unittest

import torch
import tssa
from support import AgreementTest, flatten

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


@program
def the_argument_or_a_new_one(x, y):
    return x if x.sum() > 0 else x + 1


@program
def one_of_two_arguments(x, y):
    z = x if x.sum() > 0 else y
    return z, z + 1


@program
def one_of_two_arguments_or_a_new_one(x, y):
    if x.sum() > 100:
        z = x * 2
    elif x.sum() > 0:
        z = y
    else:
        z = x
    return y, z


@program
def returned_early(x, y):
    if x.sum() > 0:
        return x, x * 2
    return y * 3, x


@program
def after_a_loop(x, y):
    steps = 0
    while 0 < x.abs().sum() < 20:
        x = x * 2
        steps += 1
    return x, steps


@program
def swapped_in_a_loop(x, y):
    while y.abs().sum() > x.abs().sum():
        x, y = y, x
    return x, y


@program
def twice(x, y):
    z = x if x.sum() > 0 else x + 1
    return z, [z], x


@program
def in_containers(x, y):
    made = {"a": x, "b": [y]}
    if x.sum() > 0:
        made = {"a": y, "b": [y + 1]}
    return made


@program
def written_before(x, y):
    x += 1
    return x if x.sum() > 0 else x * 2


@program
def through_a_function(x, y):
    def larger(a, b):
        if a.sum() > b.sum():
            return a
        return b

    return larger(larger(x, y), x + 1)


def inputs():
    for value in (1.0, -1.0, 30.0, 0.0):
        yield torch.full((2, 3), value), torch.full((2, 3), 2 * value)


class Results(AgreementTest):
    def places(self, result, arguments):
        """Which arguments and which earlier results the leaves of a result are."""
        leaves = flatten(result)
        return [[leaf is other for other in (*arguments, *leaves)] for leaf in leaves]

    def run_program(self, function):
        compiled = tssa.compile(function)
        for arguments in inputs():
            left, right = ([tensor.clone() for tensor in arguments] for _ in range(2))
            expected, actual = function(*left), compiled(*right)
            self.assert_same(expected, actual, "result")
            self.assert_same(left, right, "arguments")
            self.assertEqual(self.places(expected, left), self.places(actual, right))
        self.assertEqual(compiled.num_binaries, 1)


for name, function in PROGRAMS.items():
    setattr(Results, f"test_{name}", lambda self, function=function: self.run_program(function))

if __name__ == "__main__":
    unittest.main()
