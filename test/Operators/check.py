#!/usr/bin/env python3
"""Evaluates ONNX's node tests with the reference evaluator: operators without code generation.

Usage: check.py --tool BUILD/bin/evaluate-onnx [--cache DIR] [--report FILE] [PATTERN...]

PATTERNs select tests whose name contains one of them. The last line counts the results.
"""

import argparse
import collections
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

KINDS = {np.dtype(name): kind for name, kind in [
    ("float32", "f32"), ("float64", "f64"), ("float16", "f16"), ("bool", "i1"), ("int8", "i8"), ("uint8", "i8"),
    ("int16", "i16"), ("uint16", "i16"), ("int32", "i32"), ("uint32", "i32"), ("int64", "i64"), ("uint64", "i64")]}
CHUNK = 40


def as_array(value):
    """A tensor of a test as an array; None for what the tool cannot take."""
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    if isinstance(value, np.generic):
        value = np.asarray(value)
    return value if isinstance(value, np.ndarray) and value.dtype in KINDS else None


def write_case(folder, model, inputs):
    os.makedirs(folder, exist_ok=True)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    with open(os.path.join(folder, "inputs.txt"), "w", encoding="utf-8") as listing:
        for i, array in enumerate(inputs):
            print(KINDS[array.dtype], *array.shape, file=listing)
            with open(os.path.join(folder, f"in_{i}.bin"), "wb") as file:
                file.write(np.ascontiguousarray(array).tobytes())


def read_outputs(folder, expected):
    with open(os.path.join(folder, "outputs.txt"), encoding="utf-8") as listing:
        lines = [line.split() for line in listing]
    outputs = []
    for i, (words, like) in enumerate(zip(lines, expected)):
        data = np.fromfile(os.path.join(folder, f"out_{i}.bin"), dtype=np.uint8)
        if words[0] != KINDS[like.dtype]:
            raise ValueError(f"output {i} is {words[0]}, expected {like.dtype}")
        outputs.append(data.view(like.dtype).reshape([int(word) for word in words[1:]]))
    if len(lines) != len(expected):
        raise ValueError(f"{len(lines)} outputs, expected {len(expected)}")
    return outputs


def difference(outputs, expected, rtol, atol):
    """What is wrong with the outputs, or None."""
    for i, (got, want) in enumerate(zip(outputs, expected)):
        if got.shape != want.shape:
            return f"output {i} has shape {got.shape}, expected {want.shape}"
        if not np.allclose(got.astype(np.float64), want.astype(np.float64), rtol, atol, equal_nan=True):
            worst = np.abs(got.astype(np.float64) - want.astype(np.float64))
            return f"output {i} differs by up to {np.nanmax(worst) if worst.size else 0}"
    return None


def run_tool(tool, folders):
    """Folder to verdict; a case that ends the tool is blamed and the rest goes on."""
    verdicts = {}
    while folders:
        try:
            done = subprocess.run([tool, *folders], capture_output=True, text=True, errors="replace", timeout=300)
            text, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as expired:
            text, code = (expired.stdout or b"").decode(errors="replace"), "no answer in time"
        for line in text.splitlines():
            folder, _, verdict = line.partition(": ")
            if folder in folders:
                verdicts[folder] = verdict
        rest = [folder for folder in folders if not verdicts.get(folder)]
        if rest and len(rest) <= len(folders):
            verdicts[rest[0]] = f"the tool ended: {code}"
        folders = rest[1:]
    return verdicts


def collect(patterns):
    from onnx.backend.test.case.node import collect_testcases
    for case in collect_testcases(None):
        if patterns and not any(pattern in case.name for pattern in patterns):
            continue
        inputs, outputs = case.data_sets[0]
        arrays = [as_array(value) for value in [*inputs, *outputs]]
        yield case, (None if any(array is None for array in arrays) else
                     (arrays[:len(inputs)], arrays[len(inputs):]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--cache", default="")
    parser.add_argument("--report", default="")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    cache = options.cache or tempfile.mkdtemp(prefix="tssa-operators-")
    cases, skipped = {}, 0
    for case, data in collect(options.patterns):
        if data is None:
            skipped += 1
            continue
        folder = os.path.join(cache, case.name)
        write_case(folder, case.model, data[0])
        cases[folder] = (case, data[1])
    verdicts, folders = {}, list(cases)
    for begin in range(0, len(folders), CHUNK):
        verdicts.update(run_tool(options.tool, folders[begin:begin + CHUNK]))
    failures = collections.defaultdict(list)
    for folder, (case, expected) in cases.items():
        text = verdicts[folder]
        if text == "ok":
            try:
                text = difference(read_outputs(folder, expected), expected, case.rtol, case.atol) or "ok"
            except ValueError as error:
                text = str(error)
        if text != "ok":
            failures[case.model.graph.node[0].op_type].append((case.name, text))
    report = open(options.report, "w", encoding="utf-8") if options.report else sys.stdout
    for op, entries in sorted(failures.items()):
        for name, text in entries:
            print(f"FAIL {op} {name}: {text}", file=report)
    failed = sum(map(len, failures.values()))
    print(f"{len(cases) - failed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
