# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Computes embeddings of sentences of several lengths with their masks, and compares the sentences."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
WORDS = "[PAD] the a cat dog sleeps runs on in mat park stock price falls".split()


def make_model():
    rng = np.random.default_rng(2)
    weights = {"table": rng.normal(size=(len(WORDS), 24)), "kinds": rng.normal(size=(2, 24)) * 0.1,
               "w": rng.normal(size=(24, 24)), "scale": np.ones(24), "bias": np.zeros(24)}
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["words"]),
             helper.make_node("Gather", ["kinds", "token_type_ids"], ["kind"]),
             helper.make_node("Add", ["words", "kind"], ["sum"]),
             helper.make_node("LayerNormalization", ["sum", "scale", "bias"], ["normal"]),
             helper.make_node("MatMul", ["normal", "w"], ["product"]),
             helper.make_node("Tanh", ["product"], ["active"]),
             helper.make_node("Cast", ["attention_mask"], ["mask"], to=FLOAT),
             helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
             helper.make_node("Mul", ["active", "column"], ["last_hidden_state"])]
    graph = helper.make_graph(
        nodes, "embeddings",
        [helper.make_tensor_value_info(name, INT64, ["batch", "length"])
         for name in ("input_ids", "attention_mask", "token_type_ids")],
        [helper.make_tensor_value_info("last_hidden_state", FLOAT, ["batch", "length", 24])],
        [*(numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()),
         numpy_helper.from_array(np.array([-1]), "last")])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()


def tokenize(sentences):
    rows = [[WORDS.index(word) for word in sentence.split()] for sentence in sentences]
    length = max(map(len, rows))
    ids = np.array([row + [0] * (length - len(row)) for row in rows])
    return {"input_ids": ids, "attention_mask": (ids != 0).astype(np.int64), "token_type_ids": np.zeros_like(ids)}


options = ort.SessionOptions()
options.add_session_config_entry("session.set_denormal_as_zero", "0")
options.add_session_config_entry("session.disable_prepacking", "1")
options.enable_mem_pattern = False
options.enable_cpu_mem_arena = False
options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
session = ort.InferenceSession(make_model(), sess_options=options, providers=["CPUExecutionProvider"])
feed = tokenize(["the cat sleeps on the mat", "a dog runs in the park", "the cat sleeps", "stock price falls"])
feed = {port.name: feed[port.name] for port in session.get_inputs()}
hidden = session.run(None, feed)[0]
weights = feed["attention_mask"][:, :, None].astype(np.float32)
pooled = (hidden * weights).sum(axis=1) / np.clip(weights.sum(axis=1), 1e-9, None)
unit = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
print(unit.shape, unit.dtype)
for row in unit @ unit.T:
    print([round(float(value), 3) + 0.0 for value in row])

# Prints:
# (4, 24) float32
# [1.0, 0.646, 0.89, 0.05]
# [0.646, 1.0, 0.706, 0.408]
# [0.89, 0.706, 1.0, 0.206]
# [0.05, 0.408, 0.206, 1.0]
