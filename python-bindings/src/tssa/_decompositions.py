# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators said by others, where the compiler does not know them: PyTorch's ways, and ours."""

import functools

import torch

aten = torch.ops.aten


def _scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=None):
    return aten.full([], s, dtype=dtype or torch.get_default_dtype(), layout=layout,
                     device=device, pin_memory=pin_memory)


def _as_strided(self, size, stride, storage_offset=None):
    """A tensor that differs in strides of dims of one element only is another name for it."""
    offset = self.storage_offset() if storage_offset is None else storage_offset
    same = list(self.shape) == list(size) and self.storage_offset() == offset and all(
        own == wanted or extent == 1
        for own, wanted, extent in zip(self.stride(), stride, self.shape))
    return aten.alias(self) if same else NotImplemented


_OURS = {aten.scalar_tensor.default: _scalar_tensor, aten.as_strided.default: _as_strided}


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
