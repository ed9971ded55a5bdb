# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every error of tssa.InferenceSession and its options, for test_raises: functions, texts and kinds."""

import importlib
import io
import os
import resource
import sys
import tempfile
import types
import unittest.mock

import numpy
import tssa
from test_files import make_model
from tssa import _elements, _feeds, _inputs, _modelmeta, _operators, _package, _tool

ONES = numpy.ones(3, numpy.float32)
ENDLESS = []
ENDLESS.append(ENDLESS)
CASES = []


def fails(text, kind=tssa.NotImplemented):
    def add(function):
        CASES.append((function, text, kind))
        return function

    return add


def session(**options):
    return tssa.InferenceSession(make_model("Neg"), **options)


def feed_integers(values):
    element = _elements.get_element(0, 8)
    _feeds._to_array(values, element, _elements.get_dtype(element))


class OfAnotherDevice:
    """Something with DLPack whose memory cannot be read."""

    def __dlpack__(self, **_):
        raise BufferError("the memory is of another device")

    def __dlpack_device__(self):
        return (2, 0)


def feed_parts(value):
    """Feeds a sequence of rows of three f32."""
    port = ("s", 2, 32, [-1, 3], 0, 0, ["s.0", ""])
    _inputs.to_arguments({"s": value}, [port], {"s": "sequence"})


def with_options(**values):
    options = tssa.SessionOptions()
    for name, value in values.items():
        setattr(options, name, value)
    return session(sess_options=options)


fails("there is no model '/nowhere/m.onnx'", tssa.NoSuchFile)(lambda: tssa.InferenceSession("/nowhere/m.onnx"))
fails("there is no model '/nowhere/m.onnx'", FileNotFoundError)(lambda: tssa.Session("/nowhere/m.onnx"))
fails("input 's' is a sequence, expected a list of arrays, got ndarray", tssa.InvalidArgument)(lambda: feed_parts(ONES))
fails(r"'s' is a sequence, expected parts of one shape, got \[2\] and \[3\]: pad the smaller ones", tssa.InvalidArgument)(
    lambda: feed_parts([ONES, ONES[:2]]))
fails(r"a part of input 's' cannot be read as an array \(the memory is of another device\): give a numpy array",
      tssa.InvalidArgument)(lambda: feed_parts([OfAnotherDevice()]))
fails("the bytes of the model are empty", tssa.InvalidProtobuf)(lambda: tssa.InferenceSession(b""))
@fails("the bytes of the model cannot be written to '.*': File too large", tssa.Error)
def no_room_for_bytes():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        session()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@fails("there is no folder for temporary files: No such file or directory", tssa.Error)
def no_folder_for_bytes():
    with unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "/dev/null/cache"}), \
            unittest.mock.patch.object(tempfile, "tempdir", "/nowhere"):
        session()


fails("a model is a path, bytes or an onnx.ModelProto, got int", TypeError)(lambda: tssa.InferenceSession(5))
fails("InferenceSession has no option 'provider'", TypeError)(lambda: session(provider="CPU"))
fails("sess_options is a tssa.SessionOptions, got dict", TypeError)(lambda: session(sess_options={}))
fails("there are 1 providers, but options for 2", ValueError)(
    lambda: session(providers=["CPUExecutionProvider"], provider_options=[{}, {}]))
fails("a severity is 0", ValueError)(lambda: tssa.set_default_logger_severity(7))
fails("expected a function or None, got str", TypeError)(lambda: tssa.set_progress("yes"))
fails("expected the path of a file .mlir, or functions", ValueError)(lambda: tssa.register_onnx_operator("Relu"))


@fails(r"\['a::B'\] were defined with \['a::C'\]: define them again, too", ValueError)
def defines_one_of_two_operators():
    with unittest.mock.patch.dict(_operators._registered, clear=True):
        tssa.register_onnx_operator('func.func @"a::B"()\nfunc.func @"a::C"()')
        tssa.register_onnx_operator('func.func @"a::B"()')


fails("SessionOptions has no option 'threads'", AttributeError)(lambda: with_options(threads=2))
fails("intra_op_num_threads is int, got '2'", TypeError)(lambda: with_options(intra_op_num_threads="2"))
fails("the profile '/nowhere/p_.*.json' cannot be written: No such file", tssa.Error)(
    lambda: with_options(enable_profiling=True, profile_file_prefix="/nowhere/p").end_profiling())
fails("tssa-compile MODEL -o FILE keeps")(lambda: with_options(optimized_model_filepath="o.onnx"))
fails("at least 0, got -1", ValueError)(lambda: tssa.SessionOptions().add_free_dimension_override_by_name("N", -1))
fails("a constant is of numbers and bools, got \\['3'\\]", TypeError)(lambda: tssa.SessionOptions().add_constant("k", ["3"]))
fails("the shape of input 'x' is a list such as", TypeError)(lambda: tssa.SessionOptions().add_input_shape("x", 3))
fails("a dim of input 'x' is a size, a name or None, got 1.5", TypeError)(
    lambda: tssa.SessionOptions().add_input_shape("x", [1.5]))
fails("a size of input 'x' is at least 0, or None for any, got -1", ValueError)(
    lambda: tssa.SessionOptions().add_input_shape("x", [-1]))
fails("the name of a dim of input 'x' begins with a letter", ValueError)(
    lambda: tssa.SessionOptions().add_input_shape("x", ["a,b"]))
fails("input_shapes is a dict from the names of inputs to shapes, got list", TypeError)(
    lambda: tssa.Session(__file__, input_shapes=[1]))
fails("an artifact is compiled already")(lambda: tssa.Session(__file__, input_shapes={"x": [1]}))
fails("an artifact is compiled already")(lambda: tssa.Session(__file__, precision="bf16"))
fails("precision is f32, f16, bf16, tf32 or fast, got 'fp16'", ValueError)(lambda: tssa.Session(__file__, precision="fp16"))
fails("dims are fixed by name only")(lambda: tssa.SessionOptions().add_free_dimension_override_by_denotation("B", 1))
fails("denormal numbers are kept")(
    lambda: tssa.SessionOptions().add_session_config_entry("session.set_denormal_as_zero", "1"))
fails("there is no configuration entry 'a'")(lambda: tssa.SessionOptions().get_session_config_entry("a"))
fails("weights are compiled into a model")(lambda: tssa.SessionOptions().add_initializer("w", ONES))
fails("weights are compiled into a model")(lambda: tssa.SessionOptions().add_external_initializers(["w"], [ONES]))
fails("express the operator as an ONNX function")(lambda: tssa.SessionOptions().register_custom_ops_library("a.so"))
fails("express the operator as an ONNX function")(lambda: tssa.SessionOptions().enable_registered_custom_ops())
fails("there is no provider 'CUDAExecutionProvider', only")(lambda: tssa.SessionOptions().add_provider("CUDAExecutionProvider"))
fails("a session that is being made cannot be cancelled")(lambda: tssa.SessionOptions().set_load_cancellation_flag(True))
fails("merge their weights into those of the model")(lambda: tssa.RunOptions().add_active_adapter(None))
fails("external weights are read from the folder of the model")(lambda: tssa.SessionOptions().add_session_config_entry(
    "session.model_external_initializers_file_folder_path", "/weights"))
fails("module 'tssa' has no attribute 'nothing'", AttributeError)(lambda: tssa.nothing)
fails("SparseTensor: sparse tensors are not offered: give a dense array")(lambda: tssa.SparseTensor(None))
fails("SparseTensor: sparse tensors are not offered")(lambda: tssa.SparseTensor.sparse_coo_from_numpy)
fails("SparseTensor has no attribute '__len__'", AttributeError)(lambda: tssa.SparseTensor.__len__)
fails("there is no configuration entry 'a'")(lambda: tssa.RunOptions().get_run_config_entry("a"))
fails("the inputs are a dict from names to arrays, got list", TypeError)(lambda: session().run(None, [ONES]))
fails(r"input 'x' is of tensor\(float\), got an array of float64: use x.astype\(numpy.float32\)", tssa.InvalidArgument)(
    lambda: session().run(None, {"x": numpy.ones(3)}))
fails(r"input 'x' is of tensor\(float\), expected lists of one length", tssa.InvalidArgument)(
    lambda: session().run(None, {"x": [[1], [2, 3]]}))
fails("expected numbers or lists in a list, got both", tssa.InvalidArgument)(lambda: session().run(None, {"x": [[1], 2]}))
fails("expected lists that are at most 64 deep", tssa.InvalidArgument)(lambda: session().run(None, {"x": ENDLESS}))
fails("expected parts of one shape", tssa.InvalidArgument)(lambda: session().run(None, {"x": [ONES, ONES[1:]]}))
fails("expected numbers that it can hold, got a list with 1e\\+39", tssa.InvalidArgument)(
    lambda: session().run(None, {"x": [1e39, 0, 0]}))
fails("got a list with an integer beyond all floats", tssa.InvalidArgument)(
    lambda: session().run(None, {"x": [10**400, 0, 0]}))
fails("expected integers, got a list with 1.5: give an array of int8 instead", ValueError)(lambda: feed_integers([1.5]))
fails("expected numbers from -128 to 127, got a list with 300", ValueError)(lambda: feed_integers([300]))
fails("there is no name for elements of code 99", tssa.Error)(lambda: _elements.get_element(99, 8))


@fails("onnxruntime is imported already: call tssa.use_as_onnxruntime\\(\\) before", RuntimeError)
def uses_an_imported_module():
    with unittest.mock.patch.dict(sys.modules, onnxruntime=types.ModuleType("onnxruntime")):
        tssa.use_as_onnxruntime()


def with_module(use):
    """Runs `use` with the module onnxruntime of this package, which is not there afterwards."""
    with unittest.mock.patch.dict(sys.modules), unittest.mock.patch.object(sys, "meta_path", list(sys.meta_path)):
        for name in [name for name in sys.modules if name.partition(".")[0] == "onnxruntime"]:
            del sys.modules[name]
        use(tssa.use_as_onnxruntime())


fails("'onnxruntime.quantization' is not offered: tssa runs models only", ImportError)(
    lambda: with_module(lambda _: importlib.import_module("onnxruntime.quantization")))
fails("module 'onnxruntime.capi' has no attribute 'nothing'", AttributeError)(
    lambda: with_module(lambda module: module.capi.nothing))


@fails("training_mode is not offered")
def trains():
    options = tssa.RunOptions()
    options.training_mode = True
    session().run(None, {"x": ONES}, options)


@fails("the session is closed", tssa.Error)
def runs_a_closed_session():
    with session() as closed:
        pass
    closed.run(None, {"x": ONES})


@fails("an artifact is compiled already", tssa.NotImplemented)
def fixes_dims_of_an_artifact():
    options = tssa.SessionOptions()
    options.add_free_dimension_override_by_name("N", 3)
    tssa.InferenceSession(b"\x7fELF", options)


@fails("arrays of bfloat16 need ml_dtypes: pip install ml_dtypes", tssa.Error)
def has_no_ml_dtypes():
    with unittest.mock.patch.dict(sys.modules, ml_dtypes=None):
        _elements.get_dtype(_elements.get_element(4, 16))


@fails("pip install 'tssa-compiler\\[torch\\]'", tssa.Error)
def has_no_torch():
    with unittest.mock.patch.dict(sys.modules, torch=None):
        tssa.compile(lambda x: x)


@fails("this installation has no CMake package", tssa.Error)
def has_no_cmake_package():
    with unittest.mock.patch.object(_package, "_FOLDER", "/nowhere"):
        tssa.get_cmake_dir()


@fails("tssa-run is not found beside tssa-compile", tssa.Error)
def has_no_runner():
    with tempfile.TemporaryDirectory() as folder:
        tool = os.path.join(folder, "tssa-compile")
        with open(tool, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        os.chmod(tool, 0o755)
        with unittest.mock.patch.dict(os.environ, TSSA_COMPILE=tool):
            _package.find_program("tssa-run")


@fails("not an ONNX protobuf", tssa.InvalidProtobuf)
def compiles_what_is_no_model():
    with unittest.mock.patch.dict(os.environ, TSSA_CACHE="0"):
        tssa.InferenceSession(b"no model")


def reads_metadata(content):
    return lambda: _modelmeta.read_modelmeta(io.BytesIO(content))


DAMAGED = r"the model is no ONNX protobuf, or its \d+ bytes are damaged"
for damaged in (b"\x0b", b"\x02\x00", b"\x0d\x00", b"\x12\x05abc", b"\x12\x01\xff", b"\x28" + b"\xff" * 11, b"\x28\x80"):
    fails(DAMAGED, tssa.InvalidProtobuf)(reads_metadata(damaged))


@fails("an artifact keeps no metadata of its model: make the session of the ONNX model")
def has_metadata_of_an_artifact():
    with tempfile.TemporaryDirectory() as folder:
        source, artifact = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.so")
        with open(source, "wb") as file:
            file.write(make_model("Neg"))
        _tool.compile_file(source, artifact, "cpu")
        tssa.InferenceSession(artifact).get_modelmeta()


@fails(DAMAGED, tssa.InvalidProtobuf)
def has_metadata_of_a_text():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write('func.func @main(%x: tensor<f32> {te.port = #te.port<name = "x">}) -> '
                       '(tensor<f32> {te.port = #te.port<name = "y">}) {\n  return %x : tensor<f32>\n}\n')
        tssa.InferenceSession(path).get_modelmeta()
