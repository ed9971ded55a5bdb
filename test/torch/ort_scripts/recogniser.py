# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads lines of text: the model's metadata has the characters, and the decoder merges repetitions."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

CHARACTERS = "0123456789abcdefghij"


class Recogniser:
    def __init__(self, content):
        self.session = ort.InferenceSession(content, providers=["CPUExecutionProvider"])
        entries = self.session.get_modelmeta().custom_metadata_map
        self.characters = ["blank"] + entries["character"].splitlines() + [" "]
        self.shape = [int(size) for size in entries["shape"].split(",")]
        self.input = self.session.get_inputs()[0].name

    def __call__(self, images):
        probabilities = self.session.run(None, {self.input: np.stack([self.resize(image) for image in images])})[0]
        return [self.decode(line) for line in probabilities]

    def resize(self, image):
        """Pads an image to the width of the model."""
        padded = np.zeros(self.shape, np.float32)
        padded[:, :, :image.shape[2]] = image
        return padded

    def decode(self, probabilities):
        indexes, scores = probabilities.argmax(axis=1), probabilities.max(axis=1)
        kept = np.append(True, indexes[1:] != indexes[:-1]) & (indexes != 0)
        return "".join(self.characters[i] for i in indexes[kept]), round(float(scores[kept].mean()), 3)


def make_model():
    rng = np.random.default_rng(5)
    weights = {"w1": rng.normal(size=(12, 1, 3, 3)), "w2": rng.normal(size=(24, 22)) * 2}
    nodes = [helper.make_node("Conv", ["x", "w1"], ["c"], pads=[1, 1, 1, 1], strides=[4, 2]),
             helper.make_node("HardSwish", ["c"], ["h"]),
             helper.make_node("Transpose", ["h"], ["t"], perm=[0, 3, 1, 2]),
             helper.make_node("Reshape", ["t", "shape"], ["r"]),
             helper.make_node("MatMul", ["r", "w2"], ["logits"]),
             helper.make_node("Softmax", ["logits"], ["y"], axis=2)]
    graph = helper.make_graph(
        nodes, "recogniser", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["lines", 1, 8, 32])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["lines", 16, 22])],
        [*(numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()),
         numpy_helper.from_array(np.array([0, 16, -1]), "shape")])
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
    helper.set_model_props(model, {"character": "\n".join(CHARACTERS), "shape": "1,8,32"})
    return model.SerializeToString()


recognise = Recogniser(make_model())
lines = np.random.default_rng(6)
for text, score in recognise([lines.uniform(size=(1, 8, width)).astype(np.float32) for width in (10, 32, 21)]):
    print(text, score)
print(len(recognise.characters))

# Prints:
# 8d89 0.547
# 8d58885d8 0.534
# 85858585 0.728
# 22
