"""Writes a model in which two paths lead from each value to the next, for tests: diamonds.py MODEL COUNT"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

path, count = sys.argv[1], int(sys.argv[2])
nodes = [helper.make_node("MatMul", ["x", "w"], ["v0"])]
for i in range(count):
    nodes.append(helper.make_node("Relu", [f"v{i}"], [f"r{i}"]))
    nodes.append(helper.make_node("Add", [f"v{i}", f"r{i}"], [f"v{i + 1}"]))
graph = helper.make_graph(nodes, "diamonds", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8])],
                          [helper.make_tensor_value_info(f"v{count}", TensorProto.FLOAT, [4, 8])],
                          [numpy_helper.from_array(np.eye(8, dtype=np.float32), "w")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
