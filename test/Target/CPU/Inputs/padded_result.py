# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes a model of two convolutions, or gives the result of the first a border.

usage: padded_result.py MODEL.onnx
       padded_result.py SCHEDULES PADDED
"""

import re
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, SIZE = 64, 14


def make_model(path):
    """Of what the first convolution adds up, the second reads the sigmoid, which is one half of zero."""
    numbers = numpy.random.default_rng(0)
    constants = [numpy_helper.from_array((numbers.integers(-8, 9, shape) / 64).astype(numpy.float32), name)
                 for name, shape in (("v", (CHANNELS, CHANNELS, 1, 1)), ("b", (CHANNELS,)), ("w", (32, CHANNELS, 3, 3)))]
    nodes = [helper.make_node("Conv", ["x", "v", "b"], ["a"]), helper.make_node("Sigmoid", ["a"], ["s"]),
             helper.make_node("Conv", ["s", "w"], ["y"], pads=[1] * 4)]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, CHANNELS, SIZE, SIZE])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 32, SIZE, SIZE])
    onnx.save(helper.make_model(helper.make_graph(nodes, "borders", [x], [y], constants), ir_version=8,
                                opset_imports=[helper.make_opsetid("", 17)]), path)


def pad_result(path, padded):
    with open(path) as file:
        text = file.read()
    kernels = re.split(r"(?=^te\.kernel )", text, flags=re.M)
    first, second = (kernel for kernel in kernels if kernel.startswith("te.kernel @k") and " reduce (" in kernel)
    order, border = "map<reorder(0, 2, 3, 1)>", "map<pad(2, 1, 1), pad(3, 1, 1), reorder(0, 2, 3, 1)>"
    assert f"layout.store @contract as {order}" in first and f"layout.store 0 as {order}" in second
    for kernel, of in ((first, "@contract"), (second, "0")):
        text = text.replace(kernel, kernel.replace(f"layout.store {of} as {order}", f"layout.store {of} as {border}"))
    with open(padded, "w") as file:
        file.write(text)


if len(sys.argv) == 2:
    make_model(sys.argv[1])
else:
    pad_result(sys.argv[1], sys.argv[2])
