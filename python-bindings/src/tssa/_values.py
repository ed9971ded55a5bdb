# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Values of names while a program is recorded: their parts, and what is known of values that differ by path."""

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ._errors import UnsupportedError
from ._expressions import expression_of, hint_of


class NeedsKnown(UnsupportedError):
    """The recording depends on a value that only a run knows."""


class Undefined:
    """Stands for the value of a name that has none, or whose values on two paths cannot be merged."""

    def __init__(self, reason):
        object.__setattr__(self, "_reason", reason)

    def _refuse(self):
        raise NeedsKnown([object.__getattribute__(self, "_reason")])

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        for value in [*args, *(kwargs or {}).values()]:
            for element in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(element, Undefined):
                    element._refuse()
        raise NeedsKnown(["a name without a value is used"])

    def _use(self, *_, **__):
        self._refuse()

    __getattr__ = __setattr__ = __call__ = __bool__ = __iter__ = __len__ = __getitem__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _use
    __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = __matmul__ = __neg__ = __index__ = __float__ = _use
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __and__ = __or__ = __invert__ = _use
    __hash__ = object.__hash__


def is_undefined(value):
    return isinstance(value, Undefined)


def defined(value):
    """Returns the value. Raises NeedsKnown if it stands for none."""
    if is_undefined(value):
        value._refuse()
    return value


class _Nothing:
    """Stands for the result of a function that has not returned yet."""


NOTHING = _Nothing()


def nothing_like(value, other):
    """Returns, if `value` is NOTHING, a value of the structure of `other` all of whose parts are that; else `value`."""
    if value is not NOTHING or not _is_container(other):
        return value
    leaves = Leaves([other])
    return leaves.rebuild([NOTHING] * len(leaves.leaves), is_new=True)[0]


class Box:
    """Stands for a list or dict in a container that a region carries: the same one at its end."""

    def __init__(self, value):
        self.value = value


class Leaves:
    """The parts of values: the elements of lists, tuples and dicts, in order.

    whole: ids of lists that are leaves themselves. columns: which leaves are columns of pieces, by position.
    """

    def __init__(self, values, whole=()):
        self.values, self._whole = list(values), whole
        self.columns = set()
        self.leaves = []
        self.structure = [self._take(value) for value in self.values]

    def _take(self, value):
        if isinstance(value, Piece):
            self.columns.update(range(len(self.leaves), len(self.leaves) + len(value.columns)))
            self.leaves += value.columns
            return (Piece, value.element.structure, len(value.columns))
        if not self._has_parts(value):
            self.leaves.append(value)
            return None
        keys = tuple(value) if isinstance(value, dict) else ()
        elements = value.values() if isinstance(value, dict) else value
        return (type(value), keys, [self._take(element) for element in elements])

    def _has_parts(self, value):
        return _is_container(value) and id(value) not in self._whole

    def varying(self):
        """Returns [(leaf, whether it is a column of a piece)] for the tensors and numbers."""
        return [(defined(leaf), i in self.columns) for i, leaf in enumerate(self.leaves) if is_varying(defined(leaf))]

    def fill(self, parts):
        """Returns the leaves with `parts` in place of the tensors and numbers among them, in order."""
        waiting = iter(parts)
        return [next(waiting) if is_varying(leaf) else leaf for leaf in self.leaves]

    def rebuild(self, leaves, is_new=False):
        """Returns the values with other parts. A container whose parts are unchanged is not copied, unless is_new."""
        waiting = iter(zip(leaves, self.leaves))
        return [self._build(value, waiting, is_new)[0] for value in self.values]

    def _build(self, value, waiting, is_new):
        if isinstance(value, Piece):
            built = [next(waiting) for _ in value.columns]
            is_old = all(new is old for new, old in built)
            return (value if is_old else Piece(value.element, [new for new, _ in built])), is_old
        if not self._has_parts(value):
            new, old = next(waiting)
            return new, new is old
        elements = value.values() if isinstance(value, dict) else value
        built = [self._build(element, waiting, is_new) for element in elements]
        if not is_new and all(is_old for _, is_old in built):
            return value, True
        parts = [part for part, _ in built]
        if isinstance(value, dict):
            return dict(zip(value, parts)), False
        return (type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)), False


class Piece(Undefined):
    """Stands in a list for elements of which only a run knows how many there are.

    element: the Leaves of an example of an element. columns: for each tensor and number among its leaves a tensor that
    has this part of all elements as its rows. If the element is or has a list with a piece, two tensors for each column
    of that piece: the number of its rows in each element, and its rows of all elements. A piece does not change: so
    copies of the list may share it.
    """

    def __init__(self, element, columns):
        super().__init__("the elements of a list are used one by one, and only a run knows how many there are: use len(), "
                         "an index, a loop, torch.stack or torch.cat")
        object.__setattr__(self, "element", element)
        object.__setattr__(self, "columns", list(columns))

    def __repr__(self):
        self._refuse()

    @property
    def count(self):
        return self.columns[0].shape[0]

    def parts(self):
        """Returns [(leaf of the element, [its column, or the two for a leaf that is a column of a piece itself])]."""
        waiting = iter(self.columns)
        return [(leaf, [next(waiting), next(waiting)] if is_column else [next(waiting)])
                for leaf, is_column in self.element.varying()]


def containers_of(value):
    """Returns the lists and dicts in `value`, in order."""
    if not _is_container(value):
        return []
    elements = value.values() if isinstance(value, dict) else value
    return ([] if isinstance(value, tuple) else [value]) + [
        inner for element in elements for inner in containers_of(element)]


def _is_container(value):
    return type(value) in (list, tuple, dict) or isinstance(value, tuple) and hasattr(value, "_fields")


def is_same(left, right):
    """Returns whether the values of a name on two paths are the same."""
    if left is right:
        return True
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        return False
    if is_undefined(left) and is_undefined(right):
        return True
    left, right = expression_of(left), expression_of(right)
    if type(left) is not type(right) or is_undefined(left):
        return False
    if isinstance(left, float):
        return left.hex() == right.hex()
    return isinstance(left, _CONSTANTS) and left == right


_CONSTANTS = (bool, int, str, bytes, type(None), torch.dtype, torch.device, torch.layout,
              torch.memory_format, slice, range, sympy.Basic)


def kind_of(value):
    """Returns int, float or bool for a number or its symbol, and None for other values."""
    for kind, symbol in ((bool, torch.SymBool), (int, torch.SymInt), (float, torch.SymFloat)):
        if isinstance(value, (kind, symbol)):
            return kind
    return None


def is_varying(value):
    """Returns whether a value is a tensor or a number, which may differ between paths."""
    return isinstance(value, torch.Tensor) or kind_of(value) is not None


#: Strides that differ between paths: only a run knows them.
UNKNOWN = "unknown"


class Form:
    """The known properties of a value that differs between paths or iterations.

    kind: torch.Tensor, int, float or bool. sizes: the sizes of a tensor, None where they differ. strides: None for a
    contiguous tensor.
    """

    def __init__(self, value):
        self.kind = torch.Tensor if isinstance(value, torch.Tensor) else kind_of(value)
        if self.kind is torch.Tensor:
            self.dtype, self.sizes = value.dtype, list(value.shape)
            self.strides = None if is_contiguous(value) else list(value.stride())

    def join(self, value, is_visible):
        """Returns the reason why `value` does not fit this form, or None.

        Sizes that differ or are not visible become unknown. Sets `changed` if one of them was known.
        """
        self.changed = False
        kind = torch.Tensor if isinstance(value, torch.Tensor) else kind_of(value)
        if kind is not self.kind:
            return f"{describe(value)} on one path and {self.describe()} on the other"
        if kind is not torch.Tensor:
            return None
        if value.dtype != self.dtype or value.dim() != len(self.sizes):
            return f"{describe(value)} on one path and {self.describe()} on the other"
        for dim, size in enumerate(value.shape):
            known = self.sizes[dim]
            if known is not None and not (is_same(known, size) and is_visible(size)):
                self.sizes[dim], self.changed = None, True
        is_plain = self.strides is None
        if self.strides != UNKNOWN and (is_plain != is_contiguous(value) or not is_plain and (
                None in self.sizes or not all(is_same(l, r) for l, r in zip(self.strides, value.stride())))):
            self.strides, self.changed = UNKNOWN, True
        return None

    def describe(self):
        if self.kind is torch.Tensor:
            return f"a tensor of {len(self.sizes)} dims of {self.dtype}"
        return f"{'an' if self.kind is int else 'a'} {self.kind.__name__}"

    def make(self, environment):
        """Returns a new value of this form. It must be called while nothing is recorded."""
        if self.kind is int:
            return environment.create_unbacked_symint()
        if self.kind is float:
            return environment.create_unbacked_symfloat()
        if self.kind is bool:
            return environment.create_unbacked_symbool()
        sizes = [_make_size(environment) if size is None else size for size in self.sizes]
        if self.strides is None:
            return torch.empty(sizes, dtype=self.dtype)
        strides = self.strides
        if strides == UNKNOWN:
            strides = [_make_size(environment) for _ in sizes]
            environment.strides_of_paths.update(stride.node.expr for stride in strides)
        return torch.empty_strided(sizes, strides, dtype=self.dtype)


def _make_size(environment):
    size = environment.create_unbacked_symint()
    torch._check(size >= 0)
    return size


def describe(value):
    if isinstance(value, torch.Tensor):
        return f"a tensor of {value.dim()} dims of {value.dtype}"
    kind = kind_of(value)
    if kind is not None:
        return f"{'an' if kind is int else 'a'} {kind.__name__}"
    value = value.value if isinstance(value, Box) else value
    return "no value" if is_undefined(value) or value is NOTHING else f"a {type(value).__name__}"


def is_contiguous(tensor):
    """Returns whether the strides are those of a contiguous tensor, whatever the open sizes are."""
    expected = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride())):
        if not statically_known_true(size == 1):
            if not statically_known_true(stride == expected):
                return False
            expected = expected * size
    return True


def contiguous_strides(shape):
    """Returns the strides of a contiguous tensor, which PyTorch computes as if sizes of 0 were 1."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step = step * (1 if isinstance(size, int) and size == 0 else size)
    return strides


def has_zero(sizes):
    """Returns whether a size or stride is 0 in every call."""
    return any(isinstance(size, int) and size == 0 for size in sizes)


def has_strides(shape, strides, wanted):
    """Returns whether the strides are the wanted ones in all dims of more than one element."""
    return all(size == 1 or stride == other for size, stride, other in zip(shape, strides, wanted))


def has_overlap(tensor):
    """Returns whether elements of an argument may share memory, by the sizes of the example."""
    dims = sorted((hint_of(stride), hint_of(size)) for size, stride in zip(tensor.shape, tensor.stride()))
    reach = 0  # the largest offset of an element in the dims so far
    for stride, size in dims:
        if size > 1:
            if stride <= reach:
                return True
            reach += stride * (size - 1)
    return False
