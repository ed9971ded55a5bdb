# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs as people write them, and what they are called with."""

import collections
import dataclasses
import functools
import math

import torch
import torch.nn.functional as F

from collected import Programs, tensor

PROGRAMS = Programs()
program = PROGRAMS.add

X, Y = tensor(5, 4), tensor(5, 4, seed=1)
V = tensor(6)
BATCHES = [(tensor(n, 3, 4, seed=n),) for n in (2, 5, 1)]

# Straight-line code.


@program((X,), (tensor(3, 7),))
def softmax_by_hand(x):
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(-1, keepdim=True)


@program((X,), (tensor(2, 9),))
def normalises_in_place(x):
    x -= x.mean(0)
    x /= x.std(0) + 1e-6
    return x


@program((X, Y))
def swaps_columns(x, y):
    a, b = x[:, 0].clone(), y[:, 1]
    x[:, 0], y[:, 1] = b, a
    return x + y


@program((X, 2), (X, 3), (X, 1))
def rolls_by_number(x, k: int):
    return torch.cat([x[k:], x[:k]])


@program((X, 0.5), (X, -1.0), (X, 0.0))
def scales(x, factor: float):
    return x * factor + factor ** 2


@program((X,))
def many_results(x):
    return {"mean": x.mean(), "rows": list(x.unbind(0)), "shape": x.shape, "rank": x.dim()}


Point = collections.namedtuple("Point", ["x", "y"])


@program((Point(V, V + 1),))
def named_tuples(p):
    return Point(p.x * 2, y=p.x + p.y)


@program(({"a": V, "b": [V + 1, V + 2]},))
def dicts(d):
    d["a"] += 1
    return {k: (v if isinstance(v, list) else [v]) for k, v in d.items()}


@program((X,), (tensor(3, 3),))
def f_strings_and_asserts(x):
    assert x.dim() == 2, f"expected two dims, got {x.shape}"
    if x.dim() != 2:
        raise ValueError(f"no {x}")
    return x.sum()


@program((X,))
def masks_with_where(x):
    y = torch.where(x > 0, x, torch.zeros_like(x))
    y.masked_fill_(y > 1, 1.0)
    return y


@program((X,))
def writes_by_mask(x):
    x[x < 0] = 0.0
    return x


@program((X, tensor(4, 3)), (tensor(2, 4), tensor(4, 3)))
def einsum(x, w):
    return torch.einsum("ij,jk->ik", x, w)


@program((X,))
def results_share_storage(x):
    y = x * 2
    return y, y[1:], y.t(), x[0]


@program((X,), (X.t(),), (tensor(9, 4)[::2],))
def strided(x):
    x[1:] += x[0]
    return x.reshape(-1), x.contiguous()


@program((X,), (tensor(1, 4),), (tensor(4, 1),), (tensor(1, 1),))
def clones_by_format(x):
    y = x.t().clone(memory_format=torch.contiguous_format)
    y += 1
    z = x.t().contiguous()
    z += 2
    return x + 0, y, x.squeeze(), x.unsqueeze(0).squeeze(0)


@program((X, Y))
def chained_views(x, y):
    v = x.view(-1)[2:10].view(2, 4)
    v[1].copy_(y[0])
    v.t()[0].mul_(3)
    return x


@program((X,))
def splits(x):
    a, b = x.chunk(2, dim=1)
    c, d = x.split([2, x.size(0) - 2])
    a.add_(b)
    return c.sum(0) + d.sum(0)


@program((V,), (tensor(9),))
def closes_over_functions(x):
    def square(v):
        return v * v

    twice = lambda v: square(square(v))  # noqa: E731
    return functools.reduce(lambda a, b: a + b, [square(x), twice(x)])


@program((X,))
def takes_statistics(x):
    values, places = x.max(1)
    return values, places, x.var(1), x.median(), x.argmin()


@program((X.half(),), (X.bfloat16(),), (X.double(),))
def other_types(x):
    return (x * 1.1 + 3).to(torch.float32), x.to(torch.int32) + 1


@program((torch.tensor([math.nan, math.inf, -math.inf, 3e9, -3e9, 1e20, 300.0, -1.5, 0.0]),))
def floats_to_integers(x):
    """Those that do not fit are as on x86."""
    return [x.to(dtype) for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)]


@program((torch.tensor([1e20, 0.0, -2.0]),))
def exact_ends(x):
    nan = x * math.nan
    return (torch.lerp(x, torch.ones(1), 1.0), torch.sign(nan), x // 0.0,
            torch.addmm(nan, x.view(3, 1), x.view(1, 3), beta=0))


@program((torch.arange(12).view(3, 4),), (torch.arange(20).view(5, 4),))
def integers(x):
    x[1:] |= 3
    x //= 2
    y = x % 3
    return x ** 2, y, x / 2, -x // 3, x << 1


@program((X,), (tensor(2, 2, 2),))
def on_rank(x):
    if x.dim() == 2:
        return x.sum(1)
    return x.flatten(1).sum(1)


@program((tensor(1, 3, 8, 8), tensor(4, 3, 3, 3)), (tensor(2, 3, 9, 7), tensor(4, 3, 3, 3)))
def convolves(x, w):
    y = F.relu(F.conv2d(x, w, padding=1))
    return F.max_pool2d(y, 2).mean((2, 3))


@program((tensor(2, 3, 5),), (tensor(4, 3, 6),))
def tokens(x):
    y = F.layer_norm(x, (x.shape[-1],))
    return F.gelu(y) + F.silu(x) + F.softplus(x)


@program((tensor(1, 2, 5, 8), tensor(1, 2, 5, 8, seed=1)), (tensor(2, 2, 7, 8), tensor(2, 2, 7, 8, seed=1)))
def attends(q, k):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf"))
    return scores.softmax(-1) @ k


@program((X, Y))
def foreach(x, y):
    torch._foreach_add_([x, y], 1.0)
    torch._foreach_mul_([x, y], [2.0, 3.0])
    return x - y


@program((X,))
def reads_numbers(x):
    scale = x.abs().max().item()
    return x / scale, int(x[0, 0] * 10), bool(x.sum() > 0)


# Branches.


@program((X,), (-X.abs(),), (tensor(3, 4),))
def branches_on_data(x):
    if x.sum() > 0:
        y = x * 2
    elif x[0, 0] > 0:
        y = x - 1
    else:
        y = -x
    return y


@program((X,), (-X.abs(),))
def writes_in_arms(x):
    if x.sum() > 0:
        x[0] = 0
    else:
        x[1].mul_(2)
        x = x + 1
    return x * 1


@program((V,), (-V.abs(),), (V.abs(),))
def early_returns(x):
    if x.min() > 0:
        return x + 1
    for v in x:
        if v < -1:
            return x * v
    return x * 0


@program((V, True), (V, False))
def flags(x, inverted: bool):
    y = -x if inverted else x
    return y if not inverted and x.dim() == 1 else y.exp()


@program((V, None), (V, V))
def optional(x, bias):
    if bias is not None:
        x = x + bias
    return x * 2


@program((V,), (V * 0,))
def chooses(x):
    limit = 1.0 if x.max() > 1 else 2.0
    y = x if bool(x.sum() > 0) and x[0] < limit else x - 1
    return y + limit, 0 < x.max().item() <= 5


@program((V,), (-V.abs(),))
def asserts_on_data(x):
    assert (x == x).all()
    if x.sum() > 100:
        raise ValueError("too large")
    return x + 1


@program((V,), (-V.abs(),), (V.abs(),))
def truths_are_tensors(x):
    both = (x.sum() > 0) and (x.max() > 1)
    either = (x.sum() > 0) or (x.min() > 0)
    return both, either, (x[0] > 0) & True


@program((X, 2), (tensor(7, 4), 3))
def kinds_and_texts(x, n: int):
    key = f"{x.size(0)}x{n}" + str(n + 1)
    found = {key: type(n) is int and type(x) is torch.Tensor}
    return key, found[key], isinstance(x.shape[0], int)


@program((V,), (V - 5,))
def nested_branches(x):
    total = torch.zeros(())
    if x[0] > 0:
        if x[1] > 0:
            total = total + x[1]
        total = total + x[0]
    else:
        total -= 1
    return total


# Loops.


@program(*BATCHES)
def over_rows(x):
    out = torch.empty_like(x)
    for i, row in enumerate(x):
        out[i] = row - row.mean() * i
    return out


@program(*BATCHES)
def over_range(x):
    total = torch.zeros(x.shape[1:])
    for i in range(1, x.size(0)):
        total += x[i] - x[i - 1]
    return total


@program(*BATCHES)
def backwards(x):
    h = torch.zeros(x.size(1), x.size(2))
    for i in range(x.size(0) - 1, -1, -1):
        h = torch.tanh(h + x[i])
        x[i] = h
    return h


@program(*BATCHES)
def appends_and_stacks(x):
    outs = []
    h = torch.zeros(x.shape[1:])
    for t in range(x.size(0)):
        h = torch.tanh(h + x[t])
        outs.append(h)
    return torch.stack(outs), h


@program(*BATCHES)
def comprehension(x):
    return torch.stack([row.sum() for row in x]), sum(x[i].max() for i in range(x.size(0)))


@program((V, 3), (V, 5), (V, 0))
def counts(x, n: int):
    y = x
    for _ in range(n):
        y = y * 1.5
    return y + 0


@program((V.abs() + 1,), (V * 0 + 0.01,))
def until_converged(x):
    steps = 0
    while x.max() > 0.1 and steps < 20:
        x = x / 2
        steps += 1
    return x, steps


@program((V,), (V * 100,))
def forever(x):
    n = 0
    while True:
        x = x * 0.5
        n += 1
        if x.abs().max() < 1:
            break
    return x, n


@program((V.abs(),), (V.abs() * 9,))
def assigns_in_a_condition(x):
    n = 0
    while (top := x.max()) > 0.5:
        x = x - top * 0.25
        n += 1
    return x + 0, top * 1, n


@program((V,), (tensor(9),))
def continues(x):
    total = torch.zeros(())
    for v in x:
        if v < 0:
            continue
        total += v
        if total > 2:
            break
    else:
        total += 100
    return total


@program((X,), (tensor(3, 6),))
def nested_loops(x):
    y = x.clone()
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            if i != j:
                y[i, j] = x[i, j] - (y[i, j - 1] if j > 0 else 0.0)
    return y


@program((V, V + 1), (tensor(3), tensor(3, seed=3)))
def swaps_names(a, b):
    for _ in range(a.size(0)):
        a, b = b, a + b
    return a * 1, b * 1


@program((V, 4), (V, 9), (V, 1))
def fibonacci(x, n: int):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x * a


@program((X,), (tensor(7, 4),))
def zips(x):
    parts = []
    for a, b in zip(x.unbind(0), [1.0, 2.0, 3.0]):
        parts.append(a * b)
    return torch.cat(parts)


@program(([tensor(2, 4), tensor(3, 4), tensor(1, 4)], [8, 16, 32]))
def over_levels(maps, strides):
    outs = []
    for m, s in zip(maps, strides):
        m[:, :2] *= s
        outs.append(m)
    return torch.cat(outs)


@program((tensor(4, 6), tensor(4, 6, seed=2)))
def pools_by_loop(x, w):
    best = x[:, 0]
    for k in range(1, 6):
        best = torch.maximum(best, x[:, k] * w[:, k])
    return best


@program((tensor(10, 3),), (tensor(17, 3),))
def exponential_average(x):
    h = x[0].clone()
    for t in range(1, x.size(0)):
        h.lerp_(x[t], 0.1)
    return h


@program((tensor(4, 2, 3), tensor(3, 6), tensor(2, 6)), (tensor(7, 1, 3), tensor(3, 6), tensor(2, 6)))
def gated_cell(x, wx, wh):
    h = torch.zeros(x.size(1), 2)
    for t in range(x.size(0)):
        r, z, n = (x[t] @ wx + h @ wh).chunk(3, 1)
        h = torch.sigmoid(z) * h + (1 - torch.sigmoid(z)) * torch.tanh(torch.sigmoid(r) * n)
    return h


@program((torch.zeros(2, 6, 3), tensor(2, 1, 3), 0), (torch.ones(2, 6, 3), tensor(2, 1, 3), 4),
         (torch.ones(1, 9, 3), tensor(1, 1, 3), 8))
def cache_step(cache, new, position: int):
    cache[:, position:position + 1] = new
    seen = cache[:, :position + 1]
    weights = torch.softmax((new * seen).sum(-1), -1)
    return (weights.unsqueeze(-1) * seen).sum(1)


@program((tensor(6, 4).abs(), tensor(6)), (tensor(9, 4).abs(), tensor(9)))
def suppresses(boxes, scores):
    order = scores.argsort(descending=True)
    boxes = boxes[order]
    keep = torch.ones(boxes.size(0), dtype=torch.bool)
    for i in range(boxes.size(0)):
        if keep[i]:
            near = (boxes - boxes[i]).abs().sum(1) < 1.5
            near[:i + 1] = False
            keep &= ~near
    return keep


@program((tensor(4, 5), 2), (tensor(3, 9), 4))
def beams(logits, k: int):
    values, places = logits.topk(k, dim=1)
    return values.softmax(1), places


@program((torch.tensor([2, 0, 1]), tensor(4, 3)), (torch.tensor([3, 3]), tensor(4, 3)))
def embeds(ids, table):
    return F.embedding(ids, table) + table[ids]


@program((tensor(5, 3), torch.tensor([0, 2, 2]), tensor(3, 3)))
def scatters(x, index, new):
    x.index_add_(0, index, new)
    x[index] = new
    return x


@program((V,), (tensor(8),))
def grows(x):
    y = x[:1]
    for i in range(x.size(0)):
        y = torch.cat([y, x[:1] * i])
    return y


@program((V, 2), (V, 5), (V, 0))
def shrinks(x, n: int):
    v = x
    for _ in range(n):
        v = v[1:]
        v = v * 2
    return v.sum()


@program((V,))
def generator(x):
    def pieces():
        yield x[:2]
        yield x[2:]

    return torch.cat([p * 2 for p in pieces()])


@program((V,))
def handles_errors(x):
    try:
        y = x.view(100, 100)
    except RuntimeError:
        y = x + 1
    return y


@program((V,))
def under_contexts(x):
    with torch.no_grad():
        for i in range(3):
            x = x + i
    return x


@program((V,), (tensor(3),))
def set_and_dict_logic(x):
    seen = {}
    for i in range(3):
        seen.setdefault(i % 2, []).append(x * i)
    return [torch.stack(v).sum(0) for _, v in sorted(seen.items())]


@program((V,), (-V.abs(),))
def higher_order(x):
    y = torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v * v, (x,))
    n, z = torch._higher_order_ops.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2), (torch.tensor(0), y))
    return n, z


# Objects.


@dataclasses.dataclass
class Config:
    heads: int
    scale: float


@program((tensor(2, 6),), (tensor(3, 6),))
def configured(x):
    config = Config(2, 0.5)
    return x.view(-1, config.heads, 3).sum(1) * config.scale


class Accumulator:
    def __init__(self, start):
        self.total = start

    def add(self, value):
        self.total = self.total + value
        return self


@program((V,), (tensor(4),))
def uses_objects(x):
    acc = Accumulator(x * 0)
    for i in range(3):
        acc.add(x * i)
    return acc.total


class Block(torch.nn.Module):
    def __init__(self, width=4, depth=2):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.ModuleList([torch.nn.Linear(width, width) for _ in range(depth)])
        self.norm = torch.nn.LayerNorm(width)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x, skip: bool = True):
        for layer in self.layers:
            y = F.relu(layer(x))
            x = x + y if skip else y
        self.seen += 1
        return self.norm(x)


class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.body = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), Halving())

    def forward(self, x):
        return self.body(x)


class Halving(torch.nn.Module):
    def forward(self, x):
        while x.abs().max() > 0.25:
            x = x / 2
        return x


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.cell = torch.nn.LSTMCell(4, 3)
        self.rnn = torch.nn.LSTM(4, 3, batch_first=True)

    def forward(self, x):
        h = c = torch.zeros(x.size(0), 3)
        for t in range(x.size(1)):
            h, c = self.cell(x[:, t], (h, c))
        y, _ = self.rnn(x)
        return h, y


class Remembers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        y = x if self.last is None else x + self.last
        self.last = x.sum(0)
        self.mean = self.mean * 0.9 + self.last * 0.1
        return y - self.mean


MODULES = {Remembers: [(X,), (Y,), (tensor(3, 4),), (X,)],
           Block: [(tensor(3, 4),), (tensor(6, 4),), (tensor(6, 4), False)],
           Gate: [(X,), (X * 100,)],
           Recurrent: [(tensor(2, 5, 4),), (tensor(3, 7, 4),)]}
