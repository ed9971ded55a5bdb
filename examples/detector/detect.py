# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Draws an image, finds the discs in it, and writes it with a frame around each as found.png."""

import numpy as np
import tssa
from PIL import Image, ImageDraw

NAMES = ["red", "green", "blue"]
image = Image.new("RGB", (320, 200), "lightgrey")
draw = ImageDraw.Draw(image)
for left, top, colour in ((40, 40, "red"), (200, 30, "blue"), (66, 120, "lime"), (240, 130, "red"), (150, 90, "black")):
    draw.ellipse((left, top, left + 31, top + 31), colour)
draw.rectangle((280, 20, 310, 24), "red")  # no disc

session = tssa.InferenceSession("detector.onnx")
pixels = np.asarray(image, np.float32).transpose(2, 0, 1)[None] / 255
boxes, scores, classes = session.run(["boxes", "scores", "classes"], {"image": pixels})
for box, score, kind in zip(boxes, scores, classes):
    print(f"{NAMES[kind]:<6} {score:.2f}  from {box[0]:.0f}, {box[1]:.0f} to {box[2]:.0f}, {box[3]:.0f}")
    draw.rectangle([float(edge) for edge in box], outline="black")
image.save("found.png")
