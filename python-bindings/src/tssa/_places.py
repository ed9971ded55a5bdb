# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Places where objects keep something: entries of dicts, and attributes that are in no dict."""

import gc
import operator

MISSING = object()


class Attributes:
    """The attributes of an object or a class that are in no dict, such as slots, as a dict of them."""

    def __init__(self, owner):
        self.owner = owner

    def get(self, name, default=None):
        if not isinstance(self.owner, type):
            return getattr(self.owner, name, default)
        for base in self.owner.__mro__:
            if name in base.__dict__:
                return base.__dict__[name]
        return default

    def __getitem__(self, name):
        return getattr(self.owner, name)

    def __setitem__(self, name, value):
        setattr(self.owner, name, value)

    def __delitem__(self, name):
        delattr(self.owner, name)


def are_same(values, others):
    """Returns whether two lists have the same objects."""
    return len(values) == len(others) and all(map(operator.is_, values, others))


def dict_of_class(kind):
    """Returns the dict that the `__dict__` of a class is a view of."""
    (found,) = gc.get_referents(vars(kind))
    return found


def place_of(found):
    """Returns a key for a dict, or for the attributes of an object, which may be a dict itself."""
    return (Attributes, id(found.owner)) if isinstance(found, Attributes) else id(found)
