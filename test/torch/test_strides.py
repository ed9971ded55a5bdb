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
