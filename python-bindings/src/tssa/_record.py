# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records the operators that PyTorch dispatches, as the graph in the text that tssa-compile reads.

A program runs once on fake tensors under a Recorder, which writes down every ATen call: the
overload, its arguments in the order of the schema, and what it gives. See
docs/decisions/0008-recording-pytorch.md of the sources, and lib/Import/PyTorch/README.md
for the text.
"""

import contextlib
import functools
import sys

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ._aliases import Aliases
from ._decompositions import find_decomposition
from ._errors import UnsupportedError
from ._expressions import SYMBOLS, Expressions, is_symbolic, is_unbacked
from ._text import describe, scalar_type_code
from ._tool import list_operators
from ._values import is_contiguous_now, is_permuted

# Reshapes that eager does as views: whether strides allow it is not asked again.
_RENAMED = {"aten::view": "tssa::view", "aten::_unsafe_view": "tssa::view"}
# Operators that give a view or a copy, by strides, which the recorder knows: they are recorded as what they
# come to. Decompositions call them as they are.
_VIEW_OR_COPY = {torch.ops.aten.reshape.default, torch.ops.aten.contiguous.default,
                 torch.ops.aten.flatten.using_ints, torch.ops.aten.reshape_as.default}
# How often an operator may stand in its own decomposition: as often as it has dims, say.
_MAX_NESTED = 8
# Fake tensors without elements have a maximum; eager's have none.
_NEEDING_ELEMENTS = (torch.ops.aten.max.default, torch.ops.aten.min.default)
_LAYOUT_CODES = {torch.strided: 0}
_FORMAT_CODES = {torch.contiguous_format: 0, torch.preserve_format: 1, torch.channels_last: 2,
                 torch.channels_last_3d: 3}
# Operators that PyTorch takes apart before a dispatch mode sees them, and the compiler knows whole.
_WHOLE = {function: torch.ops.aten.matmul.default
          for function in (torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__)}
_WHOLE[torch.nn.functional.linear] = torch.ops.aten.linear.default


class WholeOperators(TorchFunctionMode):
    """Records the operators of _WHOLE as they are called."""

    def __init__(self, recorder):
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        # Autocast converts what stands below.
        if func in _WHOLE and kwargs.keys() <= {"bias"} and not torch.is_autocast_enabled("cpu"):
            return self._recorder.record_whole(_WHOLE[func], (*args, *kwargs.values()))
        return func(*args, **kwargs)


def operator_name(overload):
    """What the text calls an overload: 'aten::add.Tensor', 'aten::relu'."""
    schema = overload._schema
    name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
    return _RENAMED.get(name, name)


def written_arguments(schema):
    return [a for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]


@functools.lru_cache(maxsize=None)
def find_functional(overload):
    """Returns the functional overload that computes what an in-place or out= overload writes, or None."""
    schema = overload._schema
    if not written_arguments(schema):
        return None
    name = schema.name.split("::")[1]
    packet = getattr(torch.ops.aten, name, None)
    if name.endswith("_") and not name.endswith("__"):
        packet = getattr(torch.ops.aten, name[:-1], None)
    if packet is None or schema.name.split("::")[0] != "aten":
        return None
    wanted = [(a.name, str(a.type)) for a in schema.arguments if not a.is_out]
    for candidate in packet.overloads():
        found = getattr(packet, candidate)
        arguments = [(a.name, str(a.type)) for a in found._schema.arguments]
        if arguments == wanted and not written_arguments(found._schema):
            return found
    return None


def gives_view(overload):
    """Returns whether the result is a view of an argument that is not written."""
    return any(r.alias_info is not None and not r.alias_info.is_write
               for r in overload._schema.returns)


class DecidesShape(Exception):
    """A number among the arguments splits a dim: programs are better for one value of it."""

    def __init__(self, symbols):
        super().__init__("a number of the program splits a dim")
        self.symbols = symbols


class DependsOnOnes(Exception):
    """Raised if the behaviour of the program depends on a size of 1."""


class Recorder(TorchDispatchMode):
    """Records all calls while this is the innermost mode.

    inputs: the numbers of the graph's inputs. arguments: the fake tensors that they are.
    owned: real tensors of the program itself; they are inputs behind those that
    `add_argument` was called for. place: (file, line) of what runs, if the caller knows it.
    """

    def __init__(self, fake_mode):
        super().__init__()
        self.fake_mode = fake_mode
        self.files, self.nodes, self.inputs, self.arguments = [], [], [], []
        self.owned = []
        self.numbers = {}  # {symbol: order of the argument} of numbers among the arguments
        self.place = None
        self.fixes_numbers = False  # whether DecidesShape is raised
        self.aliases = Aliases()
        self._count = 0
        self._numbers = {}  # value numbers of fake tensors, by id
        self._alive = []  # so that ids stay
        self._fakes = {}  # fakes of real tensors, by id
        self._constants = {}
        self._decomposed = []  # operators that are being decomposed
        self._is_silent = False
        self._first_number = 0  # of the block that is being recorded
        self.permuted = []  # tensors that must not be contiguous in a call
        self._copies = []  # (tensor, copy) where eager copies unless the tensor is contiguous
        self._expressions = Expressions(self)

    # What a program has.

    def add_argument(self, fake):
        """Adds a tensor that every call passes, and returns its value number."""
        number = self._new_number()
        self.inputs.append(number)
        self.aliases.add_argument(fake, len(self.arguments))
        self.arguments.append(fake)
        self.bind(fake, number)
        return number

    def is_unknown(self, value):
        """Returns whether `value` is a symbol that no argument so far determines."""
        return (isinstance(value, (torch.SymInt, torch.SymFloat))
                and not self._expressions.knows(value))

    def add_number(self, value):
        """Adds a size or number that every call passes, as a tensor of rank 0."""
        dtype = torch.int64 if isinstance(value, torch.SymInt) else torch.float64
        with self.fake_mode:
            fake = torch.empty((), dtype=dtype)
        self.numbers[value.node.expr] = len(self.arguments)
        self.bind(value, self.emit("aten::item", [self.add_argument(fake)]))

    def number_of(self, value):
        """Returns the value number of a tensor, a size or a constant."""
        if isinstance(value, torch.Tensor):
            return self._numbers[id(self.lift(value))]
        if isinstance(value, SYMBOLS):
            return self._expressions.number_of(value)
        if isinstance(value, (list, tuple)) and not all(_is_constant(v) for v in value):
            return self.emit("prim::ListConstruct", [self.number_of(v) for v in value])
        return self._constant(value)

    def emit(self, op, inputs):
        """Adds a node with one result, and returns the result's value number."""
        number = self._new_number()
        self._append(op, inputs, [number])
        return number

    def check_divisor(self, expression):
        """Checks that a divisor is not 0, which is an error in Python; with a guard if a call determines the number."""
        symbols = expression.free_symbols
        if symbols and symbols <= self.fake_mode.shape_env.backed_var_to_val.keys() and not (
                self.fake_mode.shape_env.evaluate_expr(sympy.Ne(expression, 0))):
            raise ZeroDivisionError("division by zero")

    def truth_of(self, value):
        """Returns the value number of a bool, or of a tensor of one element as a bool."""
        number = self.number_of(value)
        return self.emit("aten::Bool.Tensor", [number]) if isinstance(value, torch.Tensor) else number

    @contextlib.contextmanager
    def block(self, block=None):
        """Yields a block into which the context records: a block of a node, or the rest of one."""
        outer = self.nodes, self._constants, self._first_number
        if block is None:
            block = _Block(inputs=[], nodes=[], outputs=[])
            block.constants, block.scope = dict(self._constants), self._expressions.copy_scope()
            block.first_number = self._count
        self.nodes, self._constants, self._first_number = block["nodes"], block.constants, block.first_number
        try:
            with self._expressions.use_scope(block.scope):
                yield block
        finally:
            self.nodes, self._constants, self._first_number = outer

    @contextlib.contextmanager
    def silence(self):
        """Records nothing in the context."""
        outer, self._is_silent = self._is_silent, True
        try:
            yield
        finally:
            self._is_silent = outer

    def adopt(self, block):
        """Appends the contents of the block to the current one."""
        self.nodes += block["nodes"]
        self._constants.update(block.constants)
        self._expressions.adopt(block.scope)

    def known_symbols(self):
        """Returns the symbols that are known now."""
        return self._expressions.symbols()

    def add_block_input(self, block, value):
        """`value`, a tensor or size that nothing has made yet, is an input of the block."""
        number = self._new_number()
        block["inputs"].append(number)
        self.bind(value, number)

    def emit_blocks(self, op, inputs, blocks, results):
        """Adds a node with blocks that produces `results`."""
        outputs = [self._new_number() for _ in results]
        self._append(op, inputs, outputs, blocks=blocks)
        for value, number in zip(results, outputs):
            self.bind(value, number)

    def fresh_like(self, values):
        """Returns new tensors of the types and sizes of `values`; values other than tensors are unchanged."""
        with self.silence():
            return [torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
                    if isinstance(value, torch.Tensor) else value for value in values]

    def decide_copies(self, results):
        """Adds guards that eager mode copies where the recording does, if a copy can be told from a view."""
        for tensor, copy in self._copies:
            if not self.aliases.are_told_apart(tensor, copy, results):
                continue
            if any(is_unbacked(size) for size in tensor.shape):
                raise UnsupportedError([self.locate("only a run knows whether contiguous() or reshape() copies: "
                                                    "call clone()")])
            if is_permuted(tensor) and not is_contiguous_now(tensor):
                self.permuted.append(tensor)
            elif any(is_symbolic(size) and size == 1 for size in tensor.shape):
                raise DependsOnOnes

    def size_symbols(self):
        """Returns {symbol: (order of an argument, dim)} for the sizes that are free."""
        return self._expressions.bound_to(self.inputs)

    # Recording.

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if self._is_silent:
            return func(*args, **(kwargs or {}))
        args, kwargs = pytree.tree_map_only(torch.Tensor, self.lift, (args, kwargs or {}))
        if not isinstance(func, torch._ops.OpOverload):
            raise UnsupportedError([self.locate(f"{func} is not supported")])
        functional = find_functional(func)
        if functional is not None and operator_name(func) not in list_operators():
            change = self._change_shape if gives_view(functional) else self._write
            return change(func, functional, args, kwargs)
        if func is torch.ops.aten.lift_fresh.default:  # torch.tensor(): another one in each call
            with self:
                return args[0].clone()
        if func in _VIEW_OR_COPY:
            with self:
                return func.decompose(*args, **kwargs)
        result = self._decompose(func, args, kwargs)
        if result is not NotImplemented:
            return result
        if self.fixes_numbers and operator_name(func) == "tssa::view":
            self._check_split(args[1])
        if func.overloadpacket is torch.ops.aten.squeeze:
            _decide_ones(args[0], args[1:])
        if func in _NEEDING_ELEMENTS and 0 in args[0].shape:
            raise RuntimeError(f"{func._schema.name.split('::')[1]}(): Expected reduction dim to be specified for "
                               "input.numel() == 0. Specify the reduction dim with the 'dim' argument.")
        result = func(*args, **kwargs)
        if func is torch.ops.aten.clone.default and kwargs.get("memory_format") == torch.contiguous_format:
            self._copies.append((args[0], result))
        targets = self._find_targets(func, args, kwargs)
        if targets or not _is_constant(result):
            self._record(func, args, kwargs, result)
        for target in targets:
            self.aliases.write(target)
        return result

    def _check_split(self, shape):
        found = {symbol for size in shape if isinstance(size, torch.SymInt)
                 for symbol in size.node.expr.free_symbols if symbol in self.numbers}
        if found:
            raise DecidesShape(found)

    def _decompose(self, func, args, kwargs):
        """Returns the result of `func` by a decomposition, or NotImplemented if `func` itself is recorded."""
        if func.namespace == "prim":  # what a fake tensor is asked: its device
            return NotImplemented
        # An operator that comes again and again in its own decomposition has none.
        if operator_name(func) in list_operators() or self._decomposed.count(func) > _MAX_NESTED:
            return NotImplemented
        decomposition = find_decomposition(func)
        if decomposition is None:
            return NotImplemented
        self._decomposed.append(func)
        try:
            with self:
                return decomposition(*args, **kwargs)
        finally:
            self._decomposed.pop()

    def lift(self, tensor):
        """Returns a fake tensor unchanged; for a real one, which the program owns, the argument that it becomes."""
        if isinstance(tensor, FakeTensor):
            return tensor
        if id(tensor) not in self._fakes:
            fake = self.fake_mode.from_tensor(tensor, static_shapes=True)
            self._fakes[id(tensor)] = fake
            self.owned.append(tensor)
            self.add_argument(fake)
        return self._fakes[id(tensor)]

    def record_whole(self, func, args):
        """Records an operator that is not decomposed, and returns its result."""
        args = pytree.tree_map_only(torch.Tensor, self.lift, args)
        with self.silence():
            result = func(*args)
        self._record(func, args, {}, result)
        return result

    def _record(self, func, args, kwargs, result):
        inputs = [self.number_of(value) for value in self._complete(func, args, kwargs, result)]
        outputs, unpacked = [], []
        returns = func._schema.returns
        for value in [result] if len(returns) == 1 else result or ():
            number = self._new_number()
            outputs.append(number)
            if isinstance(value, (list, tuple)):
                unpacked.append((number, value))
            else:
                self.bind(value, number)
        self._append(operator_name(func), inputs, outputs)
        for number, values in unpacked:
            elements = [self._new_number() for _ in values]
            self._append("prim::ListUnpack", [number], elements)
            for value, element in zip(values, elements):
                self.bind(value, element)

    def _complete(self, func, args, kwargs, result):
        """Returns the arguments, with the element type that follows from PyTorch's default."""
        call = _in_order(func, args, kwargs)
        values = [value for _, value in call]
        made = next((value for value in pytree.tree_leaves(result) if isinstance(value, torch.Tensor)), None)
        given = {value.dtype for value in pytree.tree_leaves(values) if isinstance(value, torch.Tensor)}
        if made is None or not made.dtype.is_floating_point or any(dtype.is_floating_point for dtype in given):
            return values
        names = [argument.name for argument, _ in call]
        if "dtype" in names:
            return [made.dtype if name == "dtype" and value is None else value for name, value in zip(names, values)]
        if made.dtype != torch.float32:
            raise UnsupportedError([self.locate(f"{operator_name(func)} gives {made.dtype}, the default type")])
        return values

    def _write(self, func, functional, args, kwargs):
        """Records the functional form of an in-place or out= form, then a copy to each argument that it writes."""
        targets = self._find_targets(func, args, kwargs)
        shapes = [target.shape for target in targets]
        result = func(*args, **kwargs)
        if [target.shape for target in targets] != shapes:
            raise UnsupportedError([self.locate(
                f"{operator_name(func)} gives its target another size: make it of the right size")])
        # By the schema of what is called: the functional form may lack its defaults.
        given = [(argument, value) for argument, value in _in_order(func, args, kwargs) if not argument.is_out]
        with self:
            made = functional(*[value for argument, value in given if not argument.kwarg_only],
                              **{argument.name: value for argument, value in given if argument.kwarg_only})
            for target, value in zip(targets, pytree.tree_leaves(made), strict=True):
                target.copy_(value)
        return result

    def _change_shape(self, func, functional, args, kwargs):
        """Records t_, squeeze_ and others: the tensor becomes the view that the functional form returns."""
        target = args[0]
        if any(target is argument for argument in self.arguments):
            raise UnsupportedError([self.locate(
                f"{operator_name(func)} changes the shape of an argument: give it a new name")])
        if self.number_of(target) < self._first_number:
            raise UnsupportedError([self.locate(f"{operator_name(func)} changes the shape of a tensor in a loop "
                                                f"or branch that only a run decides about: give it a new name")])
        with self:
            view = functional(*args, **kwargs)
        func(*args, **kwargs)
        self._numbers[id(target)] = self._numbers[id(view)]
        return target

    @staticmethod
    def _find_targets(func, args, kwargs):
        written = written_arguments(func._schema)
        values = [value for argument, value in _in_order(func, args, kwargs) if argument in written]
        return [value for value in pytree.tree_leaves(values) if isinstance(value, torch.Tensor)]

    # Values and nodes.

    def bind(self, value, number):
        """Makes `number` the value number of `value`, unless it has one."""
        if isinstance(value, torch.Tensor):
            self._alive.append(value)
            self._numbers.setdefault(id(value), number)
            self.aliases.add(value)
            for dim, size in enumerate(value.shape):
                self._expressions.bind_size(size, number, dim)
        elif isinstance(value, SYMBOLS):
            self._expressions.bind(value, number)

    def _new_number(self):
        self._count += 1
        return self._count - 1

    def _constant(self, value):
        value = _encode(value)
        key = repr(value)
        if key not in self._constants:
            self._constants[key] = self._new_number()
            self.nodes.append({"op": "prim::Constant", "in": [], "out": [self._constants[key]],
                               "value": describe(value, "a constant")})
        return self._constants[key]

    def _append(self, op, inputs, outputs, **parts):
        node = {"op": op, "in": inputs, "out": outputs, **parts}
        place = self.place or _find_place()
        if place is not None:
            file, line = place
            if file not in self.files:
                self.files.append(file)
            node["at"] = [self.files.index(file), line, 0]
        self.nodes.append(node)

    def locate(self, text):
        """Returns the text, preceded by the location in the user's program if that is known."""
        place = self.place or _find_place()
        return f"{place[0]}:{place[1]}: {text}" if place else text


class _Block(dict):
    """What the text says of a block. constants, scope, first_number: what the recorder knows in it."""


def _decide_ones(tensor, dims):
    """Adds guards for whether the sizes that squeeze() tests are 1."""
    chosen = pytree.tree_leaves(dims) if dims else range(tensor.dim())
    for dim in chosen:
        if tensor.dim() and not is_unbacked(tensor.shape[dim]):
            bool(tensor.shape[dim] == 1)


def _in_order(func, args, kwargs):
    """Returns [(argument of the schema, value)] of a call."""
    values = []
    for i, argument in enumerate(func._schema.arguments):
        if i < len(args):
            values.append((argument, args[i]))
        else:
            values.append((argument, kwargs.get(argument.name, argument.default_value)))
    return values


def _is_constant(value):
    if isinstance(value, (list, tuple)):
        return all(_is_constant(v) for v in value)
    return not isinstance(value, (torch.Tensor, *SYMBOLS))


def _encode(value):
    """Returns a constant in the form of the text, where types, layouts and formats are ints."""
    if isinstance(value, torch.dtype):
        return scalar_type_code(value)
    if isinstance(value, torch.layout):
        return _LAYOUT_CODES.get(value, -1)
    if isinstance(value, torch.memory_format):
        return _FORMAT_CODES[value]
    if isinstance(value, (list, tuple)):
        return [_encode(v) for v in value]
    return value


def _find_place():
    """Returns the innermost line of the call stack outside PyTorch and this package."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("torch.", "tssa.")) and name not in ("torch", "tssa"):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None
