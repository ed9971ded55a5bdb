# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Results whose size or place only a run knows: right, or refused in a sentence with the line."""

import unittest

import torch
import torch.nn.functional as F

import tssa
from support import AgreementTest

X = torch.arange(24.0).reshape(4, 6)
V = torch.tensor([3.0, 1.0, 2.0, -1.0, 5.0, -2.0])
ONE, TWO, FOUR = torch.tensor(1), torch.tensor(2), torch.tensor(4)

PROGRAMS = {}


def program(*calls):
    def add(function):
        PROGRAMS[function.__name__] = (function, calls)
        return function

    return add


@program((X, TWO), (X, FOUR))
def up_to_a_tensor(k, pos):
    return k[:, :pos]


@program((X, TWO), (X, FOUR))
def up_to_an_int(k, pos):
    n = int(pos)
    return k[:, :n], n


@program((X, ONE, FOUR), (X, TWO, TWO), (X, -FOUR, FOUR))
def between_two(x, a, b):
    y = x + 1
    return x.t()[int(a):int(b)], y[:, a:b], y


@program((V,), (-V,))
def counted_in_a_loop(x):
    n = 0
    for i in range(x.size(0)):
        if x[i] > 0:
            n += 1
    return x[:n], n


@program((V,), (V[3:],))
def counted_by_while(x):
    n = 0
    while n < x.size(0) and x[n] > 0:
        n += 1
    y = x * 2
    y[:n] = 0
    return y[n:], n


@program((X, ONE), (X, -ONE))
def row_of_an_argument(x, k):
    row = x[k]
    row += 1
    return row, x[:, k]


@program((X,), (-X,))
def column_of_the_largest(x):
    k = x.sum(0).argmax()
    return x[:, k], x.t()[k:]


@program((X, TWO))
def arange_from_a_tensor(x, n):
    return torch.arange(n) * 2, torch.zeros(n, 3), torch.full((int(n), 2), 1.5), torch.ones(2, n)


@program((TWO, 3), (torch.tensor(0), 2), (ONE, 1))
def arange_expanded(g, m: int):
    n = int(g)
    return torch.arange(n).view(-1, 1).expand(n, m)


@program((X, TWO, ONE))
def narrow_from_tensors(x, start, length):
    return x.narrow(1, start, length), x.narrow(0, int(length), 1)


@program((X, TWO), (X, FOUR))
def resized_by_a_tensor(x, n):
    return F.interpolate(x[None, None], size=(n, n))


@program((X, TWO), (X, ONE))
def viewed_by_a_tensor(x, n):
    return x.reshape(n, -1).sum() + x.view(-1, int(n)).sum()


@program((V,), (-V,))
def selected_by_a_mask(x):
    kept = x[x > 0]
    return kept, kept.numel(), kept[:1], kept.sum()


@program((X, torch.tensor([True, False, True, True]), torch.tensor([0, 1, 2, 3])))
def mask_beside_its_labels(x, m, labels):
    return x[m, labels[m]]


REFUSED = {}


def refused(reason, *calls):
    def add(function):
        REFUSED[function.__name__] = (function, reason, calls)
        return function

    return add


@refused("a decision depends on a number that only a run knows", (X, TWO))
def padded_by_a_tensor(x, n):
    return F.pad(x, (0, n)).sum(1)


class RunSizes(AgreementTest):
    pass


def add_test(name, function, calls):
    def test(self):
        compiled = tssa.compile(function)
        for arguments in calls:
            self.check(function, arguments, compiled)

    setattr(RunSizes, f"test_{name}", test)


def add_refused(name, function, reason, calls):
    def test(self):
        compiled = tssa.compile(function)
        for arguments in calls:
            with self.assertRaisesRegex(tssa.UnsupportedError, rf"{__file__}:\d+: {reason}"), torch.no_grad():
                compiled(*arguments)

    setattr(RunSizes, f"test_{name}", test)


for name, (function, calls) in PROGRAMS.items():
    add_test(name, function, calls)
for name, (function, reason, calls) in REFUSED.items():
    add_refused(name, function, reason, calls)

if __name__ == "__main__":
    unittest.main()
