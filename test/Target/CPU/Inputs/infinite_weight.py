"""Writes finite.onnx and infinite.onnx, a 3x3 convolution padded with zeros, its input and its results.

In the second, one weight of the upper row of the window is infinite.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper

HEIGHT, WIDTH, CHANNELS, FILTERS = 6, 5, 4, 16


def convolve(x, w):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((1, FILTERS, HEIGHT, WIDTH), np.float32)
    for row in range(3):
        for column in range(3):
            window = padded[:, :, row:row + HEIGHT, column:column + WIDTH]
            y += (window[:, None] * w[None, :, :, row, column, None, None]).sum(2)
    return y


random = np.random.default_rng(0)
x = random.uniform(0.5, 1, (1, CHANNELS, HEIGHT, WIDTH)).astype(np.float32)
w = random.uniform(0.5, 1, (FILTERS, CHANNELS, 3, 3)).astype(np.float32)
np.savez("in.npz", x=x)
for name in ("finite", "infinite"):
    if name == "infinite":
        w[3, 2, 0, 1] = np.inf
    node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)
    shape = [1, CHANNELS, HEIGHT, WIDTH]
    values = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)]
    results = [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)]
    graph = helper.make_graph([node], "padded", values, results, [numpy_helper.from_array(w, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), name + ".onnx")
    with np.errstate(invalid="ignore"):
        y = convolve(x, w)
    assert np.isnan(y[0, 3, 0]).all() == (name == "infinite")
    np.savez(name + ".npz", y=y)
