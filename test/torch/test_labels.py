# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Labels that are strings, and maps, in Session and InferenceSession."""

import os
import pickle
import subprocess
import tempfile
import types
import unittest
import unittest.mock

import numpy
import tssa
from tssa._labels import Labels, read_labels
from tssa._tool import find_tool

X = numpy.array([2, 9, 1, 2], numpy.int64)
SCORES = numpy.array([[0.25, 0.75], [1, -2]], numpy.float32)
STRING, INT64, FLOAT = 8, 7, 1
TYPE_OF_ATTRIBUTE = bytes((160, 1))  # field 20, a number


def field(number, *contents):
    """A field of a protobuf: a number, or parts that are bytes or text."""
    if isinstance(contents[0], int):
        return bytes((number << 3, contents[0]))
    content = b"".join(part if isinstance(part, bytes) else part.encode() for part in contents)
    return bytes((number << 3 | 2, len(content) % 128 | 128, len(content) // 128)) + content


def tensor_type(code, *dims):
    """A type of protobuf. dims: sizes and names."""
    shape = [field(1, field(1, dim) if isinstance(dim, int) else field(2, dim)) for dim in dims]
    return field(1, field(1, code), field(2, *shape))


def make_model(operator, attributes, given, made):
    """y = operator of ai.onnx.ml. given, made: the types of x and y."""
    parts = [field(1, "x"), field(2, "y"), field(4, operator), field(7, "ai.onnx.ml"),
             *[field(5, field(1, name), *values, TYPE_OF_ATTRIBUTE + bytes((kind,))) for name, kind, values in attributes]]
    graph = field(7, field(1, *parts), field(2, "g"), field(11, field(1, "x"), field(2, given)),
                  field(12, field(1, "y"), field(2, made)))
    return field(1, 8) + graph + field(8, field(2, 17)) + field(8, field(1, "ai.onnx.ml"), field(2, 3))


def ints(name, *values):
    return name, 7, [field(8, value) for value in values]


def strings(name, *values):
    return name, 8, [field(9, value) for value in values]


def make_encoder(*values):
    """Labels 1 and 2; all else is "many"."""
    return make_model("LabelEncoder", [ints("keys_int64s", 1, 2), strings("values_strings", *values),
                                       ("default_string", 3, [field(4, "many")])],
                      tensor_type(INT64, "N"), tensor_type(STRING, "N"))


def make_maps(attribute, key_type):
    maps = field(4, field(1, field(5, field(1, key_type), field(2, field(1, field(1, FLOAT))))))
    return make_model("ZipMap", [attribute], tensor_type(FLOAT, "N", 2), maps)


ENCODER = make_encoder("one", b"zw\xc3\xb6lf")
ZIP = make_maps(strings("classlabels_strings", "no", "a"), STRING)
ZIP_INTS = make_maps(ints("classlabels_int64s", 7, 3), INT64)


class Tests(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": self.folder, "TSSA_CACHE": "1"}))

    def save(self, model):
        path = os.path.join(self.folder, "m.onnx")
        with open(path, "wb") as file:
            file.write(model)
        return path

    def list_sessions(self, model, cls):
        """Sessions of a model, and of the artifact that is compiled from it."""
        path = self.save(model)
        artifact = os.path.join(self.folder, "m.so")
        subprocess.run([find_tool(), path, "-o", artifact], check=True)
        return [cls(path), cls(artifact)]

    def check_strings(self, result, *wanted):
        self.assertEqual((result.dtype, result.tolist()), (numpy.dtype(object), list(wanted)))
        self.assertTrue(all(type(text) is str for text in result.flat))

    def test_strings(self):
        for cls, kind in ((tssa.Session, "string"), (tssa.InferenceSession, "tensor(string)")):
            for session in self.list_sessions(ENCODER, cls):
                with self.subTest(cls=cls):
                    self.assertEqual(session.get_outputs()[0].type, kind)
                    self.check_strings(session.run(None, {"x": X})[0], "zwölf", "many", "one", "zwölf")
                    self.check_strings(session.run(["y"], {"x": X[:0]})[0])
        self.assertEqual(tssa.InferenceSession(ENCODER).get_outputs()[0].shape, ["N"])

    def test_maps(self):
        cases = [(ZIP, "seq(map(string,f32))", "seq(map(string,tensor(float)))", "no", "a"),
                 (ZIP_INTS, "seq(map(i64,f32))", "seq(map(int64,tensor(float)))", 7, 3)]
        for model, kind, onnx_kind, first, second in cases:
            for cls, wanted in ((tssa.Session, kind), (tssa.InferenceSession, onnx_kind)):
                for session in self.list_sessions(model, cls):
                    with self.subTest(cls=cls, first=first):
                        port, = session.get_outputs()
                        self.assertEqual((port.type, port.shape), (wanted, []))
                        maps, = session.run(None, {"x": SCORES})
                        self.assertEqual(maps, [{first: 0.25, second: 0.75}, {first: 1.0, second: -2.0}])
                        self.assertEqual(list(maps[0]), [second, first])  # keys ascend
                        self.assertIs(type(maps[0][first]), float)
                        self.assertEqual(session.run(None, {"x": SCORES[:0]}), [[]])

    def test_texts_that_are_no_utf8(self):
        self.check_strings(tssa.InferenceSession(make_encoder("one", b"t\xff")).run(None, {"x": X[:1]})[0], "t\\xff")

    def test_pickled_and_closed(self):
        session = pickle.loads(pickle.dumps(tssa.InferenceSession(ENCODER)))
        self.check_strings(session.run(None, {"x": X[2:3]})[0], "one")
        session.close()
        with self.assertRaisesRegex(tssa.Error, "closed"):
            session.get_outputs()

    def test_ort_values(self):
        session = tssa.InferenceSession(ENCODER)
        value, = session.run_with_ort_values(None, {"x": tssa.OrtValue.ortvalue_from_numpy(X)})
        self.assertEqual((value.data_type(), value.element_type(), value.shape()), ("tensor(string)", 8, [4]))
        self.check_strings(value.numpy(), "zwölf", "many", "one", "zwölf")
        with self.assertRaisesRegex(tssa.Error, "strings are no memory of numbers"):
            value.data_ptr()
        value, = tssa.InferenceSession(ZIP).run_with_ort_values(None, {"x": tssa.OrtValue.ortvalue_from_numpy(SCORES)})
        self.assertEqual((value.data_type(), value.is_tensor(), value.is_tensor_sequence(), value.has_value()),
                         ("seq(map(string,tensor(float)))", False, False, True))
        with self.assertRaisesRegex(tssa.Error, "no tensor"):
            value.numpy()

    def test_bindings(self):
        for model, given, reason in ((ENCODER, X, "has strings, which have no memory of numbers"),
                                     (ZIP, SCORES, "is no tensor but maps")):
            session = tssa.InferenceSession(model)
            binding = session.io_binding()
            binding.bind_cpu_input("x", given)
            binding.bind_output("y")
            session.run_with_iobinding(binding)
            result, = binding.copy_outputs_to_cpu()
            self.assertEqual(list(result), list(session.run(None, {"x": given})[0]))
            binding.bind_ortvalue_output("y", tssa.OrtValue.ortvalue_from_numpy(given))
            with self.assertRaisesRegex(tssa.InvalidArgument, f"output 'y' {reason}"):
                session.run_with_iobinding(binding)

    def test_strings_are_no_inputs(self):
        model = make_model("LabelEncoder", [strings("keys_strings", "a"), ints("values_int64s", 1)],
                           tensor_type(STRING, "N"), tensor_type(INT64, "N"))
        with self.assertRaisesRegex(tssa.Error, "element type string"):
            tssa.InferenceSession(model)

    def test_damaged_labels(self):
        labels = Labels("strings", ["a", "b"])
        for index in (2, -1):
            with self.assertRaisesRegex(tssa.Error, f"output 'y' has label {index}, there are 2: the artifact is damaged"):
                labels.take("y", numpy.array([0, index]))
        with self.assertRaisesRegex(tssa.Error, "output 'y' has label 0, there are 0"):
            Labels("strings", []).take("y", numpy.array(0))
        scalar = labels.take("y", numpy.array(1))
        self.assertEqual((scalar.shape, scalar[()]), ((), "b"))

    def test_equal_keys(self):
        self.assertEqual(Labels("maps", [5, 5, 1]).take("y", numpy.array([[1.0, 2.0, 3.0]])), [{1: 3.0, 5: 1.0}])

    def test_numbers_have_no_labels(self):
        program = types.SimpleNamespace(outputs=[("a",), ("b",)], labels=[(0, [], []), (3, [], [4])])
        self.assertEqual(read_labels(program), {"b": Labels("maps", [4])})


if __name__ == "__main__":
    unittest.main()
