# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Views by strides: as_strided, unfold and diagonal, as slices and reshapes where their strides allow it."""

import torch

from ._decomposition_table import decomposes

aten = torch.ops.aten


def _flatten_storage(self):
    """Returns a 1-D view of a tensor's whole storage, or None if the tensor does not fill it."""
    order = sorted(range(self.dim()), key=lambda d: (self.stride(d), self.shape[d]), reverse=True)
    dense = self.permute(order)
    whole = self.untyped_storage().nbytes() == self.numel() * self.element_size()
    return dense.view(-1) if whole and dense.is_contiguous() else None


def _step_through(line, dims, offset):
    """Returns a view of the last dim of `line` with a dim for each (size, stride) of `dims`, the largest stride first.

    Returns None if the elements of one block would reach into the next.
    """
    if not dims:
        return line.select(-1, offset)
    (size, stride), rest = dims[0], dims[1:]
    if not rest:
        return line[..., offset:offset + (size - 1) * stride + 1:stride]
    begin = min(offset, line.shape[-1] - size * stride)
    inner = offset - begin
    span = 1 + sum((n - 1) * s for n, s in rest)
    if begin < 0 or inner + span > stride:
        return None
    blocks = line.narrow(-1, begin, size * stride).unflatten(-1, (size, stride))
    return _step_through(blocks, rest, inner)


def as_strided_view(self, size, stride, storage_offset=None):
    """Splits the storage into blocks, these into smaller blocks, and so on.

    Returns None if blocks overlap, or if the tensor does not fill its storage.
    """
    offset = self.storage_offset() if storage_offset is None else storage_offset
    same = list(self.shape) == list(size) and self.storage_offset() == offset and all(
        own == wanted or extent == 1
        for own, wanted, extent in zip(self.stride(), stride, self.shape))
    if same:
        return aten.alias(self)
    line = _flatten_storage(self)
    if line is None:
        return None
    if 0 in size:
        return line[:0].view(size)
    moving = [d for d in range(len(size)) if size[d] != 1 and stride[d] != 0]
    order = sorted(moving, key=lambda d: stride[d], reverse=True)
    view = _step_through(line, [(size[d], stride[d]) for d in order], offset)
    if view is None:
        return None
    view = view.permute([order.index(d) for d in moving])
    for d in range(len(size)):
        if d not in moving:
            view = view.unsqueeze(d)
    return view.expand(size)


def _check_windows(self, dimension, size, step):
    extent = self.shape[dimension] if self.dim() else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > extent:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {extent} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")


def unfold_view(self, dimension, size, step):
    """Returns windows that do not overlap as a reshape or slice, or None if they overlap."""
    _check_windows(self, dimension, size, step)
    if self.dim() == 0:
        return self.unsqueeze(0)[:size]
    dim = dimension % self.dim()
    extent = self.shape[dim]
    count = (extent - size) // step + 1
    if count == 1:
        return self.narrow(dim, 0, size).movedim(dim, -1).unsqueeze(dim)
    if size == 1:
        return aten.slice(self, dim, 0, extent, step).unsqueeze(-1)
    if step < size or count * step > extent:
        return None
    blocks = self.narrow(dim, 0, count * step).unflatten(dim, (count, step))
    return blocks.narrow(dim + 1, 0, size).movedim(dim + 1, -1)


def _matrix_of(self, offset, dim1, dim2):
    """Returns (the tensor with the two dims last, the position of the diagonal in them, its length)."""
    rows, columns = (self.shape[d] for d in (dim1, dim2))
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    matrix = self.permute([d for d in range(self.dim()) if d not in (dim1, dim2)] + [dim1, dim2])
    return matrix, (max(-offset, 0), max(offset, 0)), count


def diagonal_view(self, offset=0, dim1=0, dim2=1):
    """Takes each (columns + 1)th element of the two dims as one dim. Returns None if rows do not follow each other."""
    dims = [d % self.dim() for d in (dim1, dim2)]
    if self.stride(dims[0]) < self.stride(dims[1]):
        dims, offset = dims[::-1], -offset
    matrix, (row, column), count = _matrix_of(self, offset, *dims)
    rows, columns = matrix.shape[-2:]
    if 0 in (rows, columns):
        return matrix.flatten(-2)
    if count == 0:
        return matrix[..., 0, :0]
    if rows != 1 and matrix.stride(-2) != columns * matrix.stride(-1):
        return None
    line = matrix.flatten(-2) if rows != 1 else matrix.squeeze(-2)
    first = row * columns + column
    end = first + (count - 1) * (columns + 1) + 1
    bool(first <= end) and bool(end <= line.shape[-1])  # guards, by which PyTorch knows the size of the slice
    return line[..., first:end:columns + 1]


@decomposes(aten.diagonal_copy.default)
def diagonal_copy(self, offset=0, dim1=0, dim2=1):
    matrix, (row, column), count = _matrix_of(self, offset, dim1 % self.dim(), dim2 % self.dim())
    place = torch.arange(count)
    return aten.index(matrix, [None] * (self.dim() - 2) + [place + row, place + column])


@decomposes(aten.as_strided_copy.default)
def as_strided_copy(self, size, stride, storage_offset=None):
    line = _flatten_storage(self)
    if line is None:
        return NotImplemented
    place = torch.full([], self.storage_offset() if storage_offset is None else storage_offset)
    for extent, step in zip(size, stride):
        place = place.unsqueeze(-1) + torch.arange(extent) * step
    return aten.index(line, [place])


@decomposes(aten.unfold_copy.default)
def unfold_copy(self, dimension, size, step):
    _check_windows(self, dimension, size, step)
    if self.dim() == 0:
        return self.clone().unsqueeze(0)[:size]
    count = (self.shape[dimension] - size) // step + 1
    place = torch.arange(count).unsqueeze(-1) * step + torch.arange(size)
    windows = aten.index(self.movedim(dimension, 0), [place])
    return windows.movedim(1, -1).movedim(0, dimension if dimension >= 0 else dimension - 1)
