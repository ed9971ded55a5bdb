# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The decompositions that this package defines, by overload."""

TABLE = {}


def decomposes(*overloads):
    """Registers a decomposition of the overloads. It returns NotImplemented where it does not apply."""
    def register(function):
        TABLE.update(dict.fromkeys(overloads, function))
        return function
    return register
