# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Translates with an encoder and a decoder: each step feeds the decoder all tokens so far."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
WORDS, WIDTH, BEGIN, END = 17, 16, 1, 2
OPSET = [helper.make_opsetid("", 17)]


def make_session(nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "part", inputs, outputs, [numpy_helper.from_array(v, name) for name, v in weights.items()])
    model = helper.make_model(graph, ir_version=10, opset_imports=OPSET)
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def make_encoder(rng):
    weights = {"table": rng.normal(size=(WORDS, WIDTH)).astype(np.float32),
               "w": rng.normal(size=(WIDTH, WIDTH)).astype(np.float32)}
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
             helper.make_node("MatMul", ["embedded", "w"], ["product"]),
             helper.make_node("Tanh", ["product"], ["hidden"])]
    return make_session(nodes, [helper.make_tensor_value_info("input_ids", INT64, ["batch", "source"])],
                        [helper.make_tensor_value_info("hidden", FLOAT, ["batch", "source", WIDTH])], weights)


def make_decoder(rng):
    weights = {"table": rng.normal(size=(WORDS, WIDTH)).astype(np.float32),
               "out": rng.normal(size=(WIDTH, WORDS)).astype(np.float32), "scale": np.array(0.25, np.float32),
               "last": np.array(-1)}
    nodes = [helper.make_node("Gather", ["table", "tokens"], ["query"]),
             helper.make_node("Transpose", ["hidden"], ["keys"], perm=[0, 2, 1]),
             helper.make_node("MatMul", ["query", "keys"], ["scores"]),
             helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
             helper.make_node("Softmax", ["scaled"], ["attention"], axis=-1),
             helper.make_node("MatMul", ["attention", "hidden"], ["context"]),
             helper.make_node("Add", ["context", "query"], ["mixed"]),
             helper.make_node("CumSum", ["mixed", "one"], ["summed"]),
             helper.make_node("Gather", ["summed", "last"], ["state"], axis=1),
             helper.make_node("MatMul", ["state", "out"], ["logits"])]
    return make_session(nodes, [helper.make_tensor_value_info("tokens", INT64, ["batch", "target"]),
                                helper.make_tensor_value_info("hidden", FLOAT, ["batch", "source", WIDTH])],
                        [helper.make_tensor_value_info("logits", FLOAT, ["batch", WORDS])], {**weights, "one": np.array(1)})


random = np.random.default_rng(11)
encoder, decoder = make_encoder(random), make_decoder(random)
for sentence in ([5, 3, 9], [4, 8, 15, 16, 6, 7], [12]):
    hidden, = encoder.run(None, {"input_ids": np.array([sentence])})
    tokens = np.array([[BEGIN]])
    total = 0.0
    while tokens.shape[1] < 9 and tokens[0, -1] != END:
        logits, = decoder.run(["logits"], {"tokens": tokens, "hidden": hidden})
        total += float(logits.max())
        tokens = np.concatenate([tokens, logits.argmax(axis=-1)[:, None]], axis=1)
    print(tokens[0].tolist(), round(total, 1))

# Prints:
# [1, 5, 12, 12, 12, 5, 12, 12, 12] 259.9
# [1, 10, 10, 10, 11, 11, 10, 11, 11] 244.3
# [1, 10, 10, 10, 10, 10, 10, 10, 10] 401.0
