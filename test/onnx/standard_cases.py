"""Uses of standard operators that onnx's node tests lack, for contrib_tests.py."""

import numpy as np

from contrib_case import Case, Random

r = Random(3)
CASES = []


def add(op, inputs, outputs=(0,), constants=(), symbols=None, **attributes):
    number = sum(case.op == op for case in CASES)
    CASES.append(Case(op, inputs, attributes, outputs, f"#{number}", domain="", constants=constants, symbols=symbols or {},
                      verified=number < 2))


# Pools whose windows are longer than their padded inputs: one that lacks less than a stride still has a window.
for op in ("MaxPool", "AveragePool", "LpPool"):
    for length, kernel, stride, pads in ((3, 4, 2, (0, 0)), (3, 5, 3, (1, 0)), (3, 6, 2, (0, 2)), (3, 6, 2, (0, 0)), (5, 7, 4, (0, 1))):
        add(op, [r.normal(1, 2, length)], kernel_shape=[kernel], strides=[stride], pads=list(pads))
        add(op, [r.normal(1, 2, length)], kernel_shape=[kernel], strides=[stride], auto_pad="VALID" if kernel < 6 else "SAME_LOWER")
        add(op, [r.normal(1, 2, length, 6)], kernel_shape=[kernel, 2], strides=[stride, 1], pads=[pads[0], 0, pads[1], 0], ceil_mode=1)
    add(op, [r.normal(1, 2, 4)], kernel_shape=[3], strides=[2], dilations=[2])
    add(op, [r.normal(2, 1, 1, 9)], kernel_shape=[2, 2], strides=[2, 2], symbols={9: "W"})
add("MaxPool", [r.normal(1, 1, 6, 6)], (0, 1), kernel_shape=[7, 7], strides=[7, 7])
add("AveragePool", [r.normal(1, 1, 6, 6)], kernel_shape=[7, 7], strides=[7, 7])
add("AveragePool", [r.normal(1, 2, 3)], kernel_shape=[6], strides=[2], pads=[1, 1], count_include_pad=1)

# A result of one row or column: pytorch_half_pixel reads position 0.
for mode in ("cubic", "linear", "nearest"):
    for sizes in ((1, 2, 1, 6), (1, 2, 5, 1), (1, 2, 1, 1)):
        image = r.normal(1, 2, 4, 3)
        half = {"mode": mode, "coordinate_transformation_mode": "pytorch_half_pixel"}
        add("Resize", [image, None, None, np.asarray(sizes)], constants=(3,), **half)
        scales = np.asarray([size / given for size, given in zip(sizes, image.shape)], np.float32)
        add("Resize", [image, None, scales], constants=(2,), symbols={4: "H"}, **half)
