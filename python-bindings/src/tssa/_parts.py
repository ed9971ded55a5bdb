# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Hooks for the parts of objects: attributes, brackets, operators, managers of `with`."""

import builtins
import contextlib
import functools
import inspect
import operator
import os
import sys
import types

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, statically_known_true

from ._aliases import storage_of
from ._builtins import known_number
from ._changes import MUTABLE, Changes, attributes_of
from ._control import FEW, NotYet, Raised
from ._errors import Signal, UnsupportedError
from ._expressions import is_unbacked
from ._indexing import as_index, is_number, read, write
from ._lists import has_pieces
from ._unseen import is_of_others
from ._values import NOTHING, Leaves, NeedsKnown, Undefined, defined

# PyTorch's own modules that call modules of the program, or operators that _recurrent.py has.
CALLING_MODULES = ("torch.nn.modules.container", "torch.nn.modules.rnn")
_OWN = ("tssa._recurrent",)
_DIVISIONS = ("truediv", "floordiv", "mod", "itruediv", "ifloordiv", "imod")
# What is raised while a program is recorded and is no error of the program.
REFUSALS = (UnsupportedError, GuardOnDataDependentSymNode, Raised, Signal)


def _count_of_attribute(target):
    value = target.attribute
    return sys.getrefcount(value)


# How often Python counts an object that only its owner refers to in getattr() below: versions of Python differ.
_OWNED = _count_of_attribute(types.SimpleNamespace(attribute=object()))


class Parts(Changes):
    """Evaluates what the program does with parts of objects.

    given: the names of attributes that the caller has stored in tensors among the arguments. The others: see Changes.
    """

    def __init__(self, recorder, reads, given, carries_lists, tracks_arguments):
        super().__init__(recorder, reads, carries_lists, tracks_arguments)
        self._given = given
        self._tagged = {}  # by id: tensors that the program stores attributes in, and a name of one
        self._getters = {}  # by class and name
        self._chosen = {}  # tensors by id, see _choose_element: (the tensor, the list, the index, the list's elements)

    slice = staticmethod(slice)

    def getattr(self, target, name):
        self.note_read(target, name)
        if isinstance(target, torch.Tensor):
            return builtins.getattr(target, name)
        value = self._get(target, name)
        if value is os.environ:
            self._reads.add_value(os.environ._data)
        if self._reads.is_fresh(target) and sys.getrefcount(value) <= _OWNED:
            self.note_fresh(value)
        return value

    def _get(self, target, name):
        place = type(target), name
        how, getter = self._getters.get(place) or self._getters.setdefault(place, _find_getter(*place))
        fields = getattr(target, "__dict__", ())
        if how == "get" or name not in fields and how == "find":
            return self.call(getter, target, *[name] * (how == "find"))
        if how == "keep" and name not in fields:
            fields[name] = value = self.call(getter, target)
            return value
        if how == "watch":
            with self._watching(target):
                return builtins.getattr(target, name)
        return builtins.getattr(target, name)

    def note_read(self, target, name):
        """Notes that the program asks an object for an attribute."""
        if isinstance(target, FakeTensor) and name in self._given and not hasattr(torch.Tensor, name):
            raise UnsupportedError([self.recorder.locate(f"the program reads the attribute '{name}' of a tensor among its "
                                                         "arguments: pass it as an argument")])
        self._reads.add_attribute(target, name)

    def has(self, target, name):
        """Returns whether an object has an attribute."""
        with self._watching(target):
            return hasattr(target, name)

    def check_iterator(self, iterator):
        """Refuses to take an element of an iterator that other calls take elements of, too."""
        if hasattr(type(iterator), "__next__") and not self._reads.is_fresh(iterator) and self._reads.is_old(iterator):
            raise UnsupportedError([self.recorder.locate(
                "an iterator from outside of the program gives other values at each call: pass the values as arguments")])

    def getitem(self, value, index):
        if isinstance(value, torch.Tensor):
            if self._tries:
                self._check_range(value, index)
            return read(value, self._as_tensor_index(index))
        try:
            return self._read_element(value, index)
        except IndexError as error:
            if self._num_loops and type(value) is list and self.carries_lists:
                raise NotYet([self.recorder.locate(f"{error}, in the first iteration of a loop")]) from error
            raise

    def _check_range(self, tensor, index):
        """Refuses an index that may be out of range where a handler would catch the error."""
        for part, size in zip(index if isinstance(index, tuple) else (index,), tensor.shape):
            is_unknown = isinstance(part, torch.Tensor) and part.dtype != torch.bool or is_unbacked(part)
            if is_unknown and not (isinstance(part, torch.SymInt) and all(map(statically_known_true, (part >= 0, part < size)))):
                self.check_caught(IndexError, "an index is in range")

    def _as_tensor_index(self, index):
        """Returns an index of a tensor with tensors in place of lists that have pieces."""
        if type(index) is tuple:
            return tuple(map(self._as_tensor_index, index))
        return self.lists.tensor(index) if has_pieces(index) else index

    def _read_element(self, value, index):
        found = self.special(value, "__getitem__", index)
        if found is not NOTHING:
            return found
        if self._is_open(value, index):
            if self._is_choice(value, index):
                return self._choose_element(value, index)
            element = self.lists.get(value, index)
            self.note_ambiguous(element)  # lists and dicts in it are copies of those in eager mode
            return element
        if is_number(index) or isinstance(index, torch.SymInt):
            index = as_index(index)
            if is_unbacked(index):
                raise NeedsKnown([self.recorder.locate("the index into a list must be known when the program is compiled: "
                                                       "stack the list and index the tensor")])
            index = int(index)
        if type(value) in (list, tuple) or type(value) is dict and not self._unseen.may_run(index):
            return value[index]
        with self._watching(value, index):
            return value[index]

    def _is_open(self, value, index):
        """Returns whether a list or tuple has pieces, or has tensors or numbers and only a run knows the index into it."""
        if has_pieces(value) or type(value) not in (list, tuple) or not value:
            return has_pieces(value)
        parts = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
        return (self.carries_lists and any(is_number(part) or is_unbacked(part) for part in parts)
                and bool(Leaves(value).varying()))

    @staticmethod
    def _is_choice(values, index):
        """Returns whether values[index] is one of a few tensors, which the program may go on to write."""
        return (not isinstance(index, slice) and not has_pieces(values) and len(values) <= FEW
                and all(isinstance(value, torch.Tensor) for value in values))

    def _choose_element(self, values, index):
        """Returns values[index], a tensor of the list itself, where only a run knows the index."""
        position = read(torch.arange(len(values)), index).item()  # refuses what is out of range

        def choose(first):
            if first + 1 == len(values):
                return values[first]
            return self.choose(position == first, lambda: values[first], lambda: choose(first + 1))

        element = choose(0)
        self._chosen[id(element)] = element, values, index, tuple(map(id, values))
        return element

    def _is_chosen(self, target, index, value):
        """Returns whether target[index] = value changes nothing, as at the end of target[index] += 1."""
        _, values, known, elements = self._chosen.get(id(value), (None, None, None, ()))
        return values is target and known is index and elements == tuple(map(id, target))

    def setitem(self, target, index, value):
        if isinstance(target, torch.Tensor):
            write(target, self._as_tensor_index(index), value)
            return
        if self._is_chosen(target, index, value):
            return
        self.check_array(target)
        self._check_change(target, "changed")
        if type(target) is list and self._is_open(target, index):
            self._check_stored(target, [value])
            self.lists.set(target, index, value)
        elif self.special(target, "__setitem__", index, value) is NOTHING:
            target[index] = value

    def check_array(self, target):
        """Refuses a write to a numpy array that the program has not made."""
        if isinstance(target, numpy.ndarray) and not self._reads.is_fresh(target):
            raise UnsupportedError([self.recorder.locate("the program writes to a numpy array that it has not made: write to a "
                                                         "tensor")])

    def delitem(self, target, index):
        self._check_change(target, "changed")
        if type(target) is list and self._is_open(target, index):
            self.lists.delete(target, index)
        elif self.special(target, "__delitem__", index) is NOTHING:
            del target[index]

    def delattr(self, target, name):
        if isinstance(target, torch.Tensor):
            self._check_attribute(target, name, None)
        self._check_change(target, f"given no '{name}' any more")
        self._reads.add_attribute(target, name)
        with self._watching(target):
            builtins.delattr(target, name)

    def setattr(self, target, name, value):
        if isinstance(target, torch.Tensor):
            self._check_attribute(target, name, value)
        is_moved = isinstance(value, (torch.nn.Module, torch.nn.Parameter))
        is_plain = not is_moved and bool(attributes_of(target, name))
        self._check_change(target, f"given another '{name}'", attribute=name if is_plain else None)
        self._reads.add_attribute(target, name)
        with contextlib.nullcontext() if is_plain else self._watching(target):
            builtins.setattr(target, name, value)

    def _check_attribute(self, target, name, value):
        """Refuses to assign an attribute of a tensor, except a new one of a tensor that the program has made."""
        is_made = isinstance(target, FakeTensor) and not any(target is argument for argument in self.recorder.arguments)
        if name in ("real", "imag") or name == "requires_grad" and is_made and not value:
            return
        if hasattr(torch.Tensor, name):
            advice = "write to the tensor with copy_()" if name == "data" else "assign it outside of the program"
            raise UnsupportedError([self.recorder.locate(f"the program assigns '{name}' of a tensor: {advice}")])
        if not isinstance(target, FakeTensor):
            return  # the entry of its dict is state like others
        if not is_made or self.frames:
            raise UnsupportedError([self.recorder.locate(f"the program stores an attribute '{name}' in a tensor: keep it in an "
                                                         "object of your own")])
        self._tagged[id(target)] = name

    def check_result(self, value):
        """Refuses a result in which the program has stored an attribute."""
        if isinstance(value, torch.Tensor) and id(value) in self._tagged:
            raise UnsupportedError([f"the program stores an attribute '{self._tagged[id(value)]}' in a result: return it beside "
                                    "the tensor"])

    def augment(self, operation, target, value):
        if isinstance(target, MUTABLE):
            self._check_change(target, "changed", added_by("__iadd__", (value,)))
        return self.operate(operation, target, value)

    def augment_item(self, operation, target, index, value):
        part = self.getitem(target, index)
        made = self.augment(operation, part, value)
        if made is part and isinstance(target, torch.Tensor) and _is_view(part, target):
            return  # eager copies the part onto itself
        self.setitem(target, index, made)

    def augment_attribute(self, operation, target, name, value):
        part = self.getattr(target, name)
        made = self.augment(operation, part, value)
        if made is not part or not isinstance(part, torch.Tensor):
            self.setattr(target, name, made)

    def text(self, value):
        """Returns what an f-string shows: for an open size its value in the example, with a guard."""
        value = known_number(defined(value))
        if self._unseen.may_run(value):
            for name in ("__format__", "__str__", "__repr__"):
                method = inspect.getattr_static(type(value), name, None)
                if isinstance(method, types.FunctionType):
                    self._reads.add_function(method, is_unseen=True)
            self._reads.add_reached(value)
        return value

    def operate(self, name, *operands):
        """Evaluates an operator."""
        if name == "invert" and isinstance(operands[0], torch.SymInt):
            return -operands[0] - 1
        if name in _DIVISIONS and is_unbacked(operands[1]) and not statically_known_true(operands[1] != 0):
            self.check_caught(ZeroDivisionError, "a divisor is 0")
        function = getattr(operator, name)
        for operand in operands:
            self.note_library(operand)
        if not any([self._unseen.may_run(operand) for operand in operands]):
            return function(*operands)
        with self._watching(*operands):
            return function(*operands)

    def context(self, manager):
        """Returns what a `with` statement enters instead of a manager."""
        return _Manager(self, manager) if self._unseen.may_run(manager) else manager

    def note_library(self, value):
        """Notes what is read without a hook: the elements of a container, what an object of a library reaches."""
        if isinstance(value, (*MUTABLE, tuple)):
            self._reads.add_value(value)
        elif isinstance(value, torch.nn.Module):
            self._reads.add_parts(value)
        elif type(value).__module__ not in ("builtins", "torch") and not isinstance(value, (torch.Tensor, Undefined)):
            self._reads.add_reached(value)

    def reached(self, value):
        """Notes all that an object reaches, as `match` reads it without a hook. Returns it."""
        self._reads.add_reached(value)
        return value

    def unpacked(self, value):
        """Returns what is assigned to several names."""
        self.note_library(value)
        if isinstance(value, (tuple, list, torch.Tensor)) or not self._unseen.may_run(value):
            return value
        return list(self._items_of(value))

    def listed(self, value):
        """Returns what stands behind a star."""
        self.note_library(value)
        if isinstance(value, (tuple, list, torch.Tensor)) or not self._unseen.may_run(value):
            return value
        with self._watching(value):
            return list(value)

    def special(self, value, name, *args):
        """Calls a special method of an object whose class is part of the program. Returns NOTHING for others."""
        if not self._unseen.is_of_program(type(value)):
            self.note_library(value)
            return NOTHING
        method = inspect.getattr_static(type(value), name, None)
        if not isinstance(method, types.FunctionType) or not is_of_program(method):
            return NOTHING
        return self.call(method, value, *args)


def added_by(name, args):
    """Returns the values that a method of a list adds to it, as far as they are known without a loop."""
    if name in ("append", "insert"):
        return args[-1:]
    return args[0] if name in ("extend", "__iadd__") and isinstance(args[0], (list, tuple)) else ()


class _Manager:
    """A context manager whose methods hooks call. It catches no error that is none of the program."""

    def __init__(self, hooks, manager):
        self._hooks, self._manager = hooks, manager
        self._kinds = manager._exceptions if isinstance(manager, contextlib.suppress) else None

    def __enter__(self):
        made = self._hooks.call(type(self._manager).__enter__, self._manager)
        if self._kinds is not None:
            self._hooks.begin_try(lambda: self._kinds)
        return made

    def __exit__(self, kind, error, trace):
        if self._kinds is not None:
            self._hooks.end_try()
        is_caught = self._hooks.call(type(self._manager).__exit__, self._manager, kind, error, trace)
        return is_caught and not isinstance(error, REFUSALS)


def _find_getter(kind, name):
    """Returns (how, function of the program or None) for an attribute of objects of a class that is not among their own.

    how: 'get' for a property; 'keep' for a cached_property; 'find' for __getattr__; 'watch' for another descriptor; else ''.
    """
    found = inspect.getattr_static(kind, name, None)
    how, function = "", None
    if isinstance(found, functools.cached_property):
        how, function = "keep", found.func
    elif type(found) is property:
        how, function = "get", found.fget
    elif found is None:
        how, function = "find", inspect.getattr_static(kind, "__getattr__", None)
    elif isinstance(getattr(type(found), "__get__", None), types.FunctionType) and not is_of_others(type(found).__module__):
        return "watch", None
    is_own = isinstance(kind.__getattribute__, types.FunctionType)
    if is_own or not isinstance(function, types.FunctionType) or not is_of_program(function):
        return "watch" if is_own else "", None
    return how, function


def is_of_program(function):
    """Returns whether a function is part of the program, not of Python or PyTorch."""
    module = function.__module__ or ""
    if hasattr(function, "__wrapped__") or module in CALLING_MODULES or module in _OWN:
        return not inspect.isgeneratorfunction(function)
    return not is_of_others(module)


def _is_view(part, tensor):
    return isinstance(part, torch.Tensor) and storage_of(part) == storage_of(tensor)
