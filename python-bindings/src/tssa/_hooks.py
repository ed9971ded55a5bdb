# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The hooks that rewritten functions (_source.py) call instead of Python's control flow, calls and brackets.

A hook does the same as Python, unless a tensor or an open size decides.
"""

import functools
import operator
import sys

import torch

from ._calls import Calls
from ._carried import State
from ._control import FEW, Raised
from ._errors import UnsupportedError
from ._lists import has_pieces
from ._parts import REFUSALS
from ._sequences import as_items
from ._values import NOTHING, NeedsKnown, Undefined, defined

_REFUSALS = (UnsupportedError, torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode)
_COMPARISONS = {"Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
                "Eq": operator.eq, "NotEq": operator.ne,
                "Is": lambda a, b: defined(a) is defined(b), "IsNot": lambda a, b: defined(a) is not defined(b),
                "In": lambda a, b: a in b, "NotIn": lambda a, b: a not in b}


class Hooks(Calls):
    """The hooks of one program that is being recorded. For the arguments see Parts."""

    nothing = NOTHING

    def __init__(self, *parts):
        super().__init__(*parts)
        self.undefined = Undefined("a name without a value is used")

    # Statements.

    def if_(self, test, then, orelse, *state):
        condition = self.condition_of(test)
        if isinstance(condition, bool):
            return then() if condition else orelse()
        return self.branch(condition, then, orelse, State(*state))

    def while_(self, test, body, stop, *state):
        state = State(*state)

        def goes_on():
            stopped = False if stop is None else self.condition_of(stop())
            return self.and_(lambda: self.not_(stopped), test) if stopped is not False else self.condition_of(test())

        while True:
            going = self.condition_of(goes_on())
            if going is False:
                return
            if going is not True:
                break
            body()
        self.loop(None, lambda _: None, lambda _: body(), lambda: self.condition_of(goes_on()), state, going)

    def for_(self, iterable, body, stop, *state):
        self._iterated.append(iterable)
        try:
            self._run_for(iterable, body, stop, State(*state))
        finally:
            self._iterated.pop()

    def _run_for(self, iterable, body, stop, state):
        items = as_items(iterable, self.lists)
        if items is None:
            return self.unroll(self._iterate(iterable), body, stop, state)
        if not items.is_open() and len(items) <= FEW:
            return self.unroll(items, body, stop, state)
        if items.is_empty():
            return None
        entry = state.get()
        try:
            return self.loop(items.count(), items.item, body, lambda: self._goes_on(stop), state)
        except _REFUSALS as error:
            state.put(entry)
            if items.is_unbacked() or self.lists.are_used:
                raise self.refusal(error) from error
        return self.unroll(items.known(), body, stop, state)

    def _goes_on(self, stop):
        return True if stop is None else self.not_(stop())

    def iterate(self, iterable):
        """Returns what a comprehension iterates over."""
        items = as_items(iterable, self.lists)
        return self._iterate(iterable) if items is None else items.known()

    def _iterate(self, iterable):
        """Returns what iterates over an object, whose code no hook may see."""
        self.note_library(iterable)
        return iterable if type(iterable) in (list, tuple, dict, range) else self._items_of(iterable)

    def _items_of(self, iterable):
        self.check_iterator(iterable)
        with self._watching(iterable):
            iterator = iter(iterable)
        while True:
            with self._watching(iterator):
                item = next(iterator, NOTHING)
            if item is NOTHING:
                return
            yield item

    def condition_of(self, value):
        for name in ("__bool__", "__len__"):
            found = self.special(value, name)
            if found is not NOTHING:
                return super().condition_of(found)
        return super().condition_of(value)

    def known(self, test):
        return bool(test)

    def returned(self, value, flag):
        if flag is True or flag is False:
            return None if value is NOTHING or not flag else value
        raise UnsupportedError([self.recorder.locate(
            "the function returns a value on one path and nothing on another: return one on both")])

    def assert_(self, test, message):
        condition = self.condition_of(test)
        if condition is True:
            return
        if condition is not False:
            self.check_caught(AssertionError, "an assertion holds")
        else:
            raise AssertionError(*([] if message() is None else [message()]))

        def fail():
            raise Raised

        self.branch(condition, lambda: None, fail, State(lambda: (), lambda values: None, (), ()))

    @staticmethod
    def caught():
        """Raises the error again that a handler of the program has caught, if it is none of the program."""
        error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
        if isinstance(error, REFUSALS):
            raise  # pylint: disable=misplaced-bare-raise

    def raised(self, error):
        kind = error if isinstance(error, type) else type(error)
        for kinds, depth in reversed(self._tries):
            if issubclass(kind, kinds) and depth == len(self.frames):
                return error  # a handler in the same block catches it
            self.check_caught(kind, f"{kind.__name__} is raised")
        return Raised() if self.frames else error

    # Conditions.

    def and_(self, first, *rest):
        value = first()
        return self._decide(value, True, rest) if rest else value

    def or_(self, first, *rest):
        value = first()
        return self._decide(value, False, rest) if rest else value

    def _decide(self, value, goes_on, rest):
        """Returns `value and rest` if goes_on is True, else `value or rest`."""
        condition = self.condition_of(value)
        following = functools.partial(self.and_ if goes_on else self.or_, *rest)
        if condition is goes_on:
            return following()
        if isinstance(condition, bool):
            return value
        with self.region() as block:
            other = following()
            is_tensor = isinstance(other, torch.Tensor)
            for operand in (value, other):
                self._check_truth(operand)
            other = self.condition_of(other)
        if not block["nodes"]:
            return condition & other if goes_on else condition | other
        if isinstance(value, torch.Tensor) and is_tensor:
            arms = (following, lambda: value) if goes_on else (lambda: value, following)
        else:
            arms = (lambda: self.condition_of(following()) if goes_on else True,
                    lambda: False if goes_on else self.condition_of(following()))
        return self._select(condition, *arms)

    def _check_truth(self, value):
        """Refuses an operand of `and` or `or` that is no bool: only a run knows which operand is the result."""
        if not isinstance(value, (bool, torch.SymBool)) and getattr(value, "dtype", None) != torch.bool:
            raise NeedsKnown([self.recorder.locate("expected bools as operands of 'and' or 'or' that only a run "
                                                   "decides: write a comparison, such as x != 0")])

    def not_(self, value):
        condition = self.condition_of(value)
        return not condition if isinstance(condition, bool) else torch.sym_not(condition)

    def compare(self, names, *operands):
        """Evaluates a chain of comparisons, such as a < b < c."""
        left, value = operands[0](), True
        for i, name in enumerate(names):
            right = operands[i + 1]()
            value = self.relate(name, left, right)
            if i + 1 < len(names):
                condition = self.condition_of(value)
                if condition is False:
                    return value
                if condition is not True:
                    return self.and_(lambda: condition, functools.partial(
                        self.compare, names[i + 1:], lambda: right, *operands[i + 2:]))
            left = right
        return value

    def relate(self, name, left, right):
        """Evaluates one comparison."""
        if name in ("Eq", "NotEq") and (has_pieces(left) or has_pieces(right)):
            return self._compare_lists(name, left, right)
        self._check_module(name, left, right)
        if name in ("Is", "IsNot"):
            return _COMPARISONS[name](left, right)
        for side in (left, right):
            self.note_library(side)
        with self._watching(left, right):
            return _COMPARISONS[name](left, right)

    def _check_module(self, name, left, right):
        """Refuses to compare a module among the arguments with another: the recording serves others like it, too."""
        others = right if name in ("In", "NotIn") and isinstance(right, (list, tuple, torch.nn.ModuleList)) else (right,)
        for pair in [(left, other) for other in others if isinstance(other, torch.nn.Module)] if isinstance(left, torch.nn.Module) else ():
            if len([part for part in pair if id(part) in self._arguments]) == 1:
                raise UnsupportedError([self.recorder.locate("a module among the arguments is compared with one that is none: pass both "
                                                             "as arguments")])

    def _compare_lists(self, name, left, right):
        if left and right:
            raise NeedsKnown([self.recorder.locate("two lists are compared of which only a run knows the length")])
        is_empty = self.not_(left or right)
        return is_empty if name == "Eq" else self.not_(is_empty)

    def choose(self, test, then, orelse):
        condition = self.condition_of(test)
        if isinstance(condition, bool):
            return then() if condition else orelse()
        return self._select(condition, then, orelse)

    def _select(self, condition, then, orelse):
        cell = [self.undefined]

        def run(arm):
            cell[0] = arm()

        def put(values):
            (cell[0],) = values

        self.branch(condition, functools.partial(run, then), functools.partial(run, orelse),
                    State(lambda: tuple(cell), put, ("the value",), ("the value",)))
        return cell[0]
