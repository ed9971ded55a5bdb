# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The inputs of a model: arrays, sequences as lists of arrays, and optionals as arrays or None.

A program has no sequences and no optionals. The parts of a sequence are the rows of one tensor, so they have one shape. An
optional is one row of a tensor, or none.
"""

import numpy

from ._elements import get_dtype, get_element, to_storage
from ._errors import InvalidArgument
from ._feeds import to_argument


def to_arguments(inputs, ports, forms):
    """Returns the arguments of a program, whose inputs are `ports`, from what a session gets by name.

    forms: the inputs that are a "sequence" or an "optional". InvalidArgument: a value is none of its form.
    """
    arguments = [_to_form(inputs[port[0]], port, forms.get(port[0])) for port in ports]
    if not any(argument is None for argument in arguments):
        return arguments
    sizes = {}
    for argument, port in zip(arguments, ports):
        if argument is not None and len(argument.shape) == len(port[6]):
            sizes.update(zip(port[6], argument.shape))
    return [_make_empty(port, sizes) if argument is None else argument for argument, port in zip(arguments, ports)]


def _to_form(value, port, form):
    """Returns the argument, or None for what has no rows: the sizes of its other dims are those of other inputs."""
    if form is None:
        return to_argument(value, port)
    if form == "optional":
        return None if value is None else _to_part(value, port)[None]
    if not isinstance(value, (list, tuple)):
        raise InvalidArgument(f"input '{port[0]}' is a sequence, expected a list of arrays, got {type(value).__name__}", code=1)
    parts = [_to_part(part, port) for part in value]
    shapes = sorted({part.shape for part in parts})
    if len(shapes) > 1:
        raise InvalidArgument(f"input '{port[0]}' is a sequence, expected parts of one shape, got {list(shapes[0])} and "
                              f"{list(shapes[-1])}: pad the smaller ones", code=1)
    return numpy.stack(parts) if parts else None


def _to_part(value, port):
    """Returns a part of a sequence, or the element of an optional, as an array in memory of the CPU."""
    argument = to_argument(value, port)
    if isinstance(argument, numpy.ndarray):
        return argument
    try:
        return numpy.from_dlpack(argument)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidArgument(f"a part of input '{port[0]}' cannot be read as an array ({error}): give a numpy array",
                              code=1) from None


def _make_empty(port, sizes):
    """Returns an argument without rows. sizes: those of named dims that other inputs have; else any will do."""
    _, code, bits, dims, _, _, symbols = port
    element = get_element(code, bits)
    shape = [size if size >= 0 else sizes.get(symbol, 1) for size, symbol in zip(dims, symbols)]
    return to_storage(numpy.empty([0, *shape[1:]], get_dtype(element)), element)
