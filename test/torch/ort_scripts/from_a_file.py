# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a model with a loop to a file, and loads it by its path and by its bytes."""

import os
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

INT64, BOOL = TensorProto.INT64, TensorProto.BOOL

body = helper.make_graph(
    [helper.make_node("Add", ["value", "step"], ["next"]), helper.make_node("Identity", ["going"], ["goes"])], "body",
    [helper.make_tensor_value_info("step", INT64, []), helper.make_tensor_value_info("going", BOOL, []),
     helper.make_tensor_value_info("value", INT64, [])],
    [helper.make_tensor_value_info("goes", BOOL, []), helper.make_tensor_value_info("next", INT64, [])])
graph = helper.make_graph(
    [helper.make_node("Loop", ["times", "", "begin"], ["end"], body=body)], "sums",
    [helper.make_tensor_value_info("times", INT64, []), helper.make_tensor_value_info("begin", INT64, [])],
    [helper.make_tensor_value_info("end", INT64, [])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "sums.onnx")
    onnx.save(model, path)
    with open(path, "rb") as file:
        content = file.read()
    for source in (path, pathlib.Path(path), content):
        session = ort.InferenceSession(source, providers=["CPUExecutionProvider"])
        end, = session.run(None, {"times": np.array(5), "begin": np.array(100)})
        print(end, end.dtype, end.shape)

# Prints:
# 110 int64 ()
# 110 int64 ()
# 110 int64 ()
