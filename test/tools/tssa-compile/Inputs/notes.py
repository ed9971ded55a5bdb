"""Prints the notes of each node of a model, or writes a model with its weights in a file beside it.

usage: notes.py MODEL.onnx
       notes.py --external MODEL.onnx OUT.onnx
"""

import sys

import onnx

if sys.argv[1] == "--external":
    onnx.save(onnx.load(sys.argv[2]), sys.argv[3], save_as_external_data=True, location="weights.bin", size_threshold=0)
else:
    for node in onnx.load(sys.argv[1]).graph.node:
        notes = sorted((entry.key, entry.value) for entry in node.metadata_props)
        print(f"{node.name}: {', '.join(f'{key} {value}' for key, value in notes)}")
