"""Evaluates a model in ONNX's text form and compares with ONNX Runtime.

usage: compare.py TEXT FOLDER SHAPES...

Each of SHAPES is a run: `x=2x3,n=:5` gives input x random elements of shape 2x3 and
input n, a scalar, the value 5; `i=[1x2]:7:9` lists the elements of a shape.
"""

import os
import re
import subprocess
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

KINDS = {"float32": "f32", "float64": "f64", "float16": "f16", "bool": "i1", "int8": "i8", "uint8": "i8",
         "int32": "i32", "int64": "i64"}
INPUT = re.compile(r"(\w+)=(?:\[([\dx]*)\]:([-\d:]*)|:(-?\d+)|([\dx]*))")


def read_inputs(model, text, random):
    kinds = {value.name: onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
             for value in model.graph.input}
    inputs = {}
    for word in text.split(","):
        name, shape, elements, scalar, random_shape = INPUT.fullmatch(word).groups()
        if scalar is not None:
            inputs[name] = np.array(int(scalar), kinds[name])
        elif shape is not None:
            sizes = [int(size) for size in shape.split("x") if size]
            inputs[name] = np.array([int(element) for element in elements.split(":")], kinds[name]).reshape(sizes)
        else:
            sizes = [int(size) for size in random_shape.split("x") if size]
            inputs[name] = (random.standard_normal(sizes) * 4).astype(kinds[name])
    return {value.name: inputs[value.name] for value in model.graph.input}


def evaluate(folder, inputs, expected):
    with open(os.path.join(folder, "inputs.txt"), "w", encoding="utf-8") as listing:
        for i, array in enumerate(inputs.values()):
            print(KINDS[array.dtype.name], *array.shape, file=listing)
            array.tofile(os.path.join(folder, f"in_{i}.bin"))
    done = subprocess.run(["evaluate-onnx", folder], capture_output=True, text=True, check=False)
    if not done.stdout.strip().endswith("ok"):
        sys.exit(done.stdout + done.stderr)
    with open(os.path.join(folder, "outputs.txt"), encoding="utf-8") as listing:
        shapes = [[int(word) for word in line.split()[1:]] for line in listing]
    return [np.fromfile(os.path.join(folder, f"out_{i}.bin"), want.dtype).reshape(shape)
            for i, (shape, want) in enumerate(zip(shapes, expected))]


def main():
    text, folder, runs = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    with open(text, encoding="utf-8") as file:
        model = onnx.parser.parse_model(file.read())
    path = os.path.join(folder, "model.onnx")
    onnx.save(model, path)
    session = onnxruntime.InferenceSession(path)
    for number, run in enumerate(runs):
        inputs = read_inputs(model, run, np.random.default_rng(number))
        expected = session.run(None, inputs)
        for output, got, want in zip(model.graph.output, evaluate(folder, inputs, expected), expected):
            if got.shape != want.shape or not np.allclose(got, want, 1e-5, 1e-6, equal_nan=True):
                sys.exit(f"{run}: {output.name} is {got.shape} {got.tolist()}, expected {want.shape} {want.tolist()}")
    print(f"{len(runs)} runs agree")


main()
