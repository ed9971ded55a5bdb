"""Writes models that exporters make and that need more than the operators' plain form: refused_before.py DIR"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, parser

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


def zip_map() -> onnx.ModelProto:
    nodes = [helper.make_node("LinearClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml",
                              coefficients=[1.0, 0.0, 0.0, 1.0], intercepts=[0.0, 0.5], classlabels_ints=[3, 7],
                              post_transform="NONE"),
             helper.make_node("ZipMap", ["scores"], ["maps"], domain="ai.onnx.ml", classlabels_int64s=[3, 7])]
    of_maps = helper.make_sequence_type_proto(helper.make_map_type_proto(
        TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))
    graph = helper.make_graph(nodes, "zip", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
                              [helper.make_tensor_value_info("label", TensorProto.INT64, ["N"]),
                               helper.make_value_info("maps", of_maps)])
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])


folder = sys.argv[1]
onnx.save(parser.parse_model(SQUEEZE), f"{folder}/squeeze.onnx")
onnx.save(parser.parse_model(STFT), f"{folder}/stft.onnx")
onnx.save(zip_map(), f"{folder}/zip.onnx")
np.savez(f"{folder}/zip.npz", x=np.array([[1, 2], [5, 3]], np.float32))
