# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Finds boxes, keeps the best of those that overlap, and scales them to the image."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64

nodes = [helper.make_node("Sigmoid", ["scores"], ["confidence"]),
         helper.make_node("NonMaxSuppression", ["boxes", "confidence", "most", "overlap", "least"], ["kept"]),
         helper.make_node("Gather", ["kept", "two"], ["index"], axis=1),
         helper.make_node("Squeeze", ["boxes", "zeros"], ["flat"]),
         helper.make_node("Gather", ["flat", "index"], ["best"], axis=0),
         helper.make_node("Mul", ["best", "size"], ["scaled"])]
graph = helper.make_graph(
    nodes, "detector",
    [helper.make_tensor_value_info("boxes", FLOAT, [1, "boxes", 4]),
     helper.make_tensor_value_info("scores", FLOAT, [1, 2, "boxes"])],
    [helper.make_tensor_value_info("kept", INT64, ["found", 3]), helper.make_tensor_value_info("scaled", FLOAT, ["found", 4])],
    [numpy_helper.from_array(np.array([3]), "most"), numpy_helper.from_array(np.array([0.5], np.float32), "overlap"),
     numpy_helper.from_array(np.array([0.6], np.float32), "least"), numpy_helper.from_array(np.array(2), "two"),
     numpy_helper.from_array(np.array([0]), "zeros"), numpy_helper.from_array(np.array([640], np.float32), "size")])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])

session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
rng = np.random.default_rng(3)
for count in (4, 12):
    corners = rng.uniform(0, 0.7, (1, count, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(0.1, 0.3, (1, count, 2))], axis=2).astype(np.float32)
    scores = rng.normal(size=(1, 2, count)).astype(np.float32)
    kept, scaled = session.run(["kept", "scaled"], {"boxes": boxes, "scores": scores})
    for (_, label, index), box in zip(kept, scaled):
        score = round(float(scores[0, label, index]), 3)
        print(["person", "car"][label], int(index), np.round(box).astype(int).tolist(), score)
kept, scaled = session.run(None, {"boxes": boxes, "scores": scores - 10})
print(kept.shape, scaled.shape)

# Prints:
# person 2 [42, 194, 161, 333] 0.958
# person 0 [38, 106, 196, 185] 0.482
# car 1 [359, 261, 473, 391] 1.546
# car 2 [42, 194, 161, 333] 0.545
# person 11 [394, 46, 535, 234] 1.682
# person 3 [168, 41, 343, 140] 1.591
# person 7 [324, 98, 484, 235] 1.406
# car 7 [324, 98, 484, 235] 1.37
# car 2 [14, 317, 167, 418] 1.138
# car 1 [211, 346, 337, 429] 0.754
# (0, 3) (0, 4)
