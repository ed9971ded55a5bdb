"""`device.py prepare`: compiles models and writes their inputs and answers, on a machine without a device."""

import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys

from devices.cases import PACKED, binaries_in, pack
from devices.rivals import is_installed

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEWER_ARCH = "sm_120"
# What travels to a device is often limited to this.
MOST_BYTES = 64 << 20


def prepare_small(small, folder, repeated):
    """Writes the model, with weights that repeat if they are to pack well, and its cases; gives the model's path."""
    import numpy as np
    import onnx
    import onnxruntime
    if repeated:
        from devices import programs
        programs.repeat_weights(small.model)
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
    sys.path.insert(0, os.path.join(BENCHMARKS, "torch"))
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


def given_models(options):
    """The paths of the given models; copies what is beside them."""
    sys.path.insert(0, BENCHMARKS)
    import measure
    models = [model for path in options.models for model in measure.models_in(path)]
    for model in models:
        for case in glob.glob(glob.escape(model[:-len(".onnx")]) + ".*npz"):
            shutil.copy(case, options.folder)
    return models


def small_models(options):
    """The paths of the networks of test/onnx/device_models.py."""
    sys.path.insert(0, os.path.join(BENCHMARKS, "..", "test", "onnx"))
    import device_models
    builders = [device_models.mmoe] if options.tiny else device_models.ALL
    return [prepare_small(build(), options.folder, options.check) for build in builders]


def compile_model(options, model, binary, targets):
    """Gives whether that worked."""
    command = [os.path.join(options.bin, "tssa-compile"), model, "-o", binary, f"--target={targets}"]
    if options.check:  # the device's host is another machine than this one
        command += ["--mcpu=x86-64-v3", "--threads=1"]
    worked = subprocess.run(command).returncode == 0
    name = os.path.basename(binary)[:-len(".so")]
    print(f"- {name}: {f'{os.path.getsize(binary) / 1024:.0f} KiB' if worked else 'FAILED to compile'}", flush=True)
    return worked


def compile_all(options, jobs):
    """Compiles each (model, binary, targets), two at a time; gives how many failed."""
    with concurrent.futures.ThreadPoolExecutor(2 if options.check else 1) as pool:
        return sum(not worked for worked in pool.map(lambda job: compile_model(options, *job), jobs))


def find_commit():
    done = subprocess.run(["git", "-C", BENCHMARKS, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def prepare_check(options):
    """Writes products and programs for rates, a program for devices that are to come, and what all this is;
    gives what to compile."""
    from devices import programs
    folders = {name: os.path.join(options.folder, name) for name in ("products", "rates", "newer")}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    contents = {"commit": find_commit(),
                "products": programs.make_products(folders["products"], options.tiny),
                "rates": programs.make_rates(folders["rates"], options.tiny)}
    with open(os.path.join(options.folder, "check.json"), "w") as file:
        json.dump(contents, file, indent=1)
    models = [(model, options.targets) for name in ("products", "rates")
              for model in sorted(glob.glob(os.path.join(glob.escape(folders[name]), "*.onnx")))]
    jobs = [(model, model[:-len(".onnx")] + ".so", targets) for model, targets in models]
    return jobs + [(jobs[0][0], os.path.join(folders["newer"], NEWER_ARCH + ".so"), f"cuda:{NEWER_ARCH}")]


def pack_folder(options, models):
    """Packs the networks and says what the folder weighs; gives whether it is small enough to travel."""
    for binary in binaries_in(options.folder):
        pack(binary)
    for model in [] if options.models else models:  # their sources; those that were given stay
        os.remove(model)
    sizes = [os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(options.folder) for name in names]
    print(f"{options.folder}: {len(sizes)} files, {sum(sizes) / 2 ** 20:.1f} MiB (networks as .so{PACKED})")
    if not shutil.which("ptxas"):
        print("there is no ptxas: the programs have PTX and no cubins")
    if sum(sizes) > MOST_BYTES:
        print(f"FAILED the folder is larger than {MOST_BYTES >> 20} MiB")
    return sum(sizes) <= MOST_BYTES


def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    models = given_models(options) if options.models else small_models(options)
    has_torch = is_installed("torch") and is_installed("tssa")
    if options.check and not has_torch:
        print("PyTorch programs are left out: torch and tssa are not both installed")
    failed = prepare_programs(options) if options.programs or (options.check and has_torch) else 0
    jobs = [(model, os.path.join(options.folder, os.path.basename(model)[:-len(".onnx")] + ".so"), options.targets)
            for model in models]
    if options.check:
        jobs += prepare_check(options)
    failed += compile_all(options, jobs)
    if options.check:
        failed += not pack_folder(options, models)
    return 1 if failed else 0
