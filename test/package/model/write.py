"""Writes a model that scales three numbers, and beside it the file of its weights: write.py FACTOR MODEL.onnx"""

import os
import struct
import sys

import onnx
from onnx import TensorProto, helper

factor, path = float(sys.argv[1]), sys.argv[2]
weights = "the weights.bin"
tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
tensor.external_data.add(key="location", value=weights)
with open(os.path.join(os.path.dirname(path), weights), "wb") as file:
    file.write(struct.pack("<3f", factor, factor, factor))
inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])]
outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])]
graph = helper.make_graph([helper.make_node("Mul", ["x", "w"], ["y"])], "scale", inputs, outputs, [tensor])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
# The model itself stays as it is when only its weights change.
if not os.path.exists(path) or open(path, "rb").read() != model:
    with open(path, "wb") as file:
        file.write(model)
