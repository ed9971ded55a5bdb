"""The spread between starts: one binary, many fresh processes, the median of each.

A layout of memory that is lucky or unlucky stays so for a process's life, so one process cannot show it. Half of the
starts leave memory as the loader made it; the other half take a block of random size first, so that the arena lies
elsewhere. Models: the form of text recognisers, chains of depthwise layers at an image of 48 x 320.
"""

import functools
import os
import random
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import measure
from compare import machine
from compare.seat import Seat
from compare.worker import Failure, Worker

SEED = 5
HEIGHT, WIDTH = 48, 320
#: name -> (channels, kernel and stride of each depthwise layer)
CHAINS = {"ocr_3x3": (32, [(3, 2), (3, 1), (3, 2), (3, 1), (3, 1)]),
          "ocr_5x5": (64, [(5, 2), (5, 2), (5, 1), (5, 1), (5, 1)]),
          "ocr_7x7": (48, [(7, 2), (7, 1), (7, 2), (7, 1)]),
          "ocr_mixed": (96, [(3, 2), (3, 1), (5, 2), (5, 1), (7, 1), (5, 1)])}
#: of calls in each start, and how many at the least
SECONDS, LEAST = 0.2, 20
#: powers of two between which the blocks lie: of the heap, and mapped on their own
SHIFTS = (6, 23)
SYSTEMS = ("tssa", "baseline", "ort")


def chain(path, channels, layers):
    """Writes a chain of 1x1, hard-swish, depthwise, hard-swish."""
    generator = np.random.default_rng(SEED)
    nodes, constants, value = [], [], "x"

    def convolve(value, name, shape, stride, groups):
        weight = generator.standard_normal(shape, dtype=np.float32) / np.float32(np.prod(shape[1:])**0.5)
        constants.append(numpy_helper.from_array(weight, name + ".w"))
        nodes.append(helper.make_node("Conv", [value, name + ".w"], [name], group=groups, pads=[shape[2] // 2] * 4,
                                      strides=[stride] * 2))
        nodes.append(helper.make_node("HardSwish", [name], [name + ".y"]))
        return name + ".y"

    inputs = 3
    for i, (kernel, stride) in enumerate(layers):
        value = convolve(value, f"point{i}", (channels, inputs, 1, 1), 1, 1)
        value = convolve(value, f"depth{i}", (channels, 1, kernel, kernel), stride, channels)
        inputs = channels
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "chain", [info("x", TensorProto.FLOAT, [1, 3, HEIGHT, WIDTH])],
                              [info(value, TensorProto.FLOAT, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    stem = path[:-len(".onnx")]
    given = {"x": generator.standard_normal((1, 3, HEIGHT, WIDTH), dtype=np.float32)}
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    np.savez(stem + ".in.npz", **given)
    np.savez(stem + ".out.npz", **{value: session.run(None, given)[0]})


def measure_chain(options, folder, name):
    path = os.path.join(folder, name + ".onnx")
    chain(path, *CHAINS[name])
    stem = path[:-len(".onnx")]
    seats = {}
    for system in options.systems:
        task = {"model": path, "inputs": stem + ".in.npz", "threads": 1, "program": None,
                "names": list(measure.load_npz(stem + ".out.npz"))}
        if system in options.bins:
            binary = f"{stem}.{system}.so"
            compiled = measure.compile_model(os.path.join(options.bins[system], "tssa-compile"), path, binary)
            if compiled.code:
                raise Failure(f"{name}: {compiled.failure}")
            task.update(binary=binary, library=os.path.join(options.bins[system], "..", "lib", "libtssart.so"))
        hire = functools.partial(Worker, system, 1, machine.cpus(), {})
        seats[system] = Seat(hire, system, task, stem + ".out.npz")
    generator = random.Random(SEED)
    blocks = {system: {"as loaded": [], "shifted": []} for system in seats}
    for index in range(options.starts):
        shift = int(2**generator.uniform(*SHIFTS)) if index % 2 else 0
        for system, seat in seats.items():
            block = seat.block(SECONDS, LEAST, shift)
            blocks[system]["shifted" if shift else "as loaded"].append(block)
    return blocks


def measure_starts(options):
    """Gives the blocks of every start by chain, system and place."""
    options.systems = [system for system in options.systems if system in SYSTEMS]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or CHAINS:
            results[name] = measure_chain(options, folder, name)
            print(f"{name}: {options.starts} starts", flush=True)
    return {"chains": results}
