# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Functions that give a view or a copy, as the strides of their argument decide: reshape, contiguous and others.

The sizes and strides of the example decide, by PyTorch's own rule (computeStride of ATen/TensorUtils.h). Where the
outcome can be told, a call may run the recording only if the rule has the same outcome for its sizes.
"""

import functools

import sympy
import torch
from torch._prims_common import canonicalize_dim, infer_size
from torch.utils._sympy.functions import Max, Min, Where

from ._errors import UnsupportedError
from ._expressions import hint_of, is_unbacked
from ._values import contiguous_strides, has_strides, is_contiguous
from ._bits import cast_bits
from ._windows import (as_strided_copy, as_strided_view, diagonal_copy, diagonal_view, unfold_copy,
                       unfold_view)

aten = torch.ops.aten
_CANNOT_VIEW = ("view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead.")
# The dims from the innermost to the outermost, by memory format and rank.
_ORDERS = {torch.channels_last: {4: (1, 3, 2, 0)}, torch.channels_last_3d: {5: (1, 4, 3, 2, 0)}}


def _is_known(*parts):
    """Returns whether a call knows these sizes and strides."""
    return not any(is_unbacked(value) for part in parts for value in part)


def find_view_strides(sizes, strides, shape):
    """Returns the strides of a view of another shape, or None if no strides describe it.

    shape: sizes, with as many elements as `sizes`. The values in the example decide.
    """
    if any(hint_of(size) == 0 for size in sizes):
        return list(strides) if [*map(hint_of, sizes)] == [*map(hint_of, shape)] else contiguous_strides(shape)
    made, place = [1] * len(shape), len(shape) - 1
    step, count = strides[-1] if sizes else 1, 1
    for dim in reversed(range(len(sizes))):
        count = count * sizes[dim]
        if dim > 0 and (hint_of(sizes[dim - 1]) == 1 or hint_of(strides[dim - 1]) == hint_of(count * step)):
            continue
        filled = 1
        while place >= 0 and (hint_of(filled) < hint_of(count) or hint_of(shape[place]) == 1):
            made[place] = filled * step
            filled = filled * shape[place]
            place -= 1
        if hint_of(filled) != hint_of(count):
            return None
        if dim > 0:
            step, count = strides[dim - 1], 1
    return made if place < 0 else None


def _strides_of_format(shape, memory_format):
    """Returns the strides of a new tensor in a memory format, or None if tensors of this rank cannot have it."""
    if memory_format == torch.contiguous_format:
        return contiguous_strides(shape)
    order = _ORDERS.get(memory_format, {}).get(len(shape))
    if order is None:
        return None
    strides, step = [1] * len(shape), 1
    for dim in order:
        strides[dim], step = step, step * shape[dim]
    return strides


class Choice:
    """A decision between a view and a copy. result: what it gave, of other sizes or in `memory_format`.

    refusal: the text if nothing can be told before a run.
    """

    def __init__(self, refusal, tensor, result, is_view, memory_format=None, must_be_view=False):
        self.refusal, self.tensor, self.result, self.is_view = refusal, tensor, result, is_view
        self.memory_format, self.must_be_view = memory_format, must_be_view

    def release(self):
        """Drops the tensors, as the recording is over."""
        self.tensor = self.result = None

    def is_same(self, sizes, strides, shape, recorded, is_told_apart):
        """Returns whether it has the same outcome in a call.

        sizes, strides: those of the tensor in the call. shape, recorded: the sizes and strides that the recording gives
        the result. is_told_apart: whether a copy can be told from a view, besides by its strides.
        """
        found = self._find(sizes, strides, shape)
        if found is None:
            found = _strides_of_format(shape, self.memory_format or torch.contiguous_format)
            if is_told_apart and self.is_view:
                return False
        elif is_told_apart and not self.is_view:
            return False
        return 0 in shape or has_strides(shape, recorded, found)

    def _find(self, sizes, strides, shape):
        if self.memory_format is None:
            return find_view_strides(sizes, strides, shape)
        return strides if has_strides(sizes, strides, _strides_of_format(sizes, self.memory_format)) else None


class Views:
    """Records these functions for a recorder, and collects the choices that they made."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._choices = []
        self.functions = {
            aten.reshape.default: self._reshape,
            aten.reshape_as.default: lambda self_, other: self._reshape(self_, other.shape),
            aten.flatten.using_ints: self._flatten,
            aten.ravel.default: lambda self_: self._reshape(self._contiguous(self_), [-1]),
            aten.contiguous.default: self._contiguous,
            aten.view.default: self._view,
            aten.select.int: self._select,
            aten.slice.Tensor: self._slice,
            aten.narrow.default: self._narrow,
            aten.squeeze.default: lambda tensor: self._squeeze(tensor, range(tensor.dim())),
            aten.squeeze.dim: lambda tensor, dim: self._squeeze(tensor, [dim]),
            aten.squeeze.dims: self._squeeze,
            aten.view.dtype: self._view_bits,
            **{packet.default: functools.partial(self._take_windows, packet, view, copy)
               for packet, view, copy in ((aten.as_strided, as_strided_view, as_strided_copy),
                                          (aten.unfold, unfold_view, unfold_copy),
                                          (aten.diagonal, diagonal_view, diagonal_copy))},
        }

    def observable_choices(self, results):
        """Returns [(choice, whether a copy can be told from a view)] for the choices that can be told."""
        found = []
        for choice in self._choices:
            is_told_apart = choice.must_be_view or self._recorder.aliases.are_told_apart(
                choice.tensor, choice.result, results)
            if not is_told_apart and not self._recorder.aliases.are_given(choice.result, results):
                continue
            if _is_known(choice.tensor.shape, choice.tensor.stride(), choice.result.shape):
                found.append((choice, is_told_apart))
            elif is_told_apart:
                raise UnsupportedError([choice.refusal])
        return found

    def _note_choice(self, *parts, **options):
        refusal = self._recorder.locate("only a run knows whether contiguous() or reshape() copies: call clone()")
        self._choices.append(Choice(refusal, *parts, **options))

    def _reshape(self, tensor, shape):
        if is_contiguous(tensor):
            return self._recorder.call(aten.view.default, tensor, shape)
        shape = self._complete(tensor, shape)
        is_known = _is_known(tensor.shape, tensor.stride(), shape)  # what only a run knows is copied
        strides = find_view_strides(tensor.shape, tensor.stride(), shape) if is_known else None
        if strides is None:
            copy = self._recorder.call(aten.clone.default, tensor, memory_format=torch.contiguous_format)
            made = self._recorder.call(aten._unsafe_view.default, copy, shape)
        else:
            made = self._make_view(tensor, shape, strides)
        self._note_choice(tensor, made, strides is not None)
        return made

    def _view(self, tensor, shape):
        if is_contiguous(tensor) or not _is_known(tensor.shape, tensor.stride(), shape):
            return NotImplemented
        shape = self._complete(tensor, shape)
        strides = find_view_strides(tensor.shape, tensor.stride(), shape)
        if strides is None:
            raise RuntimeError(_CANNOT_VIEW)
        made = self._make_view(tensor, shape, strides)
        self._note_choice(tensor, made, True, must_be_view=True)
        return made

    def _flatten(self, tensor, start_dim=0, end_dim=-1):
        rank = tensor.dim()
        if rank == 0:
            return self._reshape(tensor, [1])
        start, end = (canonicalize_dim(rank, dim) for dim in (start_dim, end_dim))
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        if start == end:
            return tensor
        size = 1
        for extent in tensor.shape[start:end + 1]:
            size = size * extent
        return self._reshape(tensor, [*tensor.shape[:start], size, *tensor.shape[end + 1:]])

    def _contiguous(self, tensor, memory_format=torch.contiguous_format):
        if memory_format == torch.preserve_format:
            raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
        wanted = _strides_of_format(tensor.shape, memory_format)
        if wanted is None:
            raise RuntimeError(f"required rank {4 if memory_format == torch.channels_last else 5} tensor to use "
                               f"{str(memory_format).removeprefix('torch.')} format")
        if memory_format == torch.contiguous_format and is_contiguous(tensor):
            return tensor
        is_view = _is_known(tensor.shape, tensor.stride()) and has_strides(
            *([*map(hint_of, part)] for part in (tensor.shape, tensor.stride(), wanted)))
        made = tensor if is_view else self._recorder.call(aten.clone.default, tensor, memory_format=memory_format)
        self._note_choice(tensor, made, is_view, memory_format)
        return made

    def _complete(self, tensor, shape):
        """Returns the sizes, with the one that -1 stands for."""
        self._recorder.check_split(shape)
        return list(infer_size(shape, tensor.numel()))

    def _squeeze(self, tensor, dims):
        """Guards which of the dims have one element, and selects it."""
        if tensor.dim() == 0:
            return NotImplemented
        dims = [canonicalize_dim(tensor.dim(), dim) for dim in dims]
        if not _is_known([tensor.shape[dim] for dim in dims]):
            return NotImplemented
        made = tensor
        for dim in sorted(set(dims), reverse=True):
            if bool(tensor.shape[dim] == 1):
                made = self._recorder.call(aten.select.int, made, dim, 0)
        return self._recorder.call(aten.alias.default, tensor) if made is tensor else made

    def _select(self, tensor, dim, index):
        """Handles a position that only a run knows: PyTorch would not know where the view lies."""
        if not is_unbacked(index):
            return NotImplemented
        dim = canonicalize_dim(tensor.dim(), dim)
        count, size = self._recorder.count_of(index), tensor.shape[dim]
        if count is not None and _is_known([count, size]) and hint_of(count) == hint_of(size):
            bool(count == size)  # a guard, by which the loop takes all of the dim
        shape, strides = ([v for d, v in enumerate(part) if d != dim] for part in (tensor.shape, tensor.stride()))
        # -1 % size is the last position.
        return self._move(aten.select.int, (tensor, dim, index), shape, strides, index % tensor.shape[dim])

    def _move(self, function, arguments, shape, strides, position):
        """Records a view of a tensor that begins at a position in one of its dims."""
        tensor, dim = arguments[:2]
        with self._recorder.silence():
            made = aten.as_strided(tensor, shape, strides, tensor.storage_offset() + position * tensor.stride(dim))
        return self._recorder.record_view(function, arguments, made)

    def _slice(self, tensor, dim=0, start=None, end=None, step=1):
        if not is_unbacked(start):
            return NotImplemented
        dim = canonicalize_dim(tensor.dim(), dim)
        with self._recorder.silence():
            sliced = aten.slice(tensor, dim, start, end, step)
        size, first = (v.node.expr if isinstance(v, torch.SymInt) else v for v in (tensor.shape[dim], start))
        first = Max(0, Min(size, Where(sympy.Lt(first, 0), first + size, first)))
        begin = self._recorder.fake_mode.shape_env.create_symintnode(first, hint=None)
        return self._move(aten.slice.Tensor, (tensor, dim, start, end, step), sliced.shape, sliced.stride(), begin)

    def _narrow(self, tensor, dim, start, length):
        if not is_unbacked(start) and not is_unbacked(length):
            return NotImplemented
        dim = canonicalize_dim(tensor.dim(), dim)
        shape = [length if d == dim else size for d, size in enumerate(tensor.shape)]
        return self._move(aten.narrow.default, (tensor, dim, start, length), shape, tensor.stride(),
                          start % tensor.shape[dim])

    def _view_bits(self, tensor, dtype):
        """Records a view as another element type as a copy. Nothing may be written any more that shares memory with it."""
        if dtype == tensor.dtype:
            return aten.alias(tensor)
        with self._recorder.silence():
            made = aten.view.dtype(tensor, dtype)
        with self._recorder:
            contents = cast_bits(self._recorder.bitcast, tensor, dtype)
        return self._bind_copy(made, contents, aten.view)

    def _take_windows(self, function, take_view, copy, tensor, *geometry):
        """Records a view by strides. If no slices and reshapes describe it, its elements are copied; then nothing may be
        written any more that shares memory with it."""
        with self._recorder:
            made = take_view(tensor, *geometry)
            if made is not None:
                return made
            contents = copy(tensor, *geometry)
        if contents is NotImplemented:
            return NotImplemented
        with self._recorder.silence():
            made = function(tensor, *geometry)
        return self._bind_copy(made, contents, function)

    def _bind_copy(self, made, contents, function):
        """Binds a view, the result of `function`, to a copy of its elements. Its memory may not be written any more."""
        self._recorder.bind(made, self._recorder.number_of(contents))
        self.freeze(made, function)
        return made

    def freeze(self, tensor, function):
        """Refuses later writes to memory of the tensor, as a result of `function` is a copy instead of a view."""
        self._recorder.aliases.freeze(tensor, functools.partial(self._refuse_write, function))

    def _refuse_write(self, function):
        name = str(function).removeprefix("aten.")
        raise UnsupportedError([self._recorder.locate(f"a tensor is written that shares memory with a result of {name}(), "
                                                      f"which had to be copied: clone() that result")])

    def _make_view(self, tensor, shape, strides):
        """Records the view. PyTorch's own function for fake tensors would refuse strides that hold for some sizes only."""
        with self._recorder.silence():
            made = aten._reshape_alias(tensor, shape, strides)
        return self._recorder.record_view(aten.view.default, (tensor, shape), made)
