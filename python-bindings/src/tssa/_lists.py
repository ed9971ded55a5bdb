# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists that get one tensor in each iteration of a loop: one buffer, as torch.stack makes of them.

The tensors are copied where eager keeps them, so none may be written afterwards; and nothing but
stack, cat and len() may ask for the list. Otherwise the program is recorded again without buffers:
the loop is written down once for each iteration then.
"""

import torch

from ._values import Form, Undefined


class NeedsList(Exception):
    """A buffer is no list: the program must be recorded without."""


class _Elements(Undefined):
    """What stands in a list that is a buffer, for who reads it without asking."""

    def _refuse(self):
        raise NeedsList


class Grown:
    """A list that is a buffer of [count, sizes of a tensor]."""

    def __init__(self, buffer, count):
        self._buffer, self.count = buffer, count

    def refuse(self):
        raise NeedsList

    def stack(self, dim=0, **options):
        if options:
            raise NeedsList
        made = self._buffer.clone()
        return made.movedim(0, dim).contiguous() if dim else made

    def cat(self, dim=0, **options):
        if options or not self._buffer.dim() > 1:
            raise NeedsList
        rank = self._buffer.dim() - 1
        dim = dim + rank if dim < 0 else dim
        moved = self._buffer.movedim(0, dim)
        sizes = list(moved.shape)
        return moved.clone(memory_format=torch.contiguous_format).view(
            *sizes[:dim], sizes[dim] * sizes[dim + 1], *sizes[dim + 2:])


class GrowingLists:
    """The lists that grow in one loop. block, position: of the iteration that is being recorded."""

    def __init__(self, control, count):
        self._control, self._count = control, count
        self._forms, self._buffers, self._lists = {}, {}, {}
        self._known = control.recorder.known_symbols()
        self.block = None

    def begin(self, block, position):
        self.block, self._position = block, position
        self._appended, self._is_new = set(), False

    def append(self, owner, value):
        """Whether the list takes the value in each iteration."""
        key = id(owner)
        if (not self._control.has_buffers or self._count is None or owner or key in self._appended
                or not isinstance(value, torch.Tensor)):
            return False
        self._appended.add(key)
        self._lists[key] = owner
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = Form(value)
            self._is_new = True
        if form.join(value, self._is_visible) or None in form.sizes or form.strides is not None:
            raise NeedsList
        self._control.recorder.aliases.freeze(value, _refuse)
        if key in self._buffers:
            self._buffers[key].select(0, self._position).copy_(value)
        return True

    def _is_visible(self, size):
        return not isinstance(size, torch.SymInt) or size.node.expr.free_symbols <= self._known

    def make_buffers(self):
        """Behind a trial: buffers for what has grown, before the loop."""
        for key, form in self._forms.items():
            if key not in self._buffers:
                self._buffers[key] = torch.empty([self._count, *form.sizes], dtype=form.dtype)

    def grew(self):
        """Whether a list has grown that has no buffer yet."""
        if self._appended != set(self._forms):
            raise NeedsList
        return self._is_new

    def finish(self):
        for key, owner in self._lists.items():
            self._control.grown[key] = Grown(self._buffers[key], self._count)
            owner.append(_Elements("a list that is a buffer"))


def _refuse():
    raise NeedsList
