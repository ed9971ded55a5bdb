"""Many architectures through both of PyTorch's exporters, each right at several sizes.

usage: breadth.py --out DIR [--bin DIR] [--family timm,decoder] [--exporters ts,dynamo] [NAME...] [--table FILE.md]

For each architecture of architectures.py and each exporter: export with open sizes (in a
process of its own), compile, run one binary at every size tuple, and compare with ONNX
Runtime's answers; then latency beside ONNX Runtime, one thread each. Outcomes are kept in
DIR/outcomes.json: what is there is not done again unless named or --again. An architecture
that an exporter or ONNX Runtime refuses is no failure of the compiler, and is listed.
"""

import argparse
import functools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

import architectures
import measure
from compare import machine, rounds, summary
from compare.seat import Seat
from compare.worker import Worker

TOLERANCE = 1e-3
PREFIX = {"ts": "ts_", "dynamo": ""}


def export_into(queue, name, exporter, path):
    """Runs in a process of its own: writes the model and its cases, and gives (sizes by case number, complaint)."""
    import export

    warnings.filterwarnings("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    cases, complaint = {}, ""
    try:
        entry = architectures.build(name)
        with torch.no_grad():
            export.to_onnx(entry, exporter, entry.symbols, path)
        for index, sizes in enumerate(entry.sizes):
            inputs = export.resized(entry.inputs, entry.symbols, sizes)
            try:
                export.write_case(path, f"{path[:-len('.onnx')]}.{index}", inputs)
                cases[index] = sizes
            except Exception as reason:
                # What the exporter fixed is no open size: such a tuple has no answer.
                complaint = f"ONNX Runtime: {first_line(reason)}"
    except Exception as reason:
        complaint = first_line(reason)
    queue.put((cases, "" if cases else complaint))


def first_line(reason):
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(reason))  # exporters colour what they say
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    return f"{type(reason).__name__}: {' '.join(lines[:2])[:250]}"


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines or ["no message"])[-1][:250]


def export(name, exporter, path, timeout):
    """Gives (sizes by case number, complaint)."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=export_into, args=(queue, name, exporter, path))
    process.start()
    try:
        return queue.get(timeout=timeout)
    except Exception:
        return {}, f"no export in {timeout:.0f} s" if process.is_alive() else f"exporter ended with {process.exitcode}"
    finally:
        process.kill()
        process.join()


def run_cases(options, binary, stem, cases):
    """Gives the largest error and complaints."""
    worst, complaints = 0.0, []
    results = stem + ".results.npz"
    for index, sizes in cases.items():
        done = subprocess.run([os.path.join(options.bin, "tssa-run"), binary, "--inputs", f"{stem}.{index}.in.npz",
                               "--outputs", results], capture_output=True, text=True, errors="replace",
                              timeout=options.timeout)
        if done.returncode:
            complaints.append(f"sizes {sizes}: exit code {done.returncode}: {last_line(done.stderr)}")
            continue
        error = measure.relative_error(measure.load_npz(f"{stem}.{index}.out.npz"), measure.load_npz(results))
        worst = max(worst, error)
        if not error <= TOLERANCE:
            complaints.append(f"sizes {sizes}: off by {error:.3g}")
        os.remove(results)
    return worst, complaints


def latency(options, model, binary, stem):
    """Milliseconds of one thread: compiled, and ONNX Runtime."""
    inputs, answers = stem + ".in.npz", stem + ".out.npz"
    task = {"model": model, "inputs": inputs, "names": list(measure.load_npz(answers)), "threads": 1, "program": None,
            "binary": binary, "library": os.path.join(options.bin, "..", "lib", "libtssart.so")}
    seats = {system: Seat(functools.partial(Worker, system, 1, machine.cpus(), {}), system, task, answers)
             for system in ("tssa", "ort")}
    settings = rounds.Settings(rounds=3, repeats=0, seconds=options.seconds / 3)
    kept, _, failures = rounds.take_turns(seats, settings, roof=lambda: None)
    if failures:
        raise RuntimeError("; ".join(failures.values()))
    return [summary.figure(kept, system, 1).median for system in seats]


def attempt(options, name, exporter):
    """One architecture through one exporter; gives its outcome."""
    model = os.path.join(options.out, f"{PREFIX[exporter]}{name}.onnx")
    stem = model[:-len(".onnx")]
    outcome = {"model": name, "exporter": exporter, "status": "not exported"}
    kept = stem + ".cases.json"
    if os.path.exists(kept) and not options.export_again:
        with open(kept) as file:
            cases = json.load(file)
    else:
        start = time.time()
        cases, complaint = export(name, exporter, model, options.timeout)
        outcome["export_seconds"] = time.time() - start
        if complaint:
            return {**outcome, "why": complaint}
        with open(kept, "w") as file:
            json.dump(cases, file)
    binary = stem + ".so"
    compiled = measure.compile_model(os.path.join(options.bin, "tssa-compile"), model, binary, timeout=options.timeout)
    outcome.update(status="failed", sizes=list(cases.values()), seconds=compiled.seconds)
    if compiled.code:
        return {**outcome, "why": compiled.failure[:400]}
    outcome["error"], complaints = run_cases(options, binary, stem, cases)
    if complaints:
        return {**outcome, "why": "; ".join(complaints)}
    if options.seconds:
        outcome["milliseconds"] = latency(options, model, binary, f"{stem}.{list(cases)[0]}")
    os.remove(binary)
    return {**outcome, "status": "ok"}


def table(outcomes):
    lines = ["| model | exporter | sizes | error | compile s | tssa ms | ORT ms | |", "|---|---|---|---|---|---|---|---|"]
    for row in sorted(outcomes, key=lambda row: (row["model"], row["exporter"])):
        sizes = " ".join("x".join(map(str, tuple_)) for tuple_ in row.get("sizes", []))
        ours, theirs = row.get("milliseconds", (None, None))
        cells = [row["model"], row["exporter"], sizes, f"{row['error']:.1e}" if "error" in row else "",
                 f"{row['seconds']:.1f}" if "seconds" in row else "", f"{ours:.2f}" if ours else "",
                 f"{theirs:.2f}" if theirs else "", row["status"] + (": " + row["why"].replace("|", "/") if "why" in row else "")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def choose(options):
    if options.names:
        return options.names
    families = options.family.split(",") if options.family else [*architectures.FAMILIES, "single"]
    tables = {**architectures.FAMILIES, "single": architectures.SINGLE}
    return [name for family in families for name in tables[family]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", required=True)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--family", default="", help="only these: timm, encoder, decoder, cached, translator, vision, "
                        "detector, speech, single")
    parser.add_argument("--exporters", default="ts,dynamo")
    parser.add_argument("--timeout", type=float, default=600, help="seconds, for each process")
    parser.add_argument("--seconds", type=float, default=1, help="seconds of calls that measure the latency; 0 leaves it out")
    parser.add_argument("--again", action="store_true", help="also compile and run the models that were done before")
    parser.add_argument("--failed", action="store_true", help="only what failed before")
    parser.add_argument("--export-again", action="store_true", help="export what was exported before, too")
    parser.add_argument("--table", default="", metavar="FILE.md")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    print(f"torch {torch.__version__}, timm {architectures.timm.__version__}, "
          f"transformers {architectures.transformers.__version__}", flush=True)
    record = os.path.join(options.out, "outcomes.json")
    outcomes = {}
    if os.path.exists(record):
        with open(record) as file:
            outcomes = json.load(file)
    for name in choose(options):
        for exporter in options.exporters.split(","):
            key = f"{PREFIX[exporter]}{name}"
            before = outcomes.get(key, {}).get("status")
            if before and not (options.names or options.again) and not (options.failed and before == "failed"):
                continue
            if options.failed and before != "failed":
                continue
            outcomes[key] = attempt(options, name, exporter)
            with open(record, "w") as file:
                json.dump(outcomes, file, indent=1)
            row = outcomes[key]
            print(f"{key}: {row['status']} {row.get('error', '')} {row.get('why', '')} {row.get('seconds', 0):.1f} s",
                  flush=True)
    statuses = [row["status"] for row in outcomes.values()]
    if options.table:
        with open(options.table, "w") as file:
            file.write(table(outcomes.values()) + "\n")
    print(f"{statuses.count('ok')} passed, {statuses.count('failed')} failed, {statuses.count('not exported')} skipped")
    return 1 if "failed" in statuses else 0


if __name__ == "__main__":
    sys.exit(main())
