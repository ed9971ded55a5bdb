"""Operators that sum, search or sort along dimensions, and those of networks."""

import numpy as np
from onnx import TensorProto

from movement import axis, some_axes

OPERATORS = []


def operator(function):
    OPERATORS.append(function)
    return function


@operator
def reduce(g):
    op = g.choose(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                   "ReduceLogSumExp", "ReduceProd", "ReduceSum", "ReduceMax"])
    exact = op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare")
    value = g.pick("fi" if exact else "f", nonempty=op != "ReduceSum")
    inputs, attributes = [value], {"keepdims": g.below(2)}
    if g.chance(0.8):
        axes = some_axes(g, value)
        inputs.append(g.integers(*axes))
        if not axes:
            attributes["noop_with_empty_axes"] = g.below(2)
    g.node(op, *inputs, exact=exact, **attributes)


@operator
def normalise_exponentials(g):
    value = g.pick("f", least_rank=1, nonempty=True)
    g.node(g.choose(["Softmax", "Softmax", "LogSoftmax"]), value, axis=axis(g, value), exact=False)


@operator
def search(g):
    op = g.choose(["ArgMax", "ArgMin", "Hardmax"])
    value = g.pick("f" if op == "Hardmax" else "fi", exact=True, least_rank=1, nonempty=True)
    attributes = {} if op == "Hardmax" else {"keepdims": g.below(2), "select_last_index": g.below(2)}
    g.node(op, value, axis=axis(g, value), **attributes)


@operator
def sort(g):
    value = g.pick("fi", exact=True, least_rank=1, nonempty=True)
    number = axis(g, value)
    count = 1 + g.below(value.shape[number])
    g.node("TopK", value, g.integers(count), outputs=2, axis=number, largest=g.below(2), sorted=1)


@operator
def cumulate(g):
    value = g.pick("fi", least_rank=1)
    g.node("CumSum", value, g.constant(np.array(axis(g, value), np.int64)), exclusive=g.below(2), reverse=g.below(2))


@operator
def matmul(g):
    value = g.pick("f", least_rank=1, nonempty=True)
    inner = value.shape[-1]
    shape = g.choose([(inner,), (inner, g.choose([1, 3, 8, 17])), (inner, 4),
                      (*value.shape[:-2], inner, 5) if value.rank > 2 else (inner, 6)])
    g.node("MatMul", value, g.fresh(value.dtype, shape, low=-1, high=1))


@operator
def matmul_transposed(g):
    value = g.pick("f", least_rank=2, nonempty=True)
    order = list(range(value.rank))
    order[-1], order[-2] = order[-2], order[-1]
    other = g.node("Transpose", value, perm=order)
    g.node("MatMul", *g.choose([(value, other), (other, value)]))


@operator
def gemm(g):
    value = g.pick("f", rank=2, nonempty=True)
    turned = g.below(2)
    inner, rows = value.shape[1 - turned], value.shape[turned]
    columns = g.choose([1, 2, 8, 17])
    flipped = g.below(2)
    weight = g.fresh(value.dtype, (columns, inner) if flipped else (inner, columns), low=-1, high=1)
    bias = g.fresh(value.dtype, g.choose([(columns,), (rows, 1), (1,), (rows, columns), ()]))
    g.node("Gemm", value, weight, bias if g.chance(0.8) else None, transA=turned, transB=flipped,
           alpha=g.choose([1.0, 0.5]), beta=g.choose([1.0, 2.0]))


@operator
def einsum(g):
    equation, ranks = g.choose([("ij,jk->ik", 2), ("bij,bjk->bik", 3), ("ij,kj->ik", 2), ("bij->bji", 3), ("ij->i", 2)])
    value = g.pick("f", rank=ranks, nonempty=True)
    parts = equation.split("->")[0].split(",")
    sizes = dict(zip(parts[0], value.shape))
    others = [g.fresh(value.dtype, tuple(sizes.setdefault(c, 3) for c in part), low=-1, high=1) for part in parts[1:]]
    g.node("Einsum", value, *others, equation=equation)


def image(g):
    value = g.pick("f", rank=g.choose([3, 4, 4]), nonempty=True)
    return value, value.rank - 2


@operator
def convolution(g):
    value, space = image(g)
    channels = value.shape[1]
    group = g.choose([1, 1, channels, 2 if channels % 2 == 0 else 1])
    kernel = [g.choose([1, 2, 3]) for _ in range(space)]
    outputs = group * g.choose([1, 2, 3])
    weight = g.fresh(value.dtype, (outputs, channels // group, *kernel), low=-1, high=1)
    bias = g.fresh(value.dtype, (outputs,)) if g.chance(0.5) else None
    attributes = {"strides": [g.choose([1, 1, 2]) for _ in kernel], "dilations": [g.choose([1, 1, 2]) for _ in kernel]}
    if g.chance(0.2):
        attributes["auto_pad"] = g.choose(["SAME_UPPER", "SAME_LOWER", "VALID"])
        attributes["dilations"] = [1] * space
    else:
        attributes["pads"] = [g.below(2) for _ in range(2 * space)]
    g.node("Conv", value, weight, bias, group=group, kernel_shape=kernel, **attributes)


@operator
def transposed_convolution(g):
    value, space = image(g)
    weight = g.fresh(value.dtype, (value.shape[1], g.choose([1, 3]), *[g.choose([1, 2, 3]) for _ in range(space)]),
                     low=-1, high=1)
    g.node("ConvTranspose", value, weight, strides=[g.choose([1, 2]) for _ in range(space)],
           pads=[g.below(2) if min(weight.shape[2:]) > 1 else 0] * (2 * space))


@operator
def pool(g):
    value, space = image(g)
    op = g.choose(["MaxPool", "AveragePool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool"])
    if op.startswith("Global"):
        return g.node(op, value, exact=op == "GlobalMaxPool")
    kernel = [g.choose([1, 2, 3]) for _ in range(space)]
    attributes = {"kernel_shape": kernel, "strides": [g.choose([1, 2, 3]) for _ in kernel],
                  "pads": [g.below(k) for k in kernel * 2]}
    if op == "AveragePool":
        attributes["count_include_pad"] = g.below(2)
    if op != "LpPool":
        attributes["ceil_mode"] = int(g.chance(0.2))
    return g.node(op, value, exact=op == "MaxPool", **attributes)


@operator
def normalise(g):
    op = g.choose(["BatchNormalization", "InstanceNormalization", "LayerNormalization", "LRN", "LpNormalization",
                   "MeanVarianceNormalization", "GroupNormalization"])
    value = g.pick("f", least_rank=3 if op not in ("LayerNormalization", "LpNormalization") else 1,
                   most_rank=4, nonempty=True)
    if op == "LpNormalization":
        return g.node(op, g.node("Add", g.node("Abs", value), g.constant(np.array(0.5, value.dtype))),
                      axis=axis(g, value), p=g.choose([1, 2]), exact=False)
    if op == "LRN":
        return g.node(op, value, size=g.choose([1, 3]), exact=False)
    if op == "MeanVarianceNormalization":
        return g.node(op, value, axes=[int(i) for i in g.random.permutation(value.rank)[:2]], exact=False)
    channels = value.shape[1] if value.rank > 1 else 1
    if op == "LayerNormalization":
        number = axis(g, value)
        shape = value.shape[number:] if number < 0 else value.shape[number:]
        return g.node(op, value, g.fresh(value.dtype, shape), g.fresh(value.dtype, shape) if g.chance(0.6) else None,
                      axis=number, exact=False)
    scale, bias, mean = (g.fresh(value.dtype, (channels,)) for _ in range(3))
    if op == "InstanceNormalization":
        return g.node(op, value, scale, bias, epsilon=1e-2, exact=False)
    if op == "GroupNormalization":
        groups = g.choose([d for d in range(1, channels + 1) if channels % d == 0])
        if g.opset < 21:
            scale, bias = (g.fresh(value.dtype, (groups,)) for _ in range(2))
        return g.node(op, value, scale, bias, num_groups=groups, epsilon=1e-2, exact=False)
    variance = g.constant(g.array(value.dtype, (channels,), low=1, high=3))
    return g.node(op, value, scale, bias, mean, variance, exact=False)


@operator
def recurrent(g):
    op, gates = g.choose([("RNN", 1), ("GRU", 3), ("LSTM", 4)])
    value = g.pick("f", rank=3, nonempty=True, dtype=np.dtype(np.float32))
    if value.shape[0] > 9:
        return
    hidden, directions = g.choose([1, 3, 8]), g.choose([1, 1, 2])
    weights = [g.constant(g.array(np.float32, (directions, gates * hidden, n), low=-1, high=1))
               for n in (value.shape[2], hidden)]
    bias = g.constant(g.array(np.float32, (directions, 2 * gates * hidden), -1, 1)) if g.chance(0.5) else None
    direction = "bidirectional" if directions == 2 else g.choose(["forward", "reverse"])
    g.node(op, value, *weights, bias, outputs=2, hidden_size=hidden, direction=direction, exact=False)


@operator
def quantise(g):
    """There and back, where no value lies between two steps; or only back."""
    if g.opset < 21:
        return
    value = g.pick("f", exact=True, dtype=np.dtype(np.float32))
    kind = g.choose([np.uint8, np.int8])
    scale, zero = g.constant(np.array(0.125, np.float32)), g.constant(np.array(g.choose([0, 3]), kind))
    steps = g.node("QuantizeLinear", value, scale, zero)
    g.node("DequantizeLinear", steps, scale, zero)


@operator
def quantised_matmul(g):
    value = g.pick("u", rank=2, dtype=np.dtype(np.uint8), nonempty=True)
    other = g.fresh(np.dtype(g.choose([np.uint8, np.int8])), (value.shape[1], g.choose([1, 4, 9])))
    zeros = [g.constant(np.array(g.choose([0, 2]), v.dtype)) if g.chance(0.5) else None for v in (value, other)]
    g.node("MatMulInteger", value, other, *zeros)


@operator
def dynamic_quantise(g):
    value = g.pick("f", exact=True, dtype=np.dtype(np.float32), nonempty=True)
    bounds = g.constant(np.array([-4.0, 12.0 - 1 / 16], np.float32))  # a scale of exactly 1/16
    low, high = (g.node("Gather", bounds, g.constant(np.array(i, np.int64)), axis=0) for i in (0, 1))
    flat = g.node("Reshape", g.node("Clip", value, low, high), g.integers(-1))
    g.node("DynamicQuantizeLinear", g.node("Concat", flat, bounds, axis=0), outputs=3)


@operator
def root_mean_square(g):
    if g.opset >= 23:
        value = g.pick("f", least_rank=1, nonempty=True)
        g.node("RMSNormalization", value, g.fresh(value.dtype, value.shape[-1:]), axis=-1, exact=False)


@operator
def attention(g):
    if g.opset >= 23:
        value = g.pick("f", rank=4, nonempty=True)
        g.node("Attention", value, value, value, is_causal=g.below(2), exact=False)


@operator
def half_and_back(g):
    """Through a narrower type."""
    small = g.node("Cast", g.pick("f", exact=True, dtype=np.dtype(np.float32)), to=TensorProto.FLOAT16)
    g.node("Cast", small, to=TensorProto.FLOAT)


@operator
def distinct(g):
    """Sorted values, and where they were; how many depends on the data."""
    value = g.pick("fi", exact=True, least_rank=1, nonempty=True)
    attributes = {"axis": axis(g, value)} if g.chance(0.4) else {}
    g.node("Unique", value, outputs=4, sorted=1, **attributes)


@operator
def quantised_product(g):
    """All scales are powers of two and all sums small, so that nothing lies between two steps."""
    value = g.pick("u", rank=2, dtype=np.dtype(np.uint8), nonempty=True)
    if value.magnitude > 8 or value.shape[1] > 8:
        return
    other = g.fresh(np.uint8, (value.shape[1], g.choose([1, 5, 8])), low=0, high=2)
    scale, zero = g.constant(np.array(0.5, np.float32)), g.constant(np.array(0, np.uint8))
    coarse = g.constant(np.array(0.25, np.float32))
    g.node("QLinearMatMul", value, scale, zero, other, scale, zero, coarse, zero)


@operator
def integer_convolution(g):
    value = g.pick("u", rank=4, dtype=np.dtype(np.uint8), nonempty=True)
    weight = g.fresh(np.uint8, (g.choose([1, 3]), value.shape[1], 1, g.choose([1, 2])), low=0, high=5)
    zero = g.constant(np.array(2, np.uint8))
    g.node("ConvInteger", value, weight, zero if g.chance(0.5) else None, pads=[0, 1, 0, 1])


@operator
def sample(g):
    """Places between those of the image, none on an edge between two cells."""
    value = g.pick("f", rank=4, nonempty=True, dtype=np.dtype(np.float32))
    places = g.random.integers(-7, 8, (value.shape[0], 3, 2, 2)) / 8 + 1 / 64
    g.node("GridSample", value, g.constant(places.astype(np.float32)), mode=g.choose(["linear", "cubic"]),
           padding_mode=g.choose(["zeros", "border", "reflection"]), align_corners=g.below(2), exact=False)
