"""Times small models with the schedules that the compiler chooses, and with those of the files beside this one.

usage: compare.py --bin DIR [--out FOLDER] [--rounds 9]

Both binaries of a model are checked against ONNX Runtime, and run in turns on one pinned thread. The figures are
medians: of whole runs, and of one launch of each kernel.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
#: name -> (channels of the input, size of the image, [(channels, window, groups)] of the convolutions)
MODELS = {
    "depthwise": (24, 56, [(144, 1, 1), (144, 3, 144), (24, 1, 1)]),
    "grouped": (64, 28, [(128, 1, 1), (128, 3, 32), (64, 1, 1)]),
    "ends": (64, 56, [(64, 3, 1)]),
}
LAUNCH = re.compile(r"^\s*([\d.]+)\s.*?(\w+): ", re.M)


def make_model(folder, name):
    """Writes NAME.onnx, NAME.in.npz and NAME.out.npz."""
    channels, size, convolutions = MODELS[name]
    chance = np.random.default_rng(0)
    nodes, weights, current, before = [], [], "x", channels
    for number, (after, window, groups) in enumerate(convolutions):
        weight = (chance.standard_normal((after, before // groups, window, window)) * 0.1).astype(np.float32)
        bias = chance.standard_normal(after).astype(np.float32)
        weights += [numpy_helper.from_array(weight, f"w{number}"), numpy_helper.from_array(bias, f"b{number}")]
        nodes.append(helper.make_node("Conv", [current, f"w{number}", f"b{number}"], [f"y{number}"], name=f"conv{number}",
                                      kernel_shape=[window] * 2, pads=[window // 2] * 4, group=groups))
        current, before = f"y{number}", after
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, name, [value("x", TensorProto.FLOAT, [1, channels, size, size])],
                              [value(current, TensorProto.FLOAT, [1, before, size, size])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path = os.path.join(folder, name)
    onnx.save(model, path + ".onnx")
    x = chance.standard_normal((1, channels, size, size)).astype(np.float32)
    np.savez(path + ".in.npz", x=x)
    np.savez(path + ".out.npz", **{current: onnxruntime.InferenceSession(path + ".onnx").run(None, {"x": x})[0]})


def build(tools, folder, name, suffix, *options):
    path = os.path.join(folder, name)
    done = subprocess.run([os.path.join(tools, "tssa-compile"), path + ".onnx", "-o", path + suffix, *options],
                          capture_output=True, text=True)
    if done.returncode or "warning" in done.stderr:
        sys.exit(f"{name}: {done.stderr}")
    run(tools, path + suffix, "--inputs", path + ".in.npz", "--expect", path + ".out.npz", "--rtol", "1e-3", "--atol", "1e-4")


def run(tools, binary, *options):
    done = subprocess.run([os.path.join(tools, "tssa-run"), binary, *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{binary}: {done.stdout}{done.stderr}")
    return done.stdout


def measure(tools, folder, name, rounds):
    """Median milliseconds of a run and of each launch, for both binaries."""
    variants = (".chosen.so", ".given.so")
    runs = {suffix: [] for suffix in variants}
    launches = {suffix: {} for suffix in variants}
    for _ in range(rounds):
        for suffix in variants:
            command = [os.path.join(folder, name) + suffix, "--random", "1", "--bench", "--runs", "60", "--threads", "1", "--pin"]
            runs[suffix].append(json.loads(run(tools, *command, "--json"))["median_ms"])
            for time, kernel in LAUNCH.findall(run(tools, *command, "--profile")):
                launches[suffix].setdefault(kernel, []).append(float(time))
    return {suffix: (statistics.median(runs[suffix]), {k: statistics.median(t) for k, t in launches[suffix].items()})
            for suffix in variants}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, metavar="DIR", help="the folder of tssa-compile and tssa-run")
    parser.add_argument("--out", default="schedules", metavar="FOLDER", help="for models and binaries")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    print("| model | chosen, ms | given, ms | ratio |\n|---|---|---|---|")
    details = []
    for name in MODELS:
        make_model(options.out, name)
        build(options.bin, options.out, name, ".chosen.so")
        build(options.bin, options.out, name, ".given.so", "--schedule=" + os.path.join(HERE, name + ".mlir"))
        (chosen, before), (given, after) = measure(options.bin, options.out, name, options.rounds).values()
        print(f"| {name} | {chosen:.4f} | {given:.4f} | {chosen / given:.2f} |")
        for label, times in (("chosen", before), ("given", after)):
            details.append(f"{name}, {label}: " + ", ".join(f"{k} {t:.4f}" for k, t in sorted(times.items())))
    print("\nMilliseconds of one launch:\n\n" + "\n".join(f"- {line}" for line in details))


if __name__ == "__main__":
    main()
