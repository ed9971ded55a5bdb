# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Indexes, order and special values at the edges of what eager PyTorch does."""

import math

import torch
from support import AgreementTest

import tssa

NAN, INF = math.nan, math.inf
X = torch.arange(24.0).reshape(4, 3, 2)
ODD = torch.tensor([[NAN, 1.0, -INF, 2.0], [3.0, NAN, NAN, 3.0], [0.0, -0.0, INF, 0.0]])


def reads(x, i, j):
    return x[i, j], x[:, i, 0], x[i, :, j], x[i.unsqueeze(1), 0], x[..., None][i]


def writes(x, i, j, v):
    x[i, j] = v
    x[:, 0, j % 2] += 1
    y = x.clone()
    y.index_put_((i,), v[0], accumulate=True)
    y[y > 20] = -1
    y[:2][i == 1] = torch.zeros(())
    return (y.index_add(0, i % 4, x[:2] * 2, alpha=3), y.index_copy(1, j[:1], x[:, :1]),
            y.index_fill(2, j[:1], 5), x.index_select(1, torch.arange(2)))


def scatters(x, i):
    y = torch.zeros(3, 4)
    return (y.scatter(1, i, x), y.scatter(0, i % 3, 2.5), y.scatter_add(1, i, x),
            *[y.scatter_reduce(1, i, x, how, include_self=has)
              for how in ("sum", "prod", "mean", "amax", "amin") for has in (True, False)],
            torch.gather(x, 1, i))


def orders(x):
    return (*torch.sort(x, stable=True), *torch.sort(x, dim=0, descending=True, stable=True),
            *torch.cummax(x, 1), *torch.cummin(x, 1), torch.cumprod(x, 0), x.median(), x.nanmedian(),
            x.median(1).values, x.nanmedian(1).values, x.kthvalue(2, 1).values,
            torch.logcumsumexp(x, 1), torch.topk(x, 2, 0).values)


def running_logarithms(x):
    return torch.logcumsumexp(x, 0), torch.logcumsumexp(x, 1), torch.logcumsumexp(x.half(), 0)


def counted(x):
    return (*x.mode(0), *x.mode(1, keepdim=True), x.histc(4, 0, 3), x.roll(1, 0).unique_consecutive(dim=0))


def searches(x, bounds):
    return (torch.bucketize(x, bounds), torch.bucketize(x, bounds, right=True),
            torch.searchsorted(bounds.expand(3, 4), x, side="right", out_int32=True))


def extremes(x, y):
    return (torch.fmax(x, y), torch.fmin(x, y), torch.maximum(x, y), torch.copysign(x, y), torch.signbit(x),
            torch.nextafter(x, y), torch.atan2(x, y), torch.hypot(x, y))


def diagonals(x):
    x.diagonal(1).mul_(10)
    x.t().diagonal(-1).add_(1)
    torch.diagonal(x.unsqueeze(0).expand(2, 3, 4), -1, 2, 1).sum()
    return x.diagonal(), x.as_strided((2, 3), (5, 1), 1).clone(), x.fill_diagonal_(7).clone()


def without_dims(x, i):
    return (x.cumsum(0), *x.sort(), *x.max(0), x.argmin(0), x.gather(0, i), x.index_select(0, i),
            x.transpose(0, -1), x.scatter_add(0, i, x), *x.kthvalue(1), *torch.topk(x, 1))


def counts(x):
    values, inverse, number = torch.unique(x, return_inverse=True, return_counts=True)
    return values.sum(), inverse, number.sum(), x[x > 1].sum(), torch.nonzero(x).sum(0)


class Indexing(AgreementTest):
    def setUp(self):
        torch._dynamo.reset()

    def compile(self, function, **options):
        compiled = torch.compile(function, backend="tssa", fullgraph=True, **options)
        compiled.__name__ = function.__name__
        return compiled

    def agree(self, function, *arguments, **options):
        self.check(function, arguments, self.compile(function, **options))

    def test_reads(self):
        i, j = torch.tensor([0, -1, 2]), torch.tensor([1, 0, -2])
        for dynamic in (False, True):
            self.agree(reads, X, i, j, dynamic=dynamic)
            torch._dynamo.reset()

    def test_writes(self):
        self.agree(writes, X, torch.tensor([1, -2]), torch.tensor([0, 1]), torch.ones(2, 2) * 9)

    def test_scatters(self):
        x = torch.tensor([[1.0, 2, 3], [4, 5, NAN]])
        self.agree(scatters, x, torch.tensor([[0, 2, 0], [1, 1, 2]]))

    def test_integers_that_wrap(self):
        x = torch.tensor([[100, 100, 100]], dtype=torch.int8)
        self.agree(lambda x, i: torch.zeros(1, 3, dtype=torch.int8).scatter_add(1, i, x), x,
                   torch.zeros(1, 3, dtype=torch.int64))

    def test_orders(self):
        for dynamic in (False, True):
            self.agree(orders, ODD, dynamic=dynamic)
            torch._dynamo.reset()

    def test_running_logarithms(self):
        """Of lines of many elements, the last of which are much larger, infinite or NaN."""
        x = (torch.arange(111.0) * 29 % 111 - 60).reshape(37, 3)
        x[:4, 0], x[30, 1], x[31, 2] = -INF, INF, NAN
        for dynamic in (False, True):
            self.agree(running_logarithms, x, dynamic=dynamic)
            torch._dynamo.reset()

    def test_frequencies(self):
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            self.agree(counted, torch.tensor([[2.0, 1, 0], [2, 3, 0], [2, 1, 0]]))

    def test_searches(self):
        self.agree(searches, torch.tensor([[1.0, NAN], [0.0, 5.0], [9.0, -INF]]),
                   torch.tensor([0.0, 1.0, 1.0, 5.0]))

    def test_extremes(self):
        values = torch.tensor([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-45, 3e38])
        self.agree(extremes, values.repeat(9), values.repeat_interleave(9))

    def test_diagonals(self):
        self.agree(diagonals, torch.arange(12.0).reshape(3, 4))

    def test_without_dims(self):
        self.agree(without_dims, torch.tensor(3.0), torch.tensor(0))

    def test_sizes_of_data(self):
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            self.agree(counts, torch.tensor([[2.0, 1, 0], [2, 3, 0]]))

    def test_out_of_range(self):
        compiled = self.compile(lambda x, i: x[i, i])
        with self.assertRaises(tssa.Error), torch.no_grad():
            compiled(torch.ones(3, 3), torch.tensor([3]))
        # What these take does not count from the end.
        for function in (lambda x, i: x.gather(0, i), lambda x, i: x.index_select(0, i),
                         lambda x, i: torch.nn.functional.embedding(i, x.unsqueeze(1))):
            torch._dynamo.reset()
            compiled = self.compile(function)
            with self.assertRaises(tssa.Error), torch.no_grad():
                compiled(torch.ones(3), torch.tensor([-1]))
        compiled = self.compile(lambda x, i: x.scatter(0, i, 1.0))
        with self.assertRaises(tssa.Error), torch.no_grad():
            compiled(torch.ones(3), torch.tensor([3]))
