# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The bytes of tensors as elements of another type, as Tensor.view(dtype) shows them."""

import torch

from ._errors import UnsupportedError
from ._text import check_type

_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def cast_bits(bitcast, tensor, dtype):
    """Returns a new tensor with the bytes of `tensor` as elements of `dtype`. The sizes are those that eager mode gives.

    bitcast(tensor, dtype): does the same for a type of the same width.
    """
    for kind in (tensor.dtype, dtype):
        check_type(kind)
        if kind == torch.bool:
            raise UnsupportedError([f"view() of a tensor of {tensor.dtype} as {dtype} is not supported: use to()"])
    had, wanted = tensor.element_size(), dtype.itemsize
    numbers = bitcast(tensor, _INTEGERS[had])
    if wanted < had:
        numbers = _split(numbers, had // wanted, wanted)
    elif wanted > had:
        numbers = _join(numbers, wanted // had, had)
    return bitcast(numbers, dtype)


def _split(numbers, count, width):
    """Returns each integer as `count` integers of `width` bytes, the lowest first."""
    shifts = torch.arange(count, dtype=numbers.dtype) * (8 * width)
    return (numbers.unsqueeze(-1) >> shifts).to(_INTEGERS[width]).flatten(-2)


def _join(numbers, count, width):
    """Returns each `count` integers of `width` bytes as one, the lowest first."""
    parts = numbers.unflatten(-1, (-1, count)).to(torch.int64)
    if width < 8:
        parts = parts & (2 ** (8 * width) - 1)
    parts = parts << (torch.arange(count) * (8 * width))
    return parts.sum(-1).to(_INTEGERS[count * width])
