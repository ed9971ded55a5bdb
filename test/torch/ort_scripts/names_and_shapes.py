# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Asks a model for its inputs and outputs, and runs it on batches of several sizes."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

FLOAT = TensorProto.FLOAT

graph = helper.make_graph(
    [helper.make_node("Add", ["left", "right"], ["sum"]), helper.make_node("ReduceMax", ["sum"], ["most"], keepdims=0)],
    "adds",
    [helper.make_tensor_value_info("left", FLOAT, ["batch", 3]), helper.make_tensor_value_info("right", FLOAT, [1, 3])],
    [helper.make_tensor_value_info("sum", FLOAT, ["batch", 3]), helper.make_tensor_value_info("most", FLOAT, [])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])

session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
for port in session.get_inputs() + session.get_outputs():
    print(port.name, port.type, port.shape)
for batch in (1, 4):
    feed = {"left": np.arange(batch * 3, dtype=np.float32).reshape(batch, 3), "right": np.ones((1, 3), np.float32)}
    total, most = session.run(None, feed)
    print(total.dtype, total.shape, total.sum(), most)
    print(session.run(["most"], feed)[0] == most)

# Prints:
# left tensor(float) ['batch', 3]
# right tensor(float) [1, 3]
# sum tensor(float) ['batch', 3]
# most tensor(float) []
# float32 (1, 3) 6.0 3.0
# True
# float32 (4, 3) 78.0 12.0
# True
