# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Finds out which storages of a recorded program may be the same at run time.

A view shares the storage of its fake tensor. The result of a branch or a loop has a storage of its
own in the recording, but when the program runs it is one of several storages.
"""

import torch

from ._expressions import is_unbacked

_MAX_STEPS = 16
#: The origin of tensors that are not an argument.
MADE = -1


class Aliases:
    """open_loops: the loops whose bodies are being recorded."""

    def __init__(self):
        self.open_loops = []
        self._makers = {}  # of a storage: ("argument", order) or ("made", tensor)
        self._loops = {}  # of a storage that a body makes: the loops around it
        # Of a storage: [(storage that it may be, loop, count)]. loop: the other storage is that of an earlier
        # iteration of this loop. count: it is the other storage only if this number of iterations is 0.
        self._one_of = {}
        # Of a storage that is one of several: (what gives it its storage, together with others; its place in the program).
        self._given = {}
        self._places = {}  # of a storage: its place in the program, if that is before its choice is known
        self._written = []
        self._frozen = {}  # of a storage that must not be written any more: the function that refuses it
        self._alive = []
        self._count = 0
        self._origins = {}  # of tensors by id, see origin_of
        self._wholes = {}  # of a storage: the tensor whose origin is a symbol

    def add_argument(self, fake, order):
        self._makers.setdefault(storage_of(fake), ("argument", order))
        self.set_origin(fake, order)

    def add(self, tensor):
        storage = storage_of(tensor)
        if storage not in self._makers:
            self._makers[storage] = ("made", tensor)
            self._loops[storage] = tuple(self.open_loops)

    @property
    def num_writes(self):
        return len(self._written)

    def write(self, tensor):
        """Notes that an operator writes to the tensor."""
        storage = storage_of(tensor)
        self._written.append(storage)
        for base, _, _ in self._find_bases(storage) if self._frozen else ():
            if base[0] in self._frozen:
                self._frozen[base[0]]()

    def freeze(self, tensor, refuse):
        """From now on, a write to a storage that may be the tensor's calls `refuse`."""
        for (storage, _), _, _ in self.find_bases(tensor):
            self._frozen.setdefault(storage, refuse)

    def begin(self, tensor):
        """Notes that `tensor`, of which loop() says later what it is, has its place in the program here."""
        if isinstance(tensor, torch.Tensor):
            self._alive.append(tensor)
            self._places[storage_of(tensor)] = len(self._alive)

    def number(self):
        """Returns a number for something that gives several names their values together, a branch or a loop."""
        self._count += 1
        return self._count

    def join(self, by, result, sides):
        """Notes that `result` is one of `sides`. by: the number of what gives it its value."""
        self._set(result, [(side, None, None) for side in sides], (by,))

    def loop(self, by, loop, count, result, before, inside, after):
        """Notes what a name is in a loop of `count` iterations, and after it. by: the number of the loop.

        Each is a value: `before` the loop, `inside` at the start of an iteration, `after` an iteration.
        `result` is the last `after`, or `before` if there is no iteration.
        """
        self._set(result, [(after, None, None), (before, None, count)], (by, "after"))
        self._set(inside, [(before, None, None), (after, loop, None)], (by, "inside"))

    def _set(self, tensor, others, given):
        if not isinstance(tensor, torch.Tensor):
            return
        self._alive.append((tensor, others))
        storage = storage_of(tensor)
        self._one_of[storage] = [(storage_of(other), loop, count) for other, loop, count in others
                                 if isinstance(other, torch.Tensor)]
        self._given[storage] = (given, self._places.get(storage, len(self._alive)))

    def may_share(self, left, right):
        """Returns whether two tensors may have one storage in a run."""
        return self._may_share(storage_of(left), storage_of(right), set())

    def _may_share(self, left, right, assumed):
        """assumed: pairs that are being looked at; they have one storage only if another way leads to it."""
        if left == right:
            return True
        if (left, right) in assumed or left not in self._one_of and right not in self._one_of:
            return False
        assumed.update([(left, right), (right, left)])
        (by, place), (other_by, other_place) = (self._given.get(side, (None, -1)) for side in (left, right))
        if by is not None and by == other_by and len(self._one_of[left]) == len(self._one_of[right]):
            pairs = zip(self._one_of[left], self._one_of[right])
            return any(self._may_share(one[0], other[0], assumed) for one, other in pairs)
        # What is given later is one of what there was, while the other name keeps its storage.
        later, earlier = (left, right) if place > other_place else (right, left)
        return any(self._may_share(one[0], earlier, assumed) for one in self._one_of[later])

    def find_maker(self, fake):
        """Returns ("argument", order), or ("made", the first tensor that an operator made in this storage)."""
        return self._makers[storage_of(fake)]

    def written_arguments(self):
        """Returns the positions of the arguments that may be written."""
        makers = [maker for storage in self._written for _, maker, _ in self._find_bases(storage)]
        return {order for kind, order in makers if kind == "argument"}

    def are_told_apart(self, tensor, copy, results):
        """Returns whether a write or a result shows that `copy` does not share the storage of `tensor`."""
        sides = [{base for (base, _), _, _ in self.find_bases(side)} for side in (tensor, copy)]
        written = {base for storage in self._written for (base, _), _, _ in self._find_bases(storage)}
        if written & (sides[0] | sides[1]):
            return True
        given = [{base for (base, _), _, _ in self.find_bases(result)} for result in results]
        is_given = [any(side & bases for bases in given) for side in sides]
        is_argument = any(self._makers[base][0] == "argument" for base in sides[0])
        return is_given[1] and (is_argument or is_given[0])

    def are_given(self, tensor, results):
        """Returns whether a result shows the storage of the tensor."""
        own = {base for (base, _), _, _ in self.find_bases(tensor)}
        return any(base in own for result in results for (base, _), _, _ in self.find_bases(result))

    def is_argument(self, value):
        """Returns whether a value is a tensor that may share the storage of an argument."""
        return isinstance(value, torch.Tensor) and any(
            kind == "argument" for _, (kind, _), _ in self.find_bases(value))

    def origin_of(self, value):
        """Returns which argument a tensor is itself: its order, MADE for none, and None if it may be a part of one.

        The order is a symbol where only a run decides.
        """
        if not isinstance(value, torch.Tensor):
            return None
        if id(value) in self._origins:
            return self._origins[id(value)]
        return None if self.is_argument(value) else MADE

    def has_origin(self, tensor):
        return id(tensor) in self._origins

    def whole_of(self, tensor):
        """Returns the tensor of which `tensor` is a view and of which only a run knows which argument it is, or None."""
        return self._wholes.get(storage_of(tensor))

    def set_origin(self, tensor, origin):
        if isinstance(origin, torch.SymInt):
            self._wholes.setdefault(storage_of(tensor), tensor)
        self._alive.append(tensor)
        self._origins[id(tensor)] = origin

    def find_bases(self, tensor):
        """Returns [(key, maker, count)]: the storages that the tensor's storage may be.

        Storages with equal keys may be the same one. count: if the tensor has this storage only where
        a loop has no iterations, the number of iterations of that loop; else None.
        """
        return self._find_bases(storage_of(tensor))

    def _find_bases(self, storage):
        found, seen, waiting = [], set(), [(storage, (), None)]
        while waiting:
            storage, steps, count = waiting.pop()
            state = (storage, steps, id(count))  # a count may be a symbol, whose comparison is an expression
            if state in seen or len(steps) > _MAX_STEPS:
                continue
            seen.add(state)
            others = self._one_of.get(storage)
            if others is None:
                # Each iteration makes a storage of its own.
                own = tuple(sorted(loop for loop in steps if loop in self._loops.get(storage, ())))
                found.append(((storage, own), self._makers[storage], count))
                continue
            for other, loop, zero in others:
                # The order of the loops does not matter, and there are far more orders than choices.
                waiting.append((other, steps if loop is None else tuple(sorted((*steps, loop))),
                                zero if count is None else count))
        return found


def storage_of(tensor):
    """Returns a key that is equal for tensors that share a storage."""
    return tensor.untyped_storage()._cdata


def has_iterations(count):
    """Returns whether a loop runs at least once, which becomes a guard. count: the number of its iterations, or None."""
    return count is not None and not is_unbacked(count) and bool(count > 0)
