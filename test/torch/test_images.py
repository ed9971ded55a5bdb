# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Loops over the images of a batch: what the compiler does for all images at once, and what it must not.

Each program runs from one binary with an open batch, for one image, several and none. In `left` and
`sums` an image depends on the one before.
"""

import unittest

import tssa
import torch
from support import AgreementTest


def boxes(x):
    out = torch.empty_like(x)
    for b in range(x.size(0)):
        o = out[b]
        o[:, :2] = x[b][:, :2] * 2
        o[:, 2:] = x[b][:, 2:] + 1
        o[:, :2] -= o[:, 2:] / 2
        o[:, 2:] += o[:, :2]
        o.clamp_(0.0, 1.0)
    return out


def own_tensor(x):
    out = torch.zeros_like(x)
    for b in range(x.size(0)):
        t = x[b].clone()
        t[:, 0] = 0.0
        t[:, 1] += t[:, 2]
        out[b] = t
    return out


def rows_of_images(x):
    out = torch.zeros_like(x)
    for b in range(x.size(0)):
        for k in range(x.size(1)):
            out[b, k] = x[b, k] * 2
            out[b, k] += x[b, 0]
    return out


def two_results(x):
    a = torch.zeros_like(x)
    m = torch.zeros_like(x)
    for b in range(x.size(0)):
        a[b] = x[b] + 1
        m[b] = a[b] * 2
        m[b].masked_fill_(x[b] < 0, 5.0)
        a[b] += m[b]
    return a, m


def from_the_second(x):
    y = x.clone()
    for b in range(1, x.size(0)):
        y[b] = x[b] + x[b - 1]
        y[b] *= 2
    return y


def backwards(x):
    y = torch.zeros_like(x)
    n = x.size(0)
    for b in range(n):
        y[n - 1 - b] = x[b]
        y[n - 1 - b, 0] += 1
    return y


def transposed(x):
    y = x.clone()
    for b in range(x.size(0)):
        v = y[b].t()
        v[0] *= 2
        v[1:3] += v[0]
    return y


def two_to_one(x):
    y = x.clone()
    for b in range(x.size(0)):
        y[b // 2] += x[b]
    return y


def left(x):
    y = x.clone()
    for b in range(1, x.size(0)):
        y[b] += y[b - 1]
        y[b] *= 0.5
    return y


def sums(x):
    y = torch.zeros_like(x)
    s = torch.zeros(4)
    for b in range(x.size(0)):
        y[b] = x[b]
        s += x[b][0]
    return y, s


def first_images(x, w):
    y = torch.zeros_like(x)
    for b in range(x.size(0)):
        y[b] = x[b] + w[b]
    return y


PROGRAMS = (boxes, own_tensor, rows_of_images, two_results, from_the_second, backwards, transposed, two_to_one, left, sums)


class Images(AgreementTest):
    def test_batches(self):
        for function in PROGRAMS:
            with self.subTest(function.__name__):
                compiled = tssa.compile(function, dynamic=True)
                for batch in (3, 1, 16, 0):
                    self.check(function, (torch.randn(batch, 6, 4),), compiled)

    def test_too_few_images(self):
        compiled = tssa.compile(first_images, dynamic=True)
        self.check(first_images, (torch.randn(3, 4), torch.randn(5, 4)), compiled)
        self.check(first_images, (torch.randn(0, 4), torch.randn(5, 4)), compiled)
        with self.assertRaisesRegex(tssa.Error, "out of range"):
            compiled(torch.randn(3, 4), torch.randn(2, 4))


if __name__ == "__main__":
    unittest.main()
