# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiled modules that are modules themselves: attributes, state_dict(), train() and eval() are those of the original."""

import copy
import functools

import torch

from ._function import CompiledFunction


class CompiledModule:
    """What is compiled of a module, before the class of the module: calls run the binaries.

    An instance shares its attributes with the original, so that what is changed in one is changed in both.
    """

    __slots__ = ("_tssa_function",)
    is_compiled_by_tssa = True

    def __call__(self, *args, **kwargs):
        return self._tssa_function(*args, **kwargs)

    @property
    def num_binaries(self):
        """The number of times the module was compiled."""
        return self._tssa_function.num_binaries

    def prepare(self, *args, **kwargs):
        """Compiles for calls like this one, without running."""
        self._tssa_function.prepare(*args, **kwargs)

    @property
    def compiled_program(self):
        """The module that was compiled."""
        return self._tssa_function.compiled_program

    def __reduce_ex__(self, protocol):
        return compile_module, (self._tssa_function,)

    def __deepcopy__(self, memo):
        return compile_module(copy.deepcopy(self._tssa_function, memo))


@functools.lru_cache(maxsize=None)
def _make_class(kind):
    parts = {"__slots__": (), "__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    return type(kind)(kind.__name__, (CompiledModule, kind), parts)


def compile_module(function):
    """Returns the module that a CompiledFunction of a module is the call of."""
    module = function.compiled_program
    kind = _make_class(type(module))
    made = kind.__new__(kind)
    made.__dict__ = module.__dict__
    CompiledModule._tssa_function.__set__(made, function)
    return made


def wrap(program, options, dynamic, check):
    """Returns what tssa.compile returns for a function or a module."""
    function = CompiledFunction(program, options, dynamic, check)
    return compile_module(function) if isinstance(function.compiled_program, torch.nn.Module) else function
