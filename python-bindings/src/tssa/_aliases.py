# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Determines which storages of a recorded program may be the same at run time.

A view shares the storage of its fake tensor. A result of a branch or a loop has a separate storage in
the recording; when the program runs, it has one of several storages.
"""

import torch

_MAX_STEPS = 16


class Aliases:
    """open_loops: those whose bodies are being recorded."""

    def __init__(self):
        self.open_loops = []
        self._makers = {}  # of a storage: ("argument", order) or ("made", tensor)
        self._loops = {}  # of a storage that a body makes: the loops around it
        self._one_of = {}  # of a storage: [(storage that it may be, loop whose last iteration, count)]
        self._written = []
        self._frozen = {}  # storages that must not be written any more, and what says so
        self._alive = []

    def add_argument(self, fake, order):
        self._makers.setdefault(storage_of(fake), ("argument", order))

    def add(self, tensor):
        storage = storage_of(tensor)
        if storage not in self._makers:
            self._makers[storage] = ("made", tensor)
            self._loops[storage] = tuple(self.open_loops)

    def write(self, tensor):
        """Records that an operator writes to the tensor."""
        storage = storage_of(tensor)
        self._written.append(storage)
        for base, _, _ in self._find_bases(storage) if self._frozen else ():
            if base[0] in self._frozen:
                self._frozen[base[0]]()

    def freeze(self, tensor, refuse):
        """Makes later writes to any tensor that may share the tensor's storage call `refuse`."""
        for (storage, _), _, _ in self.find_bases(tensor):
            self._frozen.setdefault(storage, refuse)

    def join(self, result, sides):
        """Records that `result` has the storage of one of `sides`."""
        self._set(result, [(side, None, None) for side in sides])

    def loop(self, loop, count, result, before, inside, after):
        """Records a loop's result: the value after the last iteration, or the one before the loop if there is none."""
        self._set(result, [(after, None, None), (before, None, count)])
        self._set(inside, [(before, None, None), (after, loop, None)])

    def _set(self, tensor, others):
        if not isinstance(tensor, torch.Tensor):
            return
        self._alive.append((tensor, others))
        self._one_of[storage_of(tensor)] = [(storage_of(other), loop, count) for other, loop, count in others
                                          if isinstance(other, torch.Tensor)]

    def find_maker(self, fake):
        """Returns ("argument", order), or ("made", the first tensor that an operator created with this storage)."""
        return self._makers[storage_of(fake)]

    def written_arguments(self):
        """Returns the orders of the arguments that may be written."""
        makers = [maker for storage in self._written for _, maker, _ in self._find_bases(storage)]
        return {order for kind, order in makers if kind == "argument"}

    def are_told_apart(self, tensor, copy, results):
        """Returns whether the program can distinguish `copy` from a tensor that shares the storage of `tensor`."""
        sides = [{base for (base, _), _, _ in self.find_bases(side)} for side in (tensor, copy)]
        written = {base for storage in self._written for (base, _), _, _ in self._find_bases(storage)}
        if written & (sides[0] | sides[1]):
            return True
        given = [{base for (base, _), _, _ in self.find_bases(result)} for result in results]
        is_given = [any(side & bases for bases in given) for side in sides]
        is_argument = any(self._makers[base][0] == "argument" for base in sides[0])
        return is_given[1] and (is_argument or is_given[0])

    def find_bases(self, tensor):
        """Returns [(key, maker, count)], the storages that the tensor may have.

        Storages of equal keys may be the same one. count: only where a loop has no iteration, the
        number of its iterations; else None.
        """
        return self._find_bases(storage_of(tensor))

    def _find_bases(self, storage):
        found, seen, waiting = [], set(), [(storage, (), None)]
        while waiting:
            state = waiting.pop()
            storage, steps, count = state
            if (storage, steps) in seen or len(steps) > _MAX_STEPS:
                continue
            seen.add((storage, steps))
            others = self._one_of.get(storage)
            if others is None:
                # An iteration makes a storage of its own.
                own = tuple(sorted(loop for loop in steps if loop in self._loops.get(storage, ())))
                found.append(((storage, own), self._makers[storage], count))
                continue
            for other, loop, zero in others:
                waiting.append((other, steps if loop is None else (*steps, loop),
                                zero if count is None else count))
        return found


def storage_of(tensor):
    """Returns the key of the tensor's storage, which the tensor shares with its views."""
    return tensor.untyped_storage()._cdata
