# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Recorded programs: their text, and their results in the form of eager mode."""

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from ._aliases import storage_of
from ._binaries import Binaries
from ._constants import Constants
from ._errors import Error, UnsupportedError
from ._expressions import SYMBOLS, compile_expressions, evaluate, expression_of, is_unbacked
from ._record import Recorder, WholeOperators
from ._text import describe, find_permutation, make_program
from ._values import has_contiguous_strides


def record(program, arguments, name, mode=None, target="cpu", device="auto", threads=0):
    """Records `program`, which is called with a Recorder and `arguments`. Returns a RecordedProgram and the recorder.

    arguments: fake tensors of one mode, sizes and numbers as symbols, and constants. mode: that
    mode. The callable gives a list of tensors, sizes, constants and None.
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
    with torch.no_grad(), mode, recorder, WholeOperators(recorder):
        results = program(recorder, *arguments)
    recorder.decide_copies([value for value in results if isinstance(value, FakeTensor)])
    made = RecordedProgram(recorder, tensors + numbers, results, name, target, device, threads)
    return made, recorder


class _Geometry:
    """The sizes, strides and offset of a tensor, which may depend on sizes of arguments."""

    def __init__(self, tensor):
        self.shape, self._strides, self._offset = [
            tuple(map(expression_of, part))
            for part in (tensor.shape, tensor.stride(), (tensor.storage_offset(),))]

        self._code = compile_expressions([*self.shape, *self._strides, *self._offset])

    def evaluate(self, sizes):
        """Returns the (sizes, strides, offset) for a call, as arguments of `as_strided`."""
        values = evaluate(self._code, sizes)
        rank = len(self.shape)
        return values[:rank], values[rank:-1], values[-1]

    def __eq__(self, other):
        return ((self.shape, self._strides, self._offset)
                == (other.shape, other._strides, other._offset))


class _Root:
    """A tensor or number that the compiled program returns."""

    def __init__(self, value):
        self.value, self.found = value, []
        if isinstance(value, torch.Tensor):
            self.geometry = _Geometry(value)
            self._is_contiguous = torch._prims_common.is_contiguous_or_false(value)
            # Sizes that only a run knows, of nonzero() say.
            self.found = [(str(size), dim) for dim, size in enumerate(self.geometry.shape)
                          if is_unbacked(value.shape[dim]) and size.is_Symbol]

    def take(self, tensor, sizes):
        """Converts a result of the compiled program to that of eager mode: a tensor with its strides, or a number."""
        if not isinstance(self.value, torch.Tensor):
            return tensor.item()
        if self._is_contiguous and tensor.is_contiguous():
            return tensor
        shape, strides, _ = self.geometry.evaluate(sizes)
        if tensor.stride() == tuple(strides):
            return tensor
        return torch.empty_strided(shape, strides, dtype=tensor.dtype).copy_(tensor)


def _check(tensor):
    if not tensor.is_cpu or tensor.layout != torch.strided:
        raise Error(f"expected dense tensors on the cpu, got one on {tensor.device}")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise Error("gradients are not computed: call under torch.no_grad()")


def _fits(sizes, shape):
    """Returns whether sizes match `shape`, which has None for sizes that are free."""
    return len(sizes) == len(shape) and all(size in (None, given) for size, given in zip(shape, sizes))


def _as_tensor(value):
    if isinstance(value, torch.Tensor):
        return value
    return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else torch.int64)


class RecordedProgram:
    """Runs a recorded program.

    passed: which arguments of a call the program gets, in its order; others are constants.
    """

    def __init__(self, recorder, passed, results, name, target, device, threads):
        self.__name__ = name
        self._passed = passed
        # A tensor of the program that is nothing but given back becomes an argument here.
        results = [recorder.lift(value) if isinstance(value, torch.Tensor) else value
                   for value in results]
        self._owned, self._looked_up = list(recorder.owned), {}
        symbols = recorder.size_symbols()
        self._sizes = [(str(symbol), place) for symbol, place in symbols.items()]
        self._numbers = [(str(symbol), passed[order]) for symbol, order in recorder.numbers.items()]
        self._symbols = {*symbols, *recorder.numbers}
        self._written = recorder.aliases.written_arguments()
        self._geometries = [_Geometry(fake) for fake in recorder.arguments]
        # Sizes that are the same in every call; None for the others.
        self._shapes = [tuple(size if isinstance(size, int) else None for size in geometry.shape)
                        for geometry in self._geometries]
        self._orders = [find_permutation(fake) for fake in recorder.arguments]
        # The tensors of a call that have such sizes.
        self._fixed = [(i, shape) for i, shape in zip(passed, self._shapes) if any(s is not None for s in shape)]
        self._permuted = [_Geometry(tensor) for tensor in recorder.permuted]
        self._bound = set()  # arguments that results are views of
        self._given = {}  # results, by what their storages may be
        self._roots = []
        self._plan = [self._plan_result(recorder, value) for value in results]
        roots = [recorder.number_of(root.value) for root in self._roots]
        output = recorder.emit("prim::TupleConstruct", roots)
        self._options = target, device, threads
        self._files = recorder.files
        self._graph = {"inputs": recorder.inputs, "nodes": recorder.nodes, "outputs": [output]}
        first = len(passed)
        self._set_constants({first + i: (tensor, self._orders[first + i])
                             for i, tensor in enumerate(recorder.owned)
                             if first + i not in self._written | self._bound})

    def _set_constants(self, tensors):
        self._constants = Constants(tensors)
        self._free = [i for i in range(len(self._orders)) if i not in self._constants]
        self._binaries = Binaries(self._write, *self._options)

    @property
    def num_binaries(self):
        """How many times this program was compiled."""
        return self._binaries.count

    def look_up(self, recorder, tensor, get):
        """Makes each call use the result of `get` for a tensor of the program."""
        for i, owned in enumerate(recorder.owned):
            if owned is tensor:
                self._looked_up[i] = get
                self._set_constants({})

    def fits(self, arguments):
        """Returns whether a call has all sizes that the program is fixed to."""
        return all(_fits(arguments[i].shape, shape) for i, shape in self._fixed)

    def copies_alike(self, sizes):
        """Returns whether a call copies what the recording copies, instead of being contiguous by sizes of 1."""
        return not any(has_contiguous_strides(*geometry.evaluate(sizes)[:2]) for geometry in self._permuted)

    def find_sizes(self, arguments):
        """Returns the values of the symbols for a call, by name."""
        sizes = {name: arguments[self._passed[order]].shape[dim] for name, (order, dim) in self._sizes}
        for name, i in self._numbers:
            sizes[name] = arguments[i]
        return sizes

    def prepare(self, *arguments):
        """Compiles for calls like this one, without running."""
        tensors, _ = self._bind(arguments)
        self._binaries.prepare([tensors[i] for i in self._free])

    def __call__(self, *arguments):
        """Runs the program and returns the results in order."""
        tensors, sizes = self._bind(arguments)
        return self.run(tensors, sizes)

    def run_fitting(self, arguments, sizes):
        """The results for arguments that are like those that the program was recorded with, also in the
        order of their dims in memory. sizes: what find_sizes gives."""
        return self.run(self._find_tensors(arguments), sizes)

    def _find_tensors(self, arguments):
        """Returns the tensors that a call passes, then the program's own."""
        owned = list(self._owned)
        for i, get in self._looked_up.items():
            owned[i] = get()
        return [_as_tensor(arguments[i]) for i in self._passed] + owned

    def run(self, tensors, sizes):
        if not self._constants.hold():
            self._set_constants({})
        if torch.is_grad_enabled():
            for tensor in self._constants:
                _check(tensor)
        free, passed = [], []
        for i in self._free:
            tensor, order = tensors[i], self._orders[i]
            _check(tensor)
            free.append(tensor)
            passed.append(tensor.detach().permute(order) if order else tensor.detach())
        made = self._binaries.run(free, passed)
        for i, root in enumerate(self._roots):
            for name, dim in root.found:
                sizes[name] = made[f"return.{i}"].shape[dim]
        roots = [root.take(made[f"return.{i}"], sizes) for i, root in enumerate(self._roots)]
        return [self._make(step, tensors, roots, sizes) for step in self._plan]

    # Results.

    def _plan_result(self, recorder, value):
        """Returns how a call creates this result: (kind, ...)."""
        if isinstance(value, torch.Tensor):
            geometry = _Geometry(value)
            self._check_aliases(recorder, value)
            kind, maker = recorder.aliases.find_maker(value)
            if kind == "argument":
                self._bound.add(maker)
                base = self._geometries[maker]
            else:
                kind, maker = "root", self._add_root(maker)
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
        raise UnsupportedError([f"a result is a {type(value).__name__}"])

    def _check_aliases(self, recorder, value):
        """What is one of several tensors is given back as itself only if nobody can tell."""
        bases = recorder.aliases.find_bases(value)
        if len(bases) == 1 and bases[0][0][0] == storage_of(value):
            self._given.setdefault(bases[0][0], value)
        else:
            self._check_bases(recorder, value, bases)

    def _check_bases(self, recorder, value, bases):
        for key, (kind, _), count in bases:
            other = self._given.setdefault(key, value)
            is_free = kind == "made" and (other is value or storage_of(other) == storage_of(value))
            if is_free or count is not None and not is_unbacked(count) and bool(count > 0):
                continue
            what = "an argument" if kind == "argument" else "another result"
            raise UnsupportedError([f"a result may be {what} or not, which only a run decides: clone it"])

    def _add_root(self, value):
        for i, known in enumerate(self._roots):
            if known.value is value:
                return i
        self._roots.append(_Root(value))
        return len(self._roots) - 1

    @staticmethod
    def _make(step, tensors, roots, sizes):
        kind, what = step[:2]
        if kind == "constant":
            return what
        if kind == "size":
            return evaluate(what, sizes)[0]
        base = tensors[what] if kind == "argument" else roots[what]
        if step[2] is None:
            return base
        geometry, recorded = step[2:]
        shape, strides, offset = geometry.evaluate(sizes)
        # Where the base stands in its storage may differ from call to call.
        offset += base.storage_offset() - recorded.evaluate(sizes)[2]
        return base.as_strided(shape, strides, offset)

    # Arguments.

    def _bind(self, arguments):
        """Returns the tensors that the program gets for a call, and the sizes of symbols."""
        tensors = self._find_tensors(arguments)
        for i, (tensor, shape) in enumerate(zip(tensors, self._shapes)):
            if not _fits(tensor.shape, shape):
                raise Error(f"{self.__name__}: argument {i} has the sizes {list(tensor.shape)}, expected "
                            + str([size or "any" for size in shape]))
        sizes = self.find_sizes(arguments)
        return [self._reorder(i, tensor, sizes) for i, tensor in enumerate(tensors)], sizes

    def _reorder(self, i, tensor, sizes):
        """Returns the tensor with its dims in the order in memory with which the program was recorded."""
        if find_permutation(tensor) == self._orders[i]:
            return tensor
        if i in self._written or i in self._bound:
            raise Error(f"{self.__name__}: argument {i} is written or given back, and was "
                        f"recorded with other strides: record it with strides like these")
        shape, strides, _ = self._geometries[i].evaluate(sizes)
        return torch.empty_strided(shape, strides, dtype=tensor.dtype).copy_(tensor)

    def _name_sizes(self):
        """For each argument a list: a name for each open size, of the dim that is the first to have it; else None."""
        first = {}
        for i, geometry in enumerate(self._geometries):
            for dim, size in enumerate(geometry.shape):
                first.setdefault(size, f"argument.{i}.{dim}")
        return [[first[size] if fixed is None else None for size, fixed in zip(geometry.shape, shape)]
                for geometry, shape in zip(self._geometries, self._shapes)]

    def _write(self, free, folder):
        """Writes the text of the program for tensors like these, and the constants to files in the folder."""
        places = self._constants.write(folder)
        values = dict(zip(self._free, free))
        arguments = []
        for i, symbols in enumerate(self._name_sizes()):
            literal = describe(self._owned[i - len(self._passed)] if i in places else values[i], f"argument.{i}")
            literal["symbols"] = symbols
            if i in places:
                literal["data"] = places[i]
            arguments.append(literal)
        return make_program(self.__name__, self._files, arguments, self._graph)
