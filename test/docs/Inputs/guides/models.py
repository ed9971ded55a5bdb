# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a model of the guides into the current folder: NAME.onnx, and inputs for it, NAME.npz.

usage: models.py NAME

The numbers are small integers, so that the results are exact on every machine.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save(name, inputs, outputs, nodes, constants, arrays, result=TensorProto.FLOAT):
    values = [[helper.make_tensor_value_info(port, kind, shape) for port, shape in ports]
              for ports, kind in ((inputs, TensorProto.FLOAT), (outputs, result))]
    weights = [numpy_helper.from_array(np.array(value, np.float32), key) for key, value in constants.items()]
    graph = helper.make_graph(nodes, name, *values, weights)
    versions = {"": 17, **{node.domain: 1 for node in nodes if node.domain}}
    opsets = [helper.make_opsetid(domain, version) for domain, version in versions.items()]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), f"{name}.onnx")
    np.savez(f"{name}.npz", **arrays)


def classifier():
    """scores = Relu(x @ weights + bias) for any batch of four features and three classes."""
    nodes = [helper.make_node("MatMul", ["x", "weights"], ["products"], name="layer"),
             helper.make_node("Add", ["products", "bias"], ["sums"], name="shift"),
             helper.make_node("Relu", ["sums"], ["scores"], name="rectify")]
    weights = [[1, 0, 2], [0, 1, -1], [3, 0, 0], [0, -2, 1]]
    save("classifier", [("x", ["batch", 4])], [("scores", ["batch", 3])], nodes, {"weights": weights, "bias": [1, 1, 1]},
         {"x": np.array([[1, 2, 3, 4], [4, 3, 2, 1]], np.float32)})


def product():
    """y = x @ weights, 512 x 512; the numbers are exact in all formats."""
    weights = np.arange(512 * 512).reshape(512, 512) % 5 - 2
    save("product", [("x", [64, 512])], [("y", [64, 512])], [helper.make_node("MatMul", ["x", "weights"], ["y"], name="layer")],
         {"weights": weights}, {"x": np.arange(64 * 512).reshape(64, 512).astype(np.float32) % 3})


def boxes():
    """y = DecodeBoxes(Sigmoid(x)), whose operator com.acme defines."""
    nodes = [helper.make_node("Sigmoid", ["x"], ["s"], name="sigmoid"),
             helper.make_node("DecodeBoxes", ["s"], ["y"], name="decode", domain="com.acme", stride=8.0)]
    save("boxes", [("x", ["B", "N", 4])], [("y", ["B", "N", 4])], nodes, {}, {"x": np.zeros((1, 2, 4), np.float32)})


def labels():
    """The labels of the greatest scores, collapsed by an operator of com.acme."""
    nodes = [helper.make_node("ArgMax", ["scores"], ["best"], name="best", axis=1, keepdims=0),
             helper.make_node("CollapseRepeats", ["best"], ["labels"], name="collapse", domain="com.acme", blank=0)]
    scores = np.eye(6, dtype=np.float32)[[0, 3, 3, 0, 3, 5, 5, 0]]
    save("labels", [("scores", ["T", 6])], [("labels", ["N"])], nodes, {}, {"scores": scores}, TensorProto.INT64)


MODELS = {model.__name__: model for model in (classifier, product, boxes, labels)}

if __name__ == "__main__":
    if sys.argv[1] not in MODELS:
        sys.exit(f"there is no model '{sys.argv[1]}', only {', '.join(MODELS)}")
    MODELS[sys.argv[1]]()
