# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Sends a model that keeps its session to the workers of a pool."""

import multiprocessing

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper


class Model:
    """A session that can be pickled: a worker makes it anew."""

    def __init__(self, content):
        self.content = content
        self.session = ort.InferenceSession(content, providers=["CPUExecutionProvider"])

    def __getstate__(self):
        return self.content

    def __setstate__(self, content):
        self.__init__(content)

    def __call__(self, x):
        return self.session.run(None, {"x": x})[0]


def main():
    graph = helper.make_graph(
        [helper.make_node("CumSum", ["x", "axis"], ["y"])], "sums",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor("axis", TensorProto.INT64, [], [0])])
    model = Model(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    batches = [np.ones(size, np.float32) * size for size in range(1, 5)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for result in pool.map(model, batches):
            print(result.tolist())


if __name__ == "__main__":
    main()

# Prints:
# [1.0]
# [2.0, 4.0]
# [3.0, 6.0, 9.0]
# [4.0, 8.0, 12.0, 16.0]
