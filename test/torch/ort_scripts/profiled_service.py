# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs a service with a profile, options of each run, and the model's metadata in its log."""

import json
import os
import tempfile

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Clip", ["x", "low", "high"], ["clipped"]), helper.make_node("ReduceMean", ["clipped"], ["y"], axes=[1])],
    "clip", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "n"])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 1])],
    [helper.make_tensor("low", TensorProto.FLOAT, [], [0]), helper.make_tensor("high", TensorProto.FLOAT, [], [6])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)], producer_name="service",
                          model_version=4)
helper.set_model_props(model, {"threshold": "2.5"})

ort.set_default_logger_severity(3)
ort.disable_telemetry_events()
with tempfile.TemporaryDirectory() as folder:
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = os.path.join(folder, "service")
    options.add_session_config_entry("session.use_env_allocators", "1")
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    meta = session.get_modelmeta()
    print(meta.producer_name, meta.version, meta.graph_name, meta.custom_metadata_map)
    threshold = float(meta.custom_metadata_map["threshold"])
    for number in range(3):
        run_options = ort.RunOptions()
        run_options.logid = f"request {number}"
        run_options.log_severity_level = 3
        run_options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        y = session.run(None, {"x": np.arange(-2, 4, dtype=np.float32)[None] * (number + 1)}, run_options)[0]
        print(round(float(y[0, 0]), 4), bool(y[0, 0] > threshold), run_options.get_run_config_entry(
            "memory.enable_memory_arena_shrinkage"))
    with open(session.end_profiling(), encoding="utf-8") as file:
        print(sum(event["name"] == "model_run" for event in json.load(file)))

# Prints:
# service 4 clip {'threshold': '2.5'}
# 1.0 False cpu:0
# 2.0 False cpu:0
# 2.5 False cpu:0
# 3
