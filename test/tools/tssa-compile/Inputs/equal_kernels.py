"""Writes a model with two sums that are the same kernel only once a layout is chosen: equal_kernels.py PATH

One is over the image of a convolution, whose channels are stored last, the other over the middle dims of an input.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


weight = np.cos(np.arange(32 * 16 * 9, dtype=np.float32)).reshape(32, 16, 3, 3)
axes = [numpy_helper.from_array(np.array(dims), name) for name, dims in (("image", [2, 3]), ("middle", [1, 2]))]
nodes = [helper.make_node("Conv", ["x", "weight"], ["c"], "conv", pads=[1, 1, 1, 1]),
         helper.make_node("ReduceSum", ["c", "image"], ["y"], "pooled", keepdims=0),
         helper.make_node("ReduceSum", ["w", "middle"], ["z"], "summed", keepdims=0)]
graph = helper.make_graph(nodes, "equal", [value("x", 1, 16, 12, 12), value("w", 1, 12, 12, 32)],
                          [value("y", 1, 32), value("z", 1, 32)],
                          [numpy_helper.from_array(weight, "weight"), *axes])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
