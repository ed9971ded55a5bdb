# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Code of the program that runs where no hook sees it: a function that map() calls, __len__ of a class, a generator.

While such code may run, Python tells of each of its calls (sys.setprofile). All that it may read is then state: its
global names, those of functions around it, and its arguments, with everything that they reach.
"""

import collections
import contextlib
import functools
import sys
import types

import torch

from ._errors import UnsupportedError
from ._syntax import HOOKS

_PLAIN = {bool, int, float, complex, str, bytes, type(None), slice, range, type(...), torch.Tensor, torch.nn.Parameter, torch.dtype,
          torch.device, torch.Size, torch.SymInt, torch.SymFloat, torch.SymBool, types.ModuleType, types.BuiltinFunctionType}
_CONTAINERS = {list, tuple, dict, set, frozenset}
#: Packages whose code is none of the program.
OTHERS = {*sys.stdlib_module_names, "torch", "tssa", "numpy", "sympy"} - {"__main__"}


def is_of_others(module):
    """Returns whether a module, given by its name, is part of Python, PyTorch or this package."""
    return (module or "").partition(".")[0] in OTHERS


def explain(error, reasons):
    """Returns a text that tells which function an error went through that is not rewritten, and why; or "".

    reasons: why functions are not rewritten, by their code.
    """
    text, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code in reasons:
            text = f"; {code.co_name}() is not rewritten, as {reasons[code]}"
        trace = trace.tb_next
    return text


def _is_import(frame):
    return frame is not None and frame.f_globals.get("__name__", "").startswith("importlib.")


class Unseen:
    """Notes for `reads` what code that is not rewritten may read. check_pure: refuses functions that it must not call."""

    def __init__(self, reads, recorder, check_pure):
        self._reads, self._recorder, self._check_pure = reads, recorder, check_pure
        self._kinds = {}  # whether code of the program runs for an object, by its class
        self._codes = {}  # whether code is of the program, and is not rewritten
        self._functions = {}  # functions by their code
        self._num_imports = 0  # modules that are being loaded
        self.reasons = {}  # why functions are not rewritten, by their code
        self._inner = set()  # code of functions inside of functions that are known

    def add_function(self, function, reason="a library calls it"):
        """Notes a function that runs as it is."""
        self._functions.setdefault(function.__code__, function)
        self.reasons.setdefault(function.__code__, reason)

    def add_inner(self, code):
        """Notes the functions inside of a function whose names are known."""
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType) and constant not in self._inner:
                self._inner.add(constant)
                self.add_inner(constant)

    def is_of_program(self, kind):
        """Returns whether a class is part of the program."""
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = not is_of_others(kind.__module__) and not issubclass(kind, torch.Tensor)
        return known

    def may_run(self, value, depth=0):
        """Returns whether code of the program may run where `value` is used. Notes functions."""
        kind = type(value)
        if kind in _PLAIN or isinstance(value, torch.Tensor):
            return False
        if kind in _CONTAINERS:
            parts = value.values() if kind is dict else value
            return depth < 2 and any([self.may_run(part, depth + 1) for part in parts if type(part) not in _PLAIN])
        if kind is types.FunctionType:
            self.add_function(value)
            return not is_of_others(value.__module__)
        if kind is types.MethodType:
            return any([self.may_run(value.__func__), self.may_run(value.__self__)])
        if kind is functools.partial:
            return any([self.may_run(part, depth) for part in (value.func, value.args, value.keywords)])
        if isinstance(value, collections.defaultdict):
            return self.may_run(value.default_factory, depth)
        if isinstance(value, type):
            return self.is_of_program(value)
        if isinstance(value, torch.nn.Module):
            return any([self.is_of_program(type(inner)) for inner in value.modules()])
        return self.is_of_program(kind) or hasattr(kind, "__next__") or hasattr(kind, "send") or isinstance(value, contextlib.AbstractContextManager)

    @contextlib.contextmanager
    def watch(self):
        """Notes meanwhile what code of the program runs."""
        if not self.begin():
            yield
            return
        try:
            yield
        finally:
            self.end()

    def begin(self):
        """Begins to note what runs. Returns False if a profile function is at work: this one, or that of the user."""
        if sys.getprofile() is not None:
            return False
        sys.setprofile(self._note)
        return True

    def end(self):
        """Ends to note what runs, if begin() has begun it."""
        if getattr(sys.getprofile(), "__self__", None) is self:
            sys.setprofile(None)

    def _note(self, frame, event, called):
        code = frame.f_code
        if code.co_name == "<module>" and event in ("call", "return") and _is_import(frame.f_back):
            self._num_imports += 1 if event == "call" else -1
        if self._num_imports:
            return  # a module is loaded
        if event == "c_call" and self._codes.get(code):
            self._check_pure(called)
        if event != "call":
            return
        is_unseen = self._codes.get(code)
        if is_unseen is None:
            is_unseen = self._codes[code] = (not is_of_others(frame.f_globals.get("__name__")) and HOOKS not in code.co_freevars)
        if is_unseen:
            self._add_frame(frame)

    def _add_frame(self, frame):
        code, given = frame.f_code, frame.f_locals
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        given = [given[name] for name in code.co_varnames[:count] if name in given]
        function = self._find_function(frame, given)
        if function is not None:
            self._reads.add_function(function, is_unseen=True)
        else:
            self._reads.add_names(code, frame.f_globals, is_unseen=True)
            if code.co_freevars and code not in self._inner:
                raise UnsupportedError([self._recorder.locate(
                    f"{code.co_qualname}() reads the name '{code.co_freevars[0]}' of a function around it where that is not seen: "
                    "call it in a loop")])
        self.add_inner(code)
        for value in given:
            self._reads.add_reached(value)

    def _find_function(self, frame, given):
        """Returns the function that a frame runs, if it is found by name."""
        code = frame.f_code
        places = [self._functions.get(code), frame.f_globals.get(code.co_name)]
        places += [vars(base).get(code.co_name) for base in (type(given[0]).__mro__ if given else ())]
        for found in places:
            for function in (found, *(getattr(found, name, None) for name in ("fget", "fset", "__func__", "func", "__wrapped__"))):
                if isinstance(function, types.FunctionType) and function.__code__ is code:
                    return function
        return None
