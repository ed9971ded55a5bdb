# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Results whose size or place only a run knows: right, or refused in a sentence with the line."""

import unittest

import torch
import torch.nn.functional as F

import tssa
from everyday import tensor
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


@program((X,), (X[:1],), (X[:0],))
def grows_from_a_known_size(x):
    y = torch.zeros(1, 6)
    z = torch.zeros(0, 6)
    for i in range(x.size(0)):
        y = torch.cat([y, x[i:i + 1]])
        z = torch.cat([z, y[-1:] + i, y[:1]])
    return y, z


@program((X,), (-X,))
def sizes_of_two_paths(x):
    if x.sum() > 0:
        y = x[:1] + 1
    else:
        y = x[:2] * 2
    return y, y.sum()


@program((X, 3), (X, 0), (X, 2))
def strides_of_two_paths(x, n: int):
    y = x @ x.t()
    for i in range(n):
        y = y.t()
    z = x.t() if x.sum() > 0 else torch.zeros(6, 4)
    return y.contiguous() + 1, y.sum(0), z * 2, torch.einsum("ij,jk->ik", z, x)


@program((X,), (-X,))
def grows_from_a_column(x):
    t = x[:, :1]
    for i in range(x.size(1) - 1):
        t = torch.cat([t, x[:, i + 1:i + 2]], 1)
        if t.sum() > 40:
            break
    return t, t.shape[1]


@program((X[0], X), (X[1] * 0, X))
def product_with_a_slice(q, k):
    n = int(q.argmax()) + 1
    return torch.einsum("d,bd->b", q[:n], k[:, :n])


@program((V,), (V.abs(),))
def extremes_of_tensors(x):
    best = min(x[0] + 1, x[1] + 1, x[2] * 1)
    rows = [max(x[i], x[i + 1]) for i in range(x.size(0) - 1)]
    return best, torch.stack(rows), divmod(int(x.argmax()), 4), torch.equal(x, x.abs())


# Names that nothing reads after the loop, and that an iteration writes before it reads them.


@program((X,), (X[:1],))
def dead_of_other_strides(x):
    a = x
    y = x * 0
    for i in range(x.size(0)):
        a = x[i:i + 1].t() * 2
        y[i] = a[:, 0]
    return y


@program((X,), (X[:1],))
def dead_of_other_types(x):
    a, b, c = 0, None, [x]
    y = x * 0
    for i in range(x.size(0)):
        a = x[i] * 2
        b = [x[i], a]
        c = x[i].sum() if a.sum() > 0 else None
        y[i] = a + b[1]
    return y


@program((X,), (-X,))
def dead_on_one_path(x):
    a, n = None, 0
    while x.sum() > n * 100:
        if x[0].sum() > n:
            a = x + n
        else:
            a = n
        n += 1
    return x * n


@program((X,), (X[:1],))
def unrolled_since_it_is_read_in_the_next_iteration(x):
    a, y = None, x
    for i in range(x.size(0) * 3):
        y = y if a is None else y + a[0]
        a = [x, i]
    return y


REFUSED = {}


def refused(reason, *calls):
    def add(function):
        REFUSED[function.__name__] = (function, reason, calls)
        return function

    return add


@refused("a decision depends on a number that only a run knows", (X, TWO))
def padded_by_a_tensor(x, n):
    return F.pad(x, (0, n)).sum(1)


@refused("'a' is a tensor of 1 dims of torch.float32 on one path and a tensor of 2 dims", (X,))
def lost_and_read_afterwards(x):
    a = x
    for i in range(x.size(0) * 3):
        a = x[0] * i
    return a


@refused("the value is a NoneType on one path and a tensor of 0 dims", (X,))
def none_on_one_path_and_tested(x):
    a = x.sum() if x[0, 0] > 0 else None
    return x if a is None else x + 1


class RunSizes(AgreementTest):
    def test_extremes_of_nothing(self):
        for function in (torch.max, torch.argmin, lambda x: x.amax(0), lambda x: x.min(0).values):
            compiled = tssa.compile(lambda x: function(x[x > 0]))
            self.check(lambda x: function(x[x > 0]), (V,), compiled)
            with self.assertRaisesRegex(tssa.Error, "expected at least one element"), torch.no_grad():
                compiled(-V.abs())

    def test_one_binary_for_all_sizes(self):
        images = [tensor(1, 3, n, m) for n, m in ((4, 5), (6, 7), (8, 4))]
        for options in ({}, {"mode": "bilinear"}, {"mode": "bicubic"},
                        {"mode": "bilinear", "recompute_scale_factor": True, "align_corners": True}):
            for scale in (2, 1.5, 0.7, (2.0, 1.3)):
                with self.subTest(scale=scale, **options):
                    compiled = tssa.compile(lambda x: F.interpolate(x, scale_factor=scale, **options), dynamic=True)
                    for image in images:
                        self.check(lambda x: F.interpolate(x, scale_factor=scale, **options), (image,), compiled)
                    self.assertEqual(compiled.num_binaries, 1)


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
