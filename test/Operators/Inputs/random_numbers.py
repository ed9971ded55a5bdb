"""Checks what can be said of random numbers: the same in each evaluation, others in each node, and distributed.

usage: random_numbers.py EVALUATE-ONNX FOLDER
"""

import os
import sys

import numpy as np
import onnx.parser

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check  # noqa: E402

MODEL = """<ir_version: 10, opset_import: ["" : 21]>
g (float[N, 4] x) => (float[4000] u, float[4000] n, float[4000] other, float[4000] seeded, float[4000] again,
                      double[N, 4] like, int32[N, 500] m, bool[N, 4] b) {
  u = RandomUniform <shape = [4000], low = -1.0, high = 3.0> ()
  n = RandomNormal <shape = [4000], mean = 2.0, scale = 0.5> ()
  other = RandomNormal <shape = [4000], mean = 2.0, scale = 0.5> ()
  seeded = RandomNormal <shape = [4000], seed = 5.0> ()
  again = RandomNormal <shape = [4000], seed = 5.0> ()
  like = RandomNormalLike <dtype = 11> (x)
  m = Multinomial <sample_size = 500, seed = 1.0> (x)
  half = Constant <value = float {0.5}> ()
  chance = Mul(x, half)
  p = Sigmoid(chance)
  b = Bernoulli <dtype = 9> (p)
}"""


LOOP = """<ir_version: 10, opset_import: ["" : 21]>
g (int64 n) => (float[I, 3] y, float[I, 3] z) {
  go = Constant <value = bool {1}> ()
  y, z = Loop(n, go) <body = b (int64 i, bool c) => (bool c2, float[3] r, float[3] s) {
    c2 = Identity(c)
    r = RandomUniform <shape = [3]> ()
    s = RandomUniform <shape = [3], seed = 2.0> ()
  }>
}"""


def run(tool, folder, text, inputs, kinds):
    check.write_case(folder, onnx.parser.parse_model(text), inputs)
    verdict = check.run_tool(tool, [folder])[folder]
    if verdict != "ok":
        sys.exit(verdict)
    return check.read_outputs(folder, [np.zeros(0, kind) for kind in kinds])


def main():
    tool, folder = sys.argv[1:]
    x = np.log(np.array([[1, 2, 3, 4], [4, 4, 1, 1]], np.float32))
    kinds = [np.float32] * 5 + [np.float64, np.int32, np.bool_]
    first, second = (run(tool, os.path.join(folder, str(i)), MODEL, [x], kinds) for i in range(2))
    u, n, other, seeded, again, like, m, b = first
    assert all(np.array_equal(a, c) for a, c in zip(first, second)), "another evaluation, other numbers"
    assert u.min() >= -1 and u.max() < 3 and abs(u.mean() - 1) < 0.1 and abs(u.var() - 16 / 12) < 0.1
    assert abs(n.mean() - 2) < 0.05 and abs(n.std() - 0.5) < 0.03 and np.isfinite(n).all()
    assert len(np.unique(n)) > 3900 and abs(np.corrcoef(n, other)[0, 1]) < 0.1
    assert np.array_equal(seeded, again) and not np.array_equal(n, other)
    assert like.shape == (2, 4) and b.shape == (2, 4)
    shares = np.array([[(row == k).mean() for k in range(4)] for row in m])
    assert np.abs(shares - [[0.1, 0.2, 0.3, 0.4], [0.4, 0.4, 0.1, 0.1]]).max() < 0.08, shares
    drawn = run(tool, os.path.join(folder, "loop"), LOOP, [np.array(5)], [np.float32] * 2)
    assert all(len(np.unique(values)) == values.size == 15 for values in drawn), drawn
    print("random numbers as expected")


main()
