# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a thousand images of 32x32 pixels to the folder images, and brightness.onnx, which says how bright an image is.

image u8[count,32,32,3] -> brightness f32[count] from 0 to 1.
"""

import os

import numpy as np
from onnx import numpy_helper, parser, save
from PIL import Image

model = parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
brightness (uint8[count, 32, 32, 3] image) => (float[count] brightness) {
  pixels = Cast <to = 1> (image)
  luma = MatMul (pixels, weight)
  brightness = ReduceMean <axes = [1, 2], keepdims = 0> (luma)
}""")
model.graph.initializer.append(numpy_helper.from_array(np.array([0.299, 0.587, 0.114], np.float32) / 255, "weight"))
save(model, "brightness.onnx")

os.makedirs("images", exist_ok=True)
for number in range(1000):
    pixels = np.full((32, 32, 3), number % 256, np.uint8)
    Image.fromarray(pixels).save(f"images/{number:04}.png")
