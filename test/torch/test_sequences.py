# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Models with sequences and optionals as inputs and outputs: tssa.InferenceSession does what ONNX Runtime's does."""

import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy
import tssa

HAS_ONNX = all(importlib.util.find_spec(name) for name in ("onnx", "onnxruntime"))
X = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)

CONSTRUCT = "g (float[N, 3] x) => (seq(float[N, 3]) s) { y = Neg(x)  s = SequenceConstruct(x, y) }"
MODELS = {
    "list": CONSTRUCT,
    "one part": "g (float[N, 3] x) => (seq(float[N, 3]) s) { s = SequenceConstruct(x) }",
    "parts of two shapes": "g (float[4, 3] x) => (seq(float[A, 3]) s) {"
                           "  three = Constant <value = int64 {3}> ()  s = SplitToSequence(x, three) }",
    "among tensors": "g (float[N, 3] x) => (float[N, 3] a, seq(int64[B]) s, float[N, 3] b) {"
                     "  a = Neg(x)  shape = Shape(x)  s = SequenceConstruct(shape, shape, shape)  b = Abs(x) }",
    "rows": "g (float[N, 3] x) => (seq(float[1, 3]) s) { s = SplitToSequence(x) }",
    "rows without the axis": "g (float[N, 3] x) => (seq(float[3]) s, float[N, 3] y) {"
                             "  s = SplitToSequence <keepdims = 0> (x)  y = Neg(x) }",
    "a dot in the name": 'g (float[N, 3] x) => (seq(float[N, 3]) "s.t", float[N, 3] "u.0") {'
                         '  "s.t" = SequenceConstruct(x, x)  "u.0" = Neg(x) }',
}

T = X[:2]
#: Models by name, with the feeds of some runs.
TAKING = {
    "parts side by side": ("g (seq(float[N, 3]) s) => (float[M, 3] y) { y = ConcatFromSequence <axis = 0> (s) }",
                           [{"s": [T, T + 1]}, {"s": [X]}]),
    "parts on a new axis": ("g (seq(float[2, 3]) s) => (float[2, B, 3] y) {"
                            "  y = ConcatFromSequence <axis = 1, new_axis = 1> (s) }", [{"s": [T, T + 1, T + 2]}]),
    "one part": ("g (seq(float[N, 3]) s, int64 i) => (float[N, 3] y, int64 n) { y = SequenceAt(s, i)  n = SequenceLength(s) }",
                 [{"s": [T, T + 1], "i": numpy.array(-1)}, {"s": [T, T + 1], "i": numpy.array(0)}]),
    "one part more": ("g (seq(float[N, 3]) s, float[N, 3] x) => (seq(float[N, 3]) y) { y = SequenceInsert(s, x) }",
                      [{"s": [T, T + 1], "x": -T}, {"s": [], "x": X}]),
    "one part less": ("g (seq(float[N, 3]) s) => (seq(float[N, 3]) y) { y = SequenceErase(s) }", [{"s": [T, -T]}]),
    "each part": ("g (seq(float[N]) s, float[N] x) => (seq(float[N]) y) {"
                  "  y = SequenceMap(s, x) <body = b (float[N] p, float[N] q) => (float[N] r) { r = Mul(p, q) }> }",
                  [{"s": [X[0], X[1], X[3]], "x": X[2]}]),
    "integers": ("g (seq(int64[N]) s) => (int64 y) { y = SequenceLength(s) }", [{"s": [numpy.arange(3)] * 4}, {"s": []}]),
    "the same": ("g (seq(float[N, 3]) s) => (seq(float[N, 3]) y) { y = Identity(s) }", [{"s": [T, T + 1]}, {"s": []}]),
    "whether it is there": ("g (optional(float[N, 3]) o) => (bool y) { y = OptionalHasElement(o) }", [{"o": T}, {"o": None}]),
    "what is there": ("g (optional(float[N, 3]) o) => (float[N, 3] y) { y = OptionalGetElement(o) }", [{"o": T}]),
    "an optional": ("g (optional(float[N, 3]) o) => (optional(float[N, 3]) y) { y = Identity(o) }", [{"o": T}, {"o": None}]),
    "always there": ("g (float[N, 3] x) => (optional(float[N, 3]) y) { y = Optional(x) }", [{"x": T}]),
    "if it is there": ("g (optional(float[N, 3]) o, float[N, 3] x) => (float[N, 3] y) {"
                       "  h = OptionalHasElement(o)"
                       "  y = If(h) <then_branch = t () => (float[N, 3] a) { e = OptionalGetElement(o)  a = Add(e, x) },"
                       "             else_branch = e () => (float[N, 3] b) { b = Neg(x) }> }",
                       [{"o": T, "x": T + 1}, {"o": None, "x": X}]),
}


@unittest.skipUnless(HAS_ONNX, "onnx and onnxruntime are not there")
class Tests(unittest.TestCase):
    def parse(self, text):
        import onnx.parser  # pylint: disable=import-outside-toplevel
        return onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 18]> ' + text).SerializeToString()

    def check(self, got, want):
        self.assertIs(type(got), type(want))
        if want is None:
            return
        for left, right in zip(got, want, strict=True) if isinstance(want, list) else [(got, want)]:
            self.assertEqual((left.dtype, left.shape), (right.dtype, right.shape))
            numpy.testing.assert_array_equal(left, right)

    def test_lists_as_in_onnx_runtime(self):
        import onnxruntime  # pylint: disable=import-outside-toplevel
        for name, text in MODELS.items():
            with self.subTest(name):
                model = self.parse(text)
                session, reference = tssa.InferenceSession(model), onnxruntime.InferenceSession(model)
                self.assertEqual([(output.name, output.type) for output in session.get_outputs()],
                                 [(output.name, output.type) for output in reference.get_outputs()])
                for got, want in zip(session.run(None, {"x": X}), reference.run(None, {"x": X}), strict=True):
                    self.check(got, want)

    def test_inputs_as_in_onnx_runtime(self):
        import onnxruntime  # pylint: disable=import-outside-toplevel
        for name, (text, runs) in TAKING.items():
            model = self.parse(text)
            session, reference = tssa.InferenceSession(model), onnxruntime.InferenceSession(model)
            for got, want in ((session.get_inputs(), reference.get_inputs()), (session.get_outputs(), reference.get_outputs())):
                self.assertEqual([(arg.name, arg.type, len(arg.shape)) for arg in got],
                                 [(arg.name, arg.type, len(arg.shape)) for arg in want])
            for number, feeds in enumerate(runs):
                with self.subTest(f"{name}, {number}"):
                    for got, want in zip(session.run(None, feeds), reference.run(None, feeds), strict=True):
                        self.check(got, want)

    def test_parts_of_numbers_and_of_torch(self):
        import torch  # pylint: disable=import-outside-toplevel
        session = tssa.InferenceSession(self.parse(TAKING["the same"][0]))
        self.check(session.run(None, {"s": [[[1, 2, 3]], [[4, 5.5, 6]]]})[0],
                   [numpy.array([[1, 2, 3]], numpy.float32), numpy.array([[4, 5.5, 6]], numpy.float32)])
        self.check(session.run(None, {"s": [torch.ones(2, 3), torch.zeros(2, 3)]})[0], [T * 0 + 1, T * 0])

    def test_artifacts_take_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path, artifact = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.so")
            with open(path, "wb") as file:
                file.write(self.parse(TAKING["if it is there"][0]))
            subprocess.run([sys.executable, "-m", "tssa", "compile", path, "-o", artifact], check=True, capture_output=True)
            with tssa.Session(artifact) as session:
                self.check(session.run(None, {"o": T[None], "x": X[2:]})[0], T + X[2:])
                self.check(session.run(None, {"o": T[None][:0], "x": T})[0], -T)
                with self.assertRaisesRegex(tssa.Error, "the optional has more than one element"):
                    session.run(None, {"o": numpy.stack([T, T]), "x": T})

    def test_refused_feeds(self):
        sequence = tssa.InferenceSession(self.parse(TAKING["one part"][0]))
        optional = tssa.InferenceSession(self.parse(TAKING["what is there"][0]))
        first = numpy.array(0)
        for session, feeds, text in (
                (sequence, {"s": X, "i": first}, "input 's' is a sequence, expected a list of arrays, got ndarray"),
                (sequence, {"s": None, "i": first}, "input 's' is a sequence, expected a list of arrays, got NoneType"),
                (sequence, {"s": [X, T], "i": first}, r"expected parts of one shape, got \[2, 3\] and \[4, 3\]: pad"),
                (sequence, {"s": [T.astype("float64")], "i": first}, r"input 's' is of tensor\(float\), got an array of float64"),
                (sequence, {"s": [T[0]], "i": first}, "'s'"),
                (sequence, {"s": [T], "i": numpy.array(1)}, "in a sequence of s.0 is out of range"),
                (sequence, {"s": [], "i": first}, "out of range"),
                (optional, {"o": None}, "the optional has no element"),
                (optional, {"o": [T]}, "'o'")):
            with self.subTest(text), self.assertRaisesRegex(tssa.Error, text):
                session.run(None, feeds)

    def test_outputs_by_name(self):
        session = tssa.InferenceSession(self.parse(MODELS["among tensors"]))
        b, s = session.run(["b", "s"], {"x": X})
        self.check(b, X)
        self.check(s, [numpy.array([4, 3])] * 3)
        with self.assertRaisesRegex(tssa.InvalidArgument, r"no output 's.0', only \['a', 's', 'b'\]"):
            session.run(["s.0"], {"x": X})

    def test_a_pickled_session_knows_its_lists(self):
        session = pickle.loads(pickle.dumps(tssa.InferenceSession(self.parse(CONSTRUCT))))
        self.check(session.run(None, {"x": X})[0], [X, -X])

    def test_artifacts_have_the_parts_as_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            path, artifact = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.so")
            with open(path, "wb") as file:
                file.write(self.parse(CONSTRUCT))
            with tssa.Session(path) as session:
                self.assertEqual([(output.name, output.type) for output in session.get_outputs()], [("s", "seq(f32)")])
                self.check(session.run(None, {"x": X})[0], [X, -X])
            subprocess.run([sys.executable, "-m", "tssa", "compile", path, "-o", artifact], check=True, capture_output=True)
            with tssa.Session(artifact) as session:
                self.assertEqual([output.name for output in session.get_outputs()], ["s.0", "s.1"])
                self.check(session.run(["s.1"], {"x": X})[0], -X)

    def test_inputs_are_refused_with_advice(self):
        for kind, advice in (("seq(seq(float[N]))", "make each part an input"),
                             ("optional(seq(float[N]))", "make the sequence an input"),
                             ("seq(float[])", r"input 's' has no shape: give one, with the number of parts first, such as "
                                            r"input_shapes=\{'s': \['N', 3, 224, 224\]\}")):
            with self.subTest(kind), self.assertRaisesRegex(tssa.Error, advice):
                tssa.InferenceSession(self.parse(f"g ({kind} s, float[N] x) => (float[N] y) {{ y = Neg(x) }}"))
        options = tssa.SessionOptions()
        options.add_input_shape("s", ["N", 3])
        session = tssa.InferenceSession(self.parse("g (seq(float[]) s) => (int64 y) { y = SequenceLength(s) }"), options)
        self.assertEqual(session.run(None, {"s": [X[0]] * 5})[0], 5)


if __name__ == "__main__":
    unittest.main()
