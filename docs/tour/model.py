"""Writes tour.onnx: Conv, BatchNormalization, Relu, GlobalAveragePool, Flatten and Gemm."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(1)


def weight(name, *shape):
    return numpy_helper.from_array(random.standard_normal(shape, np.float32) * np.float32(0.2), name)


constants = [weight("conv.weight", 16, 3, 3, 3), weight("fc.weight", 10, 16), weight("fc.bias", 10)]
constants += [weight(f"bn.{part}", 16) for part in ("scale", "shift", "mean")]
constants += [numpy_helper.from_array(np.linspace(0.5, 1.5, 16, dtype=np.float32), "bn.var")]
batch_norm = ["c", "bn.scale", "bn.shift", "bn.mean", "bn.var"]
nodes = [
    helper.make_node("Conv", ["image", "conv.weight"], ["c"], "conv", pads=[1] * 4, strides=[2, 2]),
    helper.make_node("BatchNormalization", batch_norm, ["b"], "bn"),
    helper.make_node("Relu", ["b"], ["r"], "relu"),
    helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
    helper.make_node("Flatten", ["p"], ["f"], "flatten"),
    helper.make_node("Gemm", ["f", "fc.weight", "fc.bias"], ["logits"], "fc", transB=1),
]
graph = helper.make_graph(
    nodes,
    "tour",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, 32, 32])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 10])],
    constants,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, "tour.onnx")
