# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""No write is lost: what TorchScript, or a join of lists, would lose is kept or refused."""

import copy
import unittest

import torch
from torch import Tensor

import tssa
from support import AgreementTest

X = torch.arange(12).view(4, 3)
M = torch.tensor([[3, 1, 2]] * 4)


# Kept.


def named(x: Tensor, m: Tensor):
    v = x[1:]
    v |= (m[1:] |
          1)
    v ^= m[1:]; v &= 7
    w = v
    w **= (m[1:] ** 1)
    return v + w


def element_of_a_list(x: Tensor, m: Tensor):
    a = [x, m]
    a[0] |= m
    return a[0] + 1


def masked(x: Tensor, m: Tensor):
    x.masked_fill_(x > 2, 9)
    x += m
    return x.clone()


def numbers(x: Tensor, flag: bool):
    flag |= x.dim() == 2
    power, base = 2.0, 0.5 * x.dim()
    power **= base
    rows, columns = x.shape
    total = 0
    y = x
    for i in range(rows):
        total += columns
        y = y + 1
    unused = 1
    unused += total
    return y + power if flag else x + 1


def write_in_helper(x: Tensor, m: Tensor):
    x &= m
    return x


def calls_helper(x: Tensor, m: Tensor):
    return write_in_helper(x, m) + 1


def all_writes_in_a_loop(x: Tensor, n: int):
    a = x.clone()
    h = x[0]
    for i in range(n):
        h = h + x[i]
        a[i] = h
    a[0, 1], a[1] = h[0], h
    a.mul_(2).add_(1)
    torch.add(a, 1,
              out=a)
    if n > 2: a += 1; a -= 3
    return a, h + 0


class Buffers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3, dtype=torch.int64))

    def note(self, x: Tensor):
        self.seen |= x
        return self.seen + 1

    def forward(self, x: Tensor):
        return self.note(x)


KEPT = {named: (X, M), element_of_a_list: (X, M), masked: (X, M), numbers: (X, False),
        calls_helper: (X, M), all_writes_in_a_loop: (X, 4)}


# Writes that TorchScript lost: augmented assignments, and what it took for dead.


def slice_and(x: Tensor, m: Tensor):
    x[1:] &= m[1:]
    return x + 0


def unread_or(x: Tensor, m: Tensor):
    x |= m


def select_power(x: Tensor, m: Tensor):
    for i in range(x.size(0)):
        x[i] **= 2
    return x + 0


def power_of_ints(x: Tensor, n: int):
    n **= 2
    return x + n


def write_slice_in_helper(x: Tensor, m: Tensor):
    x[1:] ^= m[1:]


def calls_losing_helper(x: Tensor, m: Tensor):
    write_slice_in_helper(x, m)
    return x + 0


def write_after_new_tensor(x: Tensor, m: Tensor):
    v = x.clone()
    row = v[0]
    v |= m
    row += 1
    return v + 0


def dead_for_zero_trips(x: Tensor, m: Tensor, n: int):
    a = x.clone()
    t = a
    for i in range(n):
        t = t + 1
    a += 100
    return t + 0


def dead_element(x: Tensor, m: Tensor, n: int):
    a = x.clone()
    t = a
    while n > 0:
        t = t + 1
        n -= 1
    a[0] = 100
    return t + 0


def dead_out(x: Tensor, m: Tensor, n: int):
    a = x.clone()
    t = a
    for i in range(n):
        t = t + 1
    torch.add(a, m, out=a)
    return t + 0


def dead_append(x: Tensor, m: Tensor, n: int):
    a = [x]
    t = a
    for i in range(n):
        t = [m]
    a.append(m)
    return t


class LosingBuffers(Buffers):
    def note(self, x: Tensor):
        self.seen[1:] |= x[1:]
        return self.seen + 1


LOST = [slice_and, unread_or, select_power, calls_losing_helper, write_after_new_tensor,
        dead_for_zero_trips, dead_element, dead_out, dead_append]


# Lists that a run decides on.


def same_list_in_both(x: Tensor, c: Tensor):
    a = [x]
    b = a
    y = x
    if bool(c):
        y = x + 1
    b[0] = y
    return a[0] + 0


def new_lists(x: Tensor, c: Tensor):
    a = [x]
    if bool(c):
        b = [x + 1]
    else:
        b = list(a)
    b[0] = x + 7
    b.append(x)
    return a[0] + b[0]


def unrolled(x: Tensor, c: Tensor):
    a = [x]
    b = a
    for i in range(3):
        b[0] = x + i
        b = [b[0]] if i == 1 else b
    return a[0] + b[0]


def set_item(x: Tensor, c: Tensor):
    a = [x]
    b = [x + 1]
    if bool(c):
        b = a
    b[0] = x + 7
    return a[0] + 0


def original(x: Tensor, c: Tensor):
    a = [x]
    b = [x + 1]
    if bool(c):
        b = a
    a[0] = x + 7
    return b[0] + 0


def append(x: Tensor, c: Tensor):
    a = [x]
    b = [x + 1]
    if bool(c):
        b = a
    b.append(x + 7)
    return torch.stack(a)


def list_of_ints(x: Tensor, c: Tensor):
    a = [1]
    b = [2]
    if bool(c):
        b = a
    b[0] = 7
    return x + a[0]


def in_a_tuple(x: Tensor, c: Tensor):
    a = [x]
    b = (x, [x + 1])
    if bool(c):
        b = (x, a)
    b[1][0] = x + 7
    return a[0] + 0


def two_names_from_one(x: Tensor, c: Tensor):
    a = [x]
    b = [x]
    if bool(c):
        both = [x + 1]
        a = both
        b = both
    else:
        a = [x + 2]
        b = [x + 3]
    a[0] = x + 7
    return b[0] + 0


def in_a_loop(x: Tensor, c: Tensor):
    a = [x]
    b = a
    for i in range(x.size(0)):
        b[0] = b[0] + 7
        b = [b[0]]
    return a[0] + b[0]


def behind_a_loop(x: Tensor, c: Tensor):
    a = [x]
    b = a
    for i in range(int(c)):
        b = [x + 1]
    b[0] = x + 7
    return a[0] + b[0]


AMBIGUOUS = [set_item, original, append, list_of_ints, in_a_tuple, two_names_from_one, in_a_loop,
             behind_a_loop]


class Writes(AgreementTest):
    def test_kept(self):
        for function, arguments in KEPT.items():
            self.check(function, arguments)

    def test_kept_in_module(self):
        module = Buffers().eval()
        seen = module.seen
        compiled = tssa.compile(module)
        self.assert_same(X[1] + 1, compiled(X[1]), "module")
        self.assert_same((X[1] | X[2]) + 1, compiled(X[2]), "module")
        self.assertIs(module.seen, seen)

    def test_writes_that_torchscript_loses(self):
        for function in LOST:
            for n in (0, 1, 3):
                takes_count = function.__code__.co_argcount == 3
                self.check(function, (X, M, n) if takes_count else (X, M))
                if not takes_count:
                    break
        self.check(power_of_ints, (X, 3))

    def test_buffers(self):
        module = LosingBuffers()
        reference = copy.deepcopy(module)
        self.assert_same(reference(X[1]), tssa.compile(module)(X[1]), "module")
        self.assert_same(reference.seen, module.seen, "buffer")

    def test_floor_division(self):
        def divide(x: Tensor):
            x //= 2
            return x

        self.check(divide, (X,))

    def test_lists(self):
        for function in (same_list_in_both, new_lists, unrolled):
            for c in (0, 1):
                self.check(function, (X, torch.tensor(c)))

    def test_ambiguous_lists(self):
        refused = []
        for function in AMBIGUOUS:
            for c in (0, 1):
                try:
                    self.check(function, (X, torch.tensor(c)))
                except tssa.UnsupportedError as error:
                    self.assertRegex(str(error), "test_writes.py:[0-9]+: a list is changed")
                    refused.append(function)
        self.assertIn(set_item, refused)

    def test_zeros_are_two(self):
        def divide(x: Tensor, s: float):
            return x / s

        compiled = tssa.compile(divide)
        x = torch.ones(2)
        self.check(divide, (x, 0.0), compiled)
        self.check(divide, (x, -0.0), compiled)
        for _ in range(2):
            self.assertTrue(compiled(x, float("nan")).isnan().all())
        self.assertLessEqual(compiled.num_binaries, 2)


if __name__ == "__main__":
    unittest.main()
