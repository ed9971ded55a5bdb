"""Writes BERT-base of f16, for 128 tokens, with random weights.

usage: bert_base.py BENCHMARKS MODEL.onnx
"""

import sys

sys.path.insert(0, sys.argv[1])
from predictions import subjects

subjects.fill("bert_base", "f16")(sys.argv[2])
