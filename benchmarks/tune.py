"""Tunes operators of operators.json, and compares how points are ranked.

usage: tune.py operators --bin DIR --db DIR [--trials 64] [NAME...]
       tune.py rankings --bin DIR --db DIR [--points 400] NAME...

`operators` gives each operator so many trials on one thread, and prints the seconds that it took and the gain over the
defaults. `bench.py operators --tuned DIR` then measures what was found beside the other systems.
`rankings` records random points of each operator, then searches them again without measuring, ranked by the cost model,
by the draft and at random (`tssa-tune --judge`), and compares the best of a search of 64 trials with the best random point.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time

from subjects import operators, single

GAIN = re.compile(r"^all measured kernels: (.*) -> (.*), ([\d.]+)x$", re.M)
SECONDS = re.compile(r"^// seconds: (\S+) of (\S+)$", re.M)


def run(options, *arguments):
    done = subprocess.run([os.path.join(options.bin, "tssa-tune"), *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tssa-tune {' '.join(arguments)}:\n{done.stderr}")
    return done.stdout


def tune_operators(options, models):
    gains, start = [], time.time()
    for name, model in models.items():
        begin = time.time()
        found = GAIN.search(run(options, model, "--db", options.db, "--trials", str(options.trials)))
        if found:
            gains.append(float(found[3]))
        print(f"{name:8s} {time.time() - begin:5.0f} s  {found[0] if found else 'nothing to do'}", flush=True)
    if gains:
        mean = math.exp(sum(map(math.log, gains)) / len(gains))
        print(f"{len(gains)} operators, kernels {mean:.3f}x as fast as by default, {(time.time() - start) / 60:.1f} minutes")


def best_of(folder):
    """The seconds of the records of a folder: what was found, and the default."""
    times = []
    for name in os.listdir(os.path.join(folder, "records")) if os.path.isdir(os.path.join(folder, "records")) else []:
        with open(os.path.join(folder, "records", name), encoding="utf-8") as file:
            times.append(tuple(map(float, SECONDS.search(file.read()).groups())))
    return times


def compare_rankings(options, models):
    for name, model in models.items():
        pool, searched = (os.path.join(options.db, f"{kind}-{name}") for kind in ("pool", "search"))
        common = ["--loops-only", "--cache=warm"]
        run(options, model, "--db", pool, *common, "--sampler=random", "--ranking=none", "--trials", str(options.points))
        run(options, model, "--db", searched, *common, "--trials", str(options.trials))
        print(f"{name}\n{run(options, model, '--db', pool, '--judge')}", end="")
        print(f"  best of {options.points} random points, and default: {best_of(pool)}")
        print(f"  best of a search of {options.trials} trials, and default: {best_of(searched)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["operators", "rankings"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--bin", required=True, metavar="DIR")
    parser.add_argument("--db", required=True, metavar="DIR")
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--points", type=int, default=400)
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        models = {}
        for name, entry in operators.select(options.names).items():
            node, shape, weight = operators.node_of(entry)
            models[name] = single.write(folder, name, node, shape, weight)
        os.makedirs(options.db, exist_ok=True)
        (tune_operators if options.part == "operators" else compare_rankings)(options, models)


if __name__ == "__main__":
    main()
