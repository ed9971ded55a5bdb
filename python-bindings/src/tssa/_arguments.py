# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Arguments of a call: their parts, the key of a recording for them, and fake tensors like them."""

import contextlib
import inspect
import math
import types

import numpy
import sympy
import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from torch.overrides import _get_current_function_mode_stack
from torch.utils import _pytree as pytree
from torch.utils._device import DeviceContext
from torch.utils._sympy.functions import Mod

from ._equalities import explain
from ._errors import Signal, UnsupportedError
from ._keys import BY_VALUE, LITERALS, key_of, key_of_function
from ._module_arguments import key_of_module, make_twin_of_module, is_taken_apart
from ._objects import contents_of, is_object, make_empty, refill
from ._text import check_tensor, find_permutation


def check_class(value):
    """Refuses a tensor whose class decides what operators do."""
    kind = type(value)
    if issubclass(kind, torch.Tensor) and kind not in (torch.Tensor, torch.nn.Parameter, FakeTensor):
        raise UnsupportedError([f"a {kind.__name__} is a subclass of torch.Tensor, whose class operators may ask: pass "
                                "value.as_subclass(torch.Tensor)"])


def check_modes():
    """Refuses modes that decide what functions of PyTorch do, except for the one that chooses a device."""
    for mode in _get_current_function_mode_stack():
        if not isinstance(mode, DeviceContext):
            raise UnsupportedError([f"the mode {type(mode).__name__} is active, which may change what functions do: leave it "
                                    "before the call"])


class Arguments:
    """The parts of (args, kwargs): tensors, numbers and other values that are no containers.

    key: everything that a recording is fixed to, except sizes and numbers. values: the parts in
    order. A tensor that occurs twice is one part. given: (args, kwargs). attributes: the names of what the caller has stored in tensors.
    has_identity: whether the key has addresses of objects, so that it is of no use when they are gone. fixed: the positions of
    the tensors of modules, whose sizes are part of the key.
    """

    def __init__(self, args, kwargs):
        self.values = []
        self.given = (args, kwargs)
        self._places = {}  # of tensors, by id
        self.attributes, self.has_identity, self.fixed = set(), False, set()
        self._seen = {}  # numbers of lists, dicts and objects, by id
        self.key = self._take(self.given)

    def check(self, program):
        """Refuses a tensor that the compiler does not know, by the name that the program gives it."""
        for value in self.values:
            try:
                if isinstance(value, torch.Tensor):
                    check_tensor(value)
            except UnsupportedError as error:
                raise UnsupportedError([self._name(program, value) + error.problems[0]]) from None

    def _name(self, program, value):
        args, kwargs = self.given
        with contextlib.suppress(TypeError, ValueError):
            for name, part in inspect.signature(program).bind(*args, **kwargs).arguments.items():
                if any(leaf is value for leaf in Arguments((part,), {}).values):
                    return f"the argument '{name}': "
        return "an argument: "

    def rebuild(self, values):
        """Returns (args, kwargs) with `values` in place of the parts."""
        return _replace(self.given, iter(values), {})

    def _take(self, value):
        """Returns the key of `value` and appends its parts to `values`."""
        kind = type(value)
        if kind is torch.Tensor:
            return self._take_tensor(value)
        if kind is tuple:
            return (tuple, *map(self._take, value))
        if kind is list or kind is dict:
            return self._take_mutable(value)
        if kind is int or kind is float:
            return self._add(value, kind)
        if hasattr(value, "__dlpack__"):
            check_class(value)
            return self._take_tensor(value if isinstance(value, torch.Tensor) else torch.from_dlpack(value))
        if isinstance(value, slice):
            return self._add(value, (slice, *map(key_of, (value.start, value.stop, value.step))))
        if isinstance(value, LITERALS):
            return self._add(value, (kind, value))
        if kind.__module__ == "numpy" and isinstance(value, numpy.generic):
            return self._add(value, (kind, key_of(value.item())))
        if isinstance(value, torch.nn.Module):
            return self._take_module(value)
        if kind is types.FunctionType:
            key, has_identity = key_of_function(value)
            self.has_identity |= has_identity
            return self._add(value, key)
        if isinstance(value, BY_VALUE):
            return self._add(value, (kind, key_of(value)))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return (kind, *map(self._take, value))
        leaves, spec = pytree.tree_flatten(value)
        if len(leaves) == 1 and leaves[0] is value:
            if is_object(value):
                return self._take_mutable(value)
            self.has_identity = True
            return self._add(value, (kind, id(value)))
        return (kind, str(spec), *map(self._take, leaves))

    def _take_mutable(self, value):
        """Returns the key of a list, a deque, a dict or an object. One that occurs twice is taken once."""
        if id(value) in self._seen:
            return ("same container", self._seen[id(value)])
        self._seen[id(value)] = len(self._seen)
        if type(value) is list:
            return (list, *map(self._take, value))
        return (type(value), *((name, self._take(part)) for name, part in contents_of(value).items()))

    def _take_module(self, module):
        """Returns the key of a module, whose tensors are parts; of one that is only like itself, that of the object."""
        found = key_of_module(module, self._seen)
        if found is None:
            self.has_identity = True
            return self._add(module, (type(module), id(module)))
        key, tensors, self._seen = found
        keys = []
        for tensor in tensors:
            self.fixed.add(self._places.get(id(tensor), len(self.values)))
            check_class(tensor)
            keys.append(self._take_tensor(tensor))
        return (key, *keys)

    def _add(self, value, key):
        self.values.append(value)
        return key

    def _take_tensor(self, tensor):
        place = self._places.setdefault(id(tensor), len(self.values))
        if place != len(self.values):
            return ("same tensor", place)
        if tensor.__dict__:
            names = frozenset(tensor.__dict__)
            self.attributes |= names
            return (names, self._add(tensor, self._key_of_tensor(tensor)))
        return self._add(tensor, self._key_of_tensor(tensor))

    @staticmethod
    def _key_of_tensor(tensor):
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter, tensor.requires_grad, Arguments._key_of_tensor(tensor.detach())
        if tensor.is_contiguous() and tensor.numel():
            return tensor.dtype, tensor.dim(), tensor.is_cpu
        order = find_permutation(tensor)
        # The key has strides that no permutation makes contiguous, and which dims have size 0.
        strides = tensor.stride() if order is False else None
        empty = tuple(size == 0 for size in tensor.shape)
        return tensor.dtype, tensor.dim(), tensor.is_cpu, tuple(order or ()), strides, empty


class SharedArguments(Arguments):
    """Arguments in which some tensors share a storage: they are views of one part, a 1-D tensor of the storage.

    num_shared: the number of these tensors.
    """

    def __init__(self, args, kwargs):
        super().__init__(args, kwargs)
        storages = {}
        for i, value in enumerate(self.values):
            if isinstance(value, torch.Tensor) and value.numel():
                storages.setdefault(value.untyped_storage().data_ptr(), []).append(i)
        shared = [places for places in storages.values() if len(places) > 1]
        tensors, self._count, self._views = self.values, len(self.values), {}
        lines = [_line_through([tensors[i] for i in places]) for places in shared]
        for line, places in enumerate(shared):
            self._views |= {i: (line, tensors[i].shape, tensors[i].stride(), tensors[i].storage_offset())
                            for i in places}
        self.num_shared = len(self._views)
        others = [i for i in range(self._count) if i not in self._views]
        self.values = lines + [tensors[i] for i in others]
        self.fixed = {len(lines) + place for place, i in enumerate(others) if i in self.fixed}
        self.key = (self.key, tuple(self._views.items()))

    def rebuild(self, values):
        others = iter(values[len(values) - self._count + self.num_shared:])
        tensors = []
        for i in range(self._count):
            if i in self._views:
                line, *geometry = self._views[i]
                tensors.append(values[line].as_strided(*geometry))
            else:
                tensors.append(next(others))
        return super().rebuild(tensors)


def _line_through(tensors):
    """Returns the storage that the tensors share, as a 1-D tensor."""
    kinds = {tensor.dtype for tensor in tensors}
    if len(kinds) > 1:
        raise UnsupportedError([f"arguments of different types share memory: {', '.join(sorted(map(str, kinds)))}; "
                                "pass a clone() of one"])
    return torch.empty(0, dtype=tensors[0].dtype).set_(tensors[0].untyped_storage())


def _replace(value, values, known):
    """Returns `value` with the next elements of `values` as its parts. known: what has been replaced, by id."""
    kind = type(value)
    if kind is tuple:
        return tuple(_replace(element, values, known) for element in value)
    if kind is list or kind is dict:
        return _make_twin(value, values, known)
    if hasattr(value, "__dlpack__"):
        if id(value) not in known or not isinstance(value, torch.Tensor):
            known[id(value)] = next(values)
        return known[id(value)]
    if is_taken_apart(value):
        return make_twin_of_module(value, values, known)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(_replace(element, values, known) for element in value))
    leaves, spec = pytree.tree_flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return _make_twin(value, values, known) if is_object(value) else next(values)
    return pytree.tree_unflatten([_replace(leaf, values, known) for leaf in leaves], spec)


def _make_twin(value, values, known):
    """Returns a copy of a list, a deque, a dict or an object, with other parts."""
    if id(value) not in known:
        twin = known[id(value)] = make_empty(type(value))
        refill(twin, {name: _replace(part, values, known) for name, part in contents_of(value).items()})
    return known[id(value)]


class DependsOnOnes(Signal):
    """A size that only a run knows meets an open size of 1, to which the program may broadcast it."""


class _Environment(ShapeEnv):
    """The symbols of sizes and numbers, and what is known of them.

    strides_of_paths: symbols of strides that differ between paths, which no operator computes. sizes: the symbols of
    open sizes and their values in the example. dims: the dims of the tensors that have them. quotients: symbols of sizes
    that are others divided by a number: {symbol: (the symbol of the other, the number)}.
    """

    def __init__(self):
        super().__init__(specialize_zero_one=False, duck_shape=False)
        self.strides_of_paths, self.sizes, self.dims, self.quotients = set(), {}, {}, {}

    def create_size(self, size, dim, source):
        """Returns a new symbol of a size of at least 1, of dim `dim` of a tensor."""
        symbol = self.create_symbol(size, source, DimDynamic.DYNAMIC, do_not_specialize_zero_one=True)
        self.sizes[symbol], self.dims[symbol] = size, dim
        return symbol

    def evaluate_expr(self, orig_expr, *args, **kwargs):
        """Guards facts about single sizes in place of one about products."""
        facts = explain(self.replace(orig_expr), self.sizes, self.dims) if isinstance(orig_expr, sympy.Rel) else None
        for equality in facts.equalities if facts else ():
            super().evaluate_expr(equality)
        if facts and facts.divided and self._divide(*facts.divided):
            return self.evaluate_expr(orig_expr, *args, **kwargs)
        return super().evaluate_expr(orig_expr, *args, **kwargs)

    def _divide(self, symbol, number):
        """Guards that a size is a multiple of a number: a new symbol times the number. Returns whether it is new."""
        if symbol in self.replacements:  # an equality before has fixed it
            return False
        known = len(self.guards)
        super().evaluate_expr(sympy.Eq(Mod(symbol, number), 0))
        if len(self.guards) == known:  # PyTorch asks without relying on the answer, as for strides
            return False
        quotient = self.create_size(self.sizes[symbol] // number, self.dims[symbol],
                                    ConstantSource(f"{symbol}_by_{number}"))
        self._set_replacement(symbol, number * quotient, "divisible")
        self.quotients[quotient] = symbol, number
        return True

    def guard_or_defer_runtime_assert(self, orig_expr, *args, **kwargs):
        """Drops what an assertion on values of a run implies for sizes of the call.

        The run may never get to the assertion, for example inside of a loop.
        """
        backed = [symbol for symbol in orig_expr.free_symbols if symbol in self.backed_var_to_val]
        if len(backed) == len(orig_expr.free_symbols):
            return super().guard_or_defer_runtime_assert(orig_expr, *args, **kwargs)
        if isinstance(orig_expr, sympy.Eq) and any(self.backed_var_to_val.get(side) == 1 for side in orig_expr.args):
            raise DependsOnOnes
        ranges = {symbol: self.var_to_range[symbol] for symbol in backed}
        free = [symbol for symbol in backed if symbol not in self.replacements]
        result = super().guard_or_defer_runtime_assert(orig_expr, *args, **kwargs)
        self.var_to_range.update(ranges)
        for symbol in free:
            self.replacements.pop(symbol, None)
        self._update_version_counter()
        return result


class Fakes:
    """Makes fake tensors and symbols that stand for arguments while a program is recorded.

    places: the sizes and numbers that are symbols rather than constants (_openness). Sizes of 0 never are.
    fixes_ones: whether sizes of 1 are constants, too.
    """

    def __init__(self, places, fixes_ones):
        self._places, self._fixes_ones = places, fixes_ones
        self.environment = _Environment()
        self.mode = FakeTensorMode(shape_env=self.environment)
        self._count = 0
        self._numbers = {}  # orders and values of numbers, by their symbols

    def make(self, value, order, is_open=False):
        """Returns what stands for `value`, the part at position `order`. is_open: whether a number is a symbol in any case."""
        if isinstance(value, torch.Tensor):
            return self._make_tensor(value, order)
        if (is_open or (order, None) in self._places) and math.isfinite(value):
            return self._make_number(value, order)
        return value

    def find_numbers(self, symbols):
        """Returns {order: value} of the arguments that the symbols stand for."""
        return dict(self._numbers[symbol] for symbol in symbols)

    def _source(self):
        self._count += 1
        return ConstantSource(f"argument_{self._count}")

    def _make_size(self, size, place):
        if place not in self._places or size == 0 or size == 1 and self._fixes_ones:
            return size
        source = self._source()
        symbol = self.environment.create_size(size, place[1], source)
        return self.environment.create_symintnode(symbol, hint=size, source=source)

    def _make_number(self, value, order):
        source = self._source()
        symbol = self.environment.create_unspecified_symbol(value, source, DimDynamic.DYNAMIC)
        self._numbers[symbol] = order, value
        create = (self.environment.create_symintnode if isinstance(value, int)
                  else self.environment.create_symfloatnode)
        return create(symbol, hint=value, source=source)

    def _make_tensor(self, tensor, position):
        fake = self._make_fake(tensor, position)
        if isinstance(tensor, torch.nn.Parameter):
            fake._is_param = True  # so that it is a Parameter for isinstance()
            if tensor.requires_grad:
                fake.requires_grad_()
        return fake

    def _make_fake(self, tensor, position):
        sizes = [self._make_size(size, (position, dim)) for dim, size in enumerate(tensor.shape)]
        order = find_permutation(tensor)
        with self.mode:
            if order is None:
                return torch.empty(sizes, dtype=tensor.dtype)
            if order is False:
                return torch.empty_strided(sizes, tensor.stride(), dtype=tensor.dtype)
            inverse = [order.index(dim) for dim in range(len(order))]
            return torch.empty([sizes[dim] for dim in order], dtype=tensor.dtype).permute(inverse)
