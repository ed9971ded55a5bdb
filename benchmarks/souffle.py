"""Souffle's six models and its ablation, as far as it goes here, beside other systems.

usage: souffle.py --models ZOO --out DIR [NAME...] [--threads 1,2]
       souffle.py report --out DIR [--to DIR]     DIR/souffle.md and its charts, from what is there

ZOO is a folder that zoo/export.py wrote. For each model the latency is measured in turns (bench.py), and the
launches and the bytes of one inference are counted. DIR/souffle.json has all figures; a row that is there is not
measured again unless --again. The ablation (Souffle, section 8.2) is a matter of options of tssa-compile: WAYS.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

import bench
import report
from compare import chart, machine, runners, summary, tables
from compare.cases import Bench, Case
from compare.rounds import Settings
from subjects import zoo

MODELS = ["bert_base", "resnext101_64x4d", "lstm_nn", "efficientnet_b0", "swin_b", "mmoe"]
#: the model that --sequence is for
TEXT = "bert_base"


def without(*names):
    return [f"--without={name}" for name in names]


#: what merges an expression into its readers or reshapes it for that, and what splits it
VERTICAL = ["merge-vertically", "expand-updates", "store-windows", "absorb-permutations", "split-reductions",
            "split-rows"]
#: system -> (its name in the tables, options of tssa-compile)
WAYS = {
    "tssa:none": ("V0: nothing merged", ["--no-merge"]),
    "tssa:horizontal": ("V1: horizontal", without(*VERTICAL)),
    "tssa:vertical": ("V2: vertical", without("merge-horizontally", "fuse-cells", "merge-launches")),
    "tssa": ("V1 and V2, by cost", []),
    "tssa:greedy": ("V1 and V2, greedy", ["--force=merge-vertically"]),
}
PEERS = {"ort": "ONNX Runtime", "openvino": "OpenVINO", "torch_compile": "Inductor"}
NOTES = """The paper adds V1 to V4 on top of each other; here V1 and V2 stand alone and together. V3 (grid
synchronisation: several stages in one kernel) and V4 (reuse and prefetching across them) are not built. `greedy` is the
paper's rule: what relies on one element is computed where it is read, whatever that repeats. V1 contains te-fuse-cells,
which makes the state of a cell the epilogue of its product; it alone saves the launches that V1 saves in lstm_nn.

Results are compared with ONNX Runtime's; one that is off by more than 1e-3 of the largest magnitude has no time. `~N`
marks rows that other work on the machine disturbed, N times as much as is allowed; at two threads, whose times are wall
time, such figures say little. Times contain the call from Python, which is more than half of what mmoe takes here."""
COUNTS = """Each iteration of a loop launches anew. Bytes are those that the kernels of an inference touch, by
`tssa-compile --explain`: where it gives a bound, the bound is counted."""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these models, or `report`")
    parser.add_argument("--models", default="", metavar="ZOO", help="folder of models that zoo/export.py wrote")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the results, and of the report")
    parser.add_argument("--to", default="", metavar="DIR", help="where the report goes, if not to --out")
    parser.add_argument("--bin", default="build/release/bin", help="folder of tssa-compile and tssa-run")
    parser.add_argument("--threads", type=lambda text: list(map(int, text.split(","))), default=[1, 2], metavar="1,2",
                        help="numbers of threads")
    parser.add_argument("--sequence", type=int, metavar="N",
                        help=f"tokens for {TEXT}, which is exported to --out (needs PyTorch), in place of ZOO's 128")
    parser.add_argument("--quick", action="store_true", help="short blocks, few rounds")
    parser.add_argument("--again", action="store_true", help="measure these models, or all, again")
    return parser.parse_intermixed_args()


def complete(options):
    """Fills in what bench.py's parts ask of their options."""
    options.part, options.isa = "souffle", ["native"]
    options.settings = Settings(3, 2, 0.15) if options.quick else Settings()
    systems = [*WAYS, *PEERS]
    options.missing = [system for system in systems if not runners.installed(system)]
    options.systems = [system for system in systems if system not in options.missing]
    options.bins = {system: options.bin for system in WAYS}
    options.wanted = options.names or MODELS
    unknown = [name for name in options.wanted if name not in MODELS]
    if unknown:
        raise SystemExit(f"no model named '{unknown[0]}'; there are {', '.join(MODELS)}")
    if options.sequence:  # bench.load knows the cases by these names
        options.names = [f"{TEXT}_{options.sequence}" if name == TEXT else name for name in options.names]
    if not os.path.exists(os.path.join(options.bin, "tssa-compile")):
        raise SystemExit(f"there is no tssa-compile in {options.bin}")
    if max(options.threads) > len(machine.cpus()):
        raise SystemExit(f"{max(options.threads)} threads asked for, but this process may use only {len(machine.cpus())} CPUs")


# What one inference launches and moves

def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{os.path.basename(command[0])}: {done.stderr.strip()[:200]}")
    return done.stdout


def calls_of(profile):
    """kernel -> how often an inference launches it, from the JSON of `tssa-run --profile`."""
    calls = collections.Counter()
    for launch in json.loads(profile)["profile"]:
        calls[launch["kernel"]] += round(launch["calls"])
    return calls


def bytes_of(explanation):
    """kernel -> bytes that one launch (reads, writes), from the JSON of `tssa-compile --explain`."""
    return {launch["kernel"]: (launch["read_bytes"], launch["written_bytes"])
            for launch in json.loads(explanation) if launch["launch"] is not None}


def totals(calls, each):
    """Of one inference, from the calls of each kernel and the bytes of one call. `unknown` are launches whose bytes are
    not known."""
    counts = {"launches": sum(calls.values()), "read": 0, "written": 0, "unknown": 0}
    for kernel, number in calls.items():
        moved = each.get(kernel, (None, None))
        if None in moved:
            counts["unknown"] += number
        else:
            counts["read"] += number * moved[0]
            counts["written"] += number * moved[1]
    return counts


def profile_of(options, case, binary):
    return output_of(os.path.join(options.bin, "tssa-run"), binary, "--profile", "--json", f"--inputs={case.inputs}",
                     "--threads=1")


def count(options, case, binary, flags):
    model, = case.models.values()
    calls = calls_of(profile_of(options, case, binary))
    # What the parts of one launch pass to each other moves, too.
    apart = os.path.join(options.out, "apart.so")
    flags = [*flags, *without("merge-launches")]
    output_of(os.path.join(options.bin, "tssa-compile"), model, "-o", apart, *flags)
    explanation = output_of(os.path.join(options.bin, "tssa-compile"), model, "--explain", "--json", *flags)
    counts = totals(calls_of(profile_of(options, case, apart)), bytes_of(explanation))
    return dict(counts, launches=sum(calls.values()))


# Measuring

def cases(options):
    """The models of ZOO; where --sequence is given, its BERT is replaced."""
    names = options.wanted
    if options.sequence and TEXT in names:
        yield text_case(options.sequence, options.out)
        names = [name for name in names if name != TEXT]
    if names:
        yield from zoo.cases(argparse.Namespace(models=options.models, names=names, quick=False), options.out)


def text_case(sequence, folder):
    """BERT with that many tokens: exported by zoo/export.py, if it is not there."""
    stem = os.path.join(folder, f"{TEXT}_{sequence}")
    case = Case(os.path.basename(stem), "models", {"": stem + ".onnx"}, stem + ".in.npz", stem + ".out.npz",
                {"kind": "zoo", "name": TEXT})
    if not os.path.exists(case.answers):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "zoo"))
        import export

        arguments = {"sequence": sequence}
        failure = export.export(TEXT, "dynamo", {}, arguments, stem + ".onnx")
        if failure:
            raise SystemExit(f"{case.name} was not exported: {failure}")
        export.write_cases(TEXT, stem + ".onnx", {}, arguments, None)
    return case


def measure_models(options, path):
    results = bench.load(path, options)
    done = {(row["case"], row["threads"]) for row in results["rows"]}
    flags = {system: way[1] for system, way in WAYS.items()}
    seats = Bench(options.bins, options.systems, options.settings, flags=flags)
    try:
        for case in cases(options):
            for threads in options.threads:
                if (case.name, threads) in done:
                    continue
                row = seats.row(case, threads, "native")
                add_counts(options, seats, case, row)
                results["rows"].append(row)
                bench.say(row)
                bench.save(path, results)
            seats.forget()
    finally:
        seats.close()


def add_counts(options, seats, case, row):
    model, = case.models.values()
    for system, (_, flags) in WAYS.items():
        way = row["ways"][system]
        if "failure" in way:
            continue
        binary, _ = seats.compiled(system, model, "native")
        try:
            way["counts"] = count(options, case, binary, flags)
        except RuntimeError as failure:
            way["uncounted"] = str(failure)


# The report

def problem(way):
    """Why a way has no figures, or None."""
    if way is None:
        return "not installed"
    if "failure" in way:
        return f"failed: {way['failure'][:100]}"
    return None if way["error"] <= tables.MOST_ERROR else f"wrong: off by {way['error']:.1e}"


def figure_of(row, system):
    return None if problem(row["ways"].get(system)) else summary.figure(row["rounds"], system, row["threads"])


def latency_cell(row, system):
    figure = figure_of(row, system)
    return tables.digits(figure.median) if figure else problem(row["ways"].get(system)) or "no figure"


def counts_cell(row, system):
    way = row["ways"].get(system)
    counts = (way or {}).get("counts")
    if counts is None:
        return problem(way) or f"not counted: {way.get('uncounted', 'no reason is known')[:100]}"
    read, written = (tables.digits(counts[what] / 1e6) for what in ("read", "written"))
    return f"{counts['launches']} / {read} / {written}" + (
        f" ({counts['unknown']} launches without bytes)" if counts["unknown"] else "")


def not_measured(rows):
    """A line on models without a row, or nothing."""
    there = {row["case"] if row["case"] in MODELS else row["case"].rpartition("_")[0] for row in rows}
    missing = [name for name in MODELS if name not in there]
    return [f"Not measured: {', '.join(missing)}."] if missing else []


def threads_of(number):
    return f"{number} thread{'s' if number > 1 else ''}"


def write_report(options):
    with open(os.path.join(options.out, "souffle.json")) as file:
        results = json.load(file)
    folder = options.to or options.out
    os.makedirs(os.path.join(folder, report.CHARTS), exist_ok=True)
    names = {**{system: way[0] for system, way in WAYS.items()}, **PEERS}
    parts = ["# Souffle's models", report.machine_lines(results["machine"]), NOTES]
    for threads in sorted({row["threads"] for row in results["rows"]}):
        rows = [row for row in results["rows"] if row["threads"] == threads]
        draw_chart(os.path.join(folder, report.CHARTS, f"souffle-{threads}.svg"), rows, names, threads)
        parts += [f"## Latency in ms, {threads_of(threads)}", latency_table(rows, names), *not_measured(rows),
                  f"![]({report.CHARTS}/souffle-{threads}.svg)"]
    parts += ["## Launches of kernels / megabytes that they read / megabytes that they write", COUNTS,
              counts_table(results["rows"])]
    with open(os.path.join(folder, "souffle.md"), "w") as file:
        file.write("\n\n".join(parts) + "\n")
    return 0


def latency_table(rows, names):
    return tables.markdown(["model", *names.values()], [
        [row["case"] + mark(row), *(latency_cell(row, system) for system in names)] for row in rows])


def mark(row):
    """Of a row that was disturbed: `~`, and how far beyond what is allowed."""
    noise = max(map(summary.round_disturbance, row["rounds"]), default=0)
    return f" {tables.DISTURBED}{noise:.0f}" if noise > 1 else ""


def counts_table(rows):
    """A row for each model: the number of threads does not matter."""
    first = {}
    for row in rows:
        first.setdefault(row["case"], row)
    return tables.markdown(["model", *(way[0] for way in WAYS.values())], [
        [name, *(counts_cell(row, system) for system in WAYS)] for name, row in first.items()])


def draw_chart(path, rows, names, threads):
    drawn = []
    for row in rows:
        figures = {system: figure_of(row, system) for system in names}
        ours = figures["tssa"]
        drawn.append((row["case"] if ours else f"{row['case']} (no ratio)",
                      {names[system]: figure.median / ours.median for system, figure in figures.items()
                       if figure and system != "tssa"} if ours else {}))
    with open(path, "w") as file:
        file.write(chart.draw(f"Souffle's models, {threads_of(threads)}", drawn,
                              "times as long as with V1 and V2, by cost"))


def main():
    options = parse()
    os.makedirs(options.out, exist_ok=True)
    if options.names == ["report"]:
        return write_report(options)
    complete(options)
    measure_models(options, os.path.join(options.out, "souffle.json"))
    return write_report(options)


if __name__ == "__main__":
    sys.exit(main())
