# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Classifies images with the GPU if there is one, and prints the best classes of each."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

LABELS = ["cat", "dog", "horse", "ship", "truck"]


def make_model():
    rng = np.random.default_rng(0)
    weights = {"w1": rng.normal(size=(8, 3, 3, 3)) * 0.3, "b1": rng.normal(size=8), "w2": rng.normal(size=(16, 8, 3, 3)) * 0.2,
               "b2": rng.normal(size=16), "w3": rng.normal(size=(5, 16)), "b3": rng.normal(size=5)}
    nodes = [helper.make_node("Conv", ["image", "w1", "b1"], ["c1"], strides=[2, 2], pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c1"], ["r1"]),
             helper.make_node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c2"], ["r2"]),
             helper.make_node("GlobalAveragePool", ["r2"], ["pooled"]),
             helper.make_node("Flatten", ["pooled"], ["features"]),
             helper.make_node("Gemm", ["features", "w3", "b3"], ["logits"], transB=1)]
    graph = helper.make_graph(
        nodes, "classifier", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, 32, 32])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 5])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()


def preprocess(image):
    mean, std = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
    return ((image.astype(np.float32) / 255 - mean) / std).transpose(2, 0, 1)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


options = ort.SessionOptions()
options.inter_op_num_threads = 1
options.intra_op_num_threads = 2
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
providers = [("CUDAExecutionProvider", {"device_id": 0, "cudnn_conv_algo_search": "HEURISTIC"}), "CPUExecutionProvider"]
session = ort.InferenceSession(make_model(), options, providers=providers)
name = session.get_inputs()[0].name
pictures = np.random.default_rng(1).integers(0, 256, (3, 32, 32, 3), dtype=np.uint8)
scores = softmax(session.run(None, {name: np.stack([preprocess(picture) for picture in pictures])})[0])
for row in scores:
    best = row.argsort()[::-1][:3]
    print([(LABELS[i], round(float(row[i]), 3)) for i in best])
print(session.get_providers())

# Prints:
# [('horse', 0.747), ('cat', 0.218), ('dog', 0.034)]
# [('cat', 0.647), ('horse', 0.343), ('dog', 0.011)]
# [('cat', 0.561), ('horse', 0.432), ('dog', 0.006)]
# ['CPUExecutionProvider']
