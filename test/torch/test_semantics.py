# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The corners of PyTorch's semantics, one small program each."""

import unittest
from typing import List, Optional, Tuple

import torch
from torch import Tensor

import tssa
from support import AgreementTest


def write_argument(x: Tensor, y: Tensor):
    x[1:].mul_(2.0)
    y.copy_(x[:, 0])
    return x


def copy_then_change(x: Tensor, y: Tensor):
    y.copy_(x)
    x.add_(1.0)
    return y.sum()


def swap_contents(x: Tensor, y: Tensor):
    old = x.clone()
    x.copy_(y)
    y.copy_(old)
    return old


def swaps_after_branches(x: Tensor, y: Tensor, k: int):
    a, b = x.clone(), y.clone()
    if b.sum() > 0:
        if not x.sum() > 0:
            a, b = b, a
    if y[0, 0] > 0:
        a = a + y
    for _ in range(k):
        a, b = b, a
        b.remainder_(5)
    return a.clone(), b.clone()


def overlapping_views(x: Tensor):
    a = x.clone()
    left = a[:, :3]
    right = a[:, 1:]
    left += 1.0
    right *= 2.0
    a[0].neg_()
    return left.clone(), right.clone(), a


def permuted_view(x: Tensor):
    a = x.clone().t()
    a[0] = 5.0
    a.unsqueeze(1)[1].fill_(7.0)
    return a.contiguous()


def write_through_reshape(x: Tensor):
    a = x.clone()
    a.view(-1)[3:6] = 0.5
    a.reshape(2, -1)[1] += 1.0
    b = a.t().reshape(-1)  # a copy: the write does not reach a
    b[0] = 100.0
    return a, b


def contiguous_is_itself(x: Tensor):
    a = x.clone()
    same = a.contiguous()
    same[0, 0] = 9.0
    other = a.t().contiguous()
    other[0, 0] = -9.0
    return a, other


def slices(x: Tensor, k: int):
    a = x[-3:]
    b = x[1:100]
    c = x[5:2]
    d = x[::2, -k:]
    return a.clone(), b.clone(), c.clone(), d.clone(), c.size(0)


def dtypes(x: Tensor, i: Tensor, b: Tensor):
    return (i + 1, i + 1.5, i / 2, b + 1, x + i, x * b, i // 2, i % 3, b & (i > 1), i.to(torch.float64) + x,
            i.sum(), b.sum(), (i > 0).to(torch.float32).mean(), i.float() ** 2)


def in_place_types(x: Tensor, i: Tensor):
    i.copy_(x * 3.7)
    x += i
    x.gt_(0.5)
    i[0] = 7
    return x


def while_reads_tensor(x: Tensor):
    a = x.clone()
    n = 0
    while bool(a.sum() < 50.0) and n < 20:
        a += 1.0
        n += 1
    return a, n


def loop_with_break(x: Tensor, limit: float):
    total = torch.zeros(x.size(1))
    count = 0
    for i in range(x.size(0)):
        if float(x[i].sum()) > limit:
            break
        if i == 1:
            continue
        total += x[i]
        count += 1
    return total, count


def early_return(x: Tensor, k: int):
    if k > 2:
        return x * 2.0
    y = x + 1.0
    for i in range(k):
        y[i] = float(i)
    return y


def zero_trips(x: Tensor, k: int):
    y = x.clone()
    for i in range(k):
        y[i] += 1.0
    for i in range(3, 3 - k, -1):
        y[0] += float(i)
    return y


def rebound(x: Tensor):
    h = torch.zeros(x.size(1))
    for i in range(x.size(0)):
        h = torch.tanh(h + x[i])
    return h


def ping_pong(x: Tensor, k: int):
    buffer = torch.zeros(2, x.size(0))
    buffer[0] = x[:, 0]
    current = 0
    for i in range(k):
        buffer[1 - current] = buffer[current] * 0.5 + 1.0
        current = 1 - current
    return buffer[current].clone()


def lists(xs: List[Tensor], ks: List[int]):
    outs: List[Tensor] = []
    for i in range(len(xs)):
        outs.append(xs[i] * ks[i])
    outs[0] += 1.0
    first, second = outs[0], outs[1]
    return torch.cat(outs, 0), first + second, [first, second]


def optional(x: Tensor, y: Optional[Tensor] = None):
    if y is None:
        return x * 2.0
    return x + y


def out_variants(x: Tensor, y: Tensor):
    z = torch.empty(x.size(0), x.size(1))
    torch.add(x, y, out=z)
    torch.mul(z, 2.0, out=z)
    w = torch.zeros(2, x.size(0), x.size(1))
    torch.sub(z, y, out=w[1])
    return z, w


def masks(x: Tensor):
    a = x.clone()
    a.masked_fill_(a > 0.5, 0.0)
    b = torch.where(x > 0, x, -x)
    return a, b, torch.where(x > 0, 1.0, 2.0), (x > 0).any(), (x > 0).all(dim=1)


def reductions(x: Tensor):
    values, indices = x.max(1)
    return (x.sum(), x.sum(0), x.mean(1, keepdim=True), x.amax(0), values, indices, x.argmax(),
            torch.softmax(x, 0), x.cumsum(1), x.min(), x.prod(1))


def splitting(x: Tensor):
    a, b = x.chunk(2, 1)
    c = x.split(3, 1)
    rows = x.unbind(0)
    a = a.clone()
    a[0] = rows[1][:2]
    return a, b.clone(), c[0].clone(), c[1].clone(), torch.stack([a, a * 2.0], 1), x.flip(1), x.repeat(2, 1)


def unbinding(x: Tensor):
    y = x.clone()
    first, last = y[::2].unbind(0)[0], y.unbind(1)[-1]
    last += 1
    return first, last, y


def indexing(x: Tensor, i: Tensor):
    return x[i], x[:, i], x.index_select(0, i), torch.gather(x, 0, i.unsqueeze(1)), x[-1].clone(), x[..., 0].clone()


def expanding(x: Tensor, v: Tensor):
    e = v.unsqueeze(0).expand(x.size(0), -1)
    return x + e, e.reshape(-1), (v.view(1, -1) * x).t().contiguous()


def broadcasting(x: Tensor, y: Tensor):
    x += y
    return x * y, x.clone().copy_(y)


def scalars(x: Tensor, k: int, f: float, flag: bool):
    n = x.numel() // k + x.size(0) % k - (-7 // 2)
    g = max(f * 2, 1.5) if flag else min(f, -1.0)
    return x * g + n, n, g, flag and n > 3


def items(x: Tensor, i: Tensor):
    a = x[0, 0].item()
    b = int(i[1])
    c = bool(i[0] > 0)
    y = x * a
    if c:
        y = y + b
    return y, b, c


def nested(x: Tensor, k: int):
    y = x.clone()
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            if (i + j) % 2 == 0:
                y[i, j] += float(k)
            else:
                z = y[i]
                z[j] *= 0.5
    return y


def tuples(x: Tensor) -> Tuple[Tensor, Tuple[Tensor, int]]:
    return x + 1.0, (x * 2.0, x.size(0))


def accumulate_into_slices(x: Tensor, y: Tensor):
    total = torch.zeros(x.size(0) + y.size(0), x.size(1))
    at = 0
    for t in [x, y]:
        part = total[at:at + t.size(0)]
        part.copy_(t)
        part.sigmoid_()
        at += t.size(0)
    return total


X = torch.arange(20, dtype=torch.float32).reshape(5, 4) / 7 - 1
Y = torch.flip(X, [0]) * 0.5
I = torch.tensor([3, 1, 0, 2, 4])
B = torch.tensor([True, False, True, True, False])

CASES = {
    write_argument: [(X, Y[:, 0].clone())],
    copy_then_change: [(X, Y)],
    swap_contents: [(X, Y)],
    swaps_after_branches: [(X, Y, 2), (X, -Y, 3), (-X, Y, 1), (-X, -Y, 2)],
    overlapping_views: [(X,)],
    unbinding: [(X,), (X[:3],), (X[:1],)],
    permuted_view: [(X,)],
    write_through_reshape: [(X[:4],)],
    contiguous_is_itself: [(X,)],
    slices: [(X, 2), (X[:4], 2), (X[:1], 2)],
    dtypes: [(X[:, 0].clone(), I, B)],
    in_place_types: [(X[:, 0].clone(), I)],
    while_reads_tensor: [(X,), (X + 10,)],
    loop_with_break: [(X, 1.0), (X, 100.0), (X[:0], 1.0)],
    early_return: [(X, 3), (X, 2), (X, 0)],
    zero_trips: [(X, 0), (X, 2)],
    rebound: [(X,), (X[:0],)],
    ping_pong: [(X, 3), (X, 0)],
    lists: [([X, Y], [2, 3])],
    optional: [(X,), (X, Y)],
    out_variants: [(X, Y)],
    masks: [(X,)],
    reductions: [(X,)],
    splitting: [(X,)],
    indexing: [(X, I[1:4])],
    expanding: [(X, X[0].clone())],
    broadcasting: [(X, X[:1].clone()), (X, Y), (X, X[0].clone()), (X, X[:, :1].clone())],
    scalars: [(X, 3, 0.25, True), (X, 3, 0.25, False)],
    items: [(X, I)],
    nested: [(X, 3)],
    tuples: [(X,)],
    accumulate_into_slices: [(X, Y[:2])],
}


class Semantics(AgreementTest):
    def test_one_binary_for_all_sizes(self):
        compiled = self.check(write_argument, (X, Y[:, 0].clone()), tssa.compile(write_argument, dynamic=True))
        self.check(write_argument, (X[:3].clone(), Y[:3, 0].clone()), compiled)
        self.assertEqual(compiled.num_binaries, 1)

    def test_guards_compile_again(self):
        compiled = self.check(broadcasting, (X, X[:1].clone()), tssa.compile(broadcasting, dynamic=True))
        self.check(broadcasting, (X, Y), compiled)
        self.assertEqual(compiled.num_binaries, 2)
        self.check(broadcasting, (X[:3].clone(), X[:1].clone()), compiled)
        self.assertEqual(compiled.num_binaries, 2)

    def test_result_is_the_argument(self):
        x = X.clone()
        self.assertIs(tssa.compile(write_argument)(x, Y[:, 0].clone()), x)

    def test_strided_arguments(self):
        compiled = None
        for x in (X.t(), torch.cat([X, X], 1)[:, ::2], X[::2]):
            storage = torch.zeros(64)
            left = torch.as_strided(storage.clone(), x.shape, x.stride()).copy_(x)
            right = torch.as_strided(storage.clone(), x.shape, x.stride()).copy_(x)
            twin = Y.new_zeros(x.size(0))
            expected = write_argument(left, twin.clone())
            compiled = compiled or tssa.compile(write_argument)
            actual = compiled(right, twin.clone())
            self.assert_same(expected, actual, "strided")
            self.assert_same(left, right, "strided argument")
            self.assertIs(actual, right)

    def test_keyword_arguments(self):
        compiled = tssa.compile(optional)
        self.assert_same(optional(x=X, y=Y), compiled(x=X, y=Y), "keywords")
        with self.assertRaises(TypeError):
            compiled(X, z=Y)

    def test_numpy_arguments(self):
        x = X.numpy().copy()
        tssa.compile(write_argument)(x, Y[:, 0].numpy().copy())
        self.assert_same(write_argument(X.clone(), Y[:, 0].clone()), torch.from_numpy(x), "numpy")

    def test_module(self):
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(4, 3)
                self.norm = torch.nn.LayerNorm(3)
                self.register_buffer("calls", torch.zeros(1))
                self.scale = 0.5

            def forward(self, x: Tensor):
                self.calls += 1.0
                return torch.relu(self.norm(self.linear(x))) * self.scale

        torch.manual_seed(0)
        layer = Layer().eval()
        compiled = tssa.compile(layer)
        with torch.no_grad():
            actual = compiled(X)
            self.assertEqual(layer.calls.item(), 1.0)
            self.assert_same(layer(X), actual, "module")
            layer.linear.weight.mul_(2.0)
            self.assert_same(layer(X), compiled(X), "module with new weights")

    def test_example_inputs(self):
        compiled = tssa.compile(rebound, example_inputs=(X,))
        self.assertEqual(compiled.num_binaries, 1)
        self.check(rebound, (X,), compiled)
        self.assertEqual(compiled.num_binaries, 1)


def add_test(function, cases):
    def test(self):
        compiled = None
        for arguments in cases:
            compiled = self.check(function, arguments, compiled)

    setattr(Semantics, f"test_{function.__name__}", test)


for function, cases in CASES.items():
    add_test(function, cases)

if __name__ == "__main__":
    unittest.main()
