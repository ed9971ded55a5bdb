# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes models with the operators of routines.mlir, inputs, and what they compute.

usage: routines.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def save(folder, name, nodes, kind, shape, outputs, values, results):
    ports = [helper.make_tensor_value_info("x", kind, shape)]
    outputs = [helper.make_tensor_value_info(output, kind, dims) for output, dims in outputs]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    graph = helper.make_graph(nodes, name, ports, outputs)
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), os.path.join(folder, name + ".onnx"))
    np.savez(os.path.join(folder, name + ".in.npz"), x=values)
    np.savez(os.path.join(folder, name + ".out.npz"), **results)


def main():
    folder, = sys.argv[1:]
    x = np.random.default_rng(1).standard_normal((5, 37)).astype(np.float32)
    for name, shape, by in ("reverse", x.shape, 3.0), ("reverse_open", ["N", "C"], 3.0), ("reverse_zero", x.shape, 0.0):
        nodes = [helper.make_node("Relu", ["x"], ["r"]),
                 helper.make_node("Reverse", ["r"], ["s"], name="turn", domain="com.acme", by=by),
                 helper.make_node("Neg", ["s"], ["y"])]
        save(folder, name, nodes, TensorProto.FLOAT, shape, [("y", shape)], x, {"y": -3 * np.maximum(x, 0)[::-1]})
    labels = np.array([0, 3, 3, 0, 3, 5, 5, 5, 0, 0, 1], np.int64)
    nodes = [helper.make_node("Collapse", ["x"], ["kept", "numbers"], name="collapse", domain="com.acme", blank=0),
             helper.make_node("Neg", ["kept"], ["y"])]
    save(folder, "collapse", nodes, TensorProto.INT64, ["N"], [("y", ["K"]), ("numbers", ["M"])], labels,
         {"y": np.array([-3, -3, -5, -1]), "numbers": np.arange(8)})


main()
