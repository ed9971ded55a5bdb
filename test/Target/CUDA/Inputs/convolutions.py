"""Compiles pairs of convolutions of f16, bf16 or f32 for the emulator, and compares what they compute.

usage: convolutions.py FOLDER fixed|drawn SEED COUNT

The second convolution has windows over channels that the first one stores last, so that tensor cores
get both factors by copies. All values are small multiples of powers of two: each sum is exact in f32,
and those of f32 are exact in tf32, to which they are rounded.
"""

import os
import random
import subprocess
import sys
from dataclasses import dataclass, field

import ml_dtypes
import numpy
import onnx
from onnx import TensorProto, helper

TYPES = {"f16": (TensorProto.FLOAT16, numpy.float16), "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16),
         "f32": (TensorProto.FLOAT, numpy.float32)}


@dataclass
class Pair:
    name: str
    channels: tuple = (8, 64, 64)  # of the data, between, and of the result
    size: tuple = (12, 12)
    batch: int = 1
    window: tuple = (3, 3)
    pads: list = field(default_factory=lambda: [1, 1, 1, 1])
    strides: tuple = (1, 1)
    dilations: tuple = (1, 1)
    group: int = 1
    open_batch: bool = False
    type: str = "f16"


FIXED = [
    Pair("plain"),
    Pair("open_batch", open_batch=True, batch=3, size=(7, 5)),
    Pair("strided", strides=(2, 2), size=(15, 14)),
    Pair("uneven_channels", channels=(4, 40, 72)),
    Pair("cut_runs", channels=(4, 21, 33)),
    Pair("groups", channels=(4, 64, 96), group=2),
    Pair("dilated", dilations=(2, 1), pads=[2, 0, 1, 1]),
    Pair("tf32", type="f32"),
    Pair("tf32_open_batch", type="f32", open_batch=True, batch=3, size=(7, 5)),
    Pair("tf32_strided", type="f32", strides=(2, 2), size=(15, 14)),
    Pair("tf32_cut_runs", type="f32", channels=(4, 21, 33)),
    Pair("tf32_groups", type="f32", channels=(4, 64, 96), group=2),
]


def draw(number):
    group = random.choice([1, 1, 1, 2])
    channels = random.choice([16, 24, 32, 40, 64, 96, 128]) * group
    return Pair(
        f"random{number}", channels=(random.choice([3, 8]), channels, random.choice([16, 24, 33, 64, 80]) * group),
        size=(random.randint(5, 16), random.randint(5, 16)), batch=random.choice([1, 1, 2]),
        window=(random.choice([1, 3, 5]), random.choice([1, 2, 3])), pads=[random.randint(0, 2) for _ in range(4)],
        strides=(random.choice([1, 1, 2]), random.choice([1, 1, 3])),
        dilations=(1, random.choice([1, 1, 2])), group=group, open_batch=random.random() < 0.2,
        type=random.choice(["f16", "bf16", "f32", "f32"]))


def draw_array(numbers, shape, divisor):
    return numbers.integers(-2, 3, shape).astype(numpy.float64) / divisor


def convolve(x, weights, p):
    """The second convolution of `p` in f64. x [n, c, h, w], weights [o, c / group, kh, kw]."""
    top, left, bottom, right = p.pads
    x = numpy.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
    outs, own = weights.shape[0] // p.group, weights.shape[1]
    extent = [(x.shape[2 + i] - (p.window[i] - 1) * p.dilations[i] - 1) // p.strides[i] + 1 for i in (0, 1)]
    result = numpy.zeros([x.shape[0], weights.shape[0], *extent])
    for i in range(p.window[0]):
        for j in range(p.window[1]):
            rows, columns = (slice(at * p.dilations[d], at * p.dilations[d] + (extent[d] - 1) * p.strides[d] + 1,
                                   p.strides[d]) for d, at in ((0, i), (1, j)))
            for g in range(p.group):
                result[:, g * outs:(g + 1) * outs] += numpy.einsum(
                    "nchw,oc->nohw", x[:, g * own:(g + 1) * own, rows, columns], weights[g * outs:(g + 1) * outs, :, i, j])
    return result


def make_model(p, first, second):
    element, _ = TYPES[p.type]
    weights = [helper.make_tensor(name, element, array.shape, array.flatten().astype(numpy.float32))
               for name, array in (("v", first), ("w", second))]
    nodes = [helper.make_node("Conv", ["x", "v"], ["m"], kernel_shape=[1, 1]),
             helper.make_node("Conv", ["m", "w"], ["s"], kernel_shape=p.window, pads=p.pads, strides=p.strides,
                              dilations=p.dilations, group=p.group),
             helper.make_node("Relu", ["s"], ["y"])]
    batch = "n" if p.open_batch else p.batch
    x = helper.make_tensor_value_info("x", element, [batch, p.channels[0], *p.size])
    y = helper.make_tensor_value_info("y", element, [batch, p.channels[2], None, None])
    return helper.make_model(helper.make_graph(nodes, p.name, [x], [y], weights),
                             opset_imports=[helper.make_opsetid("", 22)], ir_version=10)


def as_entry(name, array, p):
    """The member of an .npz file that tssa-run reads: bf16 as its bits."""
    return {f"{name}:bf16": array.view(numpy.uint16)} if p.type == "bf16" else {name: array}


def check(p, folder):
    """Gives None, or what went wrong."""
    os.makedirs(folder, exist_ok=True)
    _, dtype = TYPES[p.type]
    numbers = numpy.random.default_rng(sum(p.channels))
    first = draw_array(numbers, [p.channels[1], p.channels[0], 1, 1], 2)
    second = draw_array(numbers, [p.channels[2], p.channels[1] // p.group, *p.window], 4)
    x = draw_array(numbers, [p.batch, p.channels[0], *p.size], 2)
    middle = numpy.einsum("nchw,oc->nohw", x, first[:, :, 0, 0]).astype(dtype).astype(numpy.float64)
    y = numpy.maximum(convolve(middle, second, p), 0).astype(dtype)
    model, given, wanted, binary = (os.path.join(folder, name) for name in ("model.onnx", "in.npz", "out.npz", "model.so"))
    onnx.save(make_model(p, first, second), model)
    numpy.savez(given, **as_entry("x", x.astype(dtype), p))
    numpy.savez(wanted, **as_entry("y", y, p))
    precision = ["--precision=tf32"] if p.type == "f32" else []
    for command in (["tssa-compile", model, "--target=cuda-emu", "-o", binary, *precision],
                    ["tssa-run", binary, "--inputs", given, "--expect", wanted, "--rtol=0", "--atol=0"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr + done.stdout[-300:]
    return None


def main():
    folder, which = sys.argv[1], sys.argv[2]
    pairs = FIXED
    if which == "drawn":
        random.seed(int(sys.argv[3]))
        pairs = [draw(number) for number in range(int(sys.argv[4]))]
    right = 0
    for pair in pairs:
        complaint = check(pair, os.path.join(folder, pair.name))
        right += complaint is None
        if complaint:
            print(f"{pair}: {complaint}")
    print(f"{right} of {len(pairs)} pairs are right")


main()
