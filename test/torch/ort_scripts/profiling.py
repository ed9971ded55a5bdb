# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records a profile of three runs, and reads the file."""

import json
import os
import tempfile

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Softmax", ["x"], ["y"])], "softmax",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 8])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])

with tempfile.TemporaryDirectory() as folder:
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = os.path.join(folder, "softmax")
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for rows in (1, 2, 3):
        session.run(None, {"x": np.zeros((rows, 8), np.float32)})
    path = session.end_profiling()
    print(os.path.basename(path).startswith("softmax_"), path.endswith(".json"), os.path.exists(path))
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    runs = [event for event in events if event["cat"] == "Session" and event["name"] == "model_run"]
    nodes = [event for event in events if event["cat"] == "Node"]
    print(len(runs), all(event["ph"] == "X" and event["dur"] >= 0 and event["pid"] == os.getpid() for event in events))
    print({event["args"]["op_name"] for event in nodes}, {event["args"]["provider"] for event in nodes})
    print(all(event["name"].endswith("_kernel_time") for event in nodes), session.get_profiling_start_time_ns() > 0)
    print(repr(session.end_profiling()))

# Prints:
# True True True
# 3 True
# {'Softmax'} {'CPUExecutionProvider'}
# True True
# ''
