# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A pipeline as converters of scikit-learn make it, without ZipMap: a scaler and a linear classifier."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

scaler = helper.make_node("Scaler", ["features"], ["scaled"], domain="ai.onnx.ml", offset=[5.0, 3.0], scale=[0.5, 2.0])
classifier = helper.make_node(
    "LinearClassifier", ["scaled"], ["label", "scores"], domain="ai.onnx.ml", classlabels_ints=[10, 20, 30],
    coefficients=[1.0, 0.0, 0.0, 1.0, -1.0, -1.0], intercepts=[0.0, 0.25, 0.5], multi_class=1, post_transform="SOFTMAX")
normalizer = helper.make_node("Normalizer", ["scores"], ["probabilities"], domain="ai.onnx.ml", norm="L1")
graph = helper.make_graph(
    [scaler, classifier, normalizer], "pipeline", [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", 2])],
    [helper.make_tensor_value_info("label", TensorProto.INT64, ["n"]),
     helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 3])])
model = helper.make_model(graph, ir_version=10,
                          opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])

session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
features = np.array([[9, 3], [5, 5], [1, 1], [5, 3]], np.float32)
label, probabilities = session.run(["label", "probabilities"], {"features": features})
print(label.tolist(), label.dtype)
for row in probabilities:
    print(" ".join(f"{probability:.3f}" for probability in row))
print(np.allclose(probabilities.sum(axis=1), 1))

# Prints:
# [10, 20, 30, 30] int64
# 0.831 0.144 0.025
# 0.014 0.986 0.000
# 0.000 0.000 1.000
# 0.254 0.326 0.419
# True
