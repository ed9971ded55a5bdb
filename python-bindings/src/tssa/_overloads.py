# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The overloads of operators: their names in the text, and what they write."""

import functools

import torch

# Reshapes that are views in eager mode; so it need not be checked again that the strides allow it.
_RENAMED = {"aten::view": "tssa::view", "aten::_unsafe_view": "tssa::view"}


def operator_name(overload):
    """What the text calls an overload: 'aten::add.Tensor', 'aten::relu'."""
    schema = overload._schema
    name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
    return _RENAMED.get(name, name)


def written_arguments(schema):
    return [a for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]


@functools.lru_cache(maxsize=None)
def find_functional(overload):
    """Returns the overload that computes what an in-place or out= overload writes, or None."""
    schema = overload._schema
    if not written_arguments(schema):
        return None
    name = schema.name.split("::")[1]
    packet = getattr(torch.ops.aten, name, None)
    if name.endswith("_") and not name.endswith("__"):
        packet = getattr(torch.ops.aten, name[:-1], None)
    if packet is None or schema.name.split("::")[0] != "aten":
        return None
    wanted = [(a.name, str(a.type)) for a in schema.arguments if not a.is_out]
    for candidate in packet.overloads():
        found = getattr(packet, candidate)
        arguments = [(a.name, str(a.type)) for a in found._schema.arguments]
        if arguments == wanted and not written_arguments(found._schema):
            return found
    return None


def gives_view(overload):
    """Returns whether the result is a view of an argument that is not written."""
    return any(r.alias_info is not None and not r.alias_info.is_write
               for r in overload._schema.returns)
