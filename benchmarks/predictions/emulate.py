"""What the emulated device counts: sectors, bank conflicts, blocks and calls of each launch of a program."""

import hashlib
import json
import os

from predictions.artifact import output_of

#: multiply-adds that the emulator does in a second on one core, with tensor cores and without; only orders of magnitude
RATES = {"f16": 0.3e9, "f32": 0.02e9}
#: the GPU whose schedules programs for the emulated device have
OWN = "sm_80"


def is_cheap(subject, seconds):
    return subject.multiply_adds * 1e9 / RATES[subject.dtype] <= seconds


def compile_for(tools, model, arch, folder):
    """A program for the emulated device with the schedules of a GPU."""
    stem = os.path.join(folder, f"{os.path.basename(model).removesuffix('.onnx')}.{arch}")
    options = []
    if arch != OWN:
        with open(stem + ".mlir", "w") as file:
            file.write(tools.text(model, f"cuda:{arch}", "--emit=schedule"))
        options = [f"--schedule={stem}.mlir"]
    tools.compile(model, "cuda-emu", stem + ".so", *options)
    return stem + ".so"


def count(tools, program, folder):
    """{number of a launch: kernel, threads, shared_bytes, calls, counters}; kept in `folder` by the program's hash."""
    with open(program, "rb") as file:
        kept = os.path.join(folder, f"counters-{hashlib.file_digest(file, 'sha256').hexdigest()[:16]}.json")
    if not os.path.exists(kept):
        text = output_of(os.path.join(tools.bin, "tssa-run"), program, "--device", "cuda-emu", "--random", "0", "--profile",
                         "--json")
        with open(kept, "w") as file:
            json.dump(json.loads(text)["profile"], file)
    (variant,) = tools.inspect(program)["variants"]
    entries = {entry["name"]: entry for entry in variant["kernels"]}
    with open(kept) as file:
        return {launch["launch"]: {**entries[launch["kernel"]], **launch} for launch in json.load(file)}
