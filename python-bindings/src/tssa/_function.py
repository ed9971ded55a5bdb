# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Functions and modules that are recorded at their first call, and again for calls that differ."""

import contextlib
import copy
import dis
import functools
import gc
import logging
import os
import re
import sys
import threading
import warnings

import sympy
import torch
from torch._subclasses.fake_tensor import UnsupportedOperatorException
from torch.fx.experimental import _config as shape_config
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ._arguments import Arguments, DependsOnOnes, Fakes, SharedArguments, check_modes
from ._call_cache import CallCache, context_of_call, make_cached_call
from ._check import Reference
from ._errors import INVALID_ARGUMENT, Error, Signal, UnsupportedError
from ._expressions import SYMBOLS, UNDECIDED, compile_expressions, evaluate
from ._hooks import Hooks
from ._leaks import Watch
from ._objects import Maker, Template, can_be_refilled, contents_of, find_refill, is_changed, mutables_of, refill
from ._openness import Openness
from ._record import DecidesShape, locate_error
from ._recorded import MayBeArgument, record
from ._runtime import MISS
from ._state import Reads
from ._stores import make_change, store_change, take_change
from ._unseen import explain, is_of_others
from ._values import defined, is_same

# A number that only a run knows, as PyTorch's messages name it.
_NUMBER_OF_RUN = re.compile(r"\b(u|zuf)\d+\b")
_log = logging.getLogger("tssa")
_LINE = re.compile(r".+:\d+: ")
#: At this number of recordings for one kind of call there is a warning.
MANY = 8
#: So many kinds of calls are kept that are told by the addresses of objects, such as a new function for each call.
MOST_PASSING = 16

#: What Python raises for mistakes of a program, and the modules here that do what the recorded program says.
_MISTAKES = (AttributeError, KeyError, NameError, TypeError)
_DOERS = {f"_{name}.py" for name in ("buffers", "builtins", "calls", "changes", "hooks", "indexing", "lists", "objects", "parts",
                                   "sequences", "unseen", "values")}


class ChangesNumbers(Signal):
    """The program changes numbers in its state. places: for each the dict or Attributes that has it, and its key."""

    def __init__(self, places):
        super().__init__("the program changes numbers")
        self.places = places


class CompiledFunction:
    """The result of tssa.compile for a function. It is called like the original."""

    is_compiled_by_tssa = True

    def __init__(self, program, options, dynamic=None, check=False):
        if not callable(program):
            raise TypeError(f"expected a function or a module, got a {type(program).__name__}")
        if isinstance(program, (torch.jit.ScriptFunction, torch.jit.ScriptModule)):
            raise UnsupportedError(["a TorchScript program: give the function or module that it was made of"])
        if getattr(type(program), "is_compiled_by_tssa", False):
            program = program.compiled_program
        self._program, self._options, self._dynamic, self._check = program, options, dynamic, check
        self._recordings = {}  # recordings, those with less open first and then the newest first, by key
        self._openness = {}  # what is open in the newest recording, by key
        self._cache = CallCache(program)
        self._passing = {}  # keys that have addresses of objects, those used last at the end
        self._lock = threading.Lock()
        self._has_warned = False
        self.__name__ = getattr(program, "__name__", type(program).__name__)
        functools.update_wrapper(self, program, updated=())

    @property
    def compiled_program(self):
        """The function or module that was compiled."""
        return self._program

    @property
    def num_binaries(self):
        """The number of times this function was compiled."""
        return sum(len(recording.program.binaries) for known in self._recordings.values() for recording in known)

    def prepare(self, *args, **kwargs):
        """Compiles for calls like this one, without running."""
        with self._without_gradients():
            self._find(Arguments(args, kwargs))

    def __call__(self, *args, **kwargs):
        try:
            result = self._cache.run(args, kwargs)
        except Error as error:
            if error.code != INVALID_ARGUMENT:
                raise
            result = MISS
        return result if result is not MISS else self._call(args, kwargs)

    def _call(self, args, kwargs):
        """Returns the result of a call that is not cached."""
        with self._without_gradients():
            try:
                return self._run(Arguments(args, kwargs), args, kwargs)
            except Error as error:
                # An argument may share memory with one that the program writes. Nothing has been written yet.
                shared = SharedArguments(args, kwargs) if error.code == INVALID_ARGUMENT else None
                if shared is None or not shared.num_shared:
                    raise
            return self._run(shared, args, kwargs)

    def _run(self, arguments, args, kwargs):
        if torch._C._len_torch_function_stack():
            check_modes()
        recording, sizes, is_new = self._find(arguments)
        if not is_new or not self._check:
            self._add_to_cache(recording, arguments)  # before the program changes them
            return recording.run(arguments, sizes)
        reference = Reference(self._program, args, kwargs)
        result = recording.run(arguments, sizes)
        reference.compare(self.__name__, result, args, kwargs)
        return result

    def _add_to_cache(self, recording, arguments):
        """Has further calls like this one run in C++, unless a thread, maybe this one, is recording."""
        if arguments.has_identity or arguments.fixed or self._cache.knows(recording) or not self._lock.acquire(blocking=False):
            return
        try:
            self._cache.add(recording, context_of_call(), arguments,
                            [one for known in self._recordings.values() for one in known])
        finally:
            self._lock.release()

    def __get__(self, instance, owner=None):
        """Makes the function a method, whose first argument is the instance."""
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        module = sys.modules.get(getattr(self, "__module__", None))
        if getattr(module, self.__name__, None) is self:
            return self.__name__  # a decorated function, found by its name in its module
        return CompiledFunction, (self._program, self._options, self._dynamic, self._check)

    def __deepcopy__(self, memo):
        return CompiledFunction(copy.deepcopy(self._program, memo), self._options, self._dynamic, self._check)

    def _without_gradients(self):
        """Switches gradients off for a module in evaluation mode, and warns once."""
        if not torch.is_grad_enabled() or not isinstance(self._program, torch.nn.Module) or self._program.training:
            return contextlib.nullcontext()
        if not self._has_warned and any(p.requires_grad for p in self._program.parameters()):
            self._has_warned = True
            warnings.warn(f"{self.__name__} is compiled: its results have no gradients", stacklevel=3)
        return torch.no_grad()

    def _find(self, arguments):
        """Returns (the recording for the arguments, the sizes of its symbols, whether it is new)."""
        key = arguments.key, context_of_call()
        found = self._find_recording(key, arguments)
        if found is not None:
            if arguments.has_identity:
                self._passing[key] = self._passing.pop(key, None)
            return (*found, False)
        with self._lock:
            found = self._find_recording(key, arguments)
            if found is not None:
                return (*found, False)
            self._record(key, arguments)
            if arguments.has_identity:
                self._passing[key] = None
                self._drop_old()
            found = self._find_recording(key, arguments)
            if found is None:
                raise UnsupportedError([f"{self.__name__} reads state that changes while it is recorded, "
                                        f"or before the call: pass it as an argument"])
            return (*found, True)

    def _drop_old(self):
        """Drops recordings for objects that have not been passed for long, and may be gone but for the recording."""
        while len(self._passing) > MOST_PASSING:
            key = next(iter(self._passing))
            for table in (self._passing, self._recordings, self._openness):
                table.pop(key, None)

    def _find_recording(self, key, arguments):
        values = arguments.values
        for recording in self._recordings.get(key, ()):
            sizes = recording.match(values)
            if sizes is not None:
                return recording, sizes
        return None

    def _record(self, key, arguments):
        known, values = self._recordings.get(key, ()), arguments.values
        openness = self._openness.get(key) or Openness(values, self._dynamic, arguments.fixed)
        opened = openness.open(values)
        if opened is not openness:
            _log.info("%s is compiled again, for other sizes and numbers: %s", self.__name__, opened.describe(values))
        recording = _Recording(self._program, arguments, self.__name__, self._options, opened.choices,
                               self._dynamic is True)
        self._openness[key] = opened
        known = self._recordings[key] = tuple(sorted((recording, *known), key=lambda one: one.num_open))
        if len(known) == MANY:
            warnings.warn(f"{self.__name__} was compiled {MANY} times for calls that differ in sizes, numbers or what "
                          f"else it reads; the last time for: {recording.describe()}", stacklevel=5)


class _Recording:
    """A recorded program, and the conditions under which a call can run it.

    choices: what may be open (Openness). fixes_splits: whether a number that splits a dim is fixed.
    num_open: how many sizes and numbers are open.
    """

    def __init__(self, function, arguments, name, options, choices, fixes_splits):
        self._function, self._carries_lists, self._tracks_arguments = function, True, False
        self._fixes_splits = fixes_splits
        arguments.check(function)
        self._lists = None  # the Lists of an attempt, while it runs the program
        self._reasons = {}  # why functions are not rewritten, by their code
        self._constants = {}  # numbers that the recording is fixed to, by position
        self._numbers = []  # (dict or Attributes, key) of numbers in the state that calls change: further arguments
        self._record_open(functools.partial(self._run, function, arguments, name, options), choices)
        self._fakes = None

    def _record_open(self, run, choices):
        """Records with open sizes. If that fails, records with fewer open, and at last with those of the example fixed."""
        attempts = [(places, fixes_ones) for places in choices if places for fixes_ones in (False, True)]
        attempts.append((frozenset(), True))
        errors = []
        while attempts:
            places, fixes_ones = attempts[0]
            self._fakes, self.num_open = Fakes(places, fixes_ones), len(places)
            self._uses_lists = False
            try:
                values = self._attempt(run)
                return self.program.prepare(*values)
            except ChangesNumbers as error:
                self._numbers += error.places
            except DecidesShape as error:
                self._constants.update(self._fakes.find_numbers(error.symbols))
            except DependsOnOnes:
                attempts.pop(0)
            except Exception as error:
                if _is_internal(error):
                    raise
                if isinstance(error, MayBeArgument) and not self._tracks_arguments:
                    self._tracks_arguments = True
                    continue
                errors.append(UnsupportedError([self._locate(error, problem) for problem in error.problems])
                              if isinstance(error, UnsupportedError) else error)
                if self._carries_lists and self._uses_lists:
                    self._carries_lists = False  # loops over such lists may be unrolled
                    continue
                attempts.pop(0)
                if isinstance(error, Error):  # the compiler refuses the program, with sizes of 1 fixed or not
                    attempts = [attempt for attempt in attempts if attempt[0] != places]
        self._raise(errors)

    def _attempt(self, run):
        """Returns the result of `run`, which records the program. Nothing keeps what it makes, and state is as it was."""
        with Watch(self._fakes.environment) as watch:
            self._watch, self._reads = watch, Reads(watch.is_old)
            try:
                with shape_config.patch(backed_size_oblivious=True), _quiet():
                    values = run()
            finally:
                self._reads.restore()
                self._reads.release()
                self._uses_lists = self._lists is not None and self._lists.are_used
                self._watch = self._lists = None
        if watch.places:
            raise UnsupportedError([self._locate(None, f"{place} keeps a tensor or size that only the recording has, stored by code that "
                                                 "is not rewritten: return it instead") for place in watch.places])
        return values

    def _raise(self, errors):
        """Raises the error that explains most.

        The last error is that of a recording with fixed sizes, the same as in eager mode. If that is a
        refusal, the first refusal names the cause.
        """
        for error in errors:
            if isinstance(error, GuardOnDataDependentSymNode) or _NUMBER_OF_RUN.search(str(error)):
                line = _LINE.match(getattr(error, "problems", [""])[0])
                text = UNDECIDED + explain(error, self._reasons)
                raise UnsupportedError([line[0] + text if line else self._locate(error, text)]) from error
            if isinstance(error, UnsupportedOperatorException):
                raise UnsupportedError([self._locate(error, f"{error.func} is not supported")]) from error
        refusals = [error for error in errors if isinstance(error, UnsupportedError)]
        raise refusals[0] if refusals and isinstance(errors[-1], Error) else errors[-1]

    def _locate(self, error, problem):
        """Returns a problem with its line, if it has none yet: what no line causes has that of the program itself."""
        if _LINE.match(problem):
            return problem
        located = problem if error is None else locate_error(error, problem)
        function = getattr(self._function, "forward", self._function)
        if is_of_others(getattr(function, "__module__", None)) and located is problem:
            return f"{type(self._function).__name__}: {problem}"
        code = getattr(function, "__code__", None)
        is_known = located is not problem or code is None
        return located if is_known else f"{code.co_filename}:{code.co_firstlineno}: {problem}"

    def _run(self, function, arguments, name, options):
        values = self._with_numbers(arguments.values)
        made = [value if i in self._constants else self._fakes.make(value, i, is_open=i >= len(arguments.values))
                for i, value in enumerate(values)]
        self._constants = {i: value for i, value in enumerate(made) if type(value) in (int, float)}
        self.program, recorder = record(functools.partial(self._call, function, arguments), made, name,
                                        self._fakes.mode, **options)
        self._reads.restore()
        for found, key, _ in self._changes:
            for place, had in self._reads.add_variables(found, key).items():
                self.program.look_up(recorder, had, functools.partial(found.__getitem__, place))
        self._conditions = [guard.expr for guard in self._fakes.environment.guards if guard.expr is not sympy.true]
        self._guards = compile_expressions(self._conditions)
        return values

    def _call(self, function, arguments, recorder, *values):
        hooks = Hooks(recorder, self._reads, arguments.attributes, self._carries_lists, self._tracks_arguments)
        self._lists, self._reasons = hooks.lists, hooks.reasons
        for (found, key), value in zip(self._numbers, values[len(arguments.values):]):
            self._reads.add_number(found, key)
            found[key] = value
        values = values[:len(arguments.values)]
        args, kwargs = arguments.rebuild(values)
        recorder.fixes_numbers = self._fixes_splits
        for value in values:
            if not isinstance(value, (torch.Tensor, *SYMBOLS)):
                self._reads.keep(value)
                self._reads.add_value(value)
        mutables = mutables_of((args, kwargs))
        for value in mutables:
            hooks.note_argument(value)
        contents = [contents_of(value) for value in mutables]
        try:
            result = hooks.call(function, *args, **kwargs)
        finally:
            hooks.end()
        results = self._take_results(result, mutables, contents, arguments)
        for value in results:
            hooks.check_result(defined(value))
            if isinstance(value, str) and "FakeTensor(" in value:
                raise UnsupportedError(["a result is a string that shows the contents of a tensor"])
        return results

    def _take_results(self, result, mutables, contents, arguments):
        """Returns the leaves of the result, and of everything that the program stores in mutables of its arguments."""
        # A list that occurs twice in a container that pytree knows becomes two lists in the copy.
        is_alike = [*map(type, mutables)] == [*map(type, mutables_of(arguments.given))]
        template = Template(mutables if is_alike else [], self._is_old)
        self._result, self._refilled = template.take(result), []
        for i, (value, had) in enumerate(zip(mutables, contents)):
            if not is_changed(value, had):
                continue
            is_less = isinstance(value, torch.nn.Module) and not had.keys() <= vars(value).keys()
            if not is_alike or is_less or not can_be_refilled(value):
                raise UnsupportedError([f"a {type(value).__name__} among the arguments is given other elements: "
                                        f"return a new one"])
            self._refilled.append((i, template.take_contents(find_refill(value, had))))
        changes = self._reads.find_changes()
        numbers = [(found, key) for found, key in changes if self._reads.is_new_number(found, key)]
        if numbers:
            raise ChangesNumbers(numbers)
        self._changes = [take_change(template, found, key) for found, key in changes]
        self._uses_mutables = bool(self._refilled) or template.uses_mutables
        return template.leaves

    def _is_old(self, value):
        """Returns whether there was an object before the recording."""
        return not self._reads.is_fresh(value) and (
            self._reads.knows(value) or not isinstance(value, dict) and gc.is_tracked(value) and self._watch.is_old(value))

    def _with_numbers(self, values):
        """Returns the arguments of a call and the numbers in the state that calls change."""
        return [*values, *(found[key] for found, key in self._numbers)] if self._numbers else values

    def describe(self):
        """Returns a text of the conditions that a call must satisfy."""
        guards = [*map(str, self._conditions)]
        numbers = [f"argument {i} is {value!r}" for i, value in self._constants.items()]
        numbers += self.program.describe_sizes()
        return ", ".join(numbers + guards) or "what it reads besides its arguments"

    def run(self, arguments, sizes):
        """Returns the result for these arguments, and changes them as the original does."""
        results = self.program.run_fitting(self._with_numbers(arguments.values), sizes)
        return self._make_result(results, arguments.given)

    def _make_result(self, results, given):
        mutables = mutables_of(given) if self._uses_mutables else ()
        maker = Maker(results, mutables)
        made = maker.make(self._result)
        contents = [(mutables[i], maker.make_contents(nodes)) for i, nodes in self._refilled]
        changes = [(found, key, make_change(maker, found, node)) for found, key, node in self._changes]
        for value, parts in contents:
            refill(value, parts)
        for found, key, value in changes:
            store_change(found, key, value)
        return made

    def make_cached_call(self, arguments):
        """Returns a CachedCall for calls like this one, which calls the methods below, or None."""
        if self._numbers or type(arguments) is not Arguments:
            return None
        does_more = self._refilled or self._changes or self._uses_mutables
        return make_cached_call(self.program, arguments, self._constants, None if does_more else self._result,
                                bool(self._conditions) or self.program.has_choices)

    def holds_state(self):
        """Returns whether what the program reads besides its arguments is the same."""
        return self._reads.hold() and self.program.holds_constants()

    def holds_for(self, sizes):
        """Returns whether the sizes and numbers of a call satisfy all conditions of the recording."""
        return all(evaluate(self._guards, sizes)) and self.program.copies_alike(sizes)

    def find_owned(self):
        """Returns the program's own tensors."""
        return self.program.find_owned()

    def finish(self, given, values, sizes, made):
        """Returns the result of a call whose program was run elsewhere. made: what the compiled program returned."""
        return self._make_result(self.program.finish(values, sizes, made), given)

    def match(self, values):
        """Returns the sizes of the symbols if the recording holds for these arguments, else None."""
        for i, value in self._constants.items():
            if not is_same(values[i], value):
                return None
        program = self.program
        if not self._reads.hold():
            return None
        values = self._with_numbers(values)
        sizes = program.find_sizes(values)
        return sizes if program.fits(values) and self.holds_for(sizes) else None


@contextlib.contextmanager
def _quiet():
    """Keeps PyTorch from printing errors of fake tensors, which are raised anyway."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    outer, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = outer


def _is_internal(error):
    """Returns whether an error is a mistake of this package, and not one of the program that it records.

    Python found the mistake itself, in a module of this package: a raise statement there is for the user.
    """
    if not isinstance(error, _MISTAKES):
        return False
    place = error.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    code = place.tb_frame.f_code
    folder, name = os.path.split(code.co_filename)
    is_raised = code.co_code[place.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return folder == os.path.dirname(__file__) and name not in _DOERS and not is_raised
