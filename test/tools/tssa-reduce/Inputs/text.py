"""Turns the text of a model into a file, or a file into its text: text.py FROM [TO]"""

import sys

import onnx

if sys.argv[1].endswith(".onnxtxt"):
    with open(sys.argv[1]) as file:
        onnx.save(onnx.parser.parse_model(file.read()), sys.argv[2])
else:
    model = onnx.load(sys.argv[1])
    onnx.checker.check_model(model, full_check=True)
    print(onnx.printer.to_text(model))
