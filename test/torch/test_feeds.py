# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists that sessions get for inputs, and shapes for inputs that have none."""

import os
import tempfile
import unittest

import numpy
import tssa
from tssa import _shapes

from test_files import field
from test_inference import make_typed, tensor_type

FLOAT, UINT8, INT8, INT32, INT64, BOOL, HALF, DOUBLE, UINT64 = 1, 2, 3, 6, 7, 9, 10, 11, 13


def make_identity(code, *dims):
    return make_typed("Identity", [("x", tensor_type(code, *dims))], tensor_type(code, *dims))


class Lists(unittest.TestCase):
    def run_on(self, code, value, *dims):
        result, = tssa.InferenceSession(make_identity(code, *dims)).run(None, {"x": value})
        return result

    def test_types(self):
        for code, value, dtype in ((FLOAT, [[1.5, 2.0]], "float32"), (FLOAT, [[1, 2], (3, True)], "float32"),
                                   (HALF, [[0.5, 65504]], "float16"), (DOUBLE, [[1, 0.1]], "float64"),
                                   (INT8, [[-128, 127]], "int8"), (UINT8, ((0, 255),), "uint8"),
                                   (INT32, [[2, 3]], "int32"), (INT64, [[2**63 - 1, -2**63]], "int64"),
                                   (UINT64, [[2**64 - 1, 0]], "uint64"), (BOOL, [[True, False]], "bool"),
                                   (FLOAT, [[float("inf"), 2**70]], "float32")):
            with self.subTest(value=value):
                result = self.run_on(code, value, "N", 2)
                self.assertEqual(result.dtype, numpy.dtype(dtype))
                numpy.testing.assert_array_equal(result, numpy.array(value, dtype))

    def test_shapes(self):
        for value, dims in (([], ["N"]), ([[], []], ["N", "M"]), (2.5, []), ([[[1]]], [1, 1, 1])):
            with self.subTest(value=value):
                result = self.run_on(FLOAT, value, *dims)
                self.assertEqual((result.dtype, result.shape), (numpy.float32, numpy.shape(value)))

    def test_lists_of_arrays(self):
        row = numpy.array([1, 2], numpy.float32)
        numpy.testing.assert_array_equal(self.run_on(FLOAT, [row, row], "N", 2), [[1, 2], [1, 2]])
        for value in ([row.astype(numpy.float64)], [[numpy.float64(1), numpy.float64(2)]], [row, [1, 2.5]]):
            with self.assertRaisesRegex(tssa.InvalidArgument, r"got an array of float64: use x.astype\(numpy.float32\)"):
                self.run_on(FLOAT, value, "N", 2)

    def test_elements_that_numpy_lacks(self):
        try:
            import ml_dtypes
        except ModuleNotFoundError:
            self.skipTest("ml_dtypes is not installed")
        for code, value, dtype in ((16, [1.5, -2], ml_dtypes.bfloat16), (17, [448, 1], ml_dtypes.float8_e4m3fn),
                                   (22, [-8, 7], ml_dtypes.int4), (21, [0, 15], ml_dtypes.uint4)):
            result = self.run_on(code, value, "N")
            self.assertEqual(result.dtype, dtype)
            self.assertEqual(result.astype(numpy.float64).tolist(), value)
        for code, value, text in ((16, [1e39], "got a list with 1e+39"), (22, [8], "from -8 to 7, got a list with 8"),
                                  (21, [-1], "from 0 to 15, got a list with -1"), (22, [0.5], "expected integers")):
            self.check_refusal(code, value, text)

    def check_refusal(self, code, value, text):
        with self.subTest(value=value), self.assertRaises(tssa.InvalidArgument) as caught:
            self.run_on(code, value, "N")
        self.assertIn(text, str(caught.exception))
        self.assertIn("input 'x' is of tensor(", str(caught.exception))

    def test_numbers_that_do_not_fit(self):
        for code, value, text in ((INT8, [1, 300], "from -128 to 127, got a list with 300"),
                                  (UINT8, [-1], "from 0 to 255, got a list with -1"),
                                  (INT64, [2**63], f"to {2**63 - 1}, got a list with {2**63}"),
                                  (HALF, [1, 65536.5], "expected numbers that it can hold, got a list with 65536.5"),
                                  (FLOAT, [1e39], "expected numbers that it can hold, got a list with 1e+39"),
                                  (DOUBLE, [10**400], "got a list with an integer beyond all floats")):
            self.check_refusal(code, value, text)

    def test_numbers_of_another_kind(self):
        for code, value, text in ((INT32, [1, 2.5], "expected integers, got a list with 2.5: give an array of int32 instead"),
                                  (INT64, [1.0], "expected integers, got a list with 1.0"),
                                  (UINT8, [float("nan")], "expected integers, got a list with nan"),
                                  (BOOL, [True, 1], "expected True and False, got a list with 1: give an array of bool"),
                                  (BOOL, [0.0], "expected True and False, got a list with 0.0")):
            self.check_refusal(code, value, text)

    def test_ragged_lists(self):
        for value, lengths in (([[1, 2], [3]], "1 and 2"), ([[1], []], "0 and 1"), ([[[1], [2]], [[3]]], "1 and 2"),
                               ([[1, 2], (1, 2, 3)], "2 and 3")):
            self.check_refusal(FLOAT, value, f"expected lists of one length, got lengths {lengths}: pad")
        for value in ([1, [2]], [[1], 2], [[[1], 2]], [(1, 2), 3.5]):
            self.check_refusal(FLOAT, value, f"expected numbers or lists in a list, got both: {value}")
        for value in ([numpy.ones(2), [1]], [numpy.ones(2), numpy.ones(3)], [[numpy.ones(1)], [1]]):
            self.check_refusal(FLOAT, value, "expected parts of one shape: ")


class Shapes(unittest.TestCase):
    def setUp(self):
        self.model = make_typed("Add", [("x", field(1, field(1, FLOAT))), ("z", field(1, field(1, FLOAT)))],
                                field(1, field(1, FLOAT)))
        self.x = numpy.array([[-1, 2], [3, -4]], numpy.float32)

    def make_session(self, **shapes):
        options = tssa.SessionOptions()
        for name, shape in shapes.items():
            options.add_input_shape(name, shape)
        return tssa.InferenceSession(self.model, options)

    def test_shapes(self):
        for shape, found in ((["N", 2], ["N", 2]), ((2, numpy.int64(2)), [2, 2]), ([None, None], [None, None]),
                             (["N", "N"], ["N", "N"]), (["batch", None], ["batch", None])):
            session = self.make_session(x=shape, z=[])
            self.assertEqual([port.shape for port in session.get_inputs()], [found, []])
            result, = session.run(None, {"x": self.x, "z": 1})
            numpy.testing.assert_array_equal(result, self.x + 1)

    def test_names_are_one_size(self):
        options = tssa.SessionOptions()
        options.add_input_shape("x", ["N", 2])
        options.add_input_shape("z", ["N", 1])
        session = tssa.InferenceSession(self.model, options)
        with self.assertRaisesRegex(tssa.InvalidArgument, "N"):
            session.run(None, {"x": self.x, "z": [[1]]})
        options.add_free_dimension_override_by_name("N", 2)
        self.assertEqual(tssa.InferenceSession(self.model, options).get_inputs()[1].shape, [2, 1])

    def test_session(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "m.onnx")
        with open(path, "wb") as file:
            file.write(self.model)
        open(os.path.join(folder, "m.so"), "wb").close()
        session = tssa.Session(path, input_shapes={"x": ["N", 2], "z": [2]})
        numpy.testing.assert_array_equal(session.run(None, {"x": self.x, "z": [1, 2]})[0], self.x + [1, 2])
        with self.assertRaisesRegex(tssa.UnsupportedError, "input 'x' has no shape: give one, such as input_shapes="):
            tssa.Session(path)
        with self.assertRaisesRegex(tssa.NotImplemented, "an artifact is compiled already"):
            tssa.Session(os.path.join(folder, "m.so"), input_shapes={"x": ["N", 2]})

    def test_advice(self):
        with self.assertRaises(tssa.UnsupportedError) as caught:
            tssa.InferenceSession(self.model)
        self.assertIn("input 'x' has no shape: give one, such as input_shapes={'x': ['N', 3, 224, 224]} of tssa.Session, or "
                      "add_input_shape('x', ['N', 3, 224, 224]) of SessionOptions", str(caught.exception))
        self.assertNotIn("--", str(caught.exception))
        self.assertEqual(_shapes.advise_shapes("give them with --input-shape a b=..."),
                         "give them with input_shapes={'a b': [...]} of tssa.Session, or add_input_shape('a b', [...]) of "
                         "SessionOptions")

    def test_wrong_shapes(self):
        for shape, kind, text in (("N2", TypeError, "a list such as"), (3, TypeError, "a list such as"),
                                  ([1.5], TypeError, "a size, a name or None, got 1.5"),
                                  ([True], TypeError, "a size, a name or None, got True"),
                                  ([-1], ValueError, "at least 0, or None for any, got -1"),
                                  (["a,b"], ValueError, "begins with a letter and has no commas"),
                                  (["3"], ValueError, "begins with a letter"), ([""], ValueError, "begins with a letter")):
            with self.subTest(shape=shape), self.assertRaisesRegex(kind, text):
                tssa.SessionOptions().add_input_shape("x", shape)
        with self.assertRaisesRegex(TypeError, "input_shapes is a dict from the names of inputs to shapes, got list"):
            _shapes.list_shape_options([["x", [1]]])
        with self.assertRaisesRegex(tssa.Error, "the model has no input 'w'"):
            self.make_session(x=[2, 2], z=[], w=[1])


if __name__ == "__main__":
    unittest.main()
