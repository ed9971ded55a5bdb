# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Sizes and numbers of a recorded program, which are SymPy expressions in PyTorch."""

import contextlib
import functools

import sympy
import torch
from torch.utils._sympy import functions

from ._errors import UnsupportedError

_FOLDED = {sympy.Add: "aten::add.int", sympy.Mul: "aten::mul.int",
           functions.Max: "prim::max.int", functions.Min: "prim::min.int",
           sympy.Max: "prim::max.int", sympy.Min: "prim::min.int"}
_BINARY = {functions.FloorDiv: "aten::floordiv.int", functions.CleanDiv: "aten::floordiv.int",
           functions.Mod: "aten::remainder.int", functions.PythonMod: "aten::remainder.int"}


class Expressions:
    """Knows what each symbol is in the program, and writes expressions as operators on ints."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._sizes = {}  # symbol: (value number of a tensor, dim)
        self._numbers = {}  # expression: value number

    @contextlib.contextmanager
    def scope(self):
        """What is bound or written meanwhile is forgotten afterwards."""
        outer = self._sizes, self._numbers
        self._sizes, self._numbers = dict(self._sizes), dict(self._numbers)
        try:
            yield
        finally:
            self._sizes, self._numbers = outer

    def bind(self, value, number):
        """A number that an operator has read from a tensor."""
        if value.node.expr.is_Symbol:
            self._numbers.setdefault(value.node.expr, number)

    def knows(self, value):
        """Whether all symbols of `value` are known."""
        return all(symbol in self._sizes or symbol in self._numbers
                   for symbol in value.node.expr.free_symbols)

    def bind_size(self, size, number, dim):
        """Dim `dim` of the tensor with this number has `size` elements."""
        if not isinstance(size, torch.SymInt):
            return
        expression = size.node.expr
        if expression.is_Symbol and expression not in self._numbers:
            self._sizes.setdefault(expression, (number, dim))

    def bound_to(self, inputs):
        """{symbol: (order of an input, dim)}."""
        return {symbol: (inputs.index(number), dim)
                for symbol, (number, dim) in self._sizes.items() if number in inputs}

    def number_of(self, value):
        return self._write(value.node.expr)

    def _write(self, expression):
        if expression not in self._numbers:
            self._numbers[expression] = self._emit(expression)
        return self._numbers[expression]

    def _emit(self, expression):
        recorder = self._recorder
        if expression.is_Integer:
            return recorder.number_of(int(expression))
        if isinstance(expression, (sympy.Float, sympy.Rational)):
            return recorder.number_of(float(expression))
        if expression.is_Symbol and expression in self._sizes:
            number, dim = self._sizes[expression]
            return recorder.emit("aten::size.int", [number, recorder.number_of(dim)])
        kind = type(expression)
        if kind in _FOLDED:
            operands = [self._write(operand) for operand in expression.args]
            return functools.reduce(lambda l, r: recorder.emit(_FOLDED[kind], [l, r]), operands)
        if kind in _BINARY:
            return recorder.emit(_BINARY[kind], [self._write(operand) for operand in expression.args])
        if kind in (sympy.Pow, functions.PowByNatural):
            base, exponent = expression.args
            if exponent.is_Integer and exponent > 0:
                factors = [self._write(base)] * int(exponent)
                return functools.reduce(lambda l, r: recorder.emit("aten::mul.int", [l, r]), factors)
        raise UnsupportedError([recorder.locate(f"a size of the program is {expression}")])
