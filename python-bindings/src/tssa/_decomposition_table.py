# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The decompositions that are our own, by overload."""

TABLE = {}


def decomposes(*overloads):
    """Registers a function that does what they do. It gives NotImplemented where it cannot."""
    def register(function):
        TABLE.update(dict.fromkeys(overloads, function))
        return function
    return register
