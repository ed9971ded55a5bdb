# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tensors of the Open Inference Protocol, version 2, as JSON."""

import numpy as np
from pydantic import BaseModel

TYPES = {"BOOL": "bool", "UINT8": "uint8", "INT8": "int8", "INT32": "int32", "INT64": "int64", "FP32": "float32",
         "FP64": "float64"}
NAMES = {kind: name for name, kind in TYPES.items()} | {"float": "FP32", "double": "FP64"}


class Tensor(BaseModel):
    name: str
    shape: list[int]
    datatype: str
    data: list


class Output(BaseModel):
    name: str


class Inference(BaseModel):
    """A request. outputs: those that are wanted, all if there are none."""

    id: str = ""
    inputs: list[Tensor]
    outputs: list[Output] = []


def read_array(tensor):
    """The array of a Tensor, whose data may be nested or flat. Raises ValueError if type or shape does not fit."""
    if tensor.datatype not in TYPES:
        raise ValueError(f"input '{tensor.name}': expected one of {', '.join(TYPES)}, got datatype '{tensor.datatype}'")
    return np.array(tensor.data, TYPES[tensor.datatype]).reshape(tensor.shape)


def write_array(name, array):
    return {"name": name, "datatype": NAMES[array.dtype.name], "shape": array.shape, "data": array.ravel().tolist()}


def describe_ports(ports):
    """Names, types and shapes of a session's inputs or outputs; -1 is a size that each request decides."""
    return [{"name": port.name, "datatype": NAMES[port.type.removeprefix("tensor(").removesuffix(")")],
             "shape": [size if isinstance(size, int) else -1 for size in port.shape]} for port in ports]
