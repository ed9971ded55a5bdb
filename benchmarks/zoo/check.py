"""Compiles models and compares the binaries with the answers beside them.

usage: check.py [--bin DIR] [--tolerance 1e-3] [--verify] [--target cuda:sm_90 --device cuda:0] MODEL.onnx|DIR...

For FILE.onnx the inputs and answers are FILE.in.npz and FILE.out.npz, or, for a
model with open sizes, FILE.0.in.npz, FILE.0.out.npz and so on: one binary must
be right for all of them. export.py writes such files.
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import measure


def cases_of(model):
    stem = glob.escape(model[:-len(".onnx")])
    found = sorted(glob.glob(stem + ".in.npz") + glob.glob(stem + ".[0-9]*.in.npz"))
    return [(path, path[:-len("in.npz")] + "out.npz") for path in found]


def check_case(runner, binary, device, inputs, wanted, folder, tolerance):
    """Gives (error, complaint)."""
    results = os.path.join(folder, "results.npz")
    if os.path.exists(results):
        os.remove(results)
    done = subprocess.run([runner, binary, f"--device={device}", "--inputs", inputs, "--outputs", results],
                          capture_output=True, text=True, errors="replace")
    label = os.path.basename(inputs)[:-len(".in.npz")]
    if done.returncode:
        said = (done.stderr.strip() or "no message").splitlines()[0]
        return float("inf"), f"{label}: exit code {done.returncode}: {said[:200]}"
    error = measure.relative_error(measure.load_npz(wanted), measure.load_npz(results))
    return error, "" if error <= tolerance else f"{label}: off by {error:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--verify", action="store_true", help="compile with --verify-each-stage")
    parser.add_argument("--target", default="cpu", help="of tssa-compile, such as cuda:sm_90")
    parser.add_argument("--device", default="auto", help="of tssa-run, such as cuda:0")
    parser.add_argument("--timeout", type=float, default=600)
    options = parser.parse_args()
    compiler, runner = (os.path.join(options.bin, tool) for tool in ("tssa-compile", "tssa-run"))
    models = []
    for path in options.models:
        models += measure.models_in(path)

    failed = skipped = 0
    for model in models:
        name = os.path.basename(model)[:-len(".onnx")]
        cases = cases_of(model)
        if not cases:
            skipped += 1
            print(f"- {name}: no inputs and answers beside it", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            binary = os.path.join(folder, name + ".so")
            flags = (["--verify-each-stage"] if options.verify else []) + [f"--target={options.target}"]
            compiled = measure.compile_model(compiler, model, binary, *flags, timeout=options.timeout)
            if compiled.code:
                failed += 1
                print(f"- {name}: FAILED to compile in {compiled.seconds:.1f} s, {compiled.failure[:300]}", flush=True)
                continue
            outcomes = [check_case(runner, binary, options.device, *case, folder, options.tolerance) for case in cases]
        complaints = [text for _, text in outcomes if text]
        failed += bool(complaints)
        print(f"- {name}: {'FAILED' if complaints else 'ok'}, {len(cases) - len(complaints)} of {len(cases)} cases, "
              f"largest error {max(error for error, _ in outcomes):.2g}, compiled in {compiled.seconds:.1f} s "
              f"with {compiled.anonymous_bytes / 1e6:.0f} MB", flush=True)
        for text in complaints:
            print(f"    {text}", flush=True)
    print(f"{len(models) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
