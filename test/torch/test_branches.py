# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes in branches of loops: in place where the old value is no longer read, and right everywhere."""

import unittest

import torch

import tssa
from support import AgreementTest

X = torch.tensor([1.0, -0.3, 0.8, -1.2, 0.1, 2.5, -0.4, 0.6])
ROUNDS = [torch.tensor(n) for n in ([3], [0, 5, 2, 7, 1], [6, 1, 0, 3, 3, 4, 2, 0, 7])]
LIMITS = [torch.tensor(c) for c in (0, 2, 5)]


def elements_of_both(x, n, c):
    a, b = x.clone(), x * 2
    for i in range(n.size(0)):
        if n[i] > c:
            a[n[i]] = b[n[i]]
        else:
            b[n[i]] = a[n[i]] + 1
        if i % 2 == 0:
            old = a.clone()
            if n[i] > 1:
                a[1:3] = b[0:2]
            b[0] = old[1]
    return a, b


def second_name(x, n, c):
    a = x.clone()
    b, d = a.clone(), a
    for i in range(n.size(0)):
        if n[i] > c:
            d[n[i]] = i
        else:
            b[n[i]] = d[0]
    return a, b


def best_so_far(x, n, c):
    best, now = x.clone(), x.clone()
    for i in range(n.size(0)):
        now[n[i]] += 1.0
        if now.sum() > best.sum():
            best = now.clone()
        else:
            now[0] -= 3.0
    return best, now


def exchange(x, n, c):
    best, now = x, x.clone()
    for i in range(n.size(0)):
        if n[i] > c:
            best = now
            now = now.clone()
            now[n[i]] = -i
        elif n[i] == 0:
            now, best = best.clone(), now.clone()
    return best.clone(), now.clone()


def while_in_while(x, n, c):
    a, total = x.clone(), x.sum()
    i = 0
    while i < n.size(0):
        old = a.clone()
        if n[i] > c:
            a[n[i]] = 5.0
            j = 0
            while j < 3:
                if n[i] > 2:
                    a[j] = old[j] + a[n[i]]
                j += 1
        total = total + old[n[i]] - a[0]
        i += 1
    return a, total


def argument(x, n, c):
    for i in range(n.size(0)):
        if n[i] > c:
            x[n[i]] = 5.0
        else:
            x.masked_fill_(x > 2.0, 1.5)
    return x.sum()


def rows(x, n, c):
    m = x.clone().view(2, 4)
    for i in range(n.size(0)):
        row = m[n[i] % 2]
        if n[i] > c:
            row[0:2] = row[2:4] + 1
        else:
            row.index_put_((n[:2] % 4,), x[:1], accumulate=True)
        if n[i] == 3:
            m = m.t().contiguous().view(2, 4)
    return m


def without_loop(x, n, c):
    a = x.clone()
    if n[0] > c:
        a[0] = 1.0
        y = a.clone()
    else:
        y = x.clone()
    b = y.clone()
    if n[0] > 1:
        b[1] = 1.0
    return y, b, a


def sizes_of_the_run(x, n, c):
    a = x[x > -0.5]
    b = a.clone()
    for i in range(n.size(0)):
        if n[i] > c:
            a[0] = 7.0
        elif n[i] == 1:
            b = a.clone()
            a = torch.cat([a, b[:1]])
        elif c > 1:
            b[0] = a[0] + 1
        else:
            a = b + 1
    return a, b


def old_sizes_of_the_run(x, n, c):
    a = x[x > -0.5]
    old, total = a.clone(), a.sum()
    for i in range(n.size(0)):
        if n[i] > c:
            old = a.clone()
            a[0] = a[0] + 1.0
        total = total + old[0] + a.sum()
        if n[i] == 2:
            break
    return a, old, total


PROGRAMS = [elements_of_both, second_name, best_so_far, exchange, while_in_while, argument, rows,
            without_loop, sizes_of_the_run, old_sizes_of_the_run]


class Branches(AgreementTest):
    def test_programs(self):
        for function in PROGRAMS:
            compiled = tssa.compile(function)
            for n in ROUNDS:
                for c in LIMITS:
                    self.check(function, (X, n, c), compiled)


if __name__ == "__main__":
    unittest.main()
