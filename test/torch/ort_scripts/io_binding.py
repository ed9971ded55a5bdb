# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Keeps inputs and results in OrtValues, and runs on what is in them."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Mul", ["x", "x"], ["square"]), helper.make_node("Add", ["square", "x"], ["y"]),
     helper.make_node("ReduceSum", ["y"], ["total"], keepdims=0)], "polynomial",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2]),
     helper.make_tensor_value_info("total", TensorProto.FLOAT, [])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
x_value = ort.OrtValue.ortvalue_from_numpy(x, "cpu", 0)
print(x_value.shape(), x_value.data_type(), x_value.element_type(), x_value.device_name())
print(x_value.is_tensor(), x_value.has_value(), x_value.data_ptr() == x.ctypes.data, x_value.tensor_size_in_bytes())
y_value = ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32, "cpu", 0)

binding = session.io_binding()
binding.bind_ortvalue_input("x", x_value)
binding.bind_ortvalue_output("y", y_value)
binding.bind_output("total")
binding.synchronize_inputs()
session.run_with_iobinding(binding)
binding.synchronize_outputs()
print(y_value.numpy().tolist())
print([value.numpy().tolist() for value in binding.get_outputs()])
print(binding.get_outputs()[0].data_ptr() == y_value.data_ptr())

x_value.update_inplace(np.zeros((3, 2), np.float32))
x[0] = 7
session.run_with_iobinding(binding)
print(binding.copy_outputs_to_cpu()[0].tolist(), float(binding.copy_outputs_to_cpu()[1]))

binding.clear_binding_inputs()
binding.clear_binding_outputs()
binding.bind_cpu_input("x", np.ones((1, 2), np.float32))
binding.bind_output("y", "cpu")
session.run_with_iobinding(binding)
print(binding.copy_outputs_to_cpu()[0].tolist())

# Prints:
# [3, 2] tensor(float) 1 cpu
# True True True 24
# [[2.0, 6.0], [12.0, 20.0], [30.0, 42.0]]
# [[[2.0, 6.0], [12.0, 20.0], [30.0, 42.0]], 112.0]
# True
# [[56.0, 56.0], [0.0, 0.0], [0.0, 0.0]] 112.0
# [[2.0, 2.0]]
