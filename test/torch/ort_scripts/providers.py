# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Takes the first of several providers that is there."""

import warnings

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Neg", ["x"], ["y"])], "neg", [helper.make_tensor_value_info("x", TensorProto.INT64, [2])],
    [helper.make_tensor_value_info("y", TensorProto.INT64, [2])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])

wanted = ["CUDAExecutionProvider", "CPUExecutionProvider"]
there = [name for name in wanted if name in ort.get_available_providers()]
session = ort.InferenceSession(model.SerializeToString(), providers=there)
print(ort.get_device(), session.get_providers(), session.get_provider_options())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    both = [("CUDAExecutionProvider", {"device_id": 0}), "CPUExecutionProvider"]
    session = ort.InferenceSession(model.SerializeToString(), providers=both)
print(len(caught), session.get_providers())
print(session.run(None, {"x": np.array([1, -2])})[0].tolist())

# Prints:
# CPU ['CPUExecutionProvider'] {'CPUExecutionProvider': {}}
# 1 ['CPUExecutionProvider']
# [-1, 2]
