# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists that get one tensor in each iteration of a loop are recorded as one buffer, as torch.stack would create it.

The tensors are copied to the buffer, while eager mode keeps them in the list. So none of them may be
written afterwards, and the list may be used only by stack, cat and len(). Otherwise the program is
recorded again without buffers, and the loop is unrolled.
"""

import torch

from ._values import Form, Undefined


class NeedsList(Exception):
    """Raised if a buffer cannot replace a list: the program must be recorded again without buffers."""


class _Elements(Undefined):
    """The placeholder in a list that is a buffer, which detects code that reads the list directly."""

    def _refuse(self):
        raise NeedsList


class Grown:
    """A list that is a buffer of shape [count, sizes of a tensor]."""

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
    """The lists that grow in one loop. block, position: those of the iteration that is being recorded."""

    def __init__(self, control, count):
        self._control, self._count = control, count
        self._forms, self._buffers, self._lists = {}, {}, {}
        self._known = control.recorder.known_symbols()
        self.block = None

    def begin(self, block, position):
        self.block, self._position = block, position
        self._appended, self._is_new = set(), False

    def append(self, owner, value):
        """Appends a value to a list. Returns whether the list gets one such value in each iteration."""
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
        """After a trial, creates buffers before the loop for the lists that have grown."""
        for key, form in self._forms.items():
            if key not in self._buffers:
                self._buffers[key] = torch.empty([self._count, *form.sizes], dtype=form.dtype)

    def grew(self):
        """Returns whether a list without a buffer has grown."""
        if self._appended != set(self._forms):
            raise NeedsList
        return self._is_new

    def finish(self):
        for key, owner in self._lists.items():
            self._control.grown[key] = Grown(self._buffers[key], self._count)
            owner.append(_Elements("a list that is a buffer"))


def _refuse():
    raise NeedsList
