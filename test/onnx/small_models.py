"""Whole models, small, with sizes left open; made with onnx.helper alone.

Each builder gives a `SmallModel`: the ONNX model, seven size tuples, and a
function from a size tuple to inputs. Weights are seeded.
"""

import dataclasses
from typing import Callable, Dict, List, Tuple

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

OPSET, IR = 18, 8


@dataclasses.dataclass
class SmallModel:
    name: str
    model: object
    sizes: List[Tuple[int, ...]]
    inputs: Callable[..., Dict[str, np.ndarray]]


class Graph:
    """Collects nodes and constants; each call of `add` names its node and results."""

    def __init__(self, seed, prefix=""):
        self.random = np.random.default_rng(seed)
        self.prefix, self.nodes, self.constants = prefix, [], []

    def constant(self, array, name=None):
        name = name or f"{self.prefix}const{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape, scale=None):
        scale = scale or 1 / np.sqrt(np.prod(shape[1:]) if len(shape) > 1 else 1)
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def add(self, kind, *inputs, results=1, out=None, **attributes):
        name = f"{self.prefix}{kind.lower()}{len(self.nodes)}"
        names = out or [f"{name}:{i}" for i in range(results)]
        self.nodes.append(h.make_node(kind, list(inputs), names, name=name, **attributes))
        return names[0] if len(names) == 1 else names

    def finish(self, inputs, outputs):
        graph = h.make_graph(self.nodes, "small", [info(*i) for i in inputs], [info(*o) for o in outputs],
                             self.constants)
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", OPSET)], ir_version=IR)
        return model


def info(name, shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def normal(*shape):
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape).astype(np.float32)


def cnn():
    """Convolutions with batch norm, a residual block, depthwise, max and average pool, Gemm."""
    g = Graph(1)

    def unit(x, inputs, outputs, kernel, stride=1, group=1, relu=True):
        x = g.add("Conv", x, g.weight(outputs, inputs // group, kernel, kernel), kernel_shape=[kernel] * 2, group=group,
                  strides=[stride] * 2, pads=[kernel // 2] * 4)
        mean, scale = g.weight(outputs, scale=0.1), g.constant(g.random.uniform(0.5, 1.5, outputs).astype(np.float32))
        variance = g.constant(g.random.uniform(0.5, 1.5, outputs).astype(np.float32))
        x = g.add("BatchNormalization", x, scale, g.weight(outputs, scale=0.1), mean, variance)
        return g.add("Relu", x) if relu else x

    x = unit("x", 3, 16, 3, stride=2)
    x = g.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = unit(unit(x, 16, 16, 3), 16, 16, 3, relu=False)
    x = g.add("Relu", g.add("Add", x, y))
    x = unit(unit(x, 16, 24, 1), 24, 24, 3, stride=2, group=24)
    x = g.add("Flatten", g.add("GlobalAveragePool", x), axis=1)
    g.add("Gemm", x, g.weight(10, 24), g.weight(10), transB=1, out=["y"])
    sizes = [(1, 32, 32), (2, 32, 32), (4, 64, 64), (3, 37, 29), (5, 7, 11), (1, 5, 53), (0, 32, 32)]
    return SmallModel("cnn", g.finish([("x", ["N", 3, "H", "W"])], [("y", ["N", 10])]), sizes,
                      lambda n, hh, w: {"x": normal(n, 3, hh, w)})


def transformer():
    """One encoder block over embedded tokens, with a mask: attention, layer norms, Gelu by Erf."""
    g, width, heads = Graph(2), 32, 4
    shape = g.constant(np.array([0, 0, heads, width // heads], np.int64))
    back = g.constant(np.array([0, 0, width], np.int64))
    x = g.add("Gather", g.weight(101, width), "tokens", axis=0)

    def linear(x, inputs, outputs):
        product = g.add("MatMul", x, g.weight(inputs, outputs, scale=inputs**-0.5))
        return g.add("Add", product, g.weight(outputs, scale=0.1))

    def norm(x):
        scale, shift = g.constant(np.ones(width, np.float32)), g.weight(width, scale=0.1)
        return g.add("LayerNormalization", x, scale, shift, axis=-1)

    def split(x, perm):
        return g.add("Transpose", g.add("Reshape", x, shape), perm=perm)

    inner = norm(x)
    query, value = (split(linear(inner, width, width), [0, 2, 1, 3]) for _ in range(2))
    key = split(linear(inner, width, width), [0, 2, 3, 1])
    scores = g.add("Mul", g.add("MatMul", query, key), g.constant(np.float32((width // heads)**-0.5)))
    kept = g.add("Unsqueeze", g.add("Cast", "mask", to=T.BOOL), g.constant(np.array([1, 2], np.int64)))
    scores = g.add("Where", kept, scores, g.constant(np.float32(-1e9)))
    mixed = g.add("MatMul", g.add("Softmax", scores, axis=-1), value)
    x = g.add("Add", x, linear(g.add("Reshape", g.add("Transpose", mixed, perm=[0, 2, 1, 3]), back), width, width))
    inner = linear(norm(x), width, 64)
    half = g.add("Add", g.add("Erf", g.add("Mul", inner, g.constant(np.float32(0.5**0.5)))), g.constant(np.float32(1)))
    inner = g.add("Mul", g.add("Mul", inner, half), g.constant(np.float32(0.5)))
    g.add("Add", x, linear(inner, 64, width), out=["y"])

    def inputs(n, s):
        random = np.random.default_rng(n * 1000 + s)
        mask = (np.arange(s)[None, :] <= np.arange(n)[:, None] + s // 2).astype(np.int64)
        return {"tokens": random.integers(0, 101, (n, s)), "mask": mask}

    sizes = [(1, 1), (2, 8), (4, 16), (3, 17), (7, 5), (1, 67), (0, 8)]
    model = g.finish([("tokens", ["N", "S"], T.INT64), ("mask", ["N", "S"], T.INT64)], [("y", ["N", "S", width])])
    return SmallModel("transformer", model, sizes, inputs)


def experts():
    """Experts mixed by two soft gates: many equal small layers, which should become one kernel."""
    g = Graph(3)
    axis = g.constant(np.array([1], np.int64))
    answers = [g.add("Relu", g.add("Gemm", "x", g.weight(8, 20), g.weight(8), transB=1)) for _ in range(4)]
    stacked = g.add("Concat", *(g.add("Unsqueeze", a, axis) for a in answers), axis=1)
    for task in range(2):
        gate = g.add("Softmax", g.add("MatMul", "x", g.weight(20, 4)), axis=-1)
        weighted = g.add("Mul", stacked, g.add("Unsqueeze", gate, g.constant(np.array([-1], np.int64))))
        g.add("Gemm", g.add("ReduceSum", weighted, axis, keepdims=0), g.weight(8, 1), out=[f"y{task}"])
    sizes = [(1,), (2,), (4,), (3,), (13,), (101,), (0,)]
    return SmallModel("experts", g.finish([("x", ["N", 20])], [("y0", ["N", 1]), ("y1", ["N", 1])]), sizes,
                      lambda n: {"x": normal(n, 20)})


def lstm():
    """Two LSTMs, one over the other, the second in both directions; the length is open."""
    g, size = Graph(4), 12
    first = g.add("LSTM", "x", g.weight(1, 4 * size, 10, scale=0.3), g.weight(1, 4 * size, size, scale=0.3),
                  g.weight(1, 8 * size, scale=0.1), hidden_size=size, results=3)
    x = g.add("Squeeze", first[0], g.constant(np.array([1], np.int64)))
    g.add("LSTM", x, g.weight(2, 4 * size, size, scale=0.3), g.weight(2, 4 * size, size, scale=0.3),
          g.weight(2, 8 * size, scale=0.1), hidden_size=size, direction="bidirectional", out=["y", "h", "c"])
    outputs = [("y", ["T", 2, "N", size]), ("h", [2, "N", size]), ("c", [2, "N", size])]
    sizes = [(1, 1), (5, 2), (10, 4), (7, 3), (13, 1), (2, 11), (3, 5)]
    return SmallModel("lstm", g.finish([("x", ["T", "N", 10])], outputs), sizes, lambda t, n: {"x": normal(t, n, 10)})


def upsampling():
    """A generator of pictures: transposed convolutions whose stride divides the kernel, and does not, or is longer."""
    g = Graph(8)
    x = g.add("Relu", g.add("ConvTranspose", "x", g.weight(8, 20, 4, 4), g.weight(20), strides=[2, 2], pads=[1, 1, 1, 1]))
    x = g.add("Relu", g.add("ConvTranspose", x, g.weight(20, 6, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1],
                            output_padding=[1, 1], group=2))
    x = g.add("ConvTranspose", x, g.weight(12, 4, 2, 5), g.weight(4), strides=[2, 3], auto_pad="SAME_UPPER")
    x = g.add("ConvTranspose", x, g.weight(4, 4, 2, 1), strides=[3, 2])
    g.add("Tanh", x, out=["y"])
    sizes = [(1, 1, 1), (2, 4, 6), (1, 8, 8), (3, 5, 2), (0, 4, 4)]
    return SmallModel("upsampling", g.finish([("x", ["N", 8, "H", "W"])], [("y", ["N", 4, None, None])]), sizes,
                      lambda n, hh, ww: {"x": normal(n, 8, hh, ww)})


def growing_loop():
    """A Loop that joins one row per iteration to a carried value; the count is an input, and it may stop early."""
    body = Graph(5, "body.")
    row = body.add("Gather", "x", "i", axis=0)
    last = body.add("Add", body.add("Mul", "last", body.constant(np.float32(0.5))), row)
    body.add("Identity", last, out=["last_out"])
    first = body.constant(np.array([0], np.int64))
    body.add("Concat", "rows", body.add("Unsqueeze", last, first), axis=0, out=["rows_out"])
    body.add("ReduceSum", last, keepdims=0, out=["sum"])
    body.add("Less", "sum", body.constant(np.float32(6)), out=["go_on"])
    inner = h.make_graph(body.nodes, "body",
                         [info("i", [], T.INT64), info("go", [], T.BOOL),
                          info("rows", [None, "M"]), info("last", ["M"])],
                         [info("go_on", [], T.BOOL), info("rows_out", [None, "M"]), info("last_out", ["M"]),
                          info("sum", [])], body.constants)
    g = Graph(6)
    width = g.add("Shape", "x", start=1, end=2)
    none = g.add("ConstantOfShape", g.add("Concat", g.constant(np.array([0], np.int64)), width, axis=0))
    start = g.add("ConstantOfShape", width)
    g.add("Loop", "count", g.constant(np.array(True)), none, start, out=["rows_y", "last_y", "sums"], body=inner)
    outputs = [("rows_y", [None, "M"]), ("last_y", ["M"]), ("sums", [None])]
    sizes = [(1, 1, 1), (6, 4, 6), (12, 8, 12), (7, 3, 5), (11, 13, 11), (5, 2, 0), (31, 1, 17)]
    return SmallModel("growing_loop", g.finish([("x", ["N", "M"]), ("count", [], T.INT64)], outputs), sizes,
                      lambda n, m, count: {"x": normal(n, m), "count": np.array(count, np.int64)})


def nonzero():
    """The places and values of what is above zero: result sizes that depend on data, and a use of them."""
    g = Graph(7)
    above = g.add("Greater", "x", g.constant(np.float32(0)))
    places = g.add("Transpose", g.add("NonZero", above), perm=[1, 0])
    g.add("Identity", places, out=["places"])
    values = g.add("GatherND", "x", places)
    g.add("Mul", values, g.constant(np.float32(2)), out=["values"])
    g.add("ReduceSum", values, keepdims=0, out=["total"])
    g.add("Shape", places, start=0, end=1, out=["count"])
    outputs = [("places", ["K", 2], T.INT64), ("values", ["K"]), ("total", []), ("count", [1], T.INT64)]
    sizes = [(1, 1), (4, 6), (8, 12), (3, 7), (13, 5), (1, 101), (0, 6)]
    return SmallModel("nonzero", g.finish([("x", ["N", "M"])], outputs), sizes, lambda n, m: {"x": normal(n, m)})


def sequences():
    """Sequences whose length only a run knows: the rows of x, and sums that a Loop appends."""
    def sequence(name):
        return h.make_tensor_sequence_value_info(name, T.FLOAT, None)

    body = Graph(9, "body.")
    body.add("Identity", "go", out=["go_on"])
    body.add("Add", "total", body.add("SequenceAt", "rows", "i"), out=["total_out"])
    body.add("SequenceInsert", "totals", "total_out", out=["totals_out"])
    inner = h.make_graph(body.nodes, "body",
                         [info("i", [], T.INT64), info("go", [], T.BOOL), info("total", ["M"]), sequence("totals")],
                         [info("go_on", [], T.BOOL), info("total_out", ["M"]), sequence("totals_out")])
    g = Graph(10)
    g.add("SplitToSequence", "x", axis=0, keepdims=0, out=["rows"])
    start = g.add("ConstantOfShape", g.add("Shape", "x", start=1, end=2))
    last, totals = g.add("Loop", g.add("SequenceLength", "rows"), "", start, g.add("SequenceEmpty"), results=2, body=inner)
    totals = g.add("SequenceInsert", totals, last, "at")
    g.add("ConcatFromSequence", totals, axis=1, new_axis=1, out=["y"])
    g.add("SequenceAt", totals, "at", out=["one"])
    g.add("ConcatFromSequence", g.add("SequenceErase", totals, "at"), axis=0, out=["flat"])
    outputs = [("y", ["M", None]), ("one", ["M"]), ("flat", [None])]
    sizes = [(1, 1, 0), (6, 4, -2), (12, 8, 12), (7, 3, 5), (11, 13, -11), (5, 2, 0), (31, 17, 9)]
    return SmallModel("sequences", g.finish([("x", ["N", "M"]), ("at", [], T.INT64)], outputs), sizes,
                      lambda n, m, at: {"x": normal(n, m), "at": np.array(at, np.int64)})


ALL = [cnn, upsampling, transformer, experts, lstm, growing_loop, nonzero, sequences]
