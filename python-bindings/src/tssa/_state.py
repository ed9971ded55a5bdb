# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The state that a recorded program reads besides its arguments: modules, global names, closures, attributes of objects.

A recording holds as long as all of this state is the same.
"""

import collections
import functools
import inspect
import math
import sys
import types

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn.modules import module as modules

from . import _runtime
from ._expressions import SYMBOLS
from ._places import MISSING, Attributes, dict_of_class, place_of

# How deep the elements of containers are compared where hooks see what is read of objects; and how deep all that is reached
# where they do not.
_MAX_DEPTH, _REACHED = 16, 64
# Up to this size all elements of a numpy array are compared at each call, else about so many of them.
_MOST_BYTES, _SAMPLES = 1 << 20, 1 << 12
_PLAIN = (int, float, bool, str, bytes, type(None), type, types.FunctionType, types.BuiltinFunctionType,
          types.ModuleType, torch.dtype, torch.device, torch.Tensor, *SYMBOLS, BaseException, types.TracebackType,
          types.FrameType)
# Packages whose own objects and modules do not change from call to call.
_STILL = frozenset({"torch", "tssa", "sympy", "numpy", "builtins"})
_STILL_MODULES = _STILL | sys.stdlib_module_names
_CODE = (types.FunctionType, types.MethodType, property, classmethod, staticmethod, functools.cached_property)


class Reads:
    """Collects the state that a program reads while it is recorded.

    is_old: returns whether there was an object before the recording, or nobody knows.
    """

    def __init__(self, is_old):
        self.is_old = is_old
        self._dicts = []  # (dict or Attributes, entries at the recording, their number or None if more are allowed)
        self._places = {}  # in that list, by place_of()
        self._cells = {}  # (cell, its value at the recording), by id
        self._defaults = []  # (function, its __defaults__ and __kwdefaults__ at the recording)
        self._containers = []  # (list or set, its elements at the recording)
        self._arrays = []  # (numpy array, its elements at the recording)
        self._known = {}  # at which depth objects have been added, by id
        self._added = []  # these objects, so that no other one gets their address while the program is recorded
        self._fresh = {}  # what the recording has made, by id
        self._alive = []
        self._watched = None  # the dicts, for hold()
        self._variables = []  # (dict, key, tensor at the recording): calls assign other tensors

    def add_module(self, module):
        """Adds all that a module and those inside of it have."""
        for inner in module.modules():
            self.add_parts(inner)

    def add_parts(self, module):
        """Adds what a module itself has."""
        self.add_hooks(module)
        if self._is_new(module, -_REACHED):
            own = {name: value for name, value in vars(module).items() if name not in _MODULE_PARTS}
            self._add_dict(vars(module), own, 0)
            for name in _ASKED_PARTS:
                self._add_dict(vars(module)[name], vars(module)[name], 0)

    def add_hooks(self, module):
        """Adds the hooks that run when a module is called."""
        for found in (modules._global_forward_hooks, modules._global_forward_pre_hooks, module._forward_hooks,
                      module._forward_pre_hooks):
            if self._is_new(found, 0):
                self._add_dict(found, found, 0)

    def add_function(self, function, is_unseen=False):
        """Adds what a function may read. is_unseen: whether no hook sees what it reads."""
        self.add_names(function.__code__, function.__globals__, is_unseen)
        depth, is_first = -_REACHED if is_unseen else 0, id(function) not in self._known
        cells = [(cell, cell.cell_contents) for cell in function.__closure__ or () if _has_contents(cell)]
        if any(isinstance(value, (FakeTensor, *SYMBOLS)) and id(cell) not in self._cells for cell, value in cells):
            return  # the recording has made the function
        if not self._is_new(function, depth):
            return
        for cell, value in cells:
            self._cells.setdefault(id(cell), (cell, value))
            self.add_value(value, depth)
        if is_first:
            self._defaults.append((function, function.__defaults__, function.__kwdefaults__))
        self.add_value(function.__defaults__, depth)
        self.add_value(function.__kwdefaults__, depth)

    def add_names(self, code, found, is_unseen=False):
        """Adds the global names, in the dict `found`, that code may read."""
        names = _names_of(code)
        values = {name: found[name] for name in names if name in found}
        self._add_dict(found, values, -_REACHED if is_unseen else -1, is_open=True)
        for module in values.values() if is_unseen else ():
            if isinstance(module, types.ModuleType) and module.__name__.partition(".")[0] not in _STILL_MODULES:
                parts = {name: vars(module)[name] for name in names if name in vars(module)}
                self._add_dict(vars(module), parts, -_REACHED, is_open=True)

    def add_reached(self, value):
        """Adds an object and all that it reaches, as code reads it that no hook sees."""
        self.add_value(value, -_REACHED)

    def _is_new(self, value, depth):
        """Returns whether an object has not been added yet, or only at a greater depth."""
        known = self._known.get(id(value))
        if known is not None and known <= depth:
            return False
        self._known[id(value)] = depth
        if known is None:
            self._added.append(value)
        return True

    def _add_dict(self, found, part, depth, is_open=False):
        """Adds a dict. part: the entries that are compared. is_open: whether it may get more entries."""
        place = self._places.setdefault(place_of(found), len(self._dicts))
        if place == len(self._dicts):
            self._dicts.append((found, dict(part), None if is_open else len(found)))
        else:
            had = self._dicts[place][1]  # those that have been read are as they were then
            self._dicts[place] = (found, {**part, **had}, self._dicts[place][2] if is_open else len(found))
        for value in list(part.values()):
            self.add_value(value, depth + 1)

    def add_value(self, value, depth=0):
        """Adds the elements of containers, which code reads without a hook.

        depth: below 0 if no hook sees what is read at all: then also the attributes of objects.
        """
        if isinstance(value, torch.nn.Module):
            if depth < 0:
                self.add_module(value)
            return
        is_first = id(value) not in self._known
        if depth < 0:
            self._add_class(value if isinstance(value, type) else type(value))
        if isinstance(value, _PLAIN) or depth > _MAX_DEPTH or not self._is_new(value, depth):
            return
        if is_first and not isinstance(value, tuple) and not self.is_old(value):
            self.ignore(value)
            return
        if isinstance(value, dict):
            self._add_dict(value, value, depth)
        elif isinstance(value, (list, tuple, set, collections.deque)):
            if is_first and not isinstance(value, tuple):
                self._containers.append((value, list(value)))
            for element in value:
                self.add_value(element, depth + 1)
        elif isinstance(value, numpy.ndarray):
            if is_first:
                self._arrays.append((value, _sample(value)))
        elif isinstance(value, functools.partial):
            self.add_value((*value.args, *value.keywords.values()), depth + 1)
        elif depth < 0 and type(value).__module__.partition(".")[0] not in ("torch", "builtins", "tssa"):
            if hasattr(value, "__dict__"):
                self._add_dict(vars(value), vars(value), depth)
            for name in _slots_of(type(value)):
                self._add_entry(self._attributes_of(value), name)

    def ignore(self, value):
        """Notes that the recording has made an object: what it holds is no state."""
        self._fresh[id(value)] = value
        self._known[id(value)] = -math.inf

    def is_fresh(self, value):
        return id(value) in self._fresh

    def knows(self, value):
        """Returns whether an object has been added, as what the program reads."""
        return self._known.get(id(value), -math.inf) > -math.inf

    def keep(self, value):
        """Keeps an object alive, so that no other one gets its address."""
        self._alive.append(value)

    def add_attribute(self, owner, name):
        """Adds an attribute that the program is about to read or to write."""
        if id(owner) in self._fresh or isinstance(owner, FakeTensor):
            return
        if isinstance(owner, torch.Tensor):
            if not hasattr(torch.Tensor, name):
                self._add_entry(vars(owner), name)
                self._alive.append(owner)
        elif isinstance(owner, torch.nn.Module):
            self._add_module_attribute(owner, name)
        elif isinstance(owner, types.ModuleType):
            if name in vars(owner) or owner.__name__.partition(".")[0] not in _STILL_MODULES:
                self._add_entry(vars(owner), name)
        elif isinstance(owner, types.FunctionType):
            self._add_entry(vars(owner), name)
        elif isinstance(owner, type):
            self._add_class_attribute(owner, name)
        elif type(owner).__module__.partition(".")[0] not in _STILL:
            self._add_instance_attribute(owner, name)

    def _add_module_attribute(self, owner, name):
        fields = vars(owner)
        if name in _MODULE_PARTS:
            self.add_parts(owner)
            return
        self._alive.append(owner)
        self._add_entry(fields, name)
        self._add_class_attribute(type(owner), name)
        if name not in fields and inspect.getattr_static(type(owner), name, MISSING) is MISSING:
            for part in ("_parameters", "_buffers", "_modules"):
                self._add_entry(fields[part], name)

    def _add_instance_attribute(self, owner, name):
        if name in _slots_of(type(owner)):
            self._add_entry(self._attributes_of(owner), name)
            return
        fields = getattr(owner, "__dict__", None)
        found = inspect.getattr_static(type(owner), name, MISSING)
        if found is MISSING and name not in (fields or ()) and isinstance(getattr(type(owner), "__getattr__", None), _CODE):
            return  # hooks see what that function reads
        if isinstance(fields, dict) and not isinstance(found, property):
            self._add_entry(fields, name)
            self._alive.append(owner)
        self._add_class_attribute(type(owner), name)

    def _add_class_attribute(self, kind, name):
        """Adds what a class has under a name, itself or from a base: an attribute or a function."""
        base = next((base for base in kind.__mro__ if name in vars(base)), None)
        if base is not None and base.__module__.partition(".")[0] not in _STILL_MODULES:
            self._add_entry(self._attributes_of(kind), name)

    def add_method(self, kind, name):
        """Adds a method of a class, also of PyTorch's own."""
        self._add_entry(self._attributes_of(kind), name)

    def _add_class(self, kind):
        """Adds the attributes of a class of the program that are no functions."""
        if kind.__module__.partition(".")[0] not in _STILL_MODULES and self._is_new(kind, 0):
            for base in kind.__mro__:
                for name, value in list(vars(base).items()):
                    if not name.startswith("__") and not isinstance(value, types.MemberDescriptorType):
                        self._add_class_attribute(kind, name)

    def _attributes_of(self, owner):
        made = Attributes(owner)
        place = self._places.get(place_of(made))
        return made if place is None else self._dicts[place][0]

    def _add_entry(self, found, name):
        """Adds an entry of a dict or of Attributes. One that is not there is compared, too."""
        place = self._places.setdefault(place_of(found), len(self._dicts))
        if place == len(self._dicts):
            self._dicts.append((found, {}, None))
        _, had, count = self._dicts[place]
        if count is None and name not in had:
            had[name] = found.get(name, MISSING)
            if isinstance(had[name], (dict, list, tuple, set, collections.deque)):
                self.add_value(had[name], 1)

    def find_changes(self):
        """Returns [(container, key)] of what has changed: entries of dicts; cells, lists and sets with key None."""
        changes = []
        for found, had, count in self._dicts:
            keys = had if count is None else {**had, **dict.fromkeys(list(found)[count:])}
            changes += [(found, key) for key in keys
                        if not _is_equal(found.get(key, MISSING), had.get(key, MISSING))]
        changes += [(cell, None) for cell, had in self._cells.values() if not _is_equal(cell.cell_contents, had)]
        changes += [(container, None) for container, had in self._containers
                    if len(container) != len(had) or not all(map(_is_equal, container, had))]
        return changes

    def list_changed(self):
        """Returns what find_changes() does, and the values that are there now, as one list."""
        parts = []
        for found, key in self.find_changes():
            if isinstance(found, types.CellType):
                values = [found.cell_contents]
            else:
                values = [found.get(key, MISSING)] if isinstance(found, (dict, Attributes)) else found
            parts += [found, key, *values]
        return parts

    def _had(self, found, key):
        """Returns the value of an entry at the recording; MISSING also of what has no entries, such as a list."""
        place = self._places.get(place_of(found))
        return MISSING if place is None else self._dicts[place][1].get(key, MISSING)

    def is_new_number(self, found, key):
        """Returns whether a change is that of a number to another one, in an entry that add_number() does not know."""
        had = self._had(found, key)
        if type(had) not in (int, float) or any(known is found and name == key for known, name, _ in self._variables):
            return False
        value = found.get(key)
        return type(value) is type(had) or isinstance(value, _SYMBOLS_OF[type(had)])

    def add_number(self, found, key):
        """Notes that calls change the number in this entry."""
        self._add_entry(found, key)
        self._variables.append((found, key, self._had(found, key)))

    def add_variables(self, found, key):
        """Notes that the program assigns to an entry, or to the elements of a list. Returns {place: the tensor at the recording}."""
        if isinstance(found, (list, collections.deque)):
            had = dict(enumerate(next(had for container, had in self._containers if container is found)))
        else:
            had = {key: self._had(found, key)}
        places = {place: value for place, value in had.items() if isinstance(value, torch.Tensor) and self._is_at_one_place(value)}
        self._variables += [(found, place, value) for place, value in places.items()]
        return places

    def _is_at_one_place(self, tensor):
        """Returns whether one entry of what the program reads has the tensor: two may have different ones in a later call."""
        values = [value for _, had, _ in self._dicts for value in had.values()]
        values += [value for _, had in self._containers for value in had]
        return sum(value is tensor for value in values) == 1

    def restore(self):
        """Undoes the changes that the recording has made."""
        for found, key in self.find_changes():
            if isinstance(found, types.CellType):
                found.cell_contents = self._cells[id(found)][1]
            elif key is None:
                had = next(had for container, had in self._containers if container is found)
                found.clear()
                (found.update if isinstance(found, set) else found.extend)(had)
            elif self._had(found, key) is MISSING:
                del found[key]
            else:
                found[key] = self._had(found, key)

    def release(self):
        """Drops what the recording has made, as it is over."""
        self._fresh.clear()
        self._known.clear()
        self._added.clear()
        self.is_old = None

    def hold(self):
        """Returns whether all state is the same as when the program was recorded."""
        if self._watched is None:
            self._watch()
        for change in self._watched.find_changes():
            if not self._holds_dict(*self._real[change[0]]):
                return False
            self._watched.accept(change)
        if self._classes and not self._hold_classes():
            return False
        if not _runtime.are_same(self._functions):
            return False
        if not _runtime.are_same(self._contents) and not all(_is_equal(cell.cell_contents, had) for cell, _, had in self._contents):
            return False
        return not self._has_others or self._hold_others()

    def _watch(self):
        """Sorts what is compared by how that is done."""
        self._real = [entry for entry in self._dicts if isinstance(entry[0], dict)]
        attributes = [entry for entry in self._dicts if not isinstance(entry[0], dict)]
        self._classes = [entry for entry in attributes if isinstance(entry[0].owner, type)]
        self._others = [entry for entry in attributes if not isinstance(entry[0].owner, type)]
        self._orders = [(entry[0].owner, "__mro__", entry[0].owner.__mro__) for entry in self._classes]
        bases = dict.fromkeys(base for _, _, order in self._orders for base in order)
        self._of_classes = _runtime.Dicts([dict_of_class(base) for base in bases])
        self._functions = [entry for function, had, by_name in self._defaults
                           for entry in ((function, "__defaults__", had), (function, "__kwdefaults__", by_name))]
        self._contents = [(cell, "cell_contents", had) for cell, had in self._cells.values()]
        self._has_others = bool(self._others or self._variables or self._arrays or self._containers)
        self._watched = _runtime.Dicts([found for found, _, _ in self._real])

    def _hold_classes(self):
        changes = self._of_classes.find_changes()
        if not changes and _runtime.are_same(self._orders):
            return True
        if not all(self._holds_dict(*entry) for entry in self._classes):
            return False
        for change in changes:
            self._of_classes.accept(change)
        return True

    def _hold_others(self):
        for entry in self._others:
            if not self._holds_dict(*entry):
                return False
        if self._variables and self._share_storage():
            return False
        return (all(_sample(array) == had for array, had in self._arrays)
                and all(len(found) == len(had) and (all(map(_is_equal, found, had)) or self._holds_elements(found, had))
                        for found, had in self._containers))

    def _holds_elements(self, found, had):
        return not isinstance(found, set) and all(
            _is_equal(value, old) or self._is_variable(found, i) for i, (value, old) in enumerate(zip(found, had)))

    def _holds_dict(self, found, had, count):
        return (count is None or len(found) == count) and all(
            _is_equal(found.get(key, MISSING), value) or self._is_variable(found, key)
            for key, value in had.items())

    def _is_variable(self, found, key):
        """Returns whether calls assign this entry or element, and it has a tensor like the one at the recording."""
        value = found[key] if isinstance(found, (list, collections.deque)) else found.get(key)
        return any(known is found and name == key and type(value) is type(had)
                   and (not isinstance(had, torch.Tensor) or _is_like(value, had))
                   for known, name, had in self._variables)

    def _share_storage(self):
        """Returns whether two tensors that calls assign share storage now. In the recording they do not."""
        storages = [found[key].untyped_storage().data_ptr() for found, key, had in self._variables
                    if isinstance(had, torch.Tensor)]
        return len(set(storages)) != len(storages)





_SYMBOLS_OF = {int: torch.SymInt, float: torch.SymFloat}
# Attributes that every module has: hooks, and dicts that are compared separately.
_MODULE_PARTS = set(vars(torch.nn.Module())) - {"training"}
_ASKED_PARTS = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks")


def _slots_of(kind):
    """Returns the names of a class's slots."""
    return frozenset(name for base in kind.__mro__ for name, value in vars(base).items()
                     if isinstance(value, types.MemberDescriptorType)
                     and base.__module__.partition(".")[0] not in _STILL)


def _sample(array):
    """Returns the bytes of a numpy array with its shape; of a large one only those of some elements, of objects none."""
    if array.dtype.hasobject:
        return array.shape, b""
    return array.shape, (array if array.nbytes <= _MOST_BYTES else array.flat[::max(1, array.size // _SAMPLES)]).tobytes()


def _is_like(value, had):
    return (value.dtype == had.dtype and value.shape == had.shape and value.stride() == had.stride()
            and value.device == had.device)


def _has_contents(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


@functools.lru_cache(maxsize=None)
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
