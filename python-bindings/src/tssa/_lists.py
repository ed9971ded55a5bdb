# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists of which only a run knows how many elements they have.

Such a list has a Piece among its elements, which stands for any number of them: the rows of tensors. What Python
does with lists as a whole (copies, concatenations) so stays right; what needs their length or single elements
is done here. The elements are copies, while eager mode keeps the tensors; so none of these may be written afterwards.
"""

import torch

from ._errors import UnsupportedError
from ._expressions import is_symbolic, is_unbacked
from ._indexing import as_index, read, write
from ._text import find_permutation
from ._values import Leaves, NeedsKnown, Piece, describe, is_contiguous, is_same, is_varying, kind_of

_DTYPES = {int: torch.int64, float: torch.float64, bool: torch.bool}


def has_pieces(value):
    return type(value) in (list, tuple) and any(type(part) is Piece for part in value)


def count_of(values):
    """Returns the length of a list or tuple."""
    return sum(part.count if type(part) is Piece else 1 for part in values)


def _are_equal(size, other):
    """Returns whether two sizes are equal; where only a call tells, this is a guard of the recording."""
    return is_same(size, other) or not is_unbacked(size) and not is_unbacked(other) and bool(size == other)


def _kind_of(leaf):
    return torch.Tensor if isinstance(leaf, torch.Tensor) else kind_of(leaf)


class Lists:
    """What is done with the contents of lists that have pieces, or whose index only a run knows.

    are_used: whether there is such a list.
    """

    def __init__(self, control):
        self._control, self._recorder = control, control.recorder
        self.are_used = False
        self._sources = []  # the tensors that elements are copies of

    def refuse(self, text):
        raise NeedsKnown([self._recorder.locate(text)])

    # Pieces.

    def piece_of(self, values, like=None):
        """Returns a piece that stands for all of `values`, which are like the elements of the piece `like`."""
        if len(values) == 1 and type(values[0]) is Piece:
            return values[0]
        if not values:
            return self.make_empty(like.element)
        parts = [part if type(part) is Piece else self.make_piece(part) for part in values]
        for part in parts[1:]:
            self.check_alike(parts[0], part)
        columns = [torch.cat(columns) for columns in zip(*(part.columns for part in parts))]
        return Piece(parts[0].element, columns)

    def make_piece(self, value):
        """Returns a piece of one element."""
        element = self.element_of(value)
        columns = []
        for leaf, is_column in element.varying():
            columns += [torch.full([1], leaf.shape[0]), leaf] if is_column else [self._as_column(leaf)]
        return Piece(element, columns)

    def element_of(self, value):
        """Returns the Leaves of an element, or of those of a piece. Each list with pieces in it has one piece only."""
        self.are_used = True
        if type(value) is Piece:
            return value.element
        self._control.note_ambiguous(value)  # lists in it are copied, too
        element = Leaves([self._join_pieces(value)])
        if not element.varying():
            self.refuse(f"a list of which only a run knows the length has {describe(value)} as an element: expected tensors "
                        f"or numbers")
        return element

    def _join_pieces(self, value):
        if has_pieces(value):
            piece = self.piece_of(value)
            if piece.element.columns:
                self.refuse("a list of which only a run knows the length has lists of lists as elements")
            return type(value)([piece])
        if type(value) in (list, tuple):
            return type(value)(map(self._join_pieces, value))
        return {key: self._join_pieces(part) for key, part in value.items()} if type(value) is dict else value

    def _as_column(self, leaf):
        if not isinstance(leaf, torch.Tensor):
            return torch.full([1], leaf, dtype=_DTYPES[kind_of(leaf)])
        leaf = self._recorder.lift(leaf)  # it may belong to the program
        self._recorder.aliases.freeze(leaf, self._refuse_write)
        self._sources.append(leaf)
        return leaf.unsqueeze(0)

    def _refuse_write(self):
        raise UnsupportedError([self._recorder.locate(
            "a tensor is written that may be in a list, and only a run knows the list's length: append a clone() of it")])

    def check_alike(self, left, right):
        """Refuses two pieces whose elements differ in types or sizes."""
        one, other = left.element, right.element
        is_alike = one.structure == other.structure
        for a, b in zip(one.leaves, other.leaves) if is_alike else ():
            is_alike = is_alike and (_kind_of(a) is _kind_of(b) if is_varying(a) else is_same(a, b))
        for a, b in zip(left.columns, right.columns) if is_alike else ():
            is_alike = is_alike and a.dtype == b.dtype and a.dim() == b.dim() and all(
                map(_are_equal, a.shape[1:], b.shape[1:]))
        if not is_alike:
            self.refuse(f"the elements of a list differ in types or sizes, and only a run knows its length or an index: "
                        f"{self._describe(left)} and {self._describe(right)}")

    @staticmethod
    def _describe(piece):
        (value,) = piece.element.values
        if not isinstance(value, torch.Tensor):
            return describe(value)
        sizes = ", ".join("?" if is_symbolic(size) else str(size) for size in piece.columns[0].shape[1:])
        return f"{describe(value)} with the sizes [{sizes}]"

    def make_empty(self, element):
        """Returns a piece without elements. The sizes of the tensors in `element`, an example, must be known here."""
        columns = []
        for leaf, is_column in element.varying():
            is_tensor = isinstance(leaf, torch.Tensor)
            sizes = leaf.shape[int(is_column):] if is_tensor else ()
            if any(map(self._recorder.is_unknown, sizes)):
                self.refuse("tensors whose size only a run knows are appended to a list in a loop or branch: append tensors of "
                            "one size")
            columns += [torch.empty([0], dtype=torch.int64)] if is_column else []
            columns.append(torch.empty([0, *sizes], dtype=leaf.dtype if is_tensor else _DTYPES[kind_of(leaf)]))
        return Piece(element, columns)

    # Elements.

    def get(self, values, index):
        """Returns values[index]."""
        if isinstance(index, slice):
            return type(values)(self._cut(values, index))
        index = as_index(index)
        known = self._find_known(values, index)
        return self._read(self.piece_of(values), index) if known is None else known

    @staticmethod
    def _find_known(values, index):
        """Returns the element at a known index if no piece stands before it, counted from the nearer end; else None."""
        if not isinstance(index, int) or not -len(values) <= index < len(values):
            return None
        before = values[:index + 1] if index >= 0 else values[index:]
        return None if has_pieces(before) else values[index]

    def _read(self, piece, index):
        if isinstance(piece.count, int) and (piece.count == 0 or isinstance(index, int)
                                             and not -piece.count <= index < piece.count):
            raise IndexError("list index out of range")
        parts = [self._read_part(leaf, columns, index) for leaf, columns in piece.parts()]
        (value,) = piece.element.rebuild(piece.element.fill(parts), is_new=True)
        return value

    def _read_part(self, leaf, columns, index):
        if len(columns) == 2:
            return self._read_rows(*columns, index)
        row = read(columns[0], index)
        if not isinstance(leaf, torch.Tensor):
            return row.item()
        sources = [tensor for tensor in self._sources if tensor.dtype == row.dtype and tensor.dim() == row.dim()]
        copy = self._copy_like(row, sources)
        self._recorder.aliases.join(self._recorder.aliases.number(), copy, sources)
        return copy

    def _copy_like(self, row, sources):
        """Returns a copy of a tensor with the order of dims in memory that all of `sources` have."""
        with self._recorder.silence():
            orders = {tuple(range(row.dim())) if is_contiguous(tensor) else tuple(find_permutation(tensor) or ())
                      for tensor in sources}
        if len(orders) != 1 or row.dim() != len(min(orders)):
            self.refuse("an element of a list of which only a run knows the length may be a tensor that is not contiguous: "
                        "append its contiguous() form")
        (order,) = orders
        copy = row.permute(order).clone(memory_format=torch.contiguous_format)
        return copy.permute([order.index(dim) for dim in range(row.dim())])

    @staticmethod
    def _read_rows(counts, rows, index):
        """Returns the rows that belong to one element, given the number of rows of each element."""
        count, end = read(counts, index).item(), read(counts.cumsum(0), index).item()
        return torch.narrow(rows, 0, end - count, count).clone()

    def _cut(self, values, index):
        """Returns the contents of values[index], where `index` is a slice."""
        if not values or index.start is index.stop is index.step is None:
            return list(values)
        piece = self._plain_piece(values)
        columns, step = piece.columns, 1 if index.step is None else index.step
        if not isinstance(step, int):
            self.refuse("a slice of a list has a step that only a run knows")
        if step < 0:
            if not (index.start is index.stop is None):
                self.refuse("a slice of a list whose length only a run knows has a negative step and bounds: take two slices")
            columns, index = [column.flip(0) for column in columns], slice(None, None, -step)
        return [Piece(piece.element, [read(column, index).contiguous() for column in columns])]

    def _plain_piece(self, values):
        """Returns the piece for all of `values`, whose elements have no lists of any length."""
        piece = self.piece_of(values)
        if piece.element.columns:
            self.refuse("a list whose elements are lists of which only a run knows the length is cut or gets another element")
        return piece

    def set(self, values, index, value):
        """Does values[index] = value."""
        if isinstance(index, slice):
            self.refuse("a slice of a list is assigned, and only a run knows the list's length")
        index = as_index(index)
        piece, new = self._plain_piece(values), self.make_piece(value)
        self.check_alike(piece, new)
        columns = []
        for column, row in zip(piece.columns, new.columns):
            column = column.clone()
            write(column, index, row[0])
            columns.append(column)
        values[:] = [Piece(piece.element, columns)]

    # Methods of lists.

    def pop(self, values, index=-1):
        """Does values.pop(index)."""
        value = self.get(values, index)
        self.delete(values, index)
        return value

    def delete(self, values, index):
        """Does `del values[index]`."""
        if isinstance(index, slice):
            self.refuse("a slice of a list is deleted, and only a run knows the list's length")
        index = as_index(index)
        if isinstance(index, int) and index == -1:
            values[:] = self._cut(values, slice(None, -1))
            return
        values[:] = [*self._cut(values, slice(None, index)), *self._cut(values, slice(index + 1, None))]

    def insert(self, values, index, value):
        """Does values.insert(index, value)."""
        values[:] = [*self._cut(values, slice(None, index)), value, *self._cut(values, slice(index, None))]

    def reverse(self, values):
        """Does values.reverse()."""
        values[:] = self._cut(values, slice(None, None, -1))

    # Tensors.

    def stack(self, values, dim=0):
        """Returns torch.stack(values, dim)."""
        column = self._only_column(values)
        return column.movedim(0, dim).contiguous() if dim else column.clone()

    def cat(self, values, dim=0):
        """Returns torch.cat(values, dim)."""
        column = self._only_column(values)
        rank = column.dim() - 1
        if rank == 0:
            raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
        dim = dim + rank if dim < 0 else dim
        moved = column.movedim(0, dim)
        sizes = list(moved.shape)
        return moved.clone(memory_format=torch.contiguous_format).view(
            *sizes[:dim], sizes[dim] * sizes[dim + 1], *sizes[dim + 2:])

    def _only_column(self, values):
        piece = self._plain_piece(values)
        if not isinstance(piece.element.values[0], torch.Tensor):
            self.refuse(f"expected a list of tensors, got one with {describe(piece.element.values[0])}")
        return piece.columns[0]

    def extreme(self, values, plain, options):
        """Returns min(values) or max(values) of numbers."""
        piece = self._plain_piece(values)
        (value,) = piece.element.values
        if options or kind_of(value) is None:
            self.refuse(f"{plain.__name__}() of a list of which only a run knows the length: expected one of numbers, without options")
        column = piece.columns[0]
        return (column.amin() if plain is min else column.amax()).item()

    def tensor(self, values, dtype=None):
        """Returns torch.tensor(values, dtype=dtype)."""
        piece = self._plain_piece(values)
        columns = [column.to(torch.get_default_dtype() if dtype is None and column.dtype == torch.float64 else
                             dtype or column.dtype) for column in piece.columns]
        (value,) = piece.element.values
        if isinstance(value, (list, tuple)) and len(value) == len(columns) and all(c.dim() == 1 for c in columns):
            return torch.stack(columns, 1)
        if len(columns) != 1 or isinstance(value, torch.Tensor) and value.dim():
            self.refuse(f"a list of which only a run knows the length becomes a tensor, and has {describe(value)} as an element")
        return columns[0].clone()


#: The methods of lists that change them, and have a form for lists with pieces. append, extend and clear need none.
METHODS = {"pop": Lists.pop, "insert": Lists.insert, "reverse": Lists.reverse}
#: Functions that may be called with lists that have pieces.
UNCHANGED = (list, tuple, isinstance, type, id)
