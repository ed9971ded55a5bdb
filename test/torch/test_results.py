# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Results that differ by path: an argument or a new tensor, which are the same objects as in eager mode."""

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


WEIGHT = torch.full((2, 3), 7.0)


@program
def a_tensor_of_the_program(x, y):
    weight = WEIGHT
    if x.sum() > 0:
        weight = x
    elif y.sum() < -20:
        weight = weight * 2
    while weight.sum() < -3:
        weight = weight / 2
    return weight, WEIGHT


@program
def a_tuple_from_the_middle_of_loops(x, y):
    for i in range(x.size(0) + 8):
        for j in range(x.size(1) + 8):
            if i * j > 4 and y.sum() > i:
                return x, y * j
    return y, x + 1


@program
def a_bool_as_a_number(x, y):
    count = int((x.sum() > 0).item()) + int(bool(y.sum() > 100))
    if count > 1:
        y = y * count
    return y, count, x[count % 2]


@program
def an_index_error_in_an_arm_that_is_not_taken(x, y):
    if x.sum() > 1000:
        y = y[2] + y
    return y * 2


def inputs():
    for value in (1.0, -1.0, 30.0, 0.0):
        yield torch.full((2, 3), value), torch.full((2, 3), 2 * value)


class Results(AgreementTest):
    def places(self, result, arguments):
        """Which arguments and which earlier results the leaves of a result are."""
        leaves = flatten(result)
        return [[leaf is other for other in (*arguments, *leaves, WEIGHT)] for leaf in leaves]

    def run_program(self, function):
        compiled = tssa.compile(function)
        for arguments in inputs():
            left, right = ([tensor.clone() for tensor in arguments] for _ in range(2))
            expected, actual = function(*left), compiled(*right)
            self.assert_same(expected, actual, "result")
            self.assert_same(left, right, "arguments")
            self.assertEqual(self.places(expected, left), self.places(actual, right))
        self.assertEqual(compiled.num_binaries, 1)


    def test_an_index_error_in_an_arm_that_is_taken(self):
        compiled = tssa.compile(an_index_error_in_an_arm_that_is_not_taken)
        with self.assertRaisesRegex(tssa.Error, "the program raised an exception"):
            compiled(torch.full((2, 3), 1000.0), torch.ones(2, 3))

    def test_an_index_error_in_both_arms(self):
        with self.assertRaises(IndexError):
            tssa.compile(lambda x: x[5] if x.sum() > 0 else x[6])(torch.ones(2, 3))


for name, function in PROGRAMS.items():
    setattr(Results, f"test_{name}", lambda self, function=function: self.run_program(function))

if __name__ == "__main__":
    unittest.main()
