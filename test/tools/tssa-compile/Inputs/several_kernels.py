"""Writes a model of many kernels, some of them equal: several_kernels.py PATH [BIAS]"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTHS = [16, 24, 16, 32, 16, 24, 8, 16]


def weight(name, *shape):
    count = int(np.prod(shape))
    return numpy_helper.from_array(np.cos(np.arange(count, dtype=np.float32)).reshape(shape) / shape[0], name)


def build(bias):
    nodes, weights = [], []
    for i, (width, wider) in enumerate(zip([8, *WIDTHS], WIDTHS)):
        weights.append(weight(f"w{i}", width, wider))
        nodes += [helper.make_node("MatMul", [f"v{i}" if i else "x", f"w{i}"], [f"m{i}"], f"product{i}"),
                  helper.make_node("Softmax", [f"m{i}"], [f"v{i + 1}"], f"softmax{i}")]
    nodes.append(helper.make_node("Add", [f"v{len(WIDTHS)}", "bias"], ["y"], "last"))
    weights.append(numpy_helper.from_array(np.float32(bias), "bias"))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 8])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 16])
    graph = helper.make_graph(nodes, "several", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


onnx.save(build(float(sys.argv[2]) if len(sys.argv) > 2 else 1.0), sys.argv[1])
