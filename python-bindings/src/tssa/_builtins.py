# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Replacements for functions that the hooks do not call as they are, such as int() and len().

Each is called with the hooks and the arguments of the call.
"""

import functools
import math

import torch
from torch._higher_order_ops.while_loop import while_loop
from torch._subclasses.fake_tensor import FakeTensor

from . import _recurrent
from ._errors import UnsupportedError
from ._expressions import SYMBOLS, is_unbacked
from ._indexing import as_index
from ._lists import Lists, count_of, has_pieces
from ._sequences import Range, as_items, combine
from ._values import NOTHING, Piece, defined, kind_of


def _int(hooks, value=0, *args):
    if isinstance(value, torch.Tensor):
        value = value.item()
    if isinstance(value, torch.SymBool):
        return hooks.number_of_truth(value) if is_unbacked(value) else int(bool(value))
    if isinstance(value, torch.SymFloat):
        return torch.sym_int(value)
    return value if isinstance(value, torch.SymInt) else int(value, *args)


def _float(hooks, value=0.0):
    if isinstance(value, torch.Tensor):
        value = value.item()
    return torch.sym_float(value) if isinstance(value, SYMBOLS) else float(value)


def _bool(hooks, value=False):
    return hooks.condition_of(value)


def _join_tensors(function, method):
    """Replaces a function of lists of tensors by `method` of Lists where they have pieces."""
    def run(hooks, tensors, *args, **options):
        if not has_pieces(tensors):
            return function(tensors, *args, **options)
        hooks.assert_(count_of(tensors) > 0, lambda: f"{function.__name__} of a list without elements")
        return method(hooks.lists, tensors, *args, **options)

    return run


def _tensor(hooks, data, *args, **options):
    if has_pieces(data) or type(data) in (list, tuple) and data and all(map(kind_of, data)) and any(map(is_unbacked, data)):
        return hooks.lists.tensor(data, *args, **options)
    return torch.tensor(data, *args, **options)


def list_numbers(hooks, tensor):
    """Returns tensor.tolist() of a tensor of one dim of which a call or a run knows the length."""
    numbers = {torch.int64: 0, torch.float64: 0.0, torch.bool: False}
    wide = tensor.to(torch.float64 if tensor.is_floating_point() else torch.int64) if tensor.dtype != torch.bool else tensor
    return hooks.made([Piece(hooks.lists.element_of(numbers[wide.dtype]), [wide.clone()])])


def _getattr(hooks, target, name, *default):
    if default and not _hasattr(hooks, target, name):
        return default[0]
    return hooks.getattr(target, name)


def _setattr(hooks, target, name, value):
    hooks.setattr(target, name, value)


def _hasattr(hooks, target, name):
    hooks.note_read(target, name)
    return hooks.has(target, name)


def _len(hooks, value):
    if has_pieces(value):
        return count_of(value)
    if isinstance(value, torch.Tensor):
        return value.shape[0]
    items = as_items(value, hooks.lists)
    if items is not None:
        return items.count()
    found = hooks.special(value, "__len__")
    return len(value) if found is NOTHING else found


def known_number(value):
    """Returns the value of an open number in the example and guards it; returns other values unchanged."""
    if not isinstance(value, SYMBOLS) or is_unbacked(value):
        return value
    return kind_of(value)(value)


def _str(hooks, *args, **options):
    return str(*[known_number(defined(arg)) for arg in args], **options)


def _type(hooks, value, *args):
    if args:
        return type(value, *args)
    if isinstance(defined(value), FakeTensor):
        return torch.Tensor
    return kind_of(value) if isinstance(value, SYMBOLS) else type(value)


def _isinstance(hooks, value, kinds):
    kind = kind_of(value) if isinstance(defined(value), SYMBOLS) else None
    return isinstance(value, kinds) or kind is not None and isinstance(kind(0), kinds)


def _smallest(hooks, *values, **options):
    return _extreme(hooks, min, torch.sym_min, values, options)


def _largest(hooks, *values, **options):
    return _extreme(hooks, max, torch.sym_max, values, options)


def _extreme(hooks, plain, symbolic, values, options):
    if len(values) == 1 and has_pieces(values[0]):
        return hooks.lists.extreme(values[0], plain, options)
    elements = list(values[0]) if len(values) == 1 else list(values)
    if not options and len(elements) > 1 and any(isinstance(v, torch.Tensor) for v in elements):
        return functools.reduce(lambda best, v: _choose_tensor(hooks, plain, best, v), elements)
    if options or not any(isinstance(v, SYMBOLS) for v in elements):
        return plain(*values, **options)
    return functools.reduce(symbolic, elements)


def _choose_tensor(hooks, plain, best, value):
    """Returns min(best, value) or max(best, value) of tensors without dims, or of a tensor and a number.

    The result is a new tensor, which must not be written: in eager mode it is one of the two.
    """
    wins = value < best if plain is min else value > best
    kinds = {v.dtype for v in (best, value) if isinstance(v, torch.Tensor)}
    are_alike = all(isinstance(v, torch.Tensor) and not v.dim() for v in (best, value)) and len(kinds) == 1
    if not are_alike or any(hooks.recorder.aliases.is_argument(v) for v in (best, value)):
        return hooks.choose(wins, lambda: value, lambda: best)
    made = torch.where(wins, value, best)
    hooks.recorder.aliases.freeze(made, functools.partial(_refuse_write, hooks.recorder, plain.__name__))
    return made


def _refuse_write(recorder, name):
    raise UnsupportedError([recorder.locate(f"a result of {name}() is written, and only a run knows which of its arguments "
                                            f"it is: clone() it")])


def _divmod(hooks, value, divisor):
    if isinstance(value, SYMBOLS) or isinstance(divisor, SYMBOLS):
        return hooks.operate("floordiv", value, divisor), hooks.operate("mod", value, divisor)
    return divmod(value, divisor)


def _equal(hooks, left, right):
    """Returns a SymBool for tensors of equal sizes: torch.equal reads their elements."""
    if left.dim() != right.dim() or any(bool(l != r) for l, r in zip(left.shape, right.shape)):
        return False
    return hooks.condition_of((left == right).all())


def _any(hooks, values):
    return hooks.or_(*[lambda value=value: value for value in values], lambda: False)


def _all(hooks, values):
    return hooks.and_(*[lambda value=value: value for value in values], lambda: True)


def _sqrt(hooks, value):
    return torch._sym_sqrt(value) if isinstance(value, SYMBOLS) else math.sqrt(value)


def _abs(hooks, value):
    return torch.sym_max(value, -value) if is_unbacked(value) else abs(value)


def _next(hooks, iterator, *default):
    if hooks.frames:
        hooks.check_builtin(next)
    hooks.check_iterator(iterator)
    return next(iterator, *default)


def _range(hooks, *bounds):
    bounds = [as_index(bound) for bound in bounds]
    return Range(*bounds) if any(isinstance(bound, torch.SymInt) for bound in bounds) else range(*bounds)


def _cond(hooks, pred, true_fn, false_fn, operands=()):
    """Records torch.cond like a conditional expression."""
    return hooks.choose(pred, lambda: hooks.call(true_fn, *operands), lambda: hooks.call(false_fn, *operands))


def _while_loop(hooks, cond_fn, body_fn, carried_inputs):
    """Records torch.while_loop like a loop that assigns one name."""
    cell = [tuple(carried_inputs)]

    def body():
        cell[0] = tuple(hooks.call(body_fn, *cell[0]))

    def put(values):
        (cell[0],) = values

    hooks.while_(lambda: hooks.call(cond_fn, *cell[0]), body, None, lambda: tuple(cell), put, ("carried",),
                 ("carried",))
    return cell[0]


def _loop_over_time(function, name):
    """Replaces an operator of torch._VF by `function` of _recurrent.py, except for packed sequences."""
    def run(hooks, *args):
        if isinstance(args[3], torch.Tensor) or len(args) > 6 and args[6] and args[5]:
            return getattr(torch._VF, name)(*args)
        return hooks.call(function, *args)

    return run


def _lazily(kind):
    """Replaces enumerate, zip or reversed by a form that accepts iterables of open length."""
    def make(hooks, *args, **kwargs):
        made = combine(kind, args, kwargs, hooks.lists)
        return kind(*args, **kwargs) if made is None else made

    return make


SPECIAL = {
    int: _int, float: _float, bool: _bool, str: _str, type: _type, isinstance: _isinstance, len: _len,
    range: _range, min: _smallest, max: _largest, any: _any, all: _all, next: _next, math.sqrt: _sqrt,
    enumerate: _lazily(enumerate), zip: _lazily(zip), reversed: _lazily(reversed),
    abs: _abs, divmod: _divmod, getattr: _getattr, setattr: _setattr, hasattr: _hasattr, torch.equal: _equal,
    torch.cond: _cond, while_loop: _while_loop, torch.stack: _join_tensors(torch.stack, Lists.stack),
    torch.cat: _join_tensors(torch.cat, Lists.cat), torch.concat: _join_tensors(torch.concat, Lists.cat),
    torch.tensor: _tensor,
    **{getattr(torch._VF, name): _loop_over_time(getattr(_recurrent, name), name)
       for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
}
