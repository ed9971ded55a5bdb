"""Writes models with the operators of operators.mlir, inputs, and what they compute.

usage: operators.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def save(folder, name, nodes, inputs, results, open_dims=()):
    """open_dims: names of dims instead of sizes, by input."""
    kinds = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float64): TensorProto.DOUBLE}
    ports = [helper.make_tensor_value_info(key, kinds[value.dtype], dict(open_dims).get(key, value.shape))
             for key, value in inputs.items()]
    outputs = [helper.make_tensor_value_info(key, TensorProto.FLOAT, None) for key in results]
    graph = helper.make_graph(nodes, name, ports, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), os.path.join(folder, name + ".onnx"))
    np.savez(os.path.join(folder, name + ".in.npz"), **inputs)
    np.savez(os.path.join(folder, name + ".out.npz"), **results)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=op.lower(), domain="com.acme", **attributes)


def main():
    folder, = sys.argv[1:]
    random = np.random.default_rng(1)
    boxes = random.standard_normal((2, 7, 4)).astype(np.float32)
    centers, sizes = np.maximum(boxes, 0)[..., :2], np.maximum(boxes, 0)[..., 2:]
    corners = np.concatenate([centers - sizes / 2, centers + sizes / 2], -1) * 8
    nodes = [helper.make_node("Relu", ["x"], ["r"], name="relu"), node("DecodeBoxes", ["r"], ["d"], stride=8.0),
             helper.make_node("Neg", ["d"], ["y"], name="neg")]
    save(folder, "boxes", nodes, {"x": boxes}, {"y": -corners})
    save(folder, "boxes_open", nodes, {"x": boxes}, {"y": -corners}, {"x": ["B", "N", 4]}.items())
    q, k = (random.standard_normal((rows, 16)).astype(np.float32) for rows in (5, 9))
    scores = q @ k.T - 0.25 * (np.arange(5)[:, None] - np.arange(9)).astype(np.float32)
    save(folder, "scores", [node("BiasedScores", ["q", "k"], ["s", "t"], slope=0.25)], {"q": q, "k": k},
         {"s": scores, "t": scores.sum(1)})
    x = random.standard_normal(14).astype(np.float32)
    save(folder, "pool", [node("Pool", ["x"], ["y"], window=3)], {"x": x}, {"y": x[:12].reshape(4, 3).max(1)}, {"x": ["N"]}.items())
    save(folder, "three", [node("Pool", ["x", "x"], ["y"], window=3)], {"x": x}, {"y": x})
    save(folder, "rank", [node("Pool", ["x"], ["y"], window=3)], {"x": x[None]}, {"y": x})
    save(folder, "type", [node("Pool", ["x"], ["y"], window=3)], {"x": x.astype(np.float64)}, {"y": x})
    save(folder, "size", [node("DecodeBoxes", ["x"], ["y"], stride=8.0)], {"x": boxes[..., :3]}, {"y": x})
    save(folder, "missing", [node("Pool", ["x"], ["y"])], {"x": x}, {"y": x})
    save(folder, "kind", [node("Pool", ["x"], ["y"], window=3.0)], {"x": x}, {"y": x})
    save(folder, "zero", [node("Pool", ["x"], ["y"], window=0)], {"x": x}, {"y": x})


main()
