# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists, deques, dicts and plain objects among arguments and results: how a call makes and changes them.

A plain object, such as a cache of keys and values, consists of its class and its attributes.
"""

import enum
import itertools
import types
from collections import OrderedDict, defaultdict, deque

import torch
from torch.utils import _pytree as pytree

from ._errors import UnsupportedError
from ._expressions import SYMBOLS
from ._module_arguments import is_taken_apart
from ._values import Piece, is_varying

_OTHERS = (torch.Tensor, types.ModuleType, type, enum.Enum, list, tuple, dict, set, str, bytes, int, float)
_WITHOUT_IDENTITY = (torch.Tensor, *SYMBOLS, tuple, str, bytes, int, float, complex, type(None), torch.dtype, torch.device,
                     enum.Enum, type, types.FunctionType, types.ModuleType)
_CONSTANTS = (torch.dtype, torch.device, torch.layout, type, types.FunctionType, enum.Enum, bytes, torch.nn.Module)


def is_object(value):
    """Returns whether a value is a plain object."""
    kind = type(value)
    return (hasattr(value, "__dict__") and not callable(value) and not isinstance(value, _OTHERS)
            and kind.__new__ is object.__new__
            and kind.__reduce__ is object.__reduce__ and kind.__reduce_ex__ is object.__reduce_ex__
            and not any(vars(base).get("__slots__") for base in kind.__mro__) and kind not in pytree.SUPPORTED_NODES
            and kind.__module__.partition(".")[0] not in ("builtins", "torch", "numpy"))


def has_identity(value):
    """Returns whether a value is an object that may change, so that another one is not the same."""
    return not isinstance(value, _WITHOUT_IDENTITY)


def make_empty(kind):
    """Returns a list, a deque, a dict or an object without contents."""
    return kind.__new__(kind)


def mutables_of(value):
    """Returns the lists, deques, dicts, objects and modules that are taken apart in a value, each once, in order."""
    found = {}
    _find_mutables(value, found)
    return list(found.values())


def _find_mutables(value, found, is_in_module=False):
    if id(value) in found:
        return
    if isinstance(value, torch.nn.Module):
        is_in_module = is_in_module or is_taken_apart(value)
    if isinstance(value, (list, deque, dict)) or is_object(value) or is_in_module and isinstance(value, torch.nn.Module):
        found[id(value)] = value
    elif not isinstance(value, tuple):
        return
    for part in contents_of(value).values():
        _find_mutables(part, found, is_in_module)


def contents_of(value):
    """Returns the contents of a list, a deque, a dict, an object or a module, by position, key or name."""
    if isinstance(value, (list, deque, tuple)):
        return dict(enumerate(value))
    return dict(value if isinstance(value, dict) else vars(value))


def can_be_refilled(value):
    return type(value) in (list, deque, dict, OrderedDict, defaultdict) or is_object(value) or isinstance(value, torch.nn.Module)


def is_changed(value, had):
    """Returns whether the contents of `value` differ from `had`, an earlier result of contents_of."""
    now = contents_of(value)
    return list(now) != list(had) or any(now[key] is not part for key, part in had.items())


def find_refill(value, had):
    """Returns the contents that a call gives to what has had other ones: of a module those attributes that have changed."""
    now = contents_of(value)
    if not isinstance(value, torch.nn.Module):
        return now
    return {key: part for key, part in now.items() if key not in had or had[key] is not part}


class Template:
    """Describes how values are made of their leaves: tensors, numbers and constants.

    mutables: the lists, deques, dicts and objects among the arguments, which are not made. is_old: returns whether there was
    an object before the recording; such an object is taken as it is.
    """

    def __init__(self, mutables, is_old):
        self.leaves, self._is_old = [], is_old
        self.uses_mutables = False
        self._places = {id(value): i for i, value in enumerate(mutables)}
        self._numbers = {}  # of the containers that are made, by id
        self._alive = list(mutables)

    def take(self, value):
        """Returns the description of `value` for Maker.make, and collects its leaves."""
        if id(value) in self._places:
            self.uses_mutables = True
            return ("argument", self._places[id(value)])
        if id(value) in self._numbers:
            return ("again", self._numbers[id(value)])
        if has_identity(value) and self._is_old(value):
            return ("constant", value)
        if is_object(value):
            number = self._number(value)
            return ("object", number, type(value), self.take_contents(contents_of(value)))
        if isinstance(value, torch.Size):
            return ("size", self._number(value), [self.take(size) for size in value])
        parts, spec = pytree.tree_flatten(value, is_leaf=lambda part: part is not value)
        if len(parts) != 1 or parts[0] is not value:
            is_list = type(value) in (list, tuple)
            nodes = [self._take_piece(part) if is_list and isinstance(part, Piece) else self.take(part) for part in parts]
            return ("container", self._number(value), spec, nodes)
        if isinstance(value, _CONSTANTS):
            return ("constant", value)
        self.leaves.append(value)
        return ("leaf", len(self.leaves) - 1)

    def take_contents(self, contents):
        return {key: self.take(part) for key, part in contents.items()}

    def _take_piece(self, piece):
        """Returns the description of elements that are numbers; how many of them there are, a run decides."""
        for leaf, is_column in piece.element.varying():
            if isinstance(leaf, torch.Tensor) and not (is_column and leaf.dim() == 1):
                raise UnsupportedError(["a result is a list of tensors of which only a run knows the length: return "
                                        "torch.stack() of it"])
        first = len(self.leaves)
        self.leaves += piece.columns
        return ("piece", range(first, len(self.leaves)), _Rows(piece))

    def _number(self, value):
        self._alive.append(value)
        return self._numbers.setdefault(id(value), len(self._numbers))


class Maker:
    """Makes values of leaves and of the mutables among the arguments of a call."""

    def __init__(self, leaves, mutables):
        self._leaves, self._mutables = leaves, mutables
        self._made = {}

    def make(self, node):
        kind, what = node[:2]
        if kind == "leaf":
            return self._leaves[what]
        if kind == "constant":
            return what
        if kind == "argument":
            return self._mutables[what]
        if kind == "again":
            return self._made[what]
        if kind == "size":
            made = self._made[what] = torch.Size(map(self.make, node[2]))
            return made
        if kind == "container":
            parts = [self._make_elements(part) if part[0] == "piece" else [self.make(part)] for part in node[3]]
            if any(part[0] == "piece" for part in node[3]):  # in a list or tuple
                made = node[2].type(itertools.chain(*parts))
            else:
                made = pytree.tree_unflatten(list(itertools.chain(*parts)), node[2])
            self._made[what] = made
            return made
        made = self._made[what] = make_empty(node[2])
        refill(made, self.make_contents(node[3]))
        return made

    def _make_elements(self, node):
        """Returns the elements that a piece stands for."""
        _, leaves, rows = node
        waiting = iter([self._leaves[leaf].tolist() for leaf in leaves])
        parts = []
        for is_column in rows.columns:
            numbers = next(waiting)
            if is_column:
                values = iter(next(waiting))
                numbers = [list(itertools.islice(values, count)) for count in numbers]
            parts.append(numbers)
        return rows.build(parts)

    def make_contents(self, contents):
        return {key: self.make(node) for key, node in contents.items()}


_NUMBER = object()


class _Rows:
    """Describes the elements that a piece stands for. columns: for each of its columns whether a list of numbers is a part."""

    def __init__(self, piece):
        (example,) = piece.element.values
        self._element = _describe_element(example)
        self.columns = [is_column for _, is_column in piece.element.varying()]

    def build(self, columns):
        """Returns the elements, with the numbers of each row."""
        if self._element is _NUMBER:
            return columns[0]
        return [_build(self._element, iter(row)) for row in zip(*columns)]


def _describe_element(example):
    """Returns a value like `example` with _NUMBER in place of numbers and _Rows in place of pieces."""
    if isinstance(example, Piece):
        return _Rows(example)
    if isinstance(example, dict):
        return {key: _describe_element(part) for key, part in example.items()}
    if isinstance(example, (list, tuple)):
        return _like(example, map(_describe_element, example))
    return _NUMBER if is_varying(example) else example


def _build(element, numbers):
    """Returns a value as described by `element`, with the given numbers and, for rows in it, lists of them."""
    if isinstance(element, dict):
        return {key: _build(part, numbers) for key, part in element.items()}
    if not isinstance(element, (list, tuple)):
        return next(numbers) if element is _NUMBER else element
    parts = [part.build([next(numbers) for _ in part.columns]) if isinstance(part, _Rows) else [_build(part, numbers)]
             for part in element]
    return _like(element, itertools.chain(*parts))


def _like(value, parts):
    """Returns a list or tuple of the type of `value`."""
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def refill(value, contents):
    """Replaces the contents of a list, a deque, a dict or an object, and attributes of a module."""
    if isinstance(value, torch.nn.Module):
        vars(value).update(contents)
        return
    parts = value if isinstance(value, (list, deque, dict)) else vars(value)
    parts.clear()
    if isinstance(value, (list, deque)):
        parts.extend(contents.values())
        return
    parts.update(contents)
