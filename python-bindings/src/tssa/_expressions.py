# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The sizes and numbers of a recorded program, which are SymPy expressions in PyTorch."""

import contextlib
import functools
import math
import operator

import sympy
import torch
from torch.utils._sympy import functions
from torch.utils._sympy.printers import PythonPrinter
from torch.utils._sympy.symbol import SymT, symbol_is_type

from ._errors import UnsupportedError

#: The text for a decision in PyTorch's code by a number that only a run knows.
UNDECIDED = "a decision depends on a number that only a run knows, or a size does: compute it before the call"
SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
_FOLDED = {sympy.Add: "aten::add", sympy.Mul: "aten::mul",
           functions.Max: "prim::max", functions.Min: "prim::min",
           sympy.Max: "prim::max", sympy.Min: "prim::min"}
_BINARY = {functions.FloorDiv: "aten::floordiv", functions.CleanDiv: "aten::floordiv",
           functions.Mod: "aten::remainder", functions.PythonMod: "aten::remainder",
           functions.IntTrueDiv: "aten::div", functions.FloatTrueDiv: "aten::div",
           functions.FloatPow: "aten::pow"}
# What gives larger ints than its operands.
_CHECKED = {"aten::add": operator.add, "aten::mul": operator.mul}
_COMPARED = {sympy.Eq: "aten::eq", sympy.Ne: "aten::ne", sympy.Lt: "aten::lt", sympy.Le: "aten::le",
             sympy.Gt: "aten::gt", sympy.Ge: "aten::ge"}
_JOINED = {sympy.And: "aten::__and__.bool", sympy.Or: "aten::__or__.bool"}
# If a tensor has such a size, the compiler learns more from the tensor's dim than from the expression.
_OPAQUE = (functions.FloorDiv, functions.CleanDiv, functions.Mod, functions.PythonMod, functions.Max, functions.Min)
_CONVERTED = {functions.ToFloat: "aten::Float.int", functions.TruncToInt: "aten::Int.float"}


def is_symbolic(value):
    return isinstance(value, SYMBOLS) and not value.node.is_constant()


def expression_of(value):
    """Returns the SymPy expression of an open number; a known number as an int or bool."""
    if not isinstance(value, SYMBOLS):
        return value
    expression = value.node.expr
    if expression.is_Integer:
        return int(expression)
    return bool(expression) if expression in (sympy.true, sympy.false) else expression


def hint_of(value):
    """Returns the value of an open size in the example."""
    return value.node.hint if isinstance(value, torch.SymInt) else value


def is_unbacked(value):
    """Returns whether only a run knows the number."""
    if not isinstance(value, SYMBOLS):
        return False
    return any(symbol_is_type(symbol, _UNBACKED)
               for symbol in value.node.expr.free_symbols)


_UNBACKED = (SymT.UNBACKED_INT, SymT.UNBACKED_FLOAT)


def compile_expressions(expressions):
    """Compiles expressions, numbers and conditions over symbols to code for `evaluate`."""
    texts = [str(e) if isinstance(e, (int, float)) else _PRINTER.doprint(e) for e in expressions]
    return compile(f"[{', '.join(texts)}]", "<expressions>", "eval")


def evaluate(code, values):
    """Returns the values of compiled expressions. values: the values of the symbols, by name."""
    return eval(code, _FUNCTIONS, values)


class _Printer(PythonPrinter):
    def _print_Where(self, expression):
        condition, then, orelse = map(self.doprint, expression.args)
        return f"(({then}) if ({condition}) else ({orelse}))"


_PRINTER = _Printer()
_FUNCTIONS = {"math": math, "torch": torch, "min": min, "max": max, "__builtins__": {}}


def _add_known(scope, other):
    """Adds what is known in the scope `other` to `scope`."""
    for known, more in zip(scope, other):
        for key, value in more.items():
            known.setdefault(key, value)


class Expressions:
    """Knows the value number of each symbol, and emits operators on numbers for expressions."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._sizes = {}  # symbol: (value number of a tensor, dim)
        self._numbers = {}  # expression: value number
        # {symbol that counts iterations: the number of iterations, or None}. They are no larger than a size.
        self._counters = {}
        # {symbol of a size: (symbol of a size, number)}: the first is the second divided by the number.
        self._quotients = getattr(recorder.fake_mode.shape_env, "quotients", {})

    def add_counter(self, value, count):
        """Notes a number that counts the iterations of a loop."""
        self._counters[value.node.expr] = count

    def count_of(self, value):
        """Returns the number of iterations that `value` counts, or None."""
        return self._counters.get(value.node.expr)

    def copy_scope(self):
        """Returns a copy of what is known now, as the scope of a block."""
        return dict(self._sizes), dict(self._numbers)

    def scope(self):
        """Returns what is known now, as the scope of the current block."""
        return self._sizes, self._numbers

    @contextlib.contextmanager
    def use_scope(self, scope):
        """Everything that is bound or emitted meanwhile is known only in `scope`."""
        outer = self.scope()
        self._sizes, self._numbers = scope
        try:
            yield
        finally:
            self._sizes, self._numbers = outer

    def adopt(self, scope):
        """Adds everything that is known in `scope`."""
        _add_known(self.scope(), scope)

    def pass_on(self, scope):
        """Adds everything that is known now to `scope`, that of a block inside of the current one."""
        _add_known(scope, self.scope())

    def symbols(self):
        """Returns all symbols and expressions that are known now."""
        return {*self._sizes, *self._numbers}

    def bind(self, value, number):
        """Binds `value` to the number `number`, which an operator has computed."""
        expression = value.node.expr
        if expression.is_Symbol or isinstance(value, torch.SymBool):
            self._numbers.setdefault(expression, number)

    def knows(self, value):
        """Returns whether all symbols of `value` are known."""
        return value.node.expr in self._numbers or all(
            symbol in self._sizes or symbol in self._numbers or symbol in self._quotients
            for symbol in value.node.expr.free_symbols)

    def bind_size(self, size, number, dim):
        """Binds `size` to dim `dim` of the tensor with the value number `number`."""
        if not isinstance(size, torch.SymInt):
            return
        expression = size.node.expr
        if expression not in self._numbers and (expression.is_Symbol or expression.has(*_OPAQUE)):
            self._sizes.setdefault(expression, (number, dim))

    def bound_to(self, inputs):
        """Returns {symbol: (order of an input, dim)}."""
        return {symbol: (inputs.index(number), dim)
                for symbol, (number, dim) in self._sizes.items() if symbol.is_Symbol and number in inputs}

    def number_of(self, value):
        return self._write(value.node.expr)

    def _write(self, expression):
        if expression not in self._numbers:
            self._numbers[expression] = self._emit(expression)
        return self._numbers[expression]

    def _emit(self, expression):
        recorder, kind = self._recorder, type(expression)
        if expression in (sympy.true, sympy.false):
            return recorder.number_of(bool(expression))
        if expression.is_Integer:
            return recorder.number_of(int(expression))
        if isinstance(expression, (sympy.Float, sympy.Rational)):
            return recorder.number_of(float(expression))
        if expression in self._sizes:
            number, dim = self._sizes[expression]
            return recorder.emit("aten::size.int", [number, recorder.number_of(dim)])
        if expression in self._quotients:
            size, number = self._quotients[expression]
            return recorder.emit("aten::floordiv.int", [self._write(size), recorder.number_of(number)])
        if kind in _FOLDED:
            return functools.reduce(lambda l, r: self._combine(_FOLDED[kind], l, r), expression.args[1:],
                                    (expression.args[0], self._write(expression.args[0])))[1]
        if kind in _BINARY:
            left, right = expression.args
            if _BINARY[kind] == "aten::div":
                recorder.guard_divisor(right)
            return self._combine(_BINARY[kind], (left, self._write(left)), right)[1]
        if kind in (sympy.Pow, functions.PowByNatural):
            return self._emit_power(*expression.args)
        if kind in _CONVERTED:
            return recorder.emit(_CONVERTED[kind], [self._write(expression.args[0])])
        if getattr(kind, "_torch_handler_name", None) == "sqrt":
            overload = "int" if expression.args[0].is_integer else "float"
            return recorder.emit(f"aten::sqrt.{overload}", [self._write(expression.args[0])])
        return self._emit_condition(expression)

    def _emit_condition(self, expression):
        recorder, kind = self._recorder, type(expression)
        if kind in _COMPARED:
            inverse = sympy.Not(expression)
            if inverse in self._numbers:
                return recorder.emit("aten::__not__", [self._numbers[inverse]])
            left, right = expression.args
            return self._combine(_COMPARED[kind], (left, self._write(left)), right)[1]
        if kind in _JOINED:
            operands = [self._write(operand) for operand in expression.args]
            return functools.reduce(lambda l, r: recorder.emit(_JOINED[kind], [l, r]), operands)
        if kind is sympy.Not:
            return recorder.emit("aten::__not__", [self._write(expression.args[0])])
        raise UnsupportedError([recorder.locate("a size or number is computed by more than + - * / // % **, comparisons, "
                                                "min, max and math.sqrt: compute it with a tensor or before the call")])

    def _emit_power(self, base, exponent):
        recorder = self._recorder
        if not exponent.is_Integer or exponent < 0:
            raise UnsupportedError([recorder.locate("a power of a size or number needs an exponent that is a constant "
                                                    "integer >= 0: compute it with a tensor")])
        if base.is_integer and self._may_leave(base ** exponent):
            return recorder.emit("tssa::checked_pow", [self._write(base), recorder.number_of(int(exponent))])
        overload = "int_to_int" if base.is_integer else "float_int"
        return recorder.emit(f"aten::pow.{overload}", [self._write(base), recorder.number_of(int(exponent))])

    def _may_leave(self, expression):
        """Returns whether a run may give an int that 64 bits do not hold: numbers may be of any size, sizes and counters not."""
        limited = {*self._sizes, *self._quotients, *self._counters}
        if not any(symbol in self._numbers and symbol not in limited for symbol in expression.free_symbols):
            return False
        found = self._recorder.fake_mode.shape_env.bound_sympy(expression)
        return not (found.lower >= -2**63 and found.upper < 2**63)

    def _combine(self, op, left, right):
        """Emits `op` on `left`, a pair (expression, number), and the expression `right`. Returns such a pair."""
        expression, number = left
        kinds = ["int" if e.is_integer else "float" for e in (expression, right)]
        function = _CHECKED.get(op) if kinds == ["int", "int"] else None
        if function is not None:
            result = function(expression, right)
            if op == "aten::add" and right.could_extract_minus_sign() and self._may_leave(result):
                return result, self._recorder.emit("tssa::checked_sub", [number, self._write(-right)])
            op = f"tssa::checked_{op[6:]}" if self._may_leave(result) else f"{op}.int"
            return result, self._recorder.emit(op, [number, self._write(right)])
        overload = kinds[0] if kinds[0] == kinds[1] else "_".join(kinds)
        made = self._recorder.emit(f"{op}.{overload}", [number, self._write(right)])
        return (expression if kinds[0] == "float" else right), made
