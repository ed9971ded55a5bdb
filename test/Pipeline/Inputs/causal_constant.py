"""Writes causal attention of 512 keys whose mask is a constant: of -inf, or of bool.

usage: causal_constant.py added|selected MODEL.onnx
"""

import sys

import numpy
import onnx
from onnx import helper, numpy_helper

isAdded = sys.argv[1] == "added"
later = numpy.triu(numpy.ones((512, 512), bool), 1)
mask = numpy.where(later, -numpy.inf, 0).astype(numpy.float32) if isAdded else ~later
constants = [numpy_helper.from_array(mask, "mask"), numpy_helper.from_array(numpy.float32(-numpy.inf), "low")]
nodes = [helper.make_node("Transpose", ["k"], ["t"], perm=[0, 2, 1]), helper.make_node("MatMul", ["q", "t"], ["p"]),
         helper.make_node("Add", ["p", "mask"], ["s"]) if isAdded else
         helper.make_node("Where", ["mask", "p", "low"], ["s"]),
         helper.make_node("Softmax", ["s"], ["w"]), helper.make_node("MatMul", ["w", "v"], ["o"])]
ports = {name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 512, size])
         for name, size in (("q", 16), ("k", 16), ("v", 24), ("o", 24))}
graph = helper.make_graph(nodes, "g", [ports["q"], ports["k"], ports["v"]], [ports["o"]], constants)
onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]), sys.argv[2])
