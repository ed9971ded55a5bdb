# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes colours.onnx, which names the colours of an image, and stripes.ppm, an image.

The model takes f32[1,3,height,width] from 0 to 1 and gives the share of each colour, f32[1,8]. A pixel is nearest to the
colour c where 2 c.x - c.c is largest: a convolution of 1x1.
"""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

colours = np.array(list(itertools.product([0, 1], repeat=3)), np.float32)
sharpness = 40
nodes = [helper.make_node("Conv", ["image", "weight", "bias"], ["score"]),
         helper.make_node("Softmax", ["score"], ["nearest"], axis=1),
         helper.make_node("GlobalAveragePool", ["nearest"], ["mean"]),
         helper.make_node("Flatten", ["mean"], ["share"])]
constants = [numpy_helper.from_array(2 * sharpness * colours.reshape(8, 3, 1, 1), "weight"),
             numpy_helper.from_array(-sharpness * (colours ** 2).sum(1), "bias")]
image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, "height", "width"])
share = helper.make_tensor_value_info("share", TensorProto.FLOAT, [1, 8])
graph = helper.make_graph(nodes, "colours", [image], [share], constants)
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "colours.onnx")

stripes = np.zeros((48, 64, 3), np.uint8)
stripes[:, :32] = 230, 20, 30
stripes[:, 32:52] = 10, 40, 220
stripes[:, 52:] = 250, 240, 10
with open("stripes.ppm", "wb") as file:
    file.write(b"P6\n64 48\n255\n" + stripes.tobytes())
