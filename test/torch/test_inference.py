# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""tssa.InferenceSession as programs use ONNX Runtime's."""

import logging
import multiprocessing
import os
import pickle
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy
import tssa as onnxruntime
from tssa import _config_entries, _elements, _inference

from test_files import field, make_model

ONES = numpy.ones(3, numpy.float32)


def tensor_type(code, *dims):
    """A type of protobuf. dims: sizes, names, and None for those without a name."""
    shape = [field(1, b"" if dim is None else field(1, dim) if isinstance(dim, int) else field(2, dim)) for dim in dims]
    return field(1, field(1, code), field(2, *shape) if shape else field(2, b""))


def make_typed(operator, inputs, output):
    """y = operator(inputs): inputs are pairs of a name and a type."""
    graph = (field(1, *[field(1, name) for name, _ in inputs], field(2, "y"), field(4, operator)), field(2, "g"),
             *[field(11, field(1, name), field(2, kind)) for name, kind in inputs],
             field(12, field(1, "y"), field(2, output)))
    content = b"".join(graph)
    return field(1, 8) + bytes((7 << 3 | 2, len(content) % 128 + 128, len(content) // 128)) + content + field(
        8, field(2, 21))


def negate(data):
    """Runs a pickled session in another process."""
    session, x = pickle.loads(data)
    return session.run(None, {"x": x})[0]


class Tests(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": self.folder, "TSSA_CACHE": "1"}))
        self.path = os.path.join(self.folder, "m.onnx")
        with open(self.path, "wb") as file:
            file.write(make_model("Neg"))

    def test_names_types_and_results(self):
        session = onnxruntime.InferenceSession(self.path, providers=["CPUExecutionProvider"])
        x, = session.get_inputs()
        self.assertEqual((x.name, x.type, x.shape), ("x", "tensor(float)", [3]))
        y, = session.get_outputs()
        self.assertEqual((y.name, y.type, y.shape), ("y", "tensor(float)", [3]))
        for names in (None, [], ["y"]):
            result, = session.run(names, {"x": ONES})
            numpy.testing.assert_array_equal(result, -ONES)
        result, = session.run(None, {"x": [1.0, 2.0, 3.0]} | {"x": numpy.array([1, 2, 3], numpy.float32)})
        self.assertEqual(result.dtype, numpy.float32)
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])
        self.assertEqual(session.get_provider_options(), {"CPUExecutionProvider": {}})
        self.assertEqual(session.get_overridable_initializers(), [])

    def test_symbolic_dims(self):
        model = make_typed("Add", [("a", tensor_type(7, "batch", 4)), ("b", tensor_type(7, "batch", 1))],
                           tensor_type(7, "batch", 4))
        session = onnxruntime.InferenceSession(model)
        self.assertEqual([port.shape for port in session.get_inputs()], [["batch", 4], ["batch", 1]])
        self.assertEqual([port.type for port in session.get_inputs()], ["tensor(int64)"] * 2)
        self.assertEqual(session.get_outputs()[0].shape, ["batch", 4])
        options = onnxruntime.SessionOptions()
        options.add_free_dimension_override_by_name("batch", 2)
        fixed = onnxruntime.InferenceSession(model, options)
        self.assertEqual(fixed.get_inputs()[0].shape, [2, 4])
        a, b = numpy.arange(8).reshape(2, 4), numpy.array([[1], [2]])
        for each in (session, fixed):
            numpy.testing.assert_array_equal(each.run(None, {"a": a, "b": b})[0], a + b)
        with self.assertRaisesRegex(onnxruntime.InvalidArgument, "batch"):
            session.run(None, {"a": a, "b": b[:1]})

    def test_dims_without_a_name(self):
        model = make_typed("Neg", [("a", tensor_type(1, None, "width"))], tensor_type(1, None, "width"))
        session = onnxruntime.InferenceSession(model)
        self.assertEqual([port.shape for port in (*session.get_inputs(), *session.get_outputs())], [[None, "width"]] * 2)

    def test_names_that_are_no_utf8(self):
        model = make_typed("Add", [("AAAAAAAA", tensor_type(1, "SSSSSSSS")), ("b", tensor_type(1, "T"))], tensor_type(1, "U"))
        for name in (b"AAAAAAAA", b"SSSSSSSS"):
            with self.subTest(name):
                model = model.replace(name, b"\xff" + name[1:])
                session = onnxruntime.InferenceSession(model)
                first = session.get_inputs()[0]
                self.assertIn("\\xff" + name[1:].decode(), [first.name, *first.shape])
                result, = session.run(None, {first.name: ONES, "b": ONES})
                numpy.testing.assert_array_equal(result, ONES * 2)
                with self.assertRaisesRegex(onnxruntime.Error, r"\\xff"):
                    session.run(None, {first.name: ONES[None], "b": ONES})

    def test_inputs_that_are_constants(self):
        kind = tensor_type(1, "n", 2)
        model = make_typed("Add", [("a", kind), ("b", kind)], kind)
        a = numpy.ones((2, 2), numpy.float32)
        for value in ([1, 2, 3.5, float("inf")], numpy.array([[1, 2], [3.5, numpy.inf]])):
            options = onnxruntime.SessionOptions()
            options.add_free_dimension_override_by_name("n", 2)
            options.add_constant("b", value)
            session = onnxruntime.InferenceSession(model, options)
            self.assertEqual([(port.name, port.shape) for port in session.get_inputs()], [("a", [2, 2])])
            numpy.testing.assert_array_equal(session.run(None, {"a": a})[0], [[2, 3], [4.5, numpy.inf]])
        for value, text in ((True, "true"), (numpy.bool_(False), "false"), (7, "7"), (numpy.int64(-3), "-3"), ([], "[]")):
            options = onnxruntime.SessionOptions()
            options.add_constant("b", value)
            self.assertEqual(options.list_compile_options(), [f"--const=b={text}"])

    def test_models_that_are_no_paths(self):
        class Proto:
            def SerializeToString(self):  # pylint: disable=invalid-name
                return make_model("Neg")

        artifact = os.path.join(self.folder, "m.so")
        onnxruntime.Session(self.path)
        import tssa._tool as tool
        tool.compile_file(self.path, artifact, "cpu")
        with open(artifact, "rb") as file:
            compiled = file.read()
        for model in (make_model("Neg"), bytearray(make_model("Neg")), Proto(), artifact, compiled):
            session = onnxruntime.InferenceSession(model)
            numpy.testing.assert_array_equal(session.run(None, {"x": ONES})[0], -ONES)
        work = os.path.join(self.folder, "tssa", "work")
        self.assertEqual(os.listdir(work), [], "the bytes are removed once they are compiled")
        for broken in (b"no model", b"\x0a\x04", compiled[:len(compiled) // 2], b"\x7fELF"):
            with self.assertRaises(onnxruntime.Error) as caught:
                onnxruntime.InferenceSession(broken)
            self.assertNotIn("work", str(caught.exception))
        self.assertEqual(os.listdir(work), [])

    def test_options_with_effect(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.logid, options.log_severity_level = 1, "first", 0
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        with warnings.catch_warnings(), self.assertLogs("tssa", logging.INFO) as logs:
            warnings.simplefilter("error")
            session = onnxruntime.InferenceSession(self.path, options)
        self.assertIn("[first] loaded for cpu, 1 inputs, 1 outputs", logs.output[-1])
        self.assertIs(session.get_session_options(), options)
        with self.assertNoLogs("tssa", logging.INFO):
            onnxruntime.InferenceSession(self.path)
        onnxruntime.set_default_logger_severity(0)
        self.addCleanup(onnxruntime.set_default_logger_severity, 2)
        with self.assertLogs("tssa", logging.INFO):
            onnxruntime.InferenceSession(self.path)

    def test_options_without_a_part_in_results(self):
        options = onnxruntime.SessionOptions()
        for name, value in {"execution_mode": onnxruntime.ExecutionMode.ORT_PARALLEL, "inter_op_num_threads": 4,
                            "enable_mem_pattern": False, "log_verbosity_level": 1, "enable_cpu_mem_arena": False,
                            "enable_mem_reuse": False, "use_per_session_threads": False,
                            "execution_order": onnxruntime.ExecutionOrder.PRIORITY_BASED,
                            "graph_optimization_level": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL}.items():
            setattr(options, name, value)
            self.assertEqual(getattr(options, name), value)
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.set_denormal_as_zero", "0")
        options.add_provider("CPUExecutionProvider", {})
        self.assertTrue(options.has_providers())
        options.set_load_cancellation_flag(False)
        self.assertTrue(options.has_session_config_entry("session.intra_op.allow_spinning"))
        self.assertEqual(options.get_session_config_entry("session.intra_op.allow_spinning"), "0")
        run = onnxruntime.RunOptions()
        run.log_severity_level, run.logid, run.log_verbosity_level, run.only_execute_path_to_fetches = 0, "run", 1, True
        run.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        self.assertEqual(run.get_run_config_entry("memory.enable_memory_arena_shrinkage"), "cpu:0")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            session = onnxruntime.InferenceSession(self.path, options)
            numpy.testing.assert_array_equal(session.run(None, {"x": ONES}, run)[0], -ONES)

    def check_said_once(self, text, call):
        """Requires a warning from here at the first call in a process, and none at the second."""
        self.enterContext(unittest.mock.patch.object(_config_entries, "_said", set()))
        with self.assertWarnsRegex(UserWarning, text) as caught:
            call()
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call()

    def test_entries_with_a_warning(self):
        for key, text in (("optimization.enable_gelu_approximation", "has no effect: Gelu is computed as the model defines it"),
                          ("session.no_such_entry", "is unknown and has no effect")):
            options = onnxruntime.SessionOptions()
            options.add_session_config_entry(key, "1")
            self.check_said_once(f"'{key}' {text}", lambda: onnxruntime.InferenceSession(self.path, options))
        session, options = onnxruntime.InferenceSession(self.path), onnxruntime.RunOptions()
        options.add_run_config_entry("no_such_entry", "1")
        self.check_said_once("'no_such_entry' is unknown", lambda: session.run(None, {"x": ONES}, options))

    def test_providers(self):
        self.assertEqual(onnxruntime.get_available_providers(), ["CPUExecutionProvider"])
        self.assertEqual(onnxruntime.get_all_providers(), ["CPUExecutionProvider"])
        self.assertEqual(onnxruntime.get_device(), "CPU")
        providers = [("CUDAExecutionProvider", {"device_id": 0}), "CPUExecutionProvider"]
        self.check_said_once("there is no provider 'CUDAExecutionProvider'",
                             lambda: onnxruntime.InferenceSession(self.path, providers=providers))
        self.check_said_once("there is no provider 'DmlExecutionProvider', only .*, which runs the model",
                             lambda: onnxruntime.InferenceSession(self.path, providers=["DmlExecutionProvider"]))
        session = onnxruntime.InferenceSession(self.path)
        session.set_providers(["CPUExecutionProvider"])
        session.disable_fallback()
        session.enable_fallback()

    def test_run_options(self):
        session = onnxruntime.InferenceSession(self.path)
        options = onnxruntime.RunOptions()
        options.timeout = 10
        numpy.testing.assert_array_equal(session.run(None, {"x": ONES}, options)[0], -ONES)
        options.terminate = True
        with self.assertRaisesRegex(onnxruntime.Error, "cancel"):
            session.run(None, {"x": ONES}, options)
        options.terminate = False
        session.run(None, {"x": ONES}, options)

    def test_arguments_of_onnx_runtime(self):
        session = onnxruntime.InferenceSession(path_or_bytes=self.path, sess_options=None, providers=None, enable_fallback=0,
                                               disabled_optimizers={"ConstantFolding"}, read_config_from_model=0)
        numpy.testing.assert_array_equal(session.run(output_names=None, input_feed={"x": ONES}, run_options=None)[0], -ONES)

    def test_set_seed(self):
        kind = tensor_type(1, 8)
        model = make_typed("RandomNormalLike", [("x", kind)], kind)
        self.enterContext(unittest.mock.patch.object(_inference, "_seed", None))
        onnxruntime.set_seed(3)
        draw = lambda **seed: onnxruntime.InferenceSession(model, **seed).run(None, {"x": numpy.ones(8, numpy.float32)})[0]
        numpy.testing.assert_array_equal(draw(), draw())
        numpy.testing.assert_array_equal(draw(), draw(seed=3))
        self.assertFalse((draw() == draw(seed=4)).all())

    def test_terminate_from_another_thread(self):
        graph = """
func.func @main(%n: tensor<i64> {te.port = #te.port<name = "n">}) -> (tensor<i64> {te.port = #te.port<name = "y">}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 1000000000000 : index
  %y = scf.for %i = %zero to %end step %one iter_args(%v = %n) -> (tensor<i64>) {
    %w = te.compute () {
      %a = te.read %v[] : tensor<i64>
      %b = arith.addi %a, %a : i64
      te.yield %b : i64
    } : tensor<i64>
    scf.yield %w : tensor<i64>
  }
  return %y : tensor<i64>
}
"""
        source, artifact = os.path.join(self.folder, "loop.mlir"), os.path.join(self.folder, "loop.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(graph)
        import tssa._tool as tool
        tool.compile_file(source, artifact, "cpu")
        session, options = onnxruntime.InferenceSession(artifact), onnxruntime.RunOptions()
        threading.Timer(0.2, setattr, (options, "terminate", True)).start()
        start = time.monotonic()
        with self.assertRaisesRegex(onnxruntime.Error, "cancel"):
            session.run(None, {"n": numpy.array(1)}, options)
        self.assertLess(time.monotonic() - start, 30)
        options = onnxruntime.RunOptions()
        options.timeout = 0.1
        with self.assertRaisesRegex(onnxruntime.Error, "longer than 0.1"):
            session.run(None, {"n": numpy.array(1)}, options)

    def test_pickled_in_a_pool(self):
        session = onnxruntime.InferenceSession(self.path)
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = pool.map(negate, [pickle.dumps((session, ONES * i)) for i in range(4)])
        for i, result in enumerate(found):
            numpy.testing.assert_array_equal(result, -ONES * i)

    def test_with(self):
        with onnxruntime.InferenceSession(self.path) as session:
            result, = session.run(None, {"x": ONES})
        numpy.testing.assert_array_equal(result, -ONES)

    def test_elements_that_numpy_lacks(self):
        try:
            import ml_dtypes
        except ModuleNotFoundError:
            self.skipTest("ml_dtypes is not installed")
        model = make_typed("Neg", [("x", tensor_type(16, "N"))], tensor_type(16, "N"))
        session = onnxruntime.InferenceSession(model)
        self.assertEqual(session.get_inputs()[0].type, "tensor(bfloat16)")
        x = numpy.array([1.5, -2, 0.25], ml_dtypes.bfloat16)
        result, = session.run(None, {"x": x})
        self.assertEqual(result.dtype, ml_dtypes.bfloat16)
        numpy.testing.assert_array_equal(result, -x)
        with self.assertRaisesRegex(onnxruntime.InvalidArgument, r"x.astype\(ml_dtypes.bfloat16\)"):
            session.run(None, {"x": x.view(numpy.uint16)})
        for code, dtype in ((17, ml_dtypes.float8_e4m3fn), (19, ml_dtypes.float8_e5m2), (22, ml_dtypes.int4),
                            (21, ml_dtypes.uint4)):
            model = make_typed("Identity", [("x", tensor_type(code, 2, 3))], tensor_type(code, 2, 3))
            x = numpy.array([[1, 2, 3], [4, 5, 6]], dtype)
            result, = onnxruntime.InferenceSession(model).run(None, {"x": x})
            self.assertEqual(result.dtype, dtype)
            numpy.testing.assert_array_equal(result, x)

    def test_exceptions_of_onnx_runtime(self):
        from tssa.capi import onnxruntime_pybind11_state as state
        with self.assertRaises(state.NoSuchFile):
            onnxruntime.InferenceSession("nowhere.onnx")
        with self.assertRaises(state.InvalidArgument):
            onnxruntime.InferenceSession(self.path).run(None, {})
        with self.assertRaises(state.NotImplemented):
            onnxruntime.InferenceSession(make_model("NoSuchOperator"))

    def test_all_elements_have_arrays(self):
        try:
            import ml_dtypes
        except ModuleNotFoundError:
            self.skipTest("ml_dtypes is not installed")
        self.assertTrue(ml_dtypes)
        for code, bits in _elements._ELEMENTS:  # pylint: disable=protected-access
            element = _elements.get_element(code, bits)
            self.assertIsNotNone(_elements.get_dtype(element), element)


if __name__ == "__main__":
    unittest.main()
