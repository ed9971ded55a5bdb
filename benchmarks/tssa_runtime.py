"""libtssart through ctypes: enough of tssa/tssa.h to run and time a model in this process."""

import ctypes
import os

import numpy as np

POINTER = ctypes.POINTER


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DType),
                ("shape", POINTER(ctypes.c_int64)), ("strides", POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tensor", Tensor), ("owner", ctypes.c_void_p)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("threads", ctypes.c_uint32), ("pin_threads", ctypes.c_uint32),
                ("memory_limit", ctypes.c_uint64), ("verify_weights", ctypes.c_int32),
                ("parallel_for", ctypes.c_void_p), ("parallel_for_user", ctypes.c_void_p)]


class Port(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", DType),
                ("kind", ctypes.c_int32), ("ndim", ctypes.c_int32), ("dims", POINTER(ctypes.c_int64)),
                ("symbols", POINTER(ctypes.c_int32)), ("alias_of", ctypes.c_int32)]


#: DLPack's type codes
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
KINDS = {code: kind for kind, code in CODES.items()}


def dtype_of(array):
    return DType(CODES[array.dtype.kind], array.dtype.itemsize * 8, 1)


def numpy_dtype(dtype):
    return np.dtype(bool) if dtype.code == CODES["b"] else np.dtype(f"{KINDS[dtype.code]}{dtype.bits // 8}")


class Library:
    """libtssart.so with the signatures that are used here."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(os.path.abspath(path))
        status, session = ctypes.c_void_p, ctypes.c_void_p
        for name, result, arguments in (
                ("tssa_status_message", ctypes.c_char_p, [status]),
                ("tssa_status_free", None, [status]),
                ("tssa_session_load", status, [ctypes.c_char_p, POINTER(SessionOptions), POINTER(session)]),
                ("tssa_session_free", None, [session]),
                ("tssa_session_num_outputs", ctypes.c_size_t, [session]),
                ("tssa_session_output", status, [session, ctypes.c_size_t, POINTER(Port)]),
                ("tssa_session_run", status, [session, ctypes.c_void_p, POINTER(Value), ctypes.c_size_t,
                                              POINTER(Value), ctypes.c_size_t]),
                ("tssa_value_release", None, [POINTER(Value)])):
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments

    def check(self, status):
        if status:
            text = self.lib.tssa_status_message(status).decode(errors="replace")
            self.lib.tssa_status_free(status)
            raise RuntimeError("libtssart: " + text)


class TssaRunner:
    """One compiled model with fixed inputs."""

    def __init__(self, library, binary, inputs, threads):
        self.library, self.lib = library, library.lib
        self.session = ctypes.c_void_p()
        options = SessionOptions(struct_size=ctypes.sizeof(SessionOptions), threads=threads)
        library.check(self.lib.tssa_session_load(binary.encode(), ctypes.byref(options), ctypes.byref(self.session)))
        self.kept = [np.array(value, order="C", copy=True) for value in inputs.values()]
        self.inputs = (Value * len(inputs))(*(self._input(n, a) for n, a in zip(inputs, self.kept)))
        self.names = []
        for index in range(self.lib.tssa_session_num_outputs(self.session)):
            port = Port(struct_size=ctypes.sizeof(Port))
            library.check(self.lib.tssa_session_output(self.session, index, ctypes.byref(port)))
            self.names.append(port.name)
        self.outputs = (Value * len(self.names))()

    def _input(self, name, array):
        shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        self.kept.append(shape)
        return Value(name.encode(), Tensor(array.ctypes.data, Device(1, 0), array.ndim, dtype_of(array), shape, None, 0))

    def _run(self):
        for value, name in zip(self.outputs, self.names):
            ctypes.memset(ctypes.byref(value), 0, ctypes.sizeof(Value))
            value.name = name
        self.library.check(self.lib.tssa_session_run(self.session, None, self.inputs, len(self.inputs), self.outputs,
                                                     len(self.outputs)))

    def _release(self):
        for value in self.outputs:
            self.lib.tssa_value_release(ctypes.byref(value))

    def call(self):
        """One run; the results are made and given back."""
        self._run()
        self._release()

    def run(self):
        """One run; gives copies of the results by name."""
        self._run()
        results = {}
        for value in self.outputs:
            tensor = value.tensor
            shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
            dtype = numpy_dtype(tensor.dtype)
            count = int(np.prod(shape, dtype=np.int64))
            data = ctypes.string_at(tensor.data + tensor.byte_offset, count * dtype.itemsize) if count else b""
            results[value.name.decode()] = np.frombuffer(data, dtype).reshape(shape).copy()
        self._release()
        return results

    def close(self):
        self.lib.tssa_session_free(self.session)
        self.session = ctypes.c_void_p()
