# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Keys of constants among the arguments of a call: equal for values that a recording need not tell apart."""

import datetime
import decimal
import enum
import fractions
import types

import torch

LITERALS = (str, bytes, bool, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)
BY_VALUE = (int, float, complex, enum.Enum, fractions.Fraction, decimal.Decimal, datetime.date, datetime.timedelta)


def key_of(value):
    """Returns a key that is equal for equal values only: not of 0.0 and -0.0, and for NaN that of its bits."""
    if isinstance(value, (float, complex)):
        parts = (value,) if isinstance(value, float) else (value.real, value.imag)
        return (type(value), *(float(part).hex() for part in parts))
    return type(value), value


def key_of_function(function):
    """Returns (key, whether it has addresses of objects).

    The key is equal for functions that compute the same from the same objects, such as a lambda in a loop.
    """
    by_name = function.__kwdefaults__ or {}
    parts = [*(function.__defaults__ or ()), *by_name, *by_name.values()]
    try:
        parts += [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # a cell without contents
        return (types.FunctionType, id(function)), True
    if vars(function):
        return (types.FunctionType, id(function)), True
    kept = (int, float, complex, str, bytes, type(None))
    key = (types.FunctionType, function.__code__, id(function.__globals__),
           *(key_of(part) if isinstance(part, kept) else id(part) for part in parts))
    return key, not all(isinstance(part, kept) for part in parts)
