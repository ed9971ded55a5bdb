# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Sets threads, the level of logs and of optimization, and fixes a free dim."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

weights = numpy_helper.from_array(np.eye(4, dtype=np.float32) * 2, "weights")
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "weights"], ["product"]), helper.make_node("Relu", ["product"], ["y"])], "layer",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 4])], [weights])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])

options = ort.SessionOptions()
options.intra_op_num_threads = 2
options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
options.log_severity_level = 3
options.logid = "layer"
options.add_free_dimension_override_by_name("rows", 2)
session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
print(session.get_inputs()[0].shape, session.get_session_options().intra_op_num_threads)
print(session.run(["y"], {"x": np.array([[1, -1, 2, -2], [3, 4, -5, 6]], np.float32)})[0].tolist())

# Prints:
# [2, 4] 2
# [[2.0, 0.0, 4.0, 0.0], [6.0, 8.0, 0.0, 12.0]]
