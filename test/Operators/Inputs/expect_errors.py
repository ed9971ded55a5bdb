"""Checks that models of one node are refused with the words that a table gives.

usage: expect_errors.py TABLE FOLDER

A line of the table is `inputs ; node ; expected words`, in ONNX's text form; `opset N` sets the
version for the lines below it. Lines that start with # say what comes next.
"""

import os
import subprocess
import sys

import onnx
import onnx.parser


def main():
    table, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    opset, number, failed = 21, 0, 0
    with open(table, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    for line in lines:
        if not line or line.startswith("#"):
            continue
        if line.startswith("opset "):
            opset = int(line.split()[1])
            continue
        inputs, node, expected = [part.strip() for part in line.split(" ; ")]
        output = node.split("=")[0].split(",")[0].strip()
        text = f'<ir_version: 10, opset_import: ["" : {opset}]> g ({inputs}) => (float[] {output}) {{ {node} }}'
        path = os.path.join(folder, f"{number}.onnx")
        number += 1
        try:
            model = onnx.parser.parse_model(text)
        except onnx.parser.ParseError as error:
            print(f"{line}: {error}")
            failed += 1
            continue
        onnx.save(model, path)
        done = subprocess.run(["import-onnx", path], capture_output=True, text=True, check=False)
        if done.returncode not in (1, 3) or expected not in done.stderr:
            print(f"{line}\n  exit code {done.returncode}: {done.stderr[:400]}")
            failed += 1
    print(f"{number - failed} refused as expected, {failed} not")


main()
