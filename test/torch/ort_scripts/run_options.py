# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Ends a run by its options, and runs again with others."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Exp", ["x"], ["y"])], "exp", [helper.make_tensor_value_info("x", TensorProto.DOUBLE, ["n"])],
    [helper.make_tensor_value_info("y", TensorProto.DOUBLE, ["n"])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

options = ort.RunOptions()
options.log_severity_level = 4
options.logid = "first"
print(session.run(["y"], {"x": np.zeros(2)}, options)[0].tolist())
options.terminate = True
try:
    session.run(["y"], {"x": np.zeros(2)}, run_options=options)
    print("it has run")
except Exception:  # ONNX Runtime has a class for this that depends on its version
    print("it was ended")
options.terminate = False
print(session.run(["y"], {"x": np.zeros(3)}, run_options=options)[0].tolist())

# Prints:
# [1.0, 1.0]
# it was ended
# [1.0, 1.0, 1.0]
