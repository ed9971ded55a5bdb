# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Describes values in the text that tssa-compile reads.

The text is described in lib/Import/PyTorch/README.md of the sources.
"""

import math
import re

import torch

from ._errors import UnsupportedError

_DTYPES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.bool: "bool", torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16",
    torch.uint16: "u16", torch.int32: "i32", torch.uint32: "u32", torch.int64: "i64",
    torch.uint64: "u64",
}
# c10::ScalarType
_CODES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4,
    torch.float16: 5, torch.float32: 6, torch.float64: 7, torch.bool: 11, torch.bfloat16: 15,
    torch.uint16: 27, torch.uint32: 28, torch.uint64: 29,
}
# A position in the stack trace that PyTorch gives for a node.
PLACE = re.compile(r'File "([^<].*?)", line (\d+)')


_COMPLEX = "complex numbers are not supported: keep the real and the imaginary parts in tensors of their own"


def check_type(dtype):
    """Refuses an element type that the compiler does not know."""
    if dtype.is_complex:
        raise UnsupportedError([_COMPLEX])
    if dtype not in _DTYPES:
        raise UnsupportedError([f"tensors of {dtype} are not supported: convert to another type before"])


def check_tensor(tensor):
    """Refuses a tensor of an element type or a layout that the compiler does not know."""
    check_type(tensor.dtype)
    if tensor.layout != torch.strided:
        raise UnsupportedError(["sparse tensors are not supported: call to_dense() before"])


def is_known(tensor):
    """Returns whether the compiler knows the element type and the layout of a tensor."""
    return tensor.dtype in _DTYPES and tensor.layout == torch.strided


def dtype_name(dtype):
    check_type(dtype)
    return _DTYPES[dtype]


def scalar_type_code(dtype):
    """Returns the number that stands for an element type in arguments of operators."""
    check_type(dtype)
    return _CODES[dtype]


def find_permutation(tensor):
    """Returns None for a contiguous tensor, else the order of dims that makes it contiguous, or False."""
    if tensor.is_contiguous():
        return None
    order = sorted(range(tensor.dim()), key=lambda dim: -tensor.stride(dim))
    return order if tensor.permute(order).is_contiguous() else False


def describe(value, name):
    """Returns the description of a value in the text: a literal, or a tensor's name, type and sizes."""
    if value is None:
        return {"kind": "none"}
    if isinstance(value, bool):
        return {"kind": "bool", "value": value}
    if isinstance(value, int):
        return {"kind": "int", "value": value}
    if isinstance(value, float):
        text = {math.inf: "inf", -math.inf: "-inf"}.get(value, value)
        return {"kind": "float", "value": "nan" if value != value else text}
    if isinstance(value, str):
        return {"kind": "string", "value": value}
    if isinstance(value, torch.device):
        if value.type != "cpu":
            raise UnsupportedError([f"the device {value}: tensors live on the cpu"])
        return {"kind": "string", "value": "cpu"}
    if isinstance(value, torch.Tensor):
        literal = {"kind": "tensor", "name": name, "dtype": dtype_name(value.dtype),
                   "sizes": list(value.shape)}
        order = find_permutation(value)
        if order is False:
            literal["dense"] = False
        elif order is not None:
            literal["permutation"] = [order.index(dim) for dim in range(len(order))]
        return literal
    kind = "list" if isinstance(value, list) else "tuple"
    return {"kind": kind, "elements": [describe(v, f"{name}.{i}") for i, v in enumerate(value)]}


def make_program(name, files, arguments, graph):
    """Returns the whole text as a dict. arguments: results of `describe`. graph: a block."""
    return {"format": "tssa-pytorch", "version": 1, "name": name, "files": files,
            "arguments": arguments, "graph": graph}
