# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Iterables that a `for` accesses by position: ranges, rows of tensors, and enumerations of them."""

import functools

import torch

from ._expressions import hint_of, is_symbolic, is_unbacked
from ._lists import count_of, has_pieces


class Range:
    """A range() whose bounds may be open sizes."""

    def __init__(self, first, second=None, step=1):
        self._begin, self._end = (0, first) if second is None else (first, second)
        self._step = step if isinstance(step, int) else int(step)

    def _length(self):
        """Returns the distance that the range covers, which is positive if the range has items."""
        return (self._end - self._begin) if self._step > 0 else self._begin - self._end

    def is_open(self):
        return is_symbolic(self._begin) or is_symbolic(self._end)

    def is_unbacked(self):
        return is_unbacked(self._begin) or is_unbacked(self._end)

    def is_empty(self):
        """Returns whether it is empty in the example. If it is, a guard requires it of each call."""
        if self.is_unbacked():
            return False
        return hint_of(self._length()) <= 0 and bool(self._length() <= 0)

    def count(self):
        if self._step == 1 and isinstance(self._begin, int) and self._begin == 0:
            return self._end
        step = abs(self._step)
        return torch.sym_max(0, self._length() if step == 1 else (self._length() + step - 1) // step)

    def item(self, position):
        return self._begin + position * self._step

    def known(self):
        return range(int(self._begin), int(self._end), self._step)

    def __iter__(self):
        return iter(self.known())

    def __len__(self):
        return len(self.known())


class _Items:
    """Items that have a count() and an item() at each position."""

    def is_open(self):
        return is_symbolic(self.count())

    def is_unbacked(self):
        return is_unbacked(self.count())

    def is_empty(self):
        return not self.is_unbacked() and hint_of(self.count()) == 0 and bool(self.count() == 0)

    def known(self):
        return [self.item(i) for i in range(len(self))]

    def __iter__(self):
        return iter(self.known())

    def __len__(self):
        return int(self.count())


class _Rows(_Items):
    """The slices of a tensor along its first dim."""

    def __init__(self, tensor):
        self._tensor, self._size = tensor, tensor.shape[0]

    def count(self):
        return self._size

    def item(self, position):
        return self._tensor.select(0, position)


class _Elements(_Items):
    """The elements of a list or tuple of which only a run knows the length, as it is now."""

    def __init__(self, lists, values):
        self._lists, self._values = lists, list(values)

    def is_open(self):
        return True

    def count(self):
        return count_of(self._values)

    def item(self, position):
        return self._lists.get(self._values, position)


class _Combined:
    """enumerate(), zip() or reversed() of such iterables. It has the length of the first of `parts`, unless it has `count`."""

    def __init__(self, parts, item, known, count=None):
        self._parts, self._item, self._known, self._count = parts, item, known, count
        self._first = parts[0]

    def is_open(self):
        return self._first.is_open() or self._count is not None

    def is_unbacked(self):
        return self._first.is_unbacked() or self._count is not None

    def is_empty(self):
        return self._count is None and self._first.is_empty()

    def count(self):
        return self._first.count() if self._count is None else self._count

    def item(self, position):
        return self._item(self._parts, position)

    def known(self):
        return list(self._known(*[part.known() for part in self._parts]))

    def __iter__(self):
        return iter(self.known())

    def __len__(self):
        return len(self._first)


def as_items(iterable, lists):
    """Returns `iterable` as a sequence that is accessed by position, or None."""
    if has_pieces(iterable):
        return _Elements(lists, iterable)
    if isinstance(iterable, torch.Tensor):
        if iterable.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return _Rows(iterable)
    if isinstance(iterable, range):
        return Range(iterable.start, iterable.stop, iterable.step)
    return iterable if isinstance(iterable, (Range, _Rows, _Elements, _Combined)) else None


def combine(kind, args, kwargs, lists):
    """Returns enumerate, zip or reversed of sequences that may be open, or None."""
    is_plain = not any(isinstance(arg, (torch.Tensor, Range, _Combined)) or has_pieces(arg) for arg in args)
    parts = [] if is_plain or not args else [as_items(arg, lists) for arg in args]
    if None in parts and any(map(has_pieces, args)):
        lists.refuse(f"{kind.__name__}() gets a list of which only a run knows the length, and something of another kind")
    if kind is enumerate:
        parts, start = parts[:1], kwargs.get("start", args[1] if len(args) > 1 else 0)
        if not parts or None in parts:
            return None
        return _Combined(parts, lambda p, i: (i + start, p[0].item(i)), lambda p: enumerate(p, start))
    if kwargs or not parts or None in parts:
        return None
    if kind is zip:
        sizes = [part.count() for part in parts]
        count = functools.reduce(torch.sym_min, sizes) if any(map(is_unbacked, sizes)) else None
        if count is None and any(bool(size != sizes[0]) for size in sizes[1:]):
            return None
        return _Combined(parts, lambda p, i: tuple(part.item(i) for part in p), zip, count)
    size = parts[0].count()
    return _Combined(parts, lambda p, i: p[0].item(size - 1 - i), lambda p: list(p)[::-1])
