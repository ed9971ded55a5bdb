"""The cycles that the draft model predicts for the ninety operators and the models of the zoo, against a record.

usage: cycles.py check --bin DIR
       cycles.py record --bin DIR --reason TEXT
       cycles.py hollow ZOO...

`check` compiles each for the machine of pools/sapphirerapids.json, measures nothing, and so gives the same figures
everywhere. It lists what differs from cycles/record.json by more than SHOWN, and fails if the sum over the operators or
over the models is more than WORSE above the record's. `record` renews it; the reason says why the predictions changed, and
stands in the record until the next one. `hollow` writes the models of the zoo, without the values of their
large weights, to cycles/: `check` fills in random ones.
"""

import argparse
import concurrent.futures
import glob
import json
import lzma
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from subjects import operators, single

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER, RECORD = os.path.join(HERE, "cycles"), os.path.join(HERE, "cycles", "record.json")
SHOWN, WORSE = 1e-3, 0.02
#: elements of a weight that is filled in
LARGE = 64
CYCLES = re.compile(r"layout-schedule-default.*?Cycles=(\d+)")


def write_zoo(folder):
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.onnx.xz"))):
        with lzma.open(path) as file:
            model = onnx.load_model_from_string(file.read())
        random = np.random.default_rng(single.WEIGHT_SEED)
        for tensor in model.graph.initializer:
            if is_large(tensor):
                values = random.standard_normal(tuple(tensor.dims), dtype=np.float32)
                tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
        name = os.path.basename(path).removesuffix(".onnx.xz")
        onnx.save(model, os.path.join(folder, name + ".onnx"))
        yield name, os.path.join(folder, name + ".onnx")


def is_large(tensor):
    return tensor.data_type == TensorProto.FLOAT and math.prod(tensor.dims) > LARGE


def hollow(options):
    for path in options.models:
        model = onnx.load(path)
        for tensor in model.graph.initializer:
            if is_large(tensor):
                tensor.ClearField("raw_data")
                tensor.ClearField("float_data")
        for node in model.graph.node:
            node.ClearField("doc_string")
            node.ClearField("metadata_props")
        model.graph.ClearField("value_info")
        with lzma.open(os.path.join(FOLDER, os.path.basename(path) + ".xz"), "wb", preset=9) as file:
            file.write(model.SerializeToString(deterministic=True))


def predict(compiler, machine, path):
    """The sum of the cycles of a model's expressions."""
    done = subprocess.run([compiler, path, f"--machine={machine}", "--compile-to=layout", "-o", os.devnull, "--threads=1",
                           "--remarks=layout-schedule-default"], capture_output=True, text=True, timeout=300)
    found = [int(cycles) for cycles in CYCLES.findall(done.stderr)]
    if done.returncode or not found:
        sys.exit(f"{path} has no predictions:\n{done.stderr[-2000:]}")
    return sum(found)


def predict_all(options):
    """{part: {name: cycles}}"""
    result = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        machine = os.path.join(folder, "machine")
        with open(os.path.join(HERE, "pools", "sapphirerapids.json")) as pools, open(machine, "w") as file:
            file.write(json.load(pools)["machine"] + "\n")
        for part, write in (("operators", operators.write), ("zoo", write_zoo)):
            names, paths = zip(*write(folder))
            compiler = os.path.join(options.bin, "tssa-compile")
            result[part] = dict(zip(names, workers.map(lambda path: predict(compiler, machine, path), paths)))
    return result


def check(options):
    with open(RECORD) as file:
        recorded = json.load(file)
    failed = False
    for part, found in predict_all(options).items():
        known = recorded[part]
        for name in sorted({**known, **found}):
            old, new = known.get(name, 0), found.get(name, 0)
            if abs(new - old) > SHOWN * old:
                print(f"{name}: {old} cycles recorded, {new} predicted" + (f" ({new / old:.3f}x)" if old else ""))
        ratio = sum(found.values()) / sum(known.values())
        print(f"{part}: {len(found)}, {ratio:.4f} of the recorded cycles")
        if set(found) != set(known) or ratio > 1 + WORSE:
            failed = True
    if failed:
        print(f"more than {WORSE:.0%} worse than cycles/record.json, or other cases: mend it, or renew the record with a reason")
    sys.exit(failed)


def record(options):
    if not options.reason:
        sys.exit("a record needs a --reason")
    with open(RECORD, "w") as file:
        json.dump({"reason": options.reason, **predict_all(options)}, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["check", "record", "hollow"])
    parser.add_argument("models", nargs="*", help="models to hollow")
    parser.add_argument("--bin", default="build/release/bin", help="folder of tssa-compile")
    parser.add_argument("--reason", help="why the predictions changed")
    options = parser.parse_intermixed_args()
    {"check": check, "record": record, "hollow": hollow}[options.action](options)


if __name__ == "__main__":
    main()
