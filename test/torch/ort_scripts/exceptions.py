# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Catches the exceptions of models and arguments that are wrong."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

state = ort.capi.onnxruntime_pybind11_state


def make(operator):
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"])], "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()


content = make("Neg")
for damaged in (b"a text and no model", bytes(range(200, 256)), content[:30], content[:-1]):
    try:
        ort.InferenceSession(damaged, providers=["CPUExecutionProvider"])
    except state.InvalidProtobuf:
        print("no protobuf")
try:
    ort.InferenceSession(make("Add"), providers=["CPUExecutionProvider"])
except state.InvalidGraph:
    print("an operand is missing")
try:
    ort.InferenceSession("nowhere.onnx", providers=["CPUExecutionProvider"])
except state.NoSuchFile:
    print("no file")
session = ort.InferenceSession(content, providers=["CPUExecutionProvider"])
for feed in ({"x": np.ones(3, np.float32)}, {"x": np.ones(2)}, {"z": np.ones(2, np.float32)}):
    try:
        session.run(None, feed)
    except (state.InvalidArgument, ValueError):
        print("a wrong argument")

# Prints:
# no protobuf
# no protobuf
# no protobuf
# no protobuf
# an operand is missing
# no file
# a wrong argument
# a wrong argument
# a wrong argument
