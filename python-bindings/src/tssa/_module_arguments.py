# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Modules among the arguments of a call, whose parameters and buffers are arguments, too: one recording serves modules alike.

That holds for modules without hooks that consist of tensors, constants and containers of these. Others are known by what
object they are, as is all that they reach. So is the first module of each class: its weights are constants, with which a
program is faster, and often it is the only one.
"""

import types
import weakref
from collections import OrderedDict

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ._keys import BY_VALUE, LITERALS, key_of
from ._text import is_known

_HOOKS = [name for name in vars(torch.nn.Module()) if name.endswith("_hooks")]
_TENSORS = (torch.Tensor, torch.nn.Parameter, FakeTensor)
_DICTS = (dict, OrderedDict)
_NAMES = "_non_persistent_buffers_set"
_BY_KEY = (*LITERALS, *BY_VALUE, torch.Size, slice)


#: The classes of which there was a module, and {id: (a weak reference to a module, whether it was the first of its class)}.
_classes, _decisions = weakref.WeakSet(), {}


def _is_first(module):
    """Returns whether a module is the first of its class that is an argument, which is decided once."""
    number = id(module)
    known, is_first = _decisions.get(number, (None, False))
    if known is not None and known() is module:
        return is_first
    is_first = type(module) not in _classes
    _classes.add(type(module))
    _decisions[number] = weakref.ref(module, lambda _: _decisions.pop(number, None)), is_first
    return is_first


class _NotAlike(Exception):
    """A module has a part that tells it from all others."""


def key_of_module(module, seen):
    """Returns (the key of a module, its tensors in order, `seen` with its containers), or None if it is only like itself.

    seen: numbers of lists, dicts and objects, by id.
    """
    if _is_first(module):
        return None
    seen, tensors = dict(seen), []
    try:
        return _take(module, seen, tensors), tensors, seen
    except _NotAlike:
        return None


def is_taken_apart(value):
    """Returns whether a value is a module whose tensors are arguments."""
    return isinstance(value, torch.nn.Module) and key_of_module(value, {}) is not None


def _take(value, seen, tensors):
    """Returns the key of a part, and appends its tensors."""
    kind = type(value)
    if isinstance(value, torch.Tensor):
        if kind not in _TENSORS or not is_known(value):
            raise _NotAlike
        tensors.append(value)
        return tuple(value.shape), value.stride()
    if kind is tuple:
        return (tuple, *(_take(part, seen, tensors) for part in value))
    if kind is not list and kind not in _DICTS and not isinstance(value, torch.nn.Module):
        return _key_of_constant(value)
    if id(value) in seen:
        return "same container", seen[id(value)]
    seen[id(value)] = len(seen)
    if kind is list:
        return (list, *(_take(part, seen, tensors) for part in value))
    if kind not in _DICTS:
        _check(value)
    parts = value if kind in _DICTS else vars(value)
    return (kind, *((_key_of_constant(name), frozenset(part) if name == _NAMES else _take(part, seen, tensors))
                    for name, part in parts.items()))


def _key_of_constant(value):
    if isinstance(value, slice):
        return (slice, *map(key_of, (value.start, value.stop, value.step)))
    if isinstance(value, _BY_KEY):
        return key_of(value)
    is_plain = isinstance(value, types.FunctionType) and not (
        value.__closure__ or value.__defaults__ or value.__kwdefaults__ or vars(value))
    is_plain = is_plain or isinstance(value, types.BuiltinFunctionType) and isinstance(value.__self__, types.ModuleType | None)
    if not is_plain and not isinstance(value, type):
        raise _NotAlike
    return value


def _check(module):
    """Refuses a module whose class or hooks decide more than its parts do."""
    kind = type(module)
    if kind.__new__ is not object.__new__ or kind.__getattribute__ is not object.__getattribute__ or isinstance(
            module, torch.jit.ScriptModule) or kind.__call__ is not torch.nn.Module.__call__:
        raise _NotAlike
    if any(vars(module).get(name) for name in _HOOKS) or any(vars(base).get("__slots__") for base in kind.__mro__):
        raise _NotAlike


def make_twin_of_module(value, values, known):
    """Returns a copy of a module, or of a part of it, with the next elements of `values` as its tensors.

    known: what has been replaced, by id.
    """
    kind = type(value)
    if isinstance(value, torch.Tensor):
        if id(value) not in known:
            known[id(value)] = next(values)
        return known[id(value)]
    if kind is tuple:
        return tuple(make_twin_of_module(part, values, known) for part in value)
    is_module = isinstance(value, torch.nn.Module)
    if kind is not list and kind not in _DICTS and not is_module:
        return set(value) if kind is set else value
    if id(value) in known:
        return known[id(value)]
    twin = known[id(value)] = kind.__new__(kind)
    if kind is list:
        twin += [make_twin_of_module(part, values, known) for part in value]
        return twin
    found = vars(twin) if is_module else twin
    for name, part in (vars(value) if is_module else value).items():
        found[name] = make_twin_of_module(part, values, known)
    return twin
