# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What the tests share: running a function in eager PyTorch and compiled, and comparing."""

import copy
import linecache
import signal
import unittest

import torch

import tssa

torch.set_num_threads(1)


def take_interrupts():
    """A process in the background of a script ignores them, and so do those that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def flatten(value):
    if isinstance(value, dict):
        return [leaf for item in value.items() for leaf in flatten(item)]
    if isinstance(value, (list, tuple)):
        return [leaf for element in value for leaf in flatten(element)]
    return [value]


def load(source, name):
    """Returns the function `program` of a source that inspect can find."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    found = {"torch": torch, "__name__": name}
    exec(compile(source, name, "exec"), found)
    return found["program"]


def strides_of(tensor):
    """Returns the strides that can be told: not those of dims of one element."""
    if tensor.numel() == 0:
        return ()
    return tuple(stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1)


class AgreementTest(unittest.TestCase):
    """Compiled programs agree with eager ones: results, arguments, types, structure."""

    def assert_same(self, expected, actual, message, rtol=1e-4, atol=1e-5):
        self.assertEqual(type(expected), type(actual), message)
        expected, actual = flatten(expected), flatten(actual)
        self.assertEqual(len(expected), len(actual), message)
        for i, (left, right) in enumerate(zip(expected, actual)):
            where = f"{message}, value {i}"
            if not isinstance(left, torch.Tensor):
                self.assertEqual(type(left), type(right), where)
                if isinstance(left, float):
                    self.assertAlmostEqual(left, right, 4, where)
                else:
                    self.assertEqual(left, right, where)
                continue
            self.assertEqual(left.dtype, right.dtype, where)
            self.assertEqual(left.shape, right.shape, where)
            torch.testing.assert_close(right, left, rtol=rtol, atol=atol, equal_nan=True,
                                       msg=lambda text, where=where: f"{where}: {text}")

    def check(self, function, arguments, compiled=None, target="cpu", **tolerance):
        """Runs both on copies of the arguments; the compiled function."""
        compiled = compiled or tssa.compile(function, target=target)
        left, right = copy.deepcopy(arguments), copy.deepcopy(arguments)
        with torch.no_grad():
            expected = function(*left)
            actual = compiled(*right)
        name = getattr(compiled, "__name__", type(compiled).__name__)
        self.assert_same(expected, actual, f"result of {name}", **tolerance)
        self.assert_same(left, right, f"arguments of {name}", **tolerance)
        return compiled
