# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The state that a recorded program reads besides its arguments: modules, global names, closures.

A recording is valid as long as this state is unchanged.
"""

import types

import torch

from . import _runtime

_MAX_DEPTH = 4
_PLAIN = (int, float, bool, str, bytes, type(None), type, types.FunctionType, types.BuiltinFunctionType,
          types.ModuleType, torch.dtype, torch.device, torch.Tensor)


class Reads:
    """Collects the state that a program reads while it is recorded."""

    def __init__(self):
        self._dicts = []  # (dict, what it had, how many entries; None if it does not matter)
        self._cells = []  # (cell, what it had)
        self._containers = []  # (list or set, what it had)
        self._known = set()
        self._alive = []
        self._watched = None  # the dicts, for hold()
        self._variables = []  # (dict, key, tensor that it was): a call gives them other tensors

    def add_module(self, module):
        for inner in module.modules():
            if self._is_new(inner):
                own = {name: value for name, value in vars(inner).items() if name not in _MODULE_PARTS}
                self._add_dict(vars(inner), own, 0)
                for name in _ASKED_PARTS:
                    self._add_dict(vars(inner)[name], vars(inner)[name], 0)

    def add_function(self, function):
        if not self._is_new(function):
            return
        for cell in function.__closure__ or ():
            try:
                self._cells.append((cell, cell.cell_contents))
            except ValueError:
                continue
            self.add_value(cell.cell_contents, 0)
        names = _names_of(function.__code__)
        values = {name: function.__globals__[name] for name in names if name in function.__globals__}
        self._add_dict(function.__globals__, values, -1, is_open=True)

    def _is_new(self, value):
        if id(value) in self._known:
            return False
        self._known.add(id(value))
        self._alive.append(value)
        return True

    def _add_dict(self, found, part, depth, is_open=False):
        """A dict, and the part of it that is looked at. is_open: it may get other entries."""
        self._dicts.append((found, dict(part), None if is_open else len(found)))
        for value in list(part.values()):
            self.add_value(value, depth + 1)

    def add_value(self, value, depth=0):
        """Adds an object and its parts."""
        if isinstance(value, torch.nn.Module):
            self.add_module(value)
            return
        if isinstance(value, _PLAIN) or depth > _MAX_DEPTH or not self._is_new(value):
            return
        if isinstance(value, dict):
            self._add_dict(value, value, depth)
        elif isinstance(value, (list, tuple, set)):
            if not isinstance(value, tuple):
                self._containers.append((value, list(value)))
            for element in value:
                self.add_value(element, depth + 1)
        elif hasattr(value, "__dict__") and not type(value).__module__.startswith(("torch", "builtins", "tssa.")):
            self._add_dict(vars(value), vars(value), depth)

    def find_changes(self):
        """Returns [(container, key)] of the changed state: dicts, and cells and lists with key None."""
        changes = []
        for found, had, count in self._dicts:
            keys = had if count is None else {**had, **dict.fromkeys(list(found)[count:])}
            changes += [(found, key) for key in keys
                        if not _is_equal(found.get(key, _MISSING), had.get(key, _MISSING))]
        changes += [(cell, None) for cell, had in self._cells if not _is_equal(cell.cell_contents, had)]
        changes += [(container, None) for container, had in self._containers
                    if len(container) != len(had) or not all(map(_is_equal, container, had))]
        return changes

    def add_variable(self, found, key):
        """The program gives this part of an object another tensor: what it was, if it was one."""
        had = next(had for known, had, _ in self._dicts if known is found).get(key)
        if isinstance(had, torch.Tensor):
            self._variables.append((found, key, had))
        return had

    def restore(self):
        """Undoes the changes that the recording has made."""
        for found, key in self.find_changes():
            if isinstance(found, types.CellType):
                found.cell_contents = next(had for cell, had in self._cells if cell is found)
            elif key is None:
                had = next(had for container, had in self._containers if container is found)
                found.clear()
                (found.update if isinstance(found, set) else found.extend)(had)
            else:
                had = next(had for known, had, _ in self._dicts if known is found)
                if key in had:
                    found[key] = had[key]
                else:
                    del found[key]

    def hold(self):
        """Returns whether the state is as it was when the program was recorded."""
        if self._watched is None:
            self._watched = _runtime.Dicts([found for found, _, _ in self._dicts])
        for change in self._watched.find_changes():
            if not self._holds_dict(*self._dicts[change[0]]):
                return False
            self._watched.accept(change)
        if self._variables and self._share_storage():
            return False
        return (all(_is_equal(cell.cell_contents, had) for cell, had in self._cells)
                and all(len(found) == len(had) and all(map(_is_equal, found, had))
                        for found, had in self._containers))

    def _holds_dict(self, found, had, count):
        return (count is None or len(found) == count) and all(
            _is_equal(found.get(key, _MISSING), value) or self._is_variable(found, key)
            for key, value in had.items())

    def _is_variable(self, found, key):
        """Whether the part is one that calls change, and has a tensor like the one that it had."""
        value = found.get(key)
        return any(known is found and name == key and isinstance(value, torch.Tensor) and _is_like(value, had)
                   for known, name, had in self._variables)

    def _share_storage(self):
        """Whether two of the tensors that calls change share storage now: the recording takes them apart."""
        storages = [found[key].untyped_storage().data_ptr() for found, key, _ in self._variables]
        return len(set(storages)) != len(storages)


_MISSING = object()
# What modules have of their class: hooks, and parts that are looked at one by one.
_MODULE_PARTS = set(vars(torch.nn.Module())) - {"training"}
_ASKED_PARTS = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks")


def _is_like(value, had):
    return (value.dtype == had.dtype and value.shape == had.shape and value.stride() == had.stride()
            and value.device == had.device)


def _names_of(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_of(constant)
    return names


def _is_equal(left, right):
    if left is right:
        return True
    if type(left) is not type(right) or not isinstance(left, (int, float, str, bytes, tuple)):
        return False
    if isinstance(left, float):
        return left.hex() == right.hex()
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(_is_equal, left, right))
    return left == right
