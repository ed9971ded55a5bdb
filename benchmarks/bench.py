"""Figures beside ONNX Runtime, OpenVINO and PyTorch, on this machine.

usage: bench.py models --models ZOO --out RESULTS      whole models
       bench.py operators --out RESULTS                ninety operators
       bench.py drawn --out RESULTS                    operators drawn by a rule (subjects/drawn.py)
       bench.py gemm --out RESULTS                     matrix products, rows fixed and open
       bench.py unseen --models UNSEEN --out RESULTS   models that nobody tuned for, open and fixed
       bench.py starts --out RESULTS                   the spread between starts of one binary
       bench.py report --out RESULTS [--to DIR]        DIR/RESULTS.md and its charts, from what is there

Each part writes RESULTS/PART.json, a row at a time; rows that are there are not measured again
unless --again. README.md says how figures are taken.
"""

import argparse
import json
import os
import sys
import tempfile
import time

import report
from compare import machine, runners, summary
from compare.cases import Bench
from compare.rounds import Settings
from subjects import drawn, gemm, operators, starts, unseen, zoo

PARTS = {"models": zoo.cases, "operators": operators.cases, "drawn": drawn.cases, "gemm": gemm.cases,
         "unseen": unseen.cases}
#: the peers that --quick asks
QUICK_SYSTEMS = ["tssa", "baseline", "tuned", "ort", "openvino"]


def listed(text):
    return text.split(",")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, "starts", "report"])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these cases")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--to", default="", metavar="DIR", help="where the report goes, if not to --out")
    parser.add_argument("--models", default="", metavar="DIR")
    parser.add_argument("--bin", default="build/release/bin", help="folder of tssa-compile and tssa-run")
    parser.add_argument("--baseline", default="", metavar="DIR", help="folder of another build, measured in the same turns")
    parser.add_argument("--tuned", default="", metavar="DIR", help="folder of records of tssa-tune: the system `tuned`")
    parser.add_argument("--systems", type=listed, default=list(runners.SYSTEMS), metavar="A,B")
    parser.add_argument("--threads", type=lambda text: list(map(int, listed(text))), default=[1, 2])
    parser.add_argument("--isa", type=listed, default=list(machine.SETS), help="native, v3 (x86-64-v3)")
    parser.add_argument("--rounds", type=int, help="number of rounds, each a block of every system (5; quick 3)")
    parser.add_argument("--seconds", type=float, help="length of a block of calls (0.4; quick 0.15)")
    parser.add_argument("--repeats", type=int, help="at most this many repeated rounds in place of disturbed ones (5; quick 2)")
    parser.add_argument("--starts", type=int, help="number of starts for the part `starts` (100; quick 10)")
    parser.add_argument("--seed", type=int, default=drawn.SEED, help="of the part `drawn` (%(default)s)")
    parser.add_argument("--count", type=int, default=drawn.COUNT, help="operators of the part `drawn` (%(default)s)")
    parser.add_argument("--pairs", action="store_true", help="the part `drawn`: something follows every second operator")
    parser.add_argument("--quick", action="store_true", help="few cases, few peers, native only")
    parser.add_argument("--again", action="store_true", help="measure these cases, or all, again")
    return parser.parse_intermixed_args()


def complete(options):
    """Fills in what depends on --quick and on what is there."""
    quick = options.quick
    options.settings = Settings(options.rounds or (3 if quick else 5),
                                (2 if quick else 5) if options.repeats is None else options.repeats,
                                options.seconds or (0.15 if quick else 0.4))
    options.starts = options.starts or (10 if quick else 100)
    if quick:
        options.isa = ["native"]
        options.systems = [system for system in options.systems if system in QUICK_SYSTEMS]
    unknown = [system for system in options.systems if system not in runners.SYSTEMS]
    if unknown:
        raise SystemExit(f"no system named '{unknown[0]}'; there are {', '.join(runners.SYSTEMS)}")
    given = {"baseline": options.baseline, "tuned": options.tuned}
    options.systems = [system for system in options.systems if given.get(system, True)]
    missing = [system for system in options.systems if not runners.installed(system)]
    if missing:
        print(f"left out, not installed: {', '.join(missing)}", flush=True)
    options.missing = missing
    options.systems = [system for system in options.systems if system not in missing]
    options.bins = {system: folder for system, folder in (("tssa", options.bin), ("baseline", options.baseline),
                                                            ("tuned", options.bin if options.tuned else ""))
                    if folder and system in options.systems}
    for folder in options.bins.values():
        if not os.path.exists(os.path.join(folder, "tssa-compile")):
            raise SystemExit(f"there is no tssa-compile in {folder}")
    most = len(machine.cpus())
    if max(options.threads) > most:
        raise SystemExit(f"{max(options.threads)} threads asked for, but this process may use only {most} CPUs")


def load(path, options):
    """What was measured before, if it was in the same way: a file never mixes machines, versions or settings."""
    results = {"part": options.part, "machine": describe(options), "rows": []}
    if not os.path.exists(path) or (options.again and not options.names):
        return results
    with open(path) as file:
        before = json.load(file)
    for what, now in results["machine"].items():
        if what != "date" and before["machine"].get(what) != now:
            raise SystemExit(f"{path} has another {what}: {before['machine'].get(what)}, not {now}; --again begins anew")
    if options.again:
        before["rows"] = [row for row in before["rows"] if row["case"] not in options.names]
    return before


def save(path, results):
    with open(path + ".part", "w") as file:
        json.dump(results, file)
    os.replace(path + ".part", path)


def describe(options):
    return {**machine.describe(options.systems), "systems": options.systems, "missing": options.missing,
            "quick": options.quick, "date": time.strftime("%Y-%m-%d"), "settings": vars(options.settings)}


def say(row):
    figures = []
    for label in row["ways"]:
        figure = summary.figure(row["rounds"], label, row["threads"])
        figures.append(f"{label} {figure.median:.3f}" if figure else f"{label}: {row['ways'][label].get('failure')}")
    noise = max(map(summary.round_disturbance, row["rounds"]), default=0)
    print(f"{row['case']} {row['isa']} {row['threads']}: {', '.join(figures)}"
          + (f" (disturbed: {noise:.1f})" if noise > 1 else ""), flush=True)


def measure_part(options, path):
    results = load(path, options)
    done = {(row["case"], row["threads"], row["isa"]) for row in results["rows"]}
    bench = Bench(options.bins, options.systems, options.settings, os.path.abspath(options.tuned) if options.tuned else "")
    try:
        with tempfile.TemporaryDirectory() as folder:
            for case in PARTS[options.part](options, folder):
                for isa in options.isa:
                    for threads in options.threads:
                        if (case.name, threads, isa) in done:
                            continue
                        results["rows"].append(bench.row(case, threads, isa))
                        say(results["rows"][-1])
                        save(path, results)
                bench.forget()
    finally:
        bench.close()


def main():
    options = parse()
    os.makedirs(options.out, exist_ok=True)
    if options.part == "report":
        return report.write(options.out, options.to or options.out)
    complete(options)
    path = os.path.join(options.out, options.part + ".json")
    if options.part == "starts":
        save(path, {"part": "starts", "machine": describe(options), **starts.measure_starts(options)})
        return 0
    measure_part(options, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
