"""Writes models that exporters make and that need more than the operators' plain form: refused_before.py DIR"""

import sys

import onnx
from onnx import parser

SQUEEZE = """<ir_version: 8, opset_import: ["" : 17]>
squeeze (float[N, 1, M, 3] x) => (float[] y) { y = Squeeze(x) }"""
# Both signals are the same, of rank 2 and of rank 3.
STFT = """<ir_version: 8, opset_import: ["" : 17]>
stft (float[N, L] x) => (float[] most) <int64 step = {2}, int64 length = {8}, int64[1] last = {-1}> {
    z = Unsqueeze(x, last)
    a = STFT(x, step, , length)
    b = STFT(z, step, , length)
    d = Sub(a, b)
    e = Abs(d)
    most = ReduceMax<keepdims = 0>(e)
}"""


folder = sys.argv[1]
onnx.save(parser.parse_model(SQUEEZE), f"{folder}/squeeze.onnx")
onnx.save(parser.parse_model(STFT), f"{folder}/stft.onnx")
