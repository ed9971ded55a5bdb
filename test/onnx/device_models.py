"""Well-known networks at their real widths, with seeded weights; made with onnx.helper alone.

They are what devices are tested with. Sizes are small: on an emulated device every
thread costs a processor's time.
"""

import numpy as np
from onnx import TensorProto as T
from onnx import numpy_helper

from small_models import Graph, SmallModel, normal


def mobilenet_v2():
    """MobileNetV2 at width 1.0 (https://arxiv.org/abs/1801.04381), batch normalization folded away."""
    g = Graph(11)

    def conv(x, inputs, outputs, kernel=1, stride=1, group=1, clip=True):
        fan_in = inputs // group * kernel * kernel
        weight = g.weight(outputs, inputs // group, kernel, kernel, scale=(2 / fan_in) ** 0.5)
        x = g.add("Conv", x, weight, g.weight(outputs, scale=0.1), kernel_shape=[kernel] * 2, group=group,
                  strides=[stride] * 2, pads=[kernel // 2] * 4)
        return g.add("Clip", x, zero, six) if clip else x

    zero, six = g.constant(np.float32(0)), g.constant(np.float32(6))
    x, channels = conv("x", 3, 32, 3, 2), 32
    for expansion, outputs, count, first_stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                    (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            stride, inner = first_stride if i == 0 else 1, channels * expansion
            y = conv(x, channels, inner) if expansion > 1 else x
            y = conv(conv(y, inner, inner, 3, stride, inner), inner, outputs, clip=False)
            x = g.add("Add", x, y) if stride == 1 and channels == outputs else y
            channels = outputs
    x = g.add("Flatten", g.add("GlobalAveragePool", conv(x, channels, 1280)), axis=1)
    g.add("Gemm", x, g.weight(1000, 1280), g.weight(1000, scale=0.1), transB=1, out=["y"])
    model = g.finish([("x", ["N", 3, "H", "W"])], [("y", ["N", 1000])])
    return SmallModel("mobilenet_v2", model, [(1, 64, 64)], lambda n, hh, w: {"x": normal(n, 3, hh, w)})


def bert_tiny():
    """Two encoder blocks of BERT (https://arxiv.org/abs/1810.04805) at width 128, 2 heads, inner width 512."""
    g, width, heads, inner = Graph(12), 128, 2, 512
    head = width // heads
    split_shape = g.constant(np.array([0, 0, heads, head], np.int64))
    joined_shape = g.constant(np.array([0, 0, width], np.int64))

    def linear(x, inputs, outputs):
        return g.add("Add", g.add("MatMul", x, g.weight(inputs, outputs)), g.weight(outputs, scale=0.1))

    def norm(x):
        return g.add("LayerNormalization", x, g.constant(np.ones(width, np.float32)), g.weight(width, scale=0.1),
                     axis=-1, epsilon=1e-12)

    def split(x, perm):
        return g.add("Transpose", g.add("Reshape", linear(x, width, width), split_shape), perm=perm)

    positions = g.add("Slice", g.weight(512, width, scale=0.5), g.constant(np.array([0], np.int64)),
                      g.add("Shape", "input_ids", start=1, end=2), g.constant(np.array([0], np.int64)))
    x = norm(g.add("Add", g.add("Gather", g.weight(30522, width, scale=0.5), "input_ids", axis=0), positions))
    mask = g.add("Unsqueeze", g.add("Cast", "attention_mask", to=T.FLOAT), g.constant(np.array([1, 2], np.int64)))
    mask = g.add("Mul", g.add("Sub", g.constant(np.float32(1)), mask), g.constant(np.float32(-3e38)))
    for _ in range(2):
        query, key, value = split(x, [0, 2, 1, 3]), split(x, [0, 2, 3, 1]), split(x, [0, 2, 1, 3])
        scores = g.add("Mul", g.add("MatMul", query, key), g.constant(np.float32(head ** -0.5)))
        weights = g.add("Softmax", g.add("Add", scores, mask), axis=-1)
        mixed = g.add("Transpose", g.add("MatMul", weights, value), perm=[0, 2, 1, 3])
        x = norm(g.add("Add", x, linear(g.add("Reshape", mixed, joined_shape), width, width)))
        y = linear(x, width, inner)
        half = g.add("Add", g.add("Erf", g.add("Mul", y, g.constant(np.float32(0.5 ** 0.5)))), g.constant(np.float32(1)))
        y = g.add("Mul", g.add("Mul", y, half), g.constant(np.float32(0.5)))
        x = norm(g.add("Add", x, linear(y, inner, width)))
    g.add("Identity", x, out=["y"])

    def inputs(n, s):
        random = np.random.default_rng(n * 1000 + s)
        mask = (np.arange(s)[None, :] < s - np.arange(n)[:, None] * (s // 2)).astype(np.int64)
        return {"input_ids": random.integers(0, 30522, (n, s)), "attention_mask": mask}

    model = g.finish([("input_ids", ["N", "S"], T.INT64), ("attention_mask", ["N", "S"], T.INT64)],
                     [("y", ["N", "S", width])])
    return SmallModel("bert_tiny", model, [(1, 17), (2, 8)], inputs)


def bert_half():
    """The same in f16: its products are computed on tensor cores."""
    small = bert_tiny()
    half = small.model
    for tensor in half.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(numpy_helper.from_array(np.clip(array, -6e4, 6e4).astype(np.float16), tensor.name))
    for node in half.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == T.FLOAT:
                attribute.i = T.FLOAT16
    half.graph.output[0].type.tensor_type.elem_type = T.FLOAT16
    return SmallModel("bert_half", half, [(1, 32), (2, 24)], small.inputs)


def mmoe():
    """Multi-gate mixture of experts (KDD 2018): 100 inputs, 8 experts of 16, 2 tasks with towers of 8."""
    g = Graph(13)
    axis, last = g.constant(np.array([1], np.int64)), g.constant(np.array([-1], np.int64))

    def linear(x, inputs, outputs):
        return g.add("Gemm", x, g.weight(outputs, inputs), g.weight(outputs, scale=0.1), transB=1)

    answers = [g.add("Unsqueeze", g.add("Relu", linear("x", 100, 16)), axis) for _ in range(8)]
    experts = g.add("Concat", *answers, axis=1)
    for task in range(2):
        gate = g.add("Unsqueeze", g.add("Softmax", g.add("MatMul", "x", g.weight(100, 8)), axis=-1), last)
        mixed = g.add("ReduceSum", g.add("Mul", experts, gate), axis, keepdims=0)
        g.add("Identity", linear(g.add("Relu", linear(mixed, 16, 8)), 8, 1), out=[f"y{task}"])
    model = g.finish([("x", ["N", 100])], [("y0", ["N", 1]), ("y1", ["N", 1])])
    return SmallModel("mmoe", model, [(1,), (5,)], lambda n: {"x": normal(n, 100)})


def lstm_nn():
    """Ten LSTMs of width 256, one over the other; the last state of the last."""
    g, size, x = Graph(14), 256, "x"
    for _ in range(10):
        y = g.add("LSTM", x, g.weight(1, 4 * size, size, scale=size ** -0.5), g.weight(1, 4 * size, size, scale=size ** -0.5),
                  g.weight(1, 8 * size, scale=0.1), hidden_size=size, results=3)
        x = g.add("Squeeze", y[0], g.constant(np.array([1], np.int64)))
    g.add("Gather", x, g.constant(np.array(-1, np.int64)), axis=0, out=["y"])
    model = g.finish([("x", ["T", "N", size])], [("y", ["N", size])])
    return SmallModel("lstm_nn", model, [(3, 1)], lambda t, n: {"x": normal(t, n, size)})


ALL = [mmoe, bert_tiny, bert_half, mobilenet_v2, lstm_nn]
