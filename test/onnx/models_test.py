"""Small whole models through tssa: one binary each, right at several size tuples.

usage: models_test.py [--bin DIR] [--match TEXT] [--keep DIR]

For each model of small_models.py and exporter_models.py:
  sizes          the binary agrees with ONNX Runtime at each of the model's size tuples;
  verify         --verify-each-stage finds nothing wrong;
  reproducible   compiling again, in another folder, gives the same bytes;
  launches       all that describes the launches says the same.
"""

import argparse
import filecmp
import os
import shutil
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

import exporter_models
import harness
import launches
import small_models

#: largest error over the largest magnitude of the output
TOLERANCE = 1e-4


def difference(wanted, got, tolerance=TOLERANCE):
    """Says how two tensors differ, or gives an empty text."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"is {got.dtype}{list(got.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    if wanted.size == 0:
        return ""
    if wanted.dtype.kind != "f":
        return "" if np.array_equal(got, wanted) else f"differs at {int((got != wanted).sum())} of {wanted.size} places"
    error = np.abs(got.astype(np.float64) - wanted)
    largest = max(float(np.abs(wanted).max()), 1e-6)
    worst = float(error.max()) / largest
    if np.isfinite(worst) and worst <= tolerance:
        return ""
    place = [int(i) for i in np.unravel_index(int(np.nanargmax(np.where(np.isnan(error), np.inf, error))), error.shape)]
    return f"is wrong by {worst:.2g} of its largest magnitude; at {place} {got[tuple(place)]}, "\
           f"expected {wanted[tuple(place)]}"


def check_sizes(tools, small, session, binary, folder):
    complaints = []
    for sizes in small.sizes:
        inputs = small.inputs(*sizes)
        names = [o.name for o in session.get_outputs()]
        wanted = dict(zip(names, session.run(None, inputs)))
        given, results = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        np.savez(given, **inputs)
        outcome = tools.call([tools.runner, binary, "--inputs", given, "--outputs", results])
        if outcome.code != 0:
            complaints.append(f"sizes {sizes}: tssa-run ended with {outcome.code}: {outcome.first_error()}")
            continue
        with np.load(results) as got:
            if sorted(got.files) != sorted(names):
                complaints.append(f"sizes {sizes}: results are {sorted(got.files)}, expected {sorted(names)}")
                continue
            for name in names:
                text = difference(wanted[name], got[name])
                if text:
                    complaints.append(f"sizes {sizes}: '{name}' {text}")
        os.remove(results)
    return complaints


def check_model(tools, small, folder):
    """Gives {check: complaints}."""
    places = [os.path.join(folder, sub) for sub in ("first", "second")]
    for place in places:
        os.makedirs(place)
        onnx.save(small.model, os.path.join(place, "model.onnx"))
    models = [os.path.join(place, "model.onnx") for place in places]
    binaries = [os.path.join(place, "model.so") for place in places]
    outcomes = [tools.compile(model, binary) for model, binary in zip(models, binaries)]
    if outcomes[0].code != 0:
        text = [f"tssa-compile ended with {outcomes[0].code}: {outcomes[0].first_error()}"]
        return {"sizes": text, "verify": text, "reproducible": text, "launches": text}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(models[0], options, providers=["CPUExecutionProvider"])
    found = {"sizes": check_sizes(tools, small, session, binaries[0], folder), "verify": [], "reproducible": []}
    outcome = tools.compile(models[0], os.path.join(folder, "verified.so"), "--verify-each-stage")
    if outcome.code != 0:
        found["verify"] = [f"tssa-compile --verify-each-stage ended with {outcome.code}: {outcome.first_error(600)}"]
    if outcomes[1].code != 0:
        found["reproducible"] = [f"the second tssa-compile ended with {outcomes[1].code}: {outcomes[1].first_error()}"]
    elif not filecmp.cmp(*binaries, shallow=False):
        found["reproducible"] = ["two compilations gave different bytes"]
    given = os.path.join(folder, "given.npz")
    np.savez(given, **small.inputs(*small.sizes[0]))
    found["launches"] = launches.check_launches(tools, models[0], binaries[0], given, folder)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--match", default="", metavar="TEXT", help="only models with TEXT in their name")
    parser.add_argument("--keep", default="", metavar="DIR", help="keep the files in this folder")
    options = parser.parse_args()
    tools = harness.Tools(options.bin, max(options.timeout, 120))
    place = options.keep or tempfile.mkdtemp(prefix="small-models-")
    if options.keep:
        shutil.rmtree(place, ignore_errors=True)
    passed = failed = 0
    try:
        for build in small_models.ALL + exporter_models.ALL:
            small = build()
            if options.match not in small.name:
                continue
            onnx.checker.check_model(small.model, full_check=True)
            for check, complaints in check_model(tools, small, os.path.join(place, small.name)).items():
                passed += not complaints
                failed += bool(complaints)
                for complaint in complaints:
                    print(f"FAILED {small.name} {check}: {complaint}")
    finally:
        if not options.keep:
            shutil.rmtree(place, ignore_errors=True)
    return harness.print_counts(passed, failed, 0)


if __name__ == "__main__":
    sys.exit(main())
