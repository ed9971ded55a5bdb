# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Figures 5 to 8 of the TensorSSA paper on this machine's CPU, and an ablation.

usage: figures.py speed --out RESULTS       times beside eager PyTorch, TorchScript and torch.compile (Figure 5)
       figures.py kernels --out RESULTS     kernels that a call launches (Figure 6)
       figures.py batch --out RESULTS       times at batches of 1 to 16 (Figure 7)
       figures.py sequence --out RESULTS    times at sequences of 16 to 1,024 (Figure 8)
       figures.py ablation --out RESULTS    times with one transformation switched off
       figures.py all --out RESULTS         all of these
       figures.py report --out RESULTS [--to DIR]   DIR/RESULTS.md and its charts, from what is there

Each part writes RESULTS/PART.json, a row at a time; rows that are there are not measured again. All ways of a row run
in turns in one process on the same cores; each is compared with eager mode before.
"""

import argparse
import hashlib
import json
import logging
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # no process of Inductor's outlives its compilation
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch

from compare import machine
from paper import bounds, launches, report, turns, ways
from programs import PROGRAMS, make_inputs
from tssa._tool import find_tool

BATCHES, SEQUENCES = (1, 2, 4, 8, 16), (16, 64, 256, 1024)
BATCH, SEQUENCE = 1, 64
#: {part: (what measures a row, programs, batches, lengths of sequences)}
PARTS = {
    "speed": (turns.measure, tuple(PROGRAMS), (BATCH,), (SEQUENCE,)),
    "kernels": (launches.measure, tuple(PROGRAMS), (BATCH,), (SEQUENCE,)),
    "batch": (turns.measure, tuple(PROGRAMS), BATCHES, (SEQUENCE,)),
    "sequence": (turns.measure, ways.RECURRENT, (BATCH,), SEQUENCES),
    "ablation": (turns.measure, tuple(PROGRAMS), (BATCH,), (SEQUENCE,)),
}


#: an end of sentences that no token is, so that a decoder does all its steps at each length
NO_END = -1


def make_arguments(name, batch, seq):
    arguments = make_inputs(name, batch, seq)
    return (*arguments[:-1], NO_END) if name == "seq2seq_greedy" else arguments


def listed(text):
    return text.split(",")


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, "all", "report"])
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--to", default="", metavar="DIR", help="where the report goes, if not to --out")
    parser.add_argument("--programs", type=listed, default=list(PROGRAMS), metavar="A,B")
    parser.add_argument("--ways", type=listed, default=list(ways.WAYS), metavar="A,B",
                        help="of " + ", ".join(ways.WAYS))
    parser.add_argument("--rounds", type=int, default=7, help="blocks of calls of each way (7)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, help="seconds that one way may compile in (300)")
    parser.add_argument("--baseline", default="", metavar="BIN", help="folder of another build, measured as a way more")
    parser.add_argument("--again", action="store_true", help="begin anew")
    options = parser.parse_args(arguments)
    for known, asked in ((PROGRAMS, options.programs), (ways.WAYS, options.ways)):
        unknown = [name for name in asked if name not in known]
        if unknown:
            parser.error(f"there is no '{unknown[0]}'; there are {', '.join(known)}")
    if options.threads > len(machine.cpus()):
        parser.error(f"{options.threads} threads asked for, but this process may use only {len(machine.cpus())} CPUs")
    return options


def hash_of(tool):
    """Tells one build of a compiler from another."""
    with open(tool, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def describe(options):
    baseline = ways.with_baseline({}, options.baseline).get("baseline")
    return {"cpu": machine.cpu_name(), "vectors": machine.vector_flags(), "cpus": os.cpu_count(),
            "memory_gib": machine.memory_gib(), "torch": torch.__version__, "commit": machine.commit(machine.HERE),
            "threads": options.threads, "rounds": options.rounds, "limit": options.limit,
            "ways": options.ways, "compiler": hash_of(find_tool()),
            "baseline": hash_of(baseline.tool) if baseline else ""}


def load(path, part, options):
    """What was measured before, if it was in the same way."""
    now = describe(options)
    if os.path.exists(path) and not options.again:
        with open(path) as file:
            before = json.load(file)
        for what, value in now.items():
            if before["machine"].get(what) != value:
                raise SystemExit(f"{path} has another {what}: {before['machine'].get(what)}, not {value}; "
                                 "--again begins anew")
        return before
    return {"part": part, "machine": {**now, "date": time.strftime("%Y-%m-%d")}, "rows": []}


def save(path, results):
    with open(path + ".part", "w") as file:
        json.dump(results, file)
    os.replace(path + ".part", path)


def say(part, row):
    cells = []
    for label, figure in row["ways"].items():
        shown = figure.get("failure") or (figure["launches"] if "launches" in figure else f"{figure['median']:.3f}")
        cells.append(f"{label}: {shown}")
    print(f"{part} {row['program']} {row['batch']} x {row['seq']}: {', '.join(cells)}", flush=True)


def measure_part(part, options):
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, part + ".json")
    results = load(path, part, options)
    done = {(row["program"], row["batch"], row["seq"]) for row in results["rows"]}
    measure, programs, batches, sequences = PARTS[part]
    asked = ways.ablation_ways() if part == "ablation" else ways.with_baseline(
        {label: ways.WAYS[label] for label in options.ways}, options.baseline)
    if part == "speed" and "rates" not in results:
        results["rates"] = bounds.rates()
    for point in ((name, batch, seq) for name in programs if name in options.programs for batch in batches
                  for seq in sequences):
        if point in done:
            continue
        name, batch, seq = point
        arguments = make_arguments(name, batch, seq)
        row = {"program": name, "batch": batch, "seq": seq,
               "ways": measure(name, PROGRAMS[name], arguments, asked, options, seq)}
        if part == "speed":
            row["bound"] = bounds.bound(name, arguments, results["rates"])
        results["rows"].append(row)
        say(part, row)
        save(path, results)


def main(arguments=None):
    options = parse(arguments)
    if options.part == "report":
        return report.write(options.out, options.to or options.out)
    logging.disable(logging.WARNING)
    os.sched_setaffinity(0, machine.cpus()[:options.threads])
    torch.set_num_threads(options.threads)
    with torch.no_grad():
        for part in PARTS if options.part == "all" else [options.part]:
            measure_part(part, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
