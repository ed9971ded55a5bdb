"""Writes models whose nodes are of domains that opset_import does not name: missing_imports.py DIR"""

import sys

import onnx
from onnx import TensorProto, helper

MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def gelu(given, made):
    return helper.make_node("Gelu", [given], [made], f"gelu_{made}", domain=MICROSOFT)


def scaler(given, made):
    return helper.make_node("Scaler", [given], [made], f"scaler_{made}", domain=ML, offset=[1.0], scale=[2.0])


def branch(node):
    return helper.make_graph([node], "branch", [], [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, [2])])


MODELS = {
    "gelus": [gelu("x", "a"), gelu("a", "y")],
    "scalers": [scaler("x", "a"), scaler("a", "y")],
    "both": [scaler("x", "a"), gelu("a", "b"), scaler("b", "y")],
    "branches": [helper.make_node("If", ["c"], ["y"], "choice", then_branch=branch(gelu("x", "t")),
                                  else_branch=branch(scaler("x", "e")))],
    "other": [helper.make_node("Gelu", ["x"], ["y"], "gelu", domain="com.example")],
}
for name, nodes in MODELS.items():
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])]
    if name == "branches":
        inputs.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    graph = helper.make_graph(nodes, name, inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10),
              f"{sys.argv[1]}/{name}.onnx")
