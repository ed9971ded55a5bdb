# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes detector.onnx, which finds red, green and blue discs of about 32 pixels in images of any size.

image f32[1,3,height,width] from 0 to 1 -> boxes f32[count,4] (left, top, right, bottom), scores f32[count], classes i64[count].
A convolution scores boxes at each fourth pixel: how much more of a colour there is in the disc than around it.
NonMaxSuppression keeps the best of those that overlap.
"""

import numpy as np
from onnx import checker, numpy_helper, parser, save

SIZE, STRIDE = 32, 4
model = parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
detector (float[1, 3, height, width] image) => (float[count, 4] boxes, float[count] scores, int64[count] classes) {
  grid = Conv <strides = [4, 4]> (image, weight)
  all_scores = Reshape (grid, as_rows)

  grid_shape = Shape (grid)
  ones = ConstantOfShape <value = float[1] {1}> (grid_shape)
  x = CumSum <exclusive = 1> (ones, axis_x)
  y = CumSum <exclusive = 1> (ones, axis_y)
  xy = Concat <axis = 1> (x, y)
  xyxy = Gather <axis = 1> (xy, channels)
  left_top = Mul (xyxy, stride)
  corners = Add (left_top, size)
  columns = Reshape (corners, as_rows)
  all_boxes = Transpose <perm = [0, 2, 1]> (columns)

  kept = NonMaxSuppression (all_boxes, all_scores, most_per_class, most_overlap, least_score)
  classes = Gather <axis = 1> (kept, one)
  box_of_kept = Gather <axis = 1> (kept, two)
  scores = GatherND (all_scores, kept)
  boxes_of_image = Squeeze (all_boxes, zero)
  boxes = Gather (boxes_of_image, box_of_kept)
}""")

y, x = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
disc = x ** 2 + y ** 2 <= (SIZE / 2) ** 2
pattern = np.where(disc, 1 / disc.sum(), -1 / (~disc).sum())
colours = 1.5 * np.eye(3) - 0.5
constants = {"weight": np.einsum("kc,yx->kcyx", colours, pattern).astype(np.float32), "as_rows": np.array([0, 0, -1]),
             "axis_x": np.array(3), "axis_y": np.array(2), "channels": np.array([0, 3, 0, 3]), "stride": np.float32(STRIDE),
             "size": np.array([0, 0, SIZE, SIZE], np.float32).reshape(1, 4, 1, 1), "most_per_class": np.array([100]),
             "most_overlap": np.array([0.3], np.float32), "least_score": np.array([0.6], np.float32),
             "zero": np.array([0]), "one": np.array(1), "two": np.array(2)}
model.graph.initializer.extend(numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items())
checker.check_model(model, full_check=True)
save(model, "detector.onnx")
