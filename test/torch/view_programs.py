# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs of functions that view or copy, on arguments of any strides.

A program applies a few such functions to its argument, writes some of what they give, and returns
some of it. Which function applies is decided by running the program in eager mode as it grows.
"""

import random

import torch

#: Sizes of the storage that an argument is a view of, by rank; the second is for the second call.
SIZES = {1: ((12,), (8,)), 2: ((4, 6), (6, 8)), 3: ((2, 3, 4), (4, 2, 6))}
DTYPES = (torch.float32, torch.float32, torch.float64, torch.int64, torch.int32)


def _steps(r, t):
    """Takes every other element of one dim: rows may still follow each other at one step."""
    dim = r.randrange(t.dim())
    return [(f"t[{':, ' * dim}{r.choice(['::2', '1::2', '::3', '1:', ':-1', '1:-1'])}]")]


def _geometry(r, rank):
    """Returns expressions that make an argument of its storage `t`, one after the other."""
    kind = r.choice(["plain", "permuted", "stepped", "stepped", "stepped", "expanded", "one", "columns", "empty"])
    t = torch.empty(SIZES[rank][0])
    if kind == "permuted" and rank > 1:
        return [f"t.transpose({r.randrange(rank)}, {r.randrange(rank)})"] + (_steps(r, t) if r.random() < 0.4 else [])
    if kind == "stepped":
        return _steps(r, t) + (_steps(r, t) if r.random() < 0.4 else [])
    if kind == "expanded":
        dim = r.randrange(rank)
        return [f"t.narrow({dim}, 1, 1).expand({', '.join('3' if d == dim else '-1' for d in range(rank))})"]
    if kind == "one":
        dim = r.randrange(rank)
        return [f"t.narrow({dim}, 1, 1)"] + (_steps(r, t) if r.random() < 0.5 and rank > 1 else [])
    if kind == "columns" and rank > 1:
        return [f"t.select({rank - 1}, 1)", "t.unsqueeze(0)"][:r.randrange(1, 3)]
    if kind == "empty":
        dim = r.randrange(rank)
        return [f"t.narrow({dim}, 1, 0)"]
    return []


def _factors(r, size):
    """Returns two factors of a size, one of which may be given as -1."""
    divisors = [d for d in range(1, size + 1) if size % d == 0] or [1]
    first = r.choice(divisors)
    return r.choice([f"{first}, -1", f"-1, {max(size // first, 1)}", f"{first}, {size // first}"])


def _shapes(r, t, name):
    """Returns the text of sizes that have as many elements as `t`."""
    texts = ["-1"]
    if t.numel():
        texts.append(_factors(r, t.numel()))
    if t.dim() >= 2:
        texts.append(f"{name}.size(0), -1" if t.shape[0] and t.numel() else "-1")
        texts.append(f"{name}.size(1), {name}.size(0)" + "".join(f", {name}.size({d})" for d in range(2, t.dim())))
    if t.numel() and t.dim():
        texts.append(f"1, {name}.size(0), -1")
    return r.choice(texts)


def _views(r, t, name):
    """Returns the text of one function applied to `name`, which is `t` now."""
    rank = t.dim()
    dims = range(rank)
    texts = [f"{name}.reshape({_shapes(r, t, name)})"] * 4 + [f"{name}.view({_shapes(r, t, name)})"] * 2
    texts += [f"{name}.flatten()", f"{name}.ravel()", f"{name}.contiguous()", f"{name}.squeeze()",
              f"{name}.to({name}.dtype)", f"{name}.to(torch.float64)", f"{name}.expand_as({name})",
              f"{name}.unsqueeze({r.randrange(rank + 1)})", f"{name}[...]", f"{name}.clone()",
              f"torch.reshape({name}, ({_shapes(r, t, name)},))", f"{name}.reshape_as({name})",
              f"{name}.view_as({name})", f"{name}.expand(2, *{name}.shape)", f"torch.atleast_2d({name})"]
    if rank:
        dim = r.choice(dims)
        size = t.shape[dim]
        texts += [f"{name}.squeeze({dim})", f"{name}.unflatten({dim}, ({_factors(r, size)}))",
                  f"{name}.flatten({dim})", f"{name}.flatten(0, {dim})", f"{name}.movedim({dim}, 0)",
                  f"{name}.transpose(0, {dim})", f"{name}[{':, ' * dim}::2]", f"{name}[{':, ' * dim}1:]",
                  f"{name}.split(2, {dim})[0]", f"{name}.chunk(2, {dim})[-1]", f"{name}.tensor_split(2, {dim})[-1]"]
        if size:
            texts += [f"{name}.narrow({dim}, {size // 2}, {size - size // 2})", f"{name}.select({dim}, -1)",
                      f"{name}.unbind({dim})[0]", f"{name}.unfold({dim}, {r.randrange(1, size + 1)}, {r.randrange(1, 3)})"]
    if rank == 2:
        texts += [f"{name}.T", f"{name}.t()", f"{name}.diagonal()", f"{name}.mT"]
    if rank == 3:
        texts += [f"{name}.mT", f"{name}.permute(2, 0, 1)", f"{name}.diagonal(0, 0, 2)", f"{name}.swapaxes(0, 2)"]
    return r.choice(texts)


def _has_overlap(t):
    """Returns whether two elements may lie in one place."""
    reach = 1
    for size, stride in sorted(zip(t.shape, t.stride()), key=lambda pair: pair[1]):
        if size > 1:
            if stride < reach:
                return True
            reach = stride * (size - 1) + reach
    return False


class Program:
    """source: of `program(x)`. A call's argument is `make(n)`, where n is 0 or 1."""

    def __init__(self, seed):
        r = self._random = random.Random(seed)
        self._rank = r.choice((1, 2, 2, 2, 3))
        self._dtype = r.choice(DTYPES)
        self._geometry = self._fit_geometry()
        self._lines, self._known = [], {"x": self.make(0)}
        for _ in range(r.randrange(1, 5)):
            self._add_view()
            if r.random() < 0.5:
                self._add_write()
        names = list(self._known)
        given = sorted({names[-1], *r.sample(names, r.randrange(1, len(names) + 1))}, key=names.index)
        self._lines.append("return " + ", ".join(given) + ",")
        self.source = "def program(x):\n" + "".join(f"    {line}\n" for line in self._lines)

    def _fit_geometry(self):
        """Returns the expressions that are valid one after the other for both calls."""
        while True:
            geometry = self._geometry = _geometry(self._random, self._rank)
            try:
                self.make(0), self.make(1)
            except (RuntimeError, IndexError):
                continue
            return geometry

    def make(self, call):
        sizes = SIZES[self._rank][call]
        t = torch.arange(1, 1 + torch.Size(sizes).numel()).reshape(sizes).to(self._dtype)
        for text in self._geometry:
            t = eval(text, {"t": t, "torch": torch})
        return t

    def _run(self, line):
        exec(line, {"torch": torch}, self._known)

    def _add_view(self):
        name = f"v{len(self._known)}"
        for _ in range(20):
            source = self._random.choice(list(self._known))
            line = f"{name} = {_views(self._random, self._known[source], source)}"
            try:
                self._run(line)
            except (RuntimeError, IndexError, ValueError):
                continue
            self._lines.append(line)
            return

    def _add_write(self):
        name = self._random.choice(list(self._known))
        if _has_overlap(self._known[name]):
            return
        line = self._random.choice([f"{name}.mul_(2)", f"{name} += 3", f"{name}[...] = 7", f"{name}.neg_()",
                                    f"{name}.fill_(5)"])
        self._run(line)
        self._lines.append(line)

    def describe(self):
        return f"# x: {SIZES[self._rank][0]} {self._dtype} {' | '.join(self._geometry)}\n{self.source}"
