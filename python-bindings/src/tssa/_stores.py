# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a program stores outside of its arguments: taken from a recording, made and stored by each call.

A place is a dict or Attributes and a key of it, or a cell, a list, a deque or a set and None.
"""

import collections
import types

from ._errors import UnsupportedError
from ._objects import contents_of, refill
from ._places import MISSING, Attributes

_PLAIN = (int, float, complex, str, bytes, type(None))


def take_change(template, found, key):
    """Returns (found, key, a description of what a call stores there)."""
    if isinstance(found, types.CellType):
        return found, None, template.take(found.cell_contents)
    if isinstance(found, set):
        if not all(isinstance(element, _PLAIN) for element in found):
            raise UnsupportedError(["the program changes a set that is not among its arguments, of other things than "
                                    "numbers and strings: return a new one"])
        return found, None, frozenset(found)
    if not isinstance(found, (dict, Attributes)):
        return found, None, template.take_contents(contents_of(found))
    value = found.get(key, MISSING)
    return found, key, None if value is MISSING else template.take(value)


def make_change(maker, found, node):
    """Returns what a call stores: the value of an entry, or the contents of a list, a deque or a set."""
    if node is None:
        return MISSING
    if isinstance(found, set):
        return node
    return maker.make_contents(node) if isinstance(found, (list, collections.deque)) else maker.make(node)


def store_change(found, key, value):
    """Stores what make_change() has given."""
    if isinstance(found, types.CellType):
        found.cell_contents = value
    elif isinstance(found, set):
        found.clear()
        found.update(value)
    elif isinstance(found, (list, collections.deque)):
        refill(found, value)
    elif value is MISSING:
        del found[key]
    else:
        found[key] = value
