#!/usr/bin/env python3
"""Measures how long a process takes until its first result, beside ONNX Runtime and OpenVINO.

usage: load.py [--bin DIR] [--rounds 7] [--open 128] MODEL.onnx|DIR...

Every figure is of a fresh process with one thread: import and load, then the first run, then the largest resident
memory. The systems take turns, and the table has medians: CPU time / wall time in ms, memory in MB. TSSA loads what
tssa-compile wrote before; the others load the ONNX file. numpy is imported and the inputs are made before the clocks
start, and a turn that is not counted brings the files into memory. The inputs are in MODEL.in.npz (zoo/export.py), or
are made: there, open sizes are --open, the first of each input 1.
Python needs the package tssa (python-bindings), numpy and onnx. Of the others, those that are missing are left out.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import measure


def load_tssa(model, verify=True):
    import tssa

    session = tssa.Session(model, threads=1, verify=verify)
    return lambda inputs: session.run(None, inputs)


def load_unverified(model):
    return load_tssa(model, verify=False)


def load_onnxruntime(model):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, inputs)


def load_openvino(model):
    import openvino

    settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": 1,
                "INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(model, "CPU", settings)
    return compiled.create_infer_request().infer


#: numpy's own threads would spin while the clocks run
ALONE = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

#: name in the table -> package, how it loads, whether it loads what tssa-compile wrote
SYSTEMS = {"TSSA": ("tssa", load_tssa, True), "TSSA, verify=False": ("tssa", load_unverified, True),
           "ONNX Runtime": ("onnxruntime", load_onnxruntime, False), "OpenVINO": ("openvino", load_openvino, False)}


def peak_megabytes():
    """The largest resident memory of this process. That of getrusage includes its parent's."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) * 1024 / 1e6


def be_measured(system, model, inputs):
    """Is what each fresh process does: prints its figures."""
    given = measure.load_npz(inputs)
    clocks = [(time.process_time(), time.perf_counter())]
    run = SYSTEMS[system][1](model)
    clocks.append((time.process_time(), time.perf_counter()))
    run(given)
    clocks.append((time.process_time(), time.perf_counter()))
    steps = [[1e3 * (after - before) for before, after in zip(*pair)] for pair in zip(clocks, clocks[1:])]
    print(json.dumps(steps[0] + steps[1] + [peak_megabytes()]))


def make_inputs(model, size, path):
    """Writes inputs for a model: seeded floats and ones of other types."""
    import onnx

    graph = onnx.load(model, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    random = np.random.default_rng(0)
    inputs = {}
    for port in graph.input:
        if port.name in constants:
            continue
        kind = port.type.tensor_type
        shape = [dim.dim_value or (size if i else 1) for i, dim in enumerate(kind.shape.dim)]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        inputs[port.name] = (random.random(shape) if dtype.kind == "f" else np.ones(shape)).astype(dtype)
    np.savez(path, **inputs)


def take_turns(systems, rounds, files, inputs):
    """system -> medians of its figures."""
    figures = {system: [] for system in systems}
    for turn in range(rounds + 1):
        for system in systems:
            command = [sys.executable, os.path.abspath(__file__), "--measure", system, files[system], inputs]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=ALONE)
            if done.returncode:
                raise RuntimeError(f"{system}: {done.stderr.strip()[-300:]}")
            if turn:
                figures[system].append(json.loads(done.stdout.splitlines()[-1]))
    return {system: [statistics.median(column) for column in zip(*rows)] for system, rows in figures.items()}


def measure_model(model, options, systems):
    """Prints a row for each system."""
    name = os.path.basename(model)[:-len(".onnx")]
    with tempfile.TemporaryDirectory(prefix="tssa-load-") as folder:
        binary, inputs = os.path.join(folder, "model.so"), os.path.join(folder, "inputs.npz")
        done = measure.compile_model(os.path.join(options.bin, "tssa-compile"), model, binary)
        if done.code:
            print(f"| {name} | {done.failure} |", flush=True)
            return
        beside = model[:-len(".onnx")] + ".in.npz"
        if os.path.exists(beside):
            inputs = beside
        else:
            make_inputs(model, options.open, inputs)
        files = {system: binary if SYSTEMS[system][2] else model for system in systems}
        for system, row in take_turns(systems, options.rounds, files, inputs).items():
            load_cpu, load_wall, run_cpu, run_wall, peak = row
            print(f"| {name} | {os.path.getsize(model) / 1e6:.0f} | {system} | {load_cpu:.0f} / {load_wall:.0f} | "
                  f"{run_cpu:.0f} / {run_wall:.0f} | {peak:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--bin", default="build/release/bin", help="folder of tssa-compile")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--open", type=int, default=128, help="open sizes, but the first of each input")
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx|DIR")
    options = parser.parse_args()
    systems = [name for name, (package, _, _) in SYSTEMS.items() if importlib.util.find_spec(package)]
    for name in SYSTEMS.keys() - set(systems):
        print(f"{name} is missing, and left out", file=sys.stderr)
    print("| model | MB | system | import and load | first run | peak |\n|---|---|---|---|---|---|")
    for path in options.models:
        for model in measure.models_in(path):
            measure_model(model, options, systems)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        be_measured(*sys.argv[2:])
    else:
        main()
