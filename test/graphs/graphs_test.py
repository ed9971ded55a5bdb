"""Random ONNX graphs through tssa: every answer is compared with that of ONNX Runtime and of double precision.

usage: graphs_test.py [--bin DIR] [--seed N] [--count N] [--jobs N] [--variant NAME]... [--keep DIR] [--model FILE]...

Each graph is compiled as it is, run with one thread and with two, which must give
the same bits, and compiled once more in another way (variants.py), which its seed
chooses; --variant asks for certain ones. What is refused (exit code 3) is counted.
--keep writes what failed: the model, its inputs, and its expected outputs.
--model checks models of your own instead of random ones, .onnx or text.
"""

import argparse
import collections
import concurrent.futures
import os
import sys
import tempfile

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "onnx"))
import harness
import variants
from model_file import read_graph
from random_graph import make_graph

#: Least allowed error of a float over the largest magnitude of its tensor.
TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 2e-5}
#: How many times as far from the exact result as ONNX Runtime an answer may be.
NOISE_FACTOR = 8


def difference(value, got):
    """Says how a tensor differs from the value, or gives an empty text."""
    if got.dtype != value.dtype or got.shape != value.shape:
        return f"is {got.dtype}{list(got.shape)}, expected {value.dtype}{list(value.shape)}"
    if value.kind != "f":
        wrong = int((got != value.narrow).sum())
        place = tuple(int(i[0]) for i in np.nonzero(got != value.narrow)) if wrong else ()
        return wrong and f"differs at {wrong} of {got.size} places; at {list(place)} {got[place]}, " \
                         f"expected {value.narrow[place]}"
    if value.narrow.size == 0:
        return ""
    allowed = max(TOLERANCE[value.dtype.name] * max(value.magnitude, 1e-3), NOISE_FACTOR * value.noise)
    error = np.asarray(np.abs(got.astype(np.float64) - value.wide))
    error[np.isnan(error)] = np.inf
    if float(error.max()) <= allowed:
        return ""
    place = tuple(int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
    return f"is wrong by {error[place]:.2g} where {allowed:.2g} is allowed; at {list(place)} {got[place]}, " \
           f"expected {value.wide[place]}"


def compare(variant, path):
    with np.load(path) as results:
        for value in variant.outputs:
            text = difference(value, results[value.name])
            if text:
                return f"'{value.name}' {text}"
    return ""


def check_variant(tools, name, variant, folder):
    """Gives (status, text): passed, refused or failed."""
    model, binary, given, results = (os.path.join(folder, f"{name}.{end}") for end in ("onnx", "so", "in.npz", "npz"))
    onnx.save(variant.model, model)
    np.savez(given, **variant.inputs)
    outcome = tools.compile(model, binary, *variant.compile_options)
    if outcome.code == harness.UNSUPPORTED:
        return "refused", outcome.first_error()
    if outcome.code != 0:
        return "failed", f"tssa-compile ended with {outcome.code}: {outcome.first_error()}"
    seen = None
    for threads in ("1", "2") if not variant.run_options else ("1",):
        outcome = tools.call([tools.runner, binary, "--inputs", given, "--outputs", results, "--threads", threads,
                              *variant.run_options])
        if outcome.code != 0:
            return "failed", f"tssa-run ended with {outcome.code}: {outcome.first_error()}"
        text = compare(variant, results)
        if text:
            return "failed", text
        with open(results, "rb") as file:
            data = file.read()
        if seen is not None and data != seen:
            return "failed", "two threads give other bits than one"
        seen = data
    return "passed", ""


def keep(folder, label, name, variant, text):
    place = os.path.join(folder, f"{label}-{name}")
    os.makedirs(place, exist_ok=True)
    onnx.save(variant.model, os.path.join(place, "model.onnx"))
    np.savez(os.path.join(place, "in.npz"), **variant.inputs)
    np.savez(os.path.join(place, "expected.npz"), **{v.name: v.narrow for v in variant.outputs})
    with open(os.path.join(place, "why.txt"), "w") as file:
        file.write(text + "\n")


def check_graph(tools, graph, label, chosen, options):
    """Gives [(label, variant, status, text)]."""
    results = []
    with tempfile.TemporaryDirectory(prefix="tssa-graph-") as folder:
        for make in chosen:
            variant = make(graph)
            if variant is None:
                continue
            status, text = check_variant(tools, make.__name__, variant, folder)
            results.append((label, make.__name__, status, text))
            if status == "failed" and options.keep:
                keep(options.keep, label, make.__name__, variant, text)
            if status != "passed" and make is variants.plain:
                break  # the others would say it again
    return results


def start_worker(options):
    """Each process has a server of its own, which ends with it."""
    global worker_tools
    worker_tools = harness.ServedTools(harness.Tools(options.bin, options.timeout), 1)


def check_seed(seed, options):
    graph = make_graph(seed)
    others = variants.ALL[1:]
    chosen = [variants.plain, others[seed % len(others)]]
    if options.variant:
        chosen = [make for make in variants.ALL if make.__name__ in options.variant]
    return check_graph(worker_tools, graph, str(seed), chosen, options)


def check_file(path, options):
    chosen = [make for make in variants.ALL if not options.variant or make.__name__ in options.variant]
    return check_graph(worker_tools, read_graph(path), os.path.splitext(os.path.basename(path))[0], chosen, options)


def regressions():
    folder = os.path.join(HERE, "regressions")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".onnxtxt"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser, jobs=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1, help="seed of the first graph")
    parser.add_argument("--count", type=int, default=100, help="number of random graphs")
    parser.add_argument("--variant", action="append", default=[], choices=[make.__name__ for make in variants.ALL])
    parser.add_argument("--keep", default="", metavar="DIR")
    parser.add_argument("--model", action="append", default=[], metavar="FILE")
    parser.add_argument("--regressions", action="store_true", help="the models in regressions/ too")
    options = parser.parse_args()

    files = options.model + (regressions() if options.regressions else [])
    seeds = [] if options.model else range(options.seed, options.seed + options.count)
    counts, refusals = collections.Counter(), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=start_worker, initargs=(options,)) as pool:
        tasks = [pool.submit(check_file, path, options) for path in files]
        tasks += [pool.submit(check_seed, seed, options) for seed in seeds]
        for task in concurrent.futures.as_completed(tasks):
            for label, variant, status, text in task.result():
                counts[status] += 1
                if status == "refused":
                    refusals[text.split(": ", 2)[-1][:120]] += 1
                elif status == "failed":
                    print(f"FAILED {label} {variant}: {text}", flush=True)
    for text, number in refusals.most_common(8):
        print(f"refused {number} times: {text}")
    return harness.print_counts(counts["passed"], counts["failed"], counts["refused"])


if __name__ == "__main__":
    sys.exit(main())
