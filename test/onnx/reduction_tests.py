"""Reductions of the sizes of real models, and sums of millions, against numpy in double precision.

usage: reduction_tests.py [--bin DIR] [--count N] [--match TEXT]

Every operator of ONNX that reduces, over one, several or all axes, with each type that it takes and with
fixed or open sizes. Ten cases are one model. Sums of many values must be as exact as if they were added
in pairs: a float32 accumulator that takes one value after the other loses one in a thousand.
"""

import argparse
import concurrent.futures
import itertools
import os
import random
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper

import harness

#: Activations of transformers and convolutional networks, long rows and columns, and what divides by nothing.
SHAPES = [
    (128, 3072), (197, 3072), (512, 3072), (512, 768), (768, 3072), (384, 1024), (1, 197, 768), (8, 128, 768),
    (12, 128, 128), (1, 64, 112, 112), (2, 3, 224, 224), (1, 256, 56, 56), (1, 1280, 7, 7), (4, 16, 8, 9, 10),
    (30522,), (1000, 513), (1_048_576,), (1_000_003,), (3, 400_001), (300_000, 4), (70_000, 17), (1021, 1031),
    (1, 1, 2048, 517), (6, 7), (2, 1, 3), (1,), (65_536, 3), (5, 131_072), (257, 255, 17),
]
FLOATS = ["float32", "float32", "float32", "float64", "float16"]
TYPES = {
    "ReduceMax": FLOATS + ["int32", "int64", "int8", "uint8"],
    "ReduceMin": FLOATS + ["int32", "int64", "int8", "uint8"],
    "ReduceSum": FLOATS + ["int32", "int64"], "ReduceMean": FLOATS, "ReduceProd": ["float32", "float64"],
    "ReduceL1": FLOATS + ["int32"], "ReduceL2": FLOATS, "ReduceSumSquare": FLOATS + ["int64"],
    "ReduceLogSum": FLOATS, "ReduceLogSumExp": FLOATS,
}
EXACT = {
    "ReduceMax": lambda x, axes: x.max(axes, keepdims=True), "ReduceMin": lambda x, axes: x.min(axes, keepdims=True),
    "ReduceSum": lambda x, axes: x.sum(axes, keepdims=True), "ReduceMean": lambda x, axes: x.mean(axes, keepdims=True),
    "ReduceProd": lambda x, axes: x.prod(axes, keepdims=True),
    "ReduceL1": lambda x, axes: np.abs(x).sum(axes, keepdims=True),
    "ReduceL2": lambda x, axes: np.sqrt((x * x).sum(axes, keepdims=True)),
    "ReduceSumSquare": lambda x, axes: (x * x).sum(axes, keepdims=True),
    "ReduceLogSum": lambda x, axes: np.log(x.sum(axes, keepdims=True)),
    "ReduceLogSumExp": lambda x, axes: np.log(np.exp(x).sum(axes, keepdims=True)),
}
#: What is asked of results, relative to them: float16 results are rounded once, to eleven bits. A product of
#: float32 loses a little with each factor, whatever their order.
TOLERANCES = {"float32": 4e-6, "float64": 1e-12, "float16": 1e-3}
LOSS_OF_FACTOR = 1e-9


class Case:
    """One reduction: operator, shape, axes, type, and whether the sizes are open."""

    def __init__(self, op, shape, axes, dtype, is_open, value=None):
        self.op, self.shape, self.axes, self.dtype, self.is_open, self.value = op, shape, axes, dtype, is_open, value

    def __str__(self):
        value = "" if self.value is None else f" of {self.value}"
        return f"{self.op} {list(self.shape)} {list(self.axes)} {self.dtype}{' open' if self.is_open else ''}{value}"

    def count(self):
        return int(np.prod([self.shape[axis] for axis in self.axes]))

    def tolerance(self):
        loss = LOSS_OF_FACTOR * self.count() if self.op == "ReduceProd" else 0
        return TOLERANCES.get(self.dtype, 0) + loss

    def make_input(self, rng):
        if self.value is not None:
            return np.full(self.shape, self.value, self.dtype)
        if "int" in self.dtype:
            return rng.integers(0 if self.dtype == "uint8" else -100, 100, self.shape).astype(self.dtype)
        spread = 0.5 if self.op != "ReduceProd" else 0.5 / np.sqrt(self.count())
        # Sums of the squares of float16 fit into float16.
        scale = 1 if self.dtype != "float16" or self.op == "ReduceLogSumExp" else 100 / self.count()
        return (rng.uniform(1 - spread, 1 + spread, self.shape) * scale).astype(self.dtype)

    def expected(self, values):
        exact = values.astype(np.int64) if "int" in self.dtype else values.astype(np.float64)
        return EXACT[self.op](exact, tuple(self.axes)).astype(self.dtype)


def choose_cases(count):
    """`count` cases: first each operator on the shape of a quantised BERT's activations, then any."""
    choose = random.Random(7)
    cases = [Case(op, (128, 3072), (0, 1), "float32", False) for op in TYPES]
    for op, shape in zip(itertools.cycle(TYPES), itertools.cycle(SHAPES)):
        if len(cases) >= count:
            return cases
        axes = sorted(choose.sample(range(len(shape)), choose.randint(1, len(shape))))
        cases.append(Case(op, shape, axes, choose.choice(TYPES[op]), choose.random() < 0.3))


def long_sums():
    """Equal values, whose errors do not cancel."""
    return [
        Case("ReduceSum", (20_000_000,), (0,), "float32", False, 0.1),
        Case("ReduceSum", (20_000_000,), (0,), "float32", True, 0.1),
        Case("ReduceMean", (1, 3, 2400, 2667), (1, 2, 3), "float32", False, 0.1),
        Case("ReduceMean", (1, 3, 2400, 2667), (1, 2, 3), "float32", True, 0.1),
        Case("ReduceSum", (300_000, 4), (0,), "float32", False, 0.1),
        Case("ReduceSum", (300_000, 64), (0,), "float32", True, 0.1),
        Case("ReduceSum", (2_000_003, 3), (0,), "float32", False, 0.1),
        Case("ReduceL2", (19_200_000,), (0,), "float32", False, 0.1),
        Case("ReduceSumSquare", (300_000, 64), (0,), "float32", False, 0.1),
        Case("ReduceL1", (5, 1_000_000), (1,), "float32", True, -0.1),
    ]


def make_model(cases):
    nodes, inputs, outputs, constants = [], [], [], []
    for number, case in enumerate(cases):
        dims = [f"n{number}_{at}" for at in range(len(case.shape))] if case.is_open else case.shape
        dtype = helper.np_dtype_to_tensor_dtype(np.dtype(case.dtype))
        inputs.append(helper.make_tensor_value_info(f"x{number}", dtype, dims))
        outputs.append(helper.make_tensor_value_info(f"y{number}", dtype, None))
        constants.append(onnx.numpy_helper.from_array(np.array(case.axes, np.int64), f"a{number}"))
        nodes.append(helper.make_node(case.op, [f"x{number}", f"a{number}"], [f"y{number}"]))
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def find_faults(tools, folder, number, cases):
    """Runs the cases as one model; a line for each that is wrong."""
    rng = np.random.default_rng(number)
    path = os.path.join(folder, f"{number}")
    model = make_model(cases)
    onnx.save(model, path + ".onnx")
    values = [case.make_input(rng) for case in cases]
    harness.save_npz(path + ".npz", values, model.graph.input)
    done = tools.compile(path + ".onnx", path + ".so")
    if done.code == 0:
        done = tools.call([tools.runner, path + ".so", "--inputs", path + ".npz", "--outputs", path + ".out.npz"])
    if done.code != 0:
        return [f"{'; '.join(map(str, cases))}: {done.first_error()}"] * len(cases)
    faults = []
    with np.load(path + ".out.npz") as results:
        for at, (case, value) in enumerate(zip(cases, values)):
            got, want = results[f"y{at}"].astype(np.float64), case.expected(value).astype(np.float64)
            error = np.max(np.abs(got - want) / np.maximum(np.abs(want), 1e-30), initial=0)
            if got.shape != want.shape or not error <= case.tolerance():
                faults.append(f"{case}: off by {error:.1e}")
    for end in (".npz", ".out.npz", ".so", ".onnx"):
        os.remove(path + end)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    harness.add_tool_options(parser)
    parser.add_argument("--count", type=int, default=200, help="reductions besides the long sums")
    parser.add_argument("--match", default="", help="only cases whose text contains this, each alone")
    options = parser.parse_args()
    cases = [case for case in choose_cases(options.count) + long_sums() if options.match in str(case)]
    size = 1 if options.match else 10
    groups = [cases[at : at + size] for at in range(0, len(cases), size)]
    tools = harness.Tools(options.bin, options.timeout)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(find_faults, tools, folder, number, group) for number, group in enumerate(groups)]
        faults = [fault for run in runs for fault in run.result()]
    for fault in dict.fromkeys(faults):
        print(f"FAILED {fault}")
    return harness.print_counts(len(cases) - len(faults), len(faults), 0)


sys.exit(main())
