"""Writes a model whose dims have the names that exporters give to what they do not know.

usage: unknown-dims.py MODEL.onnx IN.npz REF.npz
"""

import sys

import numpy as np
from onnx import TensorProto, helper, save

NAMES = ["?", "?", "-1", "None"]
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, NAMES) for name in "xy")
graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [x], [y])
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), sys.argv[1])
value = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
np.savez(sys.argv[2], x=value)
np.savez(sys.argv[3], y=-value)
