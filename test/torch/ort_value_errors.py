# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every error of OrtValues, bindings and run_async, for test_raises: functions, texts and kinds."""

import numpy
import tssa
from session_errors import OfAnotherDevice, fails, session
from test_files import make_model
from tssa import _labels, _outputs, _targets

ONES = numpy.ones(3, numpy.float32)
VALUE = tssa.OrtValue.ortvalue_from_numpy(ONES)
NONE = tssa.OrtValue(None, "seq(tensor(float))")


def bad(text):
    """An argument is refused with this text."""
    return fails(text, tssa.InvalidArgument)


def make_read_only():
    array = ONES.copy()
    array.flags.writeable = False
    return tssa.OrtValue.ortvalue_from_numpy(array)


def run_bound(memory, feed=ONES):
    """Runs y = -x, whose output is bound to an OrtValue or an array."""
    made = session()
    binding = made.io_binding()
    binding.bind_cpu_input("x", feed)
    binding.bind_ortvalue_output("y", memory if isinstance(memory, tssa.OrtValue) else tssa.OrtValue(memory, "tensor(float)"))
    made.run_with_iobinding(binding)


fails("there is no memory of the device 'cuda': arguments and results are in the memory of the CPU")(
    lambda: tssa.OrtValue.ortvalue_from_numpy(ONES, "cuda", 0))
fails("there is no memory of the device 'gpu'")(lambda: tssa.OrtDevice.make("gpu", 0))
fails("there is no memory of the device 'cuda'")(lambda: tssa.OrtValue.ortvalue_from_shape_and_type([2], numpy.float32, "cuda"))
fails("there is no memory of the device 'cuda'")(lambda: session().io_binding().bind_output("y", "cuda"))
fails("there is no memory of the device 'cuda'")(
    lambda: session().io_binding().bind_input("x", "cuda", 0, numpy.float32, [3], ONES.ctypes.data))
fails("there is no memory 'Cuda', only 'Cpu'")(lambda: tssa.OrtMemoryInfo("Cuda", 0, 0, 0))
fails("make it by its constructor")(lambda: tssa.OrtMemoryInfo.create_v2("Cpu"))
fails("give a dense array")(VALUE.as_sparse_tensor)
fails("give a dense array")(lambda: tssa.OrtValue.ort_value_from_sparse_tensor(None))
bad("expected an array of numbers or bools, got list")(lambda: tssa.OrtValue.ortvalue_from_numpy([1, 2]))
bad("expected an array of numbers or bools, got an array of <U1")(
    lambda: tssa.OrtValue.ortvalue_from_numpy(numpy.array(["a"])))
bad("there are no tensors of dtype\\('complex64'\\)")(
    lambda: tssa.OrtValue.ortvalue_from_numpy(numpy.ones(2, numpy.complex64)))
bad("there are no tensors of dtype\\('>f4'\\)")(lambda: tssa.OrtValue.ortvalue_from_numpy(ONES.astype(">f4")))
bad("there are no tensors of 8")(lambda: tssa.OrtValue.ortvalue_from_shape_and_type([2], 8))
bad("expected an element type, got 'no type'")(lambda: tssa.OrtValue.ortvalue_from_shape_and_type([2], "no type"))
bad("expected an element type, got None")(
    lambda: session().io_binding().bind_input("x", "cpu", 0, None, [3], ONES.ctypes.data))
bad("expected an element type, got True")(lambda: tssa.OrtValue.ortvalue_from_shape_and_type([2], True))
bad("expected a shape of sizes from 0 on, got \\[-1\\]")(
    lambda: tssa.OrtValue.ortvalue_from_shape_and_type([-1], numpy.float32))
bad("expected an array with elements of 4 bytes, as float32 has, got an array of float64")(
    lambda: tssa.OrtValue.ortvalue_from_numpy_with_onnx_type(numpy.ones(2), 1))
bad("got OfAnotherDevice: the memory is of another device")(lambda: tssa.OrtValue.from_dlpack(OfAnotherDevice()))
bad("expected a tensor with DLPack in the memory of the CPU, got int")(lambda: tssa.OrtValue.from_dlpack(5))
bad("expected contiguous memory, got a tensor of strides \\[8\\] in bytes: copy it")(
    lambda: tssa.OrtValue.from_dlpack(numpy.ones(4, numpy.float32)[::2]))
fails("the value of seq\\(tensor\\(float\\)\\) is no tensor", tssa.Error)(NONE.numpy)
fails("expected an array or an OrtValue, got list", TypeError)(lambda: VALUE.update_inplace([1, 2, 3]))
bad("expected 3 elements of float32, got 3 of float64")(lambda: VALUE.update_inplace(numpy.ones(3)))
bad("expected 3 elements of float32, got 2 of float32")(lambda: VALUE.update_inplace(ONES[1:]))
bad("the memory of the value cannot be written")(lambda: make_read_only().update_inplace(ONES))
fails("expected as many values to copy as places for them, got 1 and 0", ValueError)(lambda: tssa.copy_tensors([VALUE], []))
bad("the model has no input 'z', only \\['x'\\]")(lambda: session().io_binding().bind_cpu_input("z", ONES))
fails("expected a tssa.OrtValue, got ndarray", TypeError)(lambda: session().io_binding().bind_ortvalue_input("x", ONES))
fails("expected a tssa.OrtValue, got ndarray", TypeError)(lambda: session().run_with_ort_values(None, {"x": ONES}))
bad("input 'x': expected the address of 12 bytes, got 0")(
    lambda: session().io_binding().bind_input("x", "cpu", 0, numpy.float32, [3], 0))
fails("output 'y': expected element_type and shape with buffer_ptr", ValueError)(
    lambda: session().io_binding().bind_output("y", buffer_ptr=ONES.ctypes.data))
fails("get_outputs\\(\\) returns a list")(lambda: session().io_binding().get_outputs_as_ortvaluevector())
fails("run_with_ort_values\\(\\) takes and returns OrtValues")(lambda: session().run_with_ortvaluevector())
fails("a folder of records that tssa-tune writes")(lambda: session().set_tuning_results([]))
fails("a session chooses no device by itself")(lambda: session().set_ep_dynamic_options({}))
fails("a binding is for the session whose io_binding\\(\\) has made it", ValueError)(
    lambda: session().run_with_iobinding(session().io_binding()))
bad("output 'y' is of tensor\\(float\\), got memory of float64")(lambda: run_bound(numpy.ones(3)))
bad("output 'y' is bound to memory that cannot be written")(lambda: run_bound(make_read_only()))
bad("output 'y' is bound to memory that is not contiguous")(lambda: run_bound(numpy.ones(6, numpy.float32)[::2]))
bad("output 'y': wrong size: expected f32\\[3\\], got f32\\[2\\]")(lambda: run_bound(numpy.ones(2, numpy.float32)))
bad("output 'y': wrong rank: expected f32\\[3\\], got f32\\[3,1\\]")(lambda: run_bound(numpy.ones((3, 1), numpy.float32)))
bad("input 'x' is of tensor\\(float\\), got an array of float64")(lambda: run_bound(ONES.copy(), numpy.ones(3)))
fails("strings are no memory of numbers: numpy\\(\\) returns them", tssa.Error)(
    tssa.OrtValue(numpy.array(["a"], object), "tensor(string)").data_ptr)
fails("output 'y' has label 2, there are 2: the artifact is damaged", tssa.Error)(
    lambda: _labels.Labels("strings", ["a", "b"]).take("y", numpy.array([1, 2])))
bad("output 'p' has strings, which have no memory of numbers: bind it without memory")(
    lambda: _targets.Targets({"p": ONES}, [_outputs.Output("p", [0], "strings")], [("p", 0, 64)], []))
bad("output 'p' is no tensor but parts, which has no memory of one shape: bind it without memory")(
    lambda: _targets.Targets({"p": ONES}, [_outputs.Output("p", [0], "parts")], [("p", 2, 32)], []))
fails("callback is a function, got NoneType", TypeError)(lambda: session().run_async(None, {"x": ONES}, None, None))
bad("expected the inputs \\['x'\\], got \\[\\]")(lambda: session().run_async(None, {}, print, None))


@bad("no output is bound: call bind_output\\(\\) of the binding first")
def runs_without_outputs():
    made = session()
    made.run_with_iobinding(made.io_binding())


@bad("expected the inputs \\['x'\\], got \\[\\]")
def runs_without_inputs():
    made = session()
    binding = made.io_binding()
    binding.bind_output("y")
    made.run_with_iobinding(binding)


@bad("the model has no output 'z', only \\['y'\\]")
def binds_an_unknown_output():
    made = session()
    binding = made.io_binding()
    binding.bind_cpu_input("x", ONES)
    binding.bind_output("z")
    made.run_with_iobinding(binding)


@fails("output 'y' has not been computed since it was bound: call run_with_iobinding", tssa.Error)
def copies_before_a_run():
    binding = session().io_binding()
    binding.bind_output("y")
    binding.copy_outputs_to_cpu()


@bad("output 'y' has the shape \\[2, 1\\], its memory has \\[2, 2\\]")
def has_memory_of_another_shape():
    targets = _targets.Targets({"y": numpy.ones((2, 2), numpy.float32)}, [_outputs.Output("y", [0])], [("y", 2, 32)], [])
    targets.finish([(2, 1)])


@bad("expected memory or None for each of 1 results, got 2")
def gives_too_much_memory():
    with tssa.InferenceSession(make_model("Neg")) as made:
        made._get_program().run([ONES], as_numpy=True, targets=[None, None])  # pylint: disable=protected-access
