# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Hooks for calls: functions of the program are rewritten, and others are called where that is known to be right."""

import functools
import itertools
import operator
import os
import sys
import types

import numpy
import torch

from . import _source
from ._builtins import SPECIAL, list_numbers
from ._changes import MUTABLE
from ._errors import UnsupportedError
from ._expressions import is_symbolic, is_unbacked
from ._lists import METHODS, UNCHANGED, has_pieces
from ._module_calls import call_with_hooks, has_hooks
from ._parts import CALLING_MODULES, Parts, added_by, is_of_program
from ._pure import WRITES, is_pure, module_of
from ._unseen import is_of_others
from ._values import NeedsKnown, Piece

_CHANGES = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
            "popitem", "add", "discard", "appendleft", "extendleft", "popleft", "rotate", "move_to_end",
            "__setitem__", "__delitem__", "__iadd__", "intersection_update", "difference_update",
            "symmetric_difference_update"}
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType,
              types.WrapperDescriptorType, types.MethodWrapperType, numpy.ufunc, type(numpy.sum))
_ITERATORS = (zip, enumerate, reversed)
# What reads attributes without a hook.
_READING = (operator.attrgetter, operator.methodcaller, types.WrapperDescriptorType, types.MethodWrapperType)


def _count_of_result(function):
    result = function()
    return sys.getrefcount(result)


# How often Python counts a new object that call() gets: versions of Python differ.
_NEW = _count_of_result(object)


class Calls(Parts):
    """Calls functions, and makes objects. For the arguments see Parts."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self._rewritten = {}

    def call(self, function, /, *args, **kwargs):
        if self._unseen.is_of_program(type(function)):
            return self._call(function, args, kwargs)
        special = SPECIAL.get(function) if _is_hashable(function) else None
        if special is not None:
            with self._watching(*args, *kwargs.values()):
                made = special(self, *args, **kwargs)
            return self.fresh(made) if isinstance(made, _ITERATORS) else made
        name = getattr(function, "__name__", None)
        if name == "requires_grad_" and isinstance(getattr(function, "__self__", None), torch.Tensor):
            self._check_attribute(function.__self__, "requires_grad", args[0] if args else kwargs.get("requires_grad", True))
        if name == "tolist" and self._has_open_length(getattr(function, "__self__", None)):
            return list_numbers(self, function.__self__)
        if isinstance(function, types.BuiltinMethodType):
            if type(function.__self__) is list:
                return self._call_method(function.__self__, function, *args, **kwargs)
            self.check_builtin(function, args)
        if isinstance(function, type):
            self._check_arguments(function, (*args, *kwargs.values()))
            made = self._construct(function, args, kwargs)
            return made if isinstance(made, torch.Tensor) else self.made(made)
        return self._call(function, args, kwargs)

    def _call(self, function, args, kwargs):
        converted = self.convert(function)
        if converted is not function:
            return converted(*args, **kwargs)
        self._check_arguments(function, (*args, *kwargs.values()))
        result = self._run(function, args, kwargs)
        if sys.getrefcount(result) <= _NEW:
            self.note_fresh(result)
        return result

    def _construct(self, kind, args, kwargs):
        """Makes an object of a class."""
        init = kind.__init__
        if type(kind).__call__ is type.__call__ and kind.__new__ is object.__new__ and isinstance(init, types.FunctionType):
            converted = self._convert_function(init)
            if converted is not init:
                made = self.made(kind.__new__(kind))
                converted(made, *args, **kwargs)
                return made
        return self._run(kind, args, kwargs)

    def _run(self, function, args, kwargs):
        """Calls what is not rewritten."""
        given = (function, getattr(function, "__self__", None), *args, *kwargs.values())
        for value in given:
            if isinstance(value, _FUNCTIONS) or isinstance(value, type) and value is function:
                self.check_pure(value, args if value is function else ())
        for value in given:
            if isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, MUTABLE) and value is not function:
                self._check_known(value.__self__)  # map() and others call it
        reads_all = any([isinstance(value, _READING) for value in given]) or function is vars or _reads_attributes(function)
        for value in given:
            if reads_all or isinstance(value, torch.nn.Module):
                self._reads.add_reached(value)
            elif isinstance(value, (*MUTABLE, tuple)):
                self._reads.add_value(value)
        is_checked = isinstance(function, types.BuiltinMethodType) and function.__name__ in _CHANGES  # check_builtin() has seen it
        watched = args if is_checked else given
        had = [(value, _contents(value)) for value in watched] if self.frames else ()
        with self._watching(*given):
            result = function(*args, **kwargs)
        for value, contents in had:
            if any(left is not right for left, right in itertools.zip_longest(_contents(value), contents)):
                self._check_known(value)
        return result

    def _check_arguments(self, function, args):
        """Refuses to pass lists with pieces to functions that are not part of the program."""
        if not any(function is known for known in UNCHANGED) and any(has_pieces(arg) or isinstance(arg, Piece) for arg in args):
            name = getattr(function, "__name__", type(function).__name__)
            raise NeedsKnown([self.recorder.locate(f"{name}() gets a list of which only a run knows the length: use torch.stack or "
                                                   f"torch.cat of it")])

    def _has_open_length(self, value):
        return self.carries_lists and isinstance(value, torch.Tensor) and value.dim() == 1 and is_symbolic(value.shape[0])

    def _call_method(self, owner, function, *args, **kwargs):
        """Calls a method of a list."""
        self._reads.add_value(owner)
        name = function.__name__
        if name in ("append", "insert"):
            self._check_stored(owner, args[-1:])
        if name == "append" and self._append(owner, *args):
            return None
        if name in _CHANGES:
            self._check_change(owner, "changed", added_by(name, args))
        is_open = has_pieces(owner) or self.carries_lists and any(map(is_unbacked, args))
        if is_open and name in METHODS:
            return METHODS[name](self.lists, owner, *args, **kwargs)
        if is_open and name not in ("append", "extend", "clear", "copy"):
            raise NeedsKnown([self.recorder.locate(f"{name}() of a list of which only a run knows the length")])
        return function(*args, **kwargs)

    def check_builtin(self, function, args=()):
        owner = function.__self__
        kind = owner if isinstance(owner, type) else type(owner)
        module = owner.__name__ if isinstance(owner, types.ModuleType) else getattr(kind, "__module__", None)
        if isinstance(owner, MUTABLE) and function.__name__ in _CHANGES:
            self._check_change(owner, "changed")
        if module == "math" and any(map(is_unbacked, args)):
            raise NeedsKnown([self.recorder.locate(f"math.{function.__name__}() of a number that only a run knows: use "
                                                   f"torch.{function.__name__}() of a tensor")])
        if function is next:
            raise NeedsKnown([self.recorder.locate("next() is called in a loop or branch that only a run decides about: "
                                                   "call it before")])

    def check_pure(self, function, args=()):
        """Refuses a function that is not rewritten, if it may give another value at each call, or change something."""
        module, name = module_of(function), getattr(function, "__name__", type(function).__name__)
        if function is os.getenv:
            self._reads.add_value(os.environ._data)
        elif not is_pure(function, module, args):
            raise UnsupportedError([self.recorder.locate(f"{module}.{name} may give another value at each call, or change something: pass "
                                                         "the value as an argument")])
        elif name in WRITES and module.partition(".")[0] == "numpy":
            self.check_array(*args[:1] if isinstance(getattr(function, "__self__", None), types.ModuleType | None) else (
                function.__self__,))

    def convert(self, function):
        """Returns what to call instead of `function`: its rewritten form if it is part of the program."""
        if getattr(type(function), "is_compiled_by_tssa", False):
            return self.convert(function.compiled_program)
        if isinstance(function, functools._lru_cache_wrapper):  # which would keep what the recording makes
            return self.convert(function.__wrapped__)
        if isinstance(function, functools.partial):
            self._reads.add_value(function)
            return functools.partial(self.convert(function.func), *function.args, **function.keywords)
        if isinstance(function, torch.nn.Module):
            return self._convert_module(function)
        if isinstance(function, types.MethodType):
            inner = self._convert_function(function.__func__)
            return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
        if isinstance(function, types.FunctionType):
            return self._convert_function(function)
        call = getattr(type(function), "__call__", None)
        if isinstance(call, types.FunctionType) and not isinstance(function, type) and is_of_program(call):
            return types.MethodType(self._convert_function(call), function)
        return function

    def _convert_module(self, module):
        self._reads.add_hooks(module)
        self._reads.add_method(type(module), "forward")
        self._reads.add_attribute(module, "forward")
        if type(module).__call__ is not torch.nn.Module.__call__:
            return module
        if type(module).__module__ in CALLING_MODULES:
            self._reads.add_parts(module)
        forward = module.forward
        if has_hooks(module):
            return functools.partial(call_with_hooks, self, module, forward)
        converted = self.convert(forward)
        return module if converted is forward else converted

    def _convert_function(self, function):
        if _source.is_rewritten(function) or not is_of_program(function):
            return function
        known = self._rewritten.get(function)
        if known is None:
            self._reads.add_function(function)
            try:
                known = _source.rewrite(function, self)
                self._unseen.add_inner(known.__code__)
            except _source.CannotRewrite as error:
                known = function
                self._unseen.add_function(function, str(error))
            self._rewritten[function] = known
        return known


def _reads_attributes(function):
    """Returns whether a function of a library may read any attribute of what it gets, as those of copy and json do."""
    module, function = getattr(function, "__module__", None), getattr(function, "__func__", function)
    return isinstance(function, types.FunctionType) and is_of_others(module) and module.partition(".")[0] not in ("torch", "tssa")


def _contents(value):
    """Returns the elements of a list, dict or set, and the attributes of an object."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, MUTABLE):
        return list(value)
    is_plain = isinstance(value, (type, torch.Tensor, torch.nn.Module, types.FunctionType, types.ModuleType))
    fields = {} if is_plain else getattr(value, "__dict__", {})
    return [*fields, *fields.values()]


def _is_hashable(function):
    return type(function).__hash__ is not None
