# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Draws an image and reads its text with a package that is written for ONNX Runtime."""

import numpy as np
import tssa
from PIL import Image, ImageDraw, ImageFont

tssa.use_as_onnxruntime()  # before the first import of onnxruntime

from rapidocr_onnxruntime import RapidOCR  # noqa: E402 pylint: disable=wrong-import-position

page = Image.new("RGB", (480, 200), "white")
draw = ImageDraw.Draw(page)
font = ImageFont.load_default(size=36)
draw.text((20, 20), "Invoice", "black", font)
draw.text((300, 20), "2026-117", "darkred", font)
draw.text((20, 120), "Total:", "black", font)
draw.text((300, 120), "48.50", "navy", font)

# A model finds the lines, another their direction, a third reads them: three sessions, for images of any size.
lines, _ = RapidOCR()(np.array(page))
for (left, top), text, score in ((corners[0], text, score) for corners, text, score in lines):
    print(f"{text:<10} at {left:3.0f}, {top:3.0f}, sure: {score > 0.9}")
