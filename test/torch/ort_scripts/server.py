# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A server: requires a version, runs requests in a pool of threads, and others without waiting for them."""

import concurrent.futures
import importlib.util
import threading

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

if importlib.util.find_spec("onnxruntime") is None or tuple(map(int, ort.__version__.split(".")[:2])) < (1, 16):
    raise ImportError("this server needs onnxruntime >= 1.16")

graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["y"])], "layer",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 2])],
    [numpy_helper.from_array(np.arange(8, dtype=np.float32).reshape(4, 2), "w")])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
options = ort.SessionOptions()
options.intra_op_num_threads = 2
session = ort.InferenceSession(model.SerializeToString(), options, providers=ort.get_available_providers())


def handle(number):
    try:
        return session.run(["y"], {"x": np.full((number % 3 + 1, 4 + number // 6), number, np.float32)})[0].sum(axis=0).tolist()
    except InvalidArgument:
        return "400 Bad Request"


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for answer in pool.map(handle, range(8)):
        print(answer)


class Request:
    def __init__(self):
        self.done = threading.Event()
        self.results = self.error = None


def finish(results, request, error):
    request.results, request.error = results, error
    request.done.set()


requests = [Request() for _ in range(3)]
for number, request in enumerate(requests):
    session.run_async(["y"], {"x": np.full((1, 4 - number // 2), number, np.float32)}, finish, request)
for request in requests:
    print(request.done.wait(60), [result.tolist() for result in request.results], bool(request.error))

# Prints:
# [0.0, 0.0]
# [24.0, 32.0]
# [72.0, 96.0]
# [36.0, 48.0]
# [96.0, 128.0]
# [180.0, 240.0]
# 400 Bad Request
# 400 Bad Request
# True [[[0.0, 0.0]]] False
# True [[[12.0, 16.0]]] False
# True [] True
