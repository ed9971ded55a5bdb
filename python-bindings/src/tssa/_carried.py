# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a branch or a loop carries: the names that it assigns, and the containers that it changes."""

import operator

import torch

from ._exits import RETURNED, VALUE
from ._objects import contents_of, refill
from ._values import NOTHING, Box, Leaves, defined, is_undefined

#: What stands for the names of lists that a region carries.
LIST = "a list"
#: What stands for the names of what is known of the tensors in containers.
ORIGINS = "which argument a tensor is"


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
    """The containers that a region changes and that were made outside of it: the region carries what is in them.

    entries: _Pieces and _Contents by the id of what they are of.
    """

    def __init__(self, control):
        self._lists, self._tracked = control.lists, control.tracked
        self.entries = {}

    def add_pieces(self, owner, had, piece):
        """Carries a list, whose contents before the region `piece` stands for."""
        self._add(owner, _Pieces(self._lists, owner, had, piece))

    def add_contents(self, owner, name):
        """Carries the elements of a list, a deque or a dict, or attributes. name: what a message calls the owner."""
        self._add(owner, _Contents(self._lists, owner, name))

    def _add(self, owner, entry):
        entry.origins = self._find_origins(entry, entry.at_entry())
        self.entries[id(owner)] = entry

    def contents(self):
        """Returns what is in the containers now, as values like those of names."""
        found = [(entry, entry.now()) for entry in self.entries.values()]
        return tuple(part for entry, now in found for part in (now, *self._find_origins(entry, now)))

    def at_entry(self):
        return tuple(part for entry in self.entries.values() for part in (entry.at_entry(), *entry.origins))

    def labels(self):
        """Returns what stands for the names of the values."""
        return [label for entry in self.entries.values() for label in (entry.label, *[ORIGINS] * len(entry.origins))]

    def put(self, contents):
        waiting = iter(contents)
        for entry in self.entries.values():
            value = next(waiting)
            entry.put(value)
            for _ in entry.origins:
                self._tracked.put_origins(Leaves([value], self.entries).leaves, next(waiting))

    def enter(self):
        """Lets the containers have what is in them when the region begins."""
        for entry in self.entries.values():
            entry.enter()

    def undo(self):
        """Gives the containers the contents that they had before the region."""
        for entry in self.entries.values():
            entry.undo()

    def _find_origins(self, entry, value):
        if self._tracked is None or isinstance(entry, _Pieces):
            return ()
        return (self._tracked.find_origins(Leaves([value], self.entries).leaves),)


class _Pieces:
    """A list whose contents are a piece: only a run knows how many elements it has. had: its contents before the region."""

    label = LIST

    def __init__(self, lists, owner, had, piece):
        self._lists, self._owner, self._had, self._piece = lists, owner, had, piece

    def now(self):
        made = self._lists.piece_of(self._owner, self._piece)
        self._lists.check_alike(self._piece, made)
        return (made,)

    def at_entry(self):
        return (self._piece,)

    def put(self, parts):
        self._owner[:] = defined(parts)

    def enter(self):
        self._owner[:] = [self._piece]

    def undo(self):
        self._owner[:] = self._had


class _Contents:
    """The elements of a container, which has as many, under the same keys, after the region."""

    def __init__(self, lists, owner, name):
        self._lists, self._owner, self._name = lists, owner, name
        self.label = f"a part of {name}"
        self._had, self._boxes = contents_of(owner), {}

    def now(self):
        found = contents_of(self._owner)
        if [*map(_key_of, found)] != [*map(_key_of, self._had)]:
            self._refuse("other keys" if isinstance(self._owner, dict) else "another length")
        return self._close(tuple(found.values()))

    def at_entry(self):
        return self._close(tuple(self._had.values()))

    def put(self, values):
        if is_undefined(values):
            self._refuse("parts of another structure")
        for leaf in Leaves([values]).leaves:
            defined(leaf)
        self._write(dict(zip(self._had, self._open(values))))

    def enter(self):
        self._write(self._had)

    undo = enter

    def _refuse(self, what):
        self._lists.refuse(f"{self._name} gets {what} in a loop or branch that only a run decides about: make a new one")

    def _write(self, contents):
        now = contents_of(self._owner)
        if [*map(_key_of, now)] != [*map(_key_of, contents)] or not isinstance(self._owner, (list, dict)):
            refill(self._owner, contents)
            return
        for key, value in contents.items():
            if now[key] is not value:
                self._owner[key] = value

    def _close(self, value):
        """Returns the value with lists and dicts in it as a whole: they are the same after the region."""
        if type(value) in (list, dict):
            return self._boxes.setdefault(id(value), Box(value))
        return _map_tuple(self._close, value)

    def _open(self, value):
        return value.value if isinstance(value, Box) else _map_tuple(self._open, value)


def _map_tuple(function, value):
    """Returns a tuple with other parts, and what is no tuple itself."""
    if not isinstance(value, tuple) or isinstance(value, torch.Size):
        return value
    parts = [*map(function, value)]
    if all(map(operator.is_, parts, value)):
        return value
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def _key_of(key):
    return type(key), key


class CarryingState(State):
    """The names of a state; after them which arguments their tensors are, if `tracked`, a Recorder, is not None; then what is in
    the containers that the region carries.
    """

    def __init__(self, state, carried, tracked):
        self._state, self._carried, self._tracked = state, carried, tracked

    @property
    def names(self):
        return (*self._state.names, *(self._state.names if self._tracked else ()), *self._carried.labels())

    @property
    def kept(self):
        return (*self._state.kept, *self._carried.labels())

    @property
    def shared(self):
        return (*self._state.shared, *self._carried.labels())

    def get(self):
        values = self._state.get()
        origins = map(self._find_origins, values) if self._tracked else ()
        return (*values, *origins, *self._carried.contents())

    def put(self, values):
        count = len(self._state.names)
        self._state.put(values[:count])
        if self._tracked:
            for value, origins in zip(values[:count], values[count:2 * count]):
                self._tracked.put_origins(self._leaves(value), origins)
        self._carried.put(values[2 * count if self._tracked else count:])

    def _find_origins(self, value):
        return NOTHING if value is NOTHING else self._tracked.find_origins(self._leaves(value))

    def _leaves(self, value):
        return Leaves([value], self._carried.entries).leaves


class Origins:
    """Knows which arguments tensors are themselves (Aliases.origin_of)."""

    def __init__(self, recorder):
        self._recorder, self._aliases = recorder, recorder.aliases

    def find_origins(self, leaves):
        return tuple(leaf if leaf is NOTHING else self._aliases.origin_of(self._recorder.lift(leaf)) for leaf in leaves)

    def put_origins(self, leaves, origins):
        if origins is NOTHING:
            return
        is_known = not is_undefined(origins) and len(origins) == len(leaves)
        for leaf, origin in zip(leaves, origins if is_known else [None] * len(leaves)):
            if isinstance(leaf, torch.Tensor) and not self._aliases.has_origin(leaf):
                self._aliases.set_origin(leaf, None if is_undefined(origin) else origin)


def describe_name(name):
    """Returns how a message names one of the names of a CarryingState."""
    return "the result" if name == VALUE else name if " " in name else f"'{name}'"
