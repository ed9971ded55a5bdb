"""Writes a model whose result has half of the open size W of its input.

usage: halves.py OUT.onnx
"""

import sys

import onnx
from onnx import TensorProto, helper

x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, "W"])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
nodes = [helper.make_node("MaxPool", ["x"], ["y"], name="pool", kernel_shape=[2], strides=[2])]
graph = helper.make_graph(nodes, "halves", [x], [y])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
