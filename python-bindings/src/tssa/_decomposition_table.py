# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The package's own decompositions, by overload."""

TABLE = {}


def decomposes(*overloads):
    """Registers a function that computes these overloads. It returns NotImplemented for unsupported calls."""
    def register(function):
        TABLE.update(dict.fromkeys(overloads, function))
        return function
    return register
