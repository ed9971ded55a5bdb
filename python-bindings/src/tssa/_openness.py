# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Which sizes and numbers among the arguments are open: free to differ between calls.

A *place* is (position of a tensor, dim) or (position of a number, None), where positions are those
of Arguments.values. What is not open is fixed to its value in the call that was recorded.
"""

import copy

import torch

from ._values import is_same


def find_places(values, fixed):
    """Returns {place: size or number} of all sizes, ints and floats among the values. fixed: positions of others."""
    places = {}
    for i, value in enumerate(values):
        if i in fixed:
            continue
        if isinstance(value, torch.Tensor):
            places |= {(i, dim): size for dim, size in enumerate(value.shape)}
        elif type(value) in (int, float):
            places[i, None] = value
    return places


class Openness:
    """What is open in the recordings for the calls of one kind: those with the same Arguments.key.

    With `dynamic=None` the first call opens nothing. The first call that differs from it opens what
    differs, and a call that differs in something else opens everything. So three recordings serve
    all calls of a kind, if the program does not decide by what differs. With `dynamic=True`
    everything is open from the first call on, and with False nothing ever is.

    fixed: the positions of tensors whose sizes are never open. choices: what to open in a recording: sets of places, the best first. A program that cannot be
    recorded with everything open may be recordable with what has changed.
    """

    def __init__(self, values, dynamic, fixed=frozenset()):
        self._first, self._dynamic, self._fixed = find_places(values, fixed), dynamic, fixed
        self.choices = (frozenset(self._first),) if dynamic else (frozenset(),)

    def open(self, values):
        """Returns the openness for a call that no recording serves: itself if nothing new differs."""
        opened = self.choices[0]
        changed = frozenset(self._find_changes(values)) | opened
        if self._dynamic is not None or changed == opened:
            return self
        result = copy.copy(self)
        result.choices = (frozenset(self._first), changed) if opened else (changed,)
        return result

    def describe(self, values):
        """Returns a text of what differs from the first call."""
        return ", ".join(f"argument {i} was {self._first[i, dim]!r}, is {value!r}" if dim is None else
                         f"size {dim} of argument {i} was {self._first[i, dim]}, is {value}"
                         for (i, dim), value in self._find_changes(values).items())

    def _find_changes(self, values):
        return {place: value for place, value in find_places(values, self._fixed).items()
                if not is_same(value, self._first[place])}
