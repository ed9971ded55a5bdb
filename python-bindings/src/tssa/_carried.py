# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a branch or a loop carries: the names that it assigns, and the lists that it changes."""

import torch

from ._exits import RETURNED, VALUE
from ._values import NOTHING, Leaves, defined, is_undefined

#: What stands for the names of lists that a region carries.
LIST = "a list"


class State:
    """The names that a region assigns. kept: those of them that are read outside of it. shared: those that do not belong
    to the function of the region.
    """

    def __init__(self, get, put, names, kept, shared=()):
        self.get, self.put, self.names, self.kept, self.shared = get, put, names, kept, shared

    def has_returned(self, values):
        """Returns whether the function has returned, given the values of the names."""
        return any(name == RETURNED and value is True for name, value in zip(self.names, values))


class Carried:
    """The lists that a region changes and that were made outside of it: the region carries their contents as pieces.

    entries: {id of a list: (the list, its contents before the region, the piece that stands for them)}.
    """

    def __init__(self, lists):
        self._lists = lists
        self.entries = {}

    def contents(self):
        """Returns for each list its contents now, as a tuple of one piece."""
        made = [self._lists.piece_of(owner, piece) for owner, _, piece in self.entries.values()]
        for now, (_, _, piece) in zip(made, self.entries.values()):
            self._lists.check_alike(piece, now)
        return tuple((now,) for now in made)

    def at_entry(self):
        return tuple((piece,) for _, _, piece in self.entries.values())

    def put(self, contents):
        for (owner, _, _), parts in zip(self.entries.values(), contents):
            owner[:] = defined(parts)

    def undo(self):
        """Gives the lists the contents that they had before the region."""
        for owner, had, _ in self.entries.values():
            owner[:] = had


class CarryingState(State):
    """The names of a state; after them which arguments their tensors are, if `tracked`, a Recorder, is not None; then the
    lists that the region carries.
    """

    def __init__(self, state, carried, tracked):
        self._state, self._carried, self._tracked = state, carried, tracked
        self.shared = state.shared

    @property
    def names(self):
        return (*self._state.names, *(self._state.names if self._tracked else ()), *[LIST] * len(self._carried.entries))

    @property
    def kept(self):
        return (*self._state.kept, LIST)

    def get(self):
        values = self._state.get()
        origins = map(self._find_origins, values) if self._tracked else ()
        return (*values, *origins, *self._carried.contents())

    def put(self, values):
        count = len(self._state.names)
        self._state.put(values[:count])
        if self._tracked:
            for value, origins in zip(values[:count], values[count:2 * count]):
                self._put_origins(self._leaves(value), origins)
        self._carried.put(values[2 * count if self._tracked else count:])

    def _find_origins(self, value):
        if value is NOTHING:
            return NOTHING
        return tuple(leaf if leaf is NOTHING else self._find_origin(leaf) for leaf in self._leaves(value))

    def _find_origin(self, leaf):
        return self._tracked.aliases.origin_of(self._tracked.lift(leaf))

    def _put_origins(self, leaves, origins):
        if origins is NOTHING:
            return
        is_known = not is_undefined(origins) and len(origins) == len(leaves)
        for leaf, origin in zip(leaves, origins if is_known else [None] * len(leaves)):
            if isinstance(leaf, torch.Tensor) and not self._tracked.aliases.has_origin(leaf):
                self._tracked.aliases.set_origin(leaf, None if is_undefined(origin) else origin)

    def _leaves(self, value):
        return Leaves([value], self._carried.entries).leaves


def describe_name(name):
    """Returns how a message names one of the names of a CarryingState."""
    return "the result" if name == VALUE else name if name == LIST else f"'{name}'"
