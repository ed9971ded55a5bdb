# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a session gets for an input: arrays of its type, tensors that have DLPack, and lists of Python's numbers.

A number of Python has no element type, so that a list of them takes the type of the input. What an element of that type
cannot hold is refused, and not rounded to an integer or wrapped around.
"""

import itertools

import numpy

from ._elements import get_dtype, get_element, to_storage
from ._errors import InvalidArgument

_NUMBERS = (bool, int, float)
_LISTS = (list, tuple)
_DEEPEST = 64  # numpy's arrays have at most so many dims


def to_argument(value, port):
    """Returns an input as the runtime takes it; what is no array and has no DLPack becomes an array."""
    element = get_element(port[1], port[2])
    if hasattr(value, "__dlpack__") and not isinstance(value, numpy.ndarray):
        return value
    dtype, what = get_dtype(element), f"input '{port[0]}' is of tensor({element.onnx})"
    try:
        array = _to_array(value, element, dtype)
    except ValueError as error:
        raise InvalidArgument(f"{what}, {error}", code=1) from None
    if array.dtype != dtype:
        raise InvalidArgument(f"{what}, got an array of {array.dtype}: "
                              f"use {port[0]}.astype({'ml_dtypes' if element.storage else 'numpy'}.{dtype.name})", code=1)
    return to_storage(array, element)


def _to_array(value, element, dtype):
    """Returns the array of a value; lists of numbers become one of `dtype`. ValueError: they cannot."""
    shape, parts = _flatten(value)
    kinds = set(map(type, parts))
    if kinds.issubset(_NUMBERS):
        return _CONVERSIONS[_get_kind(element)](parts, element, dtype).reshape(shape)
    if kinds.issubset((*_NUMBERS, *_LISTS)):
        raise ValueError(f"expected numbers or lists in a list, got both: {str(value)[:60]}")
    try:
        return numpy.asarray(value)
    except ValueError as error:
        raise ValueError(f"expected parts of one shape: {error}") from None


def _flatten(value):
    """Returns the shape of nested lists and what they contain in order. ValueError: their lengths differ."""
    shape, parts = [], [value]
    while parts and all(issubclass(kind, _LISTS) for kind in set(map(type, parts))):
        lengths = sorted(set(map(len, parts)))
        if len(lengths) > 1:
            raise ValueError(f"expected lists of one length, got lengths {lengths[0]} and {lengths[-1]}: pad the shorter ones")
        shape += lengths
        if len(shape) > _DEEPEST:
            raise ValueError(f"expected lists that are at most {_DEEPEST} deep, got a deeper one: does it contain itself?")
        parts = list(itertools.chain.from_iterable(parts))
    return shape, parts


def _get_kind(element):
    return next((kind for kind in ("bool", "int", "uint") if element.onnx.startswith(kind)), "float")


def _refuse(numbers, kinds, expected, dtype):
    """Refuses numbers of these types."""
    if not set(kinds).isdisjoint(map(type, numbers)):
        number = next(number for number in numbers if type(number) in kinds)
        raise ValueError(f"expected {expected}, got a list with {number}: give an array of {dtype.name} instead")


def _to_bools(numbers, _, dtype):
    _refuse(numbers, (int, float), "True and False", dtype)
    return numpy.array(numbers, dtype)


def _to_integers(numbers, element, dtype):
    _refuse(numbers, (float,), "integers", dtype)
    bits = int(element.name[1:])
    least, most = (0, 2**bits - 1) if _get_kind(element) == "uint" else (-2**(bits - 1), 2**(bits - 1) - 1)
    for number in (min(numbers, default=0), max(numbers, default=0)):
        if not least <= number <= most:
            raise ValueError(f"expected numbers from {least} to {most}, got a list with {number}")
    if element.storage:
        return numpy.array(numbers, numpy.int64).astype(dtype)  # the types of ml_dtypes are made of arrays
    return numpy.array(numbers, dtype)


def _to_floats(numbers, _, dtype):
    try:
        given = numpy.array(numbers, numpy.float64)
    except OverflowError:
        raise ValueError("expected numbers that it can hold, got a list with an integer beyond all floats") from None
    with numpy.errstate(over="ignore"):
        array = given.astype(dtype)
    lost = numpy.isfinite(given) & ~numpy.isfinite(array.astype(numpy.float64))
    if lost.any():
        raise ValueError(f"expected numbers that it can hold, got a list with {given[lost][0]}")
    return array


_CONVERSIONS = {"bool": _to_bools, "int": _to_integers, "uint": _to_integers, "float": _to_floats}
