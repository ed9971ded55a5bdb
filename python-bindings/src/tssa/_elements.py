# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Element types: their names here and in ONNX Runtime, and the numpy types of arrays that hold them.

numpy has no bfloat16, no float8 and no int4. Arrays of these have the types of ml_dtypes, with a byte for each element of
fewer bits.
"""

from typing import Any, NamedTuple, Optional

import numpy

from ._errors import INVALID_ARGUMENT, Error, InvalidArgument


class Element(NamedTuple):
    """name: such as "f32". onnx: as in ONNX Runtime's "tensor(float)". numpy: the name of its type there or in ml_dtypes.

    storage: the unsigned type through which arrays of ml_dtypes pass; None for numpy's own types.
    """

    name: str
    onnx: str
    numpy: str
    storage: Optional[str] = None


# By DLPack's code and bits (tssa/abi.h).
_ELEMENTS = {
    (0, 8): Element("i8", "int8", "int8"), (0, 16): Element("i16", "int16", "int16"),
    (0, 32): Element("i32", "int32", "int32"), (0, 64): Element("i64", "int64", "int64"),
    (1, 8): Element("u8", "uint8", "uint8"), (1, 16): Element("u16", "uint16", "uint16"),
    (1, 32): Element("u32", "uint32", "uint32"), (1, 64): Element("u64", "uint64", "uint64"),
    (2, 16): Element("f16", "float16", "float16"), (2, 32): Element("f32", "float", "float32"),
    (2, 64): Element("f64", "double", "float64"), (6, 1): Element("bool", "bool", "bool"),
    (6, 8): Element("bool", "bool", "bool"), (4, 16): Element("bf16", "bfloat16", "bfloat16", "uint16"),
    (10, 8): Element("f8e4m3fn", "float8e4m3fn", "float8_e4m3fn", "uint8"),
    (11, 8): Element("f8e4m3fnuz", "float8e4m3fnuz", "float8_e4m3fnuz", "uint8"),
    (12, 8): Element("f8e5m2", "float8e5m2", "float8_e5m2", "uint8"),
    (13, 8): Element("f8e5m2fnuz", "float8e5m2fnuz", "float8_e5m2fnuz", "uint8"),
    (14, 8): Element("f8e8m0fnu", "float8e8m0", "float8_e8m0fnu", "uint8"),
    (0, 4): Element("i4", "int4", "int4", "uint8"), (1, 4): Element("u4", "uint4", "uint4", "uint8"),
    (0, 2): Element("i2", "int2", "int2", "uint8"), (1, 2): Element("u2", "uint2", "uint2", "uint8"),
    (17, 4): Element("f4e2m1fn", "float4e2m1", "float4_e2m1fn", "uint8"),
}


def get_element(code: int, bits: int) -> Element:
    """Returns the element type with these numbers of DLPack."""
    element = _ELEMENTS.get((code, bits))
    if element is None:
        raise Error(f"there is no name for elements of code {code} and {bits} bits")
    return element


def get_dtype(element: Element) -> "numpy.dtype[Any]":
    """Returns the type of arrays of these elements. tssa.Error: it is one of ml_dtypes, which is not installed."""
    if element.storage is None:
        return numpy.dtype(element.numpy)
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise Error(f"arrays of {element.onnx} need ml_dtypes: pip install ml_dtypes") from None
    return numpy.dtype(getattr(ml_dtypes, element.numpy))


def to_storage(array: "numpy.ndarray[Any, Any]", element: Element) -> "numpy.ndarray[Any, Any]":
    """Returns an array that the runtime takes, without a copy."""
    return array if element.storage is None else array.view(element.storage)


def from_storage(array: "numpy.ndarray[Any, Any]", element: Element) -> "numpy.ndarray[Any, Any]":
    """Returns a result of the runtime with its own element type, without a copy."""
    return array if element.storage is None else array.view(get_dtype(element))


#: Element types by the numbers of onnx.TensorProto.DataType, by name.
_ONNX_TYPES = {"float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
               "double": 11, "uint32": 12, "uint64": 13, "bfloat16": 16, "float8e4m3fn": 17, "float8e4m3fnuz": 18,
               "float8e5m2": 19, "float8e5m2fnuz": 20, "uint4": 21, "int4": 22, "float4e2m1": 23, "float8e8m0": 24, "uint2": 25,
               "int2": 26}


def get_onnx_type(element: Element) -> int:
    """Returns the number of an element type in onnx.TensorProto.DataType."""
    return _ONNX_TYPES[element.onnx]


def find_element(kind: Any) -> Element:
    """Returns the element type of what numpy takes as a type of elements, or of a number of onnx.TensorProto.DataType.

    InvalidArgument: there is none.
    """
    if isinstance(kind, int) and not isinstance(kind, bool):
        found = next((each for each in _ELEMENTS.values() if _ONNX_TYPES[each.onnx] == kind), None)
    else:
        try:
            dtype = numpy.dtype("none" if kind is None else kind)  # None would be float64
        except TypeError:
            raise InvalidArgument(f"expected an element type, got {kind!r}", code=INVALID_ARGUMENT) from None
        found = next((each for each in _ELEMENTS.values() if each.numpy == dtype.name and dtype.isnative), None)
    if found is None:
        raise InvalidArgument(f"there are no tensors of {kind!r}", code=INVALID_ARGUMENT)
    return found
