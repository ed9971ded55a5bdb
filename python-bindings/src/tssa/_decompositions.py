# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Decompositions of operators that the compiler does not know: PyTorch's and our own."""

import functools

import torch

# These modules fill TABLE.
from . import _counting, _layers, _rearrangements, _special_functions, _windows  # noqa: F401
from ._decomposition_table import TABLE, decomposes

aten = torch.ops.aten


@decomposes(aten.scalar_tensor.default)
def _scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=None):
    return aten.full([], s, dtype=dtype or torch.get_default_dtype(), layout=layout,
                     device=device, pin_memory=pin_memory)


@decomposes(aten.gcd.default)
def _gcd(self, other):
    """Euclid's algorithm, with as many steps as the largest numbers of the type need."""
    dtype = torch.promote_types(self.dtype, other.dtype)
    a, b = torch.broadcast_tensors(self.to(dtype).abs(), other.to(dtype).abs())
    # Numbers of n bits need at most 1.45 n steps; Fibonacci numbers need the most.
    for _ in range(int(1.45 * 8 * self.element_size()) + 2):
        a, b = torch.where(b == 0, a, b), torch.where(b == 0, b, a % torch.where(b == 0, 1, b))
    return a


@decomposes(aten.lcm.default)
def _lcm(self, other):
    """The result is 0 where both numbers are 0."""
    divisor = aten.gcd(self, other)
    return (self // torch.where(divisor == 0, 1, divisor) * other).abs()


def _apply_to_each(overload, *args, **kwargs):
    """Applies the operator for one tensor to each tensor in the lists of a _foreach operator."""
    packet = getattr(aten, overload._schema.name.split("::_foreach_")[1])

    def pick(value, i):
        return value[i] if isinstance(value, (list, tuple)) else value

    return [packet(*(pick(arg, i) for arg in args), **{name: pick(arg, i) for name, arg in kwargs.items()})
            for i in range(len(args[0]))]


@functools.lru_cache(maxsize=None)
def find_decomposition(overload):
    """Returns a callable that computes an operator by other operators, or None."""
    if overload in TABLE:
        return TABLE[overload]
    if overload._can_decompose():
        return overload.decompose
    if overload.namespace == "prims":
        return overload.impl_aten
    table = torch._decomp.decomposition_table
    if overload in table:
        return table[overload]
    name = overload._schema.name.split("::")[1]
    if name.startswith("_foreach_") and hasattr(aten, name.removeprefix("_foreach_")):
        return functools.partial(_apply_to_each, overload)
    return getattr(torch._refs, name, None) if overload.namespace == "aten" else None
