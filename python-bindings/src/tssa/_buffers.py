# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists to which each iteration of a loop appends one element: rows of buffers that are made before the loop.

That holds for loops whose number of iterations is known when they begin. Other lists that a loop or branch changes
are carried (_carried.py), and are copied for each element that they get.
"""

import torch

from ._lists import count_of
from ._values import Form, Piece


class _Buffer:
    """One such list. had: its `num_had` elements before the loop. columns: the tensors whose rows are its elements."""

    def __init__(self, owner):
        self.owner, self.had, self.num_had = owner, list(owner), count_of(owner)
        self.forms, self.columns = None, None
        self.is_appended = False

    def learn(self, element, is_visible):
        """Returns whether the parts of an element fit what is known of those so far."""
        leaves = element.leaves
        if self.forms is None:
            self.element, self.forms = element, [Form(leaf) for leaf in leaves]
        if element.columns or element.structure != self.element.structure or None in [form.kind for form in self.forms]:
            return False
        return all(not form.join(leaf, is_visible) and (form.kind is not torch.Tensor or None not in form.sizes)
                   for form, leaf in zip(self.forms, leaves))


class Buffers:
    """The lists that grow by one element in each iteration of one loop, of `count` iterations; None if a run decides that."""

    def __init__(self, control, count):
        self._control, self._count = control, count
        self._known = control.recorder.known_symbols()
        self._buffers, self._refused = {}, {}
        self.block = None

    def begin(self, block, position):
        """Begins to record the block of an iteration."""
        self.block, self._position, self._is_changed = block, position, False
        for buffer in self._buffers.values():
            buffer.is_appended = False
            self._show(buffer, position)

    def _show(self, buffer, count):
        """Lets the list have the first `count` rows of the loop."""
        if buffer.columns is not None:
            rows = buffer.num_had + count
            buffer.owner[:] = [Piece(buffer.element, [column.narrow(0, 0, rows) for column in buffer.columns])]

    def append(self, owner, value):
        """Returns whether the list is one to which each iteration appends; then it has appended `value`."""
        if self._count is None or id(owner) in self._refused:
            return False
        buffer = self._buffers.get(id(owner))
        if buffer is None:
            buffer = self._buffers[id(owner)] = _Buffer(owner)
            self._is_changed = True
        if buffer.is_appended or not buffer.learn(self._control.lists.element_of(value), self._is_visible):
            self.give_up(owner)
            return False
        buffer.is_appended = True
        if buffer.columns is None:
            owner.append(value)
            return True
        for column, row in zip(buffer.columns, self._control.lists.make_piece(value).columns):
            column.select(0, buffer.num_had + self._position).copy_(row[0])
        self._show(buffer, self._position + 1)
        return True

    def _is_visible(self, size):
        return not isinstance(size, torch.SymInt) or size.node.expr.free_symbols <= self._known

    def give_up(self, owner):
        """Makes a list that is changed in another way one that the loop carries. Returns an element, or None."""
        buffer = self._buffers.pop(id(owner), None)
        if buffer is None:
            return None
        self._refused[id(owner)] = owner
        self._is_changed = True
        owner[:] = buffer.had
        return None if buffer.forms is None else buffer.element

    def refuse(self):
        """Makes all lists ones that the loop carries: it may end early."""
        self._count = None
        for buffer in list(self._buffers.values()):
            self.give_up(buffer.owner)

    def make_buffers(self):
        """Makes the buffers, before the loop, of the lists that grew in the last trial."""
        for buffer in self._buffers.values():
            if buffer.columns is None:
                self._make_columns(buffer)

    def _make_columns(self, buffer):
        lists = self._control.lists
        empty = lists.make_empty(buffer.element)
        buffer.columns = [torch.empty([buffer.num_had + self._count, *column.shape[1:]], dtype=column.dtype)
                          for column in empty.columns]
        if buffer.had:
            first = lists.piece_of(buffer.had)
            for column, part in zip(buffer.columns, first.columns):
                column.narrow(0, 0, buffer.num_had).copy_(part)

    def learn(self):
        """Ends an iteration. Returns whether it must be recorded again."""
        for buffer in list(self._buffers.values()):
            if not buffer.is_appended:
                self.give_up(buffer.owner)
        return self._is_changed

    def restore(self):
        """Gives the lists the contents that they had before the loop."""
        for buffer in self._buffers.values():
            buffer.owner[:] = buffer.had

    def finish(self):
        """Gives the lists the contents that they have after the loop."""
        for buffer in self._buffers.values():
            buffer.owner[:] = [Piece(buffer.element, buffer.columns)]
