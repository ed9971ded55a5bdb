# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Models whose outputs are sequences: tssa.InferenceSession returns what ONNX Runtime's does."""

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


@unittest.skipUnless(HAS_ONNX, "onnx and onnxruntime are not there")
class Tests(unittest.TestCase):
    def parse(self, text):
        import onnx.parser  # pylint: disable=import-outside-toplevel
        return onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> ' + text).SerializeToString()

    def check(self, got, want):
        self.assertEqual(isinstance(got, list), isinstance(want, list))
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
        for kind, advice in (("seq(float[N])", "make each part an input"), ("optional(float[N])", "make the element an input")):
            with self.subTest(kind), self.assertRaisesRegex(tssa.Error, advice):
                tssa.InferenceSession(self.parse(f"g ({kind} s, float[N] x) => (float[N] y) {{ y = Neg(x) }}"))


if __name__ == "__main__":
    unittest.main()
