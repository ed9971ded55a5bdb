"""Well-known networks on an emulated device, and through ptxas.

usage: device_models_test.py [--bin DIR] [--match TEXT]

For each model of device_models.py, and for magika's where that package is installed:
  emulated   under cuda-emu, with races and bounds checked, it agrees with ONNX Runtime;
  on device  nothing but the routines that decision 2 of the architecture allows (TopK,
             sort, Unique, NonZero, NonMaxSuppression, Det, random) is left to the host;
  assembled  ptxas takes its kernels for sm_80 and sm_90 and spills no register
             (skipped where ptxas is absent).
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

import device_models
import harness
from models_test import difference
from small_models import SmallModel

ARCHS = ["sm_80", "sm_90"]
HALF_TOLERANCE = 1e-2  # of f16, in whose results both sides round at other places



def magika_model():
    """magika's model with two files' worth of random bytes, or None where it is not installed."""
    try:
        import magika
    except ImportError:
        return None
    folder = os.path.join(os.path.dirname(magika.__file__), "models")
    paths = [os.path.join(folder, name, "model.onnx") for name in sorted(os.listdir(folder))]
    model = onnx.load(next(path for path in paths if os.path.exists(path)))
    name, length = model.graph.input[0].name, model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    return SmallModel("magika", model, [(2,)], lambda n: {
        name: np.random.default_rng(n).integers(0, 257, (n, length)).astype(np.int32)})


def check_emulated(tools, small, path, folder):
    binary = os.path.join(folder, "emulated.so")
    outcome = tools.compile(path, binary, "--target=cuda-emu")
    if outcome.code != 0:
        return [f"tssa-compile ended with {outcome.code}: {outcome.first_error(600)}"]
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    given, results = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    complaints = []
    for sizes in small.sizes:
        inputs = small.inputs(*sizes)
        np.savez(given, **inputs)
        outcome = tools.call([tools.runner, binary, "--device=cuda-emu", "--inputs", given, "--outputs", results])
        if outcome.code != 0:
            complaints.append(f"sizes {sizes}: tssa-run ended with {outcome.code}: {outcome.first_error(600)}")
            continue
        with np.load(results) as got:
            for name, wanted in zip(names, session.run(None, inputs)):
                text = difference(wanted, got[name], *[HALF_TOLERANCE][:wanted.dtype == np.float16])
                if text:
                    complaints.append(f"sizes {sizes}: '{name}' {text}")
    return complaints


def check_on_device(tools, path, folder):
    text = os.path.join(folder, "te.mlir")
    outcome = tools.compile(path, text, "--target=cuda-emu", "--compile-to=te")
    if outcome.code != 0:
        return [f"tssa-compile ended with {outcome.code}: {outcome.first_error()}"]
    with open(text) as file:
        called = set(re.findall(r"te\.extern @(\w+)", file.read()))
    return [f"routine {name} runs on the host" for name in sorted(called - harness.ROUTINES)]


def check_assembled(tools, path, folder):
    binary = os.path.join(folder, "assembled.so")
    outcome = tools.compile(path, binary, "--target=" + ",".join(f"cuda:{arch}" for arch in ARCHS))
    if outcome.code != 0:
        return [f"tssa-compile ended with {outcome.code}: {outcome.first_error(600)}"]
    outcome = tools.call([tools.runner, binary, "--inspect", "--json"])
    if outcome.code != 0:
        return [f"tssa-run --inspect ended with {outcome.code}: {outcome.first_error()}"]
    complaints = []
    variants = json.loads(outcome.output)["variants"]
    if [variant["target"] for variant in variants] != [f"cuda:{arch}" for arch in ARCHS]:
        complaints.append(f"variants are {[variant['target'] for variant in variants]}")
    for variant in variants:
        if not variant["kernels"]:
            complaints.append(f"{variant['target']}: no kernels")
        for kernel in variant["kernels"]:
            if kernel["spill_bytes"] != 0:
                complaints.append(f"{variant['target']}: kernel {kernel['name']} spills {kernel['spill_bytes']} bytes")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--match", default="", metavar="TEXT", help="only models with TEXT in their name")
    options = parser.parse_args()
    tools = harness.Tools(options.bin, max(options.timeout, 300))
    models = [build() for build in device_models.ALL]
    magika = magika_model()
    passed = failed = skipped = 0
    if magika:
        models.append(magika)
    else:
        print("skipped magika: the package is not installed")
        skipped += 3
    for small in models:
        if options.match not in small.name:
            continue
        with tempfile.TemporaryDirectory(prefix="device-models-") as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(small.model, path)
            checks = {"emulated": lambda: check_emulated(tools, small, path, folder),
                      "on device": lambda: check_on_device(tools, path, folder)}
            if shutil.which("ptxas"):
                checks["assembled"] = lambda: check_assembled(tools, path, folder)
            else:
                print(f"skipped {small.name} assembled: ptxas is not on the PATH")
                skipped += 1
            for check, run in checks.items():
                complaints = run()
                passed += not complaints
                failed += bool(complaints)
                for complaint in complaints:
                    print(f"FAILED {small.name} {check}: {complaint}")
    return harness.print_counts(passed, failed, skipped)


if __name__ == "__main__":
    sys.exit(main())
