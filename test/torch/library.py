# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A library whose functions are not rewritten and keep what they are given, for test_leaks.py, which loads it.

Each function has the name of its holder in its docstring, as a refusal gives it.
"""

import collections
import functools
import types

import torch


class Slots:
    __slots__ = ("last", "items")

    def __init__(self):
        self.items = [1.0]


HISTORY = [1.0]
CACHE = {"a": {"b": [2.0]}}
FOUND = {"a"}
RECENT = collections.deque([3.0])
PLACE = types.SimpleNamespace(seen=[4.0], cache={})
TABLE = Slots()
EMPTY = {}


def in_a_list(value):
    """a list in the global name 'HISTORY' of numpy.library"""
    HISTORY.append(value)


def in_a_tuple(value):
    """a list in the global name 'HISTORY' of numpy.library"""
    HISTORY.append((0, [value]))


def in_a_dict_of_dicts(value):
    """a list in the entry 'b' of a dict in the entry 'a' of a dict in the global name 'CACHE' of numpy.library"""
    CACHE["a"]["b"].append(value)


def as_an_entry(value):
    """the entry 7 of a dict in the global name 'CACHE' of numpy.library"""
    CACHE[7] = value


def in_an_empty_dict(value):
    """the entry 7 of a dict in the global name 'EMPTY' of numpy.library"""
    EMPTY[7] = value


def in_an_empty_dict_of_an_object(value):
    """the entry 'k' of a dict in the attribute 'cache' of a SimpleNamespace"""
    PLACE.cache["k"] = [value]


def as_a_name(value):
    """the global name 'LAST' of numpy.library"""
    global LAST
    LAST = value


def in_a_set(value):
    """a set in the global name 'FOUND' of numpy.library"""
    FOUND.add(value)


def in_a_deque(value):
    """a deque in the global name 'RECENT' of numpy.library"""
    RECENT.appendleft(value)


def as_an_attribute(value):
    """the attribute 'other' of a SimpleNamespace"""
    PLACE.other = value


def in_a_list_of_an_object(value):
    """a list in the attribute 'seen' of a SimpleNamespace"""
    PLACE.seen.append(value)


def as_a_slot(value):
    """the attribute 'last' of a Slots"""
    TABLE.last = value


def in_a_list_of_a_slot(value):
    """a list in the attribute 'items' of a Slots"""
    TABLE.items.append(value)


def of_a_class(value):
    """the attribute 'recent' of the class Slots"""
    Slots.recent = value


def several_times(value):
    """a list in the global name 'HISTORY' of numpy.library"""
    HISTORY.extend([value, [value, {"size": value.shape}], value])


@functools.lru_cache
def table_of(size):
    return torch.arange(size)


def in_a_cache(value):
    """the cache of table_of()"""
    table_of(value.numel())


def make_memory():
    last = None

    def remember(value):
        """the name 'last' of make_memory.<locals>.remember()"""
        nonlocal last
        last = value

    return remember


remember = make_memory()


def store(place, value):
    place.inner.kept = value


def state():
    """Returns everything that the functions above may change."""
    slots = {name: getattr(TABLE, name, None) for name in ("last", "items", "recent")}
    return copy_of([HISTORY, CACHE, EMPTY, FOUND, RECENT, vars(PLACE), slots, globals().get("LAST"), table_of.cache_info().currsize])


def copy_of(value):
    """Returns a copy of containers with the same elements."""
    if isinstance(value, dict):
        return {key: copy_of(part) for key, part in value.items()}
    return [copy_of(part) for part in value] if isinstance(value, (list, set, collections.deque)) else value
