"""Random inputs of operators on regions of images and on signals; see random_nodes.py."""

import numpy as np

FLOAT = np.float32


def boxes(draw, count, height, width):
    """Corners x1, y1, x2, y2, some of them outside of the image."""
    rows = []
    for _ in range(count):
        x, y = sorted(draw.numpy.uniform(-2, width + 2, 2)), sorted(draw.numpy.uniform(-2, height + 2, 2))
        rows.append([x[0], y[0], x[1], y[1]])
    return np.array(rows, FLOAT)


def roi_align(draw):
    batch, channels, height, width = draw.shape(4)
    count = draw.int(1, 4)
    attributes = {"mode": draw.pick("avg", "max"), "output_height": draw.int(1, 3), "output_width": draw.int(1, 3),
                  "sampling_ratio": draw.int(0, 2), "spatial_scale": draw.pick(1.0, 0.5),
                  "coordinate_transformation_mode": draw.pick("half_pixel", "output_half_pixel")}
    return [draw.floats(batch, channels, height, width), boxes(draw, count, height, width),
            draw.ints(0, batch, [count])], attributes


def max_roi_pool(draw):
    batch, channels, height, width = draw.shape(4, 2)
    count = draw.int(1, 4)
    images = draw.ints(0, batch, [count, 1], FLOAT)
    corners = np.abs(np.round(boxes(draw, count, height, width)))
    return ([draw.floats(batch, channels, height, width), np.concatenate([images, corners], 1)],
            {"pooled_shape": draw.shape(2, 1, 3), "spatial_scale": draw.pick(1.0, 0.5)})


def deform_conv(draw):
    group, offset_group, channels = draw.pick((1, 1, 3), (2, 1, 4), (1, 2, 4), (2, 2, 4))
    outputs, batch, size, kernel = group * draw.int(1, 2), draw.int(1, 2), draw.shape(2, 4, 6), draw.shape(2, 1, 3)
    strides, pads = [draw.int(1, 2) for _ in range(2)], [draw.int(0, 1) for _ in range(4)]
    out = [(s + pads[i] + pads[i + 2] - k) // strides[i] + 1 for i, (s, k) in enumerate(zip(size, kernel))]
    taps = offset_group * kernel[0] * kernel[1]
    inputs = [draw.floats(batch, channels, *size), draw.floats(outputs, channels // group, *kernel),
              draw.floats(batch, 2 * taps, *out), draw.floats(outputs)]
    if draw.int(0, 1):
        inputs.append(draw.floats(batch, taps, *out))
    return inputs, {"group": group, "offset_group": offset_group, "strides": strides, "pads": pads,
                    "kernel_shape": kernel}


def dft(draw):
    rank = draw.int(2, 4)
    inverse, onesided = draw.int(0, 1), draw.int(0, 1)
    is_complex = inverse if onesided else draw.int(0, 1)
    x = draw.floats(*draw.shape(rank - 1, 2), 2 if is_complex else 1)
    length = np.array(draw.int(2, 8), np.int64) if draw.int(0, 1) else None
    return [x, length, np.array(draw.int(0, rank - 2), np.int64)], {"inverse": inverse, "onesided": onesided}


def stft(draw):
    length, step = draw.int(2, 6), draw.int(1, 3)
    onesided = draw.int(0, 1)
    signal = draw.floats(draw.int(1, 2), length + draw.int(0, 9), 1 if onesided else draw.int(1, 2))
    return ([signal, np.array(step, np.int64), np.abs(draw.floats(length)), np.array(length, np.int64)],
            {"onesided": onesided})


def tf_idf(draw):
    shape = draw.shape(draw.int(1, 2), 3, 8)
    return ([draw.ints(0, 4, shape, draw.pick(np.int32, np.int64))],
            {"mode": draw.pick("TF", "IDF", "TFIDF"), "min_gram_length": draw.int(1, 2), "max_gram_length": draw.int(2, 3),
             "max_skip_count": draw.int(0, 3), "ngram_counts": [0, 3, 9], "ngram_indexes": [1, 0, 2, 5, 4, 3, 6, 8],
             "pool_int64s": [0, 1, 2, 0, 1, 1, 1, 3, 2, 0, 1, 2, 3, 1, 0],
             "weights": [float(w) for w in draw.numpy.uniform(0.5, 2, 8)]})


OPERATORS = {"RoiAlign": (roi_align, 1), "MaxRoiPool": (max_roi_pool, 1), "DeformConv": (deform_conv, 1),
             "DFT": (dft, 1), "STFT": (stft, 1), "TfIdfVectorizer": (tf_idf, 1)}
