# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""OrtValues, bindings and run_async: memory is shared, results are written where they are bound."""

import logging
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import numpy
import tssa
from test_files import field, make_model
from test_inference import make_typed, tensor_type

ONES = numpy.ones(3, numpy.float32)
PENDING = """
import sys
import numpy
import tssa
session = tssa.InferenceSession(open(sys.argv[1], "rb").read())
for number in range(3):
    session.run_async(None, {"x": numpy.full(3, number, numpy.float32)},
                      lambda results, data, error: print(results, data), number)
"""


def make_sum():
    """y = a + b, both of any number of rows of two f32."""
    kind = tensor_type(1, "n", 2)
    return tssa.InferenceSession(make_typed("Add", [("a", kind), ("b", kind)], kind))


class ValueTests(unittest.TestCase):
    def test_of_an_array(self):
        array = numpy.arange(6, dtype=numpy.int64).reshape(3, 2)
        value = tssa.OrtValue.ortvalue_from_numpy(array, "cpu", 0)
        self.assertEqual((value.shape(), value.data_type(), value.element_type()), ([3, 2], "tensor(int64)", 7))
        self.assertEqual((value.device_name(), value.tensor_size_in_bytes()), ("cpu", 48))
        self.assertEqual((value.is_tensor(), value.is_sparse_tensor(), value.is_tensor_sequence(), value.has_value()),
                         (True, False, False, True))
        for shared in (value.numpy(), numpy.asarray(value), numpy.from_dlpack(value)):
            self.assertTrue(numpy.shares_memory(shared, array))
        self.assertEqual(value.data_ptr(), array.ctypes.data)
        self.assertEqual(value.__dlpack_device__(), (1, 0))
        self.assertEqual(numpy.asarray(value, dtype=numpy.float32).dtype, numpy.float32)
        self.assertFalse(numpy.shares_memory(numpy.array(value, copy=True), array))
        copied = tssa.OrtValue.ortvalue_from_numpy(array.T)
        self.assertEqual(copied.shape(), [2, 3])
        self.assertFalse(numpy.shares_memory(copied.numpy(), array))
        self.assertEqual(tssa.OrtValue.ortvalue_from_numpy(numpy.array(3.0)).shape(), [])

    def test_of_a_shape(self):
        for kind, name in ((numpy.float32, "float"), (numpy.dtype("int64"), "int64"), ("float16", "float16"), (9, "bool")):
            value = tssa.OrtValue.ortvalue_from_shape_and_type([2, 3], kind)
            self.assertEqual((value.shape(), value.data_type()), ([2, 3], f"tensor({name})"))
        made = tssa.InferenceSession(make_model("Neg")).create_ortvalue_from_shape_and_type((4,), numpy.float32, "cpu")
        self.assertEqual(made.shape(), [4])

    def test_elements_that_numpy_lacks(self):
        try:
            import ml_dtypes
        except ModuleNotFoundError:
            self.skipTest("ml_dtypes is not installed")
        bits = numpy.array([0x3F80, 0xC000], numpy.uint16)
        value = tssa.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
        self.assertEqual((value.data_type(), value.element_type()), ("tensor(bfloat16)", 16))
        self.assertTrue(numpy.shares_memory(value.numpy(), bits))
        session = tssa.InferenceSession(make_typed("Neg", [("x", tensor_type(16, "N"))], tensor_type(16, "N")))
        into = tssa.OrtValue.ortvalue_from_shape_and_type([2], 16)
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", value)
        binding.bind_ortvalue_output("y", into)
        session.run_with_iobinding(binding)
        numpy.testing.assert_array_equal(into.numpy(), numpy.array([-1, 2], ml_dtypes.bfloat16))

    def test_dlpack(self):
        for array in (ONES.copy(), numpy.array([True, False])):
            for source in (array, tssa.OrtValue.ortvalue_from_numpy(array), array.__dlpack__()):
                value = tssa.OrtValue.from_dlpack(source)
                self.assertTrue(numpy.shares_memory(value.numpy(), array))
                self.assertEqual(value.numpy().dtype, array.dtype)

    def test_writes(self):
        array = numpy.zeros((3, 2), numpy.float32)
        value = tssa.OrtValue.ortvalue_from_numpy(array)
        value.update_inplace(numpy.arange(6, dtype=numpy.float32).reshape(2, 3))
        self.assertEqual(array.tolist(), [[0, 1], [2, 3], [4, 5]])
        other = tssa.OrtValue.ortvalue_from_shape_and_type([3, 2], numpy.float32)
        tssa.copy_tensors([value], [other])
        numpy.testing.assert_array_equal(other.numpy(), array)

    def test_devices(self):
        device = tssa.OrtDevice.make("cpu", 0)
        self.assertEqual((device.device_id(), device.device_type(), device.device_mem_type(), device.device_vendor_id()),
                         (0, 0, 0, 0))
        session = tssa.InferenceSession(make_model("Neg"))
        for info in session.get_input_memory_infos() + session.get_output_memory_infos():
            self.assertEqual((info.name, info.device_id, info.mem_type), ("Cpu", 0, tssa.OrtMemType.DEFAULT))
        self.assertEqual(session.get_tuning_results(), [])
        session.release_captured_graph()


class BindingTests(unittest.TestCase):
    def setUp(self):
        self.session = make_sum()
        self.a, self.b = numpy.arange(6, dtype=numpy.float32).reshape(3, 2), numpy.full((3, 2), 2, numpy.float32)
        self.binding = self.session.io_binding()
        self.binding.bind_cpu_input("a", self.a)
        self.binding.bind_input("b", "cpu", 0, numpy.float32, self.b.shape, self.b.ctypes.data)

    def run_bound(self):
        self.session.run_with_iobinding(self.binding)
        return self.binding.get_outputs()[0]

    def test_results_are_written_to_memory(self):
        memory = numpy.zeros((3, 2), numpy.float32)
        self.binding.bind_output("y", "cpu", 0, numpy.float32, memory.shape, memory.ctypes.data)
        given = []
        run = self.session._program.run
        program = unittest.mock.Mock(wraps=self.session._program, inputs=self.session._program.inputs,
                                     outputs=self.session._program.outputs, labels=self.session._program.labels)
        program.run = lambda *arguments, **options: given.append(run(*arguments, **options)) or given[-1]
        with unittest.mock.patch.object(self.session, "_program", program):
            value = self.run_bound()
        numpy.testing.assert_array_equal(memory, self.a + self.b)
        self.assertEqual(value.data_ptr(), memory.ctypes.data)
        self.assertTrue(numpy.shares_memory(given[0][0], memory), "the runtime writes it, and nothing is copied")
        copy, = self.binding.copy_outputs_to_cpu()
        self.a[0] = 10
        self.b[0] = 20
        self.run_bound()
        self.assertEqual(memory[0].tolist(), [30, 30])
        self.assertEqual(copy[0].tolist(), [2, 3], "what was copied before is kept")

    def test_runs_allocate_other_results(self):
        self.binding.bind_output("y")
        self.assertFalse(self.binding.get_outputs()[0].has_value())
        first = self.run_bound()
        self.assertEqual((first.shape(), first.data_type()), ([3, 2], "tensor(float)"))
        self.binding.bind_cpu_input("a", self.a[:1])
        self.binding.bind_cpu_input("b", self.b[:1])
        self.binding.synchronize_inputs()
        self.assertEqual(self.run_bound().shape(), [1, 2])
        self.binding.synchronize_outputs()
        numpy.testing.assert_array_equal(first.numpy(), self.a + self.b)
        self.assertEqual(self.binding.copy_outputs_to_cpu()[0].tolist(), [[2, 3]])
        self.binding.clear_binding_outputs()
        self.assertEqual(self.binding.get_outputs(), [])
        self.binding.clear_binding_inputs()
        self.binding.bind_output("y")
        with self.assertRaisesRegex(tssa.InvalidArgument, "expected the inputs"):
            self.run_bound()

    def test_memory_of_an_input(self):
        wanted = self.a + self.b
        self.binding.bind_ortvalue_output("y", tssa.OrtValue.ortvalue_from_numpy(self.a))
        self.run_bound()
        numpy.testing.assert_array_equal(self.a, wanted)

    def test_memory_without_elements(self):
        self.binding.bind_cpu_input("a", self.a[:0])
        self.binding.bind_input("b", "cpu", 0, numpy.float32, [0, 2], 0)
        memory = numpy.zeros((0, 2), numpy.float32)
        self.binding.bind_output("y", "cpu", 0, numpy.float32, memory.shape, memory.ctypes.data)
        self.assertEqual(self.run_bound().shape(), [0, 2])

    def test_shapes_that_only_a_run_knows(self):
        session = tssa.InferenceSession(make_typed("NonZero", [("x", tensor_type(1, 4))], tensor_type(7, 1, "count")))
        x = numpy.array([0, 1, 0, 2], numpy.float32)
        for count in (2, 3, 1):
            memory = numpy.full((1, count), -1)
            binding = session.io_binding()
            binding.bind_cpu_input("x", x)
            binding.bind_ortvalue_output("y", tssa.OrtValue.ortvalue_from_numpy(memory))
            if count == 2:
                session.run_with_iobinding(binding)
                self.assertEqual(memory.tolist(), [[1, 3]])
                continue
            with self.assertRaisesRegex(tssa.InvalidArgument, "output 'y'"):
                session.run_with_iobinding(binding)

    def test_with_a_profile_and_options(self):
        options = tssa.SessionOptions()
        options.enable_profiling = True
        options.profile_file_prefix = f"{self.enterContext(tempfile.TemporaryDirectory())}/profile"
        session = tssa.InferenceSession(make_model("Neg"), options)
        memory, run = numpy.zeros(3, numpy.float32), tssa.RunOptions()
        run.timeout = 60
        binding = session.io_binding()
        binding.bind_cpu_input("x", ONES)
        binding.bind_ortvalue_output("y", tssa.OrtValue.ortvalue_from_numpy(memory))
        session.run_with_iobinding(binding, run)
        numpy.testing.assert_array_equal(memory, -ONES)
        self.assertTrue(session.end_profiling())

    def test_results_of_a_device(self):
        session = tssa.InferenceSession(make_model("Neg"), target="cuda-emu", device="cuda-emu")
        memory = numpy.zeros(3, numpy.float32)
        binding = session.io_binding()
        binding.bind_cpu_input("x", ONES)
        binding.bind_ortvalue_output("y", tssa.OrtValue.ortvalue_from_numpy(memory))
        session.run_with_iobinding(binding)
        numpy.testing.assert_array_equal(memory, -ONES)

    def test_values_by_name(self):
        a, b = map(tssa.OrtValue.ortvalue_from_numpy, (self.a, self.b))
        for names in (None, [], ["y"]):
            y, = self.session.run_with_ort_values(names, {"a": a, "b": b})
            numpy.testing.assert_array_equal(y.numpy(), self.a + self.b)
        numpy.testing.assert_array_equal(self.session.run(None, {"a": a, "b": self.b})[0], self.a + self.b)
        self.a.flags.writeable = False
        numpy.testing.assert_array_equal(self.session.run(None, {"a": a, "b": self.b})[0], self.a + self.b)

    def test_sequences(self):
        kind = tensor_type(1, 4, 2)
        parts = field(4, field(1, tensor_type(1, 1, 2)))
        session = tssa.InferenceSession(make_typed("SplitToSequence", [("x", kind)], parts))
        value, = session.run_with_ort_values(None, {"x": tssa.OrtValue.ortvalue_from_numpy(numpy.ones((4, 2), numpy.float32))})
        self.assertEqual((value.data_type(), value.is_tensor(), value.is_tensor_sequence(), value.has_value()),
                         ("seq(tensor(float))", False, True, True))
        binding = session.io_binding()
        binding.bind_cpu_input("x", numpy.ones((4, 2), numpy.float32))
        binding.bind_output("y")
        session.run_with_iobinding(binding)
        parts, = binding.copy_outputs_to_cpu()
        self.assertEqual([part.shape for part in parts], [(1, 2)] * 4)
        binding.bind_ortvalue_output("y", tssa.OrtValue.ortvalue_from_numpy(numpy.ones((4, 2), numpy.float32)))
        with self.assertRaisesRegex(tssa.InvalidArgument, "output 'y' is no tensor"):
            session.run_with_iobinding(binding)


class AsyncTests(unittest.TestCase):
    def setUp(self):
        self.session = tssa.InferenceSession(make_model("Neg"))
        self.done = threading.Event()
        self.calls = []

    def note(self, results, data, error):
        self.calls.append((results, data, error, threading.current_thread()))
        self.done.set()

    def call(self, feed, names=None):
        """Returns what the callback gets, and its thread."""
        self.done.clear()
        self.assertIsNone(self.session.run_async(names, {"x": feed}, self.note, "data"))
        self.assertTrue(self.done.wait(60))
        return self.calls.pop()

    def test_results(self):
        results, data, error, thread = self.call(ONES)
        numpy.testing.assert_array_equal(results[0], -ONES)
        self.assertEqual((data, error), ("data", ""))
        self.assertIsNot(thread, threading.current_thread())
        self.assertIs(self.call(ONES)[3], thread, "a session has one thread")

    def test_errors(self):
        for feed, names, text in ((ONES.astype(float), None, "got an array of float64"), (ONES[:2], None, "wrong size"),
                                  (ONES, ["z"], "the model has no output 'z'")):
            results, data, error, _ = self.call(feed, names)
            self.assertEqual((results, data), ([], "data"))
            self.assertIn(text, error)

    def test_an_error_of_the_callback(self):
        def fail(*_):
            raise ValueError("in the callback")

        with self.assertLogs("tssa", logging.ERROR) as logs:
            self.session.run_async(None, {"x": ONES}, fail, None)
            self.assertEqual(self.call(ONES)[2], "")
        self.assertIn("the callback of run_async has failed", logs.output[0])
        self.assertIn("ValueError: in the callback", logs.output[0])

    def test_a_closed_session(self):
        self.call(ONES)
        begun, closed = threading.Event(), threading.Event()
        self.session.run_async(None, {"x": ONES}, lambda *_: (begun.set(), closed.wait(60)), None)
        self.done.clear()
        self.session.run_async(None, {"x": ONES}, self.note, "pending")
        self.assertTrue(begun.wait(60))
        self.session.close()
        closed.set()
        self.assertTrue(self.done.wait(60))
        self.assertEqual(self.calls.pop()[:3], ([], "pending", "the session is closed"))
        with self.assertRaisesRegex(tssa.Error, "the session is closed"):
            self.session.run_async(None, {"x": ONES}, self.note, None)

    def test_the_interpreter_ends(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(make_model("Neg"))
            file.flush()
            run = subprocess.run([sys.executable, "-c", PENDING, file.name], capture_output=True, text=True, timeout=120,
                                 check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual([line.rpartition(" ")[2] for line in run.stdout.splitlines()], ["0", "1", "2"])


if __name__ == "__main__":
    unittest.main()
