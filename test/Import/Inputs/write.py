"""Writes models that are wrong in ways ONNX's text form cannot say.

usage: write.py KIND MODEL.onnx
"""

import sys

import onnx
from onnx import TensorProto, helper

X = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
Y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])


def model(nodes, inputs=(X,), outputs=(Y,), initializers=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def unsorted():
    return model([helper.make_node("Neg", ["a"], ["y"]), helper.make_node("Abs", ["x"], ["a"])])


def cycle():
    return model([helper.make_node("Add", ["x", "b"], ["a"], "first"), helper.make_node("Neg", ["a"], ["b"], "second"),
                  helper.make_node("Neg", ["b"], ["y"], "third")])


def several():
    odd = helper.make_tensor_value_info("z", TensorProto.COMPLEX64, [2])
    return model([helper.make_node("Frobnicate", ["x"], ["t"], "one"), helper.make_node("Twiddle", ["t"], ["u"], "two"),
                  helper.make_node("Twiddle", ["u"], ["y"], "three")], [X, odd])


def skipped():
    return model([helper.make_node("Mean", [""], ["y"])])


def short():
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2], bytes(8), raw=True)
    weight.raw_data = bytes(4)
    return model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[weight])


with open(sys.argv[2], "wb") as file:
    file.write({"unsorted": unsorted, "cycle": cycle, "several": several, "short": short, "skipped": skipped}
               [sys.argv[1]]().SerializeToString())
