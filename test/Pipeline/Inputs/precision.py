"""Writes a model of two matrix products with inputs, and what it gives with each precision.

usage: precision.py FOLDER

y = relu(x w1 + b) w2 + x, where both factors of each product are rounded. The casts model does the
same to bf16 by Cast nodes of its own.
"""

import os
import sys

import ml_dtypes
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

ROWS, COLUMNS, HIDDEN = 128, 128, 256


def to_tf32(x):
    return ((x.view(numpy.uint32) + 0x1000) & 0xFFFFE000).view(numpy.float32)


ROUND = {"f32": lambda x: x,
         "f16": lambda x: x.astype(numpy.float16).astype(numpy.float32),
         "bf16": lambda x: x.astype(ml_dtypes.bfloat16).astype(numpy.float32),
         "tf32": to_tf32}


def evaluate(x, w1, b, w2, round_factor):
    def multiply(lhs, rhs):
        return (round_factor(lhs).astype(float) @ round_factor(rhs).astype(float)).astype(numpy.float32)
    return multiply(numpy.maximum(multiply(x, w1) + b, 0), w2) + x


def write_model(path, weights, casts):
    nodes = []

    def rounded(name):
        if not casts:
            return name
        nodes.append(helper.make_node("Cast", [name], [name + "_narrow"], to=TensorProto.BFLOAT16))
        nodes.append(helper.make_node("Cast", [name + "_narrow"], [name + "_wide"], to=TensorProto.FLOAT))
        return name + "_wide"

    def add(op, inputs, output):
        nodes.append(helper.make_node(op, inputs, [output], name=output))

    add("MatMul", [rounded("x"), rounded("w1")], "product1")
    add("Add", ["product1", "b"], "sum")
    add("Relu", ["sum"], "h")
    add("MatMul", [rounded("h"), rounded("w2")], "product2")
    add("Add", ["product2", "x"], "y")
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [ROWS, COLUMNS]) for name in "xy"]
    graph = helper.make_graph(nodes, "two-products", ports[:1], ports[1:],
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    random = numpy.random.default_rng(1)
    x, w1, b, w2 = [random.standard_normal(shape).astype(numpy.float32)
                    for shape in ((ROWS, COLUMNS), (COLUMNS, HIDDEN), (HIDDEN,), (HIDDEN, COLUMNS))]
    for name, casts in ("model", False), ("casts", True):
        write_model(os.path.join(folder, name + ".onnx"), {"w1": w1, "b": b, "w2": w2}, casts)
    numpy.savez(os.path.join(folder, "in.npz"), x=x)
    for precision, round_factor in ROUND.items():
        numpy.savez(os.path.join(folder, precision + ".npz"), y=evaluate(x, w1, b, w2, round_factor))


main(sys.argv[1])
