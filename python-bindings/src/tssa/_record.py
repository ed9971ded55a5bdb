# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records the operators that PyTorch dispatches, as the graph in the text that tssa-compile reads.

A program runs once on fake tensors under a Recorder, which writes down every ATen call: the
overload, its arguments in the order of the schema, and its results. See
docs/decisions/0008-recording-pytorch.md of the sources, and lib/Import/PyTorch/README.md
for the text.
"""

import contextlib
import sys

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ._aliases import Aliases
from ._arguments import check_class
from ._complex import Pairs
from ._decompositions import find_decomposition
from ._errors import Signal, UnsupportedError
from ._expressions import SYMBOLS, Expressions
from ._overloads import find_functional, gives_view, operator_name, written_arguments
from ._text import check_tensor, describe, find_permutation, scalar_type_code
from ._tool import list_operators
from ._unseen import is_of_others
from ._values import has_overlap, has_zero, is_contiguous
from ._views import Views

# How often an operator may occur in its own decomposition, for example once for each dim.
_MAX_NESTED = 8
# In eager mode these operators refuse tensors without elements; fake tensors accept them.
_NEEDING_ELEMENTS = (torch.ops.aten.max.default, torch.ops.aten.min.default)
# Element-wise operators of two tensors whose fake results and decompositions have other strides than in eager mode, which
# takes those of TensorIterator.
_ORDERED = (torch.ops.aten.floor_divide.default, torch.ops.aten.div.Tensor_mode, torch.ops.aten.copysign.Tensor,
            torch.ops.aten.xlogy.Tensor, torch.ops.aten.special_xlog1py.default, torch.ops.aten.gcd.default)
# What vmap asks of tensors by operators; the answers are sizes of the fake tensors.
_QUESTIONS = {
    torch.ops.aten.size.default: torch.Tensor.size, torch.ops.aten.size.int: torch.Tensor.size,
    torch.ops.aten.sym_size.default: torch.Tensor.size, torch.ops.aten.sym_size.int: torch.Tensor.size,
    torch.ops.aten.sym_numel.default: torch.Tensor.numel, torch.ops.aten.sym_stride.default: torch.Tensor.stride,
}
# In eager mode these operators refuse a dim that is not there; fake tensors accept it.
_TAKING_ANY_DIM = (torch.ops.aten._softmax.default, torch.ops.aten.sort.default, torch.ops.aten.sort.stable)
# Composite operators that the compiler knows as a whole. All others are decomposed.
_WHOLE = (torch.ops.aten.matmul.default, torch.ops.aten.linear.default)
_LAYOUT_CODES = {torch.strided: 0}
_FORMAT_CODES = {torch.contiguous_format: 0, torch.preserve_format: 1, torch.channels_last: 2,
                 torch.channels_last_3d: 3}


class DecidesShape(Signal):
    """A number among the arguments splits a dim. Programs are faster if it is fixed."""

    def __init__(self, symbols):
        super().__init__("a number of the program splits a dim")
        self.symbols = symbols


class Recorder(TorchDispatchMode):
    """Records all calls while this is the innermost mode.

    inputs: the value numbers of the graph's inputs. arguments: their fake tensors. owned: real tensors
    that belong to the program; they are inputs, after those of `add_argument`. place: (file, line) of
    the call, if the caller knows it.
    """

    supports_higher_order_operators = True  # they come here, to be refused

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
        self.views = Views(self)
        self.pairs = Pairs(self)
        self._nonzero = {}  # (result, nodes of its block) by (value number, number of writes before)
        self._expressions = Expressions(self)
        self._main = _Block(nodes=self.nodes)
        self._main.constants, self._main.scope, self._main.first_number = self._constants, self._expressions.scope(), 0

    # What a program has.

    def add_argument(self, fake):
        """Adds an input for a tensor among the arguments of each call. Returns its value number."""
        number = self._new_number()
        self.inputs.append(number)
        self.aliases.add_argument(fake, len(self.arguments))
        self.arguments.append(fake)
        self.bind(fake, number)
        return number

    def is_unknown(self, value):
        """Returns whether `value` is a symbol that the arguments so far do not determine."""
        return (isinstance(value, (torch.SymInt, torch.SymFloat))
                and not self._expressions.knows(value))

    def add_number(self, value):
        """Adds an input for a size or number among the arguments of each call: a tensor without dims."""
        dtype = torch.int64 if isinstance(value, torch.SymInt) else torch.float64
        with self.fake_mode:
            fake = torch.empty((), dtype=dtype)
        self.numbers[value.node.expr] = len(self.arguments)
        self.bind(value, self.emit("aten::item", [self.add_argument(fake)]))

    def number_of(self, value):
        """Returns the value number of a tensor, a size or a constant."""
        if isinstance(value, torch.Tensor):
            self.pairs.check_value(value)
            return self._numbers[id(self.lift(value))]
        if isinstance(value, SYMBOLS):
            return self._expressions.number_of(value)
        if isinstance(value, (list, tuple)) and not all(_is_constant(v) for v in value):
            return self.emit("prim::ListConstruct", [self.number_of(v) for v in value])
        return self._constant(value)

    def emit(self, op, inputs):
        """Adds a node with one result. Returns its value number."""
        number = self._new_number()
        self._append(op, inputs, [number])
        return number

    def guard_divisor(self, expression):
        """Adds a guard for a divisor that a call knows: not 0, for which Python raises an error."""
        symbols = expression.free_symbols
        if symbols and symbols <= self.fake_mode.shape_env.backed_var_to_val.keys():
            self.fake_mode.shape_env.evaluate_expr(sympy.Ne(expression, 0))

    def truth_of(self, value):
        """Returns the value number of a bool, or of a tensor of one element converted to a bool."""
        number = self.number_of(value)
        return self.emit("aten::Bool.Tensor", [number]) if isinstance(value, torch.Tensor) else number

    @contextlib.contextmanager
    def block(self, block=None):
        """Records meanwhile into a new block of a node, or appends to `block`. Yields the block."""
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
    def before(self, blocks, depth):
        """Records meanwhile before the node of the block blocks[depth]. blocks: those being recorded, the innermost last."""
        with self.block(blocks[depth - 1] if depth else self._main):
            yield
            for block in blocks[depth:]:
                self._expressions.pass_on(block.scope)

    @contextlib.contextmanager
    def silence(self):
        """Records nothing meanwhile."""
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
        """Adds an input to the block for `value`, a tensor or size that no node has made."""
        number = self._new_number()
        for dim, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
            if self.is_unknown(size):
                block.setdefault("open", []).append([len(block["inputs"]), dim])
        block["inputs"].append(number)
        self.bind(value, number)

    def add_counter(self, value, count):
        """Notes the number of an iteration in a loop of `count` iterations, or None if it has no limit."""
        self._expressions.add_counter(value, count)

    def count_of(self, index):
        """Returns the number of iterations that `index` counts, or None."""
        return self._expressions.count_of(index)

    def emit_blocks(self, op, inputs, blocks, results):
        """Adds a node with blocks whose results are `results`."""
        outputs = [self._new_number() for _ in results]
        self._append(op, inputs, outputs, blocks=blocks)
        for value, number in zip(results, outputs):
            self.bind(value, number)

    def fresh_like(self, values):
        """Returns new tensors with the types and sizes of those in `values`, and the other values as they are."""
        with self.silence():
            return [torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
                    if isinstance(value, torch.Tensor) else value for value in values]

    def find_number(self, symbol):
        """Returns the number that a symbol stands for if only a run knows it and the program has computed it, or None."""
        value = self.fake_mode.shape_env.create_symintnode(symbol, hint=None)
        return None if self.is_unknown(value) else value

    def size_symbols(self):
        """Returns {symbol: (order of an argument, dim)} of the open sizes."""
        return self._expressions.bound_to(self.inputs)

    # Recording.

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if self._is_silent:
            return func(*args, **(kwargs or {}))
        if func in _QUESTIONS:
            return _QUESTIONS[func](*args)
        args, kwargs = pytree.tree_map_only(torch.Tensor, self.lift, (args, kwargs or {}))
        if not isinstance(func, torch._ops.OpOverload):
            raise UnsupportedError([self.locate(f"{func.name()} is not supported")])
        if self.pairs.concern(func, args, kwargs):
            return self.pairs.call(func, args, kwargs)
        functional = find_functional(func)
        if functional is not None and operator_name(func) not in list_operators():
            change = self._change_shape if gives_view(functional) else self._write
            return change(func, functional, args, kwargs)
        if func is torch.ops.aten.lift_fresh.default:  # torch.tensor(), which makes a new tensor in each call
            with self:
                return args[0].clone()
        if func is torch.ops.aten._to_copy.default and not isinstance(args[0], torch.Tensor):  # vmap converts a number
            with self:
                return torch.full((), args[0], dtype=kwargs.get("dtype"))
        decided = self.views.functions.get(func)
        if decided is not None:
            result = decided(*args, **kwargs)
            if result is not NotImplemented:
                return result
        if func is torch.ops.aten.nonzero.default:
            return self._find_nonzero(func, args[0])
        result = self._decompose(func, args, kwargs)
        if result is not NotImplemented:
            return result
        if operator_name(func) == "tssa::view":
            self.check_split(args[1])
        if func in _NEEDING_ELEMENTS and has_zero(args[0].shape):
            raise RuntimeError(f"{func._schema.name.split('::')[1]}(): Expected reduction dim to be specified for "
                               "input.numel() == 0. Specify the reduction dim with the 'dim' argument.")
        if func in _TAKING_ANY_DIM:
            _check_dim(func, args, kwargs)
        targets = self._find_targets(func, args, kwargs)
        for target in targets:
            self._check_target(target)
        result = func(*args, **kwargs)
        if targets or not _is_constant(result):
            self._record(func, args, kwargs, result)
        for target in targets:
            self.aliases.write(target)
        return result if targets else self._order_dims(func, args, kwargs, result)

    def _find_nonzero(self, func, tensor):
        """Records nonzero() once for a tensor that is not written in between: so its results have one size."""
        key = self.number_of(tensor), self.aliases.num_writes
        known = self._nonzero.get(key)
        if known is None or known[1] is not self.nodes:
            result = func(tensor)
            self._record(func, (tensor,), {}, result)
            known = self._nonzero[key] = result, self.nodes
        return known[0]

    def call(self, func, *args, **kwargs):
        """Calls an operator and records it."""
        with self:
            return func(*args, **kwargs)

    def record_view(self, func, args, result):
        """Records an operator whose result is known: `result`, a view. Returns it."""
        self._record(func, args, {}, result)
        return result

    def bitcast(self, tensor, dtype):
        """Records a copy of the tensor whose elements have the same bits as another type of the same width."""
        with self.silence():
            result = torch.empty_like(tensor, dtype=dtype, memory_format=torch.contiguous_format)
        self.bind(result, self.emit("tssa::bitcast", [self.number_of(tensor), self.number_of(dtype)]))
        return result

    def emit_dft(self, tensor, dim, length, is_inverse, is_one_sided):
        """Records a Fourier transform of pairs, or of real numbers with a last dim of size 1, along a dim."""
        shape = [*tensor.shape[:-1], 1 if is_inverse and is_one_sided else 2]
        shape[dim] = length // 2 + 1 if is_one_sided and not is_inverse else length
        with self.silence():
            result = torch.empty(shape, dtype=tensor.dtype)
        inputs = [self.number_of(value) for value in (tensor, dim, length, is_inverse, is_one_sided)]
        self.bind(result, self.emit("tssa::dft", inputs))
        return result

    def check_split(self, shape):
        """Raises DecidesShape if an open number among the arguments is one of the sizes."""
        if not self.fixes_numbers:
            return
        found = {symbol for size in shape if isinstance(size, torch.SymInt)
                 for symbol in size.node.expr.free_symbols if symbol in self.numbers}
        if found:
            raise DecidesShape(found)

    def _decompose(self, func, args, kwargs):
        """Returns the result of decomposing `func`, or NotImplemented if `func` itself is recorded."""
        if func.namespace == "prim":  # a question to a fake tensor: its device
            return NotImplemented
        # An operator whose decompositions contain it again and again counts as not decomposable.
        is_known = operator_name(func) in list_operators() and (func in _WHOLE or not func._can_decompose())
        if is_known or self._decomposed.count(func) > _MAX_NESTED:
            return NotImplemented
        decomposition = find_decomposition(func)
        if decomposition is None:
            return NotImplemented
        self._decomposed.append(func)
        try:
            with self:
                made = decomposition(*args, **kwargs)
            return self._order_dims(func, args, kwargs, made)
        finally:
            self._decomposed.pop()

    def _order_dims(self, func, args, kwargs, result):
        """Returns the result of an element-wise operator with its dims in the order in memory that eager mode gives it."""
        tensors = [value for value in pytree.tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
        if func not in _ORDERED or all(map(is_contiguous, tensors)):
            return result
        with self.silence():
            strides = torch._prims_common.compute_elementwise_output_strides(*torch.broadcast_tensors(*tensors))
            wanted = find_permutation(torch.empty_strided(result.shape, strides))
        if wanted is False or wanted == find_permutation(result):
            return result
        order = wanted or range(result.dim())
        with self:
            return result.permute(*order).contiguous().permute(*sorted(range(result.dim()), key=order.__getitem__))

    def lift(self, tensor):
        """Returns a fake tensor, or what is no tensor, itself. A tensor of the program becomes an argument."""
        if isinstance(tensor, FakeTensor) or not isinstance(tensor, torch.Tensor):
            return tensor
        if id(tensor) not in self._fakes:
            check_class(tensor)
            fake = self.fake_mode.from_tensor(tensor, static_shapes=True)
            self._fakes[id(tensor)] = fake
            self.owned.append(tensor)
            self.add_argument(fake)
        return self._fakes[id(tensor)]

    def _record(self, func, args, kwargs, result):
        if torch.Tag.nondeterministic_seeded in func.tags:
            raise UnsupportedError([self.locate(f"{operator_name(func)} is not supported, as it draws random numbers: call "
                                                f"eval() on the module, or pass the numbers as an argument")])
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
        """Returns the arguments of a call, with the `dtype` that PyTorch's default type implies."""
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
            raise UnsupportedError([self.locate(
                f"{operator_name(func)} gives the default type {made.dtype}: make torch.float32 the default "
                "type, or convert the integers before")])
        return values

    def _write(self, func, functional, args, kwargs):
        """Records an in-place or out= form as its functional form and a copy to each argument that it writes."""
        targets = self._find_targets(func, args, kwargs)
        for target in targets:
            self._check_target(target)
        shapes = [target.shape for target in targets]
        result = func(*args, **kwargs)
        if [target.shape for target in targets] != shapes:
            raise UnsupportedError([self.locate(
                f"{operator_name(func)} gives its target another size: make it of the right size")])
        # Defaults come from the schema of the called form; the functional form may have none.
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
        self.check_reshaped(func, target)
        with self:
            view = functional(*args, **kwargs)
        func(*args, **kwargs)
        self._numbers[id(target)] = self._numbers[id(view)]
        return target

    def check_reshaped(self, func, target):
        """Refuses a change of the shape of a tensor that is older than the block that is being recorded."""
        if self.number_of(target) < self._first_number:
            raise UnsupportedError([self.locate(f"{operator_name(func)} changes the shape of a tensor in a loop "
                                                f"or branch that only a run decides about: give it a new name")])

    def _check_target(self, target):
        """Refuses a write to a tensor whose elements share memory."""
        if has_zero(target.stride()):
            raise UnsupportedError([self.locate("a tensor is written whose elements share memory, as expand() makes "
                                                "them: clone() it before")])
        for (storage, _), (kind, order), _ in self.aliases.find_bases(target):
            if kind == "argument" and has_overlap(self.arguments[order]):
                raise UnsupportedError([self.locate("an argument is written whose elements share memory: pass a "
                                                    "clone() of it")])

    @staticmethod
    def _find_targets(func, args, kwargs):
        written = written_arguments(func._schema)
        values = [value for argument, value in _in_order(func, args, kwargs) if argument in written]
        return [value for value in pytree.tree_leaves(values) if isinstance(value, torch.Tensor)]

    # Values and nodes.

    def bind(self, value, number):
        """Binds `value` to the value number `number`, unless it is bound already."""
        if isinstance(value, torch.Tensor):
            check_tensor(value)
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
        if type(value) is int and not -2**63 <= value < 2**63:
            raise UnsupportedError([self.locate(f"the int {value} does not fit 64 bits: use a smaller one, or a float")])
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
        """Returns `text` with the position in the user's program before it, if that is known."""
        place = self.place or _find_place()
        return f"{place[0]}:{place[1]}: {text}" if place else text


class _Block(dict):
    """A block as in the text. constants, scope, first_number: the state of the recorder in it."""


def _in_order(func, args, kwargs):
    """Returns [(argument of the schema, value)] of a call."""
    values = []
    for i, argument in enumerate(func._schema.arguments):
        if i < len(args):
            values.append((argument, args[i]))
        else:
            values.append((argument, kwargs.get(argument.name, argument.default_value)))
    return values


def _check_dim(func, args, kwargs):
    """Raises the error of eager mode for a dim that the first argument lacks."""
    call = {argument.name: value for argument, value in _in_order(func, args, kwargs)}
    rank = max(args[0].dim(), 1)
    if not -rank <= call["dim"] < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {call['dim']})")


def _is_constant(value):
    if isinstance(value, (list, tuple)):
        return all(_is_constant(v) for v in value)
    return not isinstance(value, (torch.Tensor, *SYMBOLS))


def _encode(value):
    """Returns a constant as it is in the text: types, layouts and formats are ints."""
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
    """Returns (file, line) of the innermost frame of the program: it belongs neither to Python, PyTorch nor this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != "tssa._function":  # which the caller has called
        if _is_of_user(frame):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def locate_error(error, text):
    """Returns `text` with the innermost line of the user's program that an exception went through before it, if any."""
    place, trace = None, error.__traceback__
    while trace is not None:
        if _is_of_user(trace.tb_frame):
            place = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return f"{place[0]}:{place[1]}: {text}" if place else text


def _is_of_user(frame):
    return not is_of_others(frame.f_globals.get("__name__"))
