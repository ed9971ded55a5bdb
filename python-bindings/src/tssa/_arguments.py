# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Arguments of a call: their parts, what a recording is fixed to, and their fake twins."""

import math

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from torch.utils import _pytree as pytree

from ._text import find_permutation

_LITERALS = (str, bytes, bool, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format, slice)


class Arguments:
    """The parts of (args, kwargs). key: what a recording is fixed to, besides sizes and numbers.

    values: the parts in order. A tensor that comes again is the same part.
    """

    def __init__(self, args, kwargs):
        self.values = []
        self._given = (args, kwargs)
        self._places = {}  # of tensors, by id
        self.key = self._take(self._given)

    def rebuild(self, values):
        """(args, kwargs) with other values for their parts."""
        return _replace(self._given, iter(values), {})

    def _take(self, value):
        """The key of `value`, whose parts become values."""
        kind = type(value)
        if kind is torch.Tensor:
            return self._take_tensor(value)
        if kind is tuple or kind is list:
            return (kind, *map(self._take, value))
        if kind is dict:
            return (dict, *((key, self._take(element)) for key, element in value.items()))
        if kind is int or kind is float:
            return self._add(value, kind)
        if hasattr(value, "__dlpack__"):
            return self._take_tensor(value if isinstance(value, torch.Tensor) else torch.from_dlpack(value))
        if isinstance(value, _LITERALS):
            return self._add(value, (kind, value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return (kind, *map(self._take, value))
        leaves, spec = pytree.tree_flatten(value)
        if len(leaves) == 1 and leaves[0] is value:
            return self._add(value, (kind, id(value)))
        return (kind, str(spec), *map(self._take, leaves))

    def _add(self, value, key):
        self.values.append(value)
        return key

    def _take_tensor(self, tensor):
        place = self._places.setdefault(id(tensor), len(self.values))
        if place != len(self.values):
            return ("again", place)
        if tensor.is_contiguous() and tensor.numel():
            return self._add(tensor, (tensor.dtype, tensor.dim(), tensor.is_cpu))
        order = find_permutation(tensor)
        # Other strides, and what is empty, are those of the example.
        strides = tensor.stride() if order is False else None
        empty = tuple(size == 0 for size in tensor.shape)
        return self._add(tensor, (tensor.dtype, tensor.dim(), tensor.is_cpu, tuple(order or ()), strides, empty))


def _replace(value, values, known):
    """`value` with the next of `values` as its parts. known: those of tensors, by id."""
    kind = type(value)
    if kind in (list, tuple):
        return kind(_replace(element, values, known) for element in value)
    if kind is dict:
        return {key: _replace(element, values, known) for key, element in value.items()}
    if hasattr(value, "__dlpack__"):
        if id(value) not in known or not isinstance(value, torch.Tensor):
            known[id(value)] = next(values)
        return known[id(value)]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(_replace(element, values, known) for element in value))
    leaves, spec = pytree.tree_flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return next(values)
    return pytree.tree_unflatten([_replace(leaf, values, known) for leaf in leaves], spec)


class _Environment(ShapeEnv):
    """Symbols of sizes, and what is known of them."""

    def guard_or_defer_runtime_assert(self, orig_expr, *args, **kwargs):
        """What must hold where a run gets, inside of a loop say, says nothing of calls."""
        backed = [symbol for symbol in orig_expr.free_symbols if symbol in self.backed_var_to_val]
        if len(backed) == len(orig_expr.free_symbols):
            return super().guard_or_defer_runtime_assert(orig_expr, *args, **kwargs)
        ranges = {symbol: self.var_to_range[symbol] for symbol in backed}
        free = [symbol for symbol in backed if symbol not in self.replacements]
        result = super().guard_or_defer_runtime_assert(orig_expr, *args, **kwargs)
        self.var_to_range.update(ranges)
        for symbol in free:
            self.replacements.pop(symbol, None)
        self._update_version_counter()
        return result


class Fakes:
    """Makes twins of arguments that have symbols for sizes and numbers.

    fixed: 0: nothing but sizes of 0; 1: sizes of 1 too; 2: all sizes and numbers.
    """

    def __init__(self, fixed):
        self._fixed = fixed
        self.environment = _Environment(specialize_zero_one=False, duck_shape=False)
        self.mode = FakeTensorMode(shape_env=self.environment)
        self._count = 0
        self._numbers = {}  # orders and values of numbers, by their symbols

    def make(self, value, order):
        """The twin of the argument with this order."""
        if isinstance(value, torch.Tensor):
            return self._make_tensor(value)
        if type(value) in (int, float) and self._fixed < 2 and math.isfinite(value):
            return self._make_number(value, order)
        return value

    def find_numbers(self, symbols):
        """{order: value} of the arguments that the symbols stand for."""
        return dict(self._numbers[symbol] for symbol in symbols)

    def _source(self):
        self._count += 1
        return ConstantSource(f"argument_{self._count}")

    def _make_size(self, size):
        if size == 0 or self._fixed == 2 or size == 1 and self._fixed == 1:
            return size
        source = self._source()
        symbol = self.environment.create_symbol(size, source, DimDynamic.DYNAMIC,
                                                do_not_specialize_zero_one=True)
        return self.environment.create_symintnode(symbol, hint=size, source=source)

    def _make_number(self, value, order):
        source = self._source()
        symbol = self.environment.create_unspecified_symbol(value, source, DimDynamic.DYNAMIC)
        self._numbers[symbol] = order, value
        create = (self.environment.create_symintnode if isinstance(value, int)
                  else self.environment.create_symfloatnode)
        return create(symbol, hint=value, source=source)

    def _make_tensor(self, tensor):
        sizes = [self._make_size(size) for size in tensor.shape]
        order = find_permutation(tensor)
        with self.mode:
            if order is None:
                return torch.empty(sizes, dtype=tensor.dtype)
            if order is False:
                return torch.empty_strided(sizes, tensor.stride(), dtype=tensor.dtype)
            inverse = [order.index(dim) for dim in range(len(order))]
            return torch.empty([sizes[dim] for dim in order], dtype=tensor.dtype).permute(inverse)
