# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators said by others, where the compiler does not know them: PyTorch's ways, and ours."""

import functools

import torch

from ._layers import get_layers
from ._rearrangements import get_rearrangements
from ._special_functions import get_special_functions

aten = torch.ops.aten


def _scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=None):
    return aten.full([], s, dtype=dtype or torch.get_default_dtype(), layout=layout,
                     device=device, pin_memory=pin_memory)


_OURS = {aten.scalar_tensor.default: _scalar_tensor, **get_layers(), **get_rearrangements(),
         **get_special_functions()}


@functools.lru_cache(maxsize=None)
def find_decomposition(overload):
    """A callable that does what an operator does by way of others, or None."""
    if overload in _OURS:
        return _OURS[overload]
    if overload.namespace == "prims":
        return overload.impl_aten
    table = torch._decomp.decomposition_table
    if overload in table:
        return table[overload]
    if overload._can_decompose():
        return overload.decompose
    name = overload._schema.name.split("::")[1]
    return getattr(torch._refs, name, None) if overload.namespace == "aten" else None
