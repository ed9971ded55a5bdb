"""Compares compiled models with ONNX Runtime: latency, accuracy, compile time, memory.

usage: compare_ort.py [--bin DIR] [--threads 1,2] [--seconds 3] [--out FILE.md] [--matmul] MODEL.onnx|DIR...

Inputs are FILE.in.npz beside FILE.onnx (zoo/export.py writes them). For each
number of threads both systems run in this process, pinned to the same CPUs, and
are timed in turn, in blocks; the ratio is that of the medians. Accuracy is
against ONNX Runtime on the same inputs: largest error over largest magnitude.

--matmul adds a 512x512x512 matrix product against the roof that
roof/fma_peak.c measures between the blocks.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

import measure
import tssa_runtime

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5
MATMUL = 512
#: what the project promises; see `verdict`
MOST_ERROR, MOST_SECONDS, MOST_RATIO, LEAST_ROOF = 1e-3, 60, 5, 0.6


def compare(options, library, model, name, inputs_path, folder):
    """Compiles and measures one model; gives a row."""
    row = {"model": name, "file_bytes": sum(os.path.getsize(p) for p in (model, model + ".data") if os.path.exists(p))}
    binary = os.path.join(folder, name + ".so")
    compiled = measure.compile_model(os.path.join(options.bin, "tssa-compile"), model, binary)
    row.update(seconds=compiled.seconds, anonymous=compiled.anonymous_bytes)
    if compiled.code:
        return {**row, "failure": compiled.failure[:200]}
    row["kernels"] = measure.inspect(os.path.join(options.bin, "tssa-run"), binary)["variants"][0]["distinct_kernels"]
    inputs = measure.load_npz(inputs_path)
    row["times"] = {}
    for threads in options.threads:
        measure.pin(threads)
        try:
            ort = measure.OrtRunner(model, inputs, threads)
            tssa = tssa_runtime.TssaRunner(library, binary, inputs, threads)
            row["error"] = max(row.get("error", 0), measure.relative_error(ort.run(), tssa.run()))
            row["times"][threads] = tuple(measure.interleave([tssa, ort], ROUNDS, options.seconds))
            tssa.close()
        except RuntimeError as reason:
            return {**row, "failure": str(reason)}
        finally:
            measure.pin(len(measure.pin.all_cpus))
    os.remove(binary)
    return row


def verdict(row):
    """What of the promises this row breaks."""
    if "failure" in row:
        return row["failure"].replace("|", "/")
    broken = []
    if row["error"] > MOST_ERROR:
        broken.append("wrong")
    if row["seconds"] > MOST_SECONDS:
        broken.append("slow compile")
    if row["anonymous"] > 3 * row["file_bytes"] + 500e6:
        broken.append("compile memory")
    broken += [f"slow at {t}" for t, (ours, theirs) in row["times"].items() if ours > MOST_RATIO * theirs]
    return ", ".join(broken) or "ok"


def markdown(rows, threads):
    head = ["model", "MB", "kernels", "compile s", "peak anon MB", "error"]
    for t in threads:
        head += [f"tssa ms ({t} thr)", "ORT ms", "ratio"]
    lines = ["| " + " | ".join(head + ["verdict"]) + " |", "|" + "---|" * (len(head) + 1)]
    for row in rows:
        cells = [row["model"], f"{row['file_bytes'] / 1e6:.1f}", str(row.get("kernels", "")), f"{row['seconds']:.1f}",
                 f"{row['anonymous'] / 1e6:.0f}", f"{row['error']:.1e}" if "error" in row else ""]
        for t in threads:
            ours, theirs = row.get("times", {}).get(t, (None, None))
            cells += [f"{ours:.3f}", f"{theirs:.3f}", f"{ours / theirs:.2f}"] if ours else ["", "", ""]
        lines.append("| " + " | ".join(cells + [verdict(row)]) + " |")
    return "\n".join(lines)


def build_roof(folder):
    compiler = shutil.which("clang-22") or shutil.which("cc")
    if not compiler:
        raise RuntimeError("roof/fma_peak.c needs a C compiler, and there is neither clang-22 nor cc")
    probe = os.path.join(folder, "fma_peak")
    subprocess.run([compiler, "-O2", "-pthread", os.path.join(HERE, "roof", "fma_peak.c"), "-o", probe], check=True)
    return probe


def matmul_against_roof(options, library, folder):
    """The matrix product and the roof, in turn; gives lines of text."""
    shape = [MATMUL, MATMUL]
    info = {n: helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in "aby"}
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["y"], name="matmul")], "matmul",
                              [info["a"], info["b"]], [info["y"]])
    model = os.path.join(folder, "matmul.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    random = np.random.default_rng(0)
    inputs = {n: random.standard_normal(shape).astype(np.float32) for n in "ab"}
    binary = os.path.join(folder, "matmul.so")
    compiled = measure.compile_model(os.path.join(options.bin, "tssa-compile"), model, binary)
    if compiled.code:
        return [f"matmul: {compiled.failure}"]
    probe, lines = build_roof(folder), []
    operations = 2 * MATMUL**3
    for threads in options.threads:
        measure.pin(threads)
        ort = measure.OrtRunner(model, inputs, threads)
        tssa = tssa_runtime.TssaRunner(library, binary, inputs, threads)
        error = measure.relative_error(ort.run(), tssa.run())
        roofs, ours, theirs = [], [], []
        for _ in range(ROUNDS):
            roofs.append(float(subprocess.run([probe, str(threads), "200"], check=True, capture_output=True,
                                              text=True).stdout))
            theirs.append(operations / np.median(measure.block(ort, 0.3)) / 1e6)
            ours.append(operations / np.median(measure.block(tssa, 0.3)) / 1e6)
        tssa.close()
        measure.pin(len(measure.pin.all_cpus))
        roof, our, their = np.median(roofs), np.median(ours), np.median(theirs)
        mark = "ok" if our >= LEAST_ROOF * roof and error <= MOST_ERROR else "below the promise"
        lines.append(f"matmul {MATMUL}^3, {threads} threads: roof {roof:.0f} GFLOP/s, "
                     f"tssa {our:.0f} ({our / roof:.0%}), "
                     f"ONNX Runtime {their:.0f} ({their / roof:.0%}), error {error:.1e}: {mark}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(t) for t in text.split(",")])
    parser.add_argument("--seconds", type=float, default=3, help="of calls, for each system and number of threads")
    parser.add_argument("--matmul", action="store_true")
    parser.add_argument("--out", default="", metavar="FILE.md")
    options = parser.parse_args()
    models = []
    for path in options.models:
        models += measure.models_in(path)

    library = tssa_runtime.Library(os.path.join(options.bin, "..", "lib", "libtssart.so"))
    rows, notes = [], []
    with tempfile.TemporaryDirectory() as folder:
        if options.matmul:
            notes = matmul_against_roof(options, library, folder)
            print("\n".join(notes), flush=True)
        for model in models:
            inputs = model[:-len(".onnx")] + ".in.npz"
            name = os.path.basename(model)[:-len(".onnx")]
            if not os.path.exists(inputs):
                print(f"{name}: left out, there is no {inputs}", flush=True)
                continue
            rows.append(compare(options, library, model, name, inputs, folder))
            print(f"{name}: {verdict(rows[-1])} {rows[-1].get('times', '')}", flush=True)
    text = "\n\n".join(filter(None, [markdown(rows, options.threads) if rows else "", "\n".join(notes)]))
    print("\n" + text)
    if options.out:
        with open(options.out, "w") as file:
            file.write(text + "\n")
    return 1 if any(verdict(row) != "ok" for row in rows) or any(not n.endswith(": ok") for n in notes) else 0


if __name__ == "__main__":
    sys.exit(main())
