# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Brackets on tensors, and functions that take sizes, where tensors without dims stand for numbers.

Eager mode reads the number from such a tensor; here it becomes a size that only a run knows.
"""

import sys

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from ._errors import UnsupportedError
from ._expressions import is_symbolic, is_unbacked

_NUMBERS = (torch.int8, torch.int16, torch.int32, torch.int64)
_MASKS = (torch.bool, torch.uint8)


def is_number(value):
    """Returns whether a value is a tensor that stands for an integer."""
    return isinstance(value, torch.Tensor) and value.dim() == 0 and value.dtype in _NUMBERS


def read(tensor, index):
    """Returns tensor[index]: a view, or a copy where tensors are among the indexes."""
    if not _has_open(index):
        return tensor[index]
    view, rest = _take_views(tensor, index)
    if rest:
        return view[rest]
    return torch.ops.aten.alias(view) if view is tensor else view


def write(tensor, index, value):
    """Does the same as tensor[index] = value."""
    if not isinstance(value, torch.Tensor) and not _has_open(index):
        tensor[index] = value
        return
    view, rest = _take_views(tensor, index)
    if not rest:
        _fill(view, value)
    elif isinstance(value, torch.Tensor):
        value = value.to(view.dtype) if value.dim() == 0 else value
        torch.ops.aten.index_put_(view, [None if isinstance(part, slice) else torch.as_tensor(part) for part in rest], value)
    else:
        view[rest] = value


def _fill(view, value):
    if not isinstance(value, torch.Tensor):
        view.fill_(value)
        return
    while value.dim() > view.dim() and value.shape[0] == 1:
        value = value.squeeze(0)
    view.copy_(value)


def as_index(value):
    """Returns a position as a number; it may be a tensor of one element."""
    return value.item() if isinstance(value, torch.Tensor) else value


def _is_open(part):
    if isinstance(part, slice):
        return any(_is_open(v) for v in (part.start, part.stop, part.step))
    return isinstance(part, (torch.SymInt, torch.SymBool, range)) or is_number(part)


def _is_mask(part):
    return isinstance(part, torch.Tensor) and part.dtype in _MASKS


def _is_truth(part):
    return isinstance(part, (bool, torch.SymBool))


def _as_part(part):
    """Returns one part of an index with numbers as sizes, and masks as tensors of bools."""
    if is_number(part):
        return part.item()
    if _is_truth(part):
        return torch.zeros([1 if part else 0], dtype=torch.int64)
    if _is_mask(part):
        return (part if part.dim() else part.reshape(1)).to(torch.bool)
    if isinstance(part, range) or isinstance(part, (list, tuple)) and not part:
        return torch.tensor(list(part), dtype=torch.int64)
    if isinstance(part, (list, tuple)) and any(map(_is_open, part)):
        return torch.stack([v if isinstance(v, torch.Tensor) else torch.full([], v) for v in part])
    return part


def _count_dims(part):
    """Returns how many dims of the tensor one part of an index takes."""
    if part is None or part is Ellipsis or _is_truth(part):
        return 0
    return part.dim() if _is_mask(part) else 1


def _has_open(index):
    """Returns whether parts of the index may differ between calls, or are slices."""
    return any(_is_open(part) or isinstance(part, slice) or _is_mask(part)
               or isinstance(part, list) and any(map(_is_open, part)) for part in _parts_of(index))


def _parts_of(index):
    return index if isinstance(index, tuple) else (index,)


def _take_views(tensor, index):
    """Returns (a view for the parts that only move through memory, the index into it for the rest, which may be empty)."""
    parts = _parts_of(index)
    rest, dim, has_single = [], 0, False
    for i, part in enumerate(parts):
        added = int(_is_truth(part) or _is_mask(part) and not part.dim())
        if part is Ellipsis:
            skipped = tensor.dim() - dim - sum(map(_count_dims, parts[i + 1:]))
            rest += [slice(None)] * skipped
            dim += skipped
            continue
        has_single = has_single or bool(added) and isinstance(part, torch.Tensor)
        if part is None or added:
            tensor = tensor.unsqueeze(dim)
        if part is None:
            part = slice(None)
        part = _as_part(part)
        if isinstance(part, (int, torch.SymInt)):
            _place_in(part, tensor.shape[dim])
            tensor = tensor.select(dim, part)
            continue
        if isinstance(part, slice):
            tensor, part = _slice(tensor, dim, part), slice(None)
        rest.append(part)
        dim += added or (1 if isinstance(part, slice) else _count_dims(part))
    return tensor, () if all(isinstance(part, slice) for part in rest) else tuple(_separate_masks(rest, has_single))


def _separate_masks(parts, has_single):
    """Returns the parts with the positions that masks select, if there are masks and other tensors.

    has_single: whether one of them was a mask without dims, which stands for an index of one position or of none.
    """
    if sum(not isinstance(part, slice) for part in parts) < 2:
        return parts
    if has_single:
        raise UnsupportedError(["a mask without dims stands beside other tensors in an index, and only a run knows whether "
                                "it selects anything: write an `if`"])
    made = []
    for part in parts:
        is_mask = isinstance(part, torch.Tensor) and part.dtype == torch.bool
        made += part.nonzero().unbind(1) if is_mask else [part]
    return made


def _slice(tensor, dim, part):
    begin, end, step = (as_index(v) for v in (part.start, part.stop, part.step))
    if begin is None and end is None and step is None:
        return tensor
    size = tensor.shape[dim]
    bounds = [_place_in(bound, size) for bound in (0 if begin is None else begin, size if end is None else end)]
    if any(is_symbolic(bound) for bound in bounds) and not any(map(is_unbacked, bounds)):
        bool(bounds[0] <= bounds[1])
    return torch.ops.aten.slice.Tensor(tensor, dim, 0 if begin is None else begin,
                                       sys.maxsize if end is None else end, 1 if step is None else step)


def _place_in(position, size):
    """Returns a position that may count from the end as one from the start, within the size.

    A guard fixes which case holds to that of the example, so that sizes stay simple expressions.
    """
    if is_unbacked(position) or is_unbacked(size) or not (is_symbolic(position) or is_symbolic(size)):
        return position
    if position < 0:
        return position + size if position >= -size else 0
    return position if position <= size else size


_FACTORIES = {torch.arange, torch.empty, torch.eye, torch.full, torch.linspace, torch.ones, torch.range, torch.zeros}
# Functions whose arguments, except for the tensor that they work on, are sizes and positions.
_SIZES = {getattr(owner, name)
          for owner, names in (
              (torch, "arange chunk empty eye full linspace narrow ones range reshape select split tile topk unflatten "
                      "zeros roll diag diagonal tril triu"),
              (torch.Tensor, "chunk expand narrow new_empty new_full new_ones new_zeros repeat reshape resize_ select "
                             "split tile topk unflatten unfold view roll diag diagonal tril triu"),
              (functional, "interpolate pad one_hot adaptive_avg_pool2d adaptive_avg_pool1d unfold fold"))
          for name in names.split()}


def _as_sizes(value):
    """Returns a value with numbers in place of the tensors that stand for them."""
    if isinstance(value, (list, tuple)) and any(map(is_number, value)):
        return type(value)(map(_as_sizes, value))
    return value.item() if is_number(value) else value


class TensorsAsNumbers(TorchFunctionMode):
    """Reads tensors without dims that are indexes or sizes, also in functions of PyTorch and of other libraries."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.Tensor.__getitem__:
            return read(*args)
        if func is torch.Tensor.__setitem__:
            return write(*args)
        if func in _SIZES:
            first = args[:1] if args and isinstance(args[0], torch.Tensor) and func not in _FACTORIES else ()
            args = (*first, *map(_as_sizes, args[len(first):]))
            kwargs = {name: _as_sizes(value) for name, value in kwargs.items()}
        return func(*args, **kwargs)
