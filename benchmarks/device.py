"""Checks and times models on a device, such as a GPU that is at hand only now and then.

usage: device.py prepare FOLDER [--bin DIR] [--targets cpu,cuda:sm_80,cuda:sm_90,cuda-emu] [--programs] [MODEL.onnx|DIR...]
       device.py run FOLDER [--bin DIR] [--device cuda:0] [--against cpu] [--out TABLE.md]

`prepare` compiles models and writes inputs and ONNX Runtime's answers: the networks of
test/onnx/device_models.py, or models with inputs and answers beside them as zoo/export.py
writes them; with --programs, PyTorch programs with views, writes and loops too, whose
answers are eager PyTorch's (needs torch and the Python package tssa). `run` needs nothing but Python and tssa-run: every case must agree with its
answers on the device, and is timed there and on `--against`; exit code 1 if one does not.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = "cpu,cuda:sm_80,cuda:sm_90,cuda-emu"


def prepare_small(small, folder):
    """Writes the model and its cases; gives the model's path."""
    import numpy as np
    import onnx
    import onnxruntime
    path = os.path.join(folder, small.name + ".onnx")
    onnx.save(small.model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    for i, sizes in enumerate(small.sizes):
        inputs = small.inputs(*sizes)
        np.savez(os.path.join(folder, f"{small.name}.{i}.in.npz"), **inputs)
        np.savez(os.path.join(folder, f"{small.name}.{i}.out.npz"), **dict(zip(names, session.run(None, inputs))))
    return path


PROGRAMS = ["lstm_loop", "ssd_decode", "yolov3_decode", "attention_cache"]
PROGRAM_SIZES = [(1, 16), (2, 64), (3, 33)]


def name_leaves(value, name):
    """The tensors of a result under the names that the compiled program gives them."""
    if isinstance(value, (list, tuple)):
        return {key: leaf for i, element in enumerate(value) for key, leaf in name_leaves(element, f"{name}.{i}").items()}
    return {name: value}


def prepare_program(name, options):
    """Compiles a PyTorch program once; writes cases at several sizes. Gives a complaint or None."""
    import copy
    import numpy as np
    import torch
    import tssa
    import programs
    compiled = tssa.compile(programs.PROGRAMS[name], target=options.targets, device="cpu")
    torch.set_num_threads(1)
    for i, (batch, seq) in enumerate(PROGRAM_SIZES):
        arguments = programs.make_inputs(name, batch, seq)
        compiled.prepare(*arguments)
        (binary,) = next(iter(compiled._binaries.values()))
        tensors = []
        compiled._key(compiled._bind(arguments, {}), tensors)
        names = [port[0] for port in binary.program.inputs]
        stem = os.path.join(options.folder, f"{name}.{i}.")
        np.savez(stem + "in.npz", **{key: compiled._pass(t).numpy() for key, t in zip(names, tensors)})
        answers = name_leaves(programs.PROGRAMS[name](*copy.deepcopy(arguments)), "result")
        np.savez(stem + "out.npz", **{key: tensor.numpy() for key, tensor in answers.items()})
    if compiled.num_binaries != 1:
        return f"{compiled.num_binaries} binaries for {len(PROGRAM_SIZES)} sizes"
    shutil.copy(os.path.join(binary.folder.name, "program.so"), os.path.join(options.folder, name + ".so"))
    return None


def prepare_programs(options):
    """Gives how many failed."""
    sys.path.insert(0, os.path.join(HERE, "torch"))
    os.environ["TSSA_COMPILE"] = os.path.abspath(os.path.join(options.bin, "tssa-compile"))
    failed = 0
    for name in PROGRAMS:
        try:
            complaint = prepare_program(name, options)
        except RuntimeError as error:
            complaint = str(error)
        failed += complaint is not None
        print(f"- {name}: {complaint or 'ok'}", flush=True)
    return failed


def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    models = []
    if options.models:
        sys.path.insert(0, HERE)
        import measure
        for path in options.models:
            for model in measure.models_in(path):
                stem = model[:-len(".onnx")]
                for case in glob.glob(glob.escape(stem) + ".*npz"):
                    shutil.copy(case, options.folder)
                models.append(model)
    else:
        sys.path.insert(0, os.path.join(HERE, "..", "test", "onnx"))
        import device_models
        models = [prepare_small(build(), options.folder) for build in device_models.ALL]
    failed = prepare_programs(options) if options.programs else 0
    for model in models:
        name = os.path.basename(model)[:-len(".onnx")]
        binary = os.path.join(options.folder, name + ".so")
        done = subprocess.run([os.path.join(options.bin, "tssa-compile"), model, "-o", binary,
                               f"--target={options.targets}"])
        failed += done.returncode != 0
        print(f"- {name}: {'ok' if done.returncode == 0 else 'FAILED to compile'}", flush=True)
    return 1 if failed else 0


def call(runner, *arguments):
    """Runs tssa-run for JSON; gives (object, None) or (None, complaint)."""
    done = subprocess.run([runner, *arguments, "--json"], capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 4):
        said = (done.stderr.strip() or "no message").splitlines()
        return None, f"exit code {done.returncode}: {said[-1][:300]}"
    return json.loads(done.stdout), None


def error_of(result):
    """Largest error over the largest magnitude of the wanted tensors, the worst of them; infinite for
    integers that differ and for what cannot be compared."""
    dtypes = {output["name"]: output["dtype"] for output in result["outputs"]}
    worst = 0.0
    for compared in result["expect"]:
        if "reason" in compared or compared["max_abs"] is None:
            return float("inf")
        exact = "f" not in dtypes[compared["name"]]
        if exact and compared["max_abs"] != 0:
            return float("inf")
        worst = max(worst, compared["max_abs"] / max(compared["max_reference"], 1e-9))
    return worst


def cases_of(binary):
    stem = glob.escape(binary[:-len(".so")])
    found = sorted(glob.glob(stem + ".in.npz") + glob.glob(stem + ".[0-9]*.in.npz"))
    return [(path, path[:-len("in.npz")] + "out.npz") for path in found]


def run_case(options, runner, binary, given, wanted):
    """Gives (row of the table, complaint or None)."""
    label = os.path.basename(given)[:-len(".in.npz")]
    result, complaint = call(runner, binary, f"--device={options.device}", "--inputs", given, "--expect", wanted,
                             "--bench", "--runs", str(options.runs))
    if complaint:
        return f"| {label} | failed | | | |", f"{label}: {complaint}"
    error = error_of(result)
    against, complaint = call(runner, binary, f"--device={options.against}", "--inputs", given, "--bench")
    other = f"{against['median_ms']:.3f}" if against else "-"
    row = f"| {label} | {error:.2g} | {result['median_ms']:.3f} | {result['p90_ms']:.3f} | {other} |"
    return row, None if error <= options.tolerance else f"{label}: off by {error:.3g}"


def run(options):
    runner = os.path.join(options.bin, "tssa-run")
    rows, complaints, device, passed = [], [], options.device, 0
    binaries = sorted(glob.glob(os.path.join(options.folder, "*.so")))
    for binary in binaries:
        cases = cases_of(binary)
        if not cases:
            complaints.append(f"{binary}: no inputs and answers beside it")
        for given, wanted in cases:
            row, complaint = run_case(options, runner, binary, given, wanted)
            rows.append(row)
            print(row, flush=True)
            passed += complaint is None
            if complaint:
                complaints.append(complaint)
    described, _ = call(runner, binaries[0], f"--device={device}", "--inputs", cases_of(binaries[0])[0][0]) \
        if binaries and cases_of(binaries[0]) else (None, None)
    device = described["device"] if described else device
    table = [f"On {device}; error is the largest over the largest magnitude of ONNX Runtime's or eager PyTorch's answer; `host` is "
             f"`--device={options.against}` of the same file, with copies in both.", "",
             "| case | error | median ms | p90 ms | host median ms |", "|---|---|---|---|---|", *rows]
    text = "\n".join(table) + "\n"
    print(f"\n{text}")
    if options.out:
        with open(options.out, "w") as file:
            file.write(text)
    for complaint in complaints:
        print(f"FAILED {complaint}")
    print(f"{passed} passed, {len(complaints)} failed")
    return 1 if complaints or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("prepare", help="compile models, write inputs and answers")
    first.add_argument("folder")
    first.add_argument("models", nargs="*")
    first.add_argument("--targets", default=TARGETS)
    first.add_argument("--programs", action="store_true", help="PyTorch programs too")
    second = commands.add_parser("run", help="check and time them on a device")
    second.add_argument("folder")
    second.add_argument("--device", default="cuda:0")
    second.add_argument("--against", default="cpu")
    second.add_argument("--runs", type=int, default=50)
    second.add_argument("--tolerance", type=float, default=1e-3)
    second.add_argument("--out")
    for command in (first, second):
        command.add_argument("--bin", default="build/release/bin")
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else run(options)


if __name__ == "__main__":
    sys.exit(main())
