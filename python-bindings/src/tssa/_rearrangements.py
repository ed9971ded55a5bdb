# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Decompositions of operators that move or order elements."""

import functools
import math

import torch

from ._decomposition_table import decomposes

aten = torch.ops.aten


# Views, and their copies.

@decomposes(aten.unbind.int)
def _unbind(self, dim=0):
    """PyTorch's decomposition squeezes the parts, which keeps a dim whose size is open."""
    return [self.select(dim, i) for i in range(int(self.shape[dim]))]


@decomposes(aten.as_strided_scatter.default)
def _as_strided_scatter(self, src, size, stride, storage_offset=None):
    offset = self.storage_offset() if storage_offset is None else storage_offset
    made = self.clone(memory_format=torch.contiguous_format)
    if made.stride() != self.stride():
        return NotImplemented
    made.as_strided(size, stride, offset).copy_(src)
    return made


@decomposes(aten.roll.default)
def _roll(self, shifts, dims=()):
    """PyTorch's decomposition makes a contiguous tensor; eager mode keeps channels last."""
    made = torch._refs.roll(self, shifts, dims)
    is_kept = dims and torch._prims_common.suggest_memory_format(self) != torch.contiguous_format
    return made.contiguous(memory_format=torch._prims_common.suggest_memory_format(self)) if is_kept else made


@decomposes(aten.empty_permuted.default)
def _empty_permuted(size, physical_layout, **options):
    inverse = [physical_layout.index(d) for d in range(len(size))]
    return torch.empty([size[d] for d in physical_layout], **options).permute(inverse)


@decomposes(aten.empty_strided.default)
def _empty_strided(size, stride, **options):
    """Makes tensors without gaps, in any order of dims."""
    order = sorted(range(len(size)), key=lambda d: (stride[d], size[d]), reverse=True)
    made = _empty_permuted(size, order, **options)
    agrees = all(own == wanted or extent <= 1
                 for own, wanted, extent in zip(made.stride(), stride, size))
    return made if agrees else NotImplemented


@decomposes(aten.new_empty_strided.default)
def _new_empty_strided(self, size, stride, *, dtype=None, **options):
    return _empty_strided(size, stride, dtype=dtype or self.dtype, **options)


@decomposes(aten.copy.default)
def _copy(self, src, non_blocking=False):
    return src.to(self.dtype).expand(self.shape).clone()


# Masks and indexes.

@decomposes(aten.masked_select.default)
def _masked_select(self, mask):
    self, mask = torch.broadcast_tensors(self, mask)
    if self.dim() == 0:
        self, mask = self.unsqueeze(0), mask.unsqueeze(0)
    return aten.index(self, [mask])


@decomposes(aten.masked_scatter.default)
def _masked_scatter(self, mask, source):
    """The nth element for which the mask holds becomes the nth element of the source."""
    self, mask = torch.broadcast_tensors(self, mask)
    if source.numel() == 0 or self.dtype != source.dtype:
        return NotImplemented
    place = torch.where(mask, mask.flatten().cumsum(0).view(mask.shape) - 1, 0)
    return torch.where(mask, aten.index(source.flatten(), [place]), self)


@decomposes(aten.take.default)
def _take(self, index):
    return aten.index(self.flatten(), [index])


@decomposes(aten.put.default)
def _put(self, index, source, accumulate=False):
    filled = self.flatten().index_put([index.flatten()], source.flatten(), accumulate)
    return filled.view(self.shape)


@decomposes(aten.index_reduce.default)
def _index_reduce(self, dim, index, source, reduce, *, include_self=True):
    shape = [1] * self.dim()
    if shape:
        shape[dim] = -1
    place = index.reshape(shape).expand(source.shape)
    return self.scatter_reduce(dim, place, source, reduce, include_self=include_self)


@decomposes(aten.nonzero_static.default)
def _nonzero_static(self, *, size, fill_value=-1):
    """Scatters the position of the nth nonzero element to row n, and all others to a row after the last."""
    if 0 in self.shape:
        return torch.full([size, self.dim()], fill_value)
    holds = self.flatten() != 0
    row = holds.cumsum(0) - 1
    row = torch.where(holds & (row < size), row, size)
    place = torch.full([size + 1], -1).scatter(0, row, torch.arange(holds.shape[0]))[:size]
    columns, rest = [], place
    for extent in reversed(self.shape):
        columns.insert(0, rest % extent)
        rest = rest // extent
    if not columns:
        return torch.empty([size, 0], dtype=torch.int64)
    return torch.where(place.unsqueeze(1) < 0, fill_value, torch.stack(columns, 1))


@decomposes(aten.unique_consecutive.default)
def _unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    """A group begins at each element that differs from the one before it."""
    rows = self.flatten() if dim is None else self.movedim(dim, 0)
    if 0 in rows.shape:
        return NotImplemented
    differs = rows[1:] != rows[:-1]
    if rows.dim() > 1:
        differs = differs.flatten(1).any(1)
    begins = torch.cat([torch.ones(1, dtype=torch.bool), differs])
    values = aten.index(rows, [begins])
    inverse = counts = torch.empty(0, dtype=torch.int64)
    if return_inverse:
        inverse = begins.cumsum(0) - 1
        inverse = inverse.view(self.shape) if dim is None else inverse
    if return_counts:
        first = aten.index(torch.arange(rows.shape[0]), [begins])
        counts = torch.cat([first[1:], torch.full([1], rows.shape[0])]) - first
    if dim is not None and dim % self.dim() != 0:
        values = values.movedim(0, dim).clone(memory_format=torch.contiguous_format)
    return values, inverse, counts


# Order.

def _with_dims(function):
    """Makes a function treat a tensor without dims as a 1-D tensor of one element."""
    @functools.wraps(function)
    def wrapped(self, *arguments, **keywords):
        if self.dim() > 0:
            return function(self, *arguments, **keywords)
        results = function(self.unsqueeze(0), *arguments, **keywords)
        return tuple(result.reshape([]) for result in results)
    return wrapped


def _pick(ordered, position, dim, keepdim):
    """Returns, for each row of sorted values and their indexes, the ones at `position`."""
    picked = (torch.gather(part, dim, position) for part in ordered)
    return tuple(part if keepdim else part.squeeze(dim) for part in picked)


@decomposes(aten.kthvalue.default)
@_with_dims
def _kthvalue(self, k, dim=-1, keepdim=False):
    ordered = torch.sort(self, dim=dim, stable=True)
    return tuple(part.narrow(dim, k - 1, 1) if keepdim else part.select(dim, k - 1)
                 for part in ordered)


def _check_row(self, name, dim):
    if self.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim % self.dim()} to have non-zero size.")


def _count_numbers(self, dim):
    return torch.logical_not(torch.isnan(self)).sum(dim, keepdim=True)


@decomposes(aten.median.dim)
@_with_dims
def _median_dim(self, dim, keepdim=False):
    """Returns the lower of the two elements in the middle; the first NaN if there is one."""
    _check_row(self, "median", dim)
    count = _count_numbers(self, dim)
    size = self.shape[dim]
    middle = torch.where(count < size, count, (size - 1) // 2)
    return _pick(torch.sort(self, dim=dim, stable=True), middle, dim, keepdim)


@decomposes(aten.nanmedian.dim)
@_with_dims
def _nanmedian_dim(self, dim, keepdim=False):
    _check_row(self, "median", dim)
    middle = torch.clamp((_count_numbers(self, dim) - 1) // 2, min=0)
    return _pick(torch.sort(self, dim=dim, stable=True), middle, dim, keepdim)


@decomposes(aten.median.default)
def _median(self):
    return _median_dim(self.flatten(), 0)[0] if self.numel() else NotImplemented


@decomposes(aten.nanmedian.default)
def _nanmedian(self):
    return _nanmedian_dim(self.flatten(), 0)[0] if self.numel() else NotImplemented


@decomposes(aten.mode.default)
@_with_dims
def _mode(self, dim=-1, keepdim=False):
    """Returns the least of the most frequent values, and its last position."""
    values, places = torch.sort(self, dim=dim, stable=True)
    line = values.movedim(dim, -1)
    counts = (line.unsqueeze(-1) == line.unsqueeze(-2)).sum(-1)
    first = counts.argmax(-1, keepdim=True)
    last = first + torch.clamp(torch.gather(counts, -1, first) - 1, min=0)
    return _pick((values, places), last.movedim(-1, dim), dim, keepdim)


def _search(ordered, values, right):
    """Returns the number of ordered elements before each value. NaNs come last."""
    behind = ordered > values if right else ordered >= values
    return torch.logical_not(behind).sum(-1)


@decomposes(aten.searchsorted.Tensor, aten.searchsorted.Scalar)
def _searchsorted(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None):
    if sorter is not None:
        sorted_sequence = torch.gather(sorted_sequence, -1, sorter)
    values = self if isinstance(self, torch.Tensor) else torch.scalar_tensor(self)
    ordered = sorted_sequence if sorted_sequence.dim() == 1 else sorted_sequence.unsqueeze(-2)
    found = _search(ordered, values.unsqueeze(-1), right or side == "right")
    return found.to(torch.int32) if out_int32 else found


@decomposes(aten.bucketize.Tensor, aten.bucketize.Scalar)
def _bucketize(self, boundaries, *, out_int32=False, right=False):
    return _searchsorted(boundaries, self, out_int32=out_int32, right=right)


@decomposes(aten.logcumsumexp.default)
def _logcumsumexp(self, dim):
    """Adds logarithms of sums, not sums: a running sum would lose the small elements."""
    if self.dim() == 0:
        return self.clone()
    line = self.movedim(dim, -1)
    size = line.shape[-1]
    if isinstance(size, torch.SymInt):
        counts = torch.arange(size).unsqueeze(0) <= torch.arange(size).unsqueeze(1)
        return torch.where(counts, line.unsqueeze(-2), -math.inf).logsumexp(-1).movedim(-1, dim)
    # Before each step, an element is the sum of the last `reach` elements.
    sums, reach = line.float() if line.element_size() == 2 else line, 1
    while reach < size:
        before = torch.nn.functional.pad(sums[..., :-reach], (reach, 0), value=-math.inf)
        sums, reach = torch.logaddexp(sums, before), 2 * reach
    return sums.to(self.dtype).movedim(-1, dim)
