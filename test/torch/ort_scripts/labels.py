# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A classifier as converters of scikit-learn make it with their defaults: labels that are strings, and ZipMap."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

NAMES = ["setosa", "virginica", "versicolor"]
DOMAIN = "ai.onnx.ml"
# Two trees. The first one splits the first feature at 5, the second one the other feature at 3.
trees = helper.make_node(
    "TreeEnsembleClassifier", ["features"], ["chosen", "probabilities"], domain=DOMAIN, classlabels_strings=NAMES,
    nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2], nodes_featureids=[0, 0, 0, 1, 0, 0],
    nodes_values=[5.0, 0, 0, 3.0, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
    nodes_truenodeids=[1, 0, 0] * 2, nodes_falsenodeids=[2, 0, 0] * 2, class_treeids=[0, 0, 0, 0, 1, 1, 1],
    class_nodeids=[1, 1, 2, 2, 1, 2, 2], class_ids=[0, 1, 1, 2, 2, 0, 1],
    class_weights=[0.375, 0.125, 0.25, 0.25, 0.5, 0.125, 0.375], post_transform="NONE")
label = helper.make_node("Cast", ["chosen"], ["label"], to=TensorProto.STRING)
maps = helper.make_node("ZipMap", ["probabilities"], ["probability"], domain=DOMAIN, classlabels_strings=NAMES)
of_maps = helper.make_sequence_type_proto(helper.make_map_type_proto(
    TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))
graph = helper.make_graph(
    [trees, label, maps], "classifier", [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", 2])],
    [helper.make_tensor_value_info("label", TensorProto.STRING, ["n"]), helper.make_value_info("probability", of_maps)])
model = helper.make_model(graph, ir_version=10,
                          opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 3)])

session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
for port in session.get_outputs():
    print(port.name, port.type, port.shape)
features = np.array([[4, 2], [6, 2], [4, 4], [6, 4]], np.float32)
labels, probabilities = session.run(None, {"features": features})
print(type(labels).__name__, labels.dtype, labels.shape, labels.tolist())
for row in probabilities:
    print(row)
print(session.run(["probability"], {"features": features[:1]})[0][0]["setosa"])
empty = session.run(None, {"features": features[:0]})
print(empty[0].shape, empty[1])

values = session.run_with_ort_values(None, {"features": ort.OrtValue.ortvalue_from_numpy(features)})
for value in values:
    print(value.data_type(), value.is_tensor(), value.is_tensor_sequence(), value.has_value())
print(values[0].shape(), values[0].element_type(), values[0].numpy().tolist())

# Prints:
# label tensor(string) ['n']
# probability seq(map(string,tensor(float))) []
# ndarray object (4,) ['versicolor', 'versicolor', 'setosa', 'virginica']
# {'setosa': 0.375, 'versicolor': 0.5, 'virginica': 0.125}
# {'setosa': 0.0, 'versicolor': 0.75, 'virginica': 0.25}
# {'setosa': 0.5, 'versicolor': 0.0, 'virginica': 0.5}
# {'setosa': 0.125, 'versicolor': 0.25, 'virginica': 0.625}
# 0.375
# (0,) []
# tensor(string) True False True
# seq(map(string,tensor(float))) False False True
# [4] 8 ['versicolor', 'versicolor', 'setosa', 'virginica']
