# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""OrtValue: a value in the memory of the CPU, with the names of ONNX Runtime."""

import ctypes
from typing import Any, List, Optional, Sequence, Tuple

import numpy

from ._elements import find_element, get_dtype, get_onnx_type
from ._errors import INVALID_ARGUMENT, Error, InvalidArgument
from ._ort_devices import check_device
from ._refusals import refuse

_Array = numpy.ndarray[Any, Any]
_STRINGS, _STRING_TYPE = "tensor(string)", 8  # the number of onnx.TensorProto.DataType
_SPARSE = "sparse tensors are not offered: give a dense array"


class OrtValue:
    """A tensor, a sequence of tensors or maps, or an optional without a value. Tensors of numbers share memory with the arrays that they are made
    of and that numpy() returns.

    Programs make one by ortvalue_from_numpy, ortvalue_from_shape_and_type and from_dlpack.
    """

    def __init__(self, value: Any, data_type: str) -> None:
        """value: a contiguous array, one of dtype object for strings, a list of arrays or dicts, or None. data_type: such as
        "tensor(float)"."""
        self._value = value
        self._data_type = data_type

    @classmethod
    def ortvalue_from_numpy(cls, numpy_obj: _Array, /, device_type: str = "cpu", device_id: int = 0,
                            vendor_id: int = -1) -> "OrtValue":
        """Makes a tensor of an array of any shape, whose memory it shares if it is contiguous, and copies otherwise.

        InvalidArgument: it is no array of numbers or bools. NotImplemented: the device is not "cpu".
        """
        check_device(device_type)
        return cls._of_array(numpy_obj, None)

    @classmethod
    def ortvalue_from_numpy_with_onnx_type(cls, data: _Array, /, onnx_element_type: int) -> "OrtValue":
        """Makes a tensor of an array whose bytes are elements of another type of the same size.

        onnx_element_type: a number of onnx.TensorProto.DataType. InvalidArgument: its elements have another size.
        """
        dtype = get_dtype(find_element(int(onnx_element_type)))
        if not isinstance(data, numpy.ndarray) or data.dtype.itemsize != dtype.itemsize:
            raise InvalidArgument(f"expected an array with elements of {dtype.itemsize} bytes, as {dtype.name} has, got "
                                  f"{_describe(data)}", code=INVALID_ARGUMENT)
        return cls._of_array(data, dtype)

    @classmethod
    def ortvalue_from_shape_and_type(cls, shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0,
                                     vendor_id: int = -1, memory_info: Any = None) -> "OrtValue":
        """Makes a tensor whose contents are not set.

        element_type: a type of numpy, or a number of onnx.TensorProto.DataType. InvalidArgument: there is no such type, or a
        size is negative.
        """
        check_device(device_type)
        element = find_element(element_type)
        return cls(numpy.empty(check_shape(shape), get_dtype(element)), f"tensor({element.onnx})")

    @classmethod
    def from_dlpack(cls, data: Any, /) -> "OrtValue":
        """Makes a tensor that shares the memory of something with DLPack, or of a capsule of DLPack.

        InvalidArgument: its memory is not contiguous, or cannot be read by the CPU.
        """
        if isinstance(data, (OrtValue, numpy.ndarray)):
            array = numpy.asarray(data)
        else:
            try:
                array = numpy.from_dlpack(data if hasattr(data, "__dlpack__") else _Capsule(data))
            except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
                raise InvalidArgument(f"expected a tensor with DLPack in the memory of the CPU, got {type(data).__name__}: "
                                      f"{error}", code=INVALID_ARGUMENT) from None
        if not array.flags.c_contiguous:
            raise InvalidArgument(f"expected contiguous memory, got a tensor of strides {list(array.strides)} in bytes: "
                                  "copy it", code=INVALID_ARGUMENT)
        return cls._of_array(array, None)

    @classmethod
    def _of_array(cls, array: Any, dtype: Any) -> "OrtValue":
        if not isinstance(array, numpy.ndarray) or array.dtype.kind in "OSU":
            raise InvalidArgument(f"expected an array of numbers or bools, got {_describe(array)}", code=INVALID_ARGUMENT)
        contiguous = array if array.flags.c_contiguous else numpy.ascontiguousarray(array)
        value = contiguous if dtype is None else contiguous.view(dtype)
        return cls(value, f"tensor({find_element(value.dtype).onnx})")

    ort_value_from_sparse_tensor = refuse(_SPARSE)
    as_sparse_tensor = refuse(_SPARSE)

    def _get_array(self) -> _Array:
        if not isinstance(self._value, numpy.ndarray):
            raise Error(f"the value of {self._data_type} is no tensor: run() of the session returns it")
        return self._value

    def numpy(self) -> _Array:
        """Returns the tensor as an array, without a copy. Error: the value is no tensor."""
        return self._get_array().view()

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> _Array:
        array = self.numpy()
        if copy is not None:
            return numpy.array(array, dtype=dtype, copy=copy)
        return array if dtype is None else numpy.asarray(array, dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self._get_array().__dlpack__(**options)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    def data_ptr(self) -> int:
        """Returns the address of the first element. Error: the value is no tensor, or has strings."""
        if self._data_type == _STRINGS:
            raise Error("strings are no memory of numbers: numpy() returns them")
        return int(self._get_array().ctypes.data)

    def shape(self) -> List[int]:
        return list(self._get_array().shape)

    def data_type(self) -> str:
        """Returns a type such as "tensor(float)"."""
        return self._data_type

    def element_type(self) -> int:
        """Returns a number of onnx.TensorProto.DataType."""
        if self._data_type == _STRINGS:
            return _STRING_TYPE
        return get_onnx_type(find_element(self._get_array().dtype))

    def tensor_size_in_bytes(self) -> int:
        return int(self._get_array().nbytes)

    def device_name(self) -> str:
        return "cpu"

    def has_value(self) -> bool:
        return self._value is not None

    def is_tensor(self) -> bool:
        return self._data_type.startswith("tensor(")

    def is_sparse_tensor(self) -> bool:
        return False

    def is_tensor_sequence(self) -> bool:
        return self._data_type.startswith("seq(tensor(")

    def update_inplace(self, data: Any) -> None:
        """Writes the elements of an array or OrtValue, in row-major order, into the memory of this tensor.

        InvalidArgument: they have another type or count, or the memory cannot be written.
        """
        into = self._get_array()
        if not isinstance(data, (OrtValue, numpy.ndarray)):
            raise TypeError(f"expected an array or an OrtValue, got {type(data).__name__}")
        array = numpy.asarray(data)
        if array.dtype != into.dtype or array.size != into.size:
            raise InvalidArgument(f"expected {into.size} elements of {into.dtype}, got {array.size} of {array.dtype}",
                                  code=INVALID_ARGUMENT)
        if not into.flags.writeable:
            raise InvalidArgument("the memory of the value cannot be written: it is that of a read-only array",
                                  code=INVALID_ARGUMENT)
        numpy.copyto(into, array.reshape(into.shape))


class _Capsule:
    """A capsule of DLPack, as numpy takes it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)


def _describe(value: Any) -> str:
    return f"an array of {value.dtype}" if isinstance(value, numpy.ndarray) else type(value).__name__


def check_shape(shape: Any) -> Tuple[int, ...]:
    """Returns a shape as a tuple. InvalidArgument: it is no list of sizes."""
    sizes = list(shape) if hasattr(shape, "__iter__") else [shape]
    if not all(isinstance(size, (int, numpy.integer)) and size >= 0 for size in sizes):
        raise InvalidArgument(f"expected a shape of sizes from 0 on, got {shape!r}", code=INVALID_ARGUMENT)
    return tuple(map(int, sizes))


def view_memory(name: str, element_type: Any, shape: Any, address: int) -> _Array:
    """Returns an array over memory that the caller owns.

    name: what the memory is for, in errors. InvalidArgument: there is no such type or shape, or the address is 0.
    """
    dtype, sizes = get_dtype(find_element(element_type)), check_shape(shape)
    count = dtype.itemsize
    for size in sizes:
        count *= size
    if not count:
        return numpy.empty(sizes, dtype)
    if not address:
        raise InvalidArgument(f"{name}: expected the address of {count} bytes, got {address!r}", code=INVALID_ARGUMENT)
    return numpy.frombuffer((ctypes.c_byte * count).from_address(int(address)), numpy.uint8).view(dtype).reshape(sizes)


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Copies each tensor of `src` into the memory of the one at its place in `dst`. ValueError: their numbers differ."""
    if len(src) != len(dst):
        raise ValueError(f"expected as many values to copy as places for them, got {len(src)} and {len(dst)}")
    for source, target in zip(src, dst):
        target.update_inplace(source)
