"""Pools of measured points of the template, and how well the draft model ranks them.

usage: pools.py record --bin DIR --out FILE.json [--points 45] [NAME...]
       pools.py check --bin DIR FILE.json...

`record` compiles operators of operators.json (NAME:last is one on tensors with channels last) at the points that the
draft ranks first and at random ones, checks each result against the first point's, and times it on one thread by the
thread's clock, in turns. The file names the machine.
`check` predicts the times of the recorded points again, with the draft of DIR and the machine of the file, and measures
nothing, so it gives the same figures everywhere, whether or not the space still has a point. It fails if a figure is below
that of LEAST.
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import numpy_helper

from compare import clocks
from subjects import operators, single

#: of the mean over operators: rank correlation, share of the pool's best of the first pick, of the best of 8 picks
LEAST = {"correlation": 0.55, "first": 0.65, "of8": 0.93}
FIRST, TURNS, SLICE_SECONDS, LEAST_CALLS, TOLERANCE = 8, 4, 4e-3, 2, 1e-4
POINT = re.compile(r'Cycles=(\d+).*?Point="(.*?)", Points=(\d+)')
PRINTED = re.compile(r"^\s+([\d.e+]+) cycles: (.*)$", re.M)


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0] * len(values)
    for position, index in enumerate(order):
        result[index] = position
    return result


def correlation(a, b):
    """Spearman's, of values without ties."""
    n = len(a)
    apart = sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b)))
    return 1 - 6 * apart / (n * (n * n - 1)) if n > 2 else 1.0


def judge(times, predictions):
    """The figures of one pool: measured times and predicted ones."""
    order = sorted(range(len(times)), key=lambda i: predictions[i])
    best = min(times)
    return {"correlation": correlation(times, predictions), "first": best / times[order[0]],
            "of8": best / min(times[i] for i in order[:8])}


def mean(figures):
    """Means over pools: arithmetic of correlations, geometric of shares."""
    count = max(1, len(figures))
    result = {name: math.exp(sum(math.log(f[name]) for f in figures) / count) for name in ("first", "of8")}
    return {"correlation": sum(f["correlation"] for f in figures) / count, **result}


def report(name, figures, count):
    print(f"{name:8s} {count:4d} points, correlation {figures['correlation']:5.2f}, first pick {figures['first']:.2f}, "
          f"best of 8 {figures['of8']:.2f}", flush=True)


def write_model(folder, name, entry):
    """Writes the operator, or for NAME:last the operator on tensors that store channels last. Gives path and shape."""
    node, shape, weight = operators.node_of(entry)
    if not name.endswith(":last"):
        return single.write(folder, name, node, shape, weight), shape
    rank = len(shape)
    shape = (shape[0], *shape[2:], shape[1])
    node.input[0], node.output[0] = "first", "convolved"
    nodes = [onnx.helper.make_node("Transpose", ["x"], ["first"], perm=[0, rank - 1, *range(1, rank - 1)]), node,
             onnx.helper.make_node("Transpose", ["convolved"], ["y"], perm=[0, *range(2, rank), 1])]
    return single.write(folder, name.replace(":", "-"), nodes, shape, weight), shape


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stderr}")
    return done


class Recorder:
    """Compiles and times the points of operators."""

    def __init__(self, options, folder):
        import tssa_runtime
        self.runtime, self.options, self.folder = tssa_runtime, options, folder
        self.library = tssa_runtime.Library(os.path.join(options.bin, "..", "lib", "libtssart.so"))

    def compile(self, model, rank):
        """(binary, cycles, point, number of points), or None if the operator has no space."""
        binary = os.path.join(self.folder, f"{rank}.so")
        done = run(os.path.join(self.options.bin, "tssa-compile"), model, "-o", binary, f"--point={rank}",
                   "--remarks=layout-schedule-default")
        found = POINT.search(done.stderr)
        return (binary, int(found[1]), found[2], int(found[3])) if found else None

    def load(self, binary, x):
        runner = self.runtime.TssaRunner(self.library, binary, {"x": x}, 1)
        (result,) = runner.run().values()
        return runner, result

    def record(self, name, entry):
        """The measured points of one operator: [milliseconds, point]."""
        model, shape = write_model(self.folder, name, entry)
        first = self.compile(model, 0)
        if not first:
            return None
        chance = random.Random(name)
        count = first[3]
        chosen = set(range(min(FIRST, count)))
        chosen.update(chance.sample(range(count), min(self.options.points - len(chosen), count)))
        x = np.random.default_rng(5).standard_normal(shape, dtype=np.float32)
        runners, expected = [], None
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            compiled = list(workers.map(lambda rank: self.compile(model, rank), sorted(chosen)))
        for binary, cycles, point, _ in compiled:
            runner, result = self.load(binary, x)
            os.remove(binary)
            expected = result if expected is None else expected
            if not np.abs(result - expected).max() <= TOLERANCE * np.abs(expected).max():
                sys.exit(f"{name}: the result of '{point}' is wrong")
            runners.append((runner, cycles, point))
        times = [math.inf] * len(runners)
        for _ in range(TURNS):
            for i, (runner, _, _) in enumerate(runners):
                times[i] = min(times[i], clocks.block(runner.call, time.thread_time, SLICE_SECONDS, LEAST_CALLS)["cpu"][0])
        report(name, judge(times, [cycles for _, cycles, _ in runners]), len(times))
        return sorted([t, point] for t, (_, _, point) in zip(times, runners))


def record(options):
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(options, folder)
        machine = run(os.path.join(options.bin, "tssa-compile"), "--emit=machine").stdout.strip()
        pools = {}
        for name, entry in operators.select(options.names, lambda name: name.removesuffix(":last")).items():
            pool = recorder.record(name, entry)
            if pool:
                pools[name] = pool
    with open(options.out, "w") as file:
        lines = ",\n".join(f'  "{name}": [\n' + ",\n".join("   " + json.dumps(row) for row in rows) + "]"
                           for name, rows in pools.items())
        file.write(f'{{"machine": {json.dumps(machine)},\n "pools": {{\n{lines}}}}}\n')


def add_weights(program, weight):
    """Adds the bytes of the constant, which the text of a stage leaves out: the draft asks what can be packed."""
    data = "04000000" + weight.tobytes().hex().upper()
    with open(program, "a") as file:
        file.write(f'{{-# dialect_resources: {{ builtin: {{ w: "0x{data}" }} }} #-}}\n')


def predict(options, folder, name, entry, machine, points):
    """The predicted cycles of `points` of one operator."""
    model, _ = write_model(folder, name, entry)
    program = os.path.join(folder, "program.mlir")
    run(os.path.join(options.bin, "tssa-compile"), model, f"--machine={machine}", "--compile-to=te", "-o", program)
    add_weights(program, numpy_helper.to_array(onnx.load(model).graph.initializer[0]))
    with open(machine) as file:
        model_of_machine = re.search(r"#layout.machine(<[^>]*>)", file.read())[1]
    with open(program) as file:
        text = file.read().replace("module {", f"module attributes {{layout.machine = #layout.machine{model_of_machine}}} {{", 1)
    with open(program, "w") as file:
        file.write(text)
    asked = os.path.join(folder, "points")
    with open(asked, "w") as file:
        file.write("\n".join(points))
    done = run(os.path.join(options.bin, "tssa-opt"), program, "--layout-choose-stores", "--layout-materialize-stores",
               f"--layout-print-template=scores={asked}", "-o", os.devnull)
    predicted = {point: float(cycles) for cycles, point in PRINTED.findall(done.stdout)}
    for point in points:
        if point not in predicted:
            sys.exit(f"{name}: '{point}' has no time:\n{done.stdout}")
    return [predicted[point] for point in points]


def check(options):
    failed = False
    for path in options.names:
        with open(path) as file:
            recorded = json.load(file)
        figures = []
        with tempfile.TemporaryDirectory() as folder:
            machine = os.path.join(folder, "machine")
            with open(machine, "w") as file:
                file.write(recorded["machine"] + "\n")
            for name, entry in operators.select(list(recorded["pools"]), lambda name: name.removesuffix(":last")).items():
                times, points = zip(*recorded["pools"][name])
                figures.append(judge(times, predict(options, folder, name, entry, machine, points)))
                report(name, figures[-1], len(times))
        means = mean(figures)
        report("mean", means, len(figures))
        for name, least in LEAST.items():
            if means[name] < least:
                print(f"{path}: {name} is {means[name]:.3f}, expected at least {least}")
                failed = True
    sys.exit(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "check"])
    parser.add_argument("names", nargs="*", help="operators to record, or files to check")
    parser.add_argument("--bin", required=True, help="folder of tssa-compile and tssa-opt")
    parser.add_argument("--out", help="file to write")
    parser.add_argument("--points", type=int, default=45, help="points of an operator")
    options = parser.parse_intermixed_args()
    (record if options.action == "record" else check)(options)


if __name__ == "__main__":
    main()
