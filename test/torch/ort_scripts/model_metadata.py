# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads what a model says of itself."""

import onnxruntime as ort
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Abs", ["x"], ["y"])], "absolute", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])], doc_string="The graph: |x|.")
opset = [helper.make_opsetid("", 17)]
named = helper.make_model(graph, ir_version=10, opset_imports=opset, producer_name="a trainer", producer_version="3",
                          domain="org.example", model_version=12, doc_string="Sizes of numbers, größer als null.")
helper.set_model_props(named, {"labels": "cat,dog", "empty": ""})
plain = helper.make_model(graph, ir_version=10, opset_imports=opset)

for model in (named, plain):
    meta = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).get_modelmeta()
    print([meta.producer_name, meta.domain, meta.version, meta.description])
    print([meta.graph_name, meta.graph_description, sorted(meta.custom_metadata_map.items())])

# Prints:
# ['a trainer', 'org.example', 12, 'Sizes of numbers, größer als null.']
# ['absolute', 'The graph: |x|.', [('empty', ''), ('labels', 'cat,dog')]]
# ['', '', 9223372036854775807, '']
# ['absolute', 'The graph: |x|.', []]
