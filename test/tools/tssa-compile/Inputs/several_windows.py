"""Writes a model of three convolutions with padding, of different sizes: several_windows.py PATH"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS = [8, 16, 24, 32]
nodes, weights = [], []
for i, (channels, filters) in enumerate(zip(CHANNELS, CHANNELS[1:])):
    shape = (filters, channels, 3, 3)
    values = np.sin(np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)
    weights.append(numpy_helper.from_array(values, f"w{i}"))
    nodes.append(helper.make_node("Conv", [f"v{i}" if i else "x", f"w{i}"], [f"v{i + 1}"], f"conv{i}",
                                  pads=[1, 1, 1, 1]))
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS[0], 12, 12])
y = helper.make_tensor_value_info("v3", TensorProto.FLOAT, [1, CHANNELS[-1], 12, 12])
graph = helper.make_graph(nodes, "windows", [x], [y], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
