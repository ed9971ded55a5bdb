"""Writes models whose products are merged with other operations, with inputs and results.

usage: precision_devices.py FOLDER
"""

import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

RANDOM = numpy.random.default_rng(1)


def draw(*shape):
    return (RANDOM.standard_normal(shape) / 4).astype(numpy.float32)


def gemm():
    return ([helper.make_node("Gemm", ["x", "w", "b"], ["s"]), helper.make_node("Relu", ["s"], ["y"])],
            {"x": draw(64, 64)}, {"w": draw(64, 96), "b": draw(96)})


def batched():
    return [helper.make_node("MatMul", ["x", "z"], ["y"])], {"x": draw(3, 48, 64), "z": draw(3, 64, 32)}, {}


def attention():
    """Four heads of 32 columns, whose queries, keys and values are one product."""
    weights = {"w": draw(128, 384), "o": draw(128, 128), "scale": numpy.float32(0.2),
               "heads": numpy.array([1, 64, 12, 32]), "together": numpy.array([1, 64, 128])}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]),
             helper.make_node("Reshape", ["p", "heads"], ["r"]),
             helper.make_node("Transpose", ["r"], ["t"], perm=[0, 2, 1, 3]),
             helper.make_node("Split", ["t"], ["q", "k", "v"], axis=1, num_outputs=3),
             helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
             helper.make_node("MatMul", ["q", "kt"], ["scores"]),
             helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
             helper.make_node("Softmax", ["scaled"], ["weights"], axis=-1),
             helper.make_node("MatMul", ["weights", "v"], ["a"]),
             helper.make_node("Transpose", ["a"], ["b"], perm=[0, 2, 1, 3]),
             helper.make_node("Reshape", ["b", "together"], ["c"]),
             helper.make_node("MatMul", ["c", "o"], ["d"]),
             helper.make_node("Add", ["d", "x"], ["y"])]
    return nodes, {"x": draw(1, 64, 128)}, weights


def convolutions():
    weights = {"v": draw(32, 16, 3, 3), "w": draw(32, 32, 3, 3), "scale": draw(32), "shift": draw(32), "mean": draw(32),
               "variance": numpy.abs(draw(32)) + 1}
    nodes = [helper.make_node("Conv", ["x", "v"], ["m"], pads=[1] * 4),
             helper.make_node("BatchNormalization", ["m", "scale", "shift", "mean", "variance"], ["n"]),
             helper.make_node("Relu", ["n"], ["r"]),
             helper.make_node("Conv", ["r", "w"], ["c"], pads=[1] * 4),
             helper.make_node("Relu", ["c"], ["y"])]
    return nodes, {"x": draw(1, 16, 12, 12)}, weights


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for make in gemm, batched, attention, convolutions:
        nodes, inputs, weights = make()
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in inputs.items()]
        result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph(nodes, make.__name__, ports, [result],
                                  [numpy_helper.from_array(numpy.asarray(array), name) for name, array in weights.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        path = os.path.join(folder, make.__name__)
        onnx.save(model, path + ".onnx")
        numpy.savez(path + "-in.npz", **inputs)
        numpy.savez(path + "-out.npz", y=ReferenceEvaluator(model).run(None, inputs)[0])


main(sys.argv[1])
