"""Turns a model in ONNX's text form into a file.

usage: assemble.py TEXT MODEL.onnx
"""

import sys

import onnx
import onnx.parser

with open(sys.argv[1], encoding="utf-8") as file:
    onnx.save(onnx.parser.parse_model(file.read()), sys.argv[2])
