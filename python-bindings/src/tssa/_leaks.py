# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Finds what objects of a program keep of a recording, such as a list that a library function appended a fake tensor to.

A run would not store there what the recording has stored, and other code would find a fake tensor.
"""

import collections
import functools
import gc
import os
import sys
import threading
import traceback
import types

from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.sym_node import SymNode

from ._expressions import SYMBOLS

#: How many steps may lie between an object of the program and the fake tensor that it keeps.
_MAX_STEPS = 16
# A tensor that PyTorch holds, too, such as the base of a view, outlives a collection.
_MAX_COLLECTIONS = 3


# One program is recorded at a time: what threads make meanwhile could not be told apart.
_LOCK = threading.RLock()
os.register_at_fork(after_in_child=_LOCK._at_fork_reinit)


class Watch:
    """Watches the objects of the process while a program is recorded, as a context manager.

    Meanwhile Python's collector leaves alone what exists, so that what a recording has made is collected and listed in
    little time. environment: that of the recording's symbols, to which its fake tensors belong. places: after it, texts
    that name what kept something, which it has given up.
    """

    def __init__(self, environment):
        self._environment = environment
        self._outer = sys.exc_info()[1]
        self._made = set()  # ids of what has been made since, as far as somebody has asked
        self.places = []

    def __enter__(self):
        _LOCK.acquire()
        self._is_first = not gc.get_freeze_count()  # else the program has frozen objects, or it is another recording
        self._others = [] if self._is_first else gc.get_objects()
        if self._is_first:
            gc.freeze()
        return self

    def __exit__(self, kind, error, trace):
        try:
            self._release(error)
            self.places = self._close()
        finally:
            _LOCK.release()

    def is_old(self, value):
        """Returns whether there was an object before, or nobody knows.

        Python's collector knows a dict only from when it has had a part that refers to others.
        """
        if isinstance(value, dict) or not gc.is_tracked(value):
            return True
        if id(value) not in self._made:
            self._made = {*map(id, self._list_made())}
        return id(value) not in self._made

    def _release(self, error):
        """Drops what the frames that an error has gone through hold: names, and what their functions have of others."""
        known = {id(self._outer), id(None)}
        while id(error) not in known:
            known.add(id(error))  # a chain may have a cycle
            traceback.clear_frames(error.__traceback__)
            frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
            functions = [part for part in gc.get_referents(*frames) if isinstance(part, types.FunctionType)]
            for cell in [cell for function in functions for cell in function.__closure__ or ()]:
                if _is_recorded(cell):
                    del cell.cell_contents
            error = error.__cause__ or error.__context__

    def _close(self):
        """Ends the watch. Returns texts that name what keeps something, which it has to give up."""
        self._environment.fake_tensor_cache.clear()
        for _ in range(_MAX_COLLECTIONS):
            made = kept = None  # which would keep what they list
            gc.collect()
            made = self._list_made()
            kept = [value for value in made if self._is_of_recording(value)]
            if not kept:
                break
        if self._is_first:
            gc.unfreeze()
        self._others.clear()
        if not kept:
            return []
        frozen = gc.get_freeze_count()
        gc.unfreeze()  # else what others have frozen is not searched
        holders, is_held = _find_holders(kept, {*map(id, made)}, {id(kept), id(made), id(self._environment)})
        places = [_drop(holder, part) for holder, part in holders]
        if frozen:
            gc.freeze()
        return places if is_held else ["something that Python's collector does not see"]

    def _list_made(self):
        """Returns the objects that were made since the watch began, as far as they can refer to others."""
        known = {*map(id, self._others)}
        return [value for value in gc.get_objects() if id(value) not in known]

    def _is_of_recording(self, value):
        kind = type(value)
        if kind is FakeTensor:
            return value.fake_mode.shape_env is self._environment
        return kind is SymNode and value.shape_env is self._environment


def _is_recorded(cell):
    """Returns whether a cell has a fake tensor, a symbol or an object of this package."""
    try:
        kind = type(cell.cell_contents)
    except ValueError:  # it has nothing
        return False
    return kind is FakeTensor or kind in SYMBOLS or kind.__module__.startswith("tssa.")


def _is_holder(value):
    """Returns whether an object may be one of the program, not of this package or the attributes of such a one."""
    owner = _owner_of(value, gc.get_referrers(value)) if isinstance(value, dict) else value
    return not isinstance(value, types.FrameType) and not type(owner).__module__.startswith("tssa.")


def _find_holders(values, made, own):
    """Returns ([(holder, its part)] of objects that were there before, whether anything holds the values).

    Through the parts of the holders the values are reached. made: ids of what the recording has made. own: ids of what is
    not asked.
    """
    holders, front, seen = [], values, {*own, *map(id, values)}
    is_held = False
    for _ in range(_MAX_STEPS):
        parts = {*map(id, front)}
        found = [value for value in gc.get_referrers(*front) if id(value) not in seen and value is not front]
        seen.add(id(found))
        old = [value for value in found if id(value) not in made or isinstance(value, dict) and any(
            _is_holder(outer) and id(outer) not in made and id(outer) not in seen for outer in gc.get_referrers(value))]
        seen.add(id(old))
        known = {*map(id, old)}
        front = [value for value in found if id(value) not in known]
        seen.update(map(id, [found, front, *front]))
        is_held = is_held or any(not isinstance(value, types.FrameType) for value in found)
        for value in old:
            if _is_holder(value):
                holders += [(value, part) for part in gc.get_referents(value) if id(part) in parts]
        if not front:
            break
    return holders, is_held


def _fields_of(value):
    """Returns the dict of an object, without running code of its class."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None


def _entries(value):
    """Returns the entries of a dict, or the attributes of an object."""
    if isinstance(value, dict):
        return value
    slots = [name for base in type(value).__mro__ for name, found in vars(base).items()
             if isinstance(found, types.MemberDescriptorType)]
    return {**(_fields_of(value) or {}), **{name: getattr(value, name) for name in slots if hasattr(value, name)}}


def _key_of(value, part):
    """Returns the key or name that an object has a part under, or None."""
    for key, other in _entries(value).items():
        if other is part:
            return key
    return None


def _owner_of(fields, around):
    """Returns the object, one of `around`, whose attributes are in a dict."""
    for value in around:
        if _fields_of(value) is fields:
            return value
        if isinstance(value, type) and isinstance(fields, dict) and vars(value) == fields:
            return value  # a class does not give its dict away
    return None


def _name(holder, part, depth=3):
    """Returns a text that tells where `part`, a part of an object, is. It has no closures, which would refer to the two."""
    if isinstance(holder, functools._lru_cache_wrapper):
        return f"the cache of {holder.__qualname__}()"
    if isinstance(holder, types.CellType):
        return _name_of_cell(holder)
    around = gc.get_referrers(holder)
    key, owner = _key_of(holder, part), _owner_of(holder, around) if isinstance(holder, dict) else holder
    if isinstance(owner, types.ModuleType):
        return f"the global name '{key}' of {owner.__name__}"
    if isinstance(owner, type):
        return f"the attribute '{key}' of the class {owner.__name__}"
    if key is not None and owner is not None:
        return f"the attribute '{key}' of a {type(owner).__name__}"
    text = f"a {type(holder).__name__}" if key is None else f"the entry {key!r} of a {type(holder).__name__}"
    for outer in around if depth else ():
        if isinstance(outer, types.CellType) or _key_of(outer, holder) is not None:
            return f"{text} in {_name(outer, holder, depth - 1)}"
    return text


def _name_of_cell(cell):
    for found in gc.get_referrers(*gc.get_referrers(cell)):
        if isinstance(found, types.FunctionType):
            for name, other in zip(found.__code__.co_freevars, found.__closure__ or ()):
                if other is cell:
                    return f"the name '{name}' of {found.__qualname__}()"
    return "a name of a function"


def _drop(holder, part):
    """Takes a part from an object. Returns a text that tells where it was."""
    place = _name(holder, part)
    if isinstance(holder, functools._lru_cache_wrapper):
        holder.cache_clear()
    elif isinstance(holder, types.CellType):
        del holder.cell_contents
    elif isinstance(holder, (list, collections.deque)):
        others = [value for value in holder if value is not part]
        holder.clear()
        holder.extend(others)
    elif isinstance(holder, set):
        holder.discard(part)
    else:
        owner = _owner_of(holder, gc.get_referrers(holder)) if isinstance(holder, dict) else holder
        remove = functools.partial(delattr, owner) if isinstance(owner, type) or owner is holder else holder.pop
        for key in [key for key, value in _entries(holder).items() if value is part]:
            remove(key)
    return place
