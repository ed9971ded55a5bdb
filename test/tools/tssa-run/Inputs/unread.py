"""Writes a model of operators that have outputs with names that no node reads: unread.py MODEL.onnx"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

nodes = [
    helper.make_node("SkipSimplifiedLayerNormalization", ["x", "x", "w"], ["a", "mean", "inverse", "sum"], domain="com.microsoft"),
    helper.make_node("SkipLayerNormalization", ["a", "x", "w"], ["b", "mean2", "inverse2", "sum2"], domain="com.microsoft"),
    helper.make_node("LayerNormalization", ["b", "w"], ["c", "mean3", "inverse3"]),
    helper.make_node("MultiHeadAttention", ["c", "c", "c"], ["d", "key", "value"], domain="com.microsoft", num_heads=2),
    helper.make_node("MaxPool", ["d"], ["y", "places"], kernel_shape=[2]),
]
graph = helper.make_graph(nodes, "unread", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 8])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3, 7])],
                          [numpy_helper.from_array(np.linspace(0.5, 2, 8, dtype=np.float32), "w")])
onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21),
                                                                 helper.make_opsetid("com.microsoft", 1)]), sys.argv[1])
