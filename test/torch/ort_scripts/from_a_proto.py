# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Changes a ModelProto and runs each state of it."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper


def run(model, x):
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run([output.name for output in session.get_outputs()], {session.get_inputs()[0].name: x})


proto = helper.make_model(helper.make_graph(
    [helper.make_node("Mul", ["x", "scale"], ["scaled"], name="scaling")], "graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["n"])],
    [helper.make_tensor_value_info("scaled", TensorProto.FLOAT16, ["n"])],
    [numpy_helper.from_array(np.array([0.5], np.float16), "scale")]),
    ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
print(run(proto, np.array([2, 4], np.float16)))
proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.array([3], np.float16), "scale"))
print(run(proto, np.array([2, 4], np.float16)))
proto.graph.node.append(helper.make_node("ArgMax", ["scaled"], ["best"], axis=0, keepdims=0))
proto.graph.output.append(helper.make_tensor_value_info("best", TensorProto.INT64, []))
print(run(proto, np.array([2, 4, 1], np.float16))[1])

# Prints:
# [array([1., 2.], dtype=float16)]
# [array([ 6., 12.], dtype=float16)]
# 1
