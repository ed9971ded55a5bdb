# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The hooks that rewritten functions (_source.py) call instead of Python's control flow, calls and brackets.

A hook does the same as Python, unless a tensor or an open size decides.
"""

import builtins
import collections
import functools
import inspect
import operator
import sys
import types

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensor

from . import _source
from ._aliases import storage_of
from ._builtins import SPECIAL, known_number, list_numbers
from ._carried import State
from ._control import FEW, ControlFlow, NotYet, Raised
from ._errors import Signal, UnsupportedError
from ._expressions import is_symbolic, is_unbacked
from ._indexing import as_index, is_number, read, write
from ._lists import METHODS, UNCHANGED, has_pieces
from ._module_calls import call_with_hooks, has_hooks
from ._sequences import as_items
from ._values import NOTHING, Leaves, NeedsKnown, Piece, Undefined, containers_of, defined

_REFUSALS = (UnsupportedError, torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode)
_COMPARISONS = {"Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
                "Eq": operator.eq, "NotEq": operator.ne,
                "Is": lambda a, b: defined(a) is defined(b), "IsNot": lambda a, b: defined(a) is not defined(b),
                "In": lambda a, b: a in b, "NotIn": lambda a, b: a not in b}
_MUTABLE = (list, dict, set, bytearray, collections.deque)
_CHANGES = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
            "popitem", "add", "discard", "appendleft", "extendleft", "popleft", "rotate", "move_to_end",
            "__setitem__", "__delitem__", "__iadd__", "intersection_update", "difference_update",
            "symmetric_difference_update"}
# Modules whose functions return another value at each call.
_IMPURE = {"random", "time", "secrets", "uuid"}
_IMPURE_NAMES = {"datetime": ("now", "today", "utcnow"), "os": ("getenv", "getpid", "times", "urandom"),
                 "posix": ("getpid", "times", "urandom")}
# What has no contents that could change, and is not noted as new.
_UNCHANGING = (torch.Tensor, int, float, complex, str, bytes, type(None), type, types.FunctionType, types.ModuleType,
               torch.dtype, torch.device, torch.nn.Module)
_ITERATORS = (zip, enumerate, reversed)
# PyTorch's own modules that call modules of the program, or operators that _recurrent.py has.
_CALLING_MODULES = ("torch.nn.modules.container", "torch.nn.modules.rnn")
_OWN = ("tssa._recurrent",)


def _count_of_attribute(target):
    value = target.attribute
    return sys.getrefcount(value)


def _count_of_result(function):
    result = function()
    return sys.getrefcount(result)


# How often Python counts an object that only its owner refers to in getattr() below, and a new one in call(): versions of
# Python differ.
_OWNED = _count_of_attribute(types.SimpleNamespace(attribute=object()))
_NEW = _count_of_result(object)


class Hooks(ControlFlow):
    """The hooks of one program that is being recorded.

    reads: collects the state outside of the arguments that it reads (_state.py). given: the names of attributes that
    the caller has stored in tensors among the arguments. The others: see ControlFlow.
    """

    nothing = NOTHING

    def __init__(self, recorder, reads, given, carries_lists, tracks_arguments):
        super().__init__(recorder, carries_lists, tracks_arguments)
        self.undefined = Undefined("a name without a value is used")
        self._reads, self._given = reads, given
        self._made = {}  # by id: (container, the block in which it was made)
        self._ambiguous = {}  # by id: lists and dicts of which only a run decides which ones they are
        self._stored = {}  # by id: lists and dicts that are elements of lists that a run changes
        self._tagged = {}  # by id: tensors that the program stores attributes in, and a name of one
        self._rewritten = {}
        self._iterated = []  # what the loops around iterate over

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
            return self.unroll(iterable, body, stop, state)
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
        return iterable if items is None else items.known()

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
        if condition is False:
            raise AssertionError(*([] if message() is None else [message()]))

        def fail():
            raise Raised

        self.branch(condition, lambda: None, fail, State(lambda: (), lambda values: None, (), ()))

    @staticmethod
    def caught():
        """Raises the error again that a handler of the program has caught, if it is none of the program."""
        error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
        if isinstance(error, (*_REFUSALS, Raised, Signal)):
            raise  # pylint: disable=misplaced-bare-raise

    def raised(self, error):
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
            if name in ("Eq", "NotEq") and (has_pieces(left) or has_pieces(right)):
                return self._compare_lists(name, left, right)
            value = _COMPARISONS[name](left, right)
            if i + 1 < len(names):
                condition = self.condition_of(value)
                if condition is False:
                    return value
                if condition is not True:
                    return self.and_(lambda: condition, functools.partial(
                        self.compare, names[i + 1:], lambda: right, *operands[i + 2:]))
            left = right
        return value

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

    # Parts of objects.

    slice = staticmethod(slice)

    def getattr(self, target, name):
        if type(target) is types.ModuleType and target.__name__ == "torch":
            return builtins.getattr(target, name)
        self.note_read(target, name)
        if isinstance(target, torch.Tensor):
            return builtins.getattr(target, name)
        getter = _find_getter(type(target), name)
        value = builtins.getattr(target, name) if getter is None else self.call(getter, target)
        if self._reads.is_fresh(target) and sys.getrefcount(value) <= _OWNED:
            self.note_fresh(value)
        return value

    def note_read(self, target, name):
        """Notes that the program asks an object for an attribute."""
        if isinstance(target, FakeTensor) and name in self._given and not hasattr(torch.Tensor, name):
            raise UnsupportedError([self.recorder.locate(f"the program reads the attribute '{name}' of a tensor among its "
                                                         "arguments: pass it as an argument")])
        self._reads.add_attribute(target, name)

    def check_iterator(self, iterator):
        """Refuses to take an element of an iterator that other calls take elements of, too."""
        if hasattr(iterator, "__next__") and not self._reads.is_fresh(iterator):
            raise UnsupportedError([self.recorder.locate(
                "next() of an iterator from outside of the program gives another value at each call: pass the value as an "
                "argument")])

    def fresh(self, value):
        """Notes what the program makes where it stands. Returns it."""
        self._reads.ignore(value)
        return value

    def note_fresh(self, value):
        """Notes what the program has made itself: no call before or after sees it."""
        if not isinstance(value, _UNCHANGING):
            self._reads.ignore(value)

    def getitem(self, value, index):
        if isinstance(value, torch.Tensor):
            return read(value, self._as_tensor_index(index))
        try:
            return self._read_element(value, index)
        except IndexError as error:
            if self._num_loops and type(value) is list and self.carries_lists:
                raise NotYet([self.recorder.locate(f"{error}, in the first iteration of a loop")]) from error
            raise

    def _as_tensor_index(self, index):
        """Returns an index of a tensor with tensors in place of lists that have pieces."""
        if type(index) is tuple:
            return tuple(map(self._as_tensor_index, index))
        return self.lists.tensor(index) if has_pieces(index) else index

    def _read_element(self, value, index):
        if self._is_open(value, index):
            element = self.lists.get(value, index)
            self.note_ambiguous(element)  # lists and dicts in it are copies of those in eager mode
            return element
        if is_number(index) or isinstance(index, torch.SymInt):
            index = as_index(index)
            if is_unbacked(index):
                raise NeedsKnown([self.recorder.locate("the index into a list must be known when the program is compiled: "
                                                       "stack the list and index the tensor")])
            index = int(index)
        return value[index]

    def _is_open(self, value, index):
        """Returns whether a list or tuple has pieces, or has tensors or numbers and only a run knows the index into it."""
        if has_pieces(value) or type(value) not in (list, tuple) or not value:
            return has_pieces(value)
        parts = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
        return (self.carries_lists and any(is_number(part) or is_unbacked(part) for part in parts)
                and bool(Leaves(value).varying()))

    def setitem(self, target, index, value):
        if isinstance(target, torch.Tensor):
            write(target, self._as_tensor_index(index), value)
            return
        if isinstance(target, numpy.ndarray) and not self._reads.is_fresh(target):
            raise UnsupportedError([self.recorder.locate("the program writes to a numpy array that it has not made: write to a "
                                                         "tensor")])
        self._check_change(target, "changed")
        if type(target) is list and self._is_open(target, index):
            self._check_stored(target, [value])
            self.lists.set(target, index, value)
        else:
            target[index] = value

    def delitem(self, target, index):
        self._check_change(target, "changed")
        if type(target) is list and self._is_open(target, index):
            self.lists.delete(target, index)
        else:
            del target[index]

    def setattr(self, target, name, value):
        if isinstance(target, torch.Tensor):
            self._check_attribute(target, name, value)
        self._check_change(target, f"given another '{name}'")
        self._reads.add_attribute(target, name)
        builtins.setattr(target, name, value)

    def _check_attribute(self, target, name, value):
        """Refuses to assign an attribute of a tensor, except a new one of a tensor that the program has made."""
        is_made = isinstance(target, FakeTensor) and not any(target is argument for argument in self.recorder.arguments)
        if name == "requires_grad" and is_made and not value:
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
        if isinstance(target, _MUTABLE):
            self._check_change(target, "changed", _added_by("__iadd__", (value,)))
        return getattr(operator, operation)(target, value)

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
        return known_number(defined(value))

    # What changes.

    def made(self, container):
        self._made[id(container)] = (container, self._frame())
        self._reads.ignore(container)
        return container

    def note_joined(self, value, left, right, places):
        """Notes that `value` is merged from `left` and `right`, pairs of an arm's value and its block.

        The merged list may be changed afterwards if each arm made its list for this name alone. places:
        {id of an arm's list: the merged list}.
        """
        for made, *sides in zip(containers_of(value), *(containers_of(side) for side, _ in (left, right))):
            self._made[id(made)] = (made, self._frame())
            for side, (_, block) in zip(sides, (left, right)):
                other = places.setdefault(id(side), made)
                if self._made.get(id(side), (None, None))[1] is not block:
                    for container in (made, *sides):
                        self._ambiguous[id(container)] = container
                elif other is not made:
                    self._ambiguous[id(other)], self._ambiguous[id(made)] = other, made

    def note_ambiguous(self, value):
        """Notes that only a run decides which lists and dicts these are."""
        self._ambiguous.update((id(container), container) for container in containers_of(value))

    def _frame(self):
        return self.frames[-1] if self.frames else None

    def _check_change(self, target, what, added=()):
        """Refuses to change a container where only a run decides about it, unless the regions around can carry it.

        added: the values that are added to it.
        """
        if isinstance(target, torch.Tensor):
            return
        if id(target) in self._ambiguous:
            raise UnsupportedError([self.recorder.locate(
                f"a {type(target).__name__} is {what} that may have another name, too: only a run decides it; "
                "change a copy")])
        if not self.frames:
            return
        made = self._made.get(id(target))
        if made is not None and made[1] is self.frames[-1]:
            return
        if not self._can_carry(target, made):
            raise NeedsKnown([self.recorder.locate(
                f"a {type(target).__name__} is {what} in a loop or branch that only a run decides about: "
                "make a new one")])
        self.carry(target, made[1], added)

    def _can_carry(self, target, made):
        is_made = made is not None and (made[1] is None or any(made[1] is block for block in self.frames))
        return self.carries_lists and type(target) is list and is_made and not self._is_iterated(target)

    def _is_iterated(self, target):
        """Returns whether a loop around iterates over a list, as it changes."""
        return any(target is iterable for iterable in self._iterated)

    # Calls.

    def call(self, function, /, *args, **kwargs):
        special = SPECIAL.get(function) if _is_hashable(function) else None
        if special is not None:
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
            self.check_builtin(function)
        if isinstance(function, type):
            self._check_arguments(function, (*args, *kwargs.values()))
            made = function(*args, **kwargs)
            return made if isinstance(made, torch.Tensor) else self.made(made)
        converted = self.convert(function)
        if converted is not function:
            return converted(*args, **kwargs)
        self._check_arguments(function, (*args, *kwargs.values()))
        result = function(*args, **kwargs)
        if sys.getrefcount(result) <= _NEW:
            self.note_fresh(result)
        return result

    def _check_arguments(self, function, args):
        """Refuses to pass lists with pieces to functions that are not part of the program."""
        if function not in UNCHANGED and any(has_pieces(arg) or isinstance(arg, Piece) for arg in args):
            name = getattr(function, "__name__", type(function).__name__)
            raise NeedsKnown([self.recorder.locate(f"{name}() gets a list of which only a run knows the length: use torch.stack or "
                                                   f"torch.cat of it")])

    def _has_open_length(self, value):
        return self.carries_lists and isinstance(value, torch.Tensor) and value.dim() == 1 and is_symbolic(value.shape[0])

    def _call_method(self, owner, function, *args, **kwargs):
        """Calls a method of a list."""
        name = function.__name__
        if name in ("append", "insert"):
            self._check_stored(owner, args[-1:])
        if name == "append" and self._append(owner, *args):
            return None
        if name in _CHANGES:
            self._check_change(owner, "changed", _added_by(name, args))
        is_open = has_pieces(owner) or self.carries_lists and any(map(is_unbacked, args))
        if is_open and name in METHODS:
            return METHODS[name](self.lists, owner, *args, **kwargs)
        if is_open and name not in ("append", "extend", "clear", "copy"):
            raise NeedsKnown([self.recorder.locate(f"{name}() of a list of which only a run knows the length")])
        return function(*args, **kwargs)

    def _check_stored(self, owner, values):
        """Refuses a list or dict that becomes an element twice, where elements are copied."""
        if not (has_pieces(owner) or self.carries_lists and self.frames):
            return
        for container in (container for value in values for container in containers_of(value)):
            made = self._made.get(id(container))
            if id(container) in self._stored or made is None or made[1] is not self._frame():
                raise NeedsKnown([self.recorder.locate(f"a {type(container).__name__} may become an element twice of a list of which only "
                                                       f"a run knows the length: append a copy of it")])
            self._stored[id(container)] = container

    def _append(self, owner, *values):
        """Appends to a list that is a buffer. Returns False if `owner` is not such a list."""
        if not self._growing or not self.carries_lists or self._frame() is not self._growing[-1].block:
            return False
        made = self._made.get(id(owner))
        is_outside = made is not None and made[1] is (self.frames[-2] if len(self.frames) > 1 else None)
        is_known = id(owner) not in self._ambiguous and not self._is_iterated(owner)
        return is_outside and is_known and self._growing[-1].append(owner, *values)

    def check_builtin(self, function):
        owner = function.__self__
        kind = owner if isinstance(owner, type) else type(owner)
        module = owner.__name__ if isinstance(owner, types.ModuleType) else getattr(kind, "__module__", None)
        self._check_pure(module, function)
        if isinstance(owner, _MUTABLE) and function.__name__ in _CHANGES:
            self._check_change(owner, "changed")
        if function is next:
            raise NeedsKnown([self.recorder.locate("next() is called in a loop or branch that only a run decides about: "
                                                   "call it before")])

    def _check_pure(self, module, function):
        parts = (module or "").split(".")
        if parts[0] in _IMPURE or parts[:2] == ["numpy", "random"] or function.__name__ in _IMPURE_NAMES.get(parts[0], ()):
            raise UnsupportedError([self.recorder.locate(
                f"{module}.{function.__name__} gives another value at each call: pass the value as an argument")])

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
            self._reads.add_module(function)
            if type(function).__call__ is not torch.nn.Module.__call__:
                return function
            forward = function.forward
            return functools.partial(call_with_hooks, self, function, forward) if has_hooks(function) else self.convert(forward)
        if isinstance(function, types.MethodType):
            if isinstance(function.__self__, torch.nn.Module):
                self._reads.add_module(function.__self__)
            inner = self._convert_function(function.__func__)
            return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
        if isinstance(function, types.FunctionType):
            return self._convert_function(function)
        call = getattr(type(function), "__call__", None)
        if isinstance(call, types.FunctionType) and not isinstance(function, type) and _is_of_program(call):
            return types.MethodType(self._convert_function(call), function)
        return function

    def _convert_function(self, function):
        self._check_pure(function.__module__, function)
        if _source.is_rewritten(function) or not _is_of_program(function):
            return function
        known = self._rewritten.get(function)
        if known is None:
            self._reads.add_function(function)
            try:
                known = _source.rewrite(function, self)
            except _source.CannotRewrite:
                known = function
            self._rewritten[function] = known
        return known


def _added_by(name, args):
    """Returns the values that a method of a list adds to it, as far as they are known without a loop."""
    if name in ("append", "insert"):
        return args[-1:]
    return args[0] if name in ("extend", "__iadd__") and isinstance(args[0], (list, tuple)) else ()


@functools.lru_cache(maxsize=None)
def _find_getter(kind, name):
    """Returns the function of a property that is part of the program, or None."""
    found = inspect.getattr_static(kind, name, None)
    is_getter = type(found) is property and isinstance(found.fget, types.FunctionType)
    return found.fget if is_getter and _is_of_program(found.fget) else None


def _is_hashable(function):
    return type(function).__hash__ is not None


def _is_of_program(function):
    """Returns whether a function is part of the program, not of Python or PyTorch."""
    module = function.__module__ or ""
    if hasattr(function, "__wrapped__") or module in _CALLING_MODULES or module in _OWN:
        return not inspect.isgeneratorfunction(function)
    return module.split(".")[0] not in _OTHERS


_OTHERS = {*sys.stdlib_module_names, "torch", "tssa", "numpy", "sympy"} - {"__main__"}


def _is_view(part, tensor):
    return isinstance(part, torch.Tensor) and storage_of(part) == storage_of(tensor)
