#!/usr/bin/env python3
"""Compares operators of old versions with ONNX Runtime.

usage: versions.py --tool BUILD/bin/evaluate-onnx --keep DIR TABLE

A line of the table is `inputs ; constants ; node`, in ONNX's text form; `opset N` sets the version
for the lines below it. The last line counts the results.
"""

import argparse
import os
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

import check


def read_table(path):
    """Pairs of a version and the text of a model."""
    opset, models = None, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line.startswith("opset "):
                opset = int(line.split()[1])
            elif line and not line.startswith("#"):
                inputs, constants, node = [part.strip() for part in line.split(";", 2)]
                outputs = ", ".join("float " + name.strip() for name in node.split("=")[0].split(","))
                body = f"g ({inputs}) => ({outputs}) {'<' + constants + '>' if constants else ''} {{ {node} }}"
                models.append((opset, f'<ir_version: 8, opset_import: ["" : {opset}]> {body}'))
    return models


def draw_inputs(model, numpy):
    """Random elements for each input."""
    inputs = {}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        shape = [dim.dim_value for dim in tensor.shape.dim]
        numbers = numpy.standard_normal(shape) * 2 if kind.kind == "f" else numpy.integers(0, 4, shape)
        inputs[value.name] = np.asarray(numbers).astype(kind)
    return inputs


def answer(model, inputs):
    """ONNX Runtime's results; the outputs of the model get their types."""
    for output in model.graph.output:
        output.CopyFrom(onnx.helper.make_empty_tensor_value_info(output.name))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    expected = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)
    for output, array in zip(model.graph.output, expected):
        kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        output.CopyFrom(onnx.helper.make_tensor_value_info(output.name, kind, array.shape))
    return expected


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--keep", required=True)
    parser.add_argument("table")
    options = parser.parse_args()
    cases, failed = {}, 0
    for number, (opset, text) in enumerate(read_table(options.table)):
        try:
            model = onnx.parser.parse_model(text)
            inputs = draw_inputs(model, np.random.default_rng(number))
            expected = answer(model, inputs)
        except Exception as error:  # neither onnx nor ONNX Runtime has one class for its refusals
            print(f"FAIL opset {opset}: no answer to compare with: {text}\n    {str(error)[:300]}")
            failed += 1
            continue
        path = os.path.join(options.keep, str(number))
        check.write_case(path, model, list(inputs.values()))
        cases[path] = (opset, text, expected)
    folders, verdicts = list(cases), {}
    for begin in range(0, len(folders), check.CHUNK):
        verdicts.update(check.run_tool(options.tool, folders[begin:begin + check.CHUNK]))
    passed = 0
    for path, (opset, text, expected) in cases.items():
        verdict = verdicts[path]
        if verdict == "ok":
            try:
                verdict = check.difference(check.read_outputs(path, expected), expected, 1e-4, 2e-5) or "ok"
            except ValueError as error:
                verdict = str(error)
        if verdict == "ok":
            passed += 1
        else:
            print(f"FAIL opset {opset}: {text}\n    {verdict}")
            failed += 1
    print(f"{passed} agree, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
