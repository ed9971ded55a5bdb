# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Results have the types and strides that eager mode gives, from tssa.compile and as a backend of torch.compile."""

import collections
import copy
import unittest

import torch
import torch.nn.functional as F

import tssa
from everyday import tensor
from support import strides_of

Pair = collections.namedtuple("Pair", "value shape")
X = tensor(2, 3, 4, 5)
LAYOUTS = {
    "contiguous": X, "channels last": X.to(memory_format=torch.channels_last), "permuted": X.permute(3, 1, 0, 2),
    "stepped": X[:, :, ::2], "expanded": X[:1].expand(2, 3, 4, 5), "one channel": X[:, :1], "matrix": X[0, 0].t(),
}


def elementwise(x):
    return (torch.relu(x), x + 1, x * x, x > 0, x.clone(), torch.empty_like(x).fill_(1), torch.zeros_like(x), -x,
            x.to(torch.float64), x.exp().add(x), torch.where(x > 0, x, x * 2), F.gelu(x), x.clamp(0, 1))


def reduced(x):
    return (x.contiguous(), x.contiguous() + 1, x.sum(0), x.sum(-1, keepdim=True), x.softmax(-1), x.mean(1), x.cumsum(0),
            x.sort(-1).values, torch.cat([x, x]), torch.stack([x, x]), x.flip(0), x.roll(1), x.roll(1, -1),
            x.roll((1, -2), (0, 1)))


#: Element-wise functions of two tensors, by name or as they are.
OF_TWO = [getattr(torch, name) for name in (
    "add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "maximum", "minimum", "fmax", "fmin", "atan2",
    "hypot", "xlogy", "copysign", "eq", "lt", "logaddexp", "logical_and", "nextafter", "heaviside", "rsub", "isclose",
    "gcd", "lcm", "bitwise_and")] + [
    torch.special.xlog1py, lambda a, b: a // b, lambda a, b: a % b, lambda a, b: torch.div(a, b, rounding_mode="floor"),
    lambda a, b: torch.div(a, b, rounding_mode="trunc"), lambda a, b: torch.where(a > 3, a, b), lambda a, b: torch.lerp(a, b, 0.5),
    lambda a, b: torch.clamp(a, b, b + 1), lambda a, b: torch.addcmul(a, b, a), lambda a, b: a.masked_fill(b > 3, 0)]
ORDERS = (((0, 1, 2), (2, 1, 0)), ((2, 0, 1), (0, 1, 2)), ((1, 2, 0), (2, 1, 0)), ((0, 2, 1), (1, 0, 2)), ((2, 1, 0), (2, 1, 0)))


def in_order(order, first, dtype):
    """Returns a tensor of sizes 2, 3 and 4 whose dims lie in memory in this order."""
    sizes = (2, 3, 4)
    values = torch.arange(first, first + 24).reshape([sizes[dim] for dim in order]).to(dtype)
    return values.permute([order.index(dim) for dim in range(3)])


def of_two(x):
    y = x.contiguous()
    return x + y, y + x, x * 2 + y, torch.maximum(x, y)


def formats(x):
    return (x.contiguous(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last),
            x.clone(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last).relu() + x)


def structures(x):
    return x.shape, x.size(), Pair(x + 1, x.shape), torch.max(x, 1), x.sort(1), list(x.shape), x.shape[1:], x.aminmax()


class Strides(unittest.TestCase):
    def run_both(self, function, x):
        torch._dynamo.reset()
        for compiled in (tssa.compile(function), torch.compile(function, backend="tssa")):
            with torch.no_grad():
                expected, actual = function(copy.deepcopy(x)), compiled(copy.deepcopy(x))
            self.compare(expected, actual, function.__name__)

    def compare(self, expected, actual, where):
        self.assertIs(type(expected), type(actual), where)
        if isinstance(expected, torch.Tensor):
            self.assertEqual(expected.shape, actual.shape, where)
            self.assertEqual(strides_of(expected), strides_of(actual), where)
            torch.testing.assert_close(actual, expected)
        elif isinstance(expected, (tuple, list)):
            for i, pair in enumerate(zip(expected, actual, strict=True)):
                self.compare(*pair, f"{where}[{i}]")
        else:
            self.assertEqual(expected, actual, where)

    def test_orders_of_two_operands(self):
        for function in OF_TWO:
            is_integer = function in (torch.gcd, torch.lcm, torch.bitwise_and)
            dtype = torch.int64 if is_integer else torch.float32
            pairs = [(in_order(left, 1, dtype), in_order(right, 2, dtype)) for left, right in ORDERS]

            def program(pairs, function=function):
                return [function(left, right) for left, right in pairs]

            with self.subTest(getattr(function, "__name__", "")):
                for got, want in zip(tssa.compile(program)(pairs), program(pairs), strict=True):
                    self.assertEqual((got.stride(), got.dtype), (want.stride(), want.dtype))
                    torch.testing.assert_close(got, want, equal_nan=True)

    def test_layouts(self):
        for name, x in LAYOUTS.items():
            for function in (elementwise, reduced, of_two):
                with self.subTest(layout=name):
                    self.run_both(function, x)

    def test_formats(self):
        self.run_both(formats, X)

    def test_structures(self):
        self.run_both(structures, X)

    def test_layers(self):
        conv, norm = torch.nn.Conv2d(3, 8, 3).requires_grad_(False), torch.nn.BatchNorm2d(3).eval().requires_grad_(False)

        def layers(x):
            return conv(x), norm(x), F.max_pool2d(x, 2), F.interpolate(x, scale_factor=2.0), F.adaptive_avg_pool2d(x, 2)

        for name in ("contiguous", "channels last"):
            with self.subTest(layout=name):
                self.run_both(layers, LAYOUTS[name])


if __name__ == "__main__":
    unittest.main()
