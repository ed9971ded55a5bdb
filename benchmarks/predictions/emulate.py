"""What the emulated device counts: sectors, bank conflicts, blocks and calls of each launch of a program."""

import hashlib
import json
import os

from predictions.artifact import output_of

#: multiply-adds that the emulator does in a second on one core, with tensor cores and without; only orders of magnitude
RATES = {"f16": 0.3e9, "f32": 0.02e9}


def is_cheap(subject, seconds):
    return subject.multiply_adds * 1e9 / RATES[subject.dtype] <= seconds


def count(tools, program, folder):
    """{number of a launch: kernel, threads, shared_bytes, calls, counters}; kept in `folder` by the program's hash."""
    with open(program, "rb") as file:
        kept = os.path.join(folder, f"counters-{hashlib.file_digest(file, 'sha256').hexdigest()[:16]}.json")
    if not os.path.exists(kept):
        text = output_of(os.path.join(tools.bin, "tssa-run"), program, "--device", "cuda-emu", "--random", "0", "--profile",
                         "--json")
        with open(kept, "w") as file:
            json.dump(json.loads(text)["profile"], file)
    variant = next(one for one in tools.inspect(program)["variants"] if one["target"] == "cuda-emu")
    entries = {entry["name"]: entry for entry in variant["kernels"]}
    with open(kept) as file:
        return {launch["launch"]: {**entries[launch["kernel"]], **launch} for launch in json.load(file)}
