"""Cases of the operators of com.microsoft."""

import itertools
import math

import ml_dtypes
import numpy as np

import contrib_attention_cases
from contrib_case import Case, Random

r = Random(1)
CASES = list(contrib_attention_cases.CASES)


# Random inputs are indexes out of bounds.
UNVERIFIED = ["EmbedLayerNormalization", "GatherND", "GatherBlockQuantized"]


def add(op, inputs, outputs=(0,), **others):
    fields = {key: others.pop(key) for key in ("constants", "symbols", "expected", "rtol", "atol", "domain", "unread")
              if key in others}
    number = sum(case.op == op for case in CASES)
    CASES.append(Case(op, inputs, others, outputs, f"#{number}", verified=number < 2 and op not in UNVERIFIED, **fields))


# Activations.
def split_gelu(x, bias):
    left, right = np.split(x + bias, 2, axis=-1)
    return [(left * 0.5 * right * (1 + np.vectorize(math.erf)(right / np.sqrt(2)))).astype(np.float32)]


SHAPES = [(4,), (1,), (3, 5), (2, 3, 4), (1, 7), (2, 1, 3, 5), (17,), (8, 8), (5, 16), (3, 1)]
for shape in SHAPES:
    x, bias = r.normal(*shape), r.normal(shape[-1])
    dynamic = {shape[0]: "N"} if len(shape) > 1 and shape[0] not in shape[1:] and shape[0] > 1 else {}
    add("Gelu", [x], symbols=dynamic)
    add("BiasGelu", [x, bias], symbols=dynamic)
    add("FastGelu", [x, bias] if len(shape) % 2 else [x], symbols=dynamic)
    add("QuickGelu", [x], symbols=dynamic, alpha=float(r.uniform(low=0.5, high=2)))
    skip = r.normal(*shape)
    add("BiasAdd", [x, bias, skip], expected=lambda x, b, s: [x + b + s])
    wide, b2 = r.normal(*shape[:-1], 2 * shape[-1]), r.normal(2 * shape[-1])
    add("BiasSplitGelu", [wide, b2], expected=split_gelu)
add("FastGelu", [r.normal(3, 8, dtype=np.float64).astype(np.float32), None], symbols={3: "N"})


# Normalisation of sums.
for number, (batch, length, size) in enumerate(
        [(1, 1, 4), (2, 3, 8), (1, 5, 16), (3, 2, 7), (2, 4, 64), (1, 9, 5), (4, 1, 12), (2, 7, 33), (5, 3, 10), (1, 2, 128)]):
    x, skip = r.normal(batch, length, size), r.normal(batch, length, size)
    gamma, beta, bias = r.normal(size), r.normal(size), r.normal(size)
    dynamic = {length: "S"} if length not in (1, batch, size) else {}
    full, partial = [x, skip, gamma, beta, bias], [x, skip, gamma, beta if number % 3 else None]
    add("SkipLayerNormalization", full if number % 2 else partial, (0, 3) if number % 4 == 1 else (0,),
        symbols=dynamic, epsilon=1e-5)
    add("SkipSimplifiedLayerNormalization", [x, skip, gamma] + ([bias] if number % 2 else []),
        (0, 3) if number % 3 == 1 else (0,), symbols=dynamic, epsilon=[1e-6, 1e-3][number % 2])
    add("SimplifiedLayerNormalization", [x, gamma], (0, 1) if number % 2 else (0,), symbols=dynamic,
        domain="", epsilon=1e-5, axis=-1, stash_type=1)
add("SkipLayerNormalization", [r.normal(2, 3, 8), r.normal(1, 3, 8), r.normal(8), r.normal(8)], symbols={3: "S"})
add("SkipLayerNormalization", [r.normal(2, 3, 8), r.normal(3, 8), r.normal(8), r.normal(8)])

for number in range(10):
    batch, length, size = int(r.integers(1, 4)), int(r.integers(2, 7)), int(r.integers(4, 20))
    ids = r.integers(0, 11, batch, length, dtype=np.int32)
    segments = r.integers(0, 2, batch, length, dtype=np.int32)
    tables = [r.normal(11, size), r.normal(9, size), r.normal(2, size)]
    mask = r.integers(0, 2, batch, length, dtype=np.int32)
    positions = r.integers(0, 9, batch, length, dtype=np.int32)
    with_segments = number % 3 != 2
    add("EmbedLayerNormalization",
        [ids, segments if with_segments else None, tables[0], tables[1], tables[2] if with_segments else None,
         r.normal(size), r.normal(size), mask if number % 2 else None] + ([positions] if number % 4 == 3 else []),
        (0, 1, 2) if number % 2 else (0, 1), epsilon=1e-6)


def group_norm(x, gamma, beta, groups, silu):
    n, h, w, c = x.shape
    parts = x.astype(np.float64).reshape(n, h * w, groups, c // groups)
    mean, var = parts.mean((1, 3), keepdims=True), parts.var((1, 3), keepdims=True)
    y = ((parts - mean) / np.sqrt(var + 1e-5)).reshape(x.shape) * gamma + beta
    return (y / (1 + np.exp(-y)) if silu else y).astype(np.float32)


for number, groups in enumerate([1, 2, 4, 2, 1, 8, 4, 2, 1, 3]):
    channels, silu = groups * (1 + number % 3), number % 2
    x, gamma, beta = r.normal(1 + number % 2, 3, 4, channels), r.normal(channels), r.normal(channels)
    skip, bias = r.normal(*x.shape), r.normal(channels)
    add("GroupNorm", [x, gamma, beta], groups=groups, activation=silu, epsilon=1e-5, channels_last=1,
        expected=lambda x, g, b, groups=groups, silu=silu: [group_norm(x, g, b, groups, silu)])
    add("SkipGroupNorm", [x, gamma, beta, skip, bias], (0, 1), groups=groups, activation=silu, epsilon=1e-5,
        channels_last=1,
        expected=lambda x, g, b, s, i, groups=groups, silu=silu: [group_norm(x + s + i, g, b, groups, silu), x + s + i])


# Products.
for number, (trans_a, trans_b) in enumerate(itertools.product([0, 1], repeat=2)):
    for batch in [(), (2,), (2, 3)]:
        a = r.normal(*batch, *((5, 4) if trans_a else (4, 5)))
        b = r.normal(*batch, *((6, 5) if trans_b else (5, 6)))
        add("FusedMatMul", [a, b], transA=trans_a, transB=trans_b, alpha=0.5, symbols={4: "M"})
        if batch != (2,) or number:
            add("TransposeMatMul", [a, b], transA=trans_a, transB=trans_b, alpha=2.0)
    c = r.normal(*[(6,), (4, 1), (1,), (4, 6)][number])
    for activation in ["Relu", "Sigmoid", "LeakyRelu"]:
        more = {"activation_alpha": 0.3} if activation == "LeakyRelu" else {}
        a, b = r.normal(*((5, 4) if trans_a else (4, 5))), r.normal(*((6, 5) if trans_b else (5, 6)))
        add("FusedGemm", [a, b, c], transA=trans_a, transB=trans_b, alpha=0.5, beta=1.5, activation=activation, **more)
for trans_a, trans_b in itertools.product([0, 1], repeat=2):
    a = r.normal(*((5, 3, 4) if trans_a else (4, 3, 5)))
    b = r.normal(*((6, 3, 5) if trans_b else (5, 3, 6)))
    add("FusedMatMul", [a, b], transA=trans_a, transB=trans_b, transBatchA=1, transBatchB=1)
for number in range(12):
    group = 1 + number % 2
    x, w = r.normal(1 + number % 2, 4, 7, 6), r.normal(6, 4 // group, 3, 3)
    activation, parameters = [("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]),
                              ("Clip", [-0.5, 0.7]), ("HardSigmoid", [0.3, 0.4])][number % 6]
    more = {"activation_params": parameters} if parameters else {}
    z = [r.normal(x.shape[0], 6, 7, 6)] if number % 3 == 1 else []
    add("FusedConv", [x, w, r.normal(6)] + z, pads=[1, 1, 1, 1], group=group, activation=activation,
        kernel_shape=[3, 3], strides=[1, 1], dilations=[1, 1], **more)


# Weights of few bits.
def pack(values, bits):
    """Numbers of few bits, the first in the lowest, along the last dim."""
    per_byte = 8 // bits
    padded = np.zeros(values.shape[:-1] + (-(-values.shape[-1] // per_byte) * per_byte,), np.uint8)
    padded[..., :values.shape[-1]] = values
    parts = padded.reshape(*padded.shape[:-1], -1, per_byte)
    return sum(parts[..., k] << (k * bits) for k in range(per_byte)).astype(np.uint8)


for number, (rows, n, k, block, bits) in enumerate(
        [(1, 8, 32, 32, 4), (3, 5, 64, 16, 4), (2, 16, 48, 32, 4), (4, 7, 100, 32, 4), (1, 32, 256, 128, 4),
         (5, 3, 17, 16, 4), (2, 8, 64, 32, 8), (3, 4, 40, 16, 8), (1, 9, 33, 16, 8), (6, 12, 96, 32, 4),
         (2, 6, 64, 32, 4), (3, 10, 72, 16, 4)]):
    blocks = -(-k // block)
    b = pack(r.integers(0, 1 << bits, n, blocks, block, dtype=np.uint8), bits)
    scales = r.normal(n, blocks, scale=0.1)
    zeros = [None, pack(r.integers(0, 1 << bits, n, blocks, dtype=np.uint8), bits),
             r.uniform(n, blocks, low=0, high=(1 << bits) - 1)][number % 3 if bits == 4 else number % 2]
    bias = [None, r.normal(n)] if number % 4 == 3 else []
    shape = (rows, k) if number % 2 else (2, rows, k)
    add("MatMulNBits", [r.normal(*shape), b, scales, zeros] + bias, constants=(1, 2, 3),
        symbols={rows: "M"} if rows > 2 else {}, K=k, N=n, bits=bits, block_size=block, rtol=1e-3, atol=1e-3)

for number in range(10):
    bits, block = [4, 8][number % 2], [16, 32][number // 2 % 2]
    rows, size = 6 + number, 32 * (1 + number % 3)
    data = pack(r.integers(0, 1 << bits, rows, size, dtype=np.uint8), bits)
    zeros = [pack(r.integers(0, 1 << bits, rows, size // block, dtype=np.uint8), bits)] if number % 3 else []
    indices = r.integers(-rows, rows, *[(3,), (2, 4), (1,), (2, 2, 2)][number % 4])
    add("GatherBlockQuantized", [data, indices, r.normal(rows, size // block)] + zeros, constants=(0, 2, 3),
        bits=bits, block_size=block, gather_axis=0, quantize_axis=1)


for number, (signed, block, rows, size) in enumerate(
        [(True, 32, 9, 64), (False, 16, 5, 48), (True, 128, 6, 256), (False, 32, 4, 40), (True, 16, 7, 20)]):
    kind, low = (ml_dtypes.int4, -8) if signed else (ml_dtypes.uint4, 0)
    codes, blocks = r.integers(low, low + 16, rows, size), (rows, -(-size // block))
    zeros = [r.integers(low, low + 16, *blocks).astype(kind)] if number % 2 else []
    add("GatherBlockQuantized", [codes.astype(kind), r.integers(-rows - 3, rows + 3, 2, 4), r.normal(*blocks)] + zeros,
        constants=(0, 2, 3), block_size=block, gather_axis=0, quantize_axis=1)
for bits in (2, 4, 8):
    data = r.integers(0, 256, 5, 32 * bits // 8, dtype=np.uint8)
    add("GatherBlockQuantized", [data, np.asarray([4, 5, -5, -6, 0]), r.normal(5, 2)], constants=(0, 2),
        bits=bits, block_size=16, gather_axis=0, quantize_axis=1)


# Quantised element-wise operators, pools and products.
def quantised(*shape, signed=False):
    return r.integers(-128, 128, *shape, dtype=np.int8) if signed else r.integers(0, 256, *shape, dtype=np.uint8)


def factors(*shape, signed=False):
    """Weights of a product. Where a CPU has no VNNI, ONNX Runtime adds two products of u8 and i8 in 16 bits, which
    saturates, so signed weights have seven bits."""
    return r.integers(-64, 64, *shape, dtype=np.int8) if signed else quantised(*shape)


def scaling(signed=False, low=0.01, high=0.1):
    zero = r.integers(-20, 20, dtype=np.int8) if signed else r.integers(100, 150, dtype=np.uint8)
    return [np.float32(r.uniform(low=low, high=high)), np.asarray(zero)]


STEP = {"atol": 1.01, "rtol": 0}
for number in range(10):
    signed = number % 2 == 1
    shape, other = [((3, 4), (3, 4)), ((2, 3, 5), (5,)), ((4, 1), (4, 6)), ((1,), (7,)), ((2, 8), (1, 8))][number % 5]
    pair = [quantised(*shape, signed=signed), *scaling(signed), quantised(*other, signed=signed), *scaling(signed)]
    add("QLinearAdd", pair + scaling(signed), **STEP)
    add("QLinearMul", pair + scaling(signed, 0.05, 0.2), **STEP)
    x = quantised(*shape, signed=signed)
    add("QLinearLeakyRelu", [x, *scaling(signed), *scaling(signed)], alpha=0.1, **STEP)
    add("QLinearSigmoid", [x, *scaling(signed), np.float32(1 / 256), np.asarray(-128 if signed else 0, x.dtype)], **STEP)
    add("QLinearConcat", scaling(signed) + [v for size in (2, 3, 1) for v in [quantised(size, 4, signed=signed), *scaling(signed)]],
        axis=0, **STEP)
    add("QLinearSoftmax", [quantised(3, 6, signed=signed), *scaling(signed), np.float32(1 / 256),
                           np.asarray(-128 if signed else 0, x.dtype)], constants=(1, 2, 3, 4), axis=-1, opset=13, atol=2.01, rtol=0)
    image = quantised(1, 3, 6, 5)
    add("QLinearAveragePool", [image, *scaling(), *scaling()], constants=(1, 2, 3, 4), kernel_shape=[2 + number % 2, 2],
        strides=[1 + number % 2, 1], pads=[number % 2, 0, 0, 1], count_include_pad=number // 5, **STEP)
    add("QLinearGlobalAveragePool", [quantised(2, 6, 5, 3), *scaling(), *scaling()], constants=(1, 2, 3, 4),
        channels_last=number % 2, **STEP)
    add("QLinearWhere", [r.integers(0, 2, 3, 4).astype(bool), quantised(3, 4), *scaling(), quantised(3, 4), *scaling(), *scaling()],
        constants=(2, 3, 5, 6, 7, 8), **STEP)
    trans_a, trans_b = number % 2, number // 2 % 2
    a, b = quantised(*((6, 4) if trans_a else (4, 6))), factors(*((5, 6) if trans_b else (6, 5)), signed=number > 5)
    c = [r.integers(-500, 500, 5, dtype=np.int32)] if number % 3 else [None]
    result = [np.float32(0.3), np.asarray(np.uint8(120))] if number % 2 else []
    b_scaling = [np.float32(0.02), np.asarray(3, b.dtype)]
    add("QGemm", [a, *scaling(), b, *b_scaling] + c + result, constants=(1, 2, 4, 5, 7, 8), transA=trans_a, transB=trans_b,
        alpha=1.0, **(STEP if result else {}))
    weights = factors(6, 5, signed=signed)
    per_column = number % 3 == 2
    b_scale = r.uniform(5, low=0.01, high=0.1) if per_column else np.float32(0.02)
    b_zero = (np.zeros(5, weights.dtype) if per_column else np.asarray(7, weights.dtype)) if number % 4 else None
    bias = [r.normal(*([1] * (number // 2 % 3)), 5)] if number % 2 else []
    add("DynamicQuantizeMatMul", [r.normal(4, 6), weights, b_scale, b_zero] + bias, constants=(1, 2, 3, 4),
        rtol=1e-3, atol=2e-3)
    add("MatMulIntegerToFloat", [quantised(4, 6), weights, np.float32(0.05), b_scale, np.asarray(np.uint8(130)), b_zero] + bias,
        constants=(1, 2, 3, 4, 5, 6))
    kind = [np.int8, np.uint8, np.int16, np.uint16][number % 4]
    info = np.iinfo(kind)
    zero = np.asarray(info.max // 2 if info.min == 0 else 3, kind)
    add("QuantizeLinear", [r.normal(3, 5), np.float32(0.01), zero], **STEP)
    add("DequantizeLinear", [r.integers(info.min, info.max, 3, 5).astype(kind), np.float32(0.01), zero])


# One scale for all steps and samples; a rounding that falls the other way moves a product by a step.
for number in range(10):
    signed, per_row, both = number % 2 == 1, number % 3 == 1, number % 5 == 2
    steps, batch, size, hidden = [(1, 1, 4, 3), (5, 2, 6, 4), (3, 1, 8, 5), (7, 3, 5, 8), (4, 1, 3, 2)][number // 2]
    directions = 2 if both else 1
    scaled = (directions, 4 * hidden) if per_row else (directions,)
    scale = [r.uniform(*scaled, low=0.002, high=0.01) for _ in "WR"]
    zero = np.full(scaled, 0 if signed else 120, np.int8 if signed else np.uint8)
    states = [r.normal(directions, batch, hidden) for _ in "hc"] if number % 2 else [None, None]
    add("DynamicQuantizeLSTM",
        [r.normal(steps, batch, size), factors(directions, size, 4 * hidden, signed=signed),
         factors(directions, hidden, 4 * hidden, signed=signed), r.normal(directions, 8 * hidden) if number % 4 else None, None,
         *states, r.normal(directions, 3 * hidden) if number == 6 else None, scale[0], zero, scale[1], zero],
        (0, 1, 2), constants=(1, 2, 3, 7, 8, 9, 10, 11), symbols={steps: "S"} if steps == 7 else {}, hidden_size=hidden,
        direction="bidirectional" if both else ["forward", "reverse"][number // 3 % 2], rtol=1e-3, atol=2e-3,
        **({"activations": ["Sigmoid", "Tanh", "Relu"]} if number == 8 else {}))


# Relatives of standard operators.
for number in range(10):
    shape = [(3,), (2, 4), (3, 1, 5), (2, 2), (1, 6), (7,), (4, 3), (2, 3, 4), (5, 5), (1,)][number]
    x = r.normal(*shape)
    add("ExpandDims", [x, np.asarray(r.integers(-len(shape) - 1, len(shape) + 1, dtype=np.int32))], constants=(1,))
    add("Range", [np.asarray(v, np.float32) for v in ([1, 7, 1.5], [5, -3, -2], [0, 4, 1])[number % 3]], constants=(0, 1, 2))
    add("Trilu", [r.normal(*shape, 4), np.asarray(number % 5 - 2)], constants=(1,), upper=number % 2)
    add("Unique", [r.integers(0, 5, 4 + number).astype(np.float32)], (0, 1, 2))
    add("CDist", [r.normal(3 + number, 4), r.normal(5, 4)], metric=["euclidean", "sqeuclidean"][number % 2], symbols={5: "N"})
    add("GatherND", [r.normal(4, 3, 2), r.integers(0, 3, 2 + number, 2)])
    add("Pad", [r.normal(3, 4), np.asarray([number % 3, 1, 0, number % 2]), np.asarray(0.5, np.float32)], constants=(1,),
        mode=["constant", "edge", "reflect"][number % 3])
    a, b = r.normal(*shape, 2), r.normal(*shape, 2)

    def complex_product(a, b, sign):
        z = (a[..., 0] + 1j * a[..., 1]) * (b[..., 0] + sign * 1j * b[..., 1])
        return [np.stack([z.real, z.imag], -1).astype(np.float32)]
    add("ComplexMul", [a, b], expected=lambda a, b: complex_product(a, b, 1))
    add("ComplexMulConj", [a, b], expected=lambda a, b: complex_product(a, b, -1))

    def bias_softmax(x, b):
        e = np.exp(x + b - (x + b).max(-1, keepdims=True))
        return [e / e.sum(-1, keepdims=True)]
    add("BiasSoftmax", [r.normal(2, 3, 4 + number), r.normal(1 + number % 2, 3, 4 + number)], axis=2,
        is_inner_broadcast=0, expected=bias_softmax)

for mode, padding in itertools.product(["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"]):
    # points beyond the edges too
    points = r.uniform(2, 3, 5, 2, low=-1.6, high=1.6)
    add("GridSample", [r.normal(2, 3, 4, 6), points], mode=mode, padding_mode=padding, symbols={6: "W", 5: "V"})
    add("GridSample", [r.normal(2, 1, 7, 5), points], mode=mode, padding_mode=padding, align_corners=1)
add("GridSample", [r.normal(1, 2, 3, 3), r.uniform(1, 4, 4, 2, low=-1)])


# Outputs that have names and that nothing reads.
x, gamma = r.normal(2, 3, 8), r.normal(8)
add("SkipSimplifiedLayerNormalization", [x, r.normal(2, 3, 8), gamma], unread=(1, 2, 3))
add("SkipSimplifiedLayerNormalization", [x, r.normal(2, 3, 8), gamma], (0, 3), unread=(1, 2))
add("SkipLayerNormalization", [x, r.normal(2, 3, 8), gamma, r.normal(8)], unread=(1, 2, 3))
add("LayerNormalization", [x, gamma], domain="", unread=(1, 2))
add("MultiHeadAttention", [x, x, x], domain="com.microsoft", num_heads=2, unread=(1, 2))
add("MaxPool", [r.normal(1, 1, 4, 4)], domain="", kernel_shape=[2, 2], unread=(1,))
add("BatchNormalization", [x, *(r.uniform(3, low=0.5) for _ in range(4))], domain="", unread=(1, 2), training_mode=1)


def refused(op, inputs, code, words, domain="com.microsoft", **attributes):
    return Case(op, inputs, attributes, domain=domain), code, words


x = r.normal(2, 3, 8)
REFUSED = [
    refused("BeamSearch", [x], 3, "export the decoder alone"),
    refused("Conv", [x], 3, "re-export the model without layout optimisation", "com.microsoft.nchwc"),
    refused("StringJoin", [x], 3, "outside of the model", "ai.onnx.contrib"),
    refused("Gelu", [x, x], 1, "expected at most 1 inputs, got 2"),
    refused("BiasGelu", [x], 1, "input 1 (B) is missing"),
    refused("BiasGelu", [x, x.astype(np.float64)], 1, "expected f32 for input 1 (B)"),
    refused("QuickGelu", [x], 1, "expected float for attribute 'alpha'", alpha=2),
    refused("QuickGelu", [x], 3, "attribute 'beta' is not known", beta=2.0),
    refused("GridSample", [r.normal(1, 1, 3, 3), r.normal(1, 2, 2, 2)], 1, "unknown 'mode' \"trilinear\"", mode="trilinear"),
    refused("GridSample", [r.normal(1, 1, 3, 3), r.normal(1, 2, 2, 3)], 1, "expected a grid of rank 4 with a last dim of 2"),
    refused("MultiHeadAttention", [x, x, x], 1, "attribute 'num_heads' is missing"),
    refused("SkipLayerNormalization", [x, r.normal(2, 3, 7), r.normal(8)], 1, "to broadcast to"),
    refused("MatMulNBits", [r.normal(1, 32), np.zeros((8, 1, 16), np.uint8), r.normal(8, 1), None, np.zeros(32, np.int32)], 3,
            "g_idx", K=32, N=8, block_size=32),
    refused("MatMulNBits", [r.normal(1, 32), np.zeros((8, 1, 15), np.uint8), r.normal(8, 1)], 1,
            "expected weights u8[8,1,16], got", K=32, N=8, block_size=32),
    refused("GroupQueryAttention", [x, x, x, None, None, np.zeros(2, np.int32), np.asarray(3, np.int32)], 1,
            "kv_num_heads 3 does not divide num_heads 4", num_heads=4, kv_num_heads=3),
]
