# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Recorded programs: their text, and their results in the form that eager mode gives."""

import contextlib

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from ._aliases import MADE, has_iterations, storage_of
from ._binaries import Binaries
from ._constants import Constants
from ._errors import Error, UnsupportedError
from ._expressions import SYMBOLS, compile_expressions, evaluate, expression_of, is_unbacked
from ._indexing import TensorsAsNumbers
from ._record import Recorder
from ._text import describe, find_permutation, make_program
from ._values import contiguous_strides


def record(program, arguments, name, mode=None, target="cpu", device="auto", threads=0, tuned=None):
    """Records `program`, which is called with a Recorder and `arguments`. Returns a RecordedProgram and the Recorder.

    arguments: fake tensors of one mode, sizes and numbers as symbols, and constants. mode: the mode of
    the fake tensors. The program returns a list of tensors, sizes, constants and None.
    """
    tensors = [i for i, value in enumerate(arguments) if isinstance(value, FakeTensor)]
    if mode is None:
        mode = arguments[tensors[0]].fake_mode if tensors else FakeTensorMode()
    recorder = Recorder(mode)
    for i in tensors:
        recorder.add_argument(arguments[i])
    numbers = [i for i, value in enumerate(arguments) if recorder.is_unknown(value)]
    for i in numbers:
        recorder.add_number(arguments[i])
    # Below autograd, composite operators arrive as a whole, the same with and without gradients and in inference mode.
    with _without_fast_paths(), torch.no_grad(), torch._C._AutoDispatchBelowAutograd(), mode, recorder, TensorsAsNumbers():
        results = program(recorder, *arguments)
    made = RecordedProgram(recorder, tensors + numbers, results, name, (target, device, threads, tuned))
    return made, recorder


@contextlib.contextmanager
def _without_fast_paths():
    """Switches off what PyTorch dispatches on some machines and in some modes only: its calls of other libraries.

    torch.backends.mkldnn.flags and cudnn.flags set the precision of TF32 as well, for which PyTorch warns.
    """
    switches = [(torch.backends.mha.get_fastpath_enabled, torch.backends.mha.set_fastpath_enabled)]
    switches += [(getattr(torch._C, f"_get_{library}_enabled"), getattr(torch._C, f"_set_{library}_enabled"))
                 for library in ("mkldnn", "nnpack", "cudnn")]
    before = [get() for get, _ in switches]
    try:
        for _, switch in switches:
            switch(False)
        yield
    finally:
        for (_, switch), was_on in zip(switches, before):
            switch(was_on)


class _Geometry:
    """The sizes, strides and offset of a tensor. They may depend on the sizes of arguments."""

    def __init__(self, tensor, strides=None):
        self.shape, self._strides, self._offset = [
            tuple(map(expression_of, part))
            for part in (tensor.shape, tensor.stride() if strides is None else strides, (tensor.storage_offset(),))]
        self._dtype = tensor.dtype
        expressions = [*self.shape, *self._strides, *self._offset]
        self.symbols = {symbol for e in expressions if isinstance(e, sympy.Basic) for symbol in e.free_symbols}
        self._code = compile_expressions(expressions)

    def view(self, tensor, base, sizes):
        """Returns the view of a tensor in a call, if the recording gives that tensor the geometry `base`."""
        shape, strides, offset = self.evaluate(sizes)
        # The offset of the tensor in its storage may differ from call to call.
        moved = tensor.storage_offset() - base.evaluate(sizes)[2]
        if tensor.dtype != self._dtype:
            moved = moved * tensor.element_size() // self._dtype.itemsize
            tensor = torch.empty(0, dtype=self._dtype).set_(tensor.untyped_storage())
        return tensor.as_strided(shape, strides, offset + moved)

    def find_view(self, base):
        """Returns (sizes, strides, what is added to the offset) of a view that is the same in each call, else None."""
        if self.symbols or base.symbols or self._dtype != base._dtype:
            return None
        shape, strides, offset = self.evaluate({})
        return tuple(shape), tuple(strides), offset - base.evaluate({})[2]

    def evaluate(self, sizes):
        """Returns (sizes, strides, offset) in a call, for `as_strided`."""
        values = evaluate(self._code, sizes)
        rank = len(self.shape)
        return values[:rank], values[rank:-1], values[-1]

    def __eq__(self, other):
        return ((self.shape, self._strides, self._offset, self._dtype)
                == (other.shape, other._strides, other._offset, other._dtype))


class _Decided:
    """A choice between a view and a copy that can be told: a condition of the recording."""

    def __init__(self, choice, is_told_apart):
        self._choice, self._is_told_apart = choice, is_told_apart
        parts = [[*map(expression_of, part)] for tensor in (choice.tensor, choice.result)
                 for part in (tensor.shape, tensor.stride())]
        self._code = compile_expressions([value for part in parts for value in part])
        self._ranks = len(parts[0]), len(parts[2])
        choice.release()

    def holds(self, sizes):
        values, (own, rank) = evaluate(self._code, sizes), self._ranks
        return self._choice.is_same(values[:own], values[own:2 * own], values[2 * own:2 * own + rank],
                                    values[2 * own + rank:], self._is_told_apart)


class MayBeArgument(UnsupportedError):
    """A result is an argument on one path, and the recording has not tracked on which."""


class _Root:
    """A tensor or number that the compiled program returns. value: what stands for it while the program is recorded."""

    def __init__(self, value):
        self.value, self.found, self.geometry = value, [], None
        self._is_tensor = isinstance(value, torch.Tensor)
        if self._is_tensor:
            self.geometry = _Geometry(value, contiguous_strides(value.shape) if _has_strides_of_paths(value) else None)
            self._is_contiguous = torch._prims_common.is_contiguous_or_false(value)
            # Sizes that only a run knows, such as that of nonzero().
            self.found = [(str(size), dim) for dim, size in enumerate(self.geometry.shape)
                          if is_unbacked(value.shape[dim]) and size.is_Symbol]

    @property
    def is_plain(self):
        """Returns whether a contiguous tensor of the compiled program is the result as it is."""
        return self._is_tensor and self._is_contiguous

    def take(self, tensor, sizes):
        """Returns a result of the compiled program with the strides of eager mode, or as a number."""
        if not self._is_tensor:
            return tensor.item()
        if self._is_contiguous and tensor.is_contiguous():
            return tensor
        shape, strides, _ = self.geometry.evaluate(sizes)
        if tensor.stride() == tuple(strides):
            return tensor
        return torch.empty_strided(shape, strides, dtype=tensor.dtype).copy_(tensor)


def _has_strides_of_paths(tensor):
    found = getattr(tensor.fake_mode.shape_env, "strides_of_paths", ())
    return any(isinstance(stride, torch.SymInt) and stride.node.expr in found for stride in tensor.stride())


def _check(tensor):
    if not tensor.is_cpu:
        raise Error(f"expected tensors on the cpu, got one on {tensor.device}")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise Error("gradients are not computed: call under torch.no_grad()")


def _fits(sizes, shape):
    """Returns whether the sizes are those of `shape`, in which None stands for any size."""
    return len(sizes) == len(shape) and all(size in (None, given) for size, given in zip(shape, sizes))


def _as_tensor(value):
    if isinstance(value, torch.Tensor):
        return value
    return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else torch.int64)


class RecordedProgram:
    """Runs a recorded program.

    passed: the positions of the arguments of a call that the program gets; the others are constants.
    """

    def __init__(self, recorder, passed, results, name, options):
        self.__name__ = name
        self._passed = passed
        # A tensor of the program that it only returns becomes an argument here.
        results = [recorder.lift(value) if isinstance(value, torch.Tensor) else value
                   for value in results]
        for value in results:
            recorder.pairs.check_result(value)
        self._owned, self._looked_up = list(recorder.owned), {}
        symbols = recorder.size_symbols()
        quotients = getattr(recorder.fake_mode.shape_env, "quotients", {})
        places = {symbol: (passed[order], dim, 1) for symbol, (order, dim) in symbols.items()}
        for symbol, (size, number) in quotients.items():
            position, dim, known = places[size]
            places[symbol] = position, dim, known * number
        places.update((symbol, (passed[order], -1, 1)) for symbol, order in recorder.numbers.items())
        # For each symbol its name, the position in a call, the dim there or -1 for a number, and what divides the size.
        self.symbols = [(str(symbol), *place) for symbol, place in places.items()]
        self._symbols = {*symbols, *quotients, *recorder.numbers}
        self._written = recorder.aliases.written_arguments()
        self._geometries = [_Geometry(fake) for fake in recorder.arguments]
        # Sizes that are the same in every call; None for the others.
        self._shapes = [tuple(size if isinstance(size, int) else None for size in geometry.shape)
                        for geometry in self._geometries]
        self._orders = [find_permutation(fake) for fake in recorder.arguments]
        # The arguments of a call that have fixed sizes.
        self._fixed = [(i, shape) for i, shape in zip(passed, self._shapes) if any(s is not None for s in shape)]
        self._choices = [_Decided(choice, is_told_apart) for choice, is_told_apart in
                         recorder.views.observable_choices([v for v in results if isinstance(v, torch.Tensor)])]
        self._bound = set()  # arguments that results are views of
        self._given = {}  # results, by what their storages may be
        self._roots = []
        self._plan = [self._plan_result(recorder, value) for value in results]
        self._found = {}  # numbers that only a run knows, by name, as the positions of roots
        self._add_numbers(recorder)
        roots = [recorder.number_of(root.value) for root in self._roots]
        self._given.clear()
        for root in self._roots:
            root.value = None  # the recording is over
        output = recorder.emit("prim::TupleConstruct", roots)
        self._options = options
        self._files = recorder.files
        self._graph = {"inputs": recorder.inputs, "nodes": recorder.nodes, "outputs": [output]}
        first = len(passed)
        self._set_constants({first + i: (tensor, self._orders[first + i])
                             for i, tensor in enumerate(recorder.owned)
                             if first + i not in self._written | self._bound})

    def _set_constants(self, tensors):
        self._constants = Constants(tensors)
        #: The positions of the tensors that the binaries get; another tuple whenever what is constant changes.
        self.free = tuple(i for i in range(len(self._orders)) if i not in self._constants)
        self._binaries = Binaries(self._write, self.__name__, *self._options)

    @property
    def binaries(self):
        """The artifacts, as a tuple that never changes."""
        return self._binaries.known

    def look_up(self, recorder, tensor, get):
        """Makes each call use the result of `get` for `tensor`, a tensor of the program."""
        for i, owned in enumerate(recorder.owned):
            if owned is tensor:
                self._looked_up[i] = get
                self._set_constants({})

    def fits(self, arguments):
        """Returns whether the arguments have the sizes that the program is fixed to."""
        return all(_fits(arguments[i].shape, shape) for i, shape in self._fixed)

    def describe_sizes(self):
        """Returns a text for each argument with sizes that the program is fixed to."""
        return [f"argument {i} has the sizes {['any' if s is None else s for s in shape]}" for i, shape in self._fixed]

    @property
    def has_choices(self):
        """Whether there is something for `copies_alike` to decide."""
        return bool(self._choices)

    def needs_gradients(self):
        """Returns whether a tensor that the binaries contain has gradients."""
        return any(tensor.requires_grad for tensor in self._constants)

    def holds_constants(self):
        """Returns whether the tensors that the binaries contain are as they were."""
        return self._constants.hold()

    def copies_alike(self, sizes):
        """Returns whether a call copies what the recording copies, and gives results of the same strides."""
        return all(decided.holds(sizes) for decided in self._choices)

    def find_sizes(self, arguments):
        """Returns the values of the symbols in a call, by name."""
        return {name: arguments[i] if dim < 0 else arguments[i].shape[dim] // number for name, i, dim, number in self.symbols}

    def prepare(self, *arguments):
        """Compiles for calls like this one, without running."""
        tensors, _ = self._bind(arguments)
        self._binaries.prepare([tensors[i] for i in self.free])

    def __call__(self, *arguments):
        """Returns the results in order."""
        tensors, sizes = self._bind(arguments)
        return self.run(tensors, sizes)

    def run_fitting(self, arguments, sizes):
        """Returns the results for arguments that fit the recording, also in the order of their dims in memory.

        sizes: the result of find_sizes.
        """
        return self.run(self._find_tensors(arguments), sizes)

    def _find_tensors(self, arguments):
        """Returns the tensors that a call passes, and after them the program's own."""
        return [_as_tensor(arguments[i]) for i in self._passed] + self.find_owned()

    def find_owned(self):
        """Returns the program's own tensors."""
        owned = list(self._owned)
        for i, get in self._looked_up.items():
            owned[i] = get()
        return owned

    def run(self, tensors, sizes):
        if not self.holds_constants():
            self._set_constants({})
        if torch.is_grad_enabled():
            for tensor in self._constants:
                _check(tensor)
        free, passed = [], []
        for i in self.free:
            tensor, order = tensors[i], self._orders[i]
            _check(tensor)
            free.append(tensor)
            passed.append(tensor.detach().permute(order) if order else tensor.detach())
        return self._make_results(tensors, self._binaries.run(free, passed), sizes)

    # Calls that are run elsewhere.

    def shapes_of_arguments(self):
        """Returns the sizes of each tensor that a call passes, by its position in the call; None for those that are open."""
        numbers = {i for _, i, dim, _ in self.symbols if dim < 0}
        return {i: shape for i, shape in zip(self._passed, self._shapes) if i not in numbers}

    def sources(self):
        """Returns for each tensor that the binaries get (its position in the call, or -1 - i for tensor i of the program's own;
        the order of its dims in memory or None)."""
        count = len(self._passed)
        return [(self._passed[i] if i < count else count - 1 - i, self._orders[i] or None) for i in self.free]

    def describe_result(self, i):
        """Returns how a result is made: (kind, position or value, view).

        kind: "root", "argument" with the position in the call, or "constant"; None if a call has to compute more. view: None, or the
        result of _Geometry.find_view.
        """
        kind, what, *geometries = self._plan[i]
        if kind == "constant":
            return kind, what, None
        is_whole = geometries == [None]
        view = None if is_whole or kind not in ("root", "argument") else geometries[0].find_view(geometries[1])
        if kind == "root" and self._roots[what].is_plain and not self._found and (is_whole or view):
            return kind, what, view
        if kind == "argument" and what < len(self._passed) and (is_whole or view):
            return kind, self._passed[what], view
        return None, None, None

    # Results.

    def finish(self, arguments, sizes, made):
        """Returns the results of a call that was run elsewhere. made: what the compiled program returned."""
        return self._make_results([arguments[i] for i in self._passed] + self.find_owned(), made, sizes)

    def _make_results(self, tensors, made, sizes):
        """Returns the results in order. made: what the compiled program returns."""
        for root, tensor in zip(self._roots, made):
            for name, dim in root.found:
                sizes[name] = tensor.shape[dim]
        for name, i in self._found.items():
            sizes[name] = made[i].item()
        roots = [root.take(tensor, sizes) for root, tensor in zip(self._roots, made)]
        return [self._make(step, tensors, roots, sizes) for step in self._plan]

    def _plan_result(self, recorder, value):
        """Returns a description of how a call makes this result: (kind, ...)."""
        if isinstance(value, torch.Tensor):
            whole = recorder.aliases.whole_of(value)
            if whole is not None:
                self._check_either(recorder, value)
                view = (_Geometry(value), _Geometry(whole)) if value is not whole else (None,)
                return ("either", self._add_root(whole), self._add_root(recorder.aliases.origin_of(whole)), *view)
            geometry = _Geometry(value)
            self._check_aliases(recorder, value)
            kind, maker = recorder.aliases.find_maker(value)
            if kind == "argument":
                self._bound.add(maker)
                base = self._geometries[maker]
            else:
                is_whole = maker is value
                kind, maker = "root", self._add_root(maker)
                if is_whole:
                    return (kind, maker, None)
                base = self._roots[maker].geometry
            return (kind, maker, *((None,) if geometry == base else (geometry, base)))
        if isinstance(value, torch.SymInt):
            expression = expression_of(value)
            if isinstance(expression, int):
                return ("constant", expression)
            if expression.free_symbols <= self._symbols:
                return ("size", compile_expressions([expression]))
        if isinstance(value, SYMBOLS):
            return ("root", self._add_root(value), None)
        if value is None or isinstance(value, (bool, int, float, str)):
            return ("constant", value)
        raise UnsupportedError([f"a result is a {type(value).__name__}: return tensors, numbers and strings, "
                                "in lists, tuples and dicts"])

    def _check_either(self, recorder, value):
        """Checks a result of which a run tells which argument it is, or is a view of, or that it is none."""
        bases = recorder.aliases.find_bases(value)
        self._check_bases(recorder, value, [base for base in bases if base[1][0] != "argument"])
        self._bound.update(order for _, (kind, order), _ in bases if kind == "argument")

    def _check_aliases(self, recorder, value):
        """Refuses a result if only a run decides whether it shares storage with an argument or another result."""
        bases = recorder.aliases.find_bases(value)
        if len(bases) == 1 and bases[0][0][0] == storage_of(value):
            bases = [(bases[0][0], ("made", value), None)]  # an argument is returned as it is
        self._check_bases(recorder, value, bases)

    def _check_bases(self, recorder, value, bases):
        for key, (kind, _), count in bases:
            others = self._given.setdefault(key, [])
            others.append((value, count))
            is_free = kind == "made" and not any(storage_of(other) != storage_of(value) and recorder.aliases.may_share(other, value)
                                                 and not has_iterations(limit) for other, limit in others)
            if is_free or has_iterations(count):
                continue
            what = "an argument" if kind == "argument" else "another result"
            error = MayBeArgument if kind == "argument" else UnsupportedError
            raise error([f"a result may be {what} or not, which only a run decides: clone it"])

    def _add_root(self, value):
        for i, known in enumerate(self._roots):
            if known.value is value:
                return i
        self._roots.append(_Root(value))
        return len(self._roots) - 1

    def _add_numbers(self, recorder):
        """Adds a root for each number that the geometry of results contains and that only a run knows."""
        geometries = [root.geometry for root in self._roots if root.geometry is not None]
        geometries += [part for step in self._plan for part in step[2:] if isinstance(part, _Geometry)]
        known = {name for root in self._roots for name, _ in root.found}
        for symbol in {symbol for geometry in geometries for symbol in geometry.symbols} - self._symbols:
            if str(symbol) in known:
                continue
            value = recorder.find_number(symbol)
            if value is None:
                raise UnsupportedError(["the size, the place or the strides of a result are known inside of a loop or branch "
                                        "only: clone() the result there"])
            self._found[str(symbol)] = self._add_root(value)

    @staticmethod
    def _make(step, tensors, roots, sizes):
        kind, what = step[:2]
        if kind == "constant":
            return what
        if kind == "size":
            return evaluate(what, sizes)[0]
        view = step[2:]
        if kind == "either":
            order, *view = roots[step[2]], *step[3:]
            base = roots[what] if order == MADE else tensors[order]
        else:
            base = tensors[what] if kind == "argument" else roots[what]
        if view[0] is None:
            return base
        geometry, recorded = view
        return geometry.view(base, recorded, sizes)

    # Arguments.

    def _bind(self, arguments):
        """Returns the tensors that the program gets in a call, and the values of the symbols."""
        tensors = self._find_tensors(arguments)
        for i, (tensor, shape) in enumerate(zip(tensors, self._shapes)):
            if not _fits(tensor.shape, shape):
                raise Error(f"{self.__name__}: argument {i} has the sizes {list(tensor.shape)}, expected "
                            + str([size or "any" for size in shape]))
        sizes = self.find_sizes(arguments)
        return [self._reorder(i, tensor, sizes) for i, tensor in enumerate(tensors)], sizes

    def _reorder(self, i, tensor, sizes):
        """Returns the tensor in the order of dims in memory that it had in the recording."""
        if find_permutation(tensor) == self._orders[i]:
            return tensor
        if i in self._written or i in self._bound:
            raise Error(f"{self.__name__}: argument {i} is written or returned, and was "
                        f"recorded with other strides: record it with strides like these")
        shape, strides, _ = self._geometries[i].evaluate(sizes)
        return torch.empty_strided(shape, strides, dtype=tensor.dtype).copy_(tensor)

    def _name_sizes(self):
        """Returns {size: name} of the sizes and of what their factors multiply."""
        names = {}
        for i, geometry in enumerate(self._geometries):
            for dim, size in enumerate(geometry.shape):
                names.setdefault(size, f"argument.{i}.{dim}")
        for size, name in [*names.items()]:
            factor, base = self._split(size)
            names.setdefault(base, f"({name}/{factor})")
        return names

    @staticmethod
    def _split(size):
        """Returns a number that divides a size in every call, and the quotient."""
        factor, base = size.as_coeff_Mul() if isinstance(size, sympy.Mul) else (1, size)
        return int(factor), base

    def _write(self, free, folder):
        """Returns the text of the program for arguments like `free`, and writes its constants to the folder."""
        places = self._constants.write(folder)
        values = dict(zip(self.free, free))
        names, arguments = self._name_sizes(), []
        for i, geometry in enumerate(self._geometries):
            literal = describe(self._owned[i - len(self._passed)] if i in places else values[i], f"argument.{i}")
            literal["symbols"] = [names[size] if fixed is None else None
                                  for size, fixed in zip(geometry.shape, self._shapes[i])]
            literal["factors"] = [self._split(size)[0] for size in geometry.shape]
            literal["bases"] = [names[self._split(size)[1]] for size in geometry.shape]
            if i in places:
                literal["data"] = places[i]
            arguments.append(literal)
        return make_program(self.__name__, self._files, arguments, self._graph)
