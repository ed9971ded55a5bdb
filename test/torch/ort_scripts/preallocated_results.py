# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes the results of batches to one array, each to its place."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(8)
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Softplus", ["product"], ["y"])], "layer",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 6])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])],
    [numpy_helper.from_array(rng.normal(size=(6, 3)).astype(np.float32), "w")])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

data = rng.normal(size=(10, 6)).astype(np.float32)
results = np.full((10, 3), -1, np.float32)
for begin in range(0, 10, 4):
    part, into = data[begin:begin + 4], results[begin:begin + 4]
    binding = session.io_binding()
    binding.bind_input(name="x", device_type="cpu", device_id=0, element_type=np.float32, shape=part.shape,
                       buffer_ptr=part.ctypes.data)
    binding.bind_output(name="y", device_type="cpu", device_id=0, element_type=np.float32, shape=into.shape,
                        buffer_ptr=into.ctypes.data)
    session.run_with_iobinding(binding)
    print(begin, into.shape, [round(float(total), 2) for total in into.sum(axis=1)])
print((results > 0).all(), np.allclose(results, session.run(None, {"x": data})[0]))
for shape, kind in (((3, 3), np.float32), ((10, 3), np.float64)):
    wrong = np.zeros(shape, kind)
    binding.bind_cpu_input("x", data)
    try:
        binding.bind_output("y", "cpu", 0, kind, shape, wrong.ctypes.data)
        session.run_with_iobinding(binding)
    except RuntimeError:
        print("refused", wrong.any())

# Prints:
# 0 (4, 3) [4.69, 4.38, 15.47, 0.47]
# 4 (4, 3) [14.0, 2.1, 1.82, 6.19]
# 8 (2, 3) [6.22, 2.03]
# True True
# refused False
# refused False
